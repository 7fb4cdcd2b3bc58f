"""The share of a walk's steps that end at the sample where they began: what self-loops take of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import STEPS_STAY, doubt
from mvexplorer.engine.kernels.operators import (
    FEWEST_ROWS,
    Float32Kernel,
    KernelMatrix,
    LowRankOperator,
    Matrix,
    PlainKernel,
    Sum,
    ThreadedOperator,
    as_array,
    diagonal_of,
)
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.wording import in_percent

if TYPE_CHECKING:
    from mvexplorer.engine.pipeline.method import Method

STEPS_THAT_STAY = "steps_that_stay"
"""The share's name among the named numbers about a result."""
SELF_LOOPS, NORMALISATION = "self_loops", "normalisation"
"""The parameters that change how often a step stays."""


def share_that_stays(method: Method, stages: Stages) -> float | None:
    """The mean p_ii of a method's walk with its self-loops, whatever is drawn; None where that is not to be told."""
    if method.walk is None:
        return None
    share = method.walk(stages).share_that_stays
    return None if share is None else share()


def notice_of_stays(method: Method, stages: Stages, share: float | None) -> Diagnostics:
    """The notice that many steps stay, where leaving self-loops out helps most pictures, and is to be had.

    Walks between views lose by it: of them the share is a fact.
    """
    many, helped = 0.1, ("single", "concatenation", "kernel-sum", "kernel-product")
    if share is None or share < many or method.id not in helped:
        return ()
    scaled = stages.params.get(NORMALISATION, "walk") != "walk"
    by_landmarks = any(kernel.landmarks for kernel in stages.kernels)  # which keep their loops
    offered = any(param.name == SELF_LOOPS for param in method.params) and not (scaled or by_landmarks)
    if not offered or stages.params.get(SELF_LOOPS) is False:
        return ()
    return ((STEPS_STAY, doubt(STEPS_STAY, sentence_on_stays(share))),)


def sentence_on_stays(share: float) -> str:
    """The share in a sentence."""
    words = words_on_stays(share)
    return f"{words[0].upper()}{words[1:]}."


def words_on_stays(share: float) -> str:
    """The share in words."""
    return f"{in_percent(share)} of the steps stay where they are"


def stays_in_kernel(kernel: ThreadedOperator, alpha: float) -> float:
    """The mean p_ii of the walk of one symmetric kernel; of landmarks that of a random part of the samples.

    All of them would take a third of the whole solution's time.
    """
    weight, totals = _normalised(kernel.sum(axis=1), alpha, kernel.__matmul__)
    enough = 250
    rows = random_rows(len(weight), enough, 0) if _by_landmarks(kernel) else np.arange(len(weight))
    return float(np.mean(weight[rows] * diagonal_of(kernel, rows) / totals[rows]))


def stays_between_kernels(
    kernels: Sequence[ThreadedOperator], apply: Apply, degrees: Array, eta: float, alpha: float
) -> float:
    """The mean over (view l, sample i) of Σ_m P̂_(l,i),(m,i), P̂ the walk between views that `apply` multiplies with.

    With T = Σ_m diag(v^m) K^m, v the density weights, it takes two row-wise products a view: of K^l with T and itself.
    """
    weight, totals = _normalised(degrees, alpha, apply)
    parts, across = np.split(weight, len(kernels)), (1.0 - eta) / (len(kernels) - 1)
    stays = np.zeros((len(kernels), len(parts[0])))

    def measure(rows: slice, blocks: Sequence[Matrix]) -> None:
        scales = [K.factor * v[rows] for K, v in zip(kernels, parts, strict=True)]
        own = [_scaled(block, scale) for block, scale in zip(blocks, scales, strict=True)]
        total = reduce(add, own)
        for out, K, block, each in zip(stays, kernels, blocks, own, strict=True):
            out[rows] = K.factor * (across * _row_products(block, total) + (eta - across) * _row_products(block, each))

    _for_strips(kernels, measure)
    return float(np.mean(stays.ravel() / totals))


