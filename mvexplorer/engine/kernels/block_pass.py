"""The sums over blocks of rows by which walks on kernels of landmarks know all samples.

The kernels are K_a = F_a F_aᵀ, F_a = C_a R_a, where C_a (M, m_a) are the affinities of the samples to the landmarks and
R_a the root of the inverse of those among landmarks. A pass makes C_a block by block, and keeps sums of the size of the
landmarks: it is plain data, so that threads, processes and other machines carry it out alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.preprocessing import Treatment
from mvexplorer.engine.kernels.affinities import divide
from mvexplorer.engine.kernels.distances import ALL, squared_blocks
from mvexplorer.engine.kernels.landmarks import REACH
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, ViewMetric, measured

PASS_ENTRIES = 1 << 20
"""Affinities of a block of rows to all landmarks that are held at a time."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """The steps before distances are taken between raw rows of a view: treatment, weights of features, and metric."""

    treatment: Treatment
    weights: Array | None = None
    metric: ViewMetric = EUCLIDEAN
    view: str = ""

    def apply(self, rows: Array) -> Array:
        """Rows (n, D), in whatever precision, as samples (n, D') in double precision."""
        X = self.treatment.apply(np.asarray(rows, dtype=np.float64))
        return measured(X if self.weights is None else X * self.weights, self.metric, self.view)


@dataclass(frozen=True, eq=False)
class Term:
    """A Gaussian exp(-Σ_l d_l² / 2s_l) between samples and landmarks, d_l the distance in view l.

    The Gaussian of several views is the product of theirs. `landmarks` (m, D_l) are those in each of these views,
    prepared; `scales` the bandwidths s_l.
    """

    views: tuple[int, ...]
    landmarks: tuple[Array, ...]
    scales: tuple[float, ...]

    def affinities(self, samples: Sequence[Array]) -> Array:
        """Affinities (n, m) of samples, given by the term's views (n, D_l), prepared."""
        out: Array | None = None
        for X, Z, scale in zip(samples, self.landmarks, self.scales, strict=True):
            squared = squared_blocks(X, Z)(ALL, ALL)
            divide(squared, -2.0 * scale, squared)
            with np.errstate(over="ignore"):  # beyond the largest number the affinity is 0 all the same
                out = squared if out is None else np.add(out, squared, out=out)
        assert out is not None  # a term has a view
        return np.exp(out, out=out)


Factor = tuple[Term, ...]
"""The terms whose affinities stand side by side as C_a: one, or several whose kernels are added up."""


@dataclass(eq=False)
class Sums:
    """The results of a pass over some rows.

    `totals` (m_a,) are C_aᵀ w_a; `grams` (m_a, m_b) C_aᵀ diag(w_a / e_b) C_b of each pair asked for. `lost` counts the
    rows that are out of reach of all landmarks. `vectors` are, for each block of rows, C_a X_a / e_a (n, k) of each
    factor that has vectors.
    """

    totals: tuple[Array, ...]
    grams: tuple[Array, ...]
    lost: int = 0
    vectors: list[tuple[Array, ...]] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(part.nbytes for part in (*self.totals, *self.grams))

    def add(self, other: Sums) -> Sums:
        """These sums with those of the rows that follow, in place."""
        for mine, theirs in zip((*self.totals, *self.grams), (*other.totals, *other.grams), strict=True):
            mine += theirs
        self.lost += other.lost
        self.vectors += other.vectors
        return self


@dataclass(frozen=True, eq=False)
class BlockPass:
    """One pass over the samples.

    `pairs` are the factors a, b whose products C_aᵀ diag(w_a / e_b) C_b are summed up. `alpha` is the exponent of the
    densities, where there are any: w_a = (C_a p_a)^-α, otherwise 1. `densities` (m_a,) are p_a, and `degrees` the same
    for e_a; e_a is 1 where there are no degrees. `reach` (m_a, T_a) are row sums of the kernel of each term, by which
    samples are told that are out of reach of all landmarks. `vectors` (m_a, k) are X_a of the first factors.
    """

    prepare: tuple[Preparation, ...]
    factors: tuple[Factor, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    alpha: float = 0.0
    densities: tuple[Array, ...] = ()
    degrees: tuple[Array, ...] = ()
    reach: tuple[Array, ...] = ()
    vectors: tuple[Array, ...] = ()

    @property
    def width(self) -> int:
        """Landmarks Σ_a m_a of the factors together."""
        return sum(len(term.landmarks[0]) for factor in self.factors for term in factor)

    @property
    def rows_at_once(self) -> int:
        """Rows of a block."""
        least_rows = 16
        return max(least_rows, PASS_ENTRIES // self.width)

    def over(self, tables: Sequence[Array], rows: slice, tick: Callable[[int], None] = lambda n: None) -> Sums:
        """Compute the sums over consecutive rows of all views (M, D_l), raw; those in files are read a block at a time.

        `tick` is given, after each block, the number of its rows; it may raise to stop.
        """
        sums: Sums | None = None
        for start in range(rows.start, rows.stop, self.rows_at_once):
            some = slice(start, min(start + self.rows_at_once, rows.stop))
            here = self.of([X[some] for X in tables])
            sums = here if sums is None else sums.add(here)
            tick(some.stop - some.start)
        assert sums is not None  # there are rows
        return sums

    def of(self, rows: Sequence[Array]) -> Sums:
        """The sums of a few rows, given by all views (n, D_l), raw."""
        samples = [prepare.apply(X) for prepare, X in zip(self.prepare, rows, strict=True)]
        C = [_side_by_side([term.affinities([samples[i] for i in term.views]) for term in f]) for f in self.factors]
        densities, degrees = _each(C, self.densities), _each(C, self.degrees)
        sums = [each for each in (*densities, *degrees) if each is not None]
        near = np.ones(len(rows[0]), dtype=bool)
        for values in sums:
            near &= values > 0.0
            values[~(values > 0.0)] = 1.0  # refused later, with the count of all
        for reached in _each(C, self.reach):
            if reached is not None:
                near &= (reached > REACH).all(axis=1)
        weights = [None if d is None else d**-self.alpha for d in densities]
        lost = int(np.count_nonzero(~near))
        if self.vectors:
            each = zip(C, self.vectors, degrees, strict=False)
            return Sums((), (), lost, [tuple(c @ X / _column(e) for c, X, e in each)])
        totals = tuple(c.sum(axis=0) if w is None else c.T @ w for c, w in zip(C, weights, strict=True))
        grams = tuple(_gram(C[a], C[b], weights[a], degrees[b], same=a == b) for a, b in self.pairs)
        return Sums(totals, grams, lost)

    def place(self, rows: Sequence[Array]) -> tuple[tuple[Array, ...], int]:
        """The vectors (n, k) of samples given by all views (n, D_l), raw, and how many are out of reach."""
        sums = self.over(rows, slice(0, len(rows[0])))
        return tuple(np.concatenate(parts) for parts in zip(*sums.vectors, strict=True)), sums.lost


def _side_by_side(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.hstack(parts)


def _each(C: Sequence[Array], given: Sequence[Array]) -> list[Array | None]:
    """C_a times what is given for a; None where nothing is."""
    return [c @ given[a] if a < len(given) else None for a, c in enumerate(C)]


def _column(e: Array | None) -> Array | float:
    return 1.0 if e is None else e[:, None]


def _gram(first: Array, second: Array, weight: Array | None, degree: Array | None, *, same: bool) -> Array:
    """C_aᵀ diag(w/e) C_b; symmetric to the last digit where a is b."""
    if weight is None and degree is None:
        return first.T @ second
    ones = np.ones(len(first))
    scale = (ones if weight is None else weight) / (ones if degree is None else degree)
    if same:
        half = first * np.sqrt(scale)[:, None]
        return half.T @ half
    return first.T @ (scale[:, None] * second)
