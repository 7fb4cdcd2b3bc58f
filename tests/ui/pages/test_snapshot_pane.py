"""The snapshots over the window: cards in one list, by mouse and by keys, however many there are."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import pytest
from gestures import KEY, LEFT
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from windows import PATIENCE_MS

from mvexplorer.state.document.snapshots import LARGEST_PICTURE, Snapshots
from mvexplorer.ui.cloud.encoding import png
from mvexplorer.ui.pages.snapshots import snapshot_list
from mvexplorer.ui.pages.snapshots.snapshot_list import snapshot_image
from mvexplorer.ui.window.staging import small_picture

pytestmark = pytest.mark.panels(2)


@pytest.fixture
def pane(window):
    """Three snapshots, “one” to “three”, of the factors 1 to 3 on all ε; the user stands at the last."""
    window.workbench.walk.at = ""
    for factor, name in ((1.0, "one"), (2.0, "two"), (3.0, "three")):
        window.editor.set_scale(factor)
        window.workbench.walk.keep()
        window.editor.rename_snapshot(window.workbench.walk.at, name)
    yield window.bottom.show_page("snapshots")
    window.bottom.status.shut()


def names(window):
    return window.document.state.snapshots.names


def click(pane, row):
    view = pane.list
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.snapshots.index(row)).center())


def drop(pane, row, at):
    """Take the card of a row to a place of the list, and let it go there."""
    view = pane.list
    view.setCurrentIndex(view.snapshots.index(row))

    class Dragged(QDragMoveEvent):
        def source(self):
            return view

    class Dropped(QDropEvent):
        def source(self):
            return view

    mime = view.snapshots.mimeData([view.currentIndex()])
    how = Qt.DropAction.MoveAction, mime, LEFT, Qt.KeyboardModifier.NoModifier
    over = Dragged(at, *how)
    view.dragMoveEvent(over)
    assert over.isAccepted()
    view.dropEvent(Dropped(QPointF(at), *how))


def test_without_snapshots_one_sentence_says_what_they_are_for(window):
    pane = window.bottom.show_page("snapshots")
    assert pane.purpose.isVisible()
    assert pane.purpose.text().count(".") == 1
    assert not pane.list.isVisible()
    assert not pane.note.isVisible()
    assert QApplication.focusWidget() is pane.keep
    assert window.bottom.status.kept.text() == ""
    QTest.keyClick(pane.keep, KEY.Key_Return)
    assert names(window) == ("Snapshot 1",)
    assert window.bottom.status.kept.text() == "1"
    assert pane.list.isVisible()
    window.bottom.status.shut()


def test_a_click_or_return_goes_there_and_the_list_stays(window, pane):
    assert pane.list.at == "three"
    click(pane, 1)
    assert window.document.state.epsilon_scale == 2.0
    assert pane.list.at == "two"
    assert QApplication.focusWidget() is pane.list
    QTest.keyClick(pane.list, KEY.Key_Left)
    assert window.document.state.epsilon_scale == 2.0  # to look is not to go
    QTest.keyClick(pane.list, KEY.Key_Return)
    assert window.document.state.epsilon_scale == 1.0
    assert pane.isVisible()
    assert pane.list.snapshots.index(0).data() == "1  one"


def test_f2_renames_on_the_card_and_del_deletes(window, pane, qtbot):
    click(pane, 1)
    QTest.keyClick(pane.list, KEY.Key_F2)
    field = pane.list.findChild(QLineEdit)
    assert field.text() == "two"
    field.selectAll()
    QTest.keyClicks(field, "2 & 3")  # keys of the window elsewhere
    QTest.keyClick(field, KEY.Key_Return)
    qtbot.waitUntil(lambda: names(window) == ("one", "2 & 3", "three"), timeout=PATIENCE_MS)
    assert window.workbench.walk.at == "2 & 3"
    panels = len(window.document.state.panels)
    QTest.keyClick(pane.list, KEY.Key_Delete)
    assert names(window) == ("one", "three")
    assert len(window.document.state.panels) == panels
    window.document.undo()
    assert names(window) == ("one", "2 & 3", "three")


def test_a_note_is_written_by_return_or_by_leaving_its_field(window, pane):
    click(pane, 0)
    pane.note.setFocus()
    QTest.keyClicks(pane.note, "Look 1st")
    QTest.keyClick(pane.note, KEY.Key_Return)
    QTest.keyClicks(pane.note, " left.")
    click(pane, 2)  # without Return
    assert [each.note for each in window.document.state.snapshots.kept] == ["Look 1st left.", "", ""]
    assert pane.note.text() == ""
    click(pane, 0)
    assert pane.note.text() == "Look 1st left."
    model = pane.list.snapshots
    words = model.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert words.splitlines()[:2] == ["one", "Look 1st left."]
    assert "Single · plain: NMI" in words
    assert "k-NN" in words
    assert "1 of 3: one. Look 1st left." in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_drag_reorders_and_so_does_the_menu(window, pane):
    view = pane.list
    first, last = (view.visualRect(view.snapshots.index(row)) for row in (0, 2))
    drop(pane, 0, last.center() + QPoint(9, 0))
    assert names(window) == ("two", "three", "one")
    drop(pane, 1, first.center() - QPoint(9, 0))
    assert names(window) == ("three", "two", "one")
    drop(pane, 0, view.visualRect(view.snapshots.index(1)).center() + QPoint(9, 0))
    assert names(window) == ("two", "three", "one")
    window.document.undo()
    drop(pane, 0, view.viewport().rect().bottomRight() - QPoint(4, 4))
    assert names(window) == ("two", "one", "three")
    view.setCurrentIndex(view.snapshots.index(0))
    actions = {action.text(): action for action in view.menu().actions()}
    assert not actions["Move back"].isEnabled()
    actions["Move on"].trigger()
    assert names(window) == ("one", "two", "three")
    window.document.undo()
    window.document.undo()
    assert names(window) == ("three", "two", "one")


def test_the_menu_puts_the_present_state_in_the_place_of_one(window, pane):
    window.editor.set_scale(7.0)
    click_menu = {action.text(): action for action in pane.list.menu().actions()}
    click_menu["Replace by the present state"].trigger()
    window.editor.set_scale(1.0)
    click(pane, 2)
    assert window.document.state.epsilon_scale == 7.0


def test_a_snapshot_that_cannot_be_shown_says_so_where_one_points(window, pane):
    first, *others = window.document.state.snapshots.kept
    strange = first.model_copy(update={"state": {**first.state, "later": 1}})
    broken = Snapshots(kept=(strange, *others))
    window.document.apply("as opened", lambda state: state.model_copy(update={"snapshots": broken}))
    assert "“one” cannot be shown" in pane.list.snapshots.index(0).data(Qt.ItemDataRole.ToolTipRole)


# Many -------------------------------------------------------------------------------------------------------------


def test_widgets_and_the_cards_painted_do_not_grow_with_the_number(window, pane, monkeypatch, qtbot):
    painted = []

    def counted(text, dark):
        painted.append(text)
        return snapshot_image(text, dark)

    monkeypatch.setattr(snapshot_list, "snapshot_image", counted)  # once for a card that is painted
    before = len(pane.findChildren(QWidget))
    kept = window.document.state.snapshots.kept
    many = [kept[i % 3].model_copy(update={"name": f"snapshot {i}"}) for i in range(200)]
    window.document.apply("many", lambda state: state.model_copy(update={"snapshots": Snapshots(kept=tuple(many))}))
    pane.list.grab()
    assert len(pane.list.snapshots.kept) == 200
    assert len(pane.findChildren(QWidget)) == before
    assert 3 <= len(painted) <= 12
    assert window.bottom.status.kept.text() == "200"
    painted.clear()
    QTest.keyClick(pane.list, KEY.Key_End)
    pane.list.grab()
    assert pane.list.chosen.name == "snapshot 199"
    assert 3 <= len(painted) <= 24


# Pictures ---------------------------------------------------------------------------------------------------------


def test_the_picture_is_small_and_has_the_colours_of_each_theme(window, pane):
    text = window.document.state.snapshots.kept[0].staging.picture
    assert 1000 < len(text) <= LARGEST_PICTURE
    light, dark = snapshot_image(text, False), snapshot_image(text, True)
    for picture in (light, dark):
        assert picture.width() <= 240
        assert picture.height() <= 150
        assert picture.hasAlphaChannel()  # the card is its ground
        assert len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) > 20
    assert light != dark


def test_a_panel_that_still_computes_lends_no_earlier_picture(window, pane):
    window.editor.set_scale(1.2345)
    waits = {id for id in window.grid.panels if window.controller.result(id).status != "ready"}
    assert waits
    window.workbench.walk.keep()
    staging = window.document.state.snapshots.kept[-1].staging
    assert staging.picture == small_picture(window.grid, waits) != small_picture(window.grid)
    assert not waits & set(staging.scores)


def test_a_picture_that_is_too_large_for_its_text_is_made_smaller(window, pane, monkeypatch, rest):
    whole = small_picture(window.grid)
    monkeypatch.setattr("mvexplorer.ui.window.staging.LARGEST_PICTURE", len(whole) - 1)
    smaller = small_picture(window.grid)
    assert 0 < len(smaller) < len(whole)
    assert snapshot_image(smaller, False).size() == snapshot_image(whole, False).size() / 2
    monkeypatch.setattr("mvexplorer.ui.window.staging.LARGEST_PICTURE", 10)
    assert small_picture(window.grid) == ""


def huge():
    """A PNG of few bytes that would take a gigabyte."""
    image = QImage(20000, 2, QImage.Format.Format_Mono)
    image.fill(0)
    return b64encode(png(image)).decode()


@pytest.mark.parametrize("text", ["", "no base64!", b64encode(b"no picture").decode(), huge()])
def test_what_is_no_small_picture_leaves_a_card_without_one(window, pane, text):
    assert snapshot_image(text, False).isNull()
    first, *others = window.document.state.snapshots.kept
    spoilt = first.model_copy(update={"staging": first.staging.model_copy(update={"picture": text})})
    kept = Snapshots(kept=(spoilt, *others))
    window.document.apply("spoilt", lambda state: state.model_copy(update={"snapshots": kept}))
    assert not pane.list.grab().isNull()


def test_the_card_of_the_snapshot_one_stands_at_is_marked(window, pane):
    click(pane, 0)
    view = pane.list
    pictures = []
    for row in (0, 1):
        pictures.append(view.grab(view.visualRect(view.snapshots.index(row))).toImage())
    accent = QImage(QSize(1, 1), QImage.Format.Format_RGB32)
    accent.fill(window.palette().highlight().color())
    counts = [
        int(np.sum([image.pixel(x, y) == accent.pixel(0, 0) for x in range(image.width()) for y in range(40)]))
        for image in pictures
    ]
    assert counts[0] > 100 > counts[1]


@pytest.mark.nightly
def test_the_type_and_the_theme_reach_the_cards(window, pane, qtbot):
    small = pane.list.visualRect(pane.list.snapshots.index(0)).width()
    before = pane.list.grab().toImage()
    window.workbench.change_settings(zoom=1.4)
    window.behaviour.fit_type()
    qtbot.waitUntil(
        lambda: pane.list.visualRect(pane.list.snapshots.index(0)).width() > 1.3 * small, timeout=PATIENCE_MS
    )
    window.workbench.change_settings(zoom=1.0)
    window.behaviour.fit_type()
    window.workbench.change_settings(theme="dark")
    assert pane.list.grab().toImage() != before
