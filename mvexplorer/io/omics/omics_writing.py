"""Coordinates into `obsm` of a copy of the `.h5ad` or `.h5mu` file that they came from."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import open_file
from mvexplorer.io.base.hdf import node_inside
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.omics.annotated_files import OBS_NAMES, read_obs_names
from mvexplorer.io.omics.omics import OMICS_SUFFIXES, require_anndata
from mvexplorer.wording import in_words
from mvexplorer.writing import writing

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Stored:
    """An embedding to be stored in `obsm`: coordinates (M, r), their names, and how it was made, as plain data."""

    coordinates: Array
    column_names: Sequence[str]
    record: Mapping[str, Any]


def annotated_source(source: Sequence[str]) -> Path:
    """Return the AnnData or MuData file that data came from; DataError where it came from anything else."""
    if len(source) == 1 and Path(source[0]).suffix.lower() in OMICS_SUFFIXES:
        return Path(source[0])
    message = "This data did not come from one .h5ad or .h5mu file, into which its coordinates could be written."
    raise DataError(message, "Save them as CSV, Parquet or NPZ.")


def write_annotated(
    embeddings: Mapping[str, Stored],
    ids: Sequence[str],
    record: Mapping[str, Any],
    source: Path,
    path: Path,
    reading: ReadOptions | None = None,
) -> Path:
    """Write a copy of an `.h5ad` or `.h5mu` file with embeddings in `obsm`, and all else as it was.

    `embeddings` has a key of `obsm` for each. Samples of the file that are not among the `ids` (M,) get rows of NaN;
    `uns` holds under ``mvexplorer`` the names of the columns and how each embedding was made. `reading` says which
    column names the samples; without it the names must leave no doubt. The copy may take the place of `source`.
    """
    require_anndata(f"Writing “{path.name}”")
    if path.suffix.lower() != source.suffix.lower():
        hint = f"End the file's name in {source.suffix}."
        raise DataError(f"A copy of “{source.name}” cannot be written as “{path.suffix}”.", hint)
    payload = {
        key: [one.coordinates, list(map(str, one.column_names)), _json(one.record)] for key, one in embeddings.items()
    }
    with open_file(source) as content, writing(path) as file:
        rows, count = _rows(source, ids, reading)
        shutil.copyfileobj(content, file, 1 << 22)
        file.flush()
        copy = os.path.abspath(file.name)  # the other process works in another folder
        in_child(fill_copy, Room(source), copy, str(path), payload, _json(record), rows, count)
    return path


def fill_copy(
    room: Room, copy: str, path: str, embeddings: dict[str, list[Any]], record: str, rows: Rows, count: int
) -> None:
    """Put embeddings into the `rows` (M,) of a copy of `count` rows, in the process that a damaged one may end.

    `embeddings` maps a key of `obsm` to coordinates, their names, and how they were made, as JSON.
    """
    import h5py

    # Who writes holds the file already, which HDF5's own lock would wait for.
    opened = partial(h5py.File, copy, "r+", locking=False)
    with in_words(DataError, f"{path} cannot be written"), opened() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about encodings that are older than the library
        _fill(file, embeddings, record, rows, count, room)


def _rows(source: Path, ids: Sequence[str], reading: ReadOptions | None) -> tuple[Rows, int]:
    """Find the rows (M,) of the file that hold the samples, and how many rows it has."""
    columns, matches = _names(source), {}
    for name, names in columns.items():
        places = {id: row for row, id in enumerate(names)}
        if len(places) == len(names) and all(id in places for id in ids):
            matches[name] = np.array([places[id] for id in ids], dtype=np.intp)
    matches = matches if reading is None else _as_read(matches, FileRequest(source, reading), columns)
    if len({tuple(rows) for rows in matches.values()}) > 1:
        named = " and ".join(f"“{name}”" for name in matches)
        text = f"{named} of “{source.name}” hold the same names in different rows, and nothing says which are meant."
        raise DataError(text, "Say on the import page which of them names the samples, or save the numbers as CSV.")
    if matches:
        return next(iter(matches.values())), len(columns[OBS_NAMES])
    text = f"“{source.name}” does not hold the samples of these panels by their names, or not any more."
    raise DataError(text, "Open the file again, or save the numbers as CSV, Parquet or NPZ.")


def _names(source: Path) -> dict[str, list[str]]:
    """Read the columns that may name the samples of the file."""
    try:
        return read_obs_names(source)
    except MVExplorerError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
        raise DataError(f"“{source.name}” is damaged ({type(error).__name__}).", "Open the data again.") from None


def _as_read(matches: dict[str, Rows], asked: FileRequest, columns: Iterable[str]) -> dict[str, Rows]:
    """Keep the rows matched by the column that was read as ids, as far as `asked` names it."""
    options = asked.options
    column = next((name for name in columns if name == options.ids or asked.role(name) == "id"), None)
    of_another_file = options.ids is not None or "id" in dict(options.roles).values()
    if column is None and (of_another_file or OBS_NAMES not in matches):
        return matches
    name = column or OBS_NAMES
    return {name: matches[name]} if name in matches else {}


def _fill(copy: Any, embeddings: Mapping[str, list[Any]], record: str, rows: Rows, count: int, budget: Room) -> None:
    obsm, store = _group(copy, "obsm", budget), _group(_group(copy, "uns", budget), "mvexplorer", budget)
    for key, (coordinates, names, how) in embeddings.items():
        whole = np.full((count, coordinates.shape[1]), np.nan)
        whole[rows] = coordinates
        _put(obsm, key, whole)
        _put(store, key, {"columns": np.array(names, dtype=object), "record": how})
    _put(store, "record", record)


def _group(above: Any, name: str, budget: Room) -> Any:
    """Return a group of the copy, created where there is none; DataError where it is a link to another file."""
    node = node_inside(above, name, budget)
    if not hasattr(node, "keys"):
        _put(above, name, {})
        node = above[name]
    return node


def _put(group: Any, name: str, value: Any) -> None:
    from anndata.io import write_elem

    if name in group.keys():  # noqa: SIM118 - a link that leads nowhere is in no group, but is a key
        del group[name]
    write_elem(group, name, value)


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
