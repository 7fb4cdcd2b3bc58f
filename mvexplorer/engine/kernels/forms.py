"""Kernels in another form: without their diagonal, or with rows and columns multiplied by factors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import LEAST_EXPONENT
from mvexplorer.engine.kernels.operators import (
    FEWEST_ROWS,
    Float32Kernel,
    Graph,
    KernelMatrix,
    LowRankOperator,
    PlainKernel,
    Sum,
)


def held_in_single(K: KernelMatrix) -> bool:
    """True if the entries are in single precision, where none is below `least_row_sum` / M."""
    stored = K.stored if isinstance(K, Float32Kernel) else K
    return np.dtype(getattr(stored, "dtype", np.float64)) == np.float32


def least_row_sum(K: KernelMatrix, n_terms: int = 1) -> float:
    """The row sum of a sample without neighbours, at most: affinities in single precision are at least 2^-60.

    The kernel may be the sum of `n_terms` others.
    """
    return 2.0 * n_terms * K.shape[1] * float(np.exp(LEAST_EXPONENT)) if held_in_single(K) else 0.0


def without_loops(K: KernelMatrix, *, fresh: bool) -> KernelMatrix:
    """The kernel (M, M) with a diagonal of 0; in place where it is `fresh`, an array nobody else uses."""
    if isinstance(K, Float32Kernel):
        return replace(K, stored=_array_without_loops(K.stored, fresh=fresh))
    if isinstance(K, np.ndarray):
        return _array_without_loops(K, fresh=fresh)
    return _without(cast("Graph", K), np.arange(K.shape[0]))


def _array_without_loops(K: Array, *, fresh: bool) -> Array:
    out = K if fresh else K.copy()
    np.fill_diagonal(out, 0.0)
    return out


def without_twins(K: KernelMatrix, twins: npt.NDArray[np.intp]) -> KernelMatrix:
    """Rows (n, M) of a kernel with 0 at the column `twins` (n,) of each, where that is not -1."""
    if not (twins >= 0).any():
        return K
    if isinstance(K, np.ndarray):
        out, rows = K.copy(), np.flatnonzero(twins >= 0)
        out[rows, twins[rows]] = 0.0
        return out
    return _without(cast("Graph", K), twins)


def _without(K: Graph, columns: npt.NDArray[np.intp]) -> Graph:
    """A sparse matrix without the entry of each row that lies in its column."""
    with IMPORTS:
        from scipy.sparse import csr_array

    rows = np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))
    others = K.indices != columns[rows]
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows[others], minlength=K.shape[0]))])
    return cast("Graph", csr_array((K.data[others], K.indices[others], ends), shape=K.shape))


def scaled(K: KernelMatrix, left: Array, right: Array, task: Task, *, fresh: bool = False) -> KernelMatrix:
    """diag(left) K diag(right) for factors (n,) and (M,), of the same class; in place where it is `fresh`, an array."""
    if isinstance(K, LowRankOperator):
        mine = cast("Array", (left[:, None] * K.left).astype(K.left.dtype, copy=False))
        alike = K.right is K.left and right is left
        return replace(K, left=mine, right=mine if alike else (right[:, None] * K.right).astype(K.right.dtype))
    if isinstance(K, Float32Kernel):
        return replace(K, stored=_scaled_array(K.stored, left, right, task, K.stored if fresh else None))
    if isinstance(K, np.ndarray):
        return _scaled_array(K, left, right, task, K if fresh else None)
    if isinstance(K, Sum):
        return Sum([scaled(term, left, right, task) for term in K.terms])
    return _scaled_graph(cast("Graph", K), left, right)


def _scaled_array(K: Array, left: Array, right: Array, task: Task, place: Array | None) -> Array:
    out = cast("Array", task.empty(K.shape, K.dtype)) if place is None else place
    rows_by, columns_by = (factors.astype(K.dtype, copy=False) for factors in (left, right))

    def fill(rows: slice) -> None:
        np.multiply(K[rows], columns_by, out=out[rows])
        out[rows] *= rows_by[rows, None]

    task.map_blocks(len(K), FEWEST_ROWS, fill)
    return out


def _scaled_graph(K: Graph, left: Array, right: Array) -> Graph:
    with IMPORTS:
        from scipy.sparse import csr_array

    data: Any = K.data * np.repeat(left, np.diff(K.indptr)) * right[K.indices]
    return cast("Graph", csr_array((data.astype(K.dtype, copy=False), K.indices, K.indptr), shape=K.shape))


def as_plain(K: KernelMatrix, factors: Array | None, loops: Array | None) -> KernelMatrix:
    """The kernel (M, M) that became K when `loops` (M,) were left out, and rows and columns multiplied by `factors`."""
    if not hasattr(K, "indptr"):
        return PlainKernel(cast("Array", K), factors, loops)
    with IMPORTS:
        from scipy.sparse import diags_array

    graph = cast("Graph", K) if factors is None else _scaled_graph(cast("Graph", K), 1.0 / factors, 1.0 / factors)
    return graph if loops is None else cast("Graph", (graph + diags_array(loops)).tocsr())
