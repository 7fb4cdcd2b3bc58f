"""Facts about the kernel of one view at its ε, by which it is judged: who is left alone, how widely a sample looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.bandwidth.curves import FEW, LINK, connected, reach_of, share_in_few
from mvexplorer.engine.bandwidth.rules.spread import FAR, nearest_among_all
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import Kernel, gaussian_affinity, laplacian_affinity, of_distances
from mvexplorer.engine.kernels.distances import ALL, BLOCK_ROWS, MANY_SAMPLES, nearest_apart, off_diagonal
from mvexplorer.engine.kernels.operators import Float32Kernel, PlainKernel
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import (
    blocks_of,
    distances_of,
    kernel_of,
    median_of,
    neighbours_of,
    plain_kernel_of,
    sparse_kernel,
    table_of,
)

BROAD = 2.0
"""Medians of the squared distance from which on an ε is wide enough for a flat view."""


@dataclass(frozen=True)
class KernelFacts:
    """Facts about the kernel of a view at one ε.

    `epsilon` is in squared data units and `of_median` its share of the median, NaN where ε has no effect. `alone` is
    the share of samples in pieces of fewer than FEW, joined by affinities of LINK and more, and `pieces` counts the
    larger ones. `neighbours` is the median over the samples of 1 / Σ_j p_ij², p the step that does not stay, among
    `others`. `contrast` is the .95 less the .05 quantile of -log K_ij over all pairs; of neighbours and landmarks that
    of the Gaussian behind them. `far` are the samples, three at most, that lie more than FAR medians from all others.
    """

    view: str
    epsilon: float
    of_median: float
    alone: float
    pieces: int
    neighbours: float
    others: int
    contrast: float
    far: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    """Those of the samples that lie far away."""


def view_facts(stages: Stages, i: int) -> KernelFacts:
    """The facts of the i-th view in use; of many samples by a random part of them."""
    some = stages.subsample()
    sizes = np.bincount(_own_pieces(some, i))
    alone = share_in_few(sizes) if some is stages else _share_far_from_all(stages, i, stages.epsilon[i])
    far = _far_samples(stages, i) if some is stages and some.kernels[i].kind.metric != "none" else ()
    return KernelFacts(
        some.view_name(i),
        float(some.epsilon[i]) if some.kernels[i].kind.uses_epsilon else np.nan,
        _of_median(some, i),
        alone,
        int(np.count_nonzero(sizes >= FEW)),
        float(np.median(_neighbours(some, i))),
        some.n_samples - 1,
        _contrast(some, i),
        far,
        tuple(str(stages.data.sample_ids[j]) for j in far),
    )


def _far_samples(stages: Stages, i: int) -> tuple[int, ...]:
    """The samples that lie far from all others; none where they are more than three."""
    key, most = StageKey("nearest", stages.distance_key(i)), 3
    nearest = stages.memo(key, lambda: nearest_apart(distances_of(stages, i), stages.task))
    far = np.flatnonzero(np.where(np.isfinite(nearest), nearest, 0.0) > FAR * median_of(stages, i))
    return tuple(far.tolist()) if len(far) <= most else ()


def alarming_facts(stages: Stages, *, by_kernel: bool) -> list[KernelFacts]:
    """As many facts of all views in use as an alarm needs; the others are NaN. They cost little beside a picture.

    Where no kernel is a table of all pairs, none is made for this. `by_kernel` tells that each view's own kernel is at
    hand, so that its distances are not needed.
    """
    views, dense = range(stages.n_views), stages.n_samples <= MANY_SAMPLES and not any(map(_light, stages.kernels))
    beside = dense and len(views) > 1 and any(_perhaps_broad(stages, i) for i in views)
    return [
        KernelFacts(
            stages.view_name(i),
            float(stages.epsilon[i]) if stages.kernels[i].kind.uses_epsilon else np.nan,
            _of_median(stages, i) if beside else np.nan,
            _alone(stages, i, dense=dense, by_kernel=by_kernel),
            0,
            np.nan,
            stages.n_samples - 1,
            _contrast(stages, i) if beside else np.nan,
        )
        for i in views
    ]


def _of_median(stages: Stages, i: int) -> float:
    return float(stages.epsilon[i] / median_of(stages, i)) if stages.kernels[i].kind.uses_epsilon else float("nan")


def _perhaps_broad(stages: Stages, i: int) -> bool:
    """Whether ε may be more than BROAD medians, by the distances of a few samples."""
    if not stages.kernels[i].kind.uses_epsilon:
        return False
    few = np.linspace(0, stages.n_samples - 1, 16).astype(np.intp)
    key = StageKey("typical-distance", stages.distance_key(i))
    typical = stages.memo(key, lambda: float(np.median(blocks_of(stages, i)(few, ALL))))
    return bool(stages.epsilon[i] > 0.8 * BROAD * typical)


def _light(kernel: Kernel) -> bool:
    """Whether a kernel takes less than a table of all pairs."""
    return kernel.kind.approximates_gaussian


# Who is left alone ------------------------------------------------------------------------------------------------


def share_alone(stages: Stages, i: int, epsilon: float) -> float:
    """Share of the samples in pieces of fewer than FEW at an ε; of many samples, of those without any neighbour."""
    if stages.n_samples > MANY_SAMPLES:
        return _share_far_from_all(stages, i, epsilon)
    return share_in_few(np.bincount(_pieces(stages, i, epsilon)))


def _alone(stages: Stages, i: int, *, dense: bool, by_kernel: bool) -> float:
    """The same at the view's own ε; without tables of all pairs of those without any neighbour."""
    if not dense:
        return _share_far_from_all(stages, i, stages.epsilon[i])
    pieces = _own_pieces if by_kernel else _passing_pieces

    def compute() -> float:
        return share_in_few(np.bincount(pieces(stages, i, stages.epsilon[i])))

    # Remembered: where the picture is known already, its kernels need not be there any more. Their form is all one.
    return stages.plain().of_kernel(i, "alone", compute=compute)


