"""Coordinates to files: CSV and Parquet for tables, NPZ with everything that belongs to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError

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
) -> Path:
    """Write an embedding to a file whose ending says its kind.

    Parameters
    ----------
    path : path
        Ends in .csv, .npz or .parquet; an existing file is replaced.
    coordinates : array (M, r)
        The embedding.
    column_names : sequence of str, length r
        One name per coordinate.
    sample_ids : sequence of str, length M
        Written as the column `id`.
    labels : array (M,), optional
        Written as the column `label`.
    eigenvalues : array, optional
        Written to NPZ only: a table has no place for them.
    meta : mapping of str to str, optional
        How it was made. Kept in NPZ (array `meta`, JSON) and in the metadata of Parquet.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    DataError
        Another ending, a path that cannot be written, or arrays that do not fit together.
    """
    target = Path(path).expanduser()
    _check(coordinates, column_names, sample_ids, labels)
    suffix = target.suffix.lower()
    if suffix not in EXPORT_SUFFIXES:
        raise DataError(
            f"Coordinates cannot be written as “{target.name}”.", f"Use an ending of {', '.join(EXPORT_SUFFIXES)}."
        )
    # Written beside the target first, so that a full disk never costs the file that was there.
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb"):
            pass
        if suffix == ".npz":
            _write_npz(partial, coordinates, column_names, sample_ids, labels, eigenvalues, meta)
        else:
            _write_table(partial, suffix, coordinates, column_names, sample_ids, labels, meta)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True) if partial.parent.is_dir() else None
        reason = (error.strerror or "unknown reason").lower()
        raise DataError(
            f"“{target}” cannot be written: {reason}.", "Choose a folder that exists and that you may write to."
        ) from None
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


def _write_table(
    path: Path,
    suffix: str,
    coordinates: npt.NDArray[np.float64],
    column_names: Sequence[str],
    sample_ids: Sequence[str],
    labels: npt.ArrayLike | None,
    meta: Mapping[str, str] | None,
) -> None:
    import polars as pl

    columns: dict[str, object] = {"id": list(sample_ids)}
    if labels is not None:
        columns["label"] = np.asarray(labels).tolist()
    columns.update({name: coordinates[:, i] for i, name in enumerate(column_names)})
    frame = pl.DataFrame(columns)
    if suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path, metadata=dict(meta or {}))


def _write_npz(
    path: Path,
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
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
