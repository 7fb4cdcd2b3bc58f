"""The effect of a bandwidth on a view, as curves over the whole axis of its slider.

Everything comes from row sums: no kernel is kept, and four exponentials per block of rows serve any number of
bandwidths, because halving ε squares the kernel: K(ε/2) = K(ε) ∘ K(ε).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, median_of

Codes = npt.NDArray[np.int64]

DECADES = (-4.0, 2.0)
"""The axis of bandwidths: log10 of ε over the view's median squared distance, the same for every view."""
BLOCK_BYTES = 1 << 20
"""Rows are taken in blocks that stay in the processor's cache while they are squared again and again."""
LINK = 1e-3
"""An affinity from which two samples count as linked."""
FEW = 5
"""A piece of the graph of fewer samples holds nothing: these count as left alone."""
MOST_ALONE = 0.05
"""Share of samples left alone from which on a view is isolated."""


@dataclass(frozen=True, eq=False)
class Growth:
    """Row sums of one view's Gaussian on a grid of bandwidths.

    `epsilon` (G,) ascends, in units of the view's squared distance. `row_sums` (G, M) are those of the kernel, its
    diagonal included; `within` (G, M) sums over the samples of the same class, without the sample itself; empty (0, M)
    without classes.
    """

    epsilon: Array
    row_sums: Array
    within: Array

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.epsilon.nbytes + self.row_sums.nbytes + self.within.nbytes

    @cached_property
    def log_sum(self) -> Array:
        """log S(ε), S = Σ_ij K_ij, (G,): from log M to 2 log M; bandwidth selection, Algorithm 3.1."""
        return cast("Array", np.log(self.row_sums.sum(axis=1)))

    @cached_property
    def slope(self) -> Array:
        """d log S / d log ε (G,), half the dimension seen at that scale; bandwidth selection, (3.12)."""
        return np.gradient(self.log_sum, np.log(self.epsilon))

    @cached_property
    def mean_degree(self) -> Array:
        """Σ_j≠i K_ij, mean over the samples (G,)."""
        return cast("Array", self.row_sums.mean(axis=1) - 1.0)

    @cached_property
    def within_probability(self) -> Array:
        """ρ_P (G,): the probability of a step to another sample of the same class; (3.34)-(3.36)."""
        return (self.within / self.row_sums).mean(axis=1) if len(self.within) else np.empty(0)


def growth(stages: Stages, i: int, classes: Codes | None = None) -> Growth:
    """Row sums of view i over the slider's axis, remembered; with `classes` (M,) as whole numbers, -1 for none."""
    stages = stages.subsample()
    marks = None if classes is None else classes.tobytes()
    key = StageKey("growth", stages.distance_key(i), settings=(marks,))
    return stages.memo(key, lambda: _growth(stages, i, classes))


def _growth(stages: Stages, i: int, classes: Codes | None) -> Growth:
    low, high = (median_of(stages, i) * 10.0**d for d in DECADES)
    octaves = int(np.ceil(np.log2(high / low))) + 1  # the last octave reaches the low end
    per_octave = 4  # Bandwidths per doubling of ε, and so the number of exponentials taken of every distance.
    # From the top down: phase p starts at high / 2^(p/4) and is squared once per octave.
    tops = high * 2.0 ** (-np.arange(per_octave) / per_octave)
    row_sums, own = _sums(distances_of(stages, i), tops, octaves, classes, stages.task)
    epsilon = (tops[:, None] / 2.0 ** np.arange(octaves)).T.ravel()
    order = np.argsort(epsilon)
    within = np.empty((0, stages.n_samples)) if classes is None else np.where(classes >= 0, own[order] - 1.0, 0.0)
    return Growth(epsilon[order], row_sums[order], within)


