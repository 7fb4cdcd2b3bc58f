"""Makes the frozen request of a panel from the document's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.plan import drafted_on_part, plan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.model import (
    DocumentState,
    PanelState,
    panel_bandwidth,
    panel_kernel,
    panel_params,
    panel_views,
)
from mvexplorer.state.pictures.panel_result import TooLarge


def request_of(state: DocumentState, data: MultiView | None, panel: PanelState) -> Request:
    """The request of one panel; MVExplorerError, with a message for the user, if there is none."""
    if data is None:
        raise MVExplorerError("There is no data.", "Open a file or a sample.")
    method = get_method(panel.method)
    if not (state.enabled or method.shows_given):
        raise MVExplorerError("No view is ticked.", "Tick at least one view on the left.")
    params = panel_params(state, panel, method)
    views = panel_views(state, panel, method)
    own = params.get("view")
    if own is not None and own not in views:
        views = (str(own), *views)
    kernels = tuple(panel_kernel(state, panel, v) for v in views)
    epsilon = tuple(panel_bandwidth(state, panel, v) for v in views)
    return Request(data, plan(method, data, views, kernels, epsilon, params, state.subsample), state.random_state)


class Requests:
    """The last request of each panel: most edits concern few panels, and of hundreds of views a request takes long."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[tuple[object, ...], Request]] = {}

    def of(self, state: DocumentState, data: MultiView | None, panel: PanelState) -> Request:
        """Return the request of one panel, as `request_of` does: the same while nothing it depends on changes."""
        about = (data, panel, state.views, state.params, state.epsilon_scale, state.subsample, state.random_state)
        former, request = self._made.get(panel.id, ((), None))
        if request is None or not all(a is b for a, b in zip(former, about, strict=True)):
            request = request_of(state, data, panel)
            self._made[panel.id] = about, request
        return request


def warmed(request: Request, former: Sequence[Result], *, interactive: bool, preview: bool = False) -> Request:
    """The request with the former answers that its solver can start from, the latest last.

    With `interactive` it is a draft where that is quicker: where such an answer exists, or where a random part of many
    samples is solved. Otherwise a drag's first step is computed exactly. With `preview` only such a part is a draft.
    """
    near = tuple(
        result.embedding
        for result in former
        if get_method(request.method).warm_starts
        and result.request.method == request.method
        and result.request.data is request.data
        and result.request.views == request.views
    )
    quick = interactive and bool(near)
    if not quick and (interactive or preview):
        quick = drafted_on_part(request.plan, cold=preview) is not None
    return replace(request, interactive=quick, start=near)


def affordable(request: Request, memory: int) -> Estimate:
    """The request's memory and time; TooLarge if it exceeds so many bytes."""
    cost = request.plan.cost(memory)
    if cost.bytes <= memory:
        return cost
    raise TooLarge(
        f"{get_method(request.method).title} of {request.data.n_samples:,} samples {cost.describe(memory)}.",
        tuple(way for way in request.plan.alternatives(memory) if way.estimate.bytes <= memory),
    )


def approximates_gaussian(request: Request) -> bool:
    """Whether a request approximates dense Gaussians, by its kernels or by a random part of the samples."""
    return request.subsample is not None or any(k.kind.approximates_gaussian for k in request.kernels)


def rules_depend_on(state: DocumentState) -> tuple[list[tuple[bool, str]], set[tuple[str, str]]]:
    """The settings on which bandwidth rules depend, besides the data, and which rules panels have of their own."""
    pins = (pin for panel in state.panels for pin in panel.pins.items() if pin[0].startswith("epsilon:"))
    return [(v.enabled, v.kernel) for v in state.views], {(name, rule) for name, rule in pins if isinstance(rule, str)}
