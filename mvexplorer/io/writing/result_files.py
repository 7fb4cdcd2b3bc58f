"""Tables and arrays of results to files, with how they were made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.export import table_bytes, write_npz
from mvexplorer.writing import writing

if TYPE_CHECKING:
    import polars as pl


def write_table(frame: pl.DataFrame, path: Path, record: Mapping[str, Any], *, csv_safe: bool = False) -> Path:
    """Write a table as CSV (UTF-8 with a header, no digit lost) or Parquet, by the file's ending.

    Parquet keeps the record as metadata. With `csv_safe`, CSV gets an apostrophe before texts that spreadsheets take
    for formulas. An existing file is replaced once the new one is whole.
    """
    as_csv = path.suffix.lower() == ".csv"
    with writing(path) as file:
        plain = _flat(frame) if as_csv else frame
        file.write(table_bytes(plain, as_csv, {"mvexplorer": json.dumps(record)}, csv_safe=csv_safe))
    return path


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn lists into numbers and commas, which CSV can hold."""
    import polars as pl

    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    return frame.with_columns(
        [pl.Series(name, [",".join(repr(float(v)) for v in cell) for cell in frame[name].to_list()]) for name in lists]
    )


def write_arrays(arrays: Mapping[str, npt.NDArray[Any]], path: Path, record: Mapping[str, Any]) -> Path:
    """Write arrays into one NPZ, which numpy reads without pickle; its `meta` is the record, as JSON."""
    with writing(path) as file:
        write_npz(file, {**arrays, "meta": np.array(json.dumps(record))})
    return path


def write_record(record: Mapping[str, Any], path: Path) -> Path:
    """Write how numbers were made as JSON."""
    with writing(path) as file:
        file.write(json.dumps(record, indent=1, ensure_ascii=False).encode())
    return path