def _sums(D: Array, tops: Array, octaves: int, classes: Codes | None, task: Task) -> tuple[Array, Array]:
    """Row sums of K(ε), and those over each row's own class, (octaves · phases, M), ε falling by quarter octaves."""
    M = len(D)
    shape = (octaves * len(tops), M)
    total, own = np.empty(shape), np.empty(shape if classes is not None else (0, M))
    values = np.empty(0, dtype=np.int64) if classes is None else np.unique(classes[classes >= 0])
    columns = np.ones((M, 1))
    if classes is not None:
        columns = np.column_stack([columns, classes[:, None] == values])
        place = np.searchsorted(values, np.maximum(classes, values[0]))[:, None] + 1
    rows = max(8, BLOCK_BYTES // (8 * M))
    scratch = np.empty((rows, M))
    for start in range(0, M, rows):
        block, at = D[start : start + rows], slice(start, start + rows)
        K = scratch[: len(block)]
        for p, top in enumerate(tops):
            task.checkpoint()
            np.multiply(block, -0.5 / top, out=K)
            np.exp(K, out=K)
            for octave in range(octaves):
                g, sums = octave * len(tops) + p, K @ columns
                total[g, at] = sums[:, 0]
                if classes is not None:
                    own[g, at] = np.take_along_axis(sums, place[at], axis=1)[:, 0]
                np.multiply(K, K, out=K)
        task.progress(min(1.0, (start + rows) / M))
    return total, own


@dataclass(frozen=True, eq=False)
class Connectivity:
    """How the graph of a view falls apart as ε shrinks: links are affinities of at least `LINK`.

    `tree` holds the squared lengths of the minimum spanning tree's edges (M - 1,), ascending, `ends` (M - 1, 2) the
    samples that these join; `nearest` the squared distance of each sample to its nearest other one (M,).
    """

    tree: Array
    ends: npt.NDArray[np.intp]
    nearest: Array

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.tree.nbytes + self.ends.nbytes + self.nearest.nbytes

    def pieces(self, reach: float) -> npt.NDArray[np.intp]:
        """The piece (M,) of each sample where squared distances up to `reach` are links."""
        with IMPORTS:  # the first window does not wait for it
            from scipy.sparse import coo_array
            from scipy.sparse.csgraph import connected_components

        M = len(self.nearest)
        kept = self.ends[: np.searchsorted(self.tree, reach, side="right")]
        links = coo_array((np.ones(len(kept), dtype=bool), (kept[:, 0], kept[:, 1])), shape=(M, M))
        return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)

    def alone(self, reach: float) -> float:
        """Share of samples in pieces of fewer than FEW, where squared distances up to `reach` are links."""
        return share_in_few(np.bincount(self.pieces(reach)))

    def components(self, epsilon: Array) -> Array:
        """Number of connected components at each ε (G,)."""
        return cast("Array", 1.0 + len(self.tree) - np.searchsorted(self.tree, _reach(epsilon), side="right"))

    def isolated(self, epsilon: Array) -> Array:
        """Share of samples without any link at each ε (G,)."""
        joined = np.searchsorted(np.sort(self.nearest), _reach(epsilon), side="right")
        return 1.0 - joined / len(self.nearest)


def _reach(epsilon: Array) -> Array:
    """Squared distance at which the Gaussian has fallen to `LINK`."""
    return cast("Array", -2.0 * np.log(LINK) * np.asarray(epsilon, dtype=float))


def reach_of(kernel: Kernel, epsilon: float) -> float:
    """Squared distance at which a view's kernel has fallen to `LINK`."""
    if kernel.kind.id.startswith("laplacian"):
        return float(np.log(LINK) ** 2 * epsilon)
    return float(-2.0 * np.log(LINK) * epsilon)


def connectivity(stages: Stages, i: int) -> Connectivity:
    """The spanning tree of view i, remembered: it gives the number of components at every ε without any graph."""
    stages = stages.subsample()
    key = StageKey("connectivity", stages.distance_key(i))
    return stages.memo(key, lambda: spanning_tree(distances_of(stages, i), stages.task))


def spanning_tree(D: Array, task: Task | None = None) -> Connectivity:
    """Prim's algorithm on squared distances (M, M): one row per step."""
    M = len(D)
    outside = np.ones(M, dtype=bool)
    outside[0] = False
    reach, edges = D[0].copy(), np.empty(M - 1)
    source, ends = np.zeros(M, dtype=np.intp), np.empty((M - 1, 2), dtype=np.intp)
    for step in range(M - 1):
        if task is not None and step % 64 == 0:
            task.progress(step / M)
        nearest = int(np.argmin(np.where(outside, reach, np.inf)))
        edges[step], ends[step] = reach[nearest], (source[nearest], nearest)
        outside[nearest] = False
        source[D[nearest] < reach] = nearest
        np.minimum(reach, D[nearest], out=reach)
    nearest_ones = np.array([np.partition(row, 1)[1] for row in D])
    order = np.argsort(edges)
    return Connectivity(edges[order], ends[order], nearest_ones)


def connected(joined: npt.NDArray[np.bool_], task: Task) -> npt.NDArray[np.intp]:
    """The piece (M,) of each sample where these pairs (M, M) are joined."""
    pieces, count = np.full(len(joined), -1), 0
    for seed in range(len(joined)):
        front = np.array([seed]) if pieces[seed] < 0 else np.array([], dtype=np.intp)
        count += len(front)
        while len(front):
            task.checkpoint()
            pieces[front] = count - 1
            front = np.flatnonzero(joined[front].any(axis=0) & (pieces < 0))
    return pieces


def share_in_few(sizes: npt.NDArray[np.int64]) -> float:
    """Share of the samples in pieces of fewer than FEW, or than there are samples."""
    return float(sizes[sizes < min(FEW, sizes.sum())].sum() / sizes.sum())


def pair_surface(first: Growth, second: Growth) -> Array:
    """log S^lm (G_l, G_m) = log Σ (K^l K^m)_ij = log d_l · d_m: multi-view diffusion maps, Algorithm 1."""
    return np.log(first.row_sums @ second.row_sums.T)
