"""The named selections on the right side: clicks, drops and menus do what they say, and names stay plain text."""

from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from windows import PATIENCE_MS, submenus

from mvexplorer.state.document.selections import NamedSelection
from mvexplorer.ui.appearance.selection_list import SelectionList
from mvexplorer.ui.window import selections
from mvexplorer.ui.window.contents import ContentsDialog

LEFT, NONE, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def kept(window):
    """The list of the window, with three selections."""
    for name, rows in (("left", range(8)), ("right", range(5, 12)), ("<b>both</b> & more", range(20, 30))):
        window.editor.select(rows, "replace", "lasso in Multi-view 2-D")
        window.editor.keep_selection(name)
    return window.points.selections.list


def click(kept, row: int, modifier=NONE, column: int = 0) -> None:
    at = kept.visualRect(kept.model().index(row, column)).center()
    QTest.mouseClick(kept.viewport(), LEFT, modifier, at)


def drop(kept, dragged: int, row: int, height: float) -> None:
    """Drop a row at a height (0 to 1) of another."""
    kept.mark((kept.texts.named[dragged].name,))
    box = kept.visualRect(kept.model().index(row, 0))
    at = QPointF(box.center().x(), box.top() + height * box.height())
    event = QDropEvent(at, Qt.DropAction.MoveAction, QMimeData(), LEFT, NONE)
    event.source = lambda: kept
    kept.dropEvent(event)


def names(window) -> tuple[str, ...]:
    return window.document.state.selections.names


def test_a_click_selects_it_again_and_marking_two_does_not(window, kept):
    click(kept, 0)
    assert window.document.state.selection == tuple(range(8))
    assert window.points.selections.origin.accessibleName() == "left"
    click(kept, 1, CONTROL)
    assert window.document.state.selection == tuple(range(8))
    assert kept.chosen() == ("left", "right")
    actions = {action.text(): action for action in kept.menu().actions()}
    assert {"left ∪ right", "left ∩ right", "left − right", "right − left", "left △ right"} <= set(actions)
    actions["right − left"].trigger()
    assert names(window)[-1] == "right − left"
    assert kept.chosen() == ("right − left",), "what is marked is what is selected"
    assert window.document.state.selection == tuple(range(8, 12))
    window.document.undo()
    assert len(names(window)) == 3


def test_one_dropped_onto_another_combines_and_between_two_moves(window, kept):
    drop(kept, 0, 1, 0.5)
    assert kept.offered.isVisible()
    next(a for a in kept.offered.actions() if "∩" in a.text()).trigger()
    kept.offered.close()
    assert window.document.state.selections.named[-1].samples == (5, 6, 7)
    window.document.undo()
    drop(kept, 0, 1, 0.95)
    assert names(window)[:2] == ("right", "left")
    drop(kept, 2, 0, 0.05)
    assert names(window) == ("<b>both</b> & more", "right", "left")
    drop(kept, 1, 1, 0.5)
    assert names(window) == ("<b>both</b> & more", "right", "left")


def test_a_drag_that_begins_in_the_list_may_enter_it(window, kept):
    """Qt asks the list before any drop; one that it refuses here never arrives."""
    model = kept.model()
    actions, data = model.supportedDragActions(), model.mimeData([model.index(0, 0)])
    entering = QDragEnterEvent(QPoint(20, 30), actions, data, LEFT, NONE)
    kept.dragEnterEvent(entering)
    assert entering.isAccepted()


def test_names_are_typed_where_they_stand(window, kept, qtbot):
    window.editor.select((1, 2), "replace", "sample s01")
    QTest.mouseClick(window.points.selections.keep, LEFT)
    field = kept.findChild(QLineEdit)
    assert field.text() == "Selection"
    field.setText("left")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)
    assert "already a selection called “left”" in window.banners.texts()[0]
    assert names(window)[-1] == "Selection"
    kept.begin_rename(3)
    field = [found for found in kept.findChildren(QLineEdit) if found.isVisible()][-1]
    field.setText("n" * 300)
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(window)[-1] == "n" * 300, timeout=PATIENCE_MS)
    assert len(kept.model().index(3, 0).data()) < 300
    assert kept.model().index(2, 0).data() == "<b>both</b> & more"
    assert "&lt;b&gt;" in kept.model().index(2, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_the_key_that_ends_a_name_picks_no_selection(window, kept, qtbot):
    kept.setCurrentIndex(kept.model().index(0, 0))
    window.editor.select((1, 2), "replace", "lasso in Multi-view 2-D")
    QTest.mouseClick(window.points.selections.keep, LEFT)
    field = kept.findChild(QLineEdit)
    field.setText("two")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(window)[-1] == "two", timeout=PATIENCE_MS)
    assert window.document.state.selection == (1, 2)
    assert kept.currentIndex().row() == 3


def test_a_press_picks_nothing_until_the_mouse_is_let_go(app, qtbot):
    editor = Mock()
    made = SelectionList(editor)
    qtbot.addWidget(made)
    made.show_named((NamedSelection(name="left", samples=(1,)), NamedSelection(name="right", samples=(2,))))
    made.show()
    at = made.visualRect(made.model().index(1, 0)).center()
    QTest.mousePress(made.viewport(), LEFT, NONE, at)
    assert editor.pick_selection.mock_calls == []  # it may be the beginning of a drag
    QTest.mouseRelease(made.viewport(), LEFT, NONE, at)
    editor.pick_selection.assert_called_once_with("right")


