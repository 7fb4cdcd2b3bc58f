"""Every bad input is one clear sentence in the window with what to do; the document stays as it was."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS, show_fresh

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState
from mvexplorer.ui.widgets.cure_card import CureCard

pytestmark = pytest.mark.panels(3)

KEY = Qt.Key


def table(path, rows, header="a,b"):
    path.write_text("\n".join([header, *(",".join(str(v) for v in row) for row in rows)]) + "\n")
    return str(path)


def numbers(n: int, columns: int = 2, seed: int = 0):
    return np.random.default_rng(seed).normal(size=(n, columns)).round(4).tolist()


def write(path, kind: str) -> tuple[str, ...]:
    """Files that cannot be opened, by what is wrong with them."""
    good = table(path / "good.csv", numbers(20))
    if kind == "few":
        return (table(path / "few.csv", numbers(2)),)
    if kind == "empty":
        (path / "empty.csv").write_text("")
        return (str(path / "empty.csv"),)
    if kind == "header":
        return (table(path / "header.csv", []),)
    if kind == "gone":
        return (str(path / "nowhere.csv"),)
    if kind == "folder":
        (path / "notes").mkdir()
        (path / "notes" / "notes.txt").write_text("Nothing that can be read.")
        return (str(path / "notes"),)
    if kind == "noise":
        (path / "noise.npz").write_bytes(bytes(range(256)) * 4)
        return (str(path / "noise.npz"),)
    if kind == "mat":
        (path / "broken.mat").write_bytes(b"MATLAB 5.0 MAT-file" + b"\0" * 200)
        return (str(path / "broken.mat"),)
    if kind == "unknown":
        (path / "words.docx").write_bytes(b"PK\x03\x04")
        return (str(path / "words.docx"),)
    if kind == "text":
        return (table(path / "text.csv", [["x", "y"]] * 20),)
    return good, table(path / "holes.csv", [*numbers(18), ["", 1.0], ["nan", 2.0]])


def refused(window, qtbot, path, kind: str) -> str:
    """Open something bad; returns the message after checking that nothing else happened."""
    before = window.document.state, window.document.data, window.document.undo_label
    window.library.open_source(write(path, kind))
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)
    assert (window.document.state, window.document.data, window.document.undo_label) == before
    assert QApplication.activeModalWidget() is None
    assert len(window.banners.texts()) == 1
    return window.banners.texts()[0]


def assert_clear(text: str) -> None:
    """What happened and what to do: two sentences at least, no program words."""
    assert text.count(". ") >= 1
    assert text.endswith((".", "?"))
    # A name or a symbol may begin the sentence.
    assert text[0].isupper() or text[0] in "/“r0123456789" or text.split()[0].endswith(".mvx.json")
    for word in ("Traceback", "Error(", "Exception", "None", "object at", "Errno"):
        assert word not in text


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("few", "2 sample"), ("empty", "empty"), ("header", "header.csv"),
        ("gone", "nowhere.csv"), ("folder", "notes"), ("noise", "noise.npz"), ("mat", "broken.mat"),
        ("unknown", "words.docx"), ("text", "text"), ("missing", "2 of 20 rows"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_opened(window, qtbot, tmp_path, kind, says):
    folder = tmp_path / "files"
    folder.mkdir()
    text = refused(window, qtbot, folder, kind)
    assert_clear(text)
    assert says in text


def test_without_data_the_start_page_stays(make_window, qtbot, tmp_path):
    window = make_window()
    text = refused(window, qtbot, tmp_path, "empty")
    assert_clear(text)
    qtbot.waitUntil(lambda: window.start is not None and window.start.isVisible(), timeout=PATIENCE_MS)
    assert window.banners.isVisible()


def test_the_same_message_is_shown_once_and_the_next_replaces_none(window, qtbot, tmp_path):
    refused(window, qtbot, tmp_path, "gone")
    window.library.open_source((str(tmp_path / "nowhere.csv"),))
    window.library.open_source((str(tmp_path / "neither.csv"),))
    qtbot.waitUntil(lambda: len(window.banners.texts()) == 2, timeout=PATIENCE_MS)
    assert "neither.csv" in window.banners.texts()[0]


def test_rows_with_missing_values_can_be_dropped_in_all_views(window, qtbot, rest, tmp_path):
    text = refused(window, qtbot, tmp_path, "missing")
    assert "2 of 20 rows" in text
    assert "=" not in text  # that is for Python and the command line
    banner = window.banners._shown()[0]
    assert banner.button.text() == "Drop 2 rows"
    QTest.mouseClick(banner.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 18, timeout=PATIENCE_MS)
    assert {len(X) for X in window.document.data.Xs} == {18}
    assert window.document.state.drop_missing
    rest(window)
    assert all(window.controller.result(panel.id).status == "ready" for panel in window.document.state.panels)
    window.document.undo()
    assert window.document.data.n_samples == 48


# Data that is odd, but can be opened --------------------------------------------------------------------------


def opened(window, qtbot, rest, files) -> str:
    window.library.open_source(tuple(files))
    qtbot.waitUntil(lambda: window.document.state.source != ("memory",), timeout=PATIENCE_MS)
    rest(window)
    return " ".join(window.banners.texts())


def test_one_view_is_enough_for_a_start(window, qtbot, rest, tmp_path):
    opened(window, qtbot, rest, [table(tmp_path / "one.csv", numbers(20))])
    assert [p.method for p in window.document.state.panels] == ["single"]
    window.behaviour.add_panel("multiview")
    rest(window)
    found = window.controller.result(window.document.state.panels[-1].id)
    assert found.status == "failed"
    assert_clear(str(found.error))
    panel = window.grid.panels[window.document.state.panels[-1].id]
    assert panel._message.isVisible()
    assert "views" in panel._message.text()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: [[r[0], 7.0] for r in rows], "Constant columns"),
        (lambda rows: [[r[0], r[0]] for r in rows], "Columns that repeat"),
        (lambda rows: [rows[0]] * 5 + rows[5:], "Samples that repeat"),
    ],
)
def test_odd_columns_and_rows_are_named_and_computed(window, qtbot, rest, tmp_path, change, says):
    files = [
        table(tmp_path / "odd.csv", change(numbers(30))),
        table(tmp_path / "other.csv", numbers(30, seed=1), "c,d"),
    ]
    text = opened(window, qtbot, rest, files)
    assert says in text
    assert "odd" in text
    assert not any(r.status == "computing" for r in window.controller.results.values())
    for result in window.controller.results.values():
        if result.error is not None:
            assert_clear(str(result.error))
        else:
            assert np.isfinite(result.drawing.points).all()


@pytest.mark.nightly
def test_a_view_far_smaller_than_another_is_offered_to_be_scaled(window, qtbot, rest, tmp_path):
    small = [[v * 1e-16 for v in row] for row in numbers(30)]
    files = [table(tmp_path / "small.csv", small), table(tmp_path / "large.csv", numbers(30, seed=1), "c,d")]
    text = opened(window, qtbot, rest, files)
    assert "small" in text
    buttons = [button for banner in window.banners._shown() for button in banner.buttons]
    button = next((b for b in buttons if b.text().startswith("z-score")), None)
    if button is not None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert "zscore" in {v.preprocess for v in window.document.state.views}
    rest(window)
    assert not any(r.status == "computing" for r in window.controller.results.values())


def test_a_disconnected_graph_is_a_doubt_on_its_panels(window, rest):
    rng = np.random.default_rng(0)
    apart = np.concatenate([rng.normal(size=(27, 2)), 1e3 + rng.normal(size=(3, 2))])
    show_fresh(window, MultiView({"a": apart, "b": apart + rng.normal(size=(30, 2))}), 3)
    for name in ("a", "b"):
        commands.set_epsilon(window.document, name, 1.0)
    rest(window)
    panel = window.grid.panels["p1"]
    assert window.controller.result("p1").status == "ready"
    assert panel.doubt.isVisible()
    assert "connect" in panel.doubt.toolTip() or "apart" in panel.doubt.toolTip() or "piece" in panel.doubt.toolTip()
    QTest.mouseClick(panel.doubt, Qt.MouseButton.LeftButton)
    card = QApplication.activePopupWidget()
    assert isinstance(card, CureCard)
    assert card.words.text() == panel.doubt.toolTip()
    assert any("ε" in button.text() for button in card.buttons)
    card.close()


# Parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["0", "-1", "nan", "inf", "a lot", "3*nothing", "median/0"])
def test_impossible_bandwidths(window, typed):
    field = window.side.rows["plain"].field
    before = window.document.state
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, KEY.Key_Return)
    assert window.document.state == before
    assert len(window.banners.texts()) == 1
    assert_clear(window.banners.texts()[0])
    assert field.property("wrong") is True
    assert field.text() == typed
    field.selectAll()
    QTest.keyClicks(field, "0.7")
    QTest.keyClick(field, KEY.Key_Return)
    assert field.property("wrong") is not True
    assert window.document.state.view("plain").epsilon == 0.7


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("eta", "1.5"), ("eta", "-0.1"), ("eta", "x"), ("n_components", "47"), ("n_components", "0"),
        ("n_components", "2.5"), ("t", "-1"), ("t", "1e9"), ("delta", "1"),
    ],
)  # fmt: skip
@pytest.mark.panels(6)
def test_impossible_parameters(window, name, typed):
    field = window.side.params[name].field
    before = window.document.state
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, KEY.Key_Return)
    assert window.document.state == before
    assert len(window.banners.texts()) == 1
    assert_clear(window.banners.texts()[0])
    assert field.property("wrong") is True


@pytest.mark.parametrize("typed", ["0", "-2", "many", "nan", "1e-6", "100000", "inf"])
def test_impossible_factors(window, typed):
    field = window.side.master_field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, KEY.Key_Return)
    assert window.document.state.epsilon_scale == 1.0
    assert len(window.banners.texts()) == 1
    assert_clear(window.banners.texts()[0])


def test_no_view_ticked(window, rest):
    for name in ("plain", "wavy"):
        commands.tick_view(window.document, name, False)
    rest(window)
    for result in window.controller.results.values():
        assert result.status in ("failed", "ready")
        if result.error is not None:
            assert_clear(str(result.error))
    window.document.undo()
    window.document.undo()
    rest(window)
    assert all(window.controller.result(panel.id).status == "ready" for panel in window.document.state.panels)


# Sessions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def session(window, qtbot, rest, tmp_path):
    """A saved session of two files, and the small data on screen again."""
    folder = tmp_path / "session"
    folder.mkdir()
    files = [table(folder / "left.csv", numbers(20)), table(folder / "right.csv", numbers(20, seed=1), "c,d")]
    opened(window, qtbot, rest, files)
    path = folder / "mine.mvx.json"
    assert window.library.write(path)
    window.document.undo()
    window.document.mark_saved()
    window.banners.clear()
    window.library.session_path = None
    rest(window)
    return path


def refused_session(window, qtbot, path) -> str:
    before = window.document.state, window.document.data
    window.library.open_session(path)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)
    assert (window.document.state, window.document.data) == before
    assert QApplication.activeModalWidget() is None
    return window.banners.texts()[0]


@pytest.mark.nightly
def test_a_session_whose_data_is_gone(window, qtbot, session):
    (session.parent / "left.csv").unlink()
    text = refused_session(window, qtbot, session)
    assert_clear(text)
    assert "left.csv" in text


@pytest.mark.nightly
def test_a_session_whose_data_has_changed_can_be_opened_anyway(window, qtbot, rest, session):
    table(session.parent / "left.csv", numbers(20, seed=9))
    text = refused_session(window, qtbot, session)
    assert_clear(text)
    assert "has changed" in text
    banner = window.banners._shown()[0]
    assert banner.button.text() == "Open anyway"
    QTest.mouseClick(banner.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 20, timeout=PATIENCE_MS)
    rest(window)
    assert not window.banners.texts()
    assert all(window.controller.result(panel.id).status == "ready" for panel in window.document.state.panels)


@pytest.mark.nightly
def test_a_session_whose_data_has_other_rows(window, qtbot, session):
    table(session.parent / "left.csv", numbers(12))
    table(session.parent / "right.csv", numbers(12))
    text = refused_session(window, qtbot, session)
    assert_clear(text)
    assert "20" in text
    assert "12" in text
    assert window.banners._shown()[0].button.text() == "Locate folder …"  # none to take it as it is


@pytest.mark.parametrize(
    "harm",
    [
        "cut",
        "field",
        "gone",
        *(pytest.param(h, marks=pytest.mark.nightly) for h in ("format", "list", "binary", "method")),
    ],
)
def test_broken_sessions(window, qtbot, session, harm):
    text = session.read_text("utf-8")
    content = json.loads(text)
    if harm == "cut":
        session.write_text(text[: len(text) // 2])
    elif harm == "format":
        session.write_text(json.dumps({**content, "format": 99}))
    elif harm == "field":
        content["state"]["opacity"] = 7
        session.write_text(json.dumps(content))
    elif harm == "method":
        content["state"]["panels"][0]["method"] = "magic"
        session.write_text(json.dumps(content))
    elif harm == "list":
        session.write_text("[1, 2]")
    elif harm == "binary":
        session.write_bytes(b"\xff\xfe\x00\x01" * 40)
    else:
        session.unlink()
    said = refused_session(window, qtbot, session)
    assert_clear(said)


@pytest.mark.nightly
def test_a_session_together_with_files_is_refused(window, session):
    window.library.open_files((str(session), str(session.parent / "left.csv")))
    assert len(window.banners.texts()) == 1
    assert_clear(window.banners.texts()[0])


@pytest.mark.parametrize("what", ["picture", "numbers"])
def test_without_data_an_export_from_an_open_menu_is_refused_in_a_sentence(window, rest, what):
    window.document.reset(DocumentState(), None)
    rest(window)
    window.editor.export_wanted.emit(what)
    assert any("There is no picture to export. Open data first." in text for text in window.banners.texts())
