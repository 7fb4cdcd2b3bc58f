"""Recipes: names for explicit values of a walk's ingredients. Plans, results and files carry the values, not the name.

A new recipe is one row in the table below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from mvexplorer.engine.api.plan import OF_VIEWS, Plan, entries_named, plan, views_used
from mvexplorer.engine.core.catalogue import Catalogue
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import RECIPE as STAYS
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import Value, named_values
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernel, parse_kernels, with_metrics
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, LEAST_FEATURES, ViewMetric, parse_metrics
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.ingredients import NORMALISATION, SELF_LOOPS, WALK
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.unit_rows import NAME as UNIT_ROWS
from mvexplorer.errors import DataError
from mvexplorer.wording import listed

KEEP_LOOPS = frozenset({"multiview", "de-sa"})
"""Methods that lose by leaving self-loops out: their steps lead to the same sample in another view."""


@dataclass(frozen=True)
class Recipe:
    """A name for explicit values of the ingredients of a walk.

    `for_what` and `misleads` are a sentence or two each: what it is good for, and how its pictures can deceive.
    `kernel` and `metric` are those of every view that can have them, `params` the values for methods that have such
    parameters.
    """

    id: str
    title: str
    for_what: str
    misleads: str
    kernel: str = GAUSSIAN.text
    metric: ViewMetric = EUCLIDEAN
    params: Mapping[str, Value] = field(default_factory=dict)

    def values(self, method: str | Method, data: MultiView, views: Sequence[str] | None = None) -> dict[str, Any]:
        """The keywords that `embed` takes for it with a method on this data; none that the method lacks."""
        chosen = get_method(method) if isinstance(method, str) else method
        settings, _ = with_recipe(self.id, chosen, data, {"views": views})
        return {name: value for name, value in settings.items() if name != "views"}

    def params_of(self, method: Method, kernels: Sequence[Kernel], graph: object = None) -> dict[str, Value]:
        """The values of the method's own parameters; self-loops as in the paper where the method is to keep them.

        `graph` is that of methods that have one: a graph of neighbours has no self-loops to leave out.
        """
        names = {param.name for param in method.params}
        values = {name: value for name, value in self.params.items() if name in names}
        kept = method.id in KEEP_LOOPS or graph == "knn" or any(kernel.landmarks for kernel in kernels)
        return {**values, SELF_LOOPS.name: None} if kept and SELF_LOOPS.name in values else values

    def kernel_of(self, present: Kernel) -> Kernel:
        """The kernel of a view that has `present`: affinities that are given stay, and what stands for Gaussians."""
        own = parse_kernel(self.kernel)
        stands_for_it = present.kind.id == "precomputed" or (present.landmarks and own == GAUSSIAN)
        return replace(present, metric=EUCLIDEAN) if stands_for_it else own

    def keeps_loops_of(self, kernels: Mapping[str, Kernel]) -> tuple[str, ...]:
        """The views whose self-loops it would leave out, and cannot: those of kernels by landmarks."""
        if self.params.get(SELF_LOOPS.name) is not False:
            return ()
        return tuple(view for view, kernel in kernels.items() if kernel.landmarks)

    def measured(
        self, kernels: Mapping[str, Kernel], data: MultiView
    ) -> tuple[dict[str, Kernel], dict[str, tuple[str, ...]]]:
        """The kernels by view with the recipe's metric, and the views that cannot have it, by the reason why."""
        if self.metric == EUCLIDEAN:
            return dict(kernels), {}
        chosen, refused = {}, dict[str, tuple[str, ...]]()
        for view, kernel in kernels.items():
            reason = _why_not(kernel, self.metric, data, view)
            chosen[view] = kernel if reason else kernel.on(self.metric, view)
            if reason:
                refused[reason] = (*refused.get(reason, ()), view)
        return chosen, refused


