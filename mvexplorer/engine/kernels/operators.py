"""Kernels that take less memory than an array (M, M) in double precision, and are known by their products only.

They are stored in single precision where there are many samples, but applied in double, by blocks of rows: solvers
stop at residuals far below the rounding of single precision. They are applied as stored only while a slider moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task


class KernelMatrix(Protocol):
    """A kernel (n, M) as solvers see it: an array, a `Graph`, or one of the classes below."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    def __matmul__(self, V: Array, /) -> Array: ...

    def sum(self, axis: int) -> Array:
        """Row sums (n,) for `axis` 1."""
        ...


class Graph(KernelMatrix, Protocol):
    """A `scipy.sparse.csr_array`, as far as it is used here; a protocol because scipy has no types."""

    data: Array
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int32]
    dtype: np.dtype[Any]
    nnz: int
    multiply: Callable[[Matrix], Graph]
    power: Callable[[float], Graph]
    tocsr: Callable[[], Graph]
    toarray: Callable[[], Array]
    diagonal: Callable[[], Array]

    def __lt__(self, value: float, /) -> Graph: ...


Matrix: TypeAlias = Array | Graph
"""A matrix stored by its entries, dense or sparse."""


def as_array(K: KernelMatrix) -> Array:
    """The matrix (n, M) as an array, with its zeros."""
    return K if isinstance(K, np.ndarray) else cast("Graph", K).toarray()


CONVERTED_ENTRIES = 1 << 21
"""Entries converted to double precision at a time; with fewer, preparing the vectors would outweigh the product."""
THREAD_PRODUCTS = 1 << 24
"""Multiplications given to a thread at a time, about a millisecond: handing over fewer costs more than it saves."""
FEW_VECTORS = 4
"""Vectors up to which products with each of them take half as long as one product with all."""
STRIP_ROWS, TILE_COLUMNS = 1024, 4096
"""Of a symmetric kernel, the rows given to a thread at a time and the columns that stay at hand with them.

Smaller tiles would stay in a core's own cache, but each needs the interpreter lock twice: beside a busy window that
takes longer than the product.
"""
FEWEST_ROWS = 128
"""Rows below which preparing the vectors for a product takes longer than the product."""
ALONE = Task()
"""The task of a product to which nobody lends threads."""