def stays_in_turns(first: ThreadedOperator, second: ThreadedOperator, alpha: float) -> float:
    """The mean of (P¹P²)_ii, one step in each of two symmetric kernels."""
    weights, totals = zip(*(_normalised(K.sum(axis=1), alpha, K.__matmul__) for K in (first, second)), strict=True)
    between, stays = weights[0] / totals[1], np.zeros(len(totals[0]))

    def measure(rows: slice, blocks: Sequence[Matrix]) -> None:
        stays[rows] = _row_products(blocks[0], blocks[1], between)

    _for_strips((first, second), measure)
    return float(np.mean(weights[1] * stays / totals[0]))


def _by_landmarks(kernel: KernelMatrix) -> bool:
    """True if a kernel, or a term of it, is known by its products only."""
    if isinstance(kernel, ThreadedOperator):
        return _by_landmarks(kernel.kernel)
    terms = kernel.terms if isinstance(kernel, Sum) else ()
    return isinstance(kernel, LowRankOperator) or any(map(_by_landmarks, terms))


def _normalised(degrees: Array, alpha: float, apply: Apply) -> tuple[Array, Array]:
    """The weights (n,) by which density normalisation multiplies rows and columns, and its row sums over them."""
    degrees = degrees.astype(np.float64, copy=False)
    if not alpha:
        return np.ones_like(degrees), degrees
    weight: Array = degrees**-alpha
    return weight, apply(weight[:, None]).ravel()


def _for_strips(kernels: Sequence[ThreadedOperator], work: Callable[[slice, Sequence[Matrix]], None]) -> None:
    """Call `work` on the same rows of all kernels, without their factors: all at once where all are sparse.

    Otherwise they are arrays in double precision, few rows at a time, as many as the processor keeps at hand.
    """
    n, stored = kernels[0].shape[0], [_stored(K) for K in kernels]
    if all(_is_sparse(K) for K in stored):
        work(slice(0, n), cast("list[Matrix]", stored))
        return
    entries_at_hand = 1 << 16
    step = max(1, entries_at_hand // n)

    def some(rows: slice) -> None:
        for start in range(rows.start, rows.stop, step):
            part = slice(start, min(start + step, rows.stop))
            work(part, [_entries(K, part) for K in stored])

    kernels[0].task.map_blocks(n, FEWEST_ROWS, some)


def _entries(K: Matrix | PlainKernel, rows: slice) -> Array:
    if isinstance(K, PlainKernel):
        return K.entries(rows)
    return as_array(cast("Array", K)[rows]).astype(np.float64, copy=False)


def _stored(operator: ThreadedOperator) -> Matrix | PlainKernel:
    kernel = operator.kernel
    return kernel.stored if isinstance(kernel, Float32Kernel) else cast("Matrix | PlainKernel", kernel)


def _is_sparse(K: Matrix | PlainKernel) -> bool:
    return hasattr(K, "indptr")


def _scaled(K: Matrix, scale: Array) -> Matrix:
    """The rows of a kernel, each times its `scale`; the kernel itself where that is 1."""
    if np.all(scale == 1.0):
        return K
    return K * scale[:, None] if isinstance(K, np.ndarray) else K.multiply(scale[:, None]).tocsr()


def _row_products(K: Matrix, other: Matrix, weight: Array | None = None) -> Array:
    """Σ_j K_ij other_ij weight_j of rows (n, M); both are sparse, or neither is."""
    if isinstance(K, np.ndarray):
        weighted = K if weight is None else K * weight
        # Row by row by BLAS, which takes a quarter of einsum's time.
        return cast("Array", np.matmul(weighted[:, None, :], cast("Array", other)[:, :, None])[:, 0, 0])
    return K.multiply(other).tocsr() @ (np.ones(K.shape[1]) if weight is None else weight)