def _without_loops(**others: Value) -> Mapping[str, Value]:
    values: dict[str, Value] = {SELF_LOOPS.name: False, NORMALISATION.name: WALK, UNIT_ROWS: True, "t": 0}
    return MappingProxyType({**values, **others})


_RECIPES: Catalogue[Recipe] = Catalogue(
    (
        Recipe(
            "paper",
            "As in the paper",
            "Each method as its authors define it: Euclidean distances, a Gaussian kernel, steps that may stay, "
            "coordinates scaled by their eigenvalues. What papers and other people's results are compared with.",
            "At small ε most steps stay at their sample, and outliers take the leading coordinates; views of few "
            "columns drown the others.",
            params=MappingProxyType({SELF_LOOPS.name: None, NORMALISATION.name: WALK, UNIT_ROWS: False, "t": 1}),
        ),
        Recipe(
            "sphere",
            "On the sphere",
            "Finding groups: every sample counts by its direction alone, so that clusters lie apart on a sphere and "
            "k-means finds them. Self-loops are left out; multi-view and de Sa keep them.",
            "Distances near the origin are lost, a trajectory becomes an arc, and r decides what is drawn. Where there "
            "are no groups, it may still look as if there were.",
            params=_without_loops(),
        ),
        Recipe(
            "neighbours",
            "Neighbours",
            "Finding groups in features of many kinds and levels, such as texts, counts or images: each sample walks "
            "to its 10 neighbours by correlation, with Gaussian weights at ε, and counts by its direction alone.",
            "Level and size of a sample are lost, which may be what differs. Few neighbours tear a graph into pieces, "
            "above all the kernel product's; the table's graphs have weights 1, these have Gaussian ones.",
            kernel="knn-10",
            metric="correlation",
            params=_without_loops(),
        ),
    ),
    "recipe",
)


def recipes() -> Catalogue[Recipe]:
    """All recipes: names for explicit values of metric, kernel, self-loops, unit rows and t.

    Returns
    -------
    tuple of Recipe
        Indexed by position or id; for an unknown id ParameterError names the nearest one.

    Examples
    --------
    >>> mvx.recipes()["sphere"].title
    'On the sphere'
    >>> mvx.recipes()["neighbours"].values("kernel-sum", mvx.load("circles"))["t"]
    0
    """
    return _RECIPES


def _why_not(kernel: Kernel, metric: ViewMetric, data: MultiView, view: str) -> str:
    """Why a view cannot have this metric, as the end of a sentence about {it}; empty where it can."""
    index = data.view_index(view)
    if not kernel.takes_metric:
        return "{keep} the distances of {its} own kernel."
    if metric == "correlation" and data.width(index) < LEAST_FEATURES:
        return f"{{stay}} Euclidean: the metric correlation needs at least {LEAST_FEATURES} columns."
    try:
        Stages(data, (index,), kernels=(kernel.on(metric),)).check_directions(0)
    except DataError:
        return f"{{stay}} Euclidean: some samples have the same value in every column, where {metric} says nothing."
    return ""


def notice_of(refused: Mapping[str, Sequence[str]], landmarks: Sequence[str] = ()) -> tuple[Notice, ...]:
    """One notice about all views that a recipe leaves as they are; none where it leaves none."""
    said = [_sentence(reason, views) for reason, views in refused.items()]
    if landmarks:
        said.append(f"{_subject(landmarks)} by landmarks: self-loops are kept.")
    views = tuple(dict.fromkeys(name for group in (*refused.values(), landmarks) for name in group))
    return (Notice(STAYS, " ".join(said), views),) if said else ()


def _sentence(reason: str, views: Sequence[str]) -> str:
    one = len(views) == 1
    words = (
        {"stay": "stays", "keep": "keeps", "its": "its"} if one else {"stay": "stay", "keep": "keep", "its": "their"}
    )
    return f"{_subject(views)} {reason.format(**words)}"


def _subject(views: Sequence[str]) -> str:
    return f"View{'s' * (len(views) > 1)} {listed([f'“{name}”' for name in views])}"


