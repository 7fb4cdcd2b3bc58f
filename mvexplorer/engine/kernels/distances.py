"""Squared distances between samples, in float64, the Euclidean ones through matrix products.

They are offered by blocks, so that code which needs a few rows at a time never holds a matrix of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import DEFAULT_MEMORY, Task
from mvexplorer.errors import DataError

BLOCK_ROWS = 256
"""Rows handled between two checkpoints: a few milliseconds of work at M = 5000."""
TILE_COLUMNS = 256
"""Columns of a symmetric matrix that are filled at a time, for BLOCK_ROWS rows: such a tile stays in the cache."""
BLOCK_PAIRS = 4096
"""Number of such pairs handled at a time."""
BLOCK_ENTRIES = 1 << 21
"""Entries of a block of distances between few features."""
MANY_SAMPLES = 5000
"""With more samples than this kernels are filled straight from the features, and rules look at a random part."""
FLOAT32_SAMPLES = 3000
"""Of more samples kernels and distances are held in single precision: half the memory, and one for drafts and rest."""
FEW_FEATURES = 64
"""Of no more features distances are computed anew for each kernel: that takes no longer than to keep and fetch them."""

Rows: TypeAlias = slice | npt.NDArray[np.intp]
"""Some of the samples: consecutive ones, or any by their positions."""
Blocks: TypeAlias = Callable[[Rows, Rows], Array]
"""Squared distances (n, m), freshly made, from some rows of X to some rows of Y."""
ALL = slice(None)


def check_size(n_samples: int, memory: int = DEFAULT_MEMORY) -> None:
    """Raise DataError where a matrix of all pairs of so many samples, and one more made of it, exceed the memory."""
    needed = 16 * n_samples**2
    if needed > memory:
        limit = int((memory / 16) ** 0.5)
        raise DataError(
            f"{n_samples:,} samples need {needed / 2**30:.0f} GB for a view's distances and what is made of them.",
            f"Keep at most {limit:,} of them, for example a random part of the rows.",
        )


def squared_blocks(X: Array, Y: Array | None = None) -> Blocks:
    """Blocks of ``|x_i - y_j|²`` between rows of X (M, D) and of Y (N, D), by default X.

    The data are centred first: ``|x|² + |y|² - 2xy`` cancels catastrophically far from the origin. Where it still does
    (neighbours in data with a far outlier), the differences themselves are squared; duplicates are at exactly 0.
    """
    raw_x, raw_y = X, X if Y is None else Y
    with np.errstate(over="ignore", invalid="ignore"):
        centre = X.mean(axis=0)
        X = X - centre
        Y = X if Y is None else Y - centre
        norms_x, norms_y = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", Y, Y)
        if not np.isfinite(4.0 * (norms_x.max() + norms_y.max())):
            raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
    # One product makes |x|² + |y|² - 2xy, so that a block is written once and read once.
    left = np.column_stack([-2.0 * X, norms_x, np.ones(len(X))])
    right = np.column_stack([Y, np.ones(len(Y)), norms_y])

    # For pairs with |x - y|² below this part of |x|² + |y|² the product has lost its digits: x - y is squared instead.
    lossy = 1e-6

    def blocks(rows: Rows, columns: Rows) -> Array:
        block = np.asarray(left[rows] @ right[columns].T)
        largest = norms_y[columns].max(initial=0.0)
        close = np.flatnonzero(block <= (lossy * (norms_x[rows] + largest))[:, None])
        for start in range(0, len(close), BLOCK_PAIRS):
            i, j = np.divmod(close[start : start + BLOCK_PAIRS], max(1, block.shape[1]))
            lost = block[i, j] <= lossy * (norms_x[rows][i] + norms_y[columns][j])
            i, j = i[lost], j[lost]
            difference = raw_x[rows][i] - raw_y[columns][j]
            block[i, j] = np.einsum("ij,ij->i", difference, difference)
        return block

    return blocks


def city_block_blocks(X: Array, Y: Array | None = None) -> Blocks:
    """Blocks of ``(Σ_k |x_ik - y_jk|)²``: squared, so that ε = σ² counts in the same units everywhere."""
    with IMPORTS:
        from scipy.spatial.distance import cdist

    other = X if Y is None else Y

    def blocks(rows: Rows, columns: Rows) -> Array:
        with np.errstate(over="ignore"):  # reported below
            block = np.square(cdist(X[rows], other[columns], "cityblock"))
        if not np.isfinite(block).all():
            raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
        return cast("Array", block)

    return blocks


def correlation_blocks(X: Array, Y: Array | None = None) -> Blocks:
    """Blocks of 1 - T_ij, T the correlation of the features of two samples; multi-view diffusion maps, (65).

    1 - T is half the squared distance of the samples once centred and scaled to length 1 (each over its features).
    """
    blocks = squared_blocks(standard_rows(X), None if Y is None else standard_rows(Y))
    return lambda rows, columns: 0.5 * blocks(rows, columns)


def all_pairs(blocks: Blocks, shape: tuple[int, int], n_features: int, task: Task | None = None) -> Array:
    """The whole matrix of distances (M, N); `n_features` sets how many rows a block has."""
    out = np.empty(shape)
    task = task or Task()

    def fill(rows: slice) -> None:
        out[rows] = blocks(rows, ALL)

    task.map_blocks(shape[0], rows_at_once(shape[1], n_features), fill)
    return out


def rows_at_once(n_columns: int, n_features: int) -> int:
    """Rows of a block that takes a few milliseconds, and fits the processor's cache."""
    return max(16, min(BLOCK_ROWS, BLOCK_ENTRIES // (n_columns * max(1, n_features // 96))))


def fill_symmetric(out: Array, blocks: Callable[[slice, slice], Array], task: Task) -> None:
    """Fill a symmetric matrix (M, M) from blocks of its upper half, and mirror them while they are at hand.

    BLAS sums the two halves in different orders; mirrored, they agree to the last digit, for half of the work.
    """
    n, done = len(out), 0

    def fill(rows: slice) -> None:
        nonlocal done
        for start in range(rows.start, n, TILE_COLUMNS):
            columns = slice(start, min(start + TILE_COLUMNS, n))
            block = blocks(rows, columns)
            out[rows, columns] = block
            out[columns, rows] = block.T
        square = out[rows, rows]
        upper = np.triu(square)
        out[rows, rows] = upper + np.triu(upper, 1).T
        done += rows.stop - rows.start
        if n > MANY_SAMPLES:
            task.progress(1.0 - (1.0 - done / n) ** 2)  # later rows are shorter

    task.map_blocks(n, BLOCK_ROWS, fill)


def squared_distances(
    X: Array, Y: Array | None = None, task: Task | None = None, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Matrix of ``|x_i - y_j|²``, shape (M, N); `Y` defaults to `X`, whose diagonal is then exactly 0."""
    return _all_pairs_of(squared_blocks(X, Y), X, Y, task, dtype, X.shape[1])


def city_block(X: Array, Y: Array | None = None, task: Task | None = None, dtype: npt.DTypeLike = np.float64) -> Array:
    """Matrix (M, N) of ``(Σ_k |x_ik - y_jk|)²``."""
    return _all_pairs_of(city_block_blocks(X, Y), X, Y, task, dtype, 96 * X.shape[1])


def correlation_distances(
    X: Array, Y: Array | None = None, task: Task | None = None, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Matrix (M, N) of 1 - T_ij; multi-view diffusion maps, (65)."""
    return _all_pairs_of(correlation_blocks(X, Y), X, Y, task, dtype, X.shape[1])


def _all_pairs_of(
    blocks: Blocks, X: Array, Y: Array | None, task: Task | None, dtype: npt.DTypeLike, n_features: int
) -> Array:
    """The whole matrix; computed in double precision, whatever the precision it is held in."""
    if Y is not None:
        return all_pairs(blocks, (len(X), len(Y)), n_features, task)
    out = np.empty((len(X), len(X)), dtype=dtype)
    fill_symmetric(out, blocks, task or Task())
    np.fill_diagonal(out, 0.0)
    return cast("Array", out)


def standard_rows(X: Array) -> Array:
    """The samples centred and scaled to length 1, each over its features."""
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
    return cast("Array", centred / length)


def off_diagonal(distances: Array) -> Array:
    """The entries above the diagonal of a symmetric matrix (M, M), as (M(M-1)/2,)."""
    return np.concatenate([row[i + 1 :] for i, row in enumerate(distances)])


def nearest_apart(distances: Array, task: Task | None = None, least: float = 0.0) -> Array:
    """Squared distance (M,) from each sample to the nearest one farther than `least`; infinite where there is none."""
    out = np.empty(len(distances))
    for start in range(0, len(distances), BLOCK_ROWS):
        if task is not None:
            task.checkpoint()
        block = distances[start : start + BLOCK_ROWS]
        out[start : start + BLOCK_ROWS] = np.where(block > least, block, np.inf).min(axis=1)
    return out


def median_squared_distance(distances: Array) -> float:
    """Median of the off-diagonal squared distances; the unit in which a bandwidth slider counts.

    Where more than half of all pairs coincide the median of the positive ones is taken, and 1 when there are none.
    """
    values = off_diagonal(distances)
    if not len(values):
        return 1.0
    half = len(values) // 2
    values.partition(half)  # one place only: several take far longer, as np.median does
    upper = float(values[half])
    median = upper if len(values) % 2 else 0.5 * (float(values[:half].max()) + upper)
    if median > 0.0:
        return median
    positive = values[values > 0.0]
    return float(np.median(positive)) if positive.size else 1.0
