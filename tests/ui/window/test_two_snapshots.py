"""Two snapshots compared over the panels: a wipe and a morph, by mouse and by keys; no panel moves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT
from monkey_files import HOSTILE
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from windows import PATIENCE_MS

from mvexplorer.engine.spectral.alignment import align
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.state.pictures.drawing import turned
from mvexplorer.ui.window.two.overlay import STEP
from mvexplorer.ui.window.two.pairs import Pair

pytestmark = pytest.mark.panels(2)


@pytest.fixture
def pair(window, rest):
    """Snapshots “narrow”, of three panels, and “wide”, whose second one is in 3-D; the user is at the latter."""
    window.workbench.walk.at = window.workbench.walk.before = ""
    window.workbench.walk.marks = {}
    extra = window.editor.add_panel("kernel-sum")
    window.editor.set_scale(0.2)
    window.editor.draw_axes("p1", (0, 2, 3))  # a circle is one at any ε
    rest(window)
    keep(window, "narrow")
    window.editor.draw_axes("p1", (0, 1, 2))
    window.editor.close_panel(extra)
    window.editor.set_dims("p2", 3)
    window.editor.set_scale(5.0)
    rest(window)
    keep(window, "wide")
    window.two = window.behaviour.two
    yield window
    window.two.leave()


def keep(window, name):
    window.workbench.walk.keep()
    window.editor.rename_snapshot(window.workbench.walk.at, name)


def compare(window, qtbot, how="wipe", **more):
    window.workbench.walk.compare(how, **more)
    overlay = window.behaviour.two.overlay
    qtbot.waitUntil(lambda: bool(overlay.pairs), timeout=PATIENCE_MS)
    return overlay


def picture(window, overlay, id, side):
    """The left or right half of a panel's picture, as it is on screen."""
    canvas = window.grid.panels[id].canvas
    corner, size = canvas.mapTo(window, QPoint(0, 0)), canvas.size()
    half = size.width() // 2
    return window.grab(QRect(corner + QPoint(0 if side == "left" else half, 0), size / 1)).toImage().copy(
        0, 0, int(half * window.devicePixelRatioF()), int(size.height() * window.devicePixelRatioF() * 0.6)
    )  # fmt: skip


def look(window, id, side="left"):
    QApplication.processEvents()
    return picture(window, window.behaviour.two.overlay, id, side)


@pytest.mark.nightly
def test_no_panel_moves_and_right_of_the_line_is_the_panel_itself(pair, qtbot):
    places = {id: (panel.geometry(), panel.canvas.geometry()) for id, panel in pair.grid.panels.items()}
    before = {side: look(pair, "p1", side) for side in ("left", "right")}
    overlay = compare(pair, qtbot)
    overlay.move_to(0.0)
    assert look(pair, "p1", "right") == before["right"]
    overlay.move_to(1.0)
    assert look(pair, "p1", "left") != before["left"]
    assert {id: (panel.geometry(), panel.canvas.geometry()) for id, panel in pair.grid.panels.items()} == places
    overlay.left.emit()
    assert not overlay.isVisible()
    assert {side: look(pair, "p1", side) for side in ("left", "right")} == before


@pytest.mark.nightly
def test_the_left_side_is_what_the_former_snapshot_shows(pair, qtbot, rest):
    overlay = compare(pair, qtbot)
    overlay.move_to(1.0)
    wiped = look(pair, "p1")
    pair.two.leave()
    pair.workbench.walk.go("narrow")
    rest(pair)
    # As that has three panels, in other places, the drawing is compared and not the pixels.
    drawn = pair.controller.result("p1").drawing
    pair.workbench.walk.go("wide")
    rest(pair)
    overlay = compare(pair, qtbot)
    former, present = overlay.pairs["p1"]._former, pair.controller.result("p1").drawing.points
    assert np.allclose(former, turned(drawn, align(drawn.points, present)).points, atol=1e-4)
    assert np.abs(former).max() == pytest.approx(1.0)
    overlay.move_to(1.0)
    assert look(pair, "p1") == wiped


