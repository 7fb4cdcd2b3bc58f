"""The table of a sweep, the same from the window, a script and the command line: one row per cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.batch.sweep_path import Swept
from mvexplorer.formulas import escaped

if TYPE_CHECKING:
    import polars as pl

Row = tuple[Any, ...]
SPREAD = "_sd"
"""Ends the name of the column with a score's standard deviation."""


def columns_of(grid: Sequence[str], scores: Iterable[str]) -> tuple[str, ...]:
    """The names of the columns: the grid's, what was computed, and the scores; NMI is followed by its s.d."""
    scored = (name for id in scores for name in ((id, f"{id}{SPREAD}") if id == "nmi" else (id,)))
    return (*grid, "method", "views", "epsilon", "resample", *scored)


def row_of(
    values: Sequence[float | str], method: str, resample: int, cell: Swept, columns: Sequence[str], *, title: str = ""
) -> Row:
    """The row of one cell: the grid's values, what was computed, how it scored, and its title where there is a column.

    A score that the cell lacks is None.
    """
    each = cell.scores.each()
    numbers = {id: score.value for id, score in each.items()}
    numbers |= {f"{id}{SPREAD}": score.spread for id, score in each.items() if score.spread is not None}
    scored = (title if name == "title" else numbers.get(name) for name in columns[len(values) + 4 :])
    return (*values, method, ",".join(cell.views), tuple(cell.epsilon.values()), resample, *scored)


def csv_text(columns: Sequence[str], rows: Iterable[Row], *, csv_safe: bool = False) -> str:
    """The table as CSV, its texts escaped or as they are; the ε of several views stand in one field, with commas."""
    text_as = escaped if csv_safe else _same
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(text_as, columns))
    writer.writerows([_plain(text_as(value)) for value in row] for row in rows)
    return text.getvalue()


def _same(value: Any) -> Any:
    return value


def _plain(value: Any) -> Any:
    return ",".join(repr(float(v)) for v in value) if isinstance(value, tuple | list) else value


def frame_of(columns: Sequence[str], rows: Sequence[Row]) -> pl.DataFrame:
    """The table as a polars frame; the ε of a cell are a list of numbers."""
    import polars as pl

    types: dict[str, Any] = {
        "method": pl.String,
        "views": pl.String,
        "epsilon": pl.List(pl.Float64),
        "resample": pl.Int64,
    }
    values = [[list(v) if isinstance(v, tuple) else v for v in (row[i] for row in rows)] for i in range(len(columns))]
    return pl.DataFrame(
        {name: pl.Series(name, column, dtype=types.get(name)) for name, column in zip(columns, values, strict=True)}
    )
