"""Linear canonical correlation analysis by whitening, of one data set or of stacks of small ones at once.

Arrays have any leading axes: (..., n, d) are stacks of n samples in d dimensions. Covariances are divided by n - 1.
The papers: Yair and Talmon, "Local canonical correlation analysis for nonlinear common variables discovery" (2017),
section III; for more than two views its Algorithm 3, after Luo, Tao, Ramamohanarao, Xu and Wen, "Tensor canonical
correlation analysis for multi-view dimension reduction" (2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.errors import DataError

Counts: TypeAlias = npt.NDArray[np.intp]

FORCED = 0.9
"""Median canonical correlation above which a ridge was too weak: too few samples force correlations to be high."""


class Principal(NamedTuple):
    """Singular value decomposition X = left · diag(sizes) · axesᵗ of centred samples, largest first.

    `left` (..., n, q) and `axes` (..., d, q) have orthonormal columns, zero where `sizes` (..., q) was dropped.
    """

    left: Array
    sizes: Array
    axes: Array


class Whitened(NamedTuple):
    """Samples (..., n, q) with orthonormal columns, shorter under a ridge, and the axes (..., d, q) mapping to them."""

    samples: Array
    axes: Array
    rank: Counts


def check_squares(X: Array) -> None:
    """Raise DataError where squares of the view's numbers would overflow, or all vanish."""
    largest = float(np.abs(X).max())
    too_large = 1e150
    if not largest < too_large:
        raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
    smallest = 1e-150
    if 0.0 < largest < smallest:
        raise DataError("The numbers are too small to be squared.", "Rescale the view, or z-score it.")


def transposed(A: Array) -> Array:
    """The last two axes swapped."""
    return np.swapaxes(A, -1, -2)


def principal(X: Array) -> Principal:
    """Principal components of each of the stacked data sets (..., n, d), at most min(n - 1, d).

    Fewer samples than dimensions are solved by their n x n products: no matrix of size d x d, and lengths
    instead of roots of eigenvalues, which are exact to rounding for small components as well.
    """
    X = X - X.mean(axis=-2, keepdims=True)
    n, d = X.shape[-2:]
    q = min(n - 1, d)
    if n > d:
        left, sizes, axes = np.linalg.svd(X, full_matrices=False)
        return _without_rounding(left, sizes, transposed(axes))
    left = np.linalg.eigh(X @ transposed(X))[1][..., ::-1][..., :q]
    return _from_one_side(left, transposed(X) @ left)


def principal_by_blocks(X: Array, task: Task) -> Principal:
    """As `principal`, for one centred data set (n, d) of any size, stoppable: it is read in blocks of rows.

    The smaller of the two matrices of products is solved, so d x d for few features and n x n for few samples.
    """
    if X.shape[0] > X.shape[1]:
        axes = np.linalg.eigh(_products(X.T, task))[1][:, ::-1]
        return Principal(*reversed(_from_one_side(axes, _times(X, axes, task))))
    left = np.linalg.eigh(_products(X, task))[1][:, ::-1][:, : len(X) - 1]
    return _from_one_side(left, _times(X.T, left, task))


def _products(A: Array, task: Task) -> Array:
    """A Aᵗ, by blocks of columns."""
    total = np.zeros((len(A), len(A)))
    for start in range(0, A.shape[1], BLOCK_ROWS):
        _count(task, start / A.shape[1])
        block = A[:, start : start + BLOCK_ROWS]
        total += block @ block.T
    task.checkpoint()
    return total


def _times(A: Array, B: Array, task: Task) -> Array:
    """A B, by blocks of rows of A."""
    out = np.empty((len(A), B.shape[1]))
    for start in range(0, len(A), BLOCK_ROWS):
        _count(task, start / len(A))
        np.matmul(A[start : start + BLOCK_ROWS], B, out=out[start : start + BLOCK_ROWS])
    return out


def _count(task: Task, fraction: float) -> None:
    task.progress(fraction)
    task.products += 1


def _from_one_side(basis: Array, other: Array) -> Principal:
    """Complete singular vectors of one side by the data's product with them: the other side times the sizes."""
    sizes = np.linalg.norm(other, axis=-2)
    return _without_rounding(basis, sizes, other / np.where(sizes > 0.0, sizes, 1.0)[..., None, :])


def _without_rounding(left: Array, sizes: Array, axes: Array) -> Principal:
    lost = 1e-8  # Singular values below this part of the largest are rounding, and dropped.
    kept = sizes > lost * sizes.max(axis=-1, keepdims=True)
    return Principal(left * kept[..., None, :], sizes * kept, axes * kept[..., None, :])


def whiten(parts: Principal, rank: int | None = None, ridge: float = 0.0) -> Whitened:
    """Coordinates whose covariance is Σ (Σ + ridge · σ² I)⁻¹, σ² the largest variance, of the first `rank` components.

    Without a ridge that is the identity.
    """
    left, sizes, axes = (A[..., :rank] for A in parts)
    scale = np.sqrt(np.square(sizes) + ridge * np.square(sizes[..., :1]))
    kept = sizes > 0.0
    scale = np.where(kept, scale, 1.0)
    return Whitened(left * (sizes / scale)[..., None, :], axes / scale[..., None, :], kept.sum(axis=-1))


