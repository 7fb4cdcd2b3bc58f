"""The variables of a MAT file of either format, in one form: arrays, object arrays for cells, dicts for structs."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import Budget, check_bytes, damage_told, fill_in, open_file
from mvexplorer.io.base.kinds import HDF_LOOK, is_hdf
from mvexplorer.io.base.parts import MOST_CLASSES, Values, tidy_labels
from mvexplorer.io.matlab.mat5 import DAMAGE, read_version_5

MOST_LABELS = 12
"""Columns of a table of labels; of more, each is a feature."""


def read_variables(room: Room) -> tuple[dict[str, Any], list[str]]:
    """Read all variables of a MAT file of version 4, 5 (scipy) or 7.3 (h5py), and sentences on what was left out."""
    variables, notes = in_child(decode_variables, room)
    return variables, notes


def decode_variables(room: Room) -> tuple[dict[str, Any], list[str]]:
    """Do what `read_variables` does, in the process where decoding may crash."""
    path = Path(room.path)
    with open_file(path) as file:
        start = file.read(HDF_LOOK)
    with damage_told(path, *DAMAGE):
        if is_hdf(start):
            from mvexplorer.io.base.hdf import read_hdf_variables

            return read_hdf_variables(room), []
        if 0 in start[:4]:
            return _read_version_4(path), []
        variables, more = read_version_5(room)
    return variables, ["what follows the last variable cannot be read and was left out."] if more else []


def _read_version_4(path: Path) -> dict[str, Any]:
    with IMPORTS:
        from scipy.io import loadmat

    with open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # Reads from a map end with the file; reads from a file allocate any size asked for.
        check_bytes(path, 8 * len(content))
        # Before 1.16 SciPy finds variables without a name in nothing but zeros.
        return {name: value for name, value in loadmat(content).items() if name and not name.startswith("__")}


def flatten(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Replace every 1x1 struct by its fields; a field whose name is taken becomes ``struct.field``."""
    flat: dict[str, Any] = {}
    for name, value in variables.items():
        fields = _fields(value)
        for key, part in (flatten(fields) if fields is not None else {name: value}).items():
            flat[key if key not in flat else f"{name}.{key}"] = part
    return flat


def fill_sparse(value: Any, budget: Budget) -> Any:
    """Make sparse matrices in a variable dense, those in cells in place; DataError for one damaged or too large."""
    if hasattr(value, "toarray"):
        return fill_in(value, budget)
    if is_cell(value):
        for index, item in np.ndenumerate(value):
            value[index] = fill_sparse(item, budget)
    return value


def _fields(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    dtype = getattr(value, "dtype", None)
    if isinstance(value, np.ndarray) and value.size == 1 and dtype is not None and dtype.names:
        record = value.ravel()[0]
        return {name: record[name] for name in dtype.names}
    return None


def is_cell(value: Any) -> bool:
    """True if a variable is a non-empty cell array."""
    return isinstance(value, np.ndarray) and value.dtype == object and value.size > 0


def as_table(value: Any) -> npt.NDArray[np.float64] | None:
    """Return a numeric matrix as float64 (n, d); None if it is something else."""
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "biuf" and value.size:
        return value.astype(np.float64, copy=False)
    return None


def is_triplets(table: Values) -> bool:
    """True if a table (n, 3) or (3, n) may list the entries of a sparse matrix: (row, column, value).

    Each place occurs once, some rows and some columns several times. A table of three features may look so too: the
    number of samples decides.
    """
    rows = _triplet_rows(table)
    if rows is None or not np.isfinite(rows).all():
        return False
    places = rows[:, :2]
    whole = bool((places == np.floor(places)).all() and places.min() >= 0 and places.max() < 2**53)
    repeats = all(len(np.unique(side)) < len(side) for side in places.T)
    return whole and repeats and len(np.unique(places, axis=0)) == len(places)


def _triplet_rows(table: Values) -> Values | None:
    if 3 not in table.shape or min(table.shape) < 3 or max(table.shape) < 4:
        return None
    return table if table.shape[1] == 3 else table.T


def expand_triplets(table: Values, count: int | None, budget: Budget) -> Values:
    """Make the dense matrix that triplets stand for, counted from 1, or from 0 where a 0 is among them.

    Empty last rows or columns are added up to `count`. DataError where it fits the samples in neither or both ways.
    """
    with IMPORTS:
        from scipy.sparse import coo_array

    rows = _triplet_rows(table)
    if rows is None:
        raise ValueError("a table without three columns")
    places = rows[:, :2].astype(np.int64)
    places -= min(int(places.min()), 1)
    shape = [int(side) + 1 for side in places.max(axis=0)]
    if count is not None and count not in shape:
        short = [side for side in (0, 1) if shape[side] < count]
        if len(short) != 1:
            raise DataError(
                f"A sparse matrix in “{Path(budget.path).name}”, given as (row, column, value) triplets, has "
                f"{shape[0]} rows and {shape[1]} columns for {count} samples.",
                "Save it as a matrix, one row per sample.",
            )
        shape[short[0]] = count
    return fill_in(coo_array((rows[:, 2], (places[:, 0], places[:, 1])), shape=tuple(shape)), budget)


def label_vector(value: Any) -> Values | None:
    """Return labels (M,) of a row, column, one-hot rows, equal columns, or a cell of texts, numbers or equal copies."""
    if is_cell(value):
        return _cell_labels(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "SU":
        return np.char.strip(value.astype(str).ravel()) if value.size > 1 else None
    table = as_table(value)
    if table is None or table.size < 2:
        return None
    if 1 in table.shape:
        return tidy_labels(table)
    return _repeated_labels(table)


def label_columns(value: Any) -> list[Values]:
    """Return the columns (M, 1) of a table that could be several labels: whole numbers, few classes; else []."""
    table = as_table(value)
    if table is None or min(table.shape) < 2 or label_vector(value) is not None:
        return []
    rows = table if table.shape[0] >= table.shape[1] else table.T
    columns = [rows[:, j : j + 1] for j in range(rows.shape[1])] if rows.shape[1] <= MOST_LABELS else []
    few = (
        np.isfinite(c).all() and not (c % 1).any() and 2 <= len(np.unique(c)) <= min(MOST_CLASSES, len(c) // 2)
        for c in columns
    )
    return columns if all(few) else []


def _repeated_labels(table: Values) -> Values | None:
    """Return labels from equal columns, or one-hot rows."""
    for rows in (table, table.T):
        if np.array_equal(rows, np.repeat(rows[:, :1], rows.shape[1], axis=1)):
            return tidy_labels(rows[:, 0])
    for rows in (table, table.T):
        if np.all((rows == 0) | (rows == 1)) and np.all(rows.sum(axis=1) == 1):
            return np.asarray(rows.argmax(axis=1))
    return None


def _cell_labels(value: Values) -> Values | None:
    items = list(value.ravel())
    if all(isinstance(item, str) or (isinstance(item, np.ndarray) and item.dtype.kind in "SU") for item in items):
        return np.array([str(np.ravel(item)[0]) if np.size(item) else "" for item in items])
    if len(items) > 1 and all(np.size(item) == 1 and np.asarray(item).dtype.kind in "biuf" for item in items):
        return tidy_labels(np.array([np.ravel(item)[0] for item in items]))
    vectors = [label_vector(item) for item in items]
    first = vectors[0]
    if first is None or any(v is None or not np.array_equal(v, first) for v in vectors):
        return None
    return first
