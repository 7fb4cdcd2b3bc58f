"""Joint diagonalisation of two views, n 500: the default against cyclic Jacobi over all pairs of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from comparison import Comparison, Prepared, sized
from views import tori

N = sized(500, 40)
MAX_SWEEPS, SMALL_ANGLE = 100, 1e-6
ONE_SWEEP = 1
COMPARED = 3
"""Joint eigenvalues that are compared: means of the views' diagonals."""


def ours() -> Prepared:
    from mvexplorer.engine.api.embedding import embed

    Xs = tori(N)
    return Prepared(lambda: embed(Xs, "jade", epsilon=1.0), values=lambda found: found.eigenvalues[:COMPARED])


def laplacians(n_samples: int = N) -> np.ndarray:
    """Normalised Laplacians (2, M, M) of the self-tuning kNN graphs, from differences."""
    return np.stack([naive_laplacian(X) for X in tori(n_samples)])


def naive_laplacian(X: np.ndarray, k: int = 10) -> np.ndarray:
    D = np.stack([((X - x) ** 2).sum(axis=1) for x in X])
    order = np.argsort(D, axis=1)
    joined = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(joined, order[:, 1 : k + 1], True, axis=1)
    sigma = np.sqrt(np.take_along_axis(D, order[:, 7:8], axis=1))
    W = np.where(joined | joined.T, np.exp(-D / (sigma * sigma.T)), 0.0)
    degrees = W.sum(axis=1)
    return np.eye(len(X)) - W / np.sqrt(np.outer(degrees, degrees))


def sweeps(A: np.ndarray, V: np.ndarray, most: int, small: float) -> int:
    """Cyclic Jacobi on A (n_matrices, n, n), rotating V along, until no angle is larger than `small`."""
    n_matrices, n = A.shape[0], A.shape[1]
    for sweep in range(most):
        largest = 0.0
        for p in range(n - 1):
            for q in range(p + 1, n):
                on = off = 0.0
                for m in range(n_matrices):
                    difference, twice = A[m, p, p] - A[m, q, q], 2.0 * A[m, p, q]
                    on += difference * difference - twice * twice
                    off += 2.0 * difference * twice
                theta = 0.25 * np.arctan2(off, on)
                if abs(theta) <= small:
                    continue
                largest = max(largest, abs(theta))
                c, s = np.cos(theta), np.sin(theta)
                for m in range(n_matrices):
                    for j in range(n):
                        x, y = A[m, p, j], A[m, q, j]
                        A[m, p, j], A[m, q, j] = c * x + s * y, c * y - s * x
                    for j in range(n):
                        x, y = A[m, j, p], A[m, j, q]
                        A[m, j, p], A[m, j, q] = c * x + s * y, c * y - s * x
                for j in range(n):
                    x, y = V[p, j], V[q, j]
                    V[p, j], V[q, j] = c * x + s * y, c * y - s * x
        if largest <= small:
            return sweep + 1
    return most


def with_numba() -> Prepared:
    """The whole of it, compiled, from the eigenbasis of the sum."""
    from numba import njit

    compiled: Any = njit(sweeps)

    def work(n_samples: int = N) -> np.ndarray:
        matrices = laplacians(n_samples)
        V = np.ascontiguousarray(np.linalg.eigh(matrices.sum(axis=0))[1].T)
        diagonal = V @ matrices @ V.T
        compiled(diagonal, V, MAX_SWEEPS, SMALL_ANGLE)
        return np.einsum("mii->i", diagonal) / len(matrices)

    return Prepared(work, lambda: work(40), lambda found: np.sort(found)[:COMPARED])


def with_pyriemann() -> Prepared:
    from pyriemann.geometry.ajd import rjd

    def work(n_samples: int = N) -> Any:
        return rjd(laplacians(n_samples), n_iter_max=ONE_SWEEP)

    return Prepared(work, lambda: work(40))


def comparisons() -> Iterator[Comparison]:
    name = f"joint diagonalisation, n {N}, 2 views"
    numba = "cyclic Jacobi of all vectors in numba"
    yield Comparison(name, 20, ours, with_numba, numba, 3, "rivals", tolerance=1e-5)
    yield Comparison(name, None, ours, with_pyriemann, f"pyriemann rjd, {ONE_SWEEP} sweep of many", 3, "rivals")