def test_the_mouse_and_the_arrow_keys_move_the_line(pair, qtbot):
    overlay = compare(pair, qtbot)
    assert QApplication.focusWidget() is overlay
    assert overlay.share == 0.5
    for key, wanted in ((KEY.Key_Right, 0.55), (KEY.Key_Left, 0.5), (KEY.Key_Home, 0.0), (KEY.Key_Left, 0.0)):
        QTest.keyClick(overlay, key)
        assert overlay.share == pytest.approx(wanted)
    QTest.keyClick(overlay, KEY.Key_End)
    assert overlay.share == 1.0
    assert overlay.accessibleName() == "Wipe between narrow and wide: 100 %"
    QTest.mousePress(overlay, LEFT, pos=QPoint(overlay.width() // 4, 40))
    assert overlay.share == pytest.approx(0.25, abs=0.01)
    QTest.mouseRelease(overlay, LEFT)
    overlay.bar.slider.moved.emit(0.75)
    assert overlay.share == 0.75
    before = pair.document.state
    QTest.keyClick(overlay, KEY.Key_Escape)
    assert not overlay.isVisible()
    assert pair.document.state is before


@pytest.mark.nightly
def test_a_morph_takes_the_points_from_a_to_b_in_the_colours_of_b(pair, qtbot, monkeypatch):
    overlay = compare(pair, qtbot, "morph")
    one = overlay.pairs["p1"]
    present = pair.controller.result("p1").drawing.points
    assert overlay.share == 0.0
    QApplication.processEvents()
    shown = []
    for share in (0.0, 0.5, 1.0):
        overlay.move_to(share)
        shown.append(look(pair, "p1"))
    assert one.word == ""
    assert shown[0] != shown[1] != shown[2]
    below, paint = [], Pair.paint_footer
    monkeypatch.setattr(Pair, "paint_footer", lambda each, *about: below.append(each) or paint(each, *about))
    for share, of_a in ((0.0, True), (0.49, True), (0.5, False), (1.0, False)):  # the scores of the nearer end
        below.clear()
        overlay.move_to(share)
        pair.grab()
        assert (one in below) == of_a
    overlay.move_to(0.5)
    pair.grab()
    middle = 0.5 * one._former + 0.5 * present
    assert np.allclose(one._cloud._now(None).T, middle, atol=1e-5)
    assert one._cloud.look is pair.grid.look
    pair.two.leave()
    assert look(pair, "p1") == shown[2]  # at its end it is the panel itself


@pytest.mark.nightly
def test_what_does_not_pair_says_so_in_a_word(pair, qtbot):
    overlay = compare(pair, qtbot)
    assert overlay.pairs["p2"].word == "2-D in A"
    assert overlay.bar.first.accessibleName() == "narrow, with 1 more"
    assert "Kernel sum" in overlay.bar.first.toolTip()
    pair.two.leave()
    pair.workbench.walk.mark("A", "wide")
    pair.workbench.walk.mark("B", "narrow")
    overlay = compare(pair, qtbot)
    assert pair.workbench.walk.at == "narrow"
    assert [each.word for each in overlay.pairs.values()] == ["", "3-D in A", "not in A"]
    overlay.compare_by("morph")
    overlay.move_to(0.5)
    assert not pair.grab().isNull()


@pytest.mark.nightly
def test_panels_with_other_ids_pair_by_method_and_view(pair, qtbot, rest):
    panel = pair.document.state.find_panel("p1")
    renamed = updated(panel, {"id": "p77"})
    others = tuple(each for each in pair.document.state.panels if each.id != "p1")
    pair.document.apply("Another id", lambda state: state.model_copy(update={"panels": (renamed, *others)}))
    rest(pair)
    keep(pair, "renamed")
    overlay = compare(pair, qtbot)
    assert pair.workbench.walk.pair == ("wide", "renamed")
    assert overlay.pairs["p77"].word == ""


@pytest.mark.nightly
def test_the_points_glide_by_the_space_bar_where_pictures_are_animated(pair, qtbot):
    pair.workbench.change_settings(animate=True)
    overlay = compare(pair, qtbot, "morph")
    overlay.move_to(0.9)
    QTest.keyClick(overlay, KEY.Key_Space)
    assert overlay.playing
    qtbot.waitUntil(lambda: overlay.share == 1.0, timeout=PATIENCE_MS)
    assert not overlay.playing
    QTest.keyClick(overlay, KEY.Key_Space)
    assert overlay.share < 0.5
    QTest.keyClick(overlay, KEY.Key_Space)
    assert not overlay.playing
    pair.workbench.change_settings(animate=False)
    pair.two.leave()
    overlay = compare(pair, qtbot, "morph")
    QTest.keyClick(overlay, KEY.Key_Space)
    assert (overlay.share, overlay.playing) == (1.0, False)
    pair.workbench.change_settings(animate=True)


@pytest.mark.nightly
def test_the_panels_below_may_change_meanwhile_and_another_snapshot_ends_it(pair, qtbot, rest):
    overlay = compare(pair, qtbot)
    former = overlay.pairs["p1"]._present
    pair.editor.set_scale(2.0)
    rest(pair)
    assert overlay.isVisible()
    assert overlay.pairs["p1"]._present is not former
    pair.workbench.walk.go("narrow")
    assert not overlay.isVisible()
    assert overlay.pairs == {}


def test_a_snapshot_that_cannot_be_shown_says_so_and_leaves_the_panels(pair, qtbot):
    kept = pair.document.state.snapshots.kept
    panels = [{**panel, "method": "umap"} for panel in kept[0].state["panels"]]
    broken = Snapshots(kept=(updated(kept[0], {"state": {**kept[0].state, "panels": panels}}), *kept[1:]))
    pair.document.apply("Break it", lambda state: state.model_copy(update={"snapshots": broken}))
    failed = []
    pair.editor.failed.connect(failed.append)
    pair.workbench.walk.compare("wipe")
    qtbot.waitUntil(lambda: bool(failed), timeout=PATIENCE_MS)
    pair.editor.failed.disconnect(failed.append)
    assert "“narrow” cannot be shown" in failed[0].message
    assert not pair.two.active
    assert pair.document.state.snapshots.names == ("narrow", "wide")


def test_it_is_found_by_its_name_and_in_the_pane(pair, qtbot):
    QTest.keyClick(pair, KEY.Key_K, CONTROL)
    palette = QApplication.activePopupWidget()
    palette.search.setText("wipe between snapshots")
    palette._run()
    assert pair.two.active
    pair.two.leave()
    pane = pair.bottom.show_page("snapshots")
    action = next(each for each in pane.menu().actions() if each.text() == "Morph between narrow and wide")
    action.trigger()
    assert (pair.two.active, pair.two.overlay.how) == (True, "morph")
    assert not pane.isVisible()


def test_cards_are_marked_by_keys_and_by_their_menu(pair):
    pane, walk = pair.bottom.show_page("snapshots"), pair.workbench.walk
    view = pane.list
    QTest.keyClick(view, KEY.Key_A)
    QTest.keyClick(view, KEY.Key_Left)
    plain = view.grab().toImage()
    QTest.keyClick(view, KEY.Key_B)
    assert walk.marks == {"A": "wide", "B": "narrow"}
    assert view.grab().toImage() != plain
    actions = {action.text().partition("\t")[0]: action for action in view.menu().actions()}
    assert actions["Mark B"].isChecked()
    actions["Mark B"].trigger()
    assert walk.marks == {"A": "wide"}
    QTest.keyClick(view, KEY.Key_Space)
    assert walk.marks == {"A": "wide", "B": "narrow"}
    assert pair.document.state.selection == ()
    words = view.snapshots.index(0).data(0x0B)  # as a screen reader has it
    assert "marked B" in words
    pair.bottom.status.shut()


@pytest.mark.nightly
def test_names_that_mean_harm_are_words_in_the_bar_and_the_menu(pair, qtbot):
    kept, names = pair.document.state.snapshots.kept, (f"{HOSTILE[0][:80]}&", f"{HOSTILE[1][:80]}<b>x</b>")
    named = tuple(updated(each, {"name": name, "note": name}) for each, name in zip(kept, names, strict=True))
    pair.document.apply("Name them", lambda state: state.model_copy(update={"snapshots": Snapshots(kept=named)}))
    width = pair.minimumSizeHint().width()
    overlay = compare(pair, qtbot)
    for label in overlay.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText
        assert not re.search(r"<\s*(img|h1|b|i)\b", label.toolTip(), re.IGNORECASE)
    assert overlay.rect().contains(overlay.bar.geometry())
    assert pair.minimumSizeHint().width() == width
    entries = [each.text() for each in pair.bottom.show_page("snapshots").menu().actions()]
    assert all("&" not in each.replace("&&", "") for each in entries)
    pair.bottom.status.shut()


@pytest.mark.nightly
def test_widgets_do_not_grow_with_snapshots_and_comparisons(pair, qtbot):
    kept = pair.document.state.snapshots.kept
    compare(pair, qtbot)
    pair.two.leave()
    before = len(pair.findChildren(QWidget))
    many = tuple(kept[i % 2].model_copy(update={"name": f"snapshot {i}"}) for i in range(200))
    pair.document.apply("many", lambda state: state.model_copy(update={"snapshots": Snapshots(kept=many)}))
    pair.workbench.walk.at = "snapshot 199"
    compare(pair, qtbot)
    assert len(pair.findChildren(QWidget)) == before
    assert STEP == 0.05
