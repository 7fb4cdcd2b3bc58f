"""Tables with typed columns as a `Grid`, so that header, labels, names and views are found as in a text table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_COLUMNS, Budget, check_count
from mvexplorer.io.base.numerals import MISSING
from mvexplorer.io.base.parts import Values
from mvexplorer.io.tables.grid import Cells, Grid, as_numbers

if TYPE_CHECKING:
    import polars as pl

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # pandas' name for an index without one
COPIES = 3
"""A table is held in its own types, as numbers, and with a mark for what is missing."""
_AS_THEY_ARE = frozenset(
    ("Float64", "Float32", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)))
)
"""Kinds of numbers that NumPy and Python have as well."""


def check_table_size(path: Path, n_rows: int, n_columns: int) -> None:
    """Refuse a typed table of too many columns, or too large for the memory, before it is read."""
    check_columns(path, n_columns)
    Budget(path).take(COPIES * 8 * n_rows * n_columns)


def check_columns(path: Path, n_columns: int) -> None:
    """Refuse a typed table of too many columns."""
    hint = "If samples stand in columns, turn the table; else save it as NPY."
    check_count(path, n_columns, MAX_COLUMNS, "columns", hint)


def index_of_pandas(metadata: str | bytes | None, n_rows: int) -> range | str | None:
    """Return the names of the rows, where pandas notes that they are a range, or the name of their column, or None."""
    try:
        [index] = json.loads(metadata or "{}")["index_columns"]
        if isinstance(index, str):
            return index
        names = range(index["start"], index["stop"], index["step"])
        return names if len(names) == n_rows else None
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return None  # there is none, or several, or the note is damaged: the table itself can be read


def typed_grid(path: Path, frame: pl.DataFrame, notes: list[str], index: range | str | None = None) -> Grid:
    """Turn a typed table into cells below a header; DataError where there are no rows, or nothing that can be shown.

    Numbers and decimals are numbers; text, categories, truth values and dates are text. Lists of equal length and
    structs become one column per entry, called ``name:1`` or ``name:field``, and so a view of their own.
    """
    import polars as pl

    notes = list(notes)
    new = "__index_level_0__"  # as pandas calls it
    counted = index == range(frame.height)
    if isinstance(index, range) and not counted and new not in frame.columns:
        frame = frame.with_columns(pl.Series(new, index, dtype=pl.Int64, strict=False))
    names, flat = _flat(frame, path, notes)
    if not names or not frame.height:
        what = "columns of numbers or text" if not names else "rows"
        raise DataError(f"The table in “{path.name}” has no {what}.", "Export it again, with one row per sample.")
    check_columns(path, len(names))
    grid = _as_grid(path, tuple(map(column_title, names)), flat, tuple(notes))
    return replace(grid, index=column_title(index) if isinstance(index, str) else None, counted=counted)


def _as_grid(path: Path, header: tuple[str, ...], frame: pl.DataFrame, notes: tuple[str, ...]) -> Grid:
    import polars as pl

    n_rows = frame.height + 1
    numbers = np.empty((n_rows, frame.width))
    missing = np.zeros(numbers.shape, dtype=bool)  # most tables lack nothing: zeros are no memory until written to
    budget = Budget(path)
    budget.take(COPIES * numbers.nbytes)
    # Columns share lines of the processor's cache; where they are short, what it takes to begin is paid per block.
    fewest, cells = 16, 1 << 20
    together = max(fewest, cells // n_rows)
    for start in range(0, frame.width, together):
        own = slice(start, start + together)
        block = frame if together >= frame.width else frame[:, own]
        _fill(block, numbers[1:, own], missing[1:, own], budget)
    numbers[0], missing[0] = as_numbers(pl.Series(header, dtype=pl.String).str.strip_chars())
    return Grid(path, _cells(frame, header), numbers, missing, tuple(range(n_rows)), notes, headed=True, unit="row")


def _fill(block: pl.DataFrame, numbers: Values, missing: npt.NDArray[np.bool_], budget: Budget) -> None:
    """Write the columns of a block as numbers, NaN for text, and which cells are missing."""
    import polars as pl

    kinds = block.dtypes
    numeric = [place for place, kind in enumerate(kinds) if kind.is_numeric()]
    if numeric:
        own = block[:, numeric] if len(numeric) < block.width else block
        if not _AS_THEY_ARE.issuperset(map(str, {kinds[place] for place in numeric})):
            own = own.cast(pl.Float64, strict=False)
        values = np.array(own.to_numpy(), dtype=np.float64)
        lacks = ~np.isfinite(values)
        values[lacks] = np.nan
        places: slice | list[int] = slice(None) if own is block else numeric
        numbers[:, places] = values
        if lacks.any():
            missing[:, places] = lacks
    for place in sorted(set(range(block.width)) - set(numeric)):
        text = as_text(block.to_series(place))
        # As an array, every text takes as much as the longest.
        budget.take(4 * len(text) * int(text.str.len_chars().to_numpy().max(initial=0)))
        numbers[:, place] = np.nan
        if (lacks := lacking(text)).any():
            missing[:, place] = lacks


def _cells(frame: pl.DataFrame, header: tuple[str, ...]) -> Cells:
    """The text of typed columns below their names."""
    kinds = frame.dtypes

    def row(index: int) -> list[str]:
        if not index:
            return list(header)
        return _row_text(frame, kinds, index - 1)

    return Cells(row, lambda index: [header[index], *as_text(frame.to_series(index)).to_list()])


def _row_text(frame: pl.DataFrame, kinds: Sequence[pl.DataType], index: int) -> list[str]:
    """Return the text of one row: cells of a kind together, since there may be 100,000 columns of it."""
    import polars as pl

    values, places = frame.row(index), dict[Any, list[int]]()
    for place, kind in enumerate(kinds):
        places.setdefault(kind, []).append(place)
    row = [""] * len(values)
    for kind, own in places.items():
        if str(kind) in _AS_THEY_ARE:
            texts = as_text(pl.Series([values[place] for place in own], dtype=kind)).to_list()
        else:  # of the others Python may know less, such as no nanoseconds
            texts = [as_text(frame.to_series(place).slice(index, 1))[0] for place in own]
        for place, text in zip(own, texts, strict=True):
            row[place] = text
    return row


def is_index(name: str) -> bool:
    """True if a column, by its name, holds the names that pandas gave the rows, which themselves had no name."""
    return _PANDAS_INDEX.fullmatch(name) is not None


def column_title(name: str) -> str:
    """Return a column's name as people read it: empty where the column holds names that pandas gave."""
    return "" if is_index(name) else name.strip()


