"""Hundreds of views: what is done for each does not grow with how many there are."""

from __future__ import annotations

from functools import partial

import numpy as np
from counted import counted_calls
from inline import Later, circle_data

from mvexplorer.compute.jobs.cost import cost_of_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import changed_views
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.summaries import AT_ONCE

FEW, MANY = 50, 400
RULES = ("max-min", "multiview")


def calls_per_view(n_views: int) -> float:
    """Calls of Python functions that the memory of the rules of one view takes to tell, of all views in turn."""
    data = MultiView({f"v{i}": np.zeros((8, 2)) + np.arange(8.0)[:, None] for i in range(n_views)})
    kernels = dict.fromkeys(range(n_views), GAUSSIAN)
    with counted_calls() as calls:
        costs = {cost_of_rules(data, kernels, view, RULES).bytes for view in kernels}
    assert len(costs) == 1
    return calls[0] / n_views


def test_the_memory_of_rules_is_told_at_once_for_all_views():
    calls_per_view(2)
    few, many = calls_per_view(FEW), calls_per_view(MANY)
    # The kernels of all views are compared with those asked about before: a call or two for each.
    assert (many - few) / (MANY - FEW) < 4


def test_a_view_is_found_by_its_name_at_once():
    """Pictures ask for each of their views, six at every step of a drag."""
    data = MultiView({f"v{i}": np.zeros((8, 2)) + np.arange(8.0)[:, None] for i in range(MANY)})
    state = commands.initial_state(data, ("memory",), None)
    again = updated(state, {"views": (updated(state.views[0], {"enabled": False}), *state.views[1:])})
    with counted_calls() as calls:
        names = [each.view(view.name).name for view in state.views for each in (state, again)]
    assert names == [view.name for view in state.views for _ in range(2)]
    assert again.find_view("v0") is again.views[0]
    assert state.find_view("v0") is state.views[0]
    assert changed_views(state, again) == [again.views[0]]
    assert state.find_view("gone") is None
    assert calls[0] < 10 * MANY


def test_rules_are_asked_for_a_few_views_at_a_time():
    """Handing over hundreds of jobs takes long, and few run at once."""
    data = circle_data(n_samples=12, n_views=AT_ONCE + 20)
    document, waiting = Document(), Later()
    controller = Controller(document, executor=Later(), background=waiting)
    document.reset(commands.initial_state(data, ("memory",), None), data)
    assert len(controller.background.tasks()) == AT_ONCE
    controller.cancel(controller.background.tasks()[0].slot)
    waiting.run_one()
    waiting.run_one()
    assert len(controller.background.tasks()) == AT_ONCE - 1  # one was stopped, another ended
    waiting.run_all()
    assert set(data.view_names) - set(controller.summaries) == {data.view_names[0]}
    controller.shutdown()


def test_what_does_not_concern_a_panel_asks_for_the_same_again():
    document = Document()
    controller = Controller(document, executor=Later(), background=Later())
    data = circle_data(n_views=3)
    document.reset(commands.initial_state(data, ("memory",), None), data)
    panel = next(p.id for p in document.state.panels if p.method == "multiview")
    request = lambda: controller.request_for(document.state.panel(panel))  # noqa: E731
    before = request()
    commands.select(document, [1, 2])
    commands.colour_by(document, "")
    assert request() is before
    for edit in (
        partial(commands.set_epsilon, document, "v1", 3.0), partial(commands.set_scale, document, 2.0),
        partial(commands.set_kernel, document, "v2", "laplacian"), partial(commands.tick_view, document, "v3", False),
        partial(commands.set_param, document, "t", 3), partial(commands.pin, document, panel, "n_components", 5),
        partial(commands.compute_by, document, None, 40),
    ):  # fmt: skip
        edit()
        assert request() == request_of(document.state, data, document.state.panel(panel)) != before
        before = request()
    controller.shutdown()