def _map_blocks(
    stored: Array, V: Array, task: Task, work: Callable[[slice, Array], None], least: int = FEWEST_ROWS
) -> None:
    """Call `work` on blocks of `least` or more rows of `stored` in the precision of V, on `task`'s threads."""
    n, width = stored.shape
    step = n if stored.dtype == V.dtype else max(1, CONVERTED_ENTRIES // max(1, width))

    def some(rows: slice) -> None:
        size = min(step, rows.stop - rows.start)
        place = np.empty((size, width), dtype=V.dtype) if stored.dtype != V.dtype else None
        for start in range(rows.start, rows.stop, step):
            part = slice(start, min(start + step, rows.stop))
            block = stored[part]
            if place is not None:
                np.copyto(place[: len(block)], block)
                block = place[: len(block)]
            work(part, block)

    share = THREAD_PRODUCTS // max(1, width * (V.shape[1] if V.ndim > 1 else 1))
    task.map_blocks(n, max(least, share), some)


def times(stored: Array, V: Array, task: Task = ALONE) -> Array:
    """`stored` @ V in the precision of V."""
    # In single precision BLAS is a quarter quicker where vectors lie one after the other.
    order: Literal["C", "F"] = "F" if V.dtype == np.float32 else "C"
    if V.ndim == 2 and V.shape[1] <= FEW_VECTORS:
        return _times_few(stored, V, task)
    V, out = np.asarray(V, order=order), np.empty((len(stored), *V.shape[1:]), dtype=V.dtype, order=order)

    def fill(rows: slice, block: Array) -> None:
        np.matmul(block, V, out=out[rows])

    _map_blocks(stored, V, task, fill)
    return out


def _times_few(stored: Array, V: Array, task: Task) -> Array:
    """`stored` @ V vector by vector, of as many rows at a time as the processor keeps at hand."""
    V, out = np.asfortranarray(V), np.empty((len(stored), V.shape[1]), dtype=V.dtype, order="F")

    def fill(rows: slice, block: Array) -> None:
        # Entries that are multiplied by one vector after the other: they still lie in the processor's cache.
        entries_at_hand = 1 << 18
        step = max(1, entries_at_hand // max(1, block.shape[1]))
        for start in range(0, len(block), step):
            some = block[start : start + step]
            for j in range(V.shape[1]):
                first = rows.start + start
                np.matmul(some, V[:, j], out=out[first : first + len(some), j])

    _map_blocks(stored, V, task, fill)
    return out


def _times_symmetric(stored: Array, V: Array, task: Task) -> Array:
    """`stored` @ V of a symmetric matrix and few vectors, in the precision of V.

    Only what lies on and above the diagonal is read, and each tile of it is used twice: reading the matrix from memory
    takes most of the time.
    """
    n, parts = len(stored), {}
    V = np.asfortranarray(V)

    def add(which: slice) -> None:
        start = which.start * STRIP_ROWS
        parts[start] = _strip_times(stored[start : start + STRIP_ROWS], V, start)

    task.map_blocks(-(-n // STRIP_ROWS), 1, add)
    out = np.zeros_like(V)
    for start in sorted(parts):  # whichever thread was first: the same digits every time
        out[start:] += parts[start]
    return out


def _strip_times(strip: Array, V: Array, start: int) -> Array:
    """Compute the share of a symmetric matrix's rows from `start` on in its product with V, from their number on."""
    stop, n = start + len(strip), len(V)
    own, out = V[start:stop], np.empty((n - start, V.shape[1]), V.dtype, order="F")
    square = strip[:, start:stop].astype(V.dtype, copy=False)
    for j in range(V.shape[1]):
        np.matmul(square, own[:, j], out=out[: len(strip), j])
    for first in range(stop, n, TILE_COLUMNS):
        columns = slice(first, min(first + TILE_COLUMNS, n))
        tile = strip[:, columns].astype(V.dtype, copy=False)
        for j in range(V.shape[1]):
            out[: len(strip), j] += tile @ V[columns, j]
            np.matmul(own[:, j], tile, out=out[first - start : columns.stop - start, j])
    return out


def transposed_times(stored: Array, V: Array, task: Task = ALONE) -> Array:
    """``storedᵀ @ V`` in the precision of V."""
    parts: dict[int, Array] = {}

    def add(rows: slice, block: Array) -> None:
        parts[rows.start] = block.T @ V[rows]

    _map_blocks(stored, V, task, add, least=stored.shape[1])  # the parts together are no larger than V
    # Added in the order of the rows, whichever thread was first: the same digits every time.
    first, *others = sorted(parts)
    out = parts[first]
    for start in others:
        out += parts[start]
    return out


@dataclass(frozen=True, eq=False)
class Float32Kernel:
    """A symmetric kernel (M, M) stored in single precision, and applied in that of `dtype`."""

    stored: Array
    dtype: npt.DTypeLike = np.float64

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns (M, M)."""
        return len(self.stored), self.stored.shape[1]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.stored.nbytes

    def __matmul__(self, V: Array) -> Array:
        return self.times(V, ALONE)

    def times(self, V: Array, task: Task) -> Array:
        """The product with V, on the threads lent to `task`."""
        V = V.astype(self.dtype, copy=False)
        if V.ndim == 1:
            return _times_symmetric(self.stored, V[:, None], task)[:, 0]
        return (_times_symmetric if V.shape[1] <= FEW_VECTORS else times)(self.stored, V, task)

    def sum(self, axis: int) -> Array:
        """Row sums (M,), in double precision; of a symmetric kernel the column sums as well."""
        return cast("Array", self.stored.sum(axis=1, dtype=np.float64))

    def toarray(self) -> Array:
        """The kernel as an array (M, M)."""
        return self.stored.astype(np.float64)

    def in_float32(self) -> Float32Kernel:
        """The same kernel, applied in single precision."""
        return replace(self, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class LowRankOperator:
    """The product left · root · rootᵀ · rightᵀ, never formed; applied in the precision of `dtype`.

    `left` is (n, m), `right` (M, m), and `root` (m, r) or None for the identity. Multiplied one after the other, the
    halves of a root that is nearly singular lose no more digits than a factor made of it would.
    """

    left: Array
    right: Array
    dtype: npt.DTypeLike = np.float64
    root: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns (n, M)."""
        return len(self.left), len(self.right)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes; factors that are one array count once."""
        return self.left.nbytes + (0 if self.right is self.left else self.right.nbytes)

    def __matmul__(self, V: Array) -> Array:
        return self.times(V, ALONE)

    def times(self, V: Array, task: Task) -> Array:
        """The product with V, on the threads lent to `task`."""
        inner = transposed_times(self.right, V.astype(self.dtype, copy=False), task)
        inner = inner if self.root is None else self.root @ (self.root.T @ inner)
        return times(self.left, inner, task).astype(V.dtype, copy=False)

    def sum(self, axis: int) -> Array:
        """Row sums (n,), in double precision."""
        if axis != 1:
            raise ValueError("only row sums are offered")
        return self @ np.ones(len(self.right))

    def toarray(self) -> Array:
        """The product as an array (n, M)."""
        left = self.left if self.root is None else self.left @ (self.root @ self.root.T)
        return left.astype(np.float64) @ self.right.T.astype(np.float64)

    def in_float32(self) -> LowRankOperator:
        """The same product, applied in single precision; with a root it stays in double, which the root needs."""
        if self.root is not None:
            return self
        left = cast("Array", self.left.astype(np.float32, copy=False))
        right = left if self.right is self.left else cast("Array", self.right.astype(np.float32, copy=False))
        return LowRankOperator(left, right, np.float32)


@dataclass(frozen=True)
class Sum:
    """A sum of kernels of one shape, applied term by term."""

    terms: Sequence[KernelMatrix]

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns (n, M)."""
        return self.terms[0].shape

    @property
    def dtype(self) -> npt.DTypeLike:
        """The precision in which it is applied."""
        return np.result_type(*(getattr(term, "dtype", np.float64) for term in self.terms))

    def __matmul__(self, V: Array) -> Array:
        return cast("Array", np.sum([term @ V for term in self.terms], axis=0))

    def sum(self, axis: int) -> Array:
        """Row sums (n,)."""
        return cast("Array", np.sum([term.sum(axis=axis) for term in self.terms], axis=0))


@dataclass(frozen=True, eq=False)
class PlainKernel:
    """A symmetric kernel (M, M) with its self-loops, not scaled, known from another form of it: that is not copied.

    Its entries are those of `formed`, divided by the `factors` (M,) of their row and column where these multiplied
    them; on the diagonal are the `loops` (M,) where they were left out.
    """

    formed: Array | Float32Kernel | Sum
    factors: Array | None
    loops: Array | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns (M, M)."""
        return self.formed.shape

    @property
    def dtype(self) -> npt.DTypeLike:
        """The precision in which it is applied."""
        return self.formed.dtype

    def __matmul__(self, V: Array) -> Array:
        return self.times(V, ALONE)

    def times(self, V: Array, task: Task) -> Array:
        """The product with V, on the threads lent to `task`."""
        formed = ThreadedOperator(self.formed, task)
        by_rows = (slice(None), *(None,) * (V.ndim - 1))
        factors = None if self.factors is None else self.factors[by_rows]
        out = formed @ V if factors is None else (formed @ (V / factors)) / factors
        return out if self.loops is None else out + self.loops[by_rows] * V

    def sum(self, axis: int) -> Array:
        """Row sums (M,)."""
        if axis != 1:
            raise ValueError("only row sums are offered")
        return self @ np.ones(self.shape[1])

    def diagonal(self) -> Array:
        """Entries K_ii (M,)."""
        if self.loops is not None:
            return self.loops
        own = diagonal_of(self.formed, np.arange(self.shape[0]))
        return own if self.factors is None else own / np.square(self.factors)

    def entries(self, rows: slice) -> Array:
        """Some rows (n, M) of a kernel that is not a sum, freshly made in double precision."""
        stored = self.formed.stored if isinstance(self.formed, Float32Kernel) else cast("Array", self.formed)
        out = stored[rows].astype(np.float64)
        if self.factors is not None:
            out /= self.factors[rows, None]
            out /= self.factors
        if self.loops is not None:
            out[np.arange(len(out)), np.arange(len(stored))[rows]] = self.loops[rows]
        return out


THREAD_ENTRIES = 1 << 19
"""Entries of a sparse kernel that a thread multiplies by at a time."""


class ThreadedOperator:
    """A kernel (M, M) of any kind, times `factor`, whose products are made on the threads lent to a task.

    It is the form that solvers use; the factor may be the weight of a view.
    """

    def __init__(self, kernel: KernelMatrix, task: Task, factor: float = 1.0) -> None:
        self._factor = factor
        self._kernel, self._task = cast("Matrix | Float32Kernel | LowRankOperator | Sum | PlainKernel", kernel), task
        self._parts = _parts(cast("Graph", kernel)) if hasattr(kernel, "indptr") else []

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns (M, M)."""
        return self._kernel.shape[0], self._kernel.shape[1]

    @property
    def dtype(self) -> npt.DTypeLike:
        """The precision in which it is applied."""
        return self._kernel.dtype

    @property
    def kernel(self) -> KernelMatrix:
        """The kernel without its factor."""
        return self._kernel

    @property
    def task(self) -> Task:
        """The computation whose threads make its products."""
        return self._task

    @property
    def factor(self) -> float:
        """The number that the kernel is multiplied by."""
        return self._factor

    def sum(self, axis: int) -> Array:
        """Row sums (M,), of a symmetric kernel the column sums as well."""
        if axis != 1:
            raise ValueError("only row sums are offered")
        # As a product: twice as fast as a sum, and rounded as the solver's products are.
        return self @ np.ones(self.shape[1], dtype=self.dtype)

    def column(self, j: int) -> Array:
        """Column j (M,), the kernel being symmetric; of one that is known by its products it is one of them."""
        stored = self._kernel.stored if isinstance(self._kernel, Float32Kernel) else self._kernel
        if isinstance(stored, np.ndarray):
            return cast("Array", self._factor * stored[j].astype(self.dtype, copy=False))
        unit = np.zeros(self.shape[1], self.dtype)
        unit[j] = 1.0
        return self @ unit

    def __matmul__(self, V: Array) -> Array:
        out = self._times(V)
        return out if self._factor == 1.0 else self._factor * out

    def _times(self, V: Array) -> Array:
        if not self._parts:
            whole = self._kernel
            if isinstance(whole, Float32Kernel | LowRankOperator | PlainKernel):
                return whole.times(V, self._task)
            return whole @ V if isinstance(whole, Sum) else times(as_array(whole), V, self._task)
        out = np.empty((self.shape[0], *V.shape[1:]), dtype=np.result_type(self.dtype, V.dtype))

        def some(which: slice) -> None:
            rows, part = self._parts[which.start]
            out[rows] = part @ V

        self._task.map_blocks(len(self._parts), 1, some)
        return out


def _parts(kernel: Graph) -> list[tuple[slice, Graph]]:
    """A sparse kernel cut into rows of about THREAD_ENTRIES entries each; they share its memory."""
    with IMPORTS:
        from scipy.sparse import csr_array

    count = max(1, round(kernel.nnz / THREAD_ENTRIES))
    cuts = np.searchsorted(kernel.indptr, np.linspace(0, kernel.nnz, count + 1)[1:-1])
    bounds = np.unique([0, *cuts, kernel.shape[0]]).tolist()
    out = []
    for start, stop in pairwise(bounds):
        links = slice(*kernel.indptr[[start, stop]])
        part: Graph = csr_array((stop - start, kernel.shape[1]), dtype=kernel.dtype)
        # Set one by one: the constructor copies an array that is a small part of another.
        part.data, part.indices = kernel.data[links], kernel.indices[links]
        part.indptr = kernel.indptr[start : stop + 1] - kernel.indptr[start]
        out.append((slice(start, stop), part))
    return out


def diagonal_of(kernel: KernelMatrix, rows: npt.NDArray[np.intp]) -> Array:
    """Entries K_ii of a kernel of any kind at some samples (n,), in double precision."""
    if isinstance(kernel, ThreadedOperator):
        return kernel.factor * diagonal_of(kernel.kernel, rows)
    if isinstance(kernel, Sum):
        return cast("Array", np.sum([diagonal_of(term, rows) for term in kernel.terms], axis=0))
    if isinstance(kernel, LowRankOperator):
        sides = (kernel.left,) if kernel.right is kernel.left else (kernel.left, kernel.right)
        factors = [side[rows].astype(np.float64) for side in sides]
        if kernel.root is not None:
            factors = [side @ kernel.root for side in factors]
        return cast("Array", np.einsum("ij,ij->i", factors[0], factors[-1]))
    stored = kernel.stored if isinstance(kernel, Float32Kernel) else cast("Matrix | PlainKernel", kernel)
    return stored.diagonal()[rows].astype(np.float64)