def with_recipe(
    recipe: str | None, method: Method, data: MultiView, given: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """The keywords `given` for `embed`, with a recipe's values for those that are not; and what it leaves as it is.

    A kernel or metric that is None is not given.
    """
    settings = dict(given)
    if recipe is None:
        return settings, ()
    chosen = recipes()[recipe]
    notices: tuple[Notice, ...] = ()
    named = {param.name: param.check(given.get(param.name)) for param in method.params if param.kind in OF_VIEWS}
    offered, used = views_used(method, data, given.get("views"), named)
    everywhere = tuple(dict.fromkeys((*offered, *used)))
    kernels: dict[str, Kernel] = {}
    if takes_kernels(method):
        kernels, refused = _kernels(chosen, data, everywhere, used, given)
        settings["kernel"] = {name: kernel.text for name, kernel in kernels.items()}
        settings.pop("metric", None)  # each kernel's text names its metric
        by_landmarks = [
            name for name in used if kernels[name].landmarks and chosen.params.get(SELF_LOOPS.name) is False
        ]
        refused = {why: left for why, views in refused.items() if (left := tuple(v for v in views if v in used))}
        notices = notice_of(refused, by_landmarks)
    at_work = [kernels[name] for name in used if name in kernels]
    graph = given.get("graph", next((p.default for p in method.params if p.name == "graph"), None))
    own = chosen.params_of(method, at_work, graph)
    return {**own, **settings}, notices


def takes_kernels(method: Method) -> bool:
    """True if kernels or their metrics have an effect on a method's picture."""
    return not method.shows_given and (method.requires == "kernels" or method.joint_kernel)


def _kernels(
    recipe: Recipe, data: MultiView, offered: Sequence[str], used: Sequence[str], given: Mapping[str, Any]
) -> tuple[dict[str, Kernel], dict[str, tuple[str, ...]]]:
    """The kernel of every view: with what is given for it, else the recipe's; and why views lack its metric."""
    explicit = _by_view(given.get("kernel"), parse_kernels, data, offered, used)
    metrics = _by_view(given.get("metric"), parse_metrics, data, offered, used)
    kernels = {name: explicit.get(name) or parse_kernel(recipe.kernel) for name in offered}
    kernels = with_metrics(kernels, metrics)
    free = {name: kernel for name, kernel in kernels.items() if name not in metrics and kernel.metric == EUCLIDEAN}
    measured, refused = recipe.measured(free, data)
    return {**kernels, **measured}, refused


def _by_view(
    given: Any,
    parse: Callable[[Any, Sequence[str]], Sequence[Any]],
    data: MultiView,
    offered: Sequence[str],
    used: Sequence[str],
) -> dict[str, Any]:
    """The kernels or metrics given for some views, in any form that `embed` takes; nothing for those left open."""
    if given is None:
        return {}
    names = entries_named(given, data.view_names, used, offered)
    parsed = dict(zip(names, parse(given, names), strict=True))
    named = named_values(given)
    return {name: parsed[name] for name in named} if isinstance(named, Mapping) else parsed


def plan_by(
    recipe: str | None,
    method: Method,
    data: MultiView,
    views: Sequence[str] | None,
    kernel: Any,
    epsilon: Any,
    params: Mapping[str, Any],
    subsample: int | None,
    rule_params: Mapping[str, Any] | None,
    metric: Any,
) -> Plan:
    """The plan of a request whose values are a recipe's where they are not given; it carries all of them."""
    given = {"views": views, "kernel": kernel, "metric": metric, **params}
    settings, notices = with_recipe(recipe, method, data, given)
    views, kernel, metric = (settings.pop(name, None) for name in ("views", "kernel", "metric"))
    planned = plan(method, data, views, kernel, epsilon, settings, subsample, rule_params, metric)
    return replace(planned, notices=(*planned.notices, *notices)) if notices else planned
