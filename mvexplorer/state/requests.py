"""From a document and a panel to the frozen request it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mvexplorer.compute.request import Request
from mvexplorer.compute.runner import Result
from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.model import DocumentState, PanelState, panel_bandwidth, panel_kernel, panel_params, panel_views

UNUSED = Bandwidth(1.0)
"""Replaces a bandwidth that has no effect."""


def request_of(state: DocumentState, data: MultiView | None, panel: PanelState) -> Request:
    """The request of one panel; MVExplorerError says what the user should read where there is none."""
    if data is None:
        raise MVExplorerError("There is no data.", "Open a file or a sample.")
    method = get_method(panel.method)
    if not state.enabled:
        raise MVExplorerError("No view is ticked.", "Tick at least one view on the left.")
    params = panel_params(state, panel, method)
    views = panel_views(state, panel, method)
    own = params.get("view")
    if own is not None and own not in views:
        views = (str(own), *views)
    kernels = tuple(panel_kernel(state, panel, v) for v in views)
    refused = check_applicable(method, views, kernels)
    if refused is not None:
        raise refused
    epsilon = tuple(panel_bandwidth(state, panel, v) for v in views)
    if own is not None:
        views, epsilon, kernels = _only(str(own), views, epsilon, kernels)
    # Requests must not differ in what has no effect: an unused ε would compute everything anew.
    if method.requires == "features":
        kernels = tuple(k if method.joint_kernel and k.kind.approximates_gaussian else GAUSSIAN for k in kernels)
    epsilon = tuple(
        e if method.epsilon_matters(params) and k.kind.uses_epsilon else UNUSED
        for e, k in zip(epsilon, kernels, strict=True)
    )
    subsample = state.subsample if state.subsample is not None and state.subsample < data.n_samples else None
    return Request(data, method.id, views, epsilon, kernels, tuple(params.items()), state.random_state, subsample)


def _only(
    view: str, views: tuple[str, ...], epsilon: tuple[Bandwidth, ...], kernels: tuple[Kernel, ...]
) -> tuple[tuple[str, ...], tuple[Bandwidth, ...], tuple[Kernel, ...]]:
    """One view's part of a request. Another view's ε must not change it, unless its rule compares the views."""
    own, kernel = epsilon[views.index(view)], kernels[views.index(view)]
    if own.rule == "multiview":
        return views, (own,) * len(views), kernels
    return (view,), (own,), (kernel,)


def warmed(request: Request, former: Sequence[Result], *, interactive: bool) -> Request:
    """The request with the former answers that its solver can start from, the latest last.

    With `interactive` it is a draft, unless there is no such answer: a drag's first step is then computed exactly.
    """
    if not get_method(request.method).warm_starts:
        return request
    near = tuple(
        result.embedding for result in former
        if result.request.method == request.method and result.request.data is request.data
        and result.request.views == request.views
    )  # fmt: skip
    return replace(request, interactive=interactive and bool(near), start=near)
