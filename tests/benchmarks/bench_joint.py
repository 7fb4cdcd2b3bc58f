"""Joint diagonalisation of two views, n 500: the default against full cyclic Jacobi."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from run import Comparison

from mvexplorer.datasets import make_touching_rolls
from mvexplorer.engine.embedding import embed
from mvexplorer.engine.methods import joint  # noqa: F401 - registers

SWEEPS = 3
"""Of the plain loop, which needs 20 to 60 of them: more would only make the wait longer."""


def comparisons() -> Iterator[Comparison]:
    data = make_touching_rolls(n_samples=500)

    def jade(full: bool) -> object:
        return embed(data, "jade", epsilon=1.0, full=full)

    def loop() -> object:
        return cyclic_jacobi([naive_laplacian(X) for X in data.Xs], SWEEPS)

    name = "joint diagonalisation, n 500, 2 views"
    yield Comparison(name, 20.0, lambda: jade(False), loop, f"cyclic Jacobi in a loop, {SWEEPS} sweeps of many", 1)
    yield Comparison(name, 20.0, lambda: jade(False), lambda: jade(True), "our own full joint basis", 3)


def naive_laplacian(X: np.ndarray, k: int = 10) -> np.ndarray:
    """Normalised Laplacian (M, M) of the self-tuning kNN graph, from differences."""
    D = np.stack([((X - x) ** 2).sum(axis=1) for x in X])
    order = np.argsort(D, axis=1)
    joined = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(joined, order[:, 1 : k + 1], True, axis=1)
    sigma = np.sqrt(np.take_along_axis(D, order[:, 7:8], axis=1))
    W = np.where(joined | joined.T, np.exp(-D / (sigma * sigma.T)), 0.0)
    degrees = W.sum(axis=1)
    return np.eye(len(X)) - W / np.sqrt(np.outer(degrees, degrees))


def cyclic_jacobi(matrices: list[np.ndarray], sweeps: int) -> np.ndarray:
    """Rotation after rotation in the eigenbasis of the sum, as the papers write it; each a few products of rows."""
    V = np.linalg.eigh(sum(matrices))[1]
    A = np.stack([V.T @ L @ V for L in matrices])
    n = len(V)
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                difference, twice = A[:, p, p] - A[:, q, q], 2 * A[:, p, q]
                theta = 0.25 * np.arctan2(2 * difference @ twice, difference @ difference - twice @ twice)
                c, s = np.cos(theta), np.sin(theta)
                A[:, p], A[:, q] = c * A[:, p] + s * A[:, q], c * A[:, q] - s * A[:, p]
                A[:, :, p], A[:, :, q] = c * A[:, :, p] + s * A[:, :, q], c * A[:, :, q] - s * A[:, :, p]
                V[:, p], V[:, q] = c * V[:, p] + s * V[:, q], c * V[:, q] - s * V[:, p]
    return V