def _share_far_from_all(stages: Stages, i: int, epsilon: float) -> float:
    """Share of some random samples, a thousand or of very many fewer, whose affinity to all others is below LINK."""
    if not stages.kernels[i].kind.uses_epsilon:
        return 0.0
    pairs = 10**8  # that are looked at, at most, but for a hundred samples
    looking = min(1000, max(100, pairs // stages.n_samples))

    def compute() -> Array:
        rows = random_rows(stages.n_samples, looking, 0)
        return nearest_among_all(stages.point_rows(i, rows), stages, i, own=rows)

    nearest = stages.memo(StageKey("nearest-of-some", stages.distance_key(i)), compute)
    return float(np.mean(nearest > reach_of(stages.kernels[i], epsilon)))


def _pieces(stages: Stages, i: int, epsilon: float) -> npt.NDArray[np.intp]:
    """The piece (M,) of each sample in the graph of affinities of LINK and more at an ε."""
    kernel = stages.kernels[i]
    if not kernel.kind.uses_epsilon:
        return _own_pieces(stages, i)
    reach = reach_of(kernel, epsilon)
    if kernel.kind.id != "knn":
        return connected(distances_of(stages, i) <= reach, stages.task)
    with IMPORTS:  # the first window does not wait for it
        from scipy.sparse import csr_array

    graph = neighbours_of(stages, i)
    links = csr_array((graph.data <= reach, graph.indices, graph.indptr), graph.shape, copy=True)
    links.eliminate_zeros()  # they would count as links
    return _joined_by(links)


def _passing_pieces(stages: Stages, i: int, epsilon: float) -> npt.NDArray[np.intp]:
    """The same of a view whose kernel no picture holds: its distances are not kept either."""
    kernel = stages.kernels[i]
    if not kernel.kind.uses_epsilon or kernel.kind.id == "knn":
        return _pieces(stages, i, epsilon)
    blocks, reach, n = blocks_of(stages, i), reach_of(kernel, epsilon), stages.n_samples
    near = np.empty((n, n), dtype=np.bool_)
    for start in range(0, n, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        np.less_equal(blocks(rows, ALL), reach, out=near[rows])
    np.fill_diagonal(near, val=True)
    return connected(near, stages.task)


def _own_pieces(stages: Stages, i: int, *_: float) -> npt.NDArray[np.intp]:
    """The same at the view's own ε, by the entries of its kernel."""
    if stages.kernels[i].landmarks:  # that of the Gaussian they stand for: landmarks may be out of reach
        return _pieces(stages, i, stages.epsilon[i])
    K = plain_kernel_of(stages, i)
    if isinstance(K, PlainKernel):
        near, few = np.empty(K.shape, dtype=np.bool_), 64
        for start in range(0, len(near), few):
            rows = slice(start, start + few)
            np.greater_equal(K.entries(rows), LINK, out=near[rows])
        return connected(near, stages.task)
    if isinstance(K, np.ndarray | Float32Kernel):
        return connected((K if isinstance(K, np.ndarray) else K.stored) >= LINK, stages.task)
    return _joined_by(cast("Any", K) >= LINK)


def _joined_by(links: Any) -> npt.NDArray[np.intp]:
    """The piece (M,) of each sample in a sparse graph."""
    with IMPORTS:  # the first window does not wait for it
        from scipy.sparse.csgraph import connected_components
    return np.asarray(connected_components(links, directed=False)[1])


# How widely a sample looks ----------------------------------------------------------------------------------------


def _neighbours(stages: Stages, i: int) -> Array:
    """1 / Σ_j p_ij² (m,), p the step that does not stay, of all samples, or of a random part of many."""
    most = 2000  # samples: their median is known well enough
    rows = random_rows(stages.n_samples, most, 0)
    if stages.kernels[i].landmarks:
        return neighbours_at(stages, i, rows, stages.epsilon[i])
    K = kernel_of(stages, i)
    entries = K.stored if isinstance(K, Float32Kernel) else table_of(stages, i)
    found = []
    for start in range(0, len(rows), BLOCK_ROWS):
        stages.task.checkpoint()
        some = rows[start : start + BLOCK_ROWS]
        taken = cast("Any", entries)[some]
        block = np.array(taken, dtype=np.float64) if isinstance(taken, np.ndarray) else taken.toarray()
        block[np.arange(len(some)), some] = 0.0
        found.append(effective_neighbours(block))
    return np.concatenate(found)


def neighbours_at(stages: Stages, i: int, rows: npt.NDArray[np.intp], epsilon: float) -> Array:
    """The same (m,) of some samples at an ε, by their distances; of landmarks those of the Gaussian behind them."""
    kernel = stages.kernels[i]
    if kernel.kind.sparse:
        block = np.asarray(cast("Any", sparse_kernel(stages, neighbours_of(stages, i), epsilon))[rows].toarray())
    else:
        affinity = (laplacian_affinity if kernel.kind.id.startswith("laplacian") else gaussian_affinity)(epsilon)
        block = of_distances(distances_of(stages, i)[rows].astype(np.float64), affinity, stages.task)
    block[np.arange(len(rows)), rows] = 0.0
    return effective_neighbours(block)


def effective_neighbours(block: Array) -> Array:
    """1 / Σ_j p_ij² (m,) of some rows of affinities (m, M) to others."""
    largest = block.max(axis=1, keepdims=True)
    steps = np.divide(block, largest, out=np.zeros_like(block), where=largest > 0.0)  # the least are squared, too
    sums, squares = steps.sum(axis=1), np.square(steps).sum(axis=1)
    out: Array = np.divide(np.square(sums), squares, out=np.zeros(len(block)), where=squares > 0.0)
    return out


def _contrast(stages: Stages, i: int) -> float:
    if not stages.kernels[i].kind.uses_epsilon:
        return float("nan")
    return contrast(stages.kernels[i], quantiles_of(stages, i), stages.epsilon[i])


def contrast(kernel: Kernel, quantiles: tuple[float, float], epsilon: float) -> float:
    """The .95 less the .05 quantile of -log K at an ε, from those of the squared distances."""
    low, high = quantiles
    if kernel.kind.id.startswith("laplacian"):
        return float((np.sqrt(high) - np.sqrt(low)) / np.sqrt(epsilon))
    return (high - low) / (2.0 * epsilon)


def quantiles_of(stages: Stages, i: int) -> tuple[float, float]:
    """The .05 and the .95 quantile of the squared distances of all pairs of view i, remembered."""

    def compute() -> tuple[float, float]:
        low, high = np.quantile(off_diagonal(distances_of(stages, i)), [0.05, 0.95])
        return float(low), float(high)

    return stages.memo(StageKey("distance-quantiles", stages.distance_key(i)), compute)
