"""What the window does while a hand drags: what changed and can be seen, nothing else."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from doubles import FunctionJob
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.state.document import commands
from mvexplorer.ui.runtime import gc_main_thread as garbage
from mvexplorer.ui.runtime.bridge import NICENESS
from mvexplorer.ui.runtime.gc_main_thread import Collector


@pytest.fixture(autouse=True)
def no_anchors() -> None:
    """Here a hand does drag."""


@pytest.fixture
def calls(monkeypatch) -> Counter[str]:
    """Counts calls of methods, which go on as before."""
    counts: Counter[str] = Counter()

    def count(owner: object, name: str) -> None:
        real = getattr(owner, name)

        def counted(*arguments, **others):
            counts[name] += 1
            return real(*arguments, **others)

        monkeypatch.setattr(owner, name, counted)

    counts.of = count
    return counts


def drag(window, qtbot, steps: int = 5) -> None:
    """Changes of one ε as a hand makes them, each followed by the window."""
    for step in range(steps):
        commands.set_epsilon(window.document, "plain", 0.2 + 0.01 * step, interactive=True)
        qtbot.waitUntil(lambda: not window.bottom.pages["tune"].soon.isActive(), timeout=PATIENCE_MS)


# The bandwidth tab --------------------------------------------------------------------------------------------


@pytest.fixture
def explained(window, rest, qtbot):
    window.workbench.change_settings(tune_plots=("links", "classes", "pair"))
    window.bottom.show_page("tune")

    def drawn(view):
        explanation = window.analyser.of(view)
        return explanation.curves is not None and not explanation.coarse

    qtbot.waitUntil(lambda: drawn("plain") and drawn("wavy"), timeout=PATIENCE_MS)
    rest(window)
    return window


@pytest.mark.nightly
def test_a_drag_moves_the_marker_and_redraws_no_curve(explained, qtbot, calls):
    tab = explained.bottom.pages["tune"]
    tab.refresh()
    small = tab.rows["wavy"].maps["plain"]
    for plot in (tab.rows[tab.view].plot, tab.graph, tab.classes, small, tab.surface):
        calls.of(plot, "show_figure")
    calls.of(tab.rows[tab.view].plot, "apply_theme")
    before = tab.rows[tab.view].plot.here
    drag(explained, qtbot)
    assert not calls
    median = explained.controller.median("plain")
    assert tab.rows[tab.view].plot.here == pytest.approx(np.log10(0.24 / median)) != before
    assert tab.surface.here[0] == small.here[0] == tab.rows[tab.view].plot.here


def test_curves_are_drawn_when_there_are_others(explained, calls):
    tab = explained.bottom.pages["tune"]
    for plot in (tab.classes, tab.graph, tab.surface):
        calls.of(plot, "show_figure")
    tab.explain("wavy")
    assert calls["show_figure"] == 3


def test_a_steady_drag_does_not_keep_the_tab_waiting(explained, qtbot, calls):
    explained.bottom.pages["tune"].soon.stop()
    calls.of(explained.bottom.pages["tune"].soon, "start")
    for step in range(4):
        commands.set_epsilon(explained.document, "plain", 0.3 + 0.01 * step, interactive=True)
    assert calls["start"] == 1


# What cannot be seen --------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_spectra_are_drawn_when_they_can_be_seen(window, rest, calls):
    calls.of(window.bottom.pages["spectrum"], "show_spectra")
    window.bottom.show_page("agreement")
    commands.set_param(window.document, "t", 3)
    rest(window)
    assert not calls
    window.bottom.show_page("spectrum")
    rest(window)
    assert calls["show_spectra"] == 1
    shown = window.bottom.pages["spectrum"].plot.figure.body.series[0]
    assert np.allclose(shown.y, window.controller.result("p1").result.embedding.eigenvalues)


def test_a_minimised_window_computes_nothing_and_catches_up_with_the_latest(window, rest, calls, qtbot):
    window.showMinimized()
    qtbot.waitUntil(window.isMinimized, timeout=PATIENCE_MS)
    rest(window)
    calls.of(window.controller.scheduler, "submit")
    for t in (2, 3, 4):
        commands.set_param(window.document, "t", t)
        rest(window)
    assert not calls
    window.showNormal()
    qtbot.waitUntil(lambda: calls["submit"] > 0, timeout=PATIENCE_MS)
    rest(window)
    panels = window.document.state.panels
    asked = [dict(window.controller.result(p.id).request.params).get("t", 4) for p in panels]
    assert asked == [4] * 6
    assert calls["submit"] <= 6


@pytest.mark.nightly
def test_a_panel_that_is_hidden_stops_computing(window, rest, calls):
    commands.set_epsilon(window.document, "plain", 0.37)
    assert window.controller.result("p1").status == "computing"
    calls.of(window.controller.scheduler, "cancel")
    window.grid.toggle_maximised("p6")
    assert calls["cancel"] >= 1
    rest(window)
    assert window.controller.result("p1").request is None
    window.grid.toggle_maximised("p6")
    rest(window)
    assert window.controller.result("p1").status == "ready"
    assert window.controller.result("p1").result.embedding.epsilon[0] == pytest.approx(0.37)


@pytest.mark.nightly
def test_hidden_panels_paint_nothing(window, rest, calls):
    window.grid.toggle_maximised("p6")
    rest(window)
    for id in ("p1", "p2"):
        calls.of(window.grid.panels[id].canvas.cloud, "_paint")
    commands.style_points(window.document, point_size=9.0)
    window.grid.panels["p6"].canvas.set_camera(window.grid.panels["p6"].canvas.camera.turned(0.2, 0.0))
    rest(window)
    assert not calls
    assert window.grid.panels["p6"].canvas.cloud.companions == 1
    window.grid.toggle_maximised("p6")
    rest(window)
    assert window.grid.panels["p1"].canvas.cloud.companions == 6
    assert window.grid.panels["p1"].canvas.cloud.look.size == 9.0


# Small things ---------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_list_of_colourings_is_made_once(window, rest, qtbot):
    drag(window, qtbot)  # what was known of the pictures before is not offered any more
    rest(window)
    made: list[int] = []
    window.points.sources.model().rowsInserted.connect(lambda *_: made.append(1))
    commands.select(window.document, [1, 2, 3], "replace")
    drag(window, qtbot)
    rest(window)
    assert not made
    commands.colour_by(window.document, "latent:angle")
    assert window.points.sources.currentData() == "latent:angle"
    assert not made


def test_what_comes_and_goes_below_a_picture_does_not_move_it(window, rest, qtbot):
    panel = window.grid.panels["p1"]
    size = panel.canvas.size()
    for widget in (panel._stop, panel._again, panel.doubt):
        widget.show()
        qtbot.wait(0)
        assert panel.canvas.size() == size
    rest(window)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux only")
def test_workers_stand_back_behind_the_window(window, qtbot):
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own, found = niceness(), []
    job = FunctionJob(lambda task: niceness())
    window.controller.background.submit("probe", job, lambda outcome: found.append(outcome.value))
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE_MS)
    assert found == [own + NICENESS]
    assert niceness() == own


@pytest.mark.nightly
def test_a_drag_is_one_step_to_undo_though_the_hand_stands_still_in_it(window, rest):
    master, whole = window.side.master, window.windowHandle()
    before = window.document.state.epsilon_scale

    def spot(x: int) -> QPoint:
        return master.mapTo(window, QPoint(x, 11))

    QTest.mousePress(whole, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot(60))
    rest(window)
    stood = window.document.state.epsilon_scale
    QTest.mouseMove(whole, spot(100))
    QTest.mouseRelease(whole, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot(100))
    rest(window)
    assert len({before, stood, window.document.state.epsilon_scale}) == 3
    window.document.undo()
    assert window.document.state.epsilon_scale == before


def test_no_full_collection_under_a_pressed_button(app, monkeypatch):
    collector, done = Collector(app), []
    collector._timer.stop()
    buttons = [Qt.MouseButton.LeftButton]
    monkeypatch.setattr(garbage, "QGuiApplication", SimpleNamespace(mouseButtons=lambda: buttons[0]))
    monkeypatch.setattr(gc, "get_count", lambda: (9999, 9999, 9999))
    monkeypatch.setattr(gc, "collect", done.append)
    collector.collect()
    assert done == [0, 1]
    buttons[0] = Qt.MouseButton.NoButton
    collector.collect()
    assert done == [0, 1, 0, 1, 2]
    collector.setParent(None)
