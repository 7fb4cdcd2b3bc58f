"""The variables of a MAT file of either format, in one form: arrays, object arrays for cells, dicts for structs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.parts import MORE_LABEL_NAMES, Values, tidy_labels

_MAX_VIEWS = 20
_CANDIDATES = (
    *("X", "data", "fea", "M", "views", "Y", "Ytrain", "truelabel", "trueLabel", "classLabel"),
    *MORE_LABEL_NAMES,
    *(f"{stem}{i}" for stem in ("X", "x", "V", "v", "dataV", "msr", "view") for i in range(1, _MAX_VIEWS + 1)),
)


def read_variables(path: Path) -> dict[str, Any]:
    """All variables of a MAT file of version 5 (scipy) or 7.3 (h5py)."""
    with path.open("rb") as file:
        head = file.read(128)
    hdf = head.startswith((b"MATLAB 7.3", b"\x89HDF"))
    try:
        if hdf:
            from mvexplorer.io.hdf import read_hdf_variables

            return read_hdf_variables(path)
        return _read_version_5(path)
    except DataError:
        raise
    except Exception as error:
        # Neither library promises which exceptions a damaged file raises.
        raise DataError(
            f"The file “{path.name}” is not a MAT file or is damaged ({type(error).__name__}).",
            "Save it again from MATLAB, or with scipy.io.savemat.",
        ) from None


def _read_version_5(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat

    try:
        found = loadmat(path)
    except TypeError:
        # Garbage after the last variable breaks reading everything, but not reading one by its name.
        found = {}
        for name in dict.fromkeys((*_CANDIDATES, path.stem)):
            try:
                found.update(loadmat(path, variable_names=[name]))
            except TypeError:
                continue
    return {name: value for name, value in found.items() if not name.startswith("__")}


def flatten(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with the fields of 1x1 structs in the place of the struct."""
    flat: dict[str, Any] = {}
    for name, value in variables.items():
        fields = _fields(value)
        for key, part in (flatten(fields) if fields is not None else {name: value}).items():
            flat[key if key not in flat else f"{name}.{key}"] = part
    return flat


def _fields(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    dtype = getattr(value, "dtype", None)
    if isinstance(value, np.ndarray) and value.size == 1 and dtype is not None and dtype.names:
        record = value.ravel()[0]
        return {name: record[name] for name in dtype.names}
    return None


def is_cell(value: Any) -> bool:
    """Whether a variable is a non-empty cell array."""
    return isinstance(value, np.ndarray) and value.dtype == object and value.size > 0


def as_table(value: Any) -> npt.NDArray[np.float64] | None:
    """A numeric or sparse matrix as float64 (n, d); None if it is something else."""
    if hasattr(value, "toarray"):
        value = value.toarray()
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "biuf" and value.size:
        return value.astype(np.float64)
    return None


def label_vector(value: Any) -> Values | None:
    """One label per sample from a row, a column, one-hot rows, equal columns, or a cell of text or equal copies."""
    if is_cell(value):
        return _cell_labels(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "SU":
        return np.char.strip(value.astype(str).ravel()) if value.size > 1 else None
    table = as_table(value)
    if table is None or table.size < 2:
        return None
    if 1 in table.shape:
        return tidy_labels(table)
    if np.array_equal(table, np.repeat(table[:, :1], table.shape[1], axis=1)):
        return tidy_labels(table[:, 0])
    for rows in (table, table.T):
        if np.all((rows == 0) | (rows == 1)) and np.all(rows.sum(axis=1) == 1):
            return np.asarray(rows.argmax(axis=1))
    return None


def _cell_labels(value: Values) -> Values | None:
    items = list(value.ravel())
    if all(isinstance(item, str) or (isinstance(item, np.ndarray) and item.dtype.kind in "SU") for item in items):
        return np.array([str(np.ravel(item)[0]) if np.size(item) else "" for item in items])
    vectors = [label_vector(item) for item in items]
    first = vectors[0]
    if first is None or any(v is None or not np.array_equal(v, first) for v in vectors):
        return None
    return first
