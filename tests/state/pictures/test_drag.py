"""A drag: approximate answers while the hand moves, exact ones as soon as it lets go."""

from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.engine.api import plan
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.methods import get_method
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.panel_result import PanelResult


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


def test_a_step_is_planned_once_in_each_panel(monkeypatch):
    """Cost, key, draft and job all take the same plan."""
    document, controller = opened()
    planned, known = [], plan.check_params
    monkeypatch.setattr(plan, "check_params", lambda *args: planned.append(args[2]) or known(*args))
    commands.set_scale(document, 1.02, interactive=True)
    titles = sorted(r.result.request.plan.method.title for r in controller.results.values())
    assert sorted(planned) == titles
    assert all(r.result.request.interactive for r in controller.results.values())
    controller.end_drag()
    assert sorted(planned) == titles  # the exact answers are to the same question
    controller.shutdown()


@pytest.mark.nightly
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


@pytest.mark.parametrize(
    ("move", "moved"),
    [
        (lambda document: commands.set_epsilon(document, "view2", 0.4, interactive=True), {"view1"}),
        (lambda document: commands.set_param(document, "eta", 0.3, interactive=True), {"view1", "view2"}),
    ],
)
def test_a_drag_leaves_alone_what_does_not_depend_on_it(move, moved):
    document, controller = opened()
    controller.on_idle()
    shown, still = [], [p.id for p in document.state.panels if p.method == "single" and p.view in moved]
    before = {id: (r.result, r.status, r.scores) for id, r in controller.results.items()}
    assert all(before[id][2] is not None for id in still)
    controller.panel_changed.connect(shown.append)
    move(document)
    controller.end_drag()
    assert still
    assert not set(shown) & set(still)
    assert set(shown) - set(still)
    assert {id: before[id] for id in still} == {
        id: (controller.result(id).result, controller.result(id).status, controller.result(id).scores) for id in still
    }
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


@pytest.mark.nightly
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


@pytest.mark.nightly
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
    assert set(cache.computed) == {"decomposition", "walk degrees", "draft"}  # the last is the first, for drags
    controller.shutdown()


def test_a_rough_draft_is_called_one_and_raises_no_doubt():
    data = circle_data(300)
    former = embed(data, "single", epsilon=0.3, n_components=6)
    rough = embed(data, "single", epsilon=0.0005, n_components=6, start=[former], interactive=True)
    assert "rough" in dict(rough.warnings)
    request = Request(data, plan.plan(get_method("single"), data, epsilon=0.0005), interactive=True)
    shown = PanelResult(status="ready", result=Result(request, rough, 0.1, 6))
    assert shown.draft_text == "draft, rough"
    assert not any("rough" in text for text in shown.diagnostics)
    calm = embed(data, "single", epsilon=0.31, n_components=6, start=[former], interactive=True)
    assert PanelResult(status="ready", result=Result(request, calm, 0.1, 1)).draft_text == "draft"
    at_rest = Result(replace(request, interactive=False), former, 0.1, 1)
    assert PanelResult(status="ready", result=at_rest).draft_text == ""


# Many samples -----------------------------------------------------------------------------------------------------


@pytest.fixture
def few_are_many(monkeypatch):
    """Samples are many from 1,200 on, not from 3,000, so that what they cost is little."""
    monkeypatch.setattr(plan, "MANY_TO_DRAG", 1200)


def many(executor=None, previews=False):
    """A document of 1,200 samples with two panels, and its controller."""
    data, document = circle_data(1200), Document()
    controller = Controller(document, executor=executor or Inline(), background=Inline())
    controller.previews = previews
    state = commands.initial_state(data, ("circle",), None, False)
    commands.open_data(document, data, state.model_copy(update={"panels": state.panels[1:3]}))
    return document, controller


@pytest.mark.usefixtures("few_are_many")
def test_a_drag_over_many_samples_solves_a_part_of_them():
    document, controller = many()
    assert {r.stand_in for r in controller.results.values()} == {""}
    commands.set_scale(document, 1.1, interactive=True)
    assert {(r.stand_in, r.draft_text) for r in controller.results.values()} == {("part of 1,000", "draft")}
    controller.end_drag()
    assert {(r.stand_in, r.draft_text) for r in controller.results.values()} == {("", "")}
    for found in controller.results.values():
        assert not found.former[-1].solved_on_part
    controller.shutdown()


