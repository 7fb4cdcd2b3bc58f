"""The cells of a table, as text and as numbers, before it is known whether rows are samples."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import row_blocks
from mvexplorer.engine.core.notices import DECIMAL_SIGN, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.numerals import INFINITE, MISSING, plain_numerals
from mvexplorer.io.base.options import Decimal
from mvexplorer.io.base.text import Text, read_text
from mvexplorer.io.tables.headers import find_header
from mvexplorer.io.tables.plain import PlainTable, read_plain
from mvexplorer.io.tables.totals import find_totals

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Cells:
    """The text of the cells, asked for by a row or a column of the file, from 0; missing ones are empty text."""

    row: Callable[[int], list[str]]
    column: Callable[[int], list[str]]


def long_cells(cells: pl.Series, n_rows: int) -> Cells:
    """Index cells that stand in one long column, column after column, by rows and columns."""
    return Cells(
        lambda index: cells.gather_every(n_rows, index).to_list(),
        lambda index: cells[index * n_rows : (index + 1) * n_rows].to_list(),
    )


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells of a table, a header included.

    `numbers` (R, C) are NaN for other text; `missing` (R, C) marks cells that are empty, or say that a number is
    missing or infinite; `lines` are the 1-based numbers of the file's rows. Where `turned`, rows here are columns in
    the file. `headed` says whether the file's first row is a header, None where neither format nor user says it.
    `unit` is the file's word for a row: a text has lines, a table rows. `index` is the column that is known to name
    the rows, as pandas says of its index; where `counted`, the rows are known to be named 0, 1, 2 ..., in no column.
    `label` is the column that is the label if no other is, as the names of folders are.
    """

    path: Path
    cells: Cells
    numbers: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]
    lines: Sequence[int]
    notes: tuple[str | Notice, ...] = ()
    turned: bool = False
    headed: bool | None = None
    unit: str = "line"
    index: str | None = None
    counted: bool = False
    label: str | None = None

    def turn(self) -> Grid:
        """Exchange rows and columns of the same cells; no copy."""
        return replace(self, numbers=self.numbers.T, missing=self.missing.T, turned=not self.turned)

    def without_totals(self) -> Grid:
        """Return the same table without last rows that sum it up, with a note about them."""
        count, notes = find_totals(self.row, self.column, self.numbers)
        n_rows = len(self.numbers) - count
        cells = Cells(self.cells.row, lambda index: self.cells.column(index)[:n_rows])
        return replace(
            self,
            cells=cells,
            numbers=self.numbers[:n_rows],
            missing=self.missing[:n_rows],
            lines=self.lines[:n_rows],
            notes=(*self.notes, *notes),
        )

    @cached_property
    def header(self) -> tuple[list[str] | None, str | Notice]:
        """The header as `find_header` finds it: of 100,000 columns it is looked for once."""
        return find_header(self.row, self.numbers, None if self.turned else self.headed)

    def row(self, index: int) -> list[str]:
        """Return the text of one row, after any turn."""
        return self.cells.column(index) if self.turned else self.cells.row(index)

    def column(self, index: int) -> list[str]:
        """Return the text of one column, after any turn."""
        return self.cells.row(index) if self.turned else self.cells.column(index)

    def place(self, row: int, column: int) -> str:
        """Say where a cell, after any turn, stands in the file: ``on line 3``."""
        field = "field" if self.unit == "line" else "column"
        if self.turned:
            return f"{self._at(column)}, in {field} {row + 1}"
        return self._at(row)

    def _at(self, line: int) -> str:
        return f"{'on' if self.unit == 'line' else 'in'} {self.unit} {self.lines[line]}"

    def counts(self, start: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Count the cells of text (C,) and the numbers (C,) in each column from a row on; the others are missing."""
        numbers, missing = self.numbers[start:], self.missing[start:]
        n_text, n_other = np.zeros((2, numbers.shape[1]), dtype=np.intp)
        if self.turned:  # as the numbers stand
            for columns in row_blocks(numbers.T):
                other = np.isnan(numbers.T[columns])
                n_other[columns] = other.sum(axis=1)
                n_text[columns] = (other & ~missing.T[columns]).sum(axis=1)
            return n_text, len(numbers) - n_other
        for rows in row_blocks(numbers):
            other = np.isnan(numbers[rows])
            if other.any():
                n_other += other.sum(axis=0)
                n_text += (other & ~missing[rows]).sum(axis=0)
        return n_text, len(numbers) - n_other

    def texts_of(self, index: int) -> npt.NDArray[np.bool_]:
        """Return which cells (R,) of a column, after any turn, hold text; the others are numbers, or missing."""
        return np.asarray(np.isnan(self.numbers[:, index]) & ~self.missing[:, index])


def read_grid(path: Path, room: Room | None = None, decimal: Decimal | None = None) -> Grid:
    """Read a text table, a header among its cells; `room` takes numbers that are larger than the memory."""
    import polars as pl

    # A comma is never a decimal sign in what is read fast.
    plain = read_plain(path, room or Room(path), as_numbers, _plain_texts) if decimal != "," else None
    if plain is not None:
        notes = [*_plain_texts(plain), *_plain_thousands(plain)]
        again = Cells(plain.row, plain.column)
        lines = range(1, len(plain.numbers) + 1)
        return Grid(path, again, plain.numbers, plain.missing, lines, tuple(notes))
    text = read_text(path)
    frame = _frame(path, text)
    # One long column, so that 20,000 columns take no longer than as many rows.
    read = pl.concat(frame.get_columns(), rechunk=True).rename("cells").fill_null("").str.strip_chars()
    cells, notes = plain_numerals(read, frame.height, text.separator, decimal)
    numbers, missing = as_numbers(cells)
    shape = (frame.width, frame.height)
    long = long_cells(cells, frame.height)
    said = (*text.notes, *notes)
    grid = Grid(path, long, numbers.reshape(shape).T, missing.reshape(shape).T, text.numbers, said)
    return grid.without_totals()


def _plain_texts(plain: PlainTable) -> list[Notice]:
    """Make numbers of the columns of text of a large table that are written numbers, in place."""
    import polars as pl

    notices = []
    for column, texts in list(plain.texts.items()):
        cells = pl.concat([pl.Series([plain.head[0][column]], dtype=pl.String), texts])
        written, notes = plain_numerals(cells, len(cells), plain.separator)
        notices += notes
        if notes:
            plain.texts[column] = written[1:]
            plain.head = [[*row[:column], str(written[i]), *row[column + 1 :]] for i, row in enumerate(plain.head)]
            if plain.numbers.flags.writeable:  # else they were put away so
                plain.numbers[:, column], plain.missing[:, column] = as_numbers(written)
    return notices


def _plain_thousands(plain: PlainTable) -> list[Notice]:
    """Note the columns whose dots may separate thousands: all numbers have one before three digits, or none."""
    import polars as pl

    if plain.separator != ";":
        return []
    head = pl.Series([cell for column in zip(*plain.head, strict=True) for cell in column], dtype=pl.String)
    notices = [note for note in plain_numerals(head, len(plain.head), ";")[1] if note.code == DECIMAL_SIGN]
    columns = {name: plain.numbers[1:, j] for j, name in enumerate(plain.head[0])}
    own = [columns[name] for note in notices for name in note.subjects if name in columns]
    with np.errstate(invalid="ignore"):  # infinite ones have no rest
        thousands = any(((X >= 1) & (X < 1000) & (np.abs(X * 1000 % 1 - 0.5) > 0.499)).all() for X in own)
    return notices if thousands else []


def _frame(path: Path, text: Text) -> pl.DataFrame:
    import polars as pl

    with suppress(pl.exceptions.PolarsError):
        frame = pl.read_csv(
            io.BytesIO("\n".join(text.lines).encode()),
            has_header=False,
            separator=text.separator,
            infer_schema=False,
            new_columns=[str(i) for i in range(len(text.fields(0)))],
        )
        if frame.height == len(text.lines):
            return frame
    # Fields and quotes have been checked; this is the last guard against losing a sample.
    hint = "Write it again as a plain CSV file."
    raise DataError(f"The file “{path.name}” is not a table that can be read.", hint)


def as_numbers(cells: pl.Series) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return N stripped texts as numbers (N,), NaN for others, and which (N,) are empty or say missing or infinite."""
    import polars as pl

    numbers = cells.str.strip_prefix("+").cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(writable=True)
    others = np.flatnonzero(~np.isfinite(numbers))  # most cells are numbers, and need not be looked at as words
    words = cells.gather(others).str.to_lowercase().is_in([*MISSING, *INFINITE]).to_numpy()
    missing = np.zeros(len(numbers), dtype=bool)
    missing[others[words]] = True
    numbers[missing] = np.nan
    return numbers, missing
