"""A drag: approximate answers while the hand moves, exact ones as soon as it lets go."""

from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pytest
from inline import CountingCache, Inline, circle_data

from mvexplorer.compute.request import Request
from mvexplorer.compute.runner import Result
from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.state import commands
from mvexplorer.state.controller import Controller
from mvexplorer.state.document import Document
from mvexplorer.state.panel_result import PanelResult


def opened():
    document = Document()
    controller = Controller(document, executor=Inline(), background=Inline())
    data = open_sample("helix-a")
    commands.open_data(document, data, commands.initial_state(data, ("helix-a",), find_sample("helix-a"), False))
    return document, controller


def warm_starts(controller):
    return {id: r.result.request.interactive for id, r in controller.results.items()}


def test_drafts_follow_the_hand_and_exact_answers_replace_them():
    document, controller = opened()
    assert not any(warm_starts(controller).values())
    commands.set_scale(document, 1.02, interactive=True)
    assert all(warm_starts(controller).values())
    drafted = {id: r.result for id, r in controller.results.items()}
    commands.set_scale(document, 1.04, interactive=True)
    controller.end_drag()
    assert not any(warm_starts(controller).values())
    for id, found in controller.results.items():
        assert found.status == "ready"
        assert found.result is not drafted[id]
        assert found.result.embedding.epsilon[0] == 0.36 * 1.04
    controller.shutdown()


def test_resting_without_letting_go_is_enough():
    document, controller = opened()
    commands.set_epsilon(document, "view1", 0.37, interactive=True)
    controller.on_idle()
    assert not any(warm_starts(controller).values())
    controller.shutdown()


def test_an_edit_that_is_not_a_drag_is_exact_at_once():
    document, controller = opened()
    commands.set_scale(document, 1.1)
    assert not any(warm_starts(controller).values())
    document.undo()
    assert not any(warm_starts(controller).values())
    controller.shutdown()


def test_another_method_has_nothing_to_start_from():
    document, controller = opened()
    panel = document.state.panels[2].id
    commands.set_method(document, panel, "concatenation")
    commands.set_scale(document, 1.01, interactive=True)
    assert controller.result(panel).result.request.interactive
    commands.tick_view(document, "view2", False)
    assert not controller.result(document.state.panels[0].id).result.request.interactive
    controller.shutdown()


# A long drag on real threads ----------------------------------------------------------------------------------


class Loop:
    """An event loop of closures: what workers hand over is run by the thread that owns the document."""

    def __init__(self):
        self.waiting = SimpleQueue()

    def turn(self):
        while not self.waiting.empty():
            self.waiting.get()()

    def until_idle(self, controller):
        while not (controller.wait_idle(0.01) and self.waiting.empty()):
            self.turn()


def test_a_long_drag_leaves_no_queue_and_ends_at_the_right_picture():
    document, loop = Document(), Loop()
    controller = Controller(document, post=loop.waiting.put)
    data = circle_data(400)
    commands.open_data(document, data, commands.initial_state(data, ("memory",), None, False))
    loop.until_idle(controller)
    computed = []
    controller.panel_changed.connect(lambda id: computed.append(controller.result(id).result))
    places = 0.2 * 1.5 ** np.sin(np.linspace(0.0, 12.0, 400))
    for epsilon in places:
        commands.set_epsilon(document, "v1", float(epsilon), interactive=True)
        loop.turn()
        # One running and one waiting per panel, whatever the hand does.
        assert len(controller.scheduler.tasks()) <= len(document.state.panels)
    controller.end_drag()
    controller.on_idle()
    loop.until_idle(controller)
    assert len({id(r) for r in computed}) < len(places) * len(document.state.panels)
    for panel in document.state.panels:
        found = controller.result(panel.id)
        params = {"view": panel.view} if panel.method == "single" else {}
        used = [e if v == "v1" else f for v, e, f in zip(
            found.result.request.views, [places[-1]] * 2, found.result.embedding.epsilon, strict=False)]  # fmt: skip
        exact = embed(
            data, panel.method, views=found.result.request.views, epsilon=used,
            n_components=document.state.params["n_components"], **params,
        )  # fmt: skip
        assert found.status == "ready"
        assert found.result.embedding.epsilon == exact.epsilon
        assert found.result.embedding.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-10)
    controller.shutdown()


def test_visited_places_are_there_at_once():
    document, cache = opened()[0], CountingCache()
    controller = Controller(document, executor=Inline(), background=Inline(), cache=cache)
    controller.refresh()
    places = [0.36 * 1.02**i for i in range(6)]
    for epsilon in places:
        commands.set_epsilon(document, "view1", epsilon, interactive=True)
    drafts_computed, kernels = cache.count("draft"), cache.count("kernel")
    for epsilon in reversed(places[:-1]):
        commands.set_epsilon(document, "view1", epsilon, interactive=True)
        assert {r.result.products for id, r in controller.results.items() if id != "p2"} == {0}
    assert cache.count("draft") == drafts_computed
    assert cache.count("kernel") == kernels > 0
    controller.shutdown()


def test_a_step_of_the_time_solves_nothing_and_one_of_eta_evaluates_no_kernel():
    document, cache = opened()[0], CountingCache()
    controller = Controller(document, executor=Inline(), background=Inline(), cache=cache)
    controller.refresh()
    cache.computed.clear()
    commands.set_param(document, "t", 5, interactive=True)
    assert cache.computed == []
    cache.computed.clear()
    commands.set_param(document, "t", 6)
    assert cache.computed == []
    commands.set_param(document, "eta", 0.4)
    assert set(cache.computed) == {"decomposition", "draft"}  # the latter is the same one, kept for drags
    controller.shutdown()


def test_a_rough_draft_is_called_one_and_raises_no_doubt():
    data = circle_data(300)
    former = embed(data, "single", epsilon=0.3, n_components=6)
    rough = embed(data, "single", epsilon=0.0005, n_components=6, start=[former], interactive=True)
    assert "rough" in dict(rough.warnings)
    request = Request(data, "single", ("v1",), (Bandwidth(0.0005),), (GAUSSIAN,), interactive=True)
    shown = PanelResult(status="ready", result=Result(request, rough, 0.1, 6))
    assert shown.draft_text == "draft, rough"
    assert not any("rough" in text for text in shown.diagnostics)
    calm = embed(data, "single", epsilon=0.31, n_components=6, start=[former], interactive=True)
    assert PanelResult(status="ready", result=Result(request, calm, 0.1, 1)).draft_text == "draft"
    at_rest = Result(replace(request, interactive=False), former, 0.1, 1)
    assert PanelResult(status="ready", result=at_rest).draft_text == ""
