"""A picture under a title is that title's picture: anything else shows a skeleton until its own arrives."""

from __future__ import annotations

import threading

import pytest
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.compute.jobs import jobs
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ComputeError
from mvexplorer.state.document import commands


@pytest.fixture
def held(window, monkeypatch):
    """Computations wait until they are let go; `held.fail` makes them fail instead."""
    real, go_on, begun = jobs.run_request, threading.Event(), threading.Event()

    class Held:
        fail = False

        def let_go(self):
            go_on.set()

        def hold(self):
            go_on.clear()

        def run(self, request, cache, task):
            begun.set()
            while not go_on.wait(0.005):
                task.checkpoint()
            if self.fail:
                raise ComputeError("It does not work.", "Try another.")
            return real(request, cache, task)

    made = Held()
    monkeypatch.setattr(jobs, "run_request", made.run)
    yield made
    go_on.set()


def skeleton(panel) -> str:
    """The text of the skeleton; empty where a picture is shown."""
    shown = panel._stack.currentWidget() is panel._skeleton
    assert shown == (panel.canvas.cloud.n_points == 0)
    return panel._skeleton.text() if shown else ""


def panel_of(window, method):
    id = next(p.id for p in window.document.state.panels if p.method == method)
    return id, window.grid.panels[id]


def test_another_method_shows_its_skeleton(window, held, rest):
    id, panel = panel_of(window, "multiview")
    assert not skeleton(panel)
    commands.set_method(window.document, id, "concatenation")
    words = skeleton(panel)
    assert "Concatenation" in words
    assert "computing" in words
    assert panel.scores.labels["nmi"].isHidden()
    held.let_go()
    rest(window)
    assert not skeleton(panel)


def test_undo_shows_the_skeleton_of_the_former_method(window, held, rest):
    id, panel = panel_of(window, "multiview")
    commands.set_method(window.document, id, "concatenation")
    held.let_go()
    rest(window)
    held.hold()
    window.document.undo()
    assert "Multi-view" in skeleton(panel)
    held.let_go()
    rest(window)
    assert window.controller.result(id).result.request.method == "multiview"


def test_another_view_of_a_single_view_panel(window, held):
    id, panel = panel_of(window, "single")
    commands.set_method(window.document, id, "single", "wavy")
    assert "computing" in skeleton(panel)


@pytest.mark.nightly
def test_another_pair_of_views(window, held, rest):
    data = small_data()
    held.let_go()
    show_fresh(window, MultiView({"a": data.Xs[0], "b": data.Xs[1], "c": data.Xs[0] * 2}))
    rest(window)
    id, panel = panel_of(window, "de-sa")
    assert not skeleton(panel)
    held.hold()
    commands.change_panel(window.document, id, "Change pair", pair=("b", "c"))
    assert "de sa" in skeleton(panel).casefold()
    held.let_go()
    rest(window)
    assert not skeleton(panel)


@pytest.mark.nightly
def test_another_tick_changes_the_pair_of_a_two_view_panel(window, held, rest):
    data = small_data()
    held.let_go()
    show_fresh(window, MultiView({"a": data.Xs[0], "b": data.Xs[1], "c": data.Xs[0] * 2}))
    rest(window)
    _, panel = panel_of(window, "de-sa")
    held.hold()
    commands.tick_view(window.document, "a", False)
    assert "de sa" in skeleton(panel).casefold()


def test_a_panel_behind_a_maximised_one_keeps_no_picture_of_another_method(window, held, rest):
    """Exported sheets show hidden panels too."""
    id, panel = panel_of(window, "multiview")
    window.grid.toggle_maximised(panel_of(window, "de-sa")[0])
    commands.set_method(window.document, id, "concatenation")
    assert window.controller.result(id).drawing.points is None
    window.grid.toggle_maximised(panel_of(window, "de-sa")[0])
    assert "Concatenation" in skeleton(panel)


def test_a_method_that_fails_does_not_bring_the_old_picture_back(window, held, rest):
    held.fail = True
    id, panel = panel_of(window, "multiview")
    commands.set_method(window.document, id, "concatenation")
    held.let_go()
    rest(window)
    assert "Concatenation" in skeleton(panel)
    assert "It does not work." in panel._message.text()
    assert panel._message_area.isVisible()


def test_a_method_that_cannot_run_at_all(window, rest):
    """Refused before anything is computed."""
    id, panel = panel_of(window, "multiview")
    commands.set_method(window.document, id, "tensor-cca")
    assert "Tensor CCA" in skeleton(panel)
    rest(window)
    assert window.controller.result(id).status == "failed"


def test_a_parameter_keeps_the_last_picture(window, held, rest, qtbot):
    _, panel = panel_of(window, "multiview")
    commands.set_param(window.document, "eta", 0.3)
    assert not skeleton(panel)
    qtbot.waitUntil(lambda: panel.canvas.dimmed, timeout=PATIENCE_MS)
    assert not skeleton(panel)
    held.let_go()
    rest(window)