@pytest.mark.nightly
@pytest.mark.usefixtures("few_are_many")
def test_the_exact_answer_at_rest_starts_from_the_last_one_of_all_samples():
    document, controller = many()
    whole = {id: r.result for id, r in controller.results.items()}
    for factor in (1.1, 1.2, 1.3):
        commands.set_scale(document, factor, interactive=True)
    for id, found in controller.results.items():
        assert [r is whole[id] for r in found.former] == [True, False, False]
    controller.shutdown()


@pytest.mark.usefixtures("few_are_many")
def test_a_first_picture_of_many_samples_is_a_draft_until_the_exact_one_comes(monkeypatch):
    monkeypatch.setattr(plan, "MANY_AT_FIRST", 1200)
    executor = Later()
    _, controller = many(executor, previews=True)
    for _ in range(2):
        executor.run_one()
    for found in controller.results.values():
        assert (found.stand_in, found.status, found.previews, found.stale) == (
            "part of 1,000",
            "computing",
            True,
            False,
        )
    executor.run_all()
    for found in controller.results.values():
        assert (found.stand_in, found.status, found.previews) == ("", "ready", False)
    controller.shutdown()


def test_nobody_watching_gets_the_exact_answer_at_once():
    executor = Later()
    _, controller = many(executor)
    for _ in range(2):
        executor.run_one()
    assert {(r.stand_in, r.status) for r in controller.results.values()} == {("", "ready")}
    controller.shutdown()


@pytest.mark.usefixtures("few_are_many")
def test_a_drag_never_restarts_a_first_picture():
    executor = Later()
    document, controller = many(executor)
    opened_at = {id: r.request.epsilon for id, r in controller.results.items()}
    executor.run_one()  # the others have not begun
    commands.set_scale(document, 1.1, interactive=True)
    commands.set_scale(document, 1.2, interactive=True)
    late = list(controller.results)[1:]
    for _ in late:
        executor.run_one()
    for id in late:
        assert controller.results[id].result.request.epsilon == opened_at[id]
    executor.run_all()
    for panel, found in zip(document.state.panels, controller.results.values(), strict=True):
        assert found.status == "ready"
        assert found.result.request.epsilon == controller.request_for(panel).epsilon != opened_at[panel.id]
    controller.shutdown()


def test_the_panel_in_focus_comes_first():
    document, controller = opened()
    seen = []
    controller.panel_changed.connect(lambda id: seen.append(id) if controller.result(id).status == "ready" else None)
    controller.focused = document.state.panels[3].id
    commands.set_scale(document, 1.1, interactive=True)
    assert seen[0] == controller.focused
    assert set(seen) == {p.id for p in document.state.panels}
    controller.shutdown()


def test_a_drag_begins_in_the_panel_in_focus_alone():
    """On a second worker a quicker panel would have its picture before."""
    document, executor = Document(), Later()
    controller = Controller(document, executor=executor, background=Inline())
    data = circle_data(60)
    commands.open_data(document, data, commands.initial_state(data, ("memory",), None, False))
    executor.run_all()
    controller.focused = document.state.panels[3].id

    def computing():
        return [id for id, found in controller.results.items() if found.status == "computing"]

    commands.set_scale(document, 1.1, interactive=True)
    assert computing() == [controller.focused]
    commands.set_scale(document, 1.2, interactive=True)
    assert computing() == [controller.focused]
    executor.run_one()
    assert len(computing()) == 6  # all of them, where the hand is now
    executor.run_all()
    commands.set_scale(document, 1.3, interactive=True)
    assert len(computing()) == 6
    executor.run_all()
    controller.end_drag()
    executor.run_all()
    commands.set_scale(document, 1.4, interactive=True)
    assert computing() == [controller.focused]
    executor.run_all()
    controller.shutdown()
