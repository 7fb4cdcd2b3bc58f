"""From files to pictures by mouse: real tables in the whole window, with the import page on the way."""

from __future__ import annotations

import wave

import numpy as np
import pytest
from gestures import drop
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from sklearn.datasets import load_breast_cancer
from windows import PATIENCE_MS

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.ui.importing import items, views
from mvexplorer.ui.window import opening

pytestmark = pytest.mark.panels(3)

LEFT = Qt.MouseButton.LeftButton
CANCER = load_breast_cancer()
ROWS = np.random.default_rng(3).permutation(len(CANCER.target))[:60]
"""Some of the samples, so that pictures come quickly."""
KINDS = np.array(["bösartig", "gutartig"])[CANCER.target[ROWS]]


@pytest.fixture
def tables(tmp_path):
    """The breast-cancer table in three files, each in an order of its own, with names in another language."""
    files = []
    for stem, first in (("mittel", 0), ("fehler", 10), ("extrem", 20)):
        order = np.random.default_rng(first).permutation(len(ROWS))
        names = [f"{stem} {CANCER.feature_names[j]}" for j in range(first, first + 10)]
        lines = [",".join(["fall", *(["befund"] if first == 0 else []), *names])]
        for i in order:
            numbers = map(str, CANCER.data[ROWS[i], first : first + 10])
            lines.append(",".join([f"P-{i:03d}", *([KINDS[i]] if first == 0 else []), *numbers]))
        path = tmp_path / f"{stem}.csv"
        path.write_text("\n".join(lines), "utf-8")
        files.append(str(path))
    return tuple(files)


def trigger(window, text):
    """Click an action in its menu."""
    act = next(a for a in window.actions_table.table if a.text == text)
    menu, action = window.actions_table.menus[act.menu], window.actions_table.actions[text]
    menu.popup(window.mapToGlobal(window.rect().topLeft()))
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def read(page, qtbot):
    qtbot.waitUntil(lambda: page.importing.state == "ready", timeout=PATIENCE_MS)


def click(table, row, column):
    table.scrollTo(table.model().index(row, column))
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(row, column)).center())


def choose(words):
    menu = QApplication.activePopupWidget()
    action = next(a for a in menu.actions() if a.text().split("\t")[0] == words)
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


@pytest.fixture
def page(window, qtbot, tables, monkeypatch):
    """The import page for the three tables, by File > Import."""
    monkeypatch.setattr(opening, "open_files", lambda *_: tables)
    trigger(window, "Import …")
    found = window.docks.importing
    read(found, qtbot)
    return found


def test_from_three_tables_to_scored_pictures_by_mouse_alone(window, qtbot, rest, page, tables):
    before = window.document.state
    assert window.docks.importing.isVisible()
    assert not window.grid.isVisible()
    assert not window.side.isVisible()
    place = next(i for i, line in enumerate(page.items.model_.lines) if line.title == "befund")
    click(page.items, place, items.NAME)
    QTest.mouseClick(page.roles["label"], LEFT)
    read(page, qtbot)
    click(page.views, 2, views.PREPARED)
    choose("z-scored")
    assert page.samples.texts.heads[:2] == ("id", "befund")
    assert window.document.state == before
    QTest.mouseClick(page.bar.open, LEFT)
    rest(window)
    data = window.document.data
    assert window.docks.importing is None
    assert data.view_names == ("mittel", "fehler", "extrem")
    rows = [int(name[2:]) for name in data.sample_ids]
    for k, X in enumerate(data.Xs):
        np.testing.assert_allclose(X, CANCER.data[ROWS[rows], 10 * k : 10 * k + 10])
    assert list(data.labels) == KINDS[rows].tolist()
    assert data.feature_names[0][0] == "mittel mean radius"
    state = window.document.state
    assert [view.preprocess for view in state.views] == ["none", "none", "zscore"]
    assert dict(state.reading.roles) == {"befund": "label"}
    scores = [window.controller.result(panel.id).scores for panel in state.panels]
    assert all(found is not None for found in scores)
    window.document.undo()
    rest(window)
    assert window.document.state.views == before.views


