"""The edit that gives a document, or one panel, the explicit values of a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mvexplorer.engine.api.recipes import Recipe, notice_of, recipes, takes_kernels
from mvexplorer.engine.kernels.affinities import Kernel, parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.ingredients import SELF_LOOPS
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import (
    DocumentState,
    PanelState,
    ViewState,
    panel_kernel,
    panel_params,
    panel_view,
    panel_views,
)
from mvexplorer.state.document.titles import panel_title
from mvexplorer.wording import listed


def apply_recipe(document: Document, recipe: str, panel: str | None = None) -> str:
    """Give all panels, or one of them as its pins, a recipe's values, as one edit.

    Where a view gets another metric, a number as its ε gives way to the rule last used: its unit is another one.
    Returns sentences on that and on views that stay as they are, empty where there is nothing to say.
    """
    chosen, state, data = recipes()[recipe], document.state, document.data
    one = None if panel is None else state.find_panel(panel)
    if data is None or (panel is not None and one is None):
        return ""
    names = _views_on_show(state) if one is None else _views_of(state, one)
    present = {name: panel_kernel(state, one, name) for name in names}
    kernels, refused = chosen.measured({name: chosen.kernel_of(kernel) for name, kernel in present.items()}, data)
    other_units = tuple(name for name in names if kernels[name].metric != present[name].metric)
    if one is None:
        label, after = f"Recipe: {chosen.title}", _for_all(state, chosen, kernels)
    else:
        label = f"Recipe of {panel_title(state, one)}: {chosen.title}"
        after = state.with_panel(one.id, pins=_for_one(state, one, chosen, kernels, other_units))
    by_rule = [name for name in other_units if isinstance(_epsilon(state, one, name), float | int)]
    document.apply(label, after)
    return " ".join([*notice_of(refused, chosen.keeps_loops_of(kernels)), *_on_rules(state, by_rule)])


def _epsilon(state: DocumentState, panel: PanelState | None, view: str) -> Any:
    shared = state.view(view).epsilon
    return shared if panel is None else panel.pins.get(f"epsilon:{view}", shared)


def _on_rules(state: DocumentState, views: Sequence[str]) -> list[str]:
    """A sentence on the views whose ε is chosen anew."""
    if not views:
        return []
    rules = listed(list(dict.fromkeys(state.view(name).rule for name in views)))
    return [f"ε of {listed(list(views))} is chosen by {rules}, since distances have another unit."]


def _views_on_show(state: DocumentState) -> tuple[str, ...]:
    """The ticked views, and those that panels show besides."""
    of_panels = (name for panel in state.panels for name in _views_of(state, panel))
    return tuple(dict.fromkeys((*state.enabled, *of_panels)))


def _views_of(state: DocumentState, panel: PanelState) -> tuple[str, ...]:
    """The views that a panel's picture is made of."""
    method = get_method(panel.method)
    if method.shows_given:
        return ()
    if method.max_views == 1:
        view = panel_view(state, panel)
        return () if view is None else (view,)
    return panel_views(state, panel, method)[: method.max_views]


def _for_all(state: DocumentState, recipe: Recipe, kernels: Mapping[str, Kernel]) -> DocumentState:
    """The state with shared values, and pins only where a method departs from them; panels lose other such pins."""
    views = tuple(_with_kernel(view, kernels[view.name]) if view.name in kernels else view for view in state.views)
    shared = state.model_copy(update={"views": views, "params": {**state.params, **recipe.params}})
    panels = []
    for panel in shared.panels:
        other = [v for v, kernel in kernels.items() if panel_kernel(state, panel, v).metric != kernel.metric]
        pins = _without(panel.pins, recipe, other)
        own = recipe.params_of(get_method(panel.method), _kernels(shared, updated(panel, {"pins": pins})))
        if recipe.params.get(SELF_LOOPS.name) is False and own.get(SELF_LOOPS.name, False) is None:
            pins[SELF_LOOPS.name] = True
        panels.append(updated(panel, {"pins": pins}))
    return shared.model_copy(update={"panels": tuple(panels)})


def _with_kernel(view: ViewState, kernel: Kernel) -> ViewState:
    """The view with a kernel, and with its rule for an ε in the unit of another metric."""
    same_unit = parse_kernel(view.kernel).metric == kernel.metric or isinstance(view.epsilon, str)
    return updated(view, {"kernel": kernel.text, "epsilon": view.epsilon if same_unit else view.rule})


def _without(pins: Mapping[str, Any], recipe: Recipe, other_units: Sequence[str]) -> dict[str, Any]:
    """The pins but those of what the recipe decides, and of ε that are numbers in another unit."""
    past = {f"epsilon:{view}" for view in other_units if not isinstance(pins.get(f"epsilon:{view}"), str)}
    decided = {*recipe.params, *past}
    return {name: v for name, v in pins.items() if name not in decided and not name.startswith("kernel:")}


def _kernels(state: DocumentState, panel: PanelState) -> list[Kernel]:
    """The kernels that a panel's picture is made of; none where they have no effect."""
    names = _views_of(state, panel) if takes_kernels(get_method(panel.method)) else ()
    return [panel_kernel(state, panel, name) for name in names]


def _for_one(
    state: DocumentState,
    panel: PanelState,
    recipe: Recipe,
    kernels: Mapping[str, Kernel],
    other_units: Sequence[str],
) -> dict[str, Any]:
    """The panel's pins with the recipe's values wherever the shared ones differ from them."""
    method = get_method(panel.method)
    pins = _without(panel.pins, recipe, other_units)
    if takes_kernels(method):
        for name, kernel in kernels.items():
            view = state.view(name)
            if kernel != parse_kernel(view.kernel):
                pins[f"kernel:{name}"] = kernel.text
            if kernel.metric != parse_kernel(view.kernel).metric and not isinstance(view.epsilon, str):
                pins.setdefault(f"epsilon:{name}", view.rule)
    bare = updated(panel, {"pins": pins})
    shared = panel_params(state, bare, method)
    for name, value in recipe.params_of(method, _kernels(state, bare), shared.get("graph")).items():
        if shared[name] != value:
            pins[name] = True if name == SELF_LOOPS.name and value is None else value
    return pins
