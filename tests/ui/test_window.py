"""The window in the hand: real mouse and key events, and what the document and the panels make of them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAccessible, QDesktopServices, QDragEnterEvent, QDropEvent, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QTextBrowser,
    QToolButton,
    QWidget,
)
from windows import PATIENCE_MS, show_data, small_data, submenus

from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.state import commands
from mvexplorer.state.settings import Settings, last_session_path, read_settings
from mvexplorer.state.titles import panel_title
from mvexplorer.ui.app import begin
from mvexplorer.ui.widgets.command_palette import KEYS, CommandPalette
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.legend import LegendRow
from mvexplorer.ui.widgets.slider import Slider
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.ui.window.start_page import StartChoice

NONE, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
KEY = Qt.Key


def canvas(window: MainWindow, id: str = "p1"):
    return window.grid.panels[id].canvas


def drag(widget, points, modifiers=NONE, button=LEFT, release: bool = True) -> None:
    """A drag along widget positions, as the window system would report it."""
    points = [QPoint(round(x), round(y)) for x, y in points]
    QTest.mousePress(widget, button, modifiers, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    if release:
        QTest.mouseRelease(widget, button, modifiers, points[-1])


def circle(centre: QPointF, radius: float, n: int = 24):
    angle = np.linspace(0, 2 * np.pi, n)
    return [(centre.x() + radius * np.cos(a), centre.y() + radius * np.sin(a)) for a in angle]


def inside_circle(target, centre: QPointF, radius: float, n: int) -> set[int]:
    places = [target.position_of(i) for i in range(n)]
    return {i for i, p in enumerate(places) if np.hypot(p.x() - centre.x(), p.y() - centre.y()) < radius}


def clear_of_points(target, centres, radius: float, n: int) -> bool:
    """Whether no sample lies so near the circles that rounding decides on which side it is."""
    each = [[inside_circle(target, c, radius + more, n) for more in (-1.2, 1.2)] for c in centres]
    return all(inner == outer for inner, outer in each)


def close_popups() -> None:
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def texts(menu: QMenu) -> dict[str, object]:
    return {a.text().split("\t")[0]: a for a in menu.actions() if a.text()}


# The first start and the later ones ---------------------------------------------------------------------------


def test_the_first_start_shows_six_methods_on_a_helix(make_window, rest):
    window = make_window(started_before=False)
    begin(window, (), None)
    rest(window)
    state = window.document.state
    assert state.source == ("helix-a",)
    assert window.document.data.n_samples == 600
    shown = [(p.method, p.view) for p in state.panels]
    assert shown == [
        ("single", "view1"), ("single", "view2"), ("kernel-sum", None), ("kernel-product", None), ("de-sa", None),
        ("multiview", None),
    ]  # fmt: skip
    assert state.colour.startswith("latent:")
    assert window.styling.colouring.cyclic
    assert window.banners.texts() == [find_sample("helix-a").look]
    assert "helix" in window.windowTitle().lower()
    assert not window.document.dirty
    window.banners._shown()[0].dismiss()
    assert window.banners.texts() == []
    assert not window.banners.isVisible()
    assert window.settings.started_before


def test_later_starts_show_what_one_can_do(make_window, rest):
    window = make_window()
    begin(window, (), None)
    rest(window)
    assert window.start.isVisible()
    titles = [c.accessibleName() for c in window.start.findChildren(StartChoice)]
    assert titles[0].startswith("Open files")
    assert sum("igits" in t for t in titles) >= 1
    assert not window.grid.isVisible()
    assert not window.side.isVisible()


def test_a_sample_is_one_click_from_the_start_page(make_window, rest, qtbot):
    window = make_window()
    choice = next(c for c in window.start.findChildren(StartChoice) if "coupled" in c.accessibleName().lower())
    QTest.mouseClick(choice, LEFT)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    assert window.document.state.source == ("coupled-circles",)
    qtbot.waitUntil(window.grid.isVisible, timeout=PATIENCE_MS)
    assert window.start is None


def test_continue_last_session_comes_first(make_window, rest, qtbot):
    first = make_window(keep=True)
    first.library.open_source(("helix-a",))
    qtbot.waitUntil(lambda: first.document.data is not None, timeout=PATIENCE_MS)
    commands.set_param(first.document, "t", 3)
    first.document.mark_saved()
    first.close()
    assert last_session_path().is_file()
    second = make_window(keep=True)
    choices = second.start.findChildren(StartChoice)
    assert choices[0].accessibleName().startswith("Continue last session: helix-a, 6 panels")
    QTest.mouseClick(choices[0], LEFT)
    qtbot.waitUntil(lambda: second.document.data is not None, timeout=PATIENCE_MS)
    assert second.document.state.params["t"] == 3
    assert second.library.session_path is None
    rest(second)


def test_what_was_opened_is_offered_again(make_window, qtbot, tmp_path):
    path = tmp_path / "mine.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(20, 3)), delimiter=",", header="a,b,c", comments="")
    window = make_window(keep=True)
    window.library.open_source((str(path),))
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    kept, problem = read_settings()
    assert kept.recent[0] == (str(path),)
    assert not problem
    window.actions_table.menus["File"].aboutToShow.emit()
    recent = submenus(window.actions_table.menus["File"])["Open recent"]
    assert [a.text() for a in recent.actions()] == ["mine.csv"]
    other = make_window(recent=kept.recent)
    names = [c.accessibleName() for c in other.start.findChildren(StartChoice)]
    assert "mine.csv: opened before" in names


def test_settings_of_windows_that_leave_no_trace_are_not_kept(make_window, home):
    window = make_window()
    window.workbench.change_settings(theme="dark")
    assert not (home / "settings.json").exists()
    assert read_settings() == (Settings(), "")


# Parameters reach the panels ----------------------------------------------------------------------------------


def requests(window: MainWindow):
    return {id: r.request for id, r in window.controller.results.items()}


def test_a_shared_slider_reaches_every_panel(window, rest):
    before = requests(window)
    slider = window.side.params["t"].slider
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_Right)
    assert window.document.state.params["t"] == 2
    rest(window)
    after = requests(window)
    walking = [id for id, r in before.items() if "t" in dict(r.params)]
    assert len(walking) >= 4
    assert all(dict(after[id].params)["t"] == 2 for id in walking)
    assert all(r.status == "ready" for r in window.controller.results.values())


def test_one_view_slider_leaves_the_other_view_alone(window, rest):
    before = requests(window)
    slider = window.side.rows["plain"].slider
    drag(slider, [(60, 11), (80, 11), (110, 11)])
    rest(window)
    after = requests(window)
    assert after["p1"] != before["p1"]
    assert after["p2"] == before["p2"]  # the single panel of the other view
    assert after["p6"] != before["p6"]
    assert window.document.undo_label == "Change ε of plain"
    window.document.undo()
    assert window.document.state.view("plain").epsilon == "max-min"


def test_the_master_slider_multiplies_linked_views_only(window, rest):
    QTest.mouseClick(window.side.rows["wavy"].link, LEFT)
    assert not window.document.state.view("wavy").linked
    before = requests(window)
    window.side.master_field.setFocus()
    window.side.master_field.selectAll()
    QTest.keyClicks(window.side.master_field, "2")
    QTest.keyClick(window.side.master_field, KEY.Key_Return)
    assert window.document.state.epsilon_scale == 2.0
    rest(window)
    assert requests(window)["p1"] != before["p1"]
    assert requests(window)["p2"] == before["p2"]
    QTest.mouseDClick(window.side.master, LEFT)
    assert window.document.state.epsilon_scale == 1.0


def test_pinned_parameters_stay_where_they_are(window, rest):
    panel = window.grid.panels["p6"]
    pins = texts(submenus(panel.menus.everything())["Pin a parameter"])
    pins[next(t for t in pins if t.startswith("Diffusion time"))].trigger()
    assert window.document.state.panel("p6").pins == {"t": 1}
    commands.set_param(window.document, "t", 5)
    rest(window)
    params = {id: dict(r.params)["t"] for id, r in requests(window).items() if "t" in dict(r.params)}
    assert params["p6"] == 1
    assert params["p1"] == 5
    assert panel._pins.text() == "pinned t 1"
    copies = {p.id for p in window.document.state.panels}
    window.editor.duplicate_panel("p6")
    copy = next(p for p in window.document.state.panels if p.id not in copies)
    assert copy.pins == {"t": 1}
    pins = texts(submenus(panel.menus.everything())["Pin a parameter"])
    pins[next(t for t in pins if "(pinned)" in t)].trigger()
    assert window.document.state.panel("p6").pins == {}


def test_a_bandwidth_can_be_pinned_and_changed(window, monkeypatch):
    window.editor.pin("p6", "epsilon:plain")
    pinned = window.document.state.panel("p6").pins["epsilon:plain"]
    assert pinned == pytest.approx(window.controller.epsilon("plain"))
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter", lambda *a, **k: "2*median")
    window.grid.panels["p6"].menus.edit_pin("epsilon:plain")
    assert window.document.state.panel("p6").pins["epsilon:plain"] == "2*median"
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter", lambda *a, **k: "-1")
    window.grid.panels["p6"].menus.edit_pin("epsilon:plain")
    assert window.document.state.panel("p6").pins["epsilon:plain"] == "2*median"
    assert len(window.banners.texts()) == 1


@pytest.mark.parametrize(("typed", "kept"), [("0.5", 0.5), ("2*median", "2*median"), ("median/9", "median/9")])
def test_a_bandwidth_can_be_typed(window, rest, typed, kept):
    field = window.side.rows["plain"].field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, KEY.Key_Return)
    assert window.document.state.view("plain").epsilon == kept
    rest(window)
    assert field.property("wrong") is not True
    if isinstance(kept, str):
        factor = 2.0 if kept == "2*median" else 1 / 9
        assert window.controller.epsilon("plain") == pytest.approx(factor * window.controller.median("plain"))


def test_digits_on_a_focused_slider_become_a_number_not_a_dimension(window):
    row = window.side.rows["plain"]
    row.slider.setFocus()
    QTest.keyClicks(row.slider, "3")
    assert window.document.state.panel("p1").dims == 2
    assert row.field.hasFocus()
    QTest.keyClicks(row.field, "2")
    QTest.keyClick(row.field, KEY.Key_Return)
    assert window.document.state.view("plain").epsilon == 32.0


def test_a_mark_on_the_track_uses_its_rule(window):
    row = window.side.rows["plain"]
    assert row._marks
    letter, rule = next(iter(row._marks.items()))
    row.slider.mark_clicked.emit(letter)
    assert window.document.state.view("plain").epsilon == rule
    commands.set_epsilon(window.document, "plain", 3.3)
    QTest.mouseDClick(row.slider, LEFT, pos=QPoint(100, 11))
    assert window.document.state.view("plain").epsilon == rule


def test_rules_are_offered_with_their_values(window, qtbot):
    QTest.mouseClick(window.side.rows["plain"].rule, LEFT)
    menu = QApplication.activePopupWidget()
    entries = [a.text() for a in menu.actions()]
    assert all(e.startswith("Use ") for e in entries)
    assert any("ε" in e for e in entries)
    menu.actions()[0].trigger()
    close_popups()
    assert isinstance(window.document.state.view("plain").epsilon, str)


def test_leaving_a_view_out_and_taking_it_back(window, rest):
    QTest.mouseClick(window.side.rows["wavy"].check, LEFT, pos=QPoint(8, 10))
    assert window.document.state.enabled == ("plain",)
    rest(window)
    found = window.controller.result("p6")
    assert found.status == "failed"
    assert "needs at least 2 views" in found.error.message
    assert window.grid.panels["p6"]._message.isVisible()
    assert window.controller.result("p1").status == "ready"
    QTest.mouseClick(window.side.rows["wavy"].check, LEFT, pos=QPoint(8, 10))
    rest(window)
    assert window.controller.result("p6").status == "ready"
    assert not window.grid.panels["p6"]._message.isVisible()


def test_preprocessing_from_its_menu(window, rest):
    before = requests(window)["p1"]
    texts(window.side.rows["plain"].how.menu())["z-scored"].trigger()
    assert window.document.state.view("plain").preprocess == "zscore"
    assert window.document.data.preprocess == ("zscore", "none")
    rest(window)
    assert requests(window)["p1"] != before
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.data.preprocess == ("none", "none")


def test_nothing_but_the_window_is_ever_a_window(make_window, rest, app):
    opened: list[str] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                opened.append(type(watched).__name__)
            return False

    watch = Watch()
    app.installEventFilter(watch)
    window = make_window()
    show_data(window, small_data())
    rest(window)
    window.behaviour.add_panel("concatenation")
    commands.tick_view(window.document, "wavy", False)
    window.workbench.change_settings(theme="dark")
    show_data(window, small_data(20))
    rest(window)
    app.removeEventFilter(watch)
    assert opened == ["MainWindow"]
    assert window.isActiveWindow()


# Undo ---------------------------------------------------------------------------------------------------------


def test_undo_and_redo_by_key_name_what_they_do(window, rest):
    table = window.actions_table
    assert not table.actions["Redo"].isEnabled()
    slider = window.side.params["t"].slider
    drag(slider, [(20, 11), (60, 11), (90, 11), (140, 11)])
    moved = window.document.state.params["t"]
    rest(window)
    assert moved > 1
    assert table.actions["Undo"].isEnabled()
    assert table.actions["Undo"].text() == "Undo: Change t"
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.state.params["t"] == 1  # the whole drag is one step
    assert table.actions["Redo"].text() == "Redo: Change t"
    QTest.keyClick(window, KEY.Key_Z, CONTROL | SHIFT)
    assert window.document.state.params["t"] == moved
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    QTest.keyClick(window, KEY.Key_Y, CONTROL)
    assert window.document.state.params["t"] == moved


def test_undo_covers_panels_selection_colour_and_data(window, rest):
    start = window.document.state
    data = window.document.data
    window.behaviour.add_panel("concatenation")
    window.editor.select_all()
    commands.colour_by(window.document, "latent:angle")
    show_data(window, small_data(30))
    rest(window)
    assert window.document.data.n_samples == 30
    for _ in range(4):
        QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.state == start
    assert window.document.undo_label is None
    assert window.document.data is data
    rest(window)
    assert set(window.grid.panels) == {p.id for p in start.panels}
    assert all(r.status == "ready" for r in window.controller.results.values())
    assert canvas(window).position_of(47) is not None


def test_drags_with_a_rest_between_them_are_two_steps(window, rest):
    slider = window.side.params["t"].slider
    drag(slider, [(20, 11), (90, 11)])
    rest(window)
    first = window.document.state.params["t"]
    drag(slider, [(90, 11), (160, 11)])
    assert window.document.state.params["t"] > first
    window.document.undo()
    assert window.document.state.params["t"] == first


# Hovering -----------------------------------------------------------------------------------------------------


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
    assert window.grid.focused == "p1"


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


# Selecting ----------------------------------------------------------------------------------------------------


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


def test_select_all_clear_and_invert_buttons(window):
    QTest.keyClick(window, KEY.Key_A, CONTROL)
    assert len(window.document.state.selection) == 48
    QTest.mouseClick(window.points.invert, LEFT)
    assert window.document.state.selection == ()
    assert not window.points.clear.isEnabled()
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


# Cameras and zoom ---------------------------------------------------------------------------------------------


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
    assert canvas(window).box.viewRect().center().manhattanLength() < 1e-6
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


# The legend and the colours -----------------------------------------------------------------------------------


def visible(window: MainWindow) -> set[int]:
    return set(window.styling.colouring.values[canvas(window).cloud.look.visible].tolist())


def test_the_legend_isolates_toggles_and_shows_all(window):
    rows = window.points.rows
    assert {name: row._count for name, row in rows.items()} == {"a": 16, "b": 16, "c": 16}
    QTest.mouseClick(rows["b"], LEFT)
    assert window.document.state.visible_classes == ("b",)
    assert visible(window) == {1}
    QTest.mouseClick(rows["b"], LEFT)
    assert visible(window) == {0, 1, 2}
    QTest.mouseClick(rows["a"], LEFT, CONTROL)
    assert window.document.state.visible_classes == ("b", "c")
    QTest.mouseClick(rows["a"], LEFT, CONTROL)
    assert window.document.state.visible_classes == ()
    QTest.mouseClick(rows["c"], LEFT)
    QTest.mouseDClick(rows["a"], LEFT)
    assert visible(window) == {0, 1, 2}
    rows["c"].setFocus()
    QTest.keyClick(rows["c"], KEY.Key_Space)
    assert visible(window) == {2}


@pytest.mark.parametrize(
    ("source", "classes"),
    [("feature:wavy:2", 0), ("column:batch", 2), ("latent:angle", 0), ("labels", 3), ("coordinate:p6:0", 0), ("", 0)],
)
def test_colouring_by_anything(window, rest, source, classes):
    index = window.points.sources.findData(source)
    assert index >= 0
    window.points.sources.setCurrentIndex(index)
    window.points.sources.activated.emit(index)
    assert window.document.state.colour == source
    assert len(window.points.rows) == classes
    if source.startswith("coordinate"):
        expected = window.controller.result("p6").result.embedding.coordinates[:, 0]
        assert np.array_equal(window.styling.colouring.values, expected)
        commands.set_param(window.document, "t", 4)
        rest(window)
        assert not np.array_equal(window.styling.colouring.values, expected)
        assert window.points.sources.currentData() == source
    colours = len(np.unique(canvas(window).cloud.look.rgb, axis=0))
    assert colours == (1 if not source else classes or colours)
    assert colours > 5 or classes or not source


def test_point_size_and_opacity(window):
    window.points.point_size.setFocus()
    QTest.keyClick(window.points.point_size, KEY.Key_Right)
    assert window.document.state.point_size > 5
    assert canvas(window).cloud.look.size == window.document.state.point_size
    window.points.opacity.setFocus()
    QTest.keyClick(window.points.opacity, KEY.Key_PageDown)
    assert canvas(window).cloud.look.opacity == window.document.state.opacity < 0.9
    QTest.mouseDClick(window.points.opacity, LEFT)
    assert window.document.state.opacity == 0.9


# Panels -------------------------------------------------------------------------------------------------------


def order(window: MainWindow) -> list[str]:
    return [p.id for p in window.document.state.panels]


def test_maximise_hides_the_others_and_stops_their_work(window, rest):
    window.behaviour.focus_panel(5)
    QTest.keyClick(window, KEY.Key_F)
    assert [id for id, p in window.grid.panels.items() if p.isVisible()] == ["p6"]
    before = requests(window)
    commands.set_param(window.document, "t", 3)
    rest(window)
    after = requests(window)
    assert after["p6"] != before["p6"]
    assert all(after[id] == before[id] for id in before if id != "p6")
    QTest.mouseClick(window.grid.panels["p6"].header.maximise, LEFT)
    rest(window)
    assert all(p.isVisible() for p in window.grid.panels.values())
    assert all(dict(r.params).get("t", 3) == 3 for r in requests(window).values())


def test_duplicate_close_and_the_limit(window, rest):
    window.behaviour.focus_panel(1)
    QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 7
    copy = window.document.state.panels[2]
    assert (copy.method, copy.view) == ("single", "wavy")
    assert window.grid.focused == copy.id
    assert window.focusWidget() is window.grid.panels[copy.id]
    rest(window)
    QTest.keyClick(window, KEY.Key_Delete)
    assert order(window) == [f"p{i}" for i in range(1, 7)]
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    window.behaviour.focus_panel(1)
    for _ in range(5):
        QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 12
    assert not window.banners.texts()
    QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 12
    assert "already 12 panels" in window.banners.texts()[0]
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_Delete)
    assert order(window)[0] == "p2"
    assert "p1" not in window.grid.panels
    while order(window):
        window.grid.panels[order(window)[0]].header.cross.click()
    rest(window)
    assert window.behaviour.focused_panel() is None
    QTest.keyClick(window, KEY.Key_Delete)
    window.behaviour.add_panel("multiview")
    rest(window)
    assert window.controller.result(order(window)[0]).status == "ready"


def panel_mime(id: str) -> QMimeData:
    mime = QMimeData()
    mime.setData("application/x-mvexplorer-panel", id.encode())
    return mime


@pytest.mark.parametrize(("modifiers", "expected"), [(NONE, ["p3", "p2", "p1"]), (CONTROL, ["p1", "p7", "p2"])])
def test_dropping_a_panel_on_another_swaps_or_copies(window, qtbot, modifiers, expected):
    mime = panel_mime("p1")
    assert drop(window.grid.panels["p3"], mime, modifiers)
    qtbot.waitUntil(lambda: order(window)[:3] == expected, timeout=PATIENCE_MS)
    assert window.document.undo_label == ("Swap panels" if modifiers == NONE else "Duplicate panel")


def test_a_panel_can_be_lifted_by_its_title(window, monkeypatch):
    panel = window.grid.panels["p2"]
    lifted, menus = [], []
    monkeypatch.setattr(
        "mvexplorer.ui.panels.header.QDrag.exec", lambda self, *a: lifted.append(self.mimeData().formats())
    )
    monkeypatch.setattr(panel, "choose_method", lambda: menus.append(1))
    drag(panel.header.title, [(20, 8), (30, 10), (60, 14)])
    assert lifted == [["application/x-mvexplorer-panel"]]
    assert not menus
    assert panel.header.title.height() >= 0.6 * panel.header.height()


def test_the_method_menu_offers_every_method_and_view(window, rest):
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_F2)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = texts(menu)
    assert found["Single view · plain"].isChecked() if "Single view · plain" in found else True
    found["Multi-view"].trigger()
    close_popups()
    assert window.document.state.panel("p1").method == "multiview"
    rest(window)
    assert window.grid.panels["p1"].header.title.text().startswith("Multi-view")


def test_axes_and_views_from_the_panel_menu(window, rest):
    panel = window.grid.panels["p1"]
    window.editor.set_dims("p1", 3)
    rest(window)
    menus = submenus(panel.menus.everything())
    assert {"Horizontal axis", "Vertical axis", "Depth axis", "Pin a parameter"} <= set(menus)
    menus["Vertical axis"].actions()[4].trigger()
    assert window.document.state.panel("p1").axes == (0, 4, 2)
    rest(window)
    assert panel.canvas.axis_names[1].endswith("₅")
    show = submenus(window.grid.panels["p6"].menus.everything())["Coordinates drawn"]
    texts(show)["as seen by wavy"].trigger()
    assert window.document.state.panel("p6").show == "wavy"
    rest(window)
    assert window.grid.panels["p6"].canvas.axis_names == ("ψ₁", "ψ₂")


def test_two_view_methods_choose_their_pair(make_window, rest):
    window = make_window()
    data = small_data()
    third = data.replace(Xs=[*data.Xs, data.Xs[0] * 3], view_names=("a", "b", "c"), preprocess=None)
    show_data(window, third)
    rest(window)
    desa = next(p.id for p in window.document.state.panels if p.method == "de-sa")
    panel = window.grid.panels[desa]
    assert panel.header.title.text().startswith("de Sa · a + b")
    pair = submenus(panel.menus.everything())["Pair of views"]
    texts(pair)["b + c"].trigger()
    assert panel.header.title.text().startswith("de Sa · b + c")
    rest(window)
    assert window.controller.result(desa).result.embedding.views == ("b", "c")


def test_two_and_three_dimensions_by_key_and_button(window, rest):
    window.behaviour.focus_panel(2)
    QTest.keyClick(window, KEY.Key_3)
    rest(window)
    assert canvas(window, "p3").is_3d
    assert not canvas(window, "p1").is_3d
    QTest.mouseClick(window.grid.panels["p3"].header.flat, LEFT)
    rest(window)
    assert not canvas(window, "p3").is_3d
    QTest.keyClick(window, KEY.Key_3, CONTROL | SHIFT)
    rest(window)
    assert all(p.canvas.is_3d for p in window.grid.panels.values())
    window.document.undo()
    assert {p.dims for p in window.document.state.panels} == {2}


# Keys ---------------------------------------------------------------------------------------------------------


def test_esc_undoes_the_innermost_first(window):
    commands.select(window.document, range(5))
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_F)
    field = window.side.rows["plain"].field
    before = field.text()
    field.setFocus()
    QTest.keyClicks(field, "9")
    QTest.keyClick(field, KEY.Key_Escape)
    assert field.text() == before
    assert window.grid.maximised == "p1"
    window.grid.panels["p1"].setFocus()
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.grid.maximised is None
    assert len(window.document.state.selection) == 5
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.document.state.selection == ()


def test_alt_arrows_and_brackets_move_the_parameters(window):
    d = window.document
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_Right, ALT)
    assert d.state.epsilon_scale == pytest.approx(1.05)
    QTest.keyClick(window, KEY.Key_Left, ALT)
    assert d.state.epsilon_scale == pytest.approx(1.0)
    QTest.keyClick(window, KEY.Key_Up, ALT)
    assert d.state.params["eta"] == pytest.approx(0.02)
    QTest.keyClick(window, KEY.Key_BracketRight)
    assert d.state.params["eta"] == pytest.approx(0.04)
    QTest.keyClick(window, KEY.Key_BracketLeft)
    QTest.keyClick(window, KEY.Key_Down, ALT)
    assert d.state.params["eta"] == 0
    present = window.controller.epsilon("plain")
    window.side.rows["plain"].slider.setFocus()
    QTest.keyClick(window.side.rows["plain"].slider, KEY.Key_Right, ALT)
    assert d.state.view("plain").epsilon == pytest.approx(1.05 * present)
    assert d.state.view("wavy").epsilon == "max-min"


def test_alt_digits_focus_panels(window):
    for i in range(6):
        QTest.keyClick(window, KEY(KEY.Key_1 + i), ALT)
        assert window.behaviour.focused_panel() is window.document.state.panels[i]
        assert window.grid.panels[f"p{i + 1}"].property("focused") is True
    QTest.keyClick(window, KEY.Key_9, ALT)
    assert window.grid.focused == "p6"


def test_every_action_has_a_text_and_a_shortcut_of_its_own(window):
    table = window.actions_table
    keys = [k.toString() for a in table.actions.values() for k in a.shortcuts()]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert all(a.text() for a in table.actions.values())
    standard = {
        "Undo": QKeySequence.StandardKey.Undo,
        "Select all": QKeySequence.StandardKey.SelectAll,
        "Save session": QKeySequence.StandardKey.Save,
        "Open files …": QKeySequence.StandardKey.Open,
    }
    for name, key in standard.items():
        assert set(QKeySequence.keyBindings(key)) & set(table.actions[name].shortcuts())
    for menu in table.menus.values():
        mnemonics = [a.text() for a in menu.actions() if a.text()]
        assert len(mnemonics) == len(set(mnemonics))


# Finding anything ---------------------------------------------------------------------------------------------


def palette(window: MainWindow, text: str) -> CommandPalette:
    QTest.keyClick(window, KEY.Key_K, CONTROL)
    made = next(c for c in window.findChildren(CommandPalette) if c.isVisible())
    QTest.keyClicks(made.search, text)
    return made


def test_ctrl_k_finds_and_does_actions(window):
    found = palette(window, "sel all")
    assert [e.text for e in found._found] == ["Select all"]
    QTest.keyClick(found.search, KEY.Key_Return)
    assert len(window.document.state.selection) == 48


def test_ctrl_k_shows_shortcuts(window):
    found = palette(window, "duplicate")
    assert found.list.item(0).data(KEYS) == "Ctrl+D"
    found.reject()


@pytest.mark.parametrize(
    ("typed", "check"),
    [
        ("add concat", lambda w: w.document.state.panels[-1].method == "concatenation"),
        ("set diffusion", lambda w: w.side.params["t"].field.hasFocus()),
        ("bandwidth wavy", lambda w: w.side.rows["wavy"].field.hasFocus()),
        ("s13", lambda w: w.document.state.selection == (13,) and "s13" in w.points.card._words.text()),
        ("invert", lambda w: len(w.document.state.selection) == 48),
    ],
)
def test_ctrl_k_finds_methods_parameters_and_points(window, qtbot, typed, check):
    found = palette(window, typed)
    assert found._found
    QTest.keyClick(found.search, KEY.Key_Return)
    qtbot.waitUntil(lambda: check(window), timeout=PATIENCE_MS)


def test_ctrl_k_opens_samples(window, qtbot, rest):
    found = palette(window, "open sample coupled")
    QTest.keyClick(found.search, KEY.Key_Down)
    QTest.keyClick(found.search, KEY.Key_Up)
    QTest.keyClick(found.search, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.document.state.source == ("coupled-circles",), timeout=PATIENCE_MS)


def test_ctrl_k_finds_nothing_quietly(window):
    found = palette(window, "no such thing at all")
    QTest.keyClick(found.search, KEY.Key_Return)
    assert found.isVisible()
    QTest.keyClick(found.search, KEY.Key_Escape)
    assert not found.isVisible()


# Themes and sizes ---------------------------------------------------------------------------------------------


def test_another_theme_keeps_everything(window, rest):
    window.editor.set_all_dims(3)
    rest(window)
    QTest.keyClick(window, KEY.Key_R)
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    canvas(window, "p3").box.setRange(xRange=(-0.3, 0.3), yRange=(-0.3, 0.3), padding=0)
    commands.select(window.document, (1, 2, 3))
    window.behaviour.focus_panel(3)
    state, cameras = window.document.state, window.grid.cameras()
    zoomed = canvas(window, "p3").box.viewRect()
    rest(window)
    results = dict(window.controller.results)
    window.workbench.change_settings(theme="dark")
    rest(window)
    assert window.document.state == state
    assert window.controller.results == results
    for id, camera in window.grid.cameras().items():
        assert np.array_equal(camera.rotation, cameras[id].rotation)
    after = canvas(window, "p3").box.viewRect()
    assert after == zoomed
    assert window.grid.focused == "p4"
    assert window.grid.panels["p4"].property("focused") is True
    assert all(p.canvas.rectangular for p in window.grid.panels.values())
    look = canvas(window).cloud.look
    assert np.flatnonzero(look.selected).tolist() == [1, 2, 3]
    assert window.grid.panels["p1"].scores.labels["nmi"].isVisible()
    picture = window.grab().toImage()
    middle = picture.pixelColor(window.grid.mapTo(window, QPoint(3, 3)))
    assert middle.lightness() < 60


def test_presentation_shows_panels_and_one_strip(window, rest):
    QTest.keyClick(window, KEY.Key_F11)
    assert window.strip.isVisible()
    for hidden in (window.side, window.points, window.bottom, window.menuBar()):
        assert not hidden.isVisible()
    slider = window.strip.sliders["t"]
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_Right)
    assert window.document.state.params["t"] == 2
    assert window.strip._labels["t"].text() == "t 2"
    QTest.keyClick(window, KEY.Key_Plus, CONTROL)
    assert window.document.state.point_size == 5.0  # what a talk needs is no part of the document
    QTest.keyClick(window, KEY.Key_F11)
    assert not window.strip.isVisible()
    assert window.side.isVisible()
    assert window.menuBar().isVisible()
    QTest.keyClick(window, KEY.Key_F11)
    QTest.keyClick(window, KEY.Key_Escape)
    assert not window.strip.isVisible()
    rest(window)


def overlaps(window: MainWindow) -> list[str]:
    """Widgets that lie over a sibling, are squeezed below their least size, or stick out of their parent."""
    wrong = []
    parents = [window.side, window.points, window.bottom, window.grid, *window.grid.panels.values()]
    parents += [p.header for p in window.grid.panels.values()] + list(window.side.rows.values())
    for parent in parents:
        if not parent.isVisible():
            continue
        children = [
            c for c in parent.children()
            if c.isWidgetType() and c.isVisible() and not c.isWindow() and c.width() * c.height()
        ]  # fmt: skip
        for i, child in enumerate(children):
            name = f"{type(parent).__name__}: {type(child).__name__} {child.geometry()}"
            if not parent.rect().adjusted(-1, -1, 1, 1).contains(child.geometry()):
                wrong.append(f"{name} sticks out")
            least = child.minimumSizeHint()
            if child.height() + 1 < least.height():
                wrong.append(f"{name} is lower than {least.height()}")
            for other in children[i + 1 :]:
                if child.geometry().intersects(other.geometry()):
                    wrong.append(f"{name} lies over {type(other).__name__} {other.geometry()}")
    return wrong


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_nothing_overlaps_or_is_cut(window, rest, choice):
    if choice != window.settings.theme:
        window.workbench.change_settings(theme=choice)
    for size in ((1280, 720), (1440, 900), (2560, 1440)):
        window.resize(*size)
        rest(window)
        assert (window.width(), window.height()) == size
        assert overlaps(window) == []
        sizes = {(p.width(), p.height()) for p in window.grid.panels.values()}
        assert max(w for w, _ in sizes) - min(w for w, _ in sizes) <= 2
        assert min(w for w, _ in sizes) >= 280
        assert min(h for _, h in sizes) >= 220
        for panel in window.grid.panels.values():
            assert panel.header.title.text().startswith(panel_title(window.document.state, panel.state))


def test_docks_fold_where_there_is_little_room(make_window, rest, qtbot):
    window = make_window((1280, 720))
    show_data(window, small_data())
    assert not window.points.isVisible()
    assert window.bottom.folded
    assert window.bottom.height() < 60
    window.resize(1500, 900)
    assert window.points.isVisible()
    assert not window.bottom.folded
    QTest.keyClick(window, KEY.Key_1, CONTROL)
    assert not window.side.isVisible()
    QTest.keyClick(window, KEY.Key_2, CONTROL)
    assert not window.points.isVisible()
    QTest.keyClick(window, KEY.Key_3, CONTROL)
    assert window.bottom.folded
    for key in (KEY.Key_1, KEY.Key_2, KEY.Key_3):
        QTest.keyClick(window, key, CONTROL)
    assert window.side.isVisible()
    assert window.points.isVisible()
    assert not window.bottom.folded
    assert window.bottom.stack.isVisible()


def test_the_bottom_folds_by_its_open_tab(window):
    tabs = window.bottom.tabs
    height = window.bottom.height()
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(0).center())
    assert window.bottom.folded
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(tabs.count() - 1).center())
    assert not window.bottom.folded
    assert window.bottom.stack.currentWidget() is window.bottom.pages["tasks"]
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(0).center())
    assert window.bottom.height() == pytest.approx(height, abs=4)


# Below the panels ---------------------------------------------------------------------------------------------


def test_spectra_of_all_panels_with_their_names(window, rest):
    curves = window.bottom.pages["spectrum"]._curves
    assert list(curves) == [p.id for p in window.document.state.panels]
    for id, curve in curves.items():
        values = window.controller.result(id).result.embedding.eigenvalues
        assert np.allclose(curve.getData()[1], values)
        assert window.bottom.pages["spectrum"]._keys[id].text()
    window.bottom.pages["spectrum"].log.setChecked(True)
    rest(window)
    assert window.settings.spectrum_log
    y = curves["p1"].getData()[1]
    values = window.controller.result("p1").result.embedding.eigenvalues
    assert np.allclose(y[values > 1e-12], np.log10(values[values > 1e-12]))
    window.document.undo()
    commands.close_panel(window.document, "p1")
    rest(window)
    assert "p1" not in window.bottom.pages["spectrum"]._curves


def test_tasks_are_listed_and_cancelled(make_window, rest, qtbot):
    window = make_window()
    window.bottom.show_page("tasks")
    window.library.open_source(("uci-digits",))
    qtbot.waitUntil(lambda: len(window.bottom.pages["tasks"]._rows) >= 2, timeout=PATIENCE_MS)
    assert window.bottom.tabs.tabText(window.bottom.tabs.count() - 1).startswith("Tasks ")
    assert not window.bottom.pages["tasks"]._nothing.isVisibleTo(window.bottom.pages["tasks"])
    QTest.keyClick(window, KEY.Key_Period, CONTROL)
    rest(window)
    assert window.bottom.pages["tasks"]._rows == {}
    assert window.bottom.pages["tasks"]._nothing.isVisibleTo(window.bottom.pages["tasks"])
    assert window.bottom.tabs.tabText(window.bottom.tabs.count() - 1) == "Tasks"
    cancelled = [id for id, r in window.controller.results.items() if r.status == "cancelled"]
    assert cancelled
    panel = window.grid.panels[cancelled[0]]
    assert panel._time.text().startswith("cancelled")
    assert panel._again.isVisible()
    assert "of" in window.bottom.pages["tasks"].memory.text()


def test_progress_and_staleness_of_a_panel(window, qtbot):
    panel = window.grid.panels["p6"]
    found = window.controller.result("p6")
    found.status = "computing"
    window._panel_changed("p6")
    assert not panel._progress.isVisible()
    assert not panel.canvas.dimmed
    qtbot.waitUntil(panel._progress.isVisible, timeout=PATIENCE_MS)
    assert panel._stop.isVisible()
    qtbot.waitUntil(lambda: panel.canvas.dimmed, timeout=PATIENCE_MS)
    assert "stale" in panel._time.text()
    found.status = "ready"
    window._panel_changed("p6")
    assert not panel.canvas.dimmed
    assert not panel._progress.isVisible()


def test_scores_and_the_best_of_them(window):
    scores = {id: r.scores for id, r in window.controller.results.items()}
    assert all(s is not None for s in scores.values())
    low, top = (pick(round(s.knn.value, 2) for s in scores.values()) for pick in (min, max))
    for id, panel in window.grid.panels.items():
        assert panel.scores.labels["knn"].text().startswith("k-NN ")
        best = round(scores[id].knn.value, 2) >= top > low
        assert (panel.scores.labels["knn"].property("role") == "best") == best


def test_panels_tell_screen_readers_what_they_show(window):
    words = window.grid.panels["p6"].accessibleName()
    for part in ("Multi-view", "ready", "NMI", "k-NN", "0 samples selected"):
        assert part in words


# Files --------------------------------------------------------------------------------------------------------


def urls(*paths) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    return mime


def drop(target, mime: QMimeData, modifiers=NONE) -> bool:
    enter = QDragEnterEvent(QPoint(40, 40), Qt.DropAction.CopyAction, mime, LEFT, modifiers)
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(40, 40), Qt.DropAction.CopyAction, mime, LEFT, modifiers))
    return enter.isAccepted()


def two_tables(folder):
    rng = np.random.default_rng(0)
    paths = [folder / "left.csv", folder / "right.csv"]
    for path in paths:
        np.savetxt(path, rng.normal(size=(25, 3)), delimiter=",", header="a,b,c", comments="")
    return paths


@pytest.mark.parametrize("onto", ["window", "canvas"])
def test_files_dropped_anywhere_are_opened(window, qtbot, rest, tmp_path, onto):
    paths = two_tables(tmp_path)
    mime = urls(*paths)
    assert drop(window if onto == "window" else canvas(window).viewport(), mime)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 25, timeout=PATIENCE_MS)
    assert window.document.data.view_names == ("left", "right")
    assert "left.csv" in window.windowTitle()
    rest(window)
    assert all(r.status == "ready" for r in window.controller.results.values())
    window.document.undo()
    assert window.document.data.n_samples == 48


def test_other_things_cannot_be_dropped(window):
    mime = QMimeData()
    mime.setText("words")
    assert not drop(window, mime)


def test_files_chosen_in_the_dialog(make_window, qtbot, monkeypatch, tmp_path):
    window = make_window()
    paths = [str(p) for p in two_tables(tmp_path)]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, **k: (paths, ""))
    QTest.keyClick(window, KEY.Key_O, CONTROL)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    assert window.document.data.n_views == 2
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, **k: ([], ""))
    window.opening.choose_files()
    assert window.document.data.n_views == 2


def export_dialog(window):
    QTest.keyClick(window, KEY.Key_E, CONTROL)
    return window.findChild(ExportDialog)


@pytest.mark.parametrize(("format", "name"), [("PNG", "picture.png"), ("SVG", "picture"), ("PDF", "picture.pdf")])
def test_exporting_a_picture(window, monkeypatch, tmp_path, format, name):
    path = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    dialog = export_dialog(window)
    dialog.format.setCurrentIndex(dialog.format.findText(format, Qt.MatchFlag.MatchStartsWith))
    QTest.keyClick(dialog, KEY.Key_Return)
    written = path if path.suffix else path.with_suffix(".svg")
    head = written.read_bytes()[:400]
    assert head.startswith((b"\x89PNG", b"%PDF")) or b"<svg" in head
    assert window.banners.texts() == [f"Saved {written.name}."]
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    QTest.mouseClick(window.banners._shown()[0].button, LEFT)
    assert opened == [str(tmp_path)]


def test_size_and_resolution_are_asked_once(window, monkeypatch, tmp_path):
    path = tmp_path / "picture.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    dialog = export_dialog(window)
    dialog.width_cm.setText("10")
    dialog.dpi.setText("no number")
    assert not dialog.save.isEnabled()
    dialog.dpi.setText("254")
    assert dialog.pixels.text().startswith("1,000 × ")
    QTest.mouseClick(dialog.save, LEFT)
    image = QImage(str(path))
    assert abs(image.width() - 1000) <= 1
    assert abs(image.dotsPerMeterX() - 10_000) < 100
    assert export_dialog(window).dpi.text() == "254"


def test_a_picture_that_cannot_be_written_is_a_message(window, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "no" / "p.png"), ""))
    QTest.mouseClick(export_dialog(window).save, LEFT)
    assert len(window.banners.texts()) == 1
    assert "cannot be written" in window.banners.texts()[0]


def test_sessions_keep_everything_the_cameras_too(make_window, rest, qtbot, monkeypatch, tmp_path):
    window = make_window()
    window.library.open_source(tuple(str(p) for p in two_tables(tmp_path)))
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    window.editor.set_all_dims(3)
    commands.set_param(window.document, "t", 2)
    commands.select(window.document, (3, 4))
    rest(window)
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    path = tmp_path / "mine.mvx.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "mine"), ""))
    assert window.windowTitle().endswith("*")
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert path.is_file()
    assert not window.document.dirty
    assert window.windowTitle().endswith("· mine")
    commands.set_param(window.document, "t", 3)
    assert window.windowTitle().endswith("· mine*")
    window.document.undo()
    assert not window.windowTitle().endswith("*")
    other = make_window()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(path), ""))
    QTest.keyClick(other, KEY.Key_O, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: other.document.data is not None, timeout=PATIENCE_MS)
    rest(other)
    assert other.document.state == window.document.state
    assert other.library.session_name == "mine"
    for id, camera in other.grid.cameras().items():
        assert np.allclose(camera.rotation, window.grid.cameras()[id].rotation)
    assert not other.document.dirty
    assert other.document.undo_label is None


def test_saving_without_a_name_or_a_folder_loses_nothing(window, monkeypatch, tmp_path):
    commands.set_param(window.document, "t", 2)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: ("", ""))
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert window.document.dirty
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "file" / "x"), ""))
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert window.document.dirty
    assert "cannot be saved" in window.banners.texts()[0]


@pytest.mark.parametrize(
    ("answer", "closes"),
    [(None, False), (1, True), (0, True)], ids=["cancel", "discard", "save"],
)  # fmt: skip
def test_closing_asks_before_losing_work(window, monkeypatch, tmp_path, answer, closes):
    commands.set_param(window.document, "t", 2)
    path = tmp_path / "kept.mvx.json"
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.choose", lambda *a, **k: answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    window.close()
    assert window.isVisible() is not closes
    assert path.exists() is (answer == 0)


def test_closing_without_changes_asks_nothing(window):
    window.close()
    assert not window.isVisible()


def test_opening_a_session_asks_before_losing_work(window, monkeypatch, tmp_path):
    path = tmp_path / "a.mvx.json"
    assert window.library.write(path)
    commands.set_param(window.document, "t", 2)
    asked = []
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.choose", lambda *a, **k: asked.append(1))
    window.library.open_session(path)
    assert asked
    assert window.document.state.params["t"] == 2
    assert "open" not in {task.slot for task in window.controller.tasks()}


# For everybody ------------------------------------------------------------------------------------------------


def test_everything_one_can_use_has_a_name(window):
    nameless = []
    for kind in (QAbstractButton, QLineEdit, QComboBox, Slider, LegendRow, QAbstractSlider):
        for widget in window.findChildren(kind):
            if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisible():
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if not interface.text(QAccessible.Text.Name).strip():
                nameless.append(f"{type(widget).__name__} {widget.toolTip()!r} in {type(widget.parent()).__name__}")
    assert nameless == []


def test_every_tool_says_what_it_does(window):
    silent = [b.accessibleName() for b in window.findChildren(QToolButton) if b.isVisible() and not b.toolTip()]
    assert silent == []


def test_tab_reaches_every_panel_and_field(window):
    seen = set()
    window.side.master.setFocus()
    for _ in range(400):
        focused = QApplication.focusWidget()
        if focused is None or id(focused) in seen:
            break
        seen.add(id(focused))
        QTest.keyClick(focused, KEY.Key_Tab)
    assert {id(p) for p in window.grid.panels.values()} <= seen
    assert {id(r.field) for r in window.side.rows.values()} <= seen
    assert {id(r.slider) for r in window.side.params.values() if r.slider and r.isVisible()} <= seen


def test_help_is_there(window):
    QTest.keyClick(window, KEY.Key_F1)
    dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
    assert "asso" in dialog.findChild(QTextBrowser).toPlainText()
    dialog.close()


def test_a_broken_settings_file_is_set_aside(home):
    home.mkdir()
    (home / "settings.json").write_text("{broken")
    settings, problem = read_settings()
    assert settings == Settings()
    assert "kept as" in problem
    assert (home / "settings.broken.json").read_text() == "{broken"


def test_the_memory_limit_is_shown_and_adjustable(window, monkeypatch, rest):
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter_number", lambda *a, **k: 64)
    window.behaviour.set_memory_limit()
    assert window.controller.cache.limit == window.controller.scheduler.memory == 64 << 20
    assert "64 MB" in window.bottom.pages["tasks"].memory.text()
