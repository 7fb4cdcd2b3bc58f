"""Squared Euclidean distances, in float64 through one matrix product."""

from __future__ import annotations

from typing import cast

import numpy as np

from mvexplorer.engine.multiview import Array
from mvexplorer.engine.task import Task
from mvexplorer.errors import DataError

ROWS = 256
"""Rows handled between two checkpoints: a few milliseconds of work at M = 5000."""
CLOSE = 1e-6
"""Pairs with |x - y|² below this part of |x|² + |y|² are subtracted directly: the product has lost their digits."""
PAIRS = 4096
MATRIX_BYTES = 2 << 30
"""Largest matrix that is built: 16,384 samples. Beyond it a machine would swap for minutes, or give up."""


def check_size(n_samples: int) -> None:
    """DataError where the matrix of all pairs of so many samples is too large to be built."""
    needed = 8 * n_samples**2
    if needed > MATRIX_BYTES:
        limit = int((MATRIX_BYTES / 8) ** 0.5)
        raise DataError(
            f"{n_samples:,} samples need {needed / 2**30:.0f} GiB for each view's matrix of distances.",
            f"Keep at most {limit:,} of them, for example a random part of the rows.",
        )


def squared_distances(X: Array, Y: Array | None = None, task: Task | None = None) -> Array:
    """Matrix of |x_i - y_j|², shape (M, N); `Y` defaults to `X`, whose diagonal is then exactly 0.

    The data are centred first: |x|² + |y|² - 2xy cancels catastrophically far from the origin. Where it still does
    (neighbours in data with a far outlier), the differences themselves are squared; duplicates are at exactly 0.
    """
    same = Y is None
    raw_x, raw_y = X, X if Y is None else Y
    centre = X.mean(axis=0)
    X = X - centre
    Y = X if Y is None else Y - centre
    with np.errstate(over="ignore", invalid="ignore"):
        norms_x, norms_y = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", Y, Y)
        if not np.isfinite(4.0 * (norms_x.max() + norms_y.max())):
            raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
    out = np.empty((len(X), len(Y)))
    for start in range(0, len(X), ROWS):
        if task is not None:
            task.checkpoint()
        rows = slice(start, start + ROWS)
        block = out[rows]
        np.matmul(X[rows], Y.T, out=block)
        block *= -2.0
        block += norms_x[rows, None]
        block += norms_y[None, :]
        close = np.nonzero(block <= CLOSE * (norms_x[rows, None] + norms_y[None, :]))
        for pairs in range(0, len(close[0]), PAIRS):
            i, j = (index[pairs : pairs + PAIRS] for index in close)
            difference = raw_x[rows][i] - raw_y[j]
            block[i, j] = np.einsum("ij,ij->i", difference, difference)
    if same:
        _symmetrise(out)
        np.fill_diagonal(out, 0.0)
    return out


def city_block(X: Array, Y: Array | None = None, task: Task | None = None) -> Array:
    """Matrix (M, N) of (Σ_k |x_ik - y_jk|)²: squared, so that ε = σ² counts in the same units everywhere."""
    from scipy.spatial.distance import cdist

    Y = X if Y is None else Y
    out = np.empty((len(X), len(Y)))
    rows = max(1, PAIRS * ROWS // (len(Y) * X.shape[1]))  # a few milliseconds between two checkpoints
    for start in range(0, len(X), rows):
        if task is not None:
            task.checkpoint()
        block = slice(start, start + rows)
        with np.errstate(over="ignore"):  # told below, in words
            np.square(cdist(X[block], Y, "cityblock"), out=out[block])
    if not np.isfinite(out).all():
        raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
    return out


def correlation_distances(X: Array, Y: Array | None = None, task: Task | None = None) -> Array:
    """Matrix (M, N) of 1 - T_ij, T the correlation of the features of two samples; multi-view diffusion maps, (65).

    1 - T is half the squared distance of the samples once centred and scaled to length 1 (each over its features).
    """
    return 0.5 * squared_distances(_standard_rows(X), None if Y is None else _standard_rows(Y), task)


def _standard_rows(X: Array) -> Array:
    if X.shape[1] < 2:
        raise DataError("A view with one feature has no correlations between samples.", "Choose another kernel for it.")
    centred = X - X.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    flat = int(np.count_nonzero(length <= 1e-12 * np.abs(X).max(axis=1, keepdims=True)))
    if flat:
        count = "One sample has" if flat == 1 else f"{flat} samples have"
        raise DataError(
            f"{count} the same value in every feature of the view: nothing to correlate.",
            "Choose another kernel for this view, or drop these samples.",
        )
    return cast(Array, centred / length)


def _symmetrise(square: Array) -> None:
    """Copy the upper triangle onto the lower one by blocks: BLAS sums the two in different orders."""
    n = len(square)
    for start in range(0, n, ROWS):
        rows = slice(start, min(start + ROWS, n))
        square[rows, :start] = square[:start, rows].T
        diagonal = square[rows, rows]
        upper = np.triu(diagonal)
        square[rows, rows] = upper + np.triu(diagonal, 1).T


def off_diagonal(distances: Array) -> Array:
    """The entries above the diagonal of a symmetric matrix (M, M), as (M(M-1)/2,)."""
    return np.concatenate([row[i + 1 :] for i, row in enumerate(distances)])


def nearest_elsewhere(distances: Array, task: Task | None = None) -> Array:
    """Squared distance (M,) from each sample to the nearest one at another place; infinite where there is none."""
    out = np.empty(len(distances))
    for start in range(0, len(distances), ROWS):
        if task is not None:
            task.checkpoint()
        block = distances[start : start + ROWS]
        out[start : start + ROWS] = np.where(block > 0.0, block, np.inf).min(axis=1)
    return out


def median_squared_distance(distances: Array) -> float:
    """Median of the off-diagonal squared distances; the unit in which a bandwidth slider counts.

    Where more than half of all pairs coincide the median of the positive ones is taken, and 1 when there are none.
    """
    values = off_diagonal(distances)
    median = float(np.median(values))
    if median > 0.0:
        return median
    positive = values[values > 0.0]
    return float(np.median(positive)) if positive.size else 1.0
