"""A method's random walk, known by its products: rows of Pᵗ without a matrix of all pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.isolated import Kept, density_weights


@dataclass(frozen=True)
class Walk:
    """A row-stochastic P on `n_blocks` copies of the M samples, one for each view that the walk tells apart.

    `back` computes Pᵀ V for blocks V (n_blocks·M, m): one step of distributions that are columns. `first` tells where
    the walk is one step after a sample, (n_blocks·M, n_blocks), a column for each copy it started in; it comes from the
    kernels' rows at that sample, and needs no row sums but its own. `kernel` computes products K V with the symmetric
    kernel of which P = D^-1 K. `share_that_stays` finds the mean probability that a step ends at the sample where it
    began, in whichever copy; where that would take longer than the walk's other products, there is None.
    """

    back: Apply
    n_samples: int
    n_blocks: int
    first: Callable[[int], Array]
    kernel: Apply | None = None
    share_that_stays: Callable[[], float] | None = None

    def rows(self, sample: int, t: int, task: Task, mixtures: Array | None = None) -> Array:
        """Rows of Pᵗ (n_blocks, n_blocks, M): from `sample` in the first copy to all samples in the second.

        Of `mixtures` (k, n_blocks), how likely a walk starts in which copy, only these are followed: (k, n_blocks, M).
        """
        V = self.first(sample)
        if mixtures is not None:
            V = V @ mixtures.T.astype(V.dtype)
        for step in range(1, t):
            task.progress(step / t)
            V = self.back(V)
        return V.T.reshape(-1, self.n_blocks, self.n_samples)


def kernel_walk(
    apply: Apply,
    columns: Callable[[int], Array],
    degrees: Callable[[], Array],
    alpha: float,
    shape: tuple[int, int],
    neighboured: Callable[[], Kept | None],
) -> Walk:
    """Make the walk D^-1 K of a symmetric kernel, on the copies and samples of `shape`.

    `apply` multiplies K with blocks, `columns` gives the columns of K at a sample in each copy, `degrees` its row sums,
    called where they are needed. `alpha` is the density normalisation: K is divided by the row sums of both ends to
    this power first. `neighboured` tells which states have neighbours, None where all do: no step leads to the others.
    """
    copies, n = shape

    @cache
    def kept() -> Kept | None:
        return neighboured()

    @cache
    def weight() -> Array:
        return density_weights(degrees(), alpha, kept())[:, None]

    def weighted(V: Array) -> Array:
        return weight() * V if alpha or kept() is not None else V

    def kernel(V: Array) -> Array:
        return weighted(apply(weighted(V)))

    @cache
    def sums() -> Array:
        return _positive(kernel(np.ones((copies * n, 1))) if alpha or kept() is not None else degrees()[:, None])

    def first(sample: int) -> Array:
        V = weighted(columns(sample))
        if (there := kept()) is not None:
            V = V * there.reshape(copies, n)[:, sample]
        V /= _positive(V.sum(axis=0))  # the sample's own weight is a factor of the whole column
        return V

    return Walk(lambda V: kernel(V / sums()), n, copies, first, kernel)


def _positive(sums: Array) -> Array:
    """Sums with 1 for those that are 0: no step leads from samples without neighbours."""
    return np.where(sums > 0.0, sums, 1.0)
