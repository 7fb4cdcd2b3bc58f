"""Sliders, fields and menus of the left side, and the requests of the panels that follow from them."""

from __future__ import annotations

import pytest
from gestures import CONTROL, KEY, LEFT, close_popups, drag, requests, texts
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from windows import show_data, small_data, submenus

from mvexplorer.state.document import commands


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
    panels = window.document.state.panels
    assert all(window.controller.result(panel.id).status == "ready" for panel in panels)


@pytest.mark.nightly
def test_one_view_slider_leaves_the_other_view_alone(window, rest):
    before = requests(window)
    slider = window.side.rows["plain"].slider
    drag(slider, [(60, 11), (80, 11), (110, 11)])
    rest(window)
    after = requests(window)
    assert after["p1"] != before["p1"]
    assert after["p2"] == before["p2"]  # the single panel of the other view
    assert after["p6"] != before["p6"]
    name, value = window.document.undo_label.split(" to ")
    assert name == "ε of plain"
    assert float(value) == pytest.approx(window.document.state.view("plain").epsilon, rel=0.01)
    window.document.undo()
    assert window.document.state.view("plain").epsilon == "robust"


def test_a_click_on_a_views_name_looks_at_it_and_the_box_ticks(window, rest):
    row, before = window.side.rows["wavy"], window.document.state
    name, box = QPoint(row.check.width() - 12, row.check.height() // 2), QPoint(8, row.check.height() // 2)
    assert row.check.width() > 40
    window.side.views.look_at("plain")
    QTest.mouseClick(row.check, LEFT, pos=name)
    assert window.document.state == before
    assert window.side.views.focused == "wavy"
    assert row.slope.isVisible()
    QTest.mouseClick(row.check, LEFT, pos=box)
    assert window.document.state.enabled == ("plain",)
    QTest.mouseClick(row.check, LEFT, pos=name)
    assert window.document.state.enabled == ("plain",)
    row.check.setFocus()
    QTest.keyClick(row.check, KEY.Key_Space)
    assert window.document.state.enabled == ("plain", "wavy")


@pytest.mark.nightly
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


def handle_and_ticks(window) -> tuple[float, dict[str, float]]:
    """Where the handle and the rules' ticks of a view's slider stand, in pixels."""
    slider = window.side.rows["plain"].slider
    return slider.x_of(slider.value), {mark.letter: slider.x_of(mark.value) for mark in slider._marks}


@pytest.mark.nightly
def test_the_master_slider_moves_the_handles_past_the_rules_that_stay(window, rest):
    window.bottom.show_page("tune")
    rest(window)
    plot, median = window.bottom.pages["tune"].rows["plain"].plot, window.controller.median("plain")
    rules = window.controller.summaries["plain"].rules
    here, ticks = handle_and_ticks(window)
    lines = {marker.rule: marker.position for marker in plot._markers}
    assert {"median", "max-min"} <= set(lines)
    before = plot.here
    window.editor.set_scale(0.1)
    rest(window)
    moved, still = handle_and_ticks(window)
    assert (still, moved < here) == (pytest.approx(ticks), True)
    assert {marker.rule: marker.position for marker in plot._markers} == pytest.approx(lines)
    assert lines["median"] == pytest.approx(0.0)
    assert plot.here == pytest.approx(before - 1.0, abs=1e-3)
    # What is clicked is what is computed with, by the slider, the menu and the page.
    row = window.side.rows["plain"]
    tick = next(mark for mark in row.slider._marks if row._marks[mark.letter] == "median")
    place = QPoint(round(row.slider.x_of(tick.value)), row.slider.height() - 4)
    QTest.mouseClick(row.slider, LEFT, pos=place)
    assert window.controller.effective_epsilon("plain") == pytest.approx(median)
    assert row.slider.value == pytest.approx(1.0)
    assert row.rule.text() == "median ▾"
    assert f"{rules['median']:.3g}" in tick.text
    window.editor.set_epsilon("plain", "max-min")
    row.rule.click()
    (chosen,) = (a for a in QApplication.activePopupWidget().actions() if a.text().startswith("Use median\t"))
    chosen.trigger()
    close_popups()
    assert window.controller.effective_epsilon("plain") == pytest.approx(median)
    window.editor.set_scale(1.0)
    assert row.rule.text() == "10*median ▾"
    window.bottom.show_page("spectrum")


@pytest.mark.nightly
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
    assert panel._pins.wordings == ("pinned t 1", "1 pinned")  # as there is room
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


@pytest.mark.nightly
def test_rules_are_offered_with_their_values(window, qtbot):
    QTest.mouseClick(window.side.rows["plain"].rule, LEFT)
    menu = QApplication.activePopupWidget()
    rules = [a for a in menu.actions() if a.isEnabled() and not a.isSeparator()]
    assert all(a.text().startswith("Use ") for a in rules)
    assert any("ε" in a.text() for a in rules)
    next(a for a in rules if "max-min" in a.text()).trigger()
    close_popups()
    assert isinstance(window.document.state.view("plain").epsilon, str)


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_preprocessing_from_its_menu(window, rest):
    before = requests(window)["p1"]
    texts(window.side.rows["plain"].how.menu())["z-scored"].trigger()
    assert window.document.state.view("plain").preprocess == "zscore"
    assert window.document.data.preprocess == ("zscore", "none")
    rest(window)
    assert requests(window)["p1"] != before
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.data.preprocess == ("none", "none")


@pytest.mark.nightly
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
