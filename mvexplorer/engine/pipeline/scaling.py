"""Doubly stochastic kernels: W = diag(x) K diag(x), whose rows and columns sum to 1.

Landa, Coifman, Kluger: Doubly stochastic normalization of the Gaussian kernel is robust to heteroskedastic noise
(2021); the iteration is that of Knight, Ruiz, Uçar: A symmetry preserving algorithm for matrix scaling (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.forms import least_row_sum
from mvexplorer.engine.kernels.operators import KernelMatrix, ThreadedOperator
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import ComputeError

EXACT, ROUGH = 1e-12, 1e-3
"""How far row sums may be from 1 at rest, and while a slider moves."""
MOST_PRODUCTS = 2000
SLOW = 200
"""Products from which on a scaling is slow, which tells that ε is small."""


class Scaling(NamedTuple):
    """The factors x (M,) of a doubly stochastic kernel, and the products it took to find them."""

    factors: Array
    products: int


def scaling_of(K: KernelMatrix, stages: Stages, start: Array | None = None) -> Scaling:
    """The factors of a kernel (M, M); ComputeError where it has none. `start` are those of a similar kernel."""
    shared, n = ThreadedOperator(K, stages.task), K.shape[0]

    def apply(x: Array) -> Array:
        stages.task.checkpoint()
        return (shared @ x.astype(shared.dtype, copy=False)[:, None]).ravel().astype(np.float64)

    sums = apply(np.ones(n))
    empty = int(np.count_nonzero(~(sums > least_row_sum(K))))
    if empty:
        have = "sample has" if empty == 1 else "samples have"
        raise _no_scaling(f"{empty:,} {have} no neighbours: no scaling makes this kernel doubly stochastic.")
    if start is None:
        start = np.full(n, 1.0 / np.sqrt(sums.mean()))
        return _iterated(apply, start, start * start * sums, ROUGH if stages.form.rough else EXACT)
    return _iterated(apply, start, start * apply(start), ROUGH if stages.form.rough else EXACT)


def _iterated(apply: Callable[[Array], Array], x: Array, s: Array, tolerance: float) -> Scaling:
    """Divide x (M,) by powers of the row sums s (M,) of diag(x) K diag(x), until these are 1."""
    before, steady = np.inf, True
    for products in range(1, MOST_PRODUCTS + 1):
        lost = int(np.count_nonzero(~(s > 0.0)))
        if lost:  # affinities by landmarks may be below 0
            raise _no_scaling(f"{lost:,} of {len(s):,} rows of the kernel do not add up to more than 0.")
        error = float(np.abs(s - 1.0).max())
        if error <= tolerance:
            return Scaling(x, products)
        # A power of 2/3 is quicker where all sums are nearly 1; farther away only 1/2 is sure to converge.
        steady = steady and error <= before
        x = x * s ** (-2.0 / 3.0 if steady and products >= 3 else -0.5)
        s, before = x * apply(x), error
    raise _no_scaling(f"No scaling made this kernel doubly stochastic in {MOST_PRODUCTS:,} products.")


def _no_scaling(why: str) -> ComputeError:
    return ComputeError(why, "Enlarge ε, keep the self-loops (self_loops=true), or take normalisation=walk.")
