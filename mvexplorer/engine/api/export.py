"""Coordinates to files: CSV and Parquet for tables, NPZ with everything that belongs to them."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.formulas import escaped
from mvexplorer.writing import writing

if TYPE_CHECKING:
    import polars as pl

EXPORT_SUFFIXES = (".csv", ".npz", ".parquet")


def write_embedding(
    path: str | Path,
    coordinates: npt.NDArray[np.float64],
    *,
    column_names: Sequence[str],
    sample_ids: Sequence[str],
    labels: npt.ArrayLike | None = None,
    eigenvalues: npt.ArrayLike | None = None,
    meta: Mapping[str, str] | None = None,
    csv_safe: bool = False,
) -> Path:
    """Write an embedding (M, r) to a file whose ending says its kind: .csv, .npz or .parquet; replace an existing one.

    Samples are named in the column `id`, classes in the column `label`. Eigenvalues are written to NPZ only: a table
    has no place for them. `meta` tells how it was made, kept in NPZ (array `meta`, JSON) and in the metadata of
    Parquet. `csv_safe` puts an apostrophe before texts of CSV that spreadsheets take for formulas. DataError where the
    ending is another, the path cannot be written, or arrays do not fit together.
    """
    target = Path(os.path.expanduser(path))  # which leaves an unknown user's home as it is
    _check(coordinates, column_names, sample_ids, labels)
    suffix = target.suffix.lower()
    if suffix not in EXPORT_SUFFIXES:
        raise DataError(
            f"Coordinates cannot be written as “{target.name}”.", f"Use an ending of {', '.join(EXPORT_SUFFIXES)}."
        )
    with writing(target) as file:
        if suffix == ".npz":
            _write_npz(file, coordinates, column_names, sample_ids, labels, eigenvalues, meta)
        else:
            frame = table(coordinates, column_names, sample_ids, labels)
            file.write(table_bytes(frame, suffix == ".csv", meta or {}, csv_safe=csv_safe))
    return target


def _check(
    coordinates: npt.NDArray[np.float64],
    column_names: Sequence[str],
    sample_ids: Sequence[str],
    labels: npt.ArrayLike | None,
) -> None:
    rows, columns = coordinates.shape
    fits = len(column_names) == columns and len(sample_ids) == rows
    fits &= labels is None or np.shape(labels) == (rows,)
    if not fits or len({*column_names, "id", "label"}) != columns + 2:
        raise DataError(
            f"Names or labels do not fit coordinates of shape {coordinates.shape}.",
            "Give one name per column, other than id and label, and one id and label per row.",
        )


def table(
    coordinates: npt.NDArray[np.float64],
    column_names: Sequence[str],
    sample_ids: Sequence[str],
    labels: npt.ArrayLike | None,
) -> pl.DataFrame:
    """Make a table with one row per sample: `id`, `label` where there are labels, and the coordinates (M, r)."""
    import polars as pl

    columns: dict[str, object] = {"id": list(sample_ids)}
    if labels is not None:
        columns["label"] = np.asarray(labels).tolist()
    columns.update({name: coordinates[:, i] for i, name in enumerate(column_names)})
    return pl.DataFrame(columns)


def table_bytes(frame: pl.DataFrame, as_csv: bool, meta: Mapping[str, str], *, csv_safe: bool = False) -> memoryview:
    """Encode a table as the content of a CSV file (UTF-8 with a header, no digit lost) or, with `meta`, a Parquet file.

    It is made in memory: a full disk must be met by Python, which says so in its own words. `csv_safe` puts an
    apostrophe before texts of CSV that spreadsheets take for formulas; names changed so do not pair with the samples of
    a script.
    """
    whole = io.BytesIO()
    if as_csv and csv_safe:
        _write_safe_csv(frame, whole)
    elif as_csv:
        frame.write_csv(whole)
    else:
        frame.write_parquet(whole, metadata=dict(meta))
    return whole.getbuffer()


def _write_safe_csv(frame: pl.DataFrame, file: io.BytesIO) -> None:
    """The table with its texts escaped; the names of columns apart, as two may be alike then."""
    import polars as pl

    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(map(escaped, frame.columns))
    file.write(head.getvalue().encode())
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    plain = [pl.Series(name, [escaped(value) for value in frame[name]], dtype=pl.String) for name in texts]
    frame.with_columns(plain).write_csv(file, include_header=False)


def _write_npz(
    file: BinaryIO,
    coordinates: npt.NDArray[np.float64],
    column_names: Sequence[str],
    sample_ids: Sequence[str],
    labels: npt.ArrayLike | None,
    eigenvalues: npt.ArrayLike | None,
    meta: Mapping[str, str] | None,
) -> None:
    arrays: dict[str, npt.ArrayLike] = {
        "coordinates": coordinates,
        "column_names": np.array(list(column_names), dtype=str),
        "id": np.array(list(sample_ids), dtype=str),
        "meta": np.array(json.dumps(dict(meta or {}), ensure_ascii=False)),
    }
    if labels is not None:
        arrays["label"] = np.asarray(labels)
    if eigenvalues is not None:
        arrays["eigenvalues"] = np.asarray(eigenvalues)
    write_npz(file, arrays)


def write_npz(file: BinaryIO, arrays: Mapping[str, npt.ArrayLike], *, compressed: bool = True) -> None:
    """Write arrays so that NumPy reads them without pickle; its own `savez` knows `allow_pickle` only since 2.1."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)
