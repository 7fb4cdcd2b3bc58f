"""What is selected and saved while the right side is folded: one line says so, and goes with its cause."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from windows import PATIENCE_MS

from mvexplorer.ui.widgets.banner import Banner
from mvexplorer.ui.window.contents import ContentsDialog

pytestmark = pytest.mark.panels(2)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folded(window, rest):
    """The window with its right side folded."""
    window.resize(1280, 720)
    rest(window)
    assert not window.points.isVisible()
    return window


def own(window) -> list[str]:
    """The lines about what is selected or saved."""
    return [text for text in window.banners.texts() if "selected." in text or text.startswith("Saved")]


def press(window, text: str) -> None:
    """Press a button of the message in front."""
    front = next(each for each in window.banners.findChildren(Banner) if each.isVisible())
    QTest.mouseClick(next(b for b in front.findChildren(QPushButton) if b.text() == text), LEFT)


def test_a_selection_is_counted_and_goes_with_its_line(folded):
    folded.editor.select(range(5))
    assert own(folded) == ["5 of 48 samples selected."]
    folded.editor.select(range(7))
    assert own(folded) == ["7 of 48 samples selected."]
    folded.editor.scale_points(1.5)
    assert own(folded) == ["7 of 48 samples selected."], "they still are"
    folded.document.undo()
    folded.document.undo()
    assert own(folded) == ["5 of 48 samples selected."]
    folded.behaviour.escape()
    assert own(folded) == []


def test_no_panel_moves_when_the_line_comes(folded, rest):
    places = [panel.geometry() for panel in folded.grid.panels.values()]
    folded.editor.select(range(5))
    rest(folded)
    assert [panel.geometry() for panel in folded.grid.panels.values()] == places


def test_the_line_leads_to_the_description(folded):
    folded.editor.select(range(5))
    press(folded, "Describe")
    (dialog,) = (each for each in folded.findChildren(ContentsDialog) if each.isVisible())
    dialog.close()


def test_the_line_leads_to_a_name_typed_on_the_right_side(folded, rest, qtbot):
    folded.editor.select(range(6))
    press(folded, "Save")
    assert own(folded) == ["Saved 6 samples as “Selection”."]
    assert not folded.points.isVisible()
    press(folded, "Rename")
    rest(folded)
    assert folded.points.isVisible()
    assert own(folded) == [], "the right side says it now"
    field = folded.points.selections.list.findChild(QLineEdit)
    field.setText("bend")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: folded.document.state.selections.names == ("bend",), timeout=PATIENCE_MS)


def test_saving_by_key_says_the_name_and_undo_takes_both_back(folded):
    folded.editor.select(range(5))
    folded.actions_table.actions["Save selection"].trigger()
    assert own(folded) == ["Saved 5 samples as “Selection”."]
    folded.document.undo()
    assert own(folded) == ["5 of 48 samples selected."]


def test_names_in_the_line_stay_text(folded):
    folded.editor.select(range(5))
    folded.editor.keep_selection("<img src=x> & more")
    assert own(folded) == ["Saved 5 samples as “<img src=x> & more”."]
    front = next(each for each in folded.banners.findChildren(Banner) if each.isVisible())
    assert front.words.textFormat() == Qt.TextFormat.PlainText


def test_nothing_is_said_where_the_right_side_says_it(window, rest):
    window.editor.select(range(5))
    assert own(window) == []
    window.actions_table.actions["Save selection"].trigger()
    assert own(window) == []
    window.docks.toggle_points()
    window.editor.select(range(6))
    assert own(window) == ["6 of 48 samples selected."]
    window.docks.toggle_points()
    assert own(window) == []
    rest(window)


def test_presentations_and_the_table_of_samples_have_words_of_their_own(folded, rest):
    folded.behaviour.present(True)
    folded.editor.select(range(5))
    assert own(folded) == []
    folded.behaviour.present(False)
    folded.samples.toggle_table()
    folded.editor.select(range(6))
    assert own(folded) == []
    folded.samples.leave()
    rest(folded)