def lacking(text: pl.Series) -> npt.NDArray[np.bool_]:
    """Return which cells, without surrounding blanks, say that something is missing."""
    return text.str.to_lowercase().is_in(list(MISSING)).to_numpy()


def as_text(column: pl.Series) -> pl.Series:
    """Return the cells as text without surrounding blanks; missing ones are empty."""
    import polars as pl

    if column.dtype == pl.Duration:
        column = column.dt.to_string()
    return column.cast(pl.String).fill_null("").str.strip_chars()


def _flat(frame: pl.DataFrame, path: Path, notes: list[str]) -> tuple[list[str], pl.DataFrame]:
    """Return the names, which columns may share, and the columns, with lists and structs taken apart.

    Columns of other kinds are left out, with a note.
    """
    import polars as pl

    # pandas writes the rows' names last, where they would be a column like others.
    names = sorted(frame.columns, key=lambda name: not is_index(name))
    if names != frame.columns:
        frame = frame.select(names)
    if all(map(is_flat, set(frame.dtypes))):
        return names, frame
    columns: list[tuple[str, pl.Series]] = []
    left_out: list[str] = []
    deepest = 10  # structs within structs
    for column in frame.get_columns():
        apart = _apart(column.name, column, deepest)
        check_columns(path, len(columns) + len(apart or ()))
        columns += apart or []
        if apart is None:
            left_out.append(column.name)
        elif len(apart) != 1 or apart[0][1].dtype != column.dtype:
            notes.append(f"column “{column.name}” holds {len(apart)} values per row, which became columns.")
    if left_out:
        shown = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"{shown} hold lists of unequal length, or bytes, and were left out.")
    return [name for name, _ in columns], pl.DataFrame([column.alias(str(i)) for i, (_, column) in enumerate(columns)])


def is_flat(kind: pl.DataType) -> bool:
    """True if cells of a kind are one number or text each: no lists, structs, bytes or objects."""
    import polars as pl

    return not kind.is_nested() and kind not in (pl.Binary, pl.Object, pl.Unknown)


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
