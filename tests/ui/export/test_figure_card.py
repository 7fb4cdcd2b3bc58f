"""The card for a picture asks for a figure's target, panels and overlays, and writes it alone or as a paper bundle."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest
from figure_facts import pdf_words, size_in_mm, svg_type
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS

from mvexplorer import writing
from mvexplorer.engine.api.result import Embedding
from mvexplorer.errors import DataError
from mvexplorer.state.session.settings import PictureChoice, Settings
from mvexplorer.ui.export.figure_layout import FigureLayout
from mvexplorer.ui.export.figure_sheet import ELLIPSES, RING
from mvexplorer.ui.export.paper_bundle import PaperBundleJob
from mvexplorer.ui.export.picture_dialog import FigureTicks, PictureDialog
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window.exports.picture_export import picture_of

BUNDLED = {".png", ".svg", ".pdf", ".py", ".txt", ".csv"}


@pytest.fixture
def card(window):
    """Open the card with a choice; it closes by Save, Copy or Cancel."""

    def open_card(**choice):
        window.workbench.change_settings(picture=PictureChoice(**choice))
        window.actions_table.actions["Export picture …"].trigger()
        return next(d for d in window.findChildren(PictureDialog) if d.isVisible())

    yield open_card
    for dialog in window.findChildren(PictureDialog):
        dialog.close()
    window.workbench.change_settings(picture=PictureChoice())


def tick(ticks, *rows):
    for row in range(ticks.count()):
        ticks.item(row).setCheckState(Qt.CheckState.Checked if row in rows else Qt.CheckState.Unchecked)


def said(window):
    return " ".join(banner.text for banner in window.banners._shown())


@pytest.mark.nightly
def test_a_figure_of_ticked_panels_is_saved(window, card, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.svg"), ""))
    dialog = card(target="column", ending=".svg", letters=True)
    titles = [dialog.panels.item(row).text() for row in range(dialog.panels.count())]
    assert titles == [tile.title for tile in window.behaviour.scene.sheet().tiles]
    tick(dialog.panels, 1, 3)
    assert dialog.ticks.panels == (1, 3)
    dialog.save.click()
    assert size_in_mm(tmp_path / "a.svg")[0] == pytest.approx(85.0, abs=0.1)
    words = "".join("".join(text for text, _ in svg_type(tmp_path / "a.svg")).split())
    assert [f"{letter}{''.join(titles[row].split())}" in words for letter, row in (("a", 1), ("b", 3))] == [True, True]
    assert "".join(titles[5].split()) not in words


def test_the_card_says_why_parts_of_a_figure_cannot_be_chosen_yet(card):
    dialog = card(target="screen")
    assert (dialog.panels.isEnabled(), dialog.why_grey.isVisible()) == (False, True)
    dialog.target.setCurrentIndex(dialog.target.findData("column"))
    assert (dialog.panels.isEnabled(), dialog.why_grey.isVisible()) == (True, False)


def test_the_size_told_is_that_of_the_figure(window, card):
    dialog = card(target="page", ending=".png")
    assert dialog.width_cm.text() == "17.80"
    assert not dialog.width_cm.isEnabled()
    assert dialog.dpi.text() == "600"
    assert dialog.pixels.text().startswith("178 × ")
    assert ", 4,205 × " in dialog.pixels.text()
    dialog.target.setCurrentIndex(dialog.target.findData("slide"))
    assert dialog.pixels.text() == "339 × 190 mm, 1,920 × 1,080 pixels"
    assert dialog.type_pt.text() == "18"
    dialog.target.setCurrentIndex(0)
    assert dialog.width_cm.isEnabled()
    assert not dialog.panels.isEnabled()
    assert dialog.dpi.text() == f"{window.workbench.settings.export_dpi:g}"


def test_what_cannot_be_a_figure_is_told_in_the_card(window, card):
    dialog = card(target="column", ending=".pdf")
    dialog.type_pt.setText("5")
    assert dialog.pixels.text() == "Type of 6 to 14 pt"
    assert not dialog.save.isEnabled()
    dialog.type_pt.setText("7")
    assert dialog.save.isEnabled()
    tick(dialog.panels)
    assert dialog.pixels.text() == "No panel is ticked. Tick at least one."
    assert not dialog.save.isEnabled()
    assert not dialog.copy.isEnabled()
    tick(dialog.panels, 0)
    assert dialog.save.isEnabled()
    dialog.target.setCurrentIndex(dialog.target.findData("slide"))
    tick(dialog.panels, 0, 1, 2, 3, 4, 5)
    dialog.type_pt.setText("40")
    assert dialog.pixels.text() == (
        "6 panels do not fit on a slide in type of 40 pt. Show fewer panels, or take smaller type."
    )


def test_the_focused_panel_alone_and_the_window_stay_choices(window, card):
    dialog = card(target="column", what="panel")
    assert not dialog.panels.isEnabled()
    alone = picture_of(window.behaviour.scene, dialog.choice, dialog.ticks)
    assert isinstance(alone, FigureLayout)
    assert len(alone.sheet.tiles) == 1
    dialog.what.setCurrentIndex(dialog.what.findData("window"))
    assert not dialog.target.isEnabled()
    assert dialog.width_cm.isEnabled()
    assert picture_of(window.behaviour.scene, dialog.choice, dialog.ticks).size == window.size()


def test_a_maximised_panel_is_what_is_exported_until_all_are_on_screen_again(window, card, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.svg"), ""))
    second = window.document.state.shown[1]
    window.grid.toggle_maximised(second.id)
    dialog = card(ending=".svg")
    assert dialog.choice.what == "panel"
    sheet = picture_of(window.behaviour.scene, dialog.choice, dialog.ticks).sheet
    assert [tile.title for tile in sheet.tiles] == [window.behaviour.scene.sheet().tiles[1].title]
    dialog.save.click()
    assert window.workbench.settings.picture.what == "sheet"
    window.grid.toggle_maximised(second.id)
    window.actions_table.actions["Export picture …"].trigger()
    dialog = next(d for d in window.findChildren(PictureDialog) if d.isVisible())
    assert dialog.choice.what == "sheet"


def test_all_of_it_is_done_by_keys(window, card, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.pdf"), ""))
    dialog = card(ending=".pdf")
    dialog.target.setFocus()
    QTest.keyClick(dialog.target, Qt.Key.Key_Down)
    assert dialog.choice.target == "column"
    seen = set()
    for _ in range(20):
        dialog.focusNextChild()
        seen.add(dialog.focusWidget())
    assert {dialog.type_pt, dialog.palette_box, dialog.panels, dialog.letters, dialog.save} <= seen
    dialog.panels.setFocus()
    dialog.panels.setCurrentRow(0)
    QTest.keyClick(dialog.panels, Qt.Key.Key_Space)
    assert 0 not in dialog.ticks.panels
    dialog.letters.setFocus()
    QTest.keyClick(dialog.letters, Qt.Key.Key_Space)
    dialog.save.setFocus()
    QTest.keyClick(dialog.save, Qt.Key.Key_Return)
    assert size_in_mm(tmp_path / "a.pdf")[0] == pytest.approx(85.0, abs=0.1)
    dialog = card()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_choices_are_remembered_but_for_the_ticks(window, card, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.png"), ""))
    dialog = card(ending=".png")
    before = window.workbench.settings.export_dpi
    dialog.target.setCurrentIndex(dialog.target.findData("page"))
    dialog.type_pt.setText("9")
    dialog.dpi.setText("300")
    dialog.letters.setChecked(True)
    dialog.palette_box.setCurrentIndex(1)
    tick(dialog.panels, 2)
    dialog.save.click()
    kept = window.workbench.settings.picture
    assert kept == PictureChoice(target="page", type_size=9, figure_dpi=300, letters=True, palette="safe")
    assert Settings.model_validate_json(Settings(picture=kept).model_dump_json()).picture == kept
    assert window.workbench.settings.export_dpi == before
    dialog = card(**kept.model_dump())
    assert dialog.choice == kept
    assert len(dialog.ticks.panels) == len(window.document.state.panels)


def test_what_lies_on_the_pictures_is_offered_as_on_screen_but_for_stability(window, card, rest, qtbot):
    dialog = card(target="column")
    assert dialog.overlays.count() == 0
    dialog.close()
    window.editor.keep_sample(3)
    window.editor.focus("p1")
    window.editor.choose_checks(overlay="ellipses")
    checks = window.workbench.checks
    checks.stability("p1", "parts", 3)
    qtbot.waitUntil(lambda: not checks.of("p1").running, timeout=PATIENCE_MS)
    rest(window)
    scene, choice = window.behaviour.scene, PictureChoice(target="column")
    dialog = card(target="column")
    offered = [dialog.overlays.item(row).text() for row in range(dialog.overlays.count())]
    assert offered[:2] == ["Ellipses of stability", "Ring of the kept sample"]
    assert ELLIPSES not in dialog.ticks.overlays
    assert RING in dialog.ticks.overlays
    told = [
        "Ellipses:" in picture_of(scene, choice, ticks).sheet.record["caption"]
        for ticks in (None, dialog.ticks, FigureTicks((0,), frozenset([ELLIPSES])))
    ]
    assert told == [False, False, True]
    window.editor.choose_checks(overlay="off")
    window.editor.keep_sample(None)
    rest(window)


def test_a_figure_is_copied(window, card):
    card(target="column", caption=True).copy.click()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2008
    assert image.pixelColor(1, 1).name() == "#ffffff"
    assert "(raw" in QGuiApplication.clipboard().mimeData().text()


# Paper bundles ------------------------------------------------------------------------------------------------------


@pytest.fixture
def into(window, monkeypatch, tmp_path):
    """A folder that is chosen, with nothing in it."""
    folder = tmp_path / "paper"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    monkeypatch.setattr(type(window.library), "session_name", "study")
    return folder


@pytest.fixture
def loaded(make_window, rest, qtbot, tmp_path):
    """A window with data from files, which a script can load; one id looks like a formula."""
    drawn = np.random.default_rng(5)
    for name in ("left", "right"):
        rows = [",".join(["id", "u", "v", "w"])]
        rows += [
            ",".join(["=1+1" if i == 0 else f"s{i:02}", *(f"{v:.6f}" for v in drawn.normal(size=3))]) for i in range(40)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    window = make_window()
    window.library.open_source(tuple(str(tmp_path / f"{name}.csv") for name in ("left", "right")))
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    rest(window)
    return window


def bundle(window, *panels):
    window.workbench.change_settings(picture=PictureChoice(target="column", ending="bundle", letters=True))
    window.actions_table.actions["Export picture …"].trigger()
    dialog = next(d for d in window.findChildren(PictureDialog) if d.isVisible())
    tick(dialog.panels, *panels)
    dialog.save.click()


@pytest.mark.nightly
def test_a_paper_bundle_has_all_that_makes_the_figure(loaded, monkeypatch, tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    monkeypatch.setattr(type(loaded.library), "session_name", "study")
    loaded.workbench.change_settings(numbers=loaded.workbench.settings.numbers.model_copy(update={"csv_safe": True}))
    bundle(loaded, 0, 2)
    assert {path.name for path in folder.iterdir()} == {f"study{ending}" for ending in BUNDLED}
    assert "Saved 6 files beginning with “study”." in said(loaded)
    assert [size_in_mm(folder / f"study{e}")[0] for e in (".png", ".svg", ".pdf")] == pytest.approx([85.0] * 3, abs=0.1)
    first, _, third, *_ = loaded.document.state.panels
    caption = (folder / "study.txt").read_text("utf-8")
    assert caption.startswith("(a) ")
    assert "\n(b) " in caption
    assert "(c)" not in caption
    with open(folder / "study.csv", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "id"
    assert [name.rpartition("_")[0].split("-")[0] for name in head[1:]] == [first.id] * 2 + [third.id] * 2
    assert rows[0][0] == "'=1+1"
    assert len(rows) == 40
    made = [v for v in runpy.run_path(str(folder / "study.py")).values() if isinstance(v, Embedding)]
    assert len(made) == 2
    drawn = np.array([[float(value) for value in row[1:3]] for row in rows])
    shown = loaded.controller.result(first.id).result.embedding.coordinates[:, :2]
    np.testing.assert_allclose(drawn, shown)
    assert any(np.allclose(np.abs(each.coordinates[:, :2]), np.abs(shown), atol=1e-8) for each in made)
    assert "".join(loaded.behaviour.scene.sheet().tiles[0].title.split()) in "".join(
        pdf_words(folder / "study.pdf").split()
    )


def test_nothing_is_replaced_unasked(loaded, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    monkeypatch.setattr(type(loaded.library), "session_name", "study")
    (tmp_path / "study.txt").write_text("mine")
    asked = []
    monkeypatch.setattr(dialogs, "choose", lambda *question: asked.append(question[2]))
    bundle(loaded, 0)
    assert asked == ["There already: study.txt."]
    assert [path.name for path in tmp_path.glob("study*")] == ["study.txt"]
    assert (tmp_path / "study.txt").read_text() == "mine"
    monkeypatch.setattr(dialogs, "choose", lambda *_: 0)
    bundle(loaded, 0)
    assert (tmp_path / "study.txt").read_text("utf-8") != "mine"


def test_without_files_to_load_nothing_is_written_and_it_is_told(window, into):
    bundle(window, 0)
    assert "no script can load it" in said(window)
    assert list(into.iterdir()) == []


def test_a_bundle_that_fails_leaves_nothing_half_written(tmp_path):
    files = {".png": b"1", ".svg": b"2", ".pdf": b"3"}
    (tmp_path / "a.png").write_bytes(b"mine")
    (tmp_path / "a.pdf").mkdir()  # no file can take its place
    with pytest.raises(DataError, match=r"a\.pdf cannot be written"):
        PaperBundleJob(tmp_path / "a", files).run(None, None)
    assert {path.name for path in tmp_path.iterdir()} == {"a.png", "a.pdf"}
    assert (tmp_path / "a.png").read_bytes() == b"mine"


def test_a_full_disk_takes_no_file_of_a_bundle(tmp_path, monkeypatch):
    synced: list[int] = []

    def full(descriptor: int) -> None:
        synced.append(descriptor)
        if len(synced) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(DataError, match="cannot be written"):
        PaperBundleJob(tmp_path / "a", {".png": b"1", ".svg": b"2"}).run(None, None)
    assert list(Path(tmp_path).iterdir()) == []