def test_large_counts_are_whole(app, qtbot, editor):
    made = SelectionList(editor)
    qtbot.addWidget(made)
    made.resize(200, 60)
    made.show_named((NamedSelection(name="many", samples=tuple(range(123_456))),))
    made.show()
    cell = made.model().index(0, 1)
    assert cell.data() == "123,456"
    assert made.visualRect(cell).width() >= made.sizeHintForIndex(cell).width()


def test_the_menu_of_one_recolours_moves_and_deletes(window, kept):
    click(kept, 1)
    menu = kept.menu()
    actions = {action.text(): action for action in menu.actions()}
    submenus(menu)["Colour"].actions()[7].trigger()
    assert window.document.state.selections.named[1].colour == 7
    actions["Move up"].trigger()
    assert names(window)[0] == "right"
    actions["Add to selection"].trigger()
    assert window.document.state.selection == tuple(range(5, 12))
    kept.mark(("right",))
    kept.setFocus()
    panels = len(window.document.state.panels)
    QTest.keyClick(kept, Qt.Key.Key_Delete)
    assert names(window) == ("left", "<b>both</b> & more")
    assert len(window.document.state.panels) == panels


def test_the_legend_selects_a_class(window):
    legend = window.points.legend.classes
    QTest.mouseClick(legend.viewport(), LEFT, Qt.KeyboardModifier.AltModifier, legend.spot(1))
    assert window.document.state.selection == tuple(range(16, 32))
    assert window.document.state.selections.origin == "label b"
    assert window.document.state.visible_classes == ()
    actions = {a.text().split("\t")[0]: a for a in legend.menu(2).actions()}
    actions["Add to selection"].trigger()
    assert window.document.state.selections.origin == "label b, plus label c"
    assert len(window.document.state.selection) == 32


def test_the_row_that_is_lit_is_what_is_selected(window, kept):
    click(kept, 0)
    assert kept.chosen() == ("left",)
    window.editor.select(range(30, 40))
    assert kept.chosen() == (), "its samples are no longer those selected"
    window.editor.select(range(5, 12))
    assert kept.chosen() == ("right",)
    window.document.undo()
    assert kept.chosen() == ()
    window.editor.keep_groups("2 clusters", {"cluster 1": tuple(range(30, 40)), "cluster 2": (40, 41)})
    assert kept.chosen() == ("cluster 1",)


def test_a_saved_selection_is_compared_with_another_from_its_menu(window, kept, rest):
    click(kept, 0)
    menu = kept.menu()
    others = submenus(menu)["Compare with"]
    assert [action.text() for action in others.actions()] == ["right", "<b>both</b> && more"]
    window.editor.select(range(30, 40))  # the row is the selection's own, whatever is selected now
    kept.mark(("left",))
    others.actions()[1].trigger()
    rest(window)
    (dialog,) = (each for each in window.findChildren(ContentsDialog) if each.isVisible())
    assert window.document.state.selection == tuple(range(8))
    assert dialog.against.name == "<b>both</b> & more"
    assert "<b>both</b> & more" in dialog.separation.words.text()
    again = submenus(kept.menu())["Compare with"]
    again.actions()[0].trigger()
    rest(window)
    assert [each for each in window.findChildren(ContentsDialog) if each.isVisible()] == [dialog]
    assert dialog.against.name == "right"
    dialog.close()


def test_two_that_are_marked_are_compared_and_so_is_what_is_selected(window, kept, rest):
    kept.mark(("left", "right"))
    next(action for action in kept.menu().actions() if action.text() == "Compare the two …").trigger()
    rest(window)
    (dialog,) = (each for each in window.findChildren(ContentsDialog) if each.isVisible())
    assert (window.document.state.selection, dialog.against.name) == (tuple(range(8)), "right")
    dialog.close()
    box = window.points.selections
    window.editor.select(range(3))
    others = submenus(box.menu())["Compare with"]
    assert len(others.actions()) == 3
    others.actions()[0].trigger()
    rest(window)
    (again,) = (each for each in window.findChildren(ContentsDialog) if each.isVisible())
    assert (window.document.state.selection, again.against.name) == ((0, 1, 2), "left")
    again.close()
    window.editor.select(())
    assert not submenus(box.menu())["Compare with"].isEnabled()


def test_a_lasso_tells_its_panel(window):
    window.grid.panels["p6"].canvas.selected.emit(np.arange(4), "replace")
    assert window.document.state.selections.origin == "lasso in Multi-view 2-D"


def test_only_these_open_in_a_window_of_their_own(window, kept, rest, qtbot, monkeypatch):
    shown = []
    monkeypatch.setattr(selections, "show", lambda part, session: shown.append((part, session)))
    kept.mark(("left",))
    next(a for a in kept.menu().actions() if a.text().startswith("Re-embed")).trigger()
    assert "8 samples are too few" in window.banners.texts()[0]
    click(kept, 2)
    window.actions_table.actions["Re-embed selection …"].trigger()
    qtbot.waitUntil(lambda: bool(shown), timeout=PATIENCE_MS)
    part, session = shown[0]
    assert part.sample_ids == tuple(f"s{i}" for i in range(20, 30))
    assert part.images.shape[0] == 10
    assert session["state"]["part_of"] == "10 of 48 samples of memory: <b>both</b> & more"
    assert [p["method"] for p in session["state"]["panels"]] == [p.method for p in window.document.state.panels]
    rest(window)
