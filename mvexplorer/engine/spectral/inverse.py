"""Eigenpairs of an operator whose largest eigenvalues crowd at 1: its inverse about a point above 1 spreads them out.

At small bandwidths nearly every sample is a piece of its own, and each has an eigenvalue that differs from 1 by its
weak link to the others. Residuals of the operator itself hardly tell them apart; those of the inverse do.
Ericsson, Ruhe (1980).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.davidson import Apply, Block, Stalled, block_davidson


def crowded_eigenpairs(matrix: Array, locked: Block, k: int, task: Task, angle: float) -> tuple[Array, Block]:
    """Compute the k largest eigenpairs besides those locked away, which have eigenvalue 1.

    `matrix` (n, n) is symmetric, its spectrum in [-1, 1]; it is overwritten. `locked` (n, p) are orthonormal, 1 <= k <=
    (n - p) / 3, and a vector may be off by `angle` in radians. Eigenvalues (m,) descend, the first k being those asked
    for; eigenvectors (n, m) are orthonormal. Stalled where they crowd even so.
    """
    own = matrix.diagonal().copy()
    # How far above 1 the point lies: the nearer, the wider apart are the eigenvalues beside 1, and the larger the
    # rounding errors.
    for distance in (1e-2, 1e-4, 1e-6):
        np.negative(matrix, out=matrix)
        np.fill_diagonal(matrix, 1.0 + distance - own)
        inverse = _inverse(matrix, distance, task)
        np.negative(matrix, out=matrix)
        np.fill_diagonal(matrix, own)
        try:
            ritz = block_davidson(inverse, locked, k, task, angle=angle)
        except Stalled:
            continue
        V = ritz.vectors
        values, turn = np.linalg.eigh(V.T @ (matrix @ V))
        return values[::-1], V @ turn[:, ::-1]
    raise Stalled


def _inverse(matrix: Array, scale: float, task: Task) -> Apply:
    """Products with `scale` times the inverse of a positive definite matrix (n, n), from its Cholesky factor."""
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:  # an eigenvalue above 1 by more than rounding
        raise Stalled from None
    size = 256  # Rows of a Cholesky factor that are solved at a time.
    parts = [slice(a, b) for a, b in pairwise([*range(0, len(factor), size), len(factor)])]
    inverses = [np.linalg.inv(factor[part, part]) for part in parts]

    def apply(V: Block) -> Block:
        task.checkpoint()
        task.products += 1
        out = scale * V
        for part, inverse in zip(parts, inverses, strict=True):
            out[part] = inverse @ (out[part] - factor[part, : part.start] @ out[: part.start])
        for part, inverse in zip(reversed(parts), reversed(inverses), strict=True):
            out[part] = inverse.T @ (out[part] - factor[part.stop :, part].T @ out[part.stop :])
        return out

    return apply


def inverse_of_positive(A: Array, task: Task) -> Array:
    """Invert a symmetric positive definite matrix (n, n) in its place: by its Cholesky factor, half the work of LU.

    It is overwritten, also where LinAlgError is raised: it is not positive definite, or only by less than rounding.
    """
    # Rows at a time where a matrix is inverted: more waste work on zeros, fewer leave products too small to be quick.
    triangle = 96
    parts = [slice(a, b) for a, b in pairwise([*range(0, len(A), triangle), len(A)])]
    for part in parts:
        _factor(A, part)
        task.checkpoint()
    for i, part in enumerate(parts):
        left = -A[part, part] @ A[part, : part.start]
        for other in parts[:i]:
            A[part, other] = left[:, other.start :] @ A[other.start : part.start, other]
        task.checkpoint()
    for part in parts:  # A is now R with R A₀ Rᵗ = I, so that the inverse is Rᵗ R
        A[part, : part.stop] = A[part.start :, part].T @ A[part.start :, : part.stop]
        task.checkpoint()
    for part in parts:
        A[part, part.stop :] = A[part.stop :, part].T
    return A


def _factor(A: Array, rows: slice) -> None:
    """Columns `rows` of the Cholesky factor, with the inverse of their own block in its place."""
    A[rows.start :, rows] -= A[rows.start :, : rows.start] @ A[rows, : rows.start].T
    L = np.linalg.cholesky(A[rows, rows])
    # Solved, not multiplied by the inverse: that loses digits where the matrix is nearly singular.
    A[rows.stop :, rows] = np.linalg.solve(L, A[rows.stop :, rows].T).T
    A[rows, rows] = np.linalg.inv(L)
