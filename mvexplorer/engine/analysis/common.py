"""Do views share anything? Dependence of every two kernels, beside that with one view's rows in another order.

Chance keeps both kernels as they are and only loses the pairing of samples, so that nothing is assumed about either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mvexplorer.engine.analysis.null_band import LEVEL
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.shuffles import Rows
from mvexplorer.engine.core.task import Task

RUNS = 199
"""Shuffles of each pair of views."""
MOST_SAMPLES = 1_000
"""Samples that are looked at: more would tell the same."""


@dataclass(frozen=True)
class PairInCommon:
    """How far two views agree.

    `cka` is the unbiased alignment of their kernels, 0 without anything in common and at most 1; `p` the share of
    shuffles, the real pairing among them, whose dependence is as large.
    """

    views: tuple[str, str]
    cka: float
    p: float


@dataclass(frozen=True)
class InCommon:
    """How far every two of some views agree, by `n` shuffles of each pair."""

    views: tuple[str, ...]
    pairs: tuple[PairInCommon, ...]
    n: int

    def p_of(self, view: str) -> float:
        """The p of a view with the one it shares most with, times the number of others, which it could be."""
        each = [pair.p for pair in self.pairs if view in pair.views]
        return min(1.0, len(each) * min(each))

    @property
    def least(self) -> float:
        """The smallest p that a view can have by so many shuffles."""
        return min(1.0, (len(self.views) - 1) / (1 + self.n))

    @property
    def alone(self) -> tuple[str, ...]:
        """The views that share nothing with any other beyond chance."""
        return tuple(view for view in self.views if self.p_of(view) > LEVEL)


def short_p(p: float) -> str:
    """A p of many shuffles with two digits, without its leading zero: ``.005``."""
    return f"{p:.2g}".removeprefix("0")


def centred(K: Array) -> Array:
    """H K H (m, m) of a symmetric kernel: that of features whose mean is 0."""
    means = K.mean(axis=0)
    product: Array = K - means - means[:, None] + means.mean()
    return product


def unbiased_cka(K: Array, L: Array) -> float:
    """Alignment of two kernels (m, m) without their diagonals (Song et al. 2012), 0 on average without dependence.

    NaN for fewer than four samples, or where one kernel tells no samples apart.
    """
    least = 4
    if len(K) < least:
        return float("nan")
    A, B = _without_bias(K), _without_bias(L)
    size = float(np.linalg.norm(A) * np.linalg.norm(B))
    tiny = 1e-12 * float(np.linalg.norm(K) * np.linalg.norm(L))
    return float("nan") if size <= tiny else float(np.vdot(A, B)) / size


def _without_bias(K: Array) -> Array:
    """The kernel centred as if it had no diagonal: the products of two such matrices are unbiased."""
    m = len(K)
    A = K - np.diag(np.diag(K))
    sums = A.sum(axis=0) / (m - 2)
    A -= sums
    A -= sums[:, None]
    A += sums.sum() / (m - 1)
    np.fill_diagonal(A, 0.0)
    return A


def in_common(
    views: Sequence[str], kernels: Sequence[Array], order: Callable[[int], Rows], n: int, task: Task | None = None
) -> InCommon:
    """Compare every two kernels (m, m) of the same samples with `n` pairings by chance.

    `order` gives each run, by its number, the sample (m,) whose row each gets, as `order_maker` makes it.
    """
    task = task or Task()
    plain = [centred(np.asarray(K, dtype=np.float64)) for K in kernels]
    places = list(combinations(range(len(views)), 2))
    # Rounding must not tell apart what is equal, as with a view that is the same for all samples.
    slack = {(i, j): 1e-12 * float(np.linalg.norm(kernels[i]) * np.linalg.norm(kernels[j])) for i, j in places}
    least = {(i, j): float(np.vdot(plain[i], plain[j])) - slack[i, j] for i, j in places}
    reached = dict.fromkeys(places, 0)
    for number in range(n):
        rows = order(number)
        for j in range(1, len(views)):
            task.checkpoint()
            turned = plain[j].take(rows, axis=0).take(rows, axis=1)
            for i in range(j):
                reached[i, j] += float(np.vdot(plain[i], turned)) >= least[i, j]
    pairs = [
        PairInCommon((views[i], views[j]), unbiased_cka(kernels[i], kernels[j]), (1 + reached[i, j]) / (1 + n))
        for i, j in places
    ]
    return InCommon(tuple(views), tuple(pairs), n)
