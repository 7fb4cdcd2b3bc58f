"""Estimates of the intrinsic dimension besides DANCo, and a summary of all of them.

Local PCA after Lindenbaum, Yeredor, Salhov, Averbuch, "Multi-view diffusion maps" (2020), section 5.4.1; the
correlation dimension of Grassberger and Procaccia (1983) by the estimator of Takens (1985).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import Param, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.dimension.danco import (
    BLOCK_NUMBERS,
    RANDOM_STATE,
    Danco,
    compared_with_balls,
    different_samples,
    nearest_neighbours,
)
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.kernels.distances import check_size, squared_distances
from mvexplorer.errors import DataError

ENOUGH = 30
"""Neighbours for local PCA: a variance in each of ten directions needs about three times as many."""
AROUND = Param(
    "neighbours",
    "k",
    ENOUGH,
    "Nearest neighbours whose principal components are counted.",
    kind="int",
    low=2,
    high=1000,
    title="Neighbours",
    source="Multi-view diffusion maps, section 5.4.1",
)
THRESHOLD = Param(
    "threshold",
    "",
    0.05,
    "Part of the largest local variance above which a component counts.",
    low=1e-6,
    high=1.0,
    log=True,
    title="Threshold",
    source="Multi-view diffusion maps, section 5.4.1",
)
CLOSE = Param(
    "neighbours",
    "k",
    10,
    "Pairs looked at: so many nearest ones per sample, on average.",
    kind="int",
    low=1,
    high=1000,
    title="Neighbours",
    source="Grassberger, Procaccia (1983)",
)

DANCO_HIGHEST = 10


class Part(Task):
    """A stretch of a longer task: its progress from 0 to 1 is that of the whole from `start` to `end`."""

    def __init__(self, whole: Task, start: float, end: float) -> None:
        super().__init__(lambda fraction: whole.progress(start + (end - start) * fraction))
        self._whole = whole

    def checkpoint(self) -> None:
        """Raise `Cancelled` if the whole is no longer wanted."""
        self._whole.checkpoint()

    def tell(self, notice: Notice) -> None:
        """Attach a notice to the whole."""
        super().tell(notice)
        self._whole.tell(notice)


@dataclass(frozen=True, eq=False)
class IntrinsicDimension:
    """A summary of several estimates.

    `dimension` is d̂ of DANCo on all samples. `lowest` and `highest` are the range over DANCo at all scales and local
    PCA. On clean data they agree; noise has the dimension of the space in small neighbourhoods and disappears in large
    ones, so that on noisy data they do not. `by_scale` (n, d) are DANCo's on n samples: all, and random halves and
    quarters, whose neighbourhoods are wider. `correlation` is biased downwards from about 5 dimensions on, so that it
    does not count for the range. `log_sum` is the largest implied dimension (3.12): biased as well.
    """

    dimension: int
    lowest: int
    highest: int
    danco: Danco
    by_scale: tuple[tuple[int, int], ...]
    local_pca: int
    correlation: float
    log_sum: float

    @property
    def text(self) -> str:
        """One sentence for the analyst."""
        if self.lowest == self.highest:
            return f"The data have {_dimensions(self.dimension)}."
        return (
            f"The data have {self.lowest} to {_dimensions(self.highest)}, depending on the scale: noise, or too few "
            "samples, blurs it."
        )


def _dimensions(count: int) -> str:
    return f"{count} dimension{'s' if count != 1 else ''}"


def intrinsic_dimension(X: npt.ArrayLike, *, random_state: int = 0, task: Task | None = None) -> IntrinsicDimension:
    """The intrinsic dimension of the samples, and the range of its estimates.

    Repeated samples count once.

    Parameters
    ----------
    X : array (M, D)
        Samples, a row each.
    random_state : int
        Seed of DANCo's balls and of the parts of the data on which it is repeated.
    task : Task, optional
        How to stop and report.

    Returns
    -------
    IntrinsicDimension
        The estimate, the range of all estimates, and what each of them finds.

    Raises
    ------
    DataError
        Fewer than 12 different samples, or more than distances can be kept for.

    References
    ----------
    Ceruti et al.: DANCo, Pattern Recognition 47 (2014).

    Examples
    --------
    >>> plane = np.random.default_rng(0).normal(size=(150, 2)) @ np.ones((2, 5)).cumsum(axis=1)
    >>> mvx.intrinsic_dimension(plane + [0, 1, 2, 3, 4]).dimension
    1
    """
    params = check_params((RANDOM_STATE,), {"random_state": random_state}, "The dimension")
    task, points = task or Task(), different_samples(X)
    estimates = scales(points, int(params["random_state"] or 0), Part(task, 0.0, 0.5))
    local = local_pca_dimension(points, neighbours=min(ENOUGH, len(points) - 1), task=Part(task, 0.5, 0.7))
    check_size(len(points))
    distances = squared_distances(points, task=task)
    correlation = correlation_dimension(distances, task=task)
    log_sum = log_sum_range(distances, Part(task, 0.7, 1.0)).dimension
    by_scale = tuple((n, estimate.dimension) for n, estimate in estimates)
    counted = [*(d for _, d in by_scale), local]
    return IntrinsicDimension(
        by_scale[0][1], min(counted), max(counted), estimates[0][1], by_scale, local, correlation, log_sum
    )


def scales(points: Array, seed: int, task: Task) -> list[tuple[int, Danco]]:
    """DANCo on points (m, D), all different, and on random halves and quarters of at least 100, with their sizes."""
    order = np.random.default_rng(seed).permutation(len(points))
    fewest = 100  # DANCo is repeated on parts of at least so many samples; with fewer its estimate varies by chance.
    halvings, neighbours = 2, 10
    sizes = [len(points), *(s for s in (len(points) >> k for k in range(1, halvings + 1)) if s >= fewest)]
    estimates = []
    for k, size in enumerate(sizes):
        share = Part(task, k / len(sizes), (k + 1) / len(sizes))
        part = points[np.sort(order[:size])]
        estimates.append((size, compared_with_balls(part, neighbours, DANCO_HIGHEST, seed, share)))
    return estimates


def local_pca_dimension(
    X: npt.ArrayLike, *, neighbours: int = ENOUGH, threshold: float = 0.05, task: Task | None = None
) -> int:
    """Compute the median over the samples (M, D) of the number of local principal components above a threshold.

    Repeated samples count once. A neighbourhood is a sample and its k nearest; fewer than 3d do not tell d directions
    apart. A component counts above `threshold`, a part of the neighbourhood's largest variance. DataError where there
    are not more than k different samples.
    """
    params = check_params((AROUND, THRESHOLD), {"neighbours": neighbours, "threshold": threshold}, "Local PCA")
    task, points, k = task or Task(), different_samples(X), int(params["neighbours"] or 0)
    if len(points) <= k:
        raise DataError(
            f"Local PCA looks at {k} neighbours of a sample, and the number of different samples is {len(points)}.",
            f"Ask for at most {max(len(points) - 1, 0)} neighbours.",
        )
    nearest = nearest_neighbours(points, k, task)
    counts = [
        np.count_nonzero(variances > float(params["threshold"] or 0.0) * variances[:, -1:], axis=1)
        for variances in _local_variances(points, nearest, task)
    ]
    return int(np.median(np.concatenate(counts)))


def _local_variances(X: Array, nearest: npt.NDArray[np.intp], task: Task) -> Iterator[Array]:
    """Ascending variances (b, min(k + 1, D)) of the samples and their k nearest (M, k), in batches of samples."""
    size = nearest.shape[1] + 1
    step = max(1, BLOCK_NUMBERS // (size * max(size, X.shape[1])) // 4)
    for start in range(0, len(X), step):
        task.progress(start / len(X))
        rows = slice(start, start + step)
        around = np.concatenate([X[rows, None, :], X[nearest[rows]]], axis=1)
        around -= around.mean(axis=1, keepdims=True)
        flipped = around.transpose(0, 2, 1)
        # The smaller of the two Gram matrices has all the variances that are not 0.
        yield np.linalg.eigvalsh(flipped @ around if X.shape[1] < size else around @ flipped)


def correlation_dimension(distances: Array, *, neighbours: int = 10, task: Task | None = None) -> float:
    """Power with which the number of pairs closer than a radius grows with it: -1 / mean log(r / radius).

    `distances` (M, M) are squared. The radius is that within which every sample has k others on average; pairs at one
    place are left out. With more neighbours the estimate varies less, but curvature affects it more. DataError where
    all samples are the same point, or the nearest pairs are all at one distance.
    """
    task = task or Task()
    k = int(check_params((CLOSE,), {"neighbours": neighbours}, "The correlation dimension")["neighbours"] or 0)
    nearest = _smallest(distances, max(2, k * len(distances) // 2), task)
    same = 1e-9  # Squared distances closer than this, relatively, count as equal, so that rounding tells none apart.
    if len(nearest) < 2 or nearest.max() <= (1.0 + same) * nearest.min():
        raise DataError(
            "No two samples are nearer to each other than others, so that nothing can be said of their dimension.",
            "Give more samples.",
        )
    # Squared distances: the logarithm is twice that of r.
    return -2.0 / float(np.mean(np.log(nearest) - math.log(nearest.max())))


def _smallest(distances: Array, count: int, task: Task) -> Array:
    """The `count` smallest distances of pairs i < j that are not 0, or all where there are fewer."""
    kept: list[Array] = []
    for i, row in enumerate(distances):
        task.checkpoint()
        row = row[i + 1 :]
        kept.append(row[row > 0.0])
        if sum(map(len, kept)) > 4 * count or i == len(distances) - 1:
            together = np.concatenate(kept)
            kept = [np.partition(together, count - 1)[:count] if len(together) > count else together]
    return kept[0]
