"""The ingredients of a walk side by side: one panel with each combination of metric, kernel, self-loops and rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, ViewMetric
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, SELF_LOOPS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import (
    DocumentState,
    PanelState,
    Scalar,
    panel_bandwidth,
    panel_kernel,
    panel_params,
    panel_view,
    panel_views,
)
from mvexplorer.wording import listed

AS_IN_THE_PAPER = "as in the paper"
KERNELS = {"gaussian": "Gaussian", "knn-10": "10 neighbours", "self-tuning": "self-tuning"}
"""The kernels that are compared, the papers' first, and what each is called."""


@dataclass(frozen=True)
class IngredientMix:
    """One combination of ingredients; the default of each is the papers'."""

    metric: ViewMetric = EUCLIDEAN
    kernel: str = GAUSSIAN.text
    loops: bool = True
    unit_rows: bool = False

    @property
    def changed(self) -> tuple[bool, bool, bool, bool]:
        """Which of its ingredients are not the papers'."""
        return self.metric != EUCLIDEAN, self.kernel != GAUSSIAN.text, not self.loops, self.unit_rows

    @property
    def caption(self) -> str:
        """The ingredients that are not the papers'."""
        words = (self.metric, KERNELS[self.kernel], "without loops", "unit rows")
        return " · ".join(word for word, told in zip(words, self.changed, strict=True) if told) or AS_IN_THE_PAPER


@dataclass(frozen=True)
class IngredientChoices:
    """The ingredients that a panel's method has on these data, each beginning with the papers' value.

    `views` are those whose kernel is changed, `measured` those that can have the metric correlation. `notes` say what
    is left out because of the data.
    """

    metrics: tuple[ViewMetric, ...] = (EUCLIDEAN,)
    kernels: tuple[str, ...] = (GAUSSIAN.text,)
    loops: tuple[bool, ...] = (True,)
    rows: tuple[bool, ...] = (False,)
    views: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def mixtures(self) -> list[IngredientMix]:
        """All combinations, those nearest to the papers' first; of equally near ones metrics before kernels."""
        every = [IngredientMix(*each) for each in product(self.metrics, self.kernels, self.loops, self.rows)]
        return sorted(every, key=lambda mix: (sum(mix.changed), tuple(not changed for changed in mix.changed)))


@dataclass(frozen=True)
class IngredientCells:
    """The pictures: a caption and a panel for each, with the ingredients pinned to it."""

    subject: PanelState
    captions: tuple[str, ...]
    panels: tuple[PanelState, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)


def ingredient_cells(
    state: DocumentState, panel: PanelState, data: MultiView | None, rule_values: Mapping[str, float]
) -> IngredientCells:
    """The pictures of a panel; ParameterError where its method has no ingredients.

    `rule_values` are what the views' last rules choose, by view: an ε that is a number is carried over to other
    distances as a multiple of that rule.
    """
    choices = offered_to(state, panel, data)
    mixtures = choices.mixtures
    if len(mixtures) == 1:
        raise ParameterError(
            f"{get_method(panel.method).title} has no ingredients to choose from on these views.",
            "Choose a panel of another method.",
        )
    also = _also(state, panel)
    panels = tuple(
        updated(panel, {"id": f"multiple-0-{i}", "pins": panel.pins | pins_of(state, panel, choices, mix, rule_values)})
        for i, mix in enumerate(mixtures)
    )
    return IngredientCells(panel, tuple(f"{mix.caption}{also}" for mix in mixtures), panels, choices.notes)


