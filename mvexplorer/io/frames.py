"""Tables with typed columns as a `Grid`, so that header, labels, names and views are found as in a text table."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.grid import Cells, Grid, as_numbers
from mvexplorer.io.guards import MAX_COLUMNS, Budget, check_count
from mvexplorer.io.numerals import MISSING

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

_PANDAS_INDEX = r"__index_level_\d+__"  # pandas' name for an index without one
_NEW_INDEX = "__index_level_0__"
_NESTED = 10  # structs within structs
_COPIES = 3
"""A table is held in its own types, as numbers, and with a mark for what is missing."""
_TOGETHER = 16
"""Columns that are written into the rows at once: they share lines of the processor's cache."""
_TOO_WIDE = "If samples stand in columns, turn the table; else save it as NPY."


def check_size(path: Path, n_rows: int, n_columns: int) -> None:
    """Refuse a typed table that is too large, before it is read.

    Parameters
    ----------
    path : Path
        Named in the error.
    n_rows, n_columns : int
        What the file claims.

    Raises
    ------
    DataError
        It has too many columns, or would take too much memory.
    """
    check_columns(path, n_columns)
    Budget(path).take(_COPIES * 8 * n_rows * n_columns)


def check_columns(path: Path, n_columns: int) -> None:
    """Refuse a typed table of too many columns.

    Parameters
    ----------
    path : Path
        Named in the error.
    n_columns : int
        What the file claims.
    """
    check_count(path, n_columns, MAX_COLUMNS, "columns", _TOO_WIDE)


def index_of_pandas(metadata: str | bytes | None, n_rows: int) -> range | str | None:
    """What pandas notes in a file or an Arrow table about its index.

    Parameters
    ----------
    metadata : str or bytes, optional
        The note, in JSON.
    n_rows : int
        Of the table.

    Returns
    -------
    range, str or None
        The names of the rows where they are a range, which stands nowhere else, or the name of their column.
    """
    try:
        [index] = json.loads(metadata or "{}")["index_columns"]
        if isinstance(index, str):
            return index
        names = range(index["start"], index["stop"], index["step"])
        return names if len(names) == n_rows else None
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return None  # there is none, or several, or the note is damaged: the table itself can be read


def typed_grid(path: Path, frame: pl.DataFrame, notes: list[str], index: range | str | None = None) -> Grid:
    """A typed table as cells below a header.

    Numbers and decimals are numbers; text, categories, truth values and dates are text. Lists of equal length and
    structs become one column per entry, called ``name:1`` or ``name:field``, and so a view of their own.

    Parameters
    ----------
    path : Path
        The file.
    frame : polars DataFrame
        Its table.
    notes : list of str
        What was assumed so far.
    index : range or str, optional
        The names of the rows, or of their column.

    Returns
    -------
    Grid
        The cells.

    Raises
    ------
    DataError
        There are no rows, or nothing that can be shown.
    """
    import polars as pl

    notes = list(notes)
    counted = index == range(frame.height)
    if isinstance(index, range) and not counted and _NEW_INDEX not in frame.columns:
        frame = frame.with_columns(pl.Series(_NEW_INDEX, index, dtype=pl.Int64, strict=False))
    columns = _flat(frame, path, notes)
    if not columns or not frame.height:
        what = "columns of numbers or text" if not columns else "rows"
        raise DataError(f"The table in “{path.name}” has no {what}.", "Export it again, with one row per sample.")
    check_count(path, len(columns), MAX_COLUMNS, "columns", _TOO_WIDE)
    grid = _as_grid(path, [(readable(name), column) for name, column in columns], frame.height + 1, tuple(notes))
    return replace(grid, index=readable(index) if isinstance(index, str) else None, counted=counted)


def _as_grid(path: Path, columns: list[tuple[str, pl.Series]], n_rows: int, notes: tuple[str, ...]) -> Grid:
    import polars as pl

    header = tuple(name for name, _ in columns)
    numbers = np.empty((n_rows, len(columns)))
    missing = np.zeros(numbers.shape, dtype=bool)  # most tables lack nothing: zeros are no memory until written to
    budget = Budget(path)
    budget.take(_COPIES * numbers.nbytes)
    for start in range(0, len(columns), _TOGETHER):
        own = slice(start, start + _TOGETHER)
        read = [_values(column, budget) for _, column in columns[own]]
        numbers[1:, own] = np.stack([values for values, _ in read], axis=1)
        for place, (_, lacks) in enumerate(read, start):
            if lacks.any():
                missing[1:, place] = lacks
    numbers[0], missing[0] = as_numbers(pl.Series(header, dtype=pl.String).str.strip_chars())
    plain = pl.DataFrame([column.alias(str(i)) for i, (_, column) in enumerate(columns)])
    cells = _cells(plain, header)
    return Grid(path, cells, numbers, missing, tuple(range(n_rows)), notes, headed=True, unit="row")


