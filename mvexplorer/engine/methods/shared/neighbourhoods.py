"""Neighbourhoods of samples for local CCA: repetitions, windows in time, or the nearest in all views at once.

The paper: Yair and Talmon, "Local canonical correlation analysis for nonlinear common variables discovery" (2017),
section IV-C: "the definition of the neighborhoods is application-specific".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import DIFFUSION_TIME, N_COMPONENTS, TRUNCATION, Param
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.errors import ParameterError

Indices: TypeAlias = npt.NDArray[np.intp]

NEIGHBOURHOOD = Param(
    "neighbourhood",
    "",
    "auto",
    "Which samples count as near: repetitions of the measurement, a window in time, or the nearest in all views. "
    "auto: repetitions if the data have them, a window if the samples are ordered in time, else the nearest.",
    kind="choice",
    choices=("auto", "window", "knn", "bursts"),
    title="Neighbourhoods",
    source="Yair, Talmon (2017), section IV-C",
)
NEIGHBOURS = Param(
    "neighbours",
    "n",
    8,
    "Samples in a neighbourhood, its own included: the length of the window, or the count of the nearest. The default "
    "gives way to fewer samples.",
    kind="int",
    low=3,
    title="Neighbours",
    source="Yair, Talmon (2017), section VII-B",
)

AROUND_SAMPLES = (N_COMPONENTS, DIFFUSION_TIME, TRUNCATION, NEIGHBOURHOOD, NEIGHBOURS)
"""The parameters with which those of every method begin that looks around each sample."""

SUBSET = Param(
    "subset",
    "L",
    None,
    "Compute the metric at so many samples only, drawn at random; empty means at all of them.",
    kind="int",
    low=2,
    title="Subset",
    source="Yair, Talmon (2017), Algorithm 2",
    empty="all",
)

MOSTLY = 0.5
"""The share of samples that have the next one near if they are ordered in time."""
BLOCK_ENTRIES = 1 << 17
"""Distances sorted between two checkpoints: a few milliseconds of work."""


@dataclass(frozen=True)
class Neighbourhoods:
    """The neighbourhoods of all samples: all of one kind and one size n.

    `members` (M, n) are indices of samples, each its own member; None for bursts, which have samples of their own.
    """

    kind: str
    size: int
    members: Indices | None

    def samples(self, stages: Stages, i: int, rows: Indices) -> Array:
        """The neighbours (len(rows), n, D_i) of the samples `rows` in view i, preprocessed."""
        if self.members is not None:
            return stages.view(i)[self.members[rows]]
        bursts = stages.data.bursts[stages.views[i]][rows] if stages.data.bursts is not None else np.empty((0, 0, 0))
        return stages.prepared(i, bursts.reshape(-1, bursts.shape[-1])).reshape(*bursts.shape[:2], -1)


def neighbourhoods(stages: Stages, kind: str, size: int) -> Neighbourhoods:
    """All neighbourhoods of this kind and size, as `kind_of` and `size_of` give them."""
    if kind == "bursts":
        return Neighbourhoods(kind, size, None)
    if kind == "window":
        return Neighbourhoods(kind, size, windows(stages.n_samples, size))
    key = StageKey("neighbours", stages.view_keys(), settings=(size,))
    return Neighbourhoods(kind, size, stages.memo(key, lambda: _nearest(stages, size)))


def kind_of(stages: Stages) -> str:
    """The kind of neighbourhood asked for, with "auto" decided."""
    wanted = str(stages.params["neighbourhood"])
    if wanted == "bursts" and stages.data.bursts is None:
        raise ParameterError(
            "The data hold no bursts: repetitions of every sample's measurement.",
            "Choose windows or nearest neighbours, or auto.",
        )
    if wanted != "auto":
        return wanted
    if stages.data.bursts is not None:
        return "bursts"
    key = StageKey("auto-neighbourhood", stages.view_keys())
    return stages.memo(key, lambda: "window" if ordered_in_time(stages) else "knn")


def size_of(stages: Stages, kind: str) -> int:
    """Samples per neighbourhood of this kind; where the data have fewer than the default, all of them."""
    if kind == "bursts":
        return _burst_size(stages)
    size = int(stages.params["neighbours"] or 0)
    if size <= stages.n_samples:
        return size
    if size == NEIGHBOURS.default:
        stages.task.warn(
            "neighbourhood", f"The data have only {stages.n_samples} samples: every neighbourhood holds all of them."
        )
        return stages.n_samples
    raise ParameterError(
        f"A neighbourhood of {size} samples is larger than the data, which have {stages.n_samples}.",
        f"Give at most {stages.n_samples}.",
    )


def _burst_size(stages: Stages) -> int:
    bursts = stages.data.bursts
    size = 0 if bursts is None else bursts[0].shape[1]
    if size < NEIGHBOURS.low:
        raise ParameterError(
            f"The bursts hold {size} repetition{'s' if size != 1 else ''} of every sample, too few to correlate.",
            f"At least {NEIGHBOURS.low:g} are needed. Choose windows or nearest neighbours instead.",
        )
    return size


def windows(n_samples: int, size: int) -> Indices:
    """Windows (M, n) of consecutive samples, i-3..i+4 for n = 8; shifted at the ends, never shortened."""
    first = np.clip(np.arange(n_samples) - (size - 1) // 2, 0, n_samples - size)
    return first[:, None] + np.arange(size)


def ordered_in_time(stages: Stages) -> bool:
    """True if for at least half of the samples the next one is among the 10 nearest, in every view.

    Among few samples fewer count as near, lest chance decide.
    """
    return bool(np.logical_and.reduce(_followed(stages)).mean() >= MOSTLY)


def each_ordered_in_time(stages: Stages) -> bool:
    """True if that holds in every view, of whichever samples: views that know nothing of each other differ in these."""
    return all(bool(near.mean() >= MOSTLY) for near in _followed(stages))


def _followed(stages: Stages) -> list[npt.NDArray[np.bool_]]:
    """For every view which samples (M - 1,) have the next one near."""
    next_ones = 10  # A sample's successor is near if it is among this many nearest ones.
    nearest = min(next_ones, stages.n_samples // 5)
    return [_closer_than_next(distances_of(stages, v), stages.task) < nearest for v in range(stages.n_views)]


def _closer_than_next(distances: Array, task: Task) -> Indices:
    """How many others (M - 1,) are nearer to a sample than its successor is."""
    following = np.diagonal(distances, 1)[:, None]
    step = max(1, BLOCK_ENTRIES // len(distances))
    counts = []
    for start in range(0, len(following), step):
        task.checkpoint()
        rows = slice(start, start + step)
        counts.append(np.count_nonzero(distances[:-1][rows] < following[rows], axis=1))
    # The sample itself was counted as nearer, unless its successor is at the same place.
    return np.concatenate(counts) - (following[:, 0] > 0.0)


def _nearest(stages: Stages, size: int) -> Indices:
    """The nearest n in all views (M, n); each sample itself comes first, or ties."""
    distances = [distances_of(stages, v) for v in range(stages.n_views)]
    order, out = lexicographic_ranks(stages), np.empty((stages.n_samples, size), dtype=np.intp)
    step = max(1, BLOCK_ENTRIES // stages.n_samples)
    for start in range(0, stages.n_samples, step):
        stages.task.progress(start / stages.n_samples)
        rows = slice(start, start + step)
        out[rows] = nearest_in_all([D[rows] for D in distances], size, order)
    return out


def nearest_in_all(distances: Sequence[Array], size: int, order: Indices) -> Indices:
    """For each row of the views' distances (m, M) the n samples whose largest rank among the views is smallest.

    Ties are broken by the sum of their ranks, then by the rank in the first view, then by `order` (M,), which
    must not depend on how the samples are numbered. The answer (m, n) is sorted by `order`, so that
    twins at one place get the same neighbours in the same order.
    """
    n_samples = len(order)
    ranks = [_ranks(D) for D in distances]
    key = np.maximum.reduce(ranks) * (len(ranks) * n_samples) + np.add.reduce(ranks)
    key = (key * n_samples + ranks[0]) * n_samples + order
    nearest = np.argpartition(key, size - 1, axis=1)[:, :size]
    by_order = np.argsort(order[nearest], axis=1)
    return np.take_along_axis(nearest, by_order, axis=1)


def _ranks(distances: Array) -> Indices:
    """Rank (m, M) of each sample in its row: how many are nearer; equal distances share a rank."""
    order = np.argsort(distances, axis=1)
    ascending = np.take_along_axis(distances, order, axis=1)
    new = np.zeros(order.shape, dtype=np.intp)
    same = 1e-9  # Distances closer than this, relatively, count as equal, so that rounding does not order them.
    farther = ascending[:, 1:] > ascending[:, :-1] * (1.0 + same)
    new[:, 1:] = np.where(farther, np.arange(1, order.shape[1]), 0)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.maximum.accumulate(new, axis=1), axis=1)
    return ranks


def lexicographic_ranks(stages: Stages) -> Indices:
    """Place (M,) of every sample when sorted by its features: a numbering independent of the samples' order."""
    columns = np.hstack([stages.view(v) for v in range(stages.n_views)]).T
    stages.task.checkpoint()
    ranks = np.empty(stages.n_samples, dtype=np.intp)
    ranks[np.lexsort(columns[::-1])] = np.arange(stages.n_samples)
    return ranks


