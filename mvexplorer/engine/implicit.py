"""Kernels held in less memory than an array (M, M) in double precision takes; all they offer is products.

They are stored in single precision where there are many samples, but applied in double, by blocks of rows: solvers
stop at residuals far below the rounding of single precision. Only while a hand moves are they applied as stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.multiview import Array

BLOCK = 1 << 17
"""Entries converted at a time: 1 MB, which stays in the processor's cache until it is used."""


def _converted(stored: Array, dtype: npt.DTypeLike) -> Iterator[tuple[slice, Array]]:
    """Blocks of rows in another precision, one after the other in the same place."""
    step = max(1, BLOCK // max(1, stored.shape[1]))
    place = np.empty((step, stored.shape[1]), dtype=dtype)
    for start in range(0, len(stored), step):
        rows = slice(start, min(start + step, len(stored)))
        block = place[: rows.stop - start]
        np.copyto(block, stored[rows])
        yield rows, block


def times(stored: Array, V: Array) -> Array:
    """`stored` @ V in the precision of V."""
    if stored.dtype == V.dtype:
        return stored @ V
    out = np.empty((len(stored), *V.shape[1:]), dtype=V.dtype)
    for rows, block in _converted(stored, V.dtype):
        np.matmul(block, V, out=out[rows])
    return out


def transposed_times(stored: Array, V: Array) -> Array:
    """`stored`ᵀ @ V in the precision of V."""
    if stored.dtype == V.dtype:
        return stored.T @ V
    out = np.zeros((stored.shape[1], *V.shape[1:]), dtype=V.dtype)
    for rows, block in _converted(stored, V.dtype):
        out += block.T @ V[rows]
    return out


@dataclass(frozen=True, eq=False)
class Rounded:
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
        return times(self.stored, V.astype(self.dtype, copy=False))

    def sum(self, axis: int) -> Array:
        """Row sums (M,), in double precision; of a symmetric kernel the column sums as well."""
        return cast(Array, self.stored.sum(axis=1, dtype=np.float64))

    def toarray(self) -> Array:
        """The kernel as an array (M, M)."""
        return self.stored.astype(np.float64)

    def in_single(self) -> Rounded:
        """The same kernel, applied in single precision."""
        return replace(self, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class LowRank:
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
        return self._product(V.astype(self.dtype, copy=False)).astype(V.dtype, copy=False)

    def _product(self, V: Array) -> Array:
        inner = transposed_times(self.right, V)
        return times(self.left, inner if self.root is None else self.root @ (self.root.T @ inner))

    def sum(self, axis: int) -> Array:
        """Row sums (n,), in double precision."""
        if axis != 1:
            raise ValueError("only row sums are offered")
        return self._product(np.ones(len(self.right)))

    def toarray(self) -> Array:
        """The product as an array (n, M)."""
        left = self.left if self.root is None else self.left @ (self.root @ self.root.T)
        return left.astype(np.float64) @ self.right.T.astype(np.float64)

    def in_single(self) -> LowRank:
        """The same product, applied in single precision; with a root it stays in double, which that needs."""
        if self.root is not None:
            return self
        left = cast(Array, self.left.astype(np.float32, copy=False))
        right = left if self.right is self.left else cast(Array, self.right.astype(np.float32, copy=False))
        return LowRank(left, right, np.float32)


@dataclass(frozen=True)
class Sum:
    """A sum of kernels of one shape, applied term by term."""

    terms: Sequence[Any]

    def __matmul__(self, V: Array) -> Array:
        return cast(Array, np.sum([term @ V for term in self.terms], axis=0))