def _cells(frame: pl.DataFrame, header: tuple[str, ...]) -> Cells:
    """The text of typed columns below their names."""

    def row(index: int) -> list[str]:
        one = frame.slice(index - 1, 1).get_columns()
        return [as_text(column)[0] for column in one] if index else list(header)

    return Cells(row, lambda index: [header[index], *as_text(frame.to_series(index)).to_list()])


def is_index(name: str) -> bool:
    """Whether a column holds the names that pandas gave the rows, which themselves had no name.

    Parameters
    ----------
    name : str
        Of the column in the file.

    Returns
    -------
    bool
        By its name alone.
    """
    return re.fullmatch(_PANDAS_INDEX, name) is not None


def readable(name: str) -> str:
    """What a column is called.

    Parameters
    ----------
    name : str
        Its name in the file.

    Returns
    -------
    str
        Nothing, where it holds names that pandas gave.
    """
    return "" if is_index(name) else name.strip()


def _values(column: pl.Series, budget: Budget) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """The column as numbers, NaN for text, and which cells are missing."""
    import polars as pl

    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().copy()
        missing = ~np.isfinite(numbers)
        numbers[missing] = np.nan
        return numbers, missing
    text = as_text(column)
    # As an array, every text takes as much as the longest.
    budget.take(4 * len(text) * int(text.str.len_chars().to_numpy().max(initial=0)))
    return np.full(len(text), np.nan), lacking(text)


def lacking(text: pl.Series) -> npt.NDArray[np.bool_]:
    """Which cells say that something is missing.

    Parameters
    ----------
    text : polars Series of text
        The cells, without surrounding blanks.

    Returns
    -------
    array of bool
        One per cell.
    """
    return text.str.to_lowercase().is_in(list(MISSING)).to_numpy()


def as_text(column: pl.Series) -> pl.Series:
    """The cells as text without surrounding blanks; missing ones are empty.

    Parameters
    ----------
    column : polars Series
        Of any type.

    Returns
    -------
    polars Series of text
        As long.
    """
    import polars as pl

    if column.dtype == pl.Duration:
        column = column.dt.to_string()
    return column.cast(pl.String).fill_null("").str.strip_chars()


def _flat(frame: pl.DataFrame, path: Path, notes: list[str]) -> list[tuple[str, pl.Series]]:
    """The columns with lists and structs taken apart; those of other kinds are left out, and told."""
    found: list[tuple[str, pl.Series]] = []
    left_out: list[str] = []
    # pandas writes the rows' names last, where they would be a column like others.
    for column in sorted(frame.get_columns(), key=lambda c: not is_index(c.name)):
        apart = _apart(column.name, column, _NESTED)
        check_count(path, len(found) + len(apart or ()), MAX_COLUMNS, "columns", _TOO_WIDE)
        found += apart or []
        if apart is None:
            left_out.append(column.name)
        elif len(apart) != 1 or apart[0][1].dtype != column.dtype:
            notes.append(f"column “{column.name}” holds {len(apart)} values per row, which became columns.")
    if left_out:
        names = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"{names} hold lists of unequal length, or bytes, and were left out.")
    return found


def _apart(name: str, column: pl.Series, depth: int) -> list[tuple[str, pl.Series]] | None:
    import polars as pl

    kind = column.dtype
    if kind in (pl.Binary, pl.Object, pl.Unknown) or depth == 0:
        return None
    if kind == pl.Array and isinstance(kind, pl.Array):
        if len(kind.shape) > 1 or kind.size > MAX_COLUMNS:
            return None
        column, kind = column.cast(pl.List(kind.inner)), pl.List(kind.inner)
    if isinstance(kind, pl.List):
        widths = column.list.len().drop_nulls().unique()
        if len(widths) != 1 or not 0 < widths[0] <= MAX_COLUMNS or not kind.inner.is_numeric():
            return None
        return [(f"{name}:{k + 1}", column.list.get(k)) for k in range(widths[0])]
    if not isinstance(kind, pl.Struct):
        return [(name, column)]
    parts: list[tuple[str, pl.Series]] = []
    for field in column.struct.fields:
        inner = _apart(field, column.struct.field(field), depth - 1)
        if inner is None:
            return None
        separator = ":" if ":" not in name else "."
        parts += [(f"{name}{separator}{own.replace(':', '.')}", values) for own, values in inner]
    return parts