def optional_count(stages: Stages, name: str) -> int | None:
    """The whole number a parameter holds, or None where it is empty."""
    value = stages.params[name]
    return None if value is None else int(value)


def check_subset(stages: Stages, subset: int) -> None:
    """Raise ParameterError unless a subset of this size is possible, and large enough for r coordinates."""
    if subset > stages.n_samples:
        raise ParameterError(
            f"A subset of {subset} is larger than the data, which have {stages.n_samples} samples.",
            f"Give at most {stages.n_samples}, or leave it empty.",
        )
    if subset < stages.n_vectors:
        raise ParameterError(
            f"A subset of {subset} samples is too small for r = {stages.n_vectors - 1} coordinates.",
            f"Give at least {stages.n_vectors}, or leave it empty.",
        )


def subset_rows(stages: Stages, subset: int | None) -> Indices:
    """The samples (L,) at which metrics are computed: all, or some drawn from a list sorted by features."""
    if subset is None:
        return np.arange(stages.n_samples)
    return np.argsort(lexicographic_ranks(stages))[random_rows(stages.n_samples, subset, stages.random_state)]


def parts(stages: Stages, count: int, work: float, entries: int = 1) -> Iterator[slice]:
    """`count` rows cut into slices of a few milliseconds each, given a row's `work` and entries to be sorted."""
    block_operations = 2e7  # Floating point operations between two checkpoints: about ten milliseconds.
    step = int(max(1, min(block_operations // work, BLOCK_ENTRIES // entries)))
    for start in range(0, count, step):
        stages.task.progress(start / count)
        yield slice(start, min(start + step, count))
