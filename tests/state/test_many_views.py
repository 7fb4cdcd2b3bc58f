"""Hundreds of views: what is done for each does not grow with how many there are."""

from __future__ import annotations

import sys

import numpy as np

from mvexplorer.compute.cost import cost_of_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.state import commands
from mvexplorer.state.frozen import updated
from mvexplorer.state.model import changed_views

FEW, MANY = 50, 400
RULES = ("max-min", "multiview")


def calls_per_view(n_views: int) -> float:
    """Calls of Python functions that the memory of the rules of one view takes to tell, of all views in turn."""
    data = MultiView({f"v{i}": np.zeros((8, 2)) + np.arange(8.0)[:, None] for i in range(n_views)})
    kernels = dict.fromkeys(range(n_views), GAUSSIAN)
    calls = 0

    def count(_frame, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        costs = {cost_of_rules(data, kernels, view, RULES).bytes for view in kernels}
    finally:
        sys.setprofile(None)
    assert len(costs) == 1
    return calls / n_views


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
    calls = 0

    def count(_frame, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        names = [each.view(view.name).name for view in state.views for each in (state, again)]
    finally:
        sys.setprofile(None)
    assert names == [view.name for view in state.views for _ in range(2)]
    assert again.find_view("v0") is again.views[0]
    assert state.find_view("v0") is state.views[0]
    assert changed_views(state, again) == [again.views[0]]
    assert state.find_view("gone") is None
    assert calls < 10 * MANY