def canonical(first: Whitened, second: Whitened) -> tuple[Array, Array, Array]:
    """The first side's turn (..., q1, q), the correlations ρ (..., q), descending, the second side's turn (..., q2, q).

    The directions are `directions(axes, turn, n)`; ρ² are the eigenvalues of (6).
    """
    turn, rho, back = np.linalg.svd(transposed(first.samples) @ second.samples, full_matrices=False)
    return turn, np.minimum(rho, 1.0), transposed(back)


def directions(whitened: Whitened, turn: Array) -> Array:
    """Canonical directions P (..., d, m), along which the samples have variance 1 (less under a ridge)."""
    n = whitened.samples.shape[-2]
    return cast("Array", np.sqrt(n - 1.0) * (whitened.axes @ turn))


def tensor_turns(views: Sequence[Whitened], task: Task | None = None) -> tuple[list[Array], Array]:
    """Rank-1 approximation of the whitened covariance tensor, Algorithm 3: turns (..., q, 1) per view, and ρ (...).

    The tensor's entries are never formed: its products with vectors are sums over the samples. Alternating power
    iterations from the leading singular vectors of its unfoldings, deterministic; each step can only raise ρ.
    """
    task = task or Task()
    samples = [np.sqrt(v.samples.shape[-2] - 1.0) * v.samples for v in views]
    grams = [Z @ transposed(Z) for Z in samples]
    leading = [
        np.linalg.eigh(transposed(Z) @ reduce(np.multiply, grams[:k] + grams[k + 1 :]) @ Z)[1][..., ::-1]
        for k, Z in enumerate(samples)
    ]
    best, value = [vectors[..., :1] for vectors in leading], np.full(samples[0].shape[:-2], -1.0)
    starts = 3  # The rank-1 approximation is started so many times, and the best result kept.
    for start in range(min(starts, *(vectors.shape[-1] for vectors in leading))):
        turns, rho = _power(samples, [vectors[..., start, None] for vectors in leading], task)
        better = rho > value * (1.0 + 1e-9)
        best = [np.where(better[..., None, None], new, old) for new, old in zip(turns, best, strict=True)]
        value = np.where(better, rho, value)
    return best, value


def _power(samples: Sequence[Array], starts: Sequence[Array], task: Task) -> tuple[list[Array], Array]:
    """Each data set of the stack goes on until its own ρ stands still, so that it does not depend on the others."""
    turns, rho = list(starts), np.zeros(samples[0].shape[:-2])
    along = [Z @ u for Z, u in zip(samples, turns, strict=True)]
    moving = np.ones((*rho.shape, 1, 1), dtype=bool)
    iterations = 500
    for _ in range(iterations):
        task.checkpoint()
        before = rho
        for k, Z in enumerate(samples):
            u = transposed(Z) @ reduce(np.multiply, along[:k] + along[k + 1 :])
            length = np.linalg.norm(u, axis=-2, keepdims=True)
            turns[k] = np.where(moving, u / np.where(length > 0.0, length, 1.0), turns[k])
            along[k] = Z @ turns[k]
            rho = np.where(moving, length / Z.shape[-2], rho[..., None, None])[..., 0, 0]
        moving &= (rho - before > 1e-12 * rho)[..., None, None]
        if not moving.any():
            break
    return turns, rho


def forced(rho: Array, first: Counts, second: Counts, n_samples: int) -> npt.NDArray[np.bool_]:
    """Whether the canonical correlations ρ (..., q) are high for want of samples, given the ranks (...) of both sides.

    Where a side's n samples span all n - 1 dimensions there are, it correlates perfectly with anything; only a ridge
    that shortens most directions, or fewer directions, lets the other side matter.
    """
    count = np.minimum(first, second)
    middle = np.take_along_axis(rho, np.maximum(count - 1, 0)[..., None] // 2, axis=-1)[..., 0]
    full: npt.NDArray[np.bool_] = np.maximum(first, second) >= n_samples - 1
    return full & (count > 0) & (middle >= FORCED)


def metric_distances_from(X: Array, rows: Counts, factors: Array) -> Array:
    """(x_i - x_j)ᵗ B_i B_iᵗ (x_i - x_j), (c, M), for the samples i in `rows` (c,), B (c, d, m), in one product."""
    c, d, m = factors.shape
    along = (transposed(factors).reshape(c * m, d) @ X.T).reshape(c, m, len(X))
    along -= along[np.arange(c), :, rows][:, :, None]
    return cast("Array", np.einsum("cmj,cmj->cj", along, along))


def lengths(differences: Array, factors: Array) -> Array:
    """Δᵗ B Bᵗ Δ (c,) of the differences Δ (c, d), B (c, d, m)."""
    along = transposed(factors) @ differences[..., None]
    return cast("Array", np.square(along).sum(axis=(-2, -1)))
