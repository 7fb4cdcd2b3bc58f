"""Memory for large arrays that come and go at every step of a drag.

Fresh memory has to be fetched from the system page by page, which takes longer than the exponentials written into it.
"""

from __future__ import annotations

from itertools import accumulate
from sys import getrefcount
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Piece = npt.NDArray[np.uint8]


def _references(pieces: list[Piece]) -> list[int]:
    return [getrefcount(piece) for piece in pieces]


FREE = _references([np.empty(0, dtype=np.uint8)])[0]
"""References to a piece of memory that is not in use."""
KEPT_AT_REST = 1 << 27
"""Bytes of unused memory to keep while the hand rests, so that the next drag does not begin by fetching it again."""
MOST_FREE = 4
"""Unused pieces of other sizes to keep: after a drag, kernels have another precision than during it."""


class Buffers:
    """Hands out arrays, and reuses their memory once nothing refers to them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pieces: list[Piece] = []

    @property
    def nbytes(self) -> int:
        """Memory held, in use or not."""
        return sum(piece.nbytes for piece in self._pieces)

    @property
    def spare(self) -> int:
        """Memory held that is not in use."""
        with self._lock:
            return sum(self._pieces[i].nbytes for i in self._free())

    def empty(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array with undefined content, as of `numpy.empty`."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with self._lock:
            # Every view of an array holds a reference to it: without other references there is no view.
            free = self._free()
            fitting = next((i for i in free if self._pieces[i].nbytes == size), None)
            if fitting is None:
                self._forget(free[:-MOST_FREE])
                self._pieces.append(np.empty(size, dtype=np.uint8))
                fitting = -1
            return cast("npt.NDArray[Any]", self._pieces[fitting].view(dtype).reshape(shape))

    def release(self, keep: int = 0) -> None:
        """Return unused memory to the system, but for at most `keep` bytes of it, the smaller pieces."""
        with self._lock:
            free = sorted(self._free(), key=lambda i: self._pieces[i].nbytes)
            sizes = accumulate(self._pieces[i].nbytes for i in free)
            self._forget([i for i, size in zip(free, sizes, strict=True) if size > keep])

    def _free(self) -> list[int]:
        return [i for i, count in enumerate(_references(self._pieces)) if count == FREE]

    def _forget(self, places: list[int]) -> None:
        self._pieces = [piece for i, piece in enumerate(self._pieces) if i not in places]