def offered_to(state: DocumentState, panel: PanelState, data: MultiView | None) -> IngredientChoices:
    """The ingredients that the panel's method has, as far as its views can have them."""
    method = get_method(panel.method)
    names = {param.name for param in method.params}
    own = {view: panel_kernel(state, panel, view) for view in _views_used(state, panel, method)}
    views = tuple(view for view, kernel in own.items() if kernel.kind.metric != "none")
    by_graph = panel_params(state, panel, method).get("graph") == "knn"  # which has no kernel and no self-loops
    by_landmarks = any(kernel.landmarks for kernel in own.values())
    has_metric = bool(views) and (method.requires == "kernels" or method.joint_kernel)
    kernels = tuple(KERNELS) if has_metric and not by_graph else (GAUSSIAN.text,)
    if by_landmarks or method.requires == "features":  # self-tuning takes all pairs, and the scales of one view
        kernels = tuple(kernel for kernel in kernels if kernel != "self-tuning")
    narrow = tuple(view for view in views if data is not None and data.width(data.view_index(view)) < 3)
    measured = tuple(view for view in views if view not in narrow) if has_metric else ()
    notes = [f"{listed(narrow)} stay{'s' * (len(narrow) == 1)} Euclidean: fewer than 3 features"] if narrow else []
    notes += ["loops stay: by landmarks they cannot be left out"] if by_landmarks else []
    loose = SELF_LOOPS.name in names and not by_graph and not by_landmarks
    return IngredientChoices(
        (EUCLIDEAN, "correlation") if measured else (EUCLIDEAN,),
        kernels,
        (True, False) if loose else (True,),
        (False, True) if UNIT_ROWS.name in names and not method.has_unit_rows else (False,),
        views if has_metric else (),
        measured,
        tuple(notes) if has_metric else (),
    )


def pins_of(
    state: DocumentState,
    panel: PanelState,
    choices: IngredientChoices,
    mix: IngredientMix,
    rule_values: Mapping[str, float],
) -> dict[str, Scalar]:
    """The pins that give a panel these ingredients, whatever all panels share."""
    pins: dict[str, Scalar] = {}
    for view in choices.views:
        before = panel_kernel(state, panel, view)
        kernel = _kernel(before, mix, mix.metric if view in choices.measured else EUCLIDEAN)
        pins[f"kernel:{view}"] = kernel.text
        given = panel_bandwidth(state, panel, view)
        if _distances(kernel) != _distances(before) and given.rule is None:
            pins[f"epsilon:{view}"] = _by_rule(state, panel, view, given.factor, rule_values)
    if len(choices.loops) > 1:
        pins[SELF_LOOPS.name] = mix.loops
    if len(choices.rows) > 1:
        pins[UNIT_ROWS.name] = mix.unit_rows
    return pins


def _by_rule(
    state: DocumentState, panel: PanelState, view: str, epsilon: float, rule_values: Mapping[str, float]
) -> float | str:
    """An ε that was a number as a multiple of the view's last rule, which then chooses by the new distances.

    The panel's own factor on every ε is not in it. Until the rule's value is known, the number is left out.
    """
    rule = parse_bandwidth(state.view(view).rule)
    value = rule_values.get(view)
    factor = rule.factor * state.factor(view) if value is None else epsilon / value / panel.epsilon_scale
    return replace(rule, factor=factor).given


def _kernel(before: Kernel, mix: IngredientMix, metric: ViewMetric) -> Kernel:
    """The kernel of a mixture; landmarks stand for the Gaussian of all pairs, which would be too large."""
    plain = before if before.landmarks and mix.kernel == GAUSSIAN.text else parse_kernel(mix.kernel)
    return replace(plain, metric=metric)


def _distances(kernel: Kernel) -> tuple[str, str]:
    """The distances of which a kernel is a function."""
    return kernel.kind.metric, kernel.metric


def _views_used(state: DocumentState, panel: PanelState, method: Method) -> tuple[str, ...]:
    if method.max_views == 1:
        view = panel_view(state, panel)
        return () if view is None else (view,)
    return panel_views(state, panel, method)[: method.max_views]


def _also(state: DocumentState, panel: PanelState) -> str:
    """The rest of the panel that is not the papers', in all pictures alike."""
    scaled = panel_params(state, panel, get_method(panel.method)).get(NORMALISATION.name) == DOUBLY_STOCHASTIC
    return " · doubly stochastic" if scaled else ""
