"""The memory that jobs need besides embeddings: rules, curves, scores, comparisons with dense kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from weakref import WeakKeyDictionary

from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.analysis.separation import AT_ONCE
from mvexplorer.engine.api.approximation import compared_samples, dense
from mvexplorer.engine.api.cost import Estimate, estimate_on_distances
from mvexplorer.engine.api.plan import drafted_on_part
from mvexplorer.engine.bandwidth.table import get_rule, parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.pipeline.footprint import NUMBER, Size

_WIDTHS: WeakKeyDictionary[MultiView, tuple[int, ...]] = WeakKeyDictionary()
"""The features of all views, which are asked for once for each view."""
MANIFOLD = "manifold"
CLASSES = "class-geometric"


def cost_of_draft(request: Request, memory: float, whole: Estimate | None = None) -> Estimate:
    """The memory of a drag's step: that of a random part where one stands for all samples; `whole` if it is known."""
    part = drafted_on_part(request.plan)
    return whole if part is None and whole is not None else (part or request.plan).cost(memory)


def cost_of_approximation(request: Request, memory: float) -> Estimate:
    """The memory of an embedding and of its dense counterpart, whichever is more: they are computed in turn."""
    plan = request.plan
    ours = replace(plan, n_samples=compared_samples(plan.n_samples, plan.kernels), subsample=None)
    exact = replace(ours, kernels=tuple(dense(kernel) for kernel in ours.kernels))
    return max(exact.cost(memory), ours.cost(memory), key=lambda cost: cost.bytes)


def cost_of_rules(data: MultiView, kernels: Mapping[int, Kernel], view: int, rules: Sequence[str]) -> Estimate:
    """The memory of some bandwidth rules on one view; some compare all views that `kernels` names."""
    size, views = _size(data, kernels)
    ids = tuple(id for rule in rules if (id := parse_bandwidth(rule).rule) is not None)
    if any(get_rule(id).compares_views for id in ids):
        return _cost_of_comparing(size.n, tuple(size.features), tuple(size.kernels), ids)
    return _cost_on(size, [views[view]], ids)


@lru_cache(maxsize=8)
def _cost_of_comparing(
    n: int, features: tuple[int, ...], kernels: tuple[Kernel, ...], ids: tuple[str, ...]
) -> Estimate:
    """The same for rules that compare all views: once for all views, of which there can be hundreds."""
    return _cost_on(Size(n, features, kernels), range(len(kernels)), ids)


def _cost_on(size: Size, views: Sequence[int], ids: Sequence[str]) -> Estimate:
    rules = [get_rule(id) for id in ids]
    each = [estimate_on_distances(size, views, rule.matrices, rule.solves) for rule in rules]
    return max(each, key=lambda cost: cost.bytes, default=estimate_on_distances(size, views))


def cost_of_curves(data: MultiView, kernels: Mapping[int, Kernel], view: int, samples: int | None = None) -> Estimate:
    """The memory of growth and connectivity of one view, on all samples or on `samples`."""
    size, views = _size(data, kernels)
    return estimate_on_distances(size if samples is None else replace(size, n=min(samples, size.n)), [views[view]])


def cost_of_dimension(data: MultiView, kernels: Mapping[int, Kernel], view: int) -> Estimate:
    """The memory of estimating the intrinsic dimension of one view."""
    size, views = _size(data, kernels)
    matrices = 1.0  # of all pairs, besides the estimates' own distances
    return estimate_on_distances(size, [views[view]], matrices)


def cost_of_scores(n_samples: int, n_coordinates: int) -> Estimate:
    """The memory of scores: copies of the coordinates, and distances to the clusters' centres."""
    return Estimate(NUMBER * n_samples * (6 * n_coordinates + 50))


def cost_of_neighbours(n_samples: int, n_coordinates: int, k: int) -> Estimate:
    """The memory of finding each sample's k nearest others: links both ways, and distances a few rows at a time."""
    return Estimate(NUMBER * n_samples * (6 * k + 2 * n_coordinates + min(n_samples, 512)))


def cost_of_separation(data: MultiView) -> Estimate:
    """The memory of comparing chosen samples with the others: a few copies of as many columns as are ranked at once."""
    widest = max(X.shape[1] for X in data.Xs)
    return Estimate(NUMBER * 8 * min(data.n_samples * widest, max(AT_ONCE, data.n_samples)))


def _size(data: MultiView, kernels: Mapping[int, Kernel]) -> tuple[Size, dict[int, int]]:
    """The size of the data in some views, and the position of each of these views in it."""
    if (every := _WIDTHS.get(data)) is None:
        every = _WIDTHS[data] = tuple(map(data.width, range(data.n_views)))
    widths = tuple(every[i] for i in kernels)
    return Size(data.n_samples, widths, tuple(kernels.values())), {view: place for place, view in enumerate(kernels)}
