"""The pointer over the points: hovering, selecting, turning."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT, NONE, RIGHT, SHIFT, canvas, circle, clear_of_points, drag, inside_circle, texts
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.state.document import commands

# Hovering ------------------------------------------------------------------------------------------------------


def test_hovering_rings_the_sample_in_every_panel_and_shows_its_card(window, qtbot):
    target = canvas(window)
    spot = target.position_of(20)
    QTest.mouseMove(target.viewport(), spot.toPoint())
    assert {p.canvas.marked for p in window.grid.panels.values()} == {20}
    qtbot.waitUntil(window.hover.card.isVisible, timeout=PATIENCE_MS)
    words = window.hover.card._words.text()
    assert "s20" in words
    assert "label" in words
    assert "even" in words
    assert not window.hover.card._image.pixmap().isNull()
    place = window.hover.card.geometry()
    assert window.centralWidget().rect().contains(place)
    assert not place.contains(target.mapTo(window.centralWidget(), spot.toPoint()))
    QTest.mouseMove(target.viewport(), QPoint(2, 2))
    assert {p.canvas.marked for p in window.grid.panels.values()} == {-1}
    assert not window.hover.card.isVisible()


def test_hovering_in_three_dimensions(window, rest):
    window.editor.set_all_dims(3)
    rest(window)
    target = canvas(window)
    seen = [i for i in range(48) if target.point_at(target.position_of(i)) == i]
    assert len(seen) > 20
    QTest.mouseMove(target.viewport(), target.position_of(seen[5]).toPoint())
    assert window.grid.panels["p6"].canvas.marked == target.marked >= 0


def test_a_click_keeps_the_card_at_the_side(window):
    target = canvas(window)
    QTest.mouseClick(target.viewport(), LEFT, NONE, target.position_of(7).toPoint())
    assert window.points.card.isVisible()
    assert "s07" in window.points.card._words.text()
    assert window.editor.focused == "p1"


@pytest.mark.nightly
def test_a_click_where_the_right_side_is_folded_unfolds_it(make_window, rest):
    window = make_window((1280, 720))
    show_data(window, small_data())
    rest(window)
    assert not window.points.isVisible()
    target = canvas(window)
    QTest.mouseClick(target.viewport(), LEFT, NONE, QPoint(1, 1))  # no sample lies there
    assert not window.points.isVisible()
    QTest.mouseClick(target.viewport(), LEFT, NONE, target.position_of(7).toPoint())
    assert window.points.card.isVisible()
    assert "s07" in window.points.card._words.text()


# Selecting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dims", [2, 3])
def test_lasso_adds_subtracts_and_intersects(window, rest, dims):
    window.editor.set_all_dims(dims)
    rest(window)
    target = canvas(window)
    n = window.document.data.n_samples
    a, b = target.position_of(5), target.position_of(12)
    radius = next(r for r in np.arange(45.0, 75.0, 0.5) if clear_of_points(target, (a, b), r, n))
    in_a, in_b = inside_circle(target, a, radius, n), inside_circle(target, b, radius, n)
    assert in_a != in_b

    def lasso(centre, modifiers):
        drag(target.viewport(), circle(centre, radius, 60), modifiers)
        return set(window.document.state.selection)

    assert lasso(a, NONE) == in_a
    assert lasso(b, SHIFT) == in_a | in_b
    assert lasso(a, CONTROL) == in_b - in_a
    assert lasso(b, NONE) == in_b
    assert lasso(a, SHIFT | CONTROL) == in_a & in_b
    assert window.points.count.text().endswith(f"of {n} selected") or not in_a & in_b
    QTest.keyClick(window, KEY.Key_I, CONTROL)
    assert set(window.document.state.selection) == set(range(n)) - (in_a & in_b)
    look = canvas(window, "p4").cloud.look
    assert np.array_equal(np.flatnonzero(look.selected), window.document.state.selection)


def test_the_outline_is_drawn_while_dragging_and_esc_drops_it(window):
    target = canvas(window)
    before = target.grab().toImage()
    drag(target.viewport(), circle(target.position_of(5), 50), release=False)
    assert target.grab().toImage() != before
    QTest.keyClick(window, KEY.Key_Escape)
    QTest.mouseRelease(target.viewport(), LEFT, NONE, QPoint(100, 100))
    assert window.document.state.selection == ()


def test_rectangle(window, rest):
    QTest.keyClick(window, KEY.Key_R)
    target = canvas(window)
    centre = target.position_of(9)
    places = [target.position_of(i) for i in range(48)]
    drag(target.viewport(), [(centre.x() - 40, centre.y() - 30), (centre.x() + 40, centre.y() + 30)])
    away = [max(abs(p.x() - centre.x()) / 40, abs(p.y() - centre.y()) / 30) for p in places]
    picked = set(window.document.state.selection)
    assert {i for i, d in enumerate(away) if d < 0.97} <= picked <= {i for i, d in enumerate(away) if d < 1.03}
    window.behaviour.add_panel("concatenation")
    assert all(p.canvas.rectangular for p in window.grid.panels.values())
    QTest.keyClick(window, KEY.Key_R)
    assert not any(p.canvas.rectangular for p in window.grid.panels.values())


def test_all_are_selected_inverted_and_cleared(window):
    QTest.keyClick(window, KEY.Key_A, CONTROL)
    assert len(window.document.state.selection) == 48
    texts(window.points.selections.menu())["Invert selection"].trigger()
    assert window.document.state.selection == ()
    assert not window.points.clear.isVisible()
    window.editor.select_all()
    QTest.mouseClick(window.points.clear, LEFT)
    assert window.document.state.selection == ()


def test_a_hidden_class_is_not_selected(window):
    commands.isolate(window.document, ("b",))
    target = canvas(window)
    drag(target.viewport(), [(1, 1), (target.width() - 1, 1), (target.width() - 1, target.height() - 1),
                             (1, target.height() - 1)])  # fmt: skip
    codes = window.styling.colouring.values[list(window.document.state.selection)]
    assert set(codes) == {1}


# Cameras and zoom ----------------------------------------------------------------------------------------------


def test_right_drag_orbits_all_panels_together_unless_unlinked(window, rest):
    window.editor.set_all_dims(3)
    rest(window)
    before = canvas(window).camera
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    after = canvas(window).camera
    assert not np.allclose(before.rotation, after.rotation)
    assert all(np.allclose(c.rotation, after.rotation) for c in window.grid.cameras().values())
    assert window.document.undo_label != "Turn"
    window.workbench.change_settings(link_cameras=False)
    drag(canvas(window, "p2").viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    assert np.allclose(canvas(window).camera.rotation, after.rotation)
    assert not np.allclose(canvas(window, "p2").camera.rotation, after.rotation)


def test_navigating_by_the_left_button(window):
    QTest.keyClick(window, KEY.Key_L)
    before = canvas(window).box.viewRect()
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)])
    assert canvas(window).box.viewRect() != before
    assert window.document.state.selection == ()
    QTest.mouseDClick(canvas(window).viewport(), LEFT, NONE, QPoint(40, 40))
    frame = canvas(window).frame
    assert max(abs(frame.across), abs(frame.up), abs(frame.size - 1.0)) < 1e-6
    QTest.keyClick(window, KEY.Key_L)
    assert not window.grid.navigating


def test_a_right_click_without_a_drag_opens_the_menu(window):
    opened: list[list[str]] = []

    def close_menu() -> None:
        menu = QApplication.activePopupWidget()
        if menu is not None:
            opened.append([a.text() for a in menu.actions()])
            menu.close()

    timer = QTimer(window, interval=20)
    timer.timeout.connect(close_menu)
    timer.start()
    QTest.mouseClick(canvas(window).viewport(), RIGHT, NONE, QPoint(30, 30))
    assert len(opened) == 1
    assert any(text.startswith("Duplicate") for text in opened[0])
    drag(canvas(window).viewport(), [(30, 30), (60, 60), (70, 70)], button=RIGHT)
    assert len(opened) == 1
    timer.stop()
