"""Edits of ingredients: metric and kernel of the views, loops, normalisation and rows.

Each is chosen for all panels, or pinned to one. What no panel could compute is refused with the engine's sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, check_width, parse_metric
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import unit_rows
from mvexplorer.engine.pipeline.ingredients import NORMALISATION, SELF_LOOPS, WALK, resolved
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.ingredients.shown import (
    KERNEL,
    METRIC,
    NAMES,
    PARAMS,
    choices_of,
    kernels_in_use,
    value_in_effect,
)
from mvexplorer.state.document.ingredients.words import PRECOMPUTED
from mvexplorer.state.document.model import DocumentState, PanelState, panel_params
from mvexplorer.state.document.titles import panel_title
from mvexplorer.wording import listed


def choose_ingredient(document: Document, name: str, value: Any, panel: str | None = None) -> str:
    """Give an ingredient a value in all panels, or in one; return a sentence about views that stay as they were.

    ParameterError or DataError, and no edit, where no view can take it, or a panel could not be computed with it.
    """
    state, kept = document.state, dict[str, MVExplorerError]()
    own = None if panel is None else state.find_panel(panel)
    if panel is not None and own is None:
        return ""
    if name in (METRIC, KERNEL):
        change = _metric_change(value, document.data) if name == METRIC else _kernel_change(value)
        after = _with_kernels(state, own, change, kept)
    else:
        after = _with_param(state, own, name, value)
    _check_panels(state, after)
    where = f" in {panel_title(state, own)}" if own is not None else ""
    document.apply(f"{label_of(name, value)}{where}", after)
    return _about_kept(name, kept)


def label_of(name: str, value: Any) -> str:
    """The name of the edit that gives an ingredient this value."""
    choices = choices_of(name, present=value if name == KERNEL else None)
    value = parse_kernel(value).text if name == KERNEL else value
    return next(choice.label for choice in choices if choice.value == value)


def as_in_the_paper(document: Document, panel: str | None = None) -> None:
    """Give all panels, or one, the papers' ingredients; tables of affinities stay what they are."""
    state = document.state
    own = None if panel is None else state.find_panel(panel)
    if panel is not None and own is None:
        return

    def plain(kernel: Kernel, _view: str) -> Kernel:
        return kernel if kernel.kind.id == PRECOMPUTED else GAUSSIAN

    after = state if own is not None else _without_pins(state)
    after = _with_kernels(after, own, plain, {})
    for param in PARAMS:
        after = _with_param(after, None if own is None else after.panel(own.id), param.name, param.default)
    where = "" if own is None else f" in {panel_title(state, own)}"
    document.apply(f"As in the paper{where}", after)


def _without_pins(state: DocumentState) -> DocumentState:
    """The state without ingredients pinned to panels; affinities that are a view itself stay pinned."""

    def stays(name: str, value: Any) -> bool:
        kernel = name.startswith("kernel:")
        return parse_kernel(value).kind.id == PRECOMPUTED if kernel else name not in NAMES

    panels = tuple(updated(p, {"pins": {n: v for n, v in p.pins.items() if stays(n, v)}}) for p in state.panels)
    return state.model_copy(update={"panels": panels})


def _metric_change(value: Any, data: MultiView | None) -> Callable[[Kernel, str], Kernel]:
    metric = parse_metric(value)

    def change(kernel: Kernel, view: str) -> Kernel:
        if metric == "correlation" and data is not None and view in data.view_names:
            check_width(data.Xs[data.view_index(view)].shape[1], view)
        return kernel.on(metric, view)

    return change


def _kernel_change(value: Any) -> Callable[[Kernel, str], Kernel]:
    wanted = parse_kernel(value)

    def change(kernel: Kernel, view: str) -> Kernel:
        if kernel.kind.id == PRECOMPUTED:
            raise ParameterError(
                f"View “{view}” is a table of affinities: it has no distances for another kernel.",
                "Choose a kernel in the view's own menu if it is a table of features.",
            )
        return wanted.on(kernel.metric) if wanted.takes_metric and wanted.metric == EUCLIDEAN else wanted

    return change


def _with_kernels(
    state: DocumentState,
    panel: PanelState | None,
    change: Callable[[Kernel, str], Kernel],
    kept: dict[str, MVExplorerError],
) -> DocumentState:
    """The state with changed kernels; `kept` gets the views that cannot take the change. Raised where none can."""
    texts: dict[str, str] = {}
    for view, kernel in kernels_in_use(state, panel).items():
        try:
            texts[view] = change(kernel, view).text
        except MVExplorerError as error:
            kept[view] = error
    if kept and not texts:
        raise next(iter(kept.values()))
    for view, text in texts.items():
        if panel is None:
            state = state.with_view(view, kernel=text)
        else:
            state = _pinned(state, panel.id, f"kernel:{view}", text, state.view(view).kernel)
    return state


def _with_param(state: DocumentState, panel: PanelState | None, name: str, value: Any) -> DocumentState:
    param = next(param for param in PARAMS if param.name == name)
    checked = param.check(value)
    if name == SELF_LOOPS.name and checked is not None:
        usual = value_in_effect(state, panel, NORMALISATION.name) == WALK
        checked = None if checked == usual else checked  # as the normalisation has it
    if panel is None:
        return state.model_copy(update={"params": {**state.params, name: checked}})
    return _pinned(state, panel.id, name, checked, state.params.get(name, param.default))


def _pinned(state: DocumentState, panel: str, name: str, value: Any, shared: Any) -> DocumentState:
    """The state with a value pinned to a panel; without a pin where that is the shared one."""
    pins = {n: v for n, v in state.panel(panel).pins.items() if n != name}
    return state.with_panel(panel, pins=pins if value == shared else {**pins, name: value})


def _check_panels(before: DocumentState, after: DocumentState) -> None:
    """Refuse what a panel on show could not be computed with, unless it already could not."""
    for panel in after.shown:
        former = before.find_panel(panel.id)
        try:
            _check_panel(after, panel)
        except MVExplorerError:
            if former is None or not _is_refused(before, former):
                raise


def _is_refused(state: DocumentState, panel: PanelState) -> bool:
    try:
        _check_panel(state, panel)
    except MVExplorerError:
        return True
    return False


def _check_panel(state: DocumentState, panel: PanelState) -> None:
    method = get_method(panel.method)
    params = panel_params(state, panel, method)
    resolved(params, method.title, list(kernels_in_use(state, panel).values()))
    if unit_rows.scales_rows(method, params):
        unit_rows.check_coordinates(method, params, int(params.get("n_components") or 2))


def _about_kept(name: str, kept: Mapping[str, MVExplorerError]) -> str:
    """A sentence about views that could not take a value; empty where all could."""
    if not kept:
        return ""
    verb = "keeps its" if len(kept) == 1 else "keep their"
    reason = next(iter(kept.values())).message
    return f"{listed(list(kept))} {verb} {name}. {reason}"
