"""The ingredients of the walks on show, as they are: their values in words, and the values that they may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, METRICS
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, SELF_LOOPS, WALK
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.state.document.ingredients.words import PRECOMPUTED, kernel_words, metric_words, used_views
from mvexplorer.state.document.model import DocumentState, PanelState, panel_kernel

METRIC, KERNEL = "metric", "kernel"
PARAMS: tuple[Param, ...] = (SELF_LOOPS, NORMALISATION, UNIT_ROWS)
NAMES = (METRIC, KERNEL, *(param.name for param in PARAMS))
"""The ingredients in the order in which they are shown."""
MIXED = "mixed"


@dataclass(frozen=True)
class IngredientChoice:
    """One value of an ingredient: the short words on its chip, the name of the edit, and a sentence about it."""

    ingredient: str
    value: Any
    words: str
    label: str
    about: str


@dataclass(frozen=True)
class ShownIngredient:
    """An ingredient as it is now: in words, whether that is the paper's, and whether anything on show takes it."""

    name: str
    value: Any
    words: str
    as_in_paper: bool
    used: bool


def choices_of(ingredient: str, n_samples: int = 0, present: Any = None) -> tuple[IngredientChoice, ...]:
    """The values that an ingredient may take, the paper's first; a `present` kernel is among them."""
    if ingredient == METRIC:
        return tuple(
            IngredientChoice(METRIC, m, metric_words(m), f"Metric: {metric_words(m)}", METRIC_TIPS[m]) for m in METRICS
        )
    if ingredient == KERNEL:
        usual = ["gaussian", "knn-10", "knn-30", "self-tuning", "laplacian", "correlation"]
        many = 2_000  # samples beyond which landmarks save anything
        texts = [*usual, *(["landmarks"] if n_samples > many else [])]
        kernels = list(dict.fromkeys(map(parse_kernel, [*texts, *([present] if present else [])])))
        return tuple(
            IngredientChoice(KERNEL, k.text, kernel_words(k), f"Kernel: {kernel_words(k)}", k.kind.summary)
            for k in kernels
        )
    return tuple(choice for choice in _PARAM_CHOICES if choice.ingredient == ingredient)


METRIC_TIPS = {
    "euclidean": "Straight distances between the prepared features, as in the papers",
    "correlation": "Each sample centred and scaled to length 1: profiles of one shape are near, whatever their size",
    "cosine": "Each sample scaled to length 1: the same proportions are near, whatever their size",
}
_PARAM_CHOICES = (
    IngredientChoice(
        SELF_LOOPS.name, True, "loops", "Keep self-loops", "Steps may stay where they are, as in the papers"
    ),
    IngredientChoice(
        SELF_LOOPS.name,
        False,
        "without loops",
        "Leave self-loops out",
        "Every step goes to another sample: walks at small ε look farther; samples without neighbours are left out",
    ),
    IngredientChoice(
        NORMALISATION.name, WALK, "walk", "Normalise: walk", "Each row of a kernel divided by its sum, as in the papers"
    ),
    IngredientChoice(
        NORMALISATION.name,
        DOUBLY_STOCHASTIC,
        "doubly stochastic",
        "Normalise: doubly stochastic",
        "Rows and columns scaled until all sums are 1: noise that differs from sample to sample is taken out",
    ),
    IngredientChoice(
        UNIT_ROWS.name, False, "rows as they are", "Rows as they are", "Coordinates as the method gives them"
    ),
    IngredientChoice(
        UNIT_ROWS.name,
        True,
        "unit rows",
        "Unit rows",
        "Each sample's r coordinates scaled to length 1: clusters are told by their direction",
    ),
)


def shown_ingredients(state: DocumentState, panel: PanelState | None = None) -> tuple[ShownIngredient, ...]:
    """The ingredients shared by all panels over the ticked views, or those of one panel."""
    kernels = [_plain(k) for k in kernels_in_use(state, panel).values() if k.kind.id != PRECOMPUTED]
    metrics = {k.metric for k in kernels_in_use(state, panel).values() if k.kind.id != PRECOMPUTED} or {EUCLIDEAN}
    texts = {k.text: kernel_words(k) for k in kernels}
    takes = any(used_views(state, p) for p in _panels(state, panel))
    shown = [
        _shown(METRIC, {m: metric_words(m) for m in sorted(metrics)}, EUCLIDEAN, used=takes and bool(kernels)),
        _shown(KERNEL, texts or {PRECOMPUTED: PRECOMPUTED}, GAUSSIAN.text, used=takes and bool(kernels)),
    ]
    for param in PARAMS:
        value = value_in_effect(state, panel, param.name)
        words = next(c.words for c in _PARAM_CHOICES if (c.ingredient, c.value) == (param.name, value))
        paper = True if param.name == SELF_LOOPS.name else param.default
        shown.append(_shown(param.name, {value: words}, paper, used=_takes(state, panel, param.name)))
    return tuple(shown)


def _shown(name: str, words: Mapping[Any, str], paper: Any, *, used: bool) -> ShownIngredient:
    value = next(iter(words)) if len(words) == 1 else None
    as_in_paper = value in (paper, PRECOMPUTED)
    return ShownIngredient(name, value, words[value] if len(words) == 1 else MIXED, as_in_paper, used)


def _panels(state: DocumentState, panel: PanelState | None) -> tuple[PanelState, ...]:
    return state.shown if panel is None else (panel,)


def kernels_in_use(state: DocumentState, panel: PanelState | None) -> dict[str, Kernel]:
    """The kernels of the ticked views, or of the views that a panel takes."""
    views = state.enabled if panel is None else used_views(state, panel)
    return {view: panel_kernel(state, panel, view) for view in views}


def _plain(kernel: Kernel) -> Kernel:
    return replace(kernel, metric=EUCLIDEAN)


def value_in_effect(state: DocumentState, panel: PanelState | None, name: str) -> Any:
    """A parameter's value in effect: whether self-loops are kept follows from the normalisation where none is given."""
    pins = {} if panel is None else panel.pins
    default = next(param.default for param in PARAMS if param.name == name)
    value = pins.get(name, state.params.get(name, default))
    if name == SELF_LOOPS.name and value is None:
        return value_in_effect(state, panel, NORMALISATION.name) == WALK
    return value


def _takes(state: DocumentState, panel: PanelState | None, name: str) -> bool:
    methods = [get_method(p.method) for p in _panels(state, panel)]
    plain = [m for m in methods if not (name == UNIT_ROWS.name and m.has_unit_rows)]
    return any(param.name == name for method in plain for param in method.params)
