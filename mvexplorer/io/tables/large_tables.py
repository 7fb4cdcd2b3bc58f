"""Tables with typed columns whose numbers are larger than the memory: read by columns, a stripe of rows a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.io.base.converted import Room, mark_texts, unmarked
from mvexplorer.io.base.parts import Values
from mvexplorer.io.tables.frames import as_text, check_columns, column_title, is_flat, is_index, lacking
from mvexplorer.io.tables.grid import Cells, Grid, as_numbers

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class _Table:
    """A table in a file, its columns in the order in which they are shown."""

    lazy: pl.LazyFrame
    schema: pl.Schema
    n_rows: int

    @cached_property
    def names(self) -> list[str]:
        """Columns that name the rows stand last in the file, and first here."""
        return sorted(self.schema, key=lambda name: not is_index(name))

    @cached_property
    def numeric(self) -> list[str]:
        return [name for name in self.names if self.schema[name].is_numeric()]

    @cached_property
    def words(self) -> list[str]:
        return [name for name in self.names if not self.schema[name].is_numeric()]

    @property
    def dtype(self) -> type[np.floating[Any]]:
        """Single precision where that holds all numbers."""
        import polars as pl

        exact = {pl.Float32, pl.Int8, pl.Int16, pl.UInt8, pl.UInt16}
        kinds = {kind for kind in set(self.schema.values()) if kind.is_numeric()}
        return np.float32 if kinds <= exact else np.float64


def large_grid(path: Path, lazy: pl.LazyFrame, schema: pl.Schema, n_rows: int, room: Room) -> Grid | None:
    """Read a typed table larger than the memory; None where it has no rows or numbers, or columns to be taken apart."""
    table = _Table(lazy, schema, n_rows)
    if not n_rows or not table.numeric or not all(map(is_flat, set(schema.values()))):
        return None
    check_columns(path, len(table.names))
    texts = lazy.select(table.words).collect()
    shape = (n_rows + 1, len(table.names))
    numbers = room.keep("table", shape, table.dtype, lambda array: _fill(table, texts, room, array))
    return Grid(path, _cells(table, numbers), numbers, unmarked(numbers), range(n_rows + 1), headed=True, unit="row")


def _fill(table: _Table, texts: pl.DataFrame, room: Room, array: Values) -> None:
    import polars as pl

    place = {name: j for j, name in enumerate(table.names)}
    array[:1], missing = as_numbers(pl.Series(table.names, dtype=pl.String).str.strip_chars())
    mark_texts(array[:1], missing[None])
    for name in texts.columns:
        array[1:, place[name]] = np.where(lacking(as_text(texts[name])), np.nan, -np.nan)
    share = 16  # of the memory, for columns that are read at once: unfolding them takes several times as much
    width = max(1, room.memory // (share * 8 * table.n_rows))
    stripe_bytes = 1 << 30  # of rows that are written at once: they fit what the system keeps of a file in memory
    height = max(1, stripe_bytes // (array.itemsize * len(place)))
    for start in range(0, table.n_rows, height):
        stripe = table.lazy.slice(start, height)
        for first in range(0, len(table.numeric), width):
            own = table.numeric[first : first + width]
            read = stripe.select(pl.col(own).cast(pl.Float64, strict=False).fill_null(np.nan)).collect()
            values = np.array(read)
            values[~np.isfinite(values)] = np.nan
            array[1 + start : 1 + start + height, [place[name] for name in own]] = values
            room.tick((start + height * first / len(table.numeric)) / table.n_rows)


def _cells(table: _Table, numbers: Values) -> Cells:
    """The text of typed columns below their names."""
    header = [column_title(name) for name in table.names]

    def row(index: int) -> list[str]:
        if index == 0:
            return header
        read = table.lazy.select(table.words).slice(index - 1, 1).collect()
        text = {name: as_text(read[name])[0] for name in table.words}
        return [
            text[name] if name in text else _written(x) for name, x in zip(table.names, numbers[index], strict=True)
        ]

    def column(index: int) -> list[str]:
        own = as_text(table.lazy.select(table.names[index]).collect().to_series())
        return [header[index], *own.to_list()]

    return Cells(row, column)


def _written(value: float) -> str:
    """A number as a typed column writes it."""
    return "" if np.isnan(value) else str(int(value)) if value % 1 == 0 else str(value)
