"""Views that stay in their file: read-only memory maps, looked through in blocks of rows."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.scratch import unnamed_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Array = npt.NDArray[np.float64]
BLOCK_BYTES = 1 << 19
"""Bytes, in double precision, of the rows that are held at once: they stay in the processor's cache."""


def is_map(X: Any) -> TypeGuard[np.memmap[Any, Any]]:
    """Whether `X` is a table of real numbers in a file, which must not be copied into memory as a whole."""
    return isinstance(X, np.memmap) and X.ndim == 2 and not X.flags.writeable and X.dtype in (np.float32, np.float64)


def check_whole(X: npt.NDArray[Any]) -> None:
    """Refuse a map whose file was cut off: to read what is gone ends the process. Other arrays are never refused."""
    start = getattr(X, "offset", 0) // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
    base: Any = X if is_map(X) else None
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and base.size() < start + len(base):
        raise DataError("A file of the data was cut off while it was open.", "Open the data again.")


def row_blocks(X: npt.NDArray[Any]) -> Iterator[slice]:
    """Slices of rows that cover X (M, D), each of `BLOCK_BYTES` at most; DataError if a map's file was cut off."""
    size = max(1, BLOCK_BYTES // (8 * max(1, X.shape[1])))
    for start in range(0, len(X), size):
        check_whole(X)
        yield slice(start, min(start + size, len(X)))


def in_memory(rows: npt.NDArray[Any]) -> Array:
    """Rows of a view in double precision, as an array of their own."""
    return np.array(rows, dtype=np.float64)


def finite_rows(X: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows (M,) of X (M, D) hold no missing or infinite number."""
    if not is_map(X):
        return cast("npt.NDArray[np.bool_]", np.isfinite(X).all(axis=1))
    return np.concatenate([np.isfinite(X[rows]).all(axis=1) for rows in row_blocks(X)])


def add_to_digest(digest: Any, X: npt.NDArray[Any]) -> None:
    """Update a digest by the numbers of X (M, D) in double precision, row after row: a map's copy has the same."""
    for rows in row_blocks(X):
        digest.update(np.ascontiguousarray(X[rows], dtype=np.float64).data)


ON_DISK = 1 << 26
"""Bytes from which a table of results is on the disk."""


def new_table(shape: tuple[int, int], *, on_disk: bool = False) -> Array:
    """A table to be filled with results, in memory or, where it is large, on the disk; DataError if that is full."""
    if not on_disk and 8 * shape[0] * shape[1] < ON_DISK:
        return np.empty(shape)
    return unnamed_table(shape, np.float64, "The coordinates")


def whole(X: npt.NDArray[Any], name: str, memory: int) -> Array:
    """A view to compute with: as it is, or its map in double precision; DataError beyond `memory` bytes."""
    if not is_map(X):
        return X
    if 8 * X.size > memory:
        raise DataError(
            f"View “{name}” takes {8 * X.size / 2**30:,.1f} GB in double precision, where computing may hold "
            f"{memory / 2**30:,.1f} GB.",
            "Choose the kernel landmarks-500 for all views, or keep a part of its samples or of its features.",
        )
    out = np.empty(X.shape)
    for rows in row_blocks(X):
        out[rows] = X[rows]
    return out


LOOKED_AT = 32
"""Rows by which a file is known to be the one that a map shows."""


@dataclass(frozen=True)
class FileTable:
    """A table of numbers in a file, as `numpy.memmap` describes it, and what tells the file from another one."""

    path: str
    kind: str
    shape: tuple[int, int]
    offset: int
    by_column: bool
    size: int
    changed: int

    @classmethod
    def of(cls, X: np.memmap[Any, Any]) -> FileTable | None:
        """The table that a map shows; None where it is a part of one, or its file has no name any more."""
        path = None if X.filename is None else str(X.filename)
        if path is None or not isinstance(X.base, mmap.mmap) or not os.path.exists(path):
            return None
        about = os.stat(path)
        by_column, shape = not X.flags.c_contiguous, (X.shape[0], X.shape[1])
        found = cls(path, X.dtype.str, shape, X.offset, by_column, about.st_size, about.st_mtime_ns)
        return found if found._shows(X) else None

    def _shows(self, X: np.memmap[Any, Any]) -> bool:
        """Whether the file of this name holds rows of X: another one may have taken its place."""
        rows = np.linspace(0, len(X) - 1, LOOKED_AT).astype(int)
        try:
            return bool(np.array_equal(self.open()[rows], X[rows], equal_nan=True))
        except (DataError, ValueError):
            return False

    def open(self) -> np.memmap[Any, Any]:
        """The map again; DataError where this is not the same file."""
        try:
            about = os.stat(self.path)
            if (about.st_size, about.st_mtime_ns) != (self.size, self.changed):
                raise OSError("it is another file, or it was changed")
            return np.memmap(self.path, self.kind, "r", self.offset, self.shape, "F" if self.by_column else "C")
        except OSError as problem:
            raise DataError(
                f"{self.path} cannot be read: {problem}.",
                "Views that stay in files need these where work is done: use processes of this computer, or put the "
                "file there.",
            ) from None


def files_named(state: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a `MultiView` to be pickled: views that are files of their own are named, others in it."""
    Xs = state["Xs"]
    return {**state, "Xs": type(Xs)((FileTable.of(X) or np.asarray(X)) if is_map(X) else X for X in Xs)}


def files_opened(kind: type[Any], state: Mapping[str, Any]) -> Any:
    """The `MultiView` that was pickled as `files_named`; DataError where a file is not the same any more."""
    made, Xs = object.__new__(kind), state["Xs"]
    opened = type(Xs)(X.open() if isinstance(X, FileTable) else X for X in Xs)
    for name, value in {**state, "Xs": opened}.items():
        object.__setattr__(made, name, value)
    return made
