"""Coordinates into `obsm` of a copy of the `.h5ad` or `.h5mu` file that they came from."""

from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.guards import Budget, open_file
from mvexplorer.io.hdf import node_inside
from mvexplorer.io.omics import OMICS_SUFFIXES, read_obs_names, require_anndata
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mvexplorer.engine.core.multiview import Array

STORE = "mvexplorer"
"""The key of `uns` that tells how the coordinates were made."""
_NO_FILE = "This data did not come from one .h5ad or .h5mu file, into which its coordinates could be written."


@dataclass(frozen=True, eq=False)
class Stored:
    """An embedding to be stored in `obsm`: coordinates (M, r), their names, and how it was made, as plain data."""

    coordinates: Array
    column_names: Sequence[str]
    record: Mapping[str, Any]


def annotated_source(source: Sequence[str]) -> Path:
    """Find the one file of AnnData or MuData that data came from.

    Parameters
    ----------
    source : sequence of str
        A sample's id, or paths.

    Returns
    -------
    Path

    Raises
    ------
    DataError
        It came from anything else.
    """
    if len(source) == 1 and Path(source[0]).suffix.lower() in OMICS_SUFFIXES:
        return Path(source[0])
    raise DataError(_NO_FILE, "Save them as CSV, Parquet or NPZ.")


def write_annotated(
    embeddings: Mapping[str, Stored], ids: Sequence[str], record: Mapping[str, Any], source: Path, path: Path
) -> Path:
    """Write a copy of an `.h5ad` or `.h5mu` file with embeddings in `obsm`, and all else as it was.

    Parameters
    ----------
    embeddings : mapping of str to Stored
        Keys of `obsm` -> embeddings of some of the file's samples. All others get rows of NaN.
    ids : sequence of str, length M
        Names of the samples, as `obs_names` or a column of `obs` has them.
    record : mapping
        How everything was made, as plain data.
    source, path : Path
        The file, and the copy, which may take its place.

    Returns
    -------
    Path
        The file written. `uns` holds under ``mvexplorer`` the names of the columns and how each embedding was made.

    Raises
    ------
    DataError
        anndata is not installed, the source is gone, damaged or of other samples, or the copy cannot be written.
    """
    require_anndata(f"Writing “{path.name}”")
    if path.suffix.lower() != source.suffix.lower():
        hint = f"End the file's name in {source.suffix}."
        raise DataError(f"A copy of “{source.name}” cannot be written as “{path.suffix}”.", hint)
    import h5py

    with open_file(source) as content, writing(path) as file:
        rows, count = _rows(source, ids)
        shutil.copyfileobj(content, file, 1 << 22)
        file.flush()
        with h5py.File(file, "r+") as copy, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about encodings that are older than the library
            _fill(copy, embeddings, record, rows, count, Budget(source))
    return path


def _rows(source: Path, ids: Sequence[str]) -> tuple[npt.NDArray[np.intp], int]:
    """The rows (M,) of the file that hold the samples, and how many rows it has."""
    try:
        candidates = read_obs_names(source)
    except MVExplorerError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
        raise DataError(f"“{source.name}” is damaged ({type(error).__name__}).", "Open the data anew.") from None
    for names in candidates:
        places = {name: row for row, name in enumerate(names)}
        if len(places) == len(names) and all(id in places for id in ids):
            return np.array([places[id] for id in ids], dtype=np.intp), len(names)
    text = f"“{source.name}” does not hold the samples of these panels by their names, or not any more."
    raise DataError(text, "Open the file anew, or save the numbers as CSV, Parquet or NPZ.")


def _fill(
    copy: Any, embeddings: Mapping[str, Stored], record: Mapping[str, Any], rows: npt.NDArray[np.intp], count: int,
    budget: Budget,
) -> None:  # fmt: skip
    obsm, told = _group(copy, "obsm", budget), _group(_group(copy, "uns", budget), STORE, budget)
    for key, found in embeddings.items():
        whole = np.full((count, found.coordinates.shape[1]), np.nan)
        whole[rows] = found.coordinates
        _put(obsm, key, whole)
        _put(told, key, {"columns": np.array(found.column_names, dtype=object), "record": _json(found.record)})
    _put(told, "record", _json(record))


def _group(above: Any, name: str, budget: Budget) -> Any:
    """A group in the copy, made where there is none; DataError where it is a link to another file."""
    found = node_inside(above, name, budget)
    if not hasattr(found, "keys"):
        _put(above, name, {})
        found = above[name]
    return found


def _put(group: Any, name: str, value: Any) -> None:
    from anndata.io import write_elem

    if name in group.keys():  # noqa: SIM118 - a link that leads nowhere is in no group, but is a key
        del group[name]
    write_elem(group, name, value)


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
