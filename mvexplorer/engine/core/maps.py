"""Views that stay on the disk, looked through in blocks of rows: in files of the user's, or as maps of our own ones."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.table_in_file import TableInFile
from mvexplorer.errors import DataError
from mvexplorer.scratch import cache_folder, unnamed_table

Array = npt.NDArray[np.float64]
BLOCK_BYTES = 1 << 19
"""Bytes, in double precision, of the rows that are held at once: they stay in the processor's cache."""


def is_map(X: Any) -> TypeGuard[npt.NDArray[Any]]:
    """True if `X` is a table of real numbers in a file, which must not be copied into memory as a whole."""
    if not isinstance(X, TableInFile) and not (isinstance(X, np.memmap) and not X.flags.writeable):
        return False
    return X.ndim == 2 and X.dtype in (np.float32, np.float64)


def without_foreign_map(X: Any) -> Any:
    """A table for a map of a file that other programs may write to; any other `X`, and maps of our own files, as is."""
    if not (is_map(X) and isinstance(X, np.memmap)) or X.filename is None or Path(X.filename).parent == cache_folder():
        return X
    return TableInFile.of(X) or X


def check_unchanged(Xs: Iterable[Any]) -> None:
    """Raise FileChangedError where the file of a view was saved again, cut off or replaced since it was opened."""
    for X in Xs:
        if isinstance(X, TableInFile):
            X.check_unchanged()


def files_of(Xs: Iterable[Any]) -> set[str]:
    """The paths of the files that views stay in."""
    return {X.path for X in Xs if isinstance(X, TableInFile)}


def row_blocks(X: npt.NDArray[Any]) -> Iterator[slice]:
    """Slices of rows that cover X (M, D), each of `BLOCK_BYTES` at most."""
    size = max(1, BLOCK_BYTES // (8 * max(1, X.shape[1])))
    return (slice(start, min(start + size, len(X))) for start in range(0, len(X), size))


def read_blocks(X: npt.NDArray[Any]) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
    """The rows of X (M, D) in blocks of `BLOCK_BYTES` at most, and where they stand."""
    # Blocks that are read at once where each of their columns is read by itself, and has to be worth it.
    columns_factor = 128
    ahead, band = (columns_factor if isinstance(X, TableInFile) and X.by_column else 1), X[:0]
    for count, rows in enumerate(row_blocks(X)):
        if count % ahead == 0:
            first, band = rows.start, X[rows.start : rows.start + ahead * (rows.stop - rows.start)]
        yield rows, band[rows.start - first : rows.stop - first]


def in_memory(rows: npt.NDArray[Any]) -> Array:
    """Rows of a view in double precision, as an array of their own."""
    return np.array(rows, dtype=np.float64)


def finite_rows(X: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows (M,) of X (M, D) hold no missing or infinite number."""
    if not is_map(X):
        return cast("npt.NDArray[np.bool_]", np.isfinite(X).all(axis=1))
    return np.concatenate([np.isfinite(block).all(axis=1) for _, block in read_blocks(X)])


def extremes(X: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The least and the largest number (D,) of each column of X (M, D), missing ones left out."""
    if not is_map(X):
        return np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)  # faster than min and max
    low, high = np.full((2, X.shape[1]), np.nan, X.dtype)
    for _, block in read_blocks(X):
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
    return low, high


def add_to_digest(digest: Any, X: npt.NDArray[Any]) -> None:
    """Update a digest by the numbers of X (M, D) in double precision, row after row: a map's copy has the same."""
    for _, block in read_blocks(X):
        digest.update(np.ascontiguousarray(block, dtype=np.float64).data)


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
    for rows, block in read_blocks(X):
        out[rows] = block
    return out


def files_named(data: Any) -> tuple[Any, ...]:
    """How a `MultiView` is pickled: views that are files of their own are named, others are in it."""
    Xs = type(data.Xs)((TableInFile.of(X) or np.asarray(X)) if isinstance(X, np.memmap) else X for X in data.Xs)
    return copyreg.__newobj__, (type(data),), vars(data) | {"Xs": Xs}  # type: ignore[attr-defined]