@pytest.mark.parametrize("ending", ["parquet", pytest.param("xlsx", marks=pytest.mark.nightly)])
def test_one_table_is_split_into_views_by_mouse_alone(window, qtbot, rest, tmp_path, monkeypatch, ending):
    path = tmp_path / f"alles.{ending}"
    heads = ["fall", "befund", *CANCER.feature_names]
    rows = [[f"P-{i:03d}", KINDS[i], *map(float, CANCER.data[row])] for i, row in enumerate(ROWS)]
    if ending == "xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in (heads, *rows):
            book.active.append([str(cell) if isinstance(cell, str) else cell for cell in row])
        book.save(path)
    else:
        pytest.importorskip("polars").DataFrame(rows, schema=heads, orient="row").write_parquet(path)
    monkeypatch.setattr(opening, "open_files", lambda *_: (str(path),))
    trigger(window, "Import …")
    page = window.docks.importing
    read(page, qtbot)
    for start, role in (("fall", "id"), ("befund", "label")):
        click(page.items, next(i for i, one in enumerate(page.items.model_.lines) if one.title == start), items.NAME)
        QTest.mouseClick(page.roles[role], LEFT)
        read(page, qtbot)
    split = next(b for row in page.checks.rows for b in row.buttons if b.text().startswith("Split into"))
    QTest.mouseClick(split, LEFT)
    read(page, qtbot)
    assert len(page.views.model_.views) == 3
    QTest.mouseClick(page.bar.open, LEFT)
    rest(window)
    data = window.document.data
    assert sorted(np.concatenate(data.feature_names)) == sorted(CANCER.feature_names)
    assert data.sample_ids[:2] == ("P-000", "P-001")
    assert list(data.labels) == KINDS.tolist()
    assert all(window.controller.result(p.id).scores is not None for p in window.document.state.panels)


def test_cancel_leaves_everything_as_it_was(window, qtbot, rest, page):
    before = window.document.state
    QTest.keyClick(page.items, Qt.Key.Key_X)
    click(page.items, 3, items.NAME)  # below the file, its ids and its label: all features in one line
    QTest.keyClick(page.items, Qt.Key.Key_X)
    read(page, qtbot)
    assert page.importing.items[2].role == "ignore"
    trigger(window, "Undo")
    read(page, qtbot)
    assert page.importing.items[2].role == "view"
    assert not window.actions_table.actions["Save session"].isEnabled()
    QTest.keyClick(page.items, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.docks.importing is None)
    assert window.document.state == before
    assert window.grid.isVisible()
    assert window.side.isVisible()
    assert window.actions_table.actions["Save session"].isEnabled()
    rest(window)


@pytest.mark.nightly
def test_what_was_chosen_is_kept_for_the_files(window, qtbot, rest, page, tables):
    click(page.items, 2, items.NAME)
    QTest.keyClick(page.items, Qt.Key.Key_L)
    QTest.mouseClick(page.bar.open, LEFT)
    qtbot.waitUntil(lambda: window.docks.importing is None, timeout=PATIENCE_MS)
    assert window.document.data.labels is not None
    window.banners.clear()
    window.library.open_files(tables)
    qtbot.waitUntil(lambda: "Read as last time." in window.banners.texts(), timeout=PATIENCE_MS)
    assert window.document.data.labels is not None
    trigger(window, "Change how this was read …")
    again = window.docks.importing
    read(again, qtbot)
    assert again.importing.options == ReadOptions(roles={"befund": "label"})
    click(again.items, 2, items.ROLE)
    choose("Colour")
    QTest.mouseClick(again.bar.open, LEFT)
    qtbot.waitUntil(lambda: window.docks.importing is None, timeout=PATIENCE_MS)
    assert window.document.data.labels is None
    assert window.document.undo_label == "Open data"
    rest(window)


def test_files_that_are_dropped_join_those_on_the_page(window, qtbot, rest, page, tables, tmp_path):
    np.save(tmp_path / "more.npy", np.random.default_rng(1).normal(size=(len(ROWS), 4)))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "more.npy"))])
    assert drop(window, mime)
    read(page, qtbot)
    assert page.importing.files == (*tables, str(tmp_path / "more.npy"))
    window.library.open_files(("no-such-file.csv",))
    qtbot.waitUntil(lambda: any("no-such-file" in text for text in window.banners.texts()), timeout=PATIENCE_MS)
    assert window.docks.importing is None


def test_a_folder_of_tables_that_is_dropped_is_one_table_labelled_by_its_folders(window, qtbot, rest, tmp_path):
    for kind in ("well", "ill"):
        (tmp_path / kind).mkdir()
        values = np.random.default_rng(len(kind)).normal(size=(8, 3)).round(4)
        np.savetxt(tmp_path / kind / "blood.csv", values, delimiter=",", header="a,b,c", comments="")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    assert drop(window, mime)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 16, timeout=PATIENCE_MS)
    assert list(window.document.data.labels) == ["ill"] * 8 + ["well"] * 8
    assert window.document.data.view_names == ("blood",)
    rest(window)


