"""The file of a sweep while it grows: written every now and then, and taken up again by the same command."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.formulas import unescaped
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from mvexplorer.compute.batch.sweep_table import Row
    from mvexplorer.state.batches.grid_sweep import GridSweep

EVERY = 2.0
"""Seconds between two writings at least,"""
SHARE = 0.05
"""of which all together take at most this share of the time."""


class SweepFile:
    """The table of one sweep on the disk, at `out`.

    With `csv_safe`, texts that spreadsheets take for formulas have an apostrophe before them in CSV.
    """

    def __init__(self, out: str, sweep: GridSweep, *, csv_safe: bool = False) -> None:
        self._out, self._made, self._csv_safe = Path(out), sweep, csv_safe
        self._about = Path(f"{out}.unfinished")
        self._next, self._begun = monotonic() + EVERY, False

    def begin(self) -> int:
        """Take up the rows of an unfinished table, and return their number; DataError where it is of another sweep."""
        if not self._out.exists():
            return 0
        if not self._about.exists():
            self._check_grid()
            return 0
        self._check_same()
        self._made.known(self._rows())
        return len(self._made)

    def keep(self) -> None:
        """Write the rows so far, unless that was done a moment ago."""
        begun = monotonic()
        if begun >= self._next and len(self._made):
            self.write()
            took = monotonic() - begun
            self._next = monotonic() + max(EVERY, took / SHARE)

    def write(self) -> None:
        """Write the rows so far, and the file that names their sweep."""
        if not self._begun:
            with writing(self._about) as file:
                file.write(json.dumps(self._made.about()).encode())
        self._begun = True
        self._write_table()

    def finish(self) -> None:
        """Write all rows, and remove the file that marks the table as unfinished."""
        self._write_table()
        self._about.unlink(missing_ok=True)

    def _write_table(self) -> None:
        """Write it as CSV or Parquet."""
        from mvexplorer.compute.batch.sweep_table import csv_text

        whole = io.BytesIO()
        if self._parquet:
            self._made.frame().write_parquet(whole)
        else:
            whole.write(csv_text(self._made.columns, self._made.rows(), csv_safe=self._csv_safe).encode())
        with writing(self._out) as file:
            file.write(whole.getbuffer())

    @property
    def _parquet(self) -> bool:
        return self._out.suffix.lower() == ".parquet"

    def _check_same(self) -> None:
        """Refuse an unfinished table of other data, settings, grid or scores."""
        from mvexplorer.io.base.guards import open_file

        largest = 1 << 24
        with open_file(self._about) as file:
            text = file.read(largest)
        try:
            there = json.loads(text)
            other = [name for name, about in self._made.about().items() if there.get(name) != about]
        except (ValueError, AttributeError, RecursionError):
            other = ["grid"]
        if other:
            which = "another grid" if other[0] == "grid" else f"other {other[0]}"
            raise DataError(
                f"“{self._out}” is the unfinished table of a sweep with {which}.",
                f"Finish it by its own command, choose another name, or delete it and “{self._about}”.",
            )

    def _check_grid(self) -> None:
        """Refuse to replace a table of another grid, or a file that is none."""
        try:
            self._made.fits(self._rows())
        except MVExplorerError as error:
            raise DataError(
                f"“{self._out}” belongs to something else: {error.message[:1].lower()}{error.message[1:]}",
                "Choose another name, or delete it.",
            ) from None

    def _rows(self) -> list[Row]:
        """The rows of the table; DataError where its columns are not those of the sweep."""
        read = _rows_of_parquet if self._parquet else _rows_of_csv
        try:
            columns, *rows = read(self._out)
            if self._csv_safe and not self._parquet:
                columns, *rows = ([unescaped(value) for value in row] for row in (columns, *rows))
            rows = [tuple(_typed(name, value) for name, value in zip(columns, row, strict=True)) for row in rows]
        except (OSError, ValueError) as problem:
            raise DataError("It cannot be read as a table of a sweep.") from problem
        if tuple(columns) != self._made.columns:
            raise DataError(f"Its columns are {', '.join(columns)}.")
        return rows


def _rows_of_csv(path: Path) -> Iterator[Any]:
    from mvexplorer.io.base.guards import open_file

    with open_file(path) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        try:
            yield from csv.reader(text)
        except csv.Error as problem:
            raise ValueError from problem


def _rows_of_parquet(path: Path) -> Iterator[Any]:
    import polars as pl

    from mvexplorer.io.base.guards import open_file

    try:
        with open_file(path) as file:  # as polars knows paths of text only, and takes signs in them for patterns
            frame = pl.read_parquet(file)
    except pl.exceptions.PolarsError as problem:
        raise ValueError from problem
    yield frame.columns
    yield from frame.rows()


def _typed(name: str, value: Any) -> Any:
    """A value of a column as the sweep has it: text, several numbers, or one."""
    if name in ("method", "views"):
        return value
    if name == "epsilon":
        each = value.split(",") if isinstance(value, str) else value
        return tuple(float(one) for one in each if one != "")
    if name == "resample":
        return int(value)
    return None if value in ("", None) else float(value)
