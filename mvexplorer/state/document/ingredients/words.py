"""Words for the ingredients of a panel: its metric, kernels, loops and rows where they are not the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mvexplorer.engine.core.params import Value
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, SELF_LOOPS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS, scales_rows
from mvexplorer.state.document.model import (
    INGREDIENT_NAMES,
    DocumentState,
    PanelState,
    panel_kernel,
    panel_params,
    panel_view,
    panel_views,
)
from mvexplorer.wording import listed

PRECOMPUTED = "precomputed"


def kernel_words(kernel: Kernel) -> str:
    """A kernel, its metric aside, in a word or two."""
    if kernel.count is not None and kernel.kind.id == "knn":
        return f"{kernel.count:,} neighbours" if kernel.count > 1 else "1 neighbour"
    if kernel.landmarks:
        return f"{kernel.landmarks:,} landmarks"
    scaled = f"self-tuning by {kernel.count}" if kernel.count != kernel.kind.count else "self-tuning"
    title = kernel.kind.title.replace("(L1)", "").replace("(", "").replace(")", "").strip()
    return {"self-tuning": scaled, "correlation": "correlation kernel", PRECOMPUTED: PRECOMPUTED}.get(
        kernel.kind.id, title
    )


def metric_words(metric: str) -> str:
    """A metric as it is written."""
    return "Euclidean" if metric == EUCLIDEAN else metric


def used_views(state: DocumentState, panel: PanelState) -> tuple[str, ...]:
    """The views whose kernels a panel takes; none where its method takes no kernels."""
    method = get_method(panel.method)
    if method.requires != "kernels" or method.max_views == 0:
        return ()
    if method.max_views == 1:
        view = panel_view(state, panel)
        return () if view is None else (view,)
    return panel_views(state, panel, method)[: method.max_views]


def differences(state: DocumentState, panel: PanelState) -> tuple[str, ...]:
    """Where a panel differs from the paper, a few words each: none where it is as in the paper."""
    method = get_method(panel.method)
    kernels = {view: panel_kernel(state, panel, view) for view in used_views(state, panel)}
    params = panel_params(state, panel, method)
    return (*_kernel_differences(kernels), *param_differences(method, params))


def decides_differences(state: DocumentState) -> tuple[object, ...]:
    """The shared values that `differences` depend on beside panels and ticks: cheap to compare while a slider moves."""
    shared = tuple(state.params.get(name) for name in INGREDIENT_NAMES)
    scaled = state.params.get(UNIT_ROWS.name) or any(panel.pins.get(UNIT_ROWS.name) for panel in state.shown)
    r = state.params.get("n_components") if scaled else None
    return (*shared, r, *(view.kernel for view in state.views))


def _kernel_differences(kernels: Mapping[str, Kernel]) -> list[str]:
    own = {view: kernel for view, kernel in kernels.items() if kernel.kind.id != PRECOMPUTED}
    metrics = {view: "" if kernel.metric == EUCLIDEAN else kernel.metric for view, kernel in own.items()}
    plain = {view: replace(kernel, metric=EUCLIDEAN) for view, kernel in own.items()}
    kinds = {view: "" if kernel.text == "gaussian" else kernel_words(kernel) for view, kernel in plain.items()}
    return [words for each, many in ((metrics, "metrics"), (kinds, "kernels")) if (words := _summary(each, many))]


def _summary(words: Mapping[str, str], many: str) -> str:
    """The words that all views share, or those of the few that have some."""
    different = set(words.values())
    if len(different) <= 1:
        return next(iter(different), "")
    named = [view for view, word in words.items() if word]
    few = 2  # views that a title names
    if len(different - {""}) == 1 and len(named) <= few:
        return f"{next(iter(different - {''}))} in {listed(named)}"
    return f"mixed {many}"


def param_differences(method: Method, params: Mapping[str, Value]) -> list[str]:
    """Where a method's parameters differ from the paper's ingredients, in words."""
    rows = [f"unit rows, r {params['n_components']}"] if scales_rows(method, params) else []
    return [*walk_differences(params), *rows]


def walk_differences(params: Mapping[str, Value]) -> list[str]:
    """Whether steps may stay, and what takes the place of the walk, in words, where they are not the paper's."""
    if params.get("graph") == "knn":  # a graph of its own, to which neither applies
        return []
    loops = params.get(SELF_LOOPS.name)
    if params.get(NORMALISATION.name) == DOUBLY_STOCHASTIC:
        return ["doubly stochastic", *(["loops kept"] if loops else [])]
    return ["without loops"] if loops is False else []


FORMULAS = {
    "without loops": r"K_{ii} = 0",
    "doubly stochastic": r"W = \mathrm{diag}(s) \, K \, \mathrm{diag}(s), \qquad \sum_j W_{ij} = 1",
    "unit rows": r"\psi_i \, / \, \| \psi_i \|",
}
"""Differences as a line of LaTeX, by the words for them."""


def formula_lines(method: Method, differing: Sequence[str] = ()) -> dict[str, str]:
    """The lines of LaTeX of a method, and of differences where a short one says it, by the names of their drawings."""
    if not method.latex:
        return {}
    own = {f"{method.id}-{number}": line for number, line in enumerate(method.latex, 1)}
    shorts = [short for words in differing if (short := words.partition(",")[0]) in FORMULAS]
    return own | {short.replace(" ", "-"): FORMULAS[short] for short in shorts}