DEAD_ENDS = {
    "empty": ({"x.csv": ""}, "is empty"),
    "a header alone": ({"x.csv": "a,b\n"}, "has a header (“a”, “b”) but no rows"),
    "text alone": ({"x.csv": "k,l\na,b\nc,d\ne,f\n"}, "There is no table of numbers"),
    "no id in both": (
        {"x.csv": "id,u\na,1\nb,2\nc,3\n", "y.csv": "id,v\nd,1\ne,2\nf,3\ng,4\n"}, "0 of 3 and 0 of 4 samples",
    ),
    "other rows": ({"x.csv": "u\n1\n2\n3\n", "y.csv": "a,b\n"}, "“y.csv” has 1 row, where “x.csv” has 3 samples."),
    "nothing readable": ({"x/readme.md": "no"}, "holds no pictures, recordings or tables"),
}  # fmt: skip


@pytest.mark.parametrize("case", DEAD_ENDS)
def test_a_dead_end_is_a_red_card_with_a_sentence(window, qtbot, tmp_path, case):
    files, words = DEAD_ENDS[case]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    sources = dict.fromkeys(str(tmp_path / name.partition("/")[0]) for name in files)
    window.library.imports.begin(tuple(sources), ReadOptions())
    page = window.docks.importing
    read(page, qtbot)
    red = [card for card in page.checks.cards if card.state.text() == "cannot be opened"]
    assert len(red) == 1
    assert words in red[0].rows[0].words.text()
    assert not page.bar.open.isEnabled()


def test_ids_that_repeat_and_words_among_numbers_can_be_opened_as_proposed(window, qtbot, tmp_path):
    (tmp_path / "x.csv").write_text("id,u\na,1\nb,2\na,3\nc,4\nd,5\n")
    (tmp_path / "y.csv").write_text("id,v,w\na,1,2\nb,2,oops\nc,3,1\nd,4,5\n")
    window.library.imports.begin((str(tmp_path / "x.csv"), str(tmp_path / "y.csv")), ReadOptions())
    page = window.docks.importing
    qtbot.waitUntil(lambda: page.importing.state == "ready", timeout=PATIENCE_MS)
    assert page.bar.open.isEnabled()
    assert page.importing.choices.proposed == {"roles", "repeated"}
    assert [card.check.title for card in page.checks.cards if card.state.text() == "proposal applied"] == [
        "Text among numbers", "Pairing",
    ]  # fmt: skip


def test_one_recording_is_told_to_be_one(window, qtbot, tmp_path):
    with wave.open(str(tmp_path / "one.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(800))
    window.library.open_files((str(tmp_path / "one.wav"),))
    qtbot.waitUntil(lambda: window.docks.importing is not None, timeout=PATIENCE_MS)
    page = window.docks.importing  # where the others can be added
    assert "is one recording, which is 1 sample" in page.checks.texts[0]
    assert page.checks.cards[0].state.text() == "cannot be opened"


def test_files_without_doubt_go_straight_to_pictures(window, qtbot, rest, tables):
    window.library.open_files(tables)
    qtbot.waitUntil(lambda: window.document.data.n_samples == len(ROWS), timeout=PATIENCE_MS)
    assert window.docks.importing is None
    rest(window)


def test_files_that_do_not_fit_are_shown_with_the_reason(window, qtbot, rest, tmp_path):
    before = window.document.state
    for name, n in (("long", 20), ("short", 15)):
        rows = np.random.default_rng(n).normal(size=(n, 2)).round(4)
        (tmp_path / f"{name}.csv").write_text("\n".join([f"{name} a,{name} b", *(f"{a},{b}" for a, b in rows)]))
    window.library.open_files((str(tmp_path / "long.csv"), str(tmp_path / "short.csv")))
    qtbot.waitUntil(lambda: window.docks.importing is not None, timeout=PATIENCE_MS)
    page = window.docks.importing
    assert "different numbers of rows" in page.checks.texts[0]
    assert not page.bar.open.isEnabled()
    assert len(page.importing.items) == 4
    page.importing.remove_file(str(tmp_path / "short.csv"))
    read(page, qtbot)
    assert page.bar.open.isEnabled()
    QTest.mouseClick(page.bar.cancel, LEFT)
    assert window.document.state == before
    rest(window)


def test_the_window_closes_while_files_are_read(make_window, tables):
    window = make_window()
    window.library.imports.begin(tables, ReadOptions())
    assert window.docks.importing.importing.state == "reading"
    window.discard()
    assert not window.isVisible()
