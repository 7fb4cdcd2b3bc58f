"""Colouring by where two views differ: ``difference:I:J``, the views by their places among those of the data."""

from __future__ import annotations

from itertools import combinations

from mvexplorer.compute.jobs.common_job import DifferenceJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.colour_titles import difference_title, two_views
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.requests import request_of


def difference_panel(data: MultiView, rest: str) -> PanelState | None:
    """The panel that would show by the method *difference* what colours the points; None without two views."""
    views = two_views(data, rest)
    return None if views is None else PanelState(id="", method="difference", pair=views)


def _request(ground: Ground, rest: str) -> Request | None:
    """The walks of both views as the method *difference* takes them at the shared settings."""
    panel = difference_panel(ground.data, rest)
    if panel is None or not set(panel.pair or ()) <= set(ground.state.enabled) or ground.state.subsample is not None:
        return None
    try:
        return request_of(ground.state, ground.data, panel)
    except MVExplorerError:
        return None


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    request = _request(ground, rest)
    if request is None:
        return None
    plan, title = request.plan, difference_title(ground.state, ground.data, rest)
    about = repr((plan.views, plan.kernels, plan.epsilon, sorted(plan.params.items(), key=str), request.random_state))
    # A panel of both views tells when a hand that drags their ε rests.
    shown = ((panel.id, ground.shown(panel.id)) for panel in ground.state.shown)
    follows = (id for id, result in shown if result is not None and set(plan.views) <= set(result.embedding.views))
    return ColouringRequest(
        DifferenceJob(request),
        lambda shares: Colouring(title, shares),
        tuple(follows)[:1],
        (ground.data, about),
        plan.cost(DEFAULT_MEMORY),
    )


def _offered(ground: Ground) -> tuple[str, ...]:
    most = 6  # views; of more, pairs would fill the list
    enabled = ground.state.enabled
    if len(enabled) > most:
        return ()
    places = sorted(ground.data.view_index(name) for name in enabled if name in ground.data.view_names)
    each = (f"{i}:{j}" for i, j in combinations(places, 2))
    return tuple(rest for rest in each if _request(ground, rest) is not None)


DIFFERENCE = Kind(_ask, difference_title, "Difference of two views", _offered)
