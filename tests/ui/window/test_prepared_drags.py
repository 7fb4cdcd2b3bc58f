"""The window prepares drags while the hand rests: what it shows of that, and when it does not."""

from __future__ import annotations

import pytest
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.compute.run.cache import PREPARED
from mvexplorer.state.document import commands


@pytest.fixture(autouse=True)
def no_anchors() -> None:
    """Here anchors are made."""


def prepared(window) -> int:
    return window.controller.cache.made[PREPARED]


@pytest.fixture
def calm(qtbot):
    """Waits until nothing is made ahead any more."""

    def wait(window) -> None:
        qtbot.waitUntil(lambda: window.workbench.anchors._scheduler.idle, timeout=PATIENCE_MS)

    return wait


@pytest.fixture
def ready(make_window, rest, qtbot):
    """A window of its own, with a way that is prepared on either side."""
    window = make_window()
    show_fresh(window, small_data())
    rest(window)
    qtbot.waitUntil(lambda: len(window.workbench.anchors.reach) > 3, timeout=PATIENCE_MS)
    return window


def test_the_track_shows_how_far_it_reaches_and_a_drag_there_computes_nothing(ready, qtbot, monkeypatch):
    low, high = ready.workbench.anchors.reach[0]
    slider = ready.side.master
    qtbot.waitUntil(lambda: any(a <= low and high <= b for a, b in slider._quick), timeout=PATIENCE_MS)
    submitted = []
    monkeypatch.setattr(ready.controller.scheduler, "submit", lambda *given, **named: submitted.append(given))
    commands.set_scale(ready.document, (low * high) ** 0.5, interactive=True)
    walks = {panel.id for panel in ready.document.state.panels if ready.controller.result(panel.id).result.prepared}
    assert walks
    assert not walks & {given[0] for given in submitted}
    shown = next(iter(walks))
    assert ready.grid.panels[shown].result.draft_text == "draft"


@pytest.mark.nightly
def test_the_menu_turns_it_off_and_on(ready, rest, qtbot, calm):
    ready.behaviour.prepare(False)
    calm(ready)
    assert not ready.workbench.settings.prepare
    before = prepared(ready)
    commands.set_param(ready.document, "alpha", 0.5)
    rest(ready)
    calm(ready)
    assert prepared(ready) == before
    ready.behaviour.prepare(True)
    qtbot.waitUntil(lambda: prepared(ready) > before, timeout=PATIENCE_MS)


def test_a_minimised_window_prepares_nothing(ready, rest, qtbot, calm):
    ready.showMinimized()
    qtbot.waitUntil(ready.isMinimized, timeout=PATIENCE_MS)
    calm(ready)
    before = prepared(ready)
    commands.set_param(ready.document, "alpha", 0.25)
    rest(ready)
    calm(ready)
    assert prepared(ready) == before
    ready.showNormal()
    qtbot.waitUntil(lambda: prepared(ready) > before, timeout=PATIENCE_MS)
