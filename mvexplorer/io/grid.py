"""The cells of a text table, as text and as numbers, before it is known whether rows are samples."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.text import Text, read_text

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

MISSING = ("", "na", "n/a", "nan", "-nan", "null", "none", "?")
INFINITE = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
_DECIMAL_COMMA = r"^[+-]?\d*,\d+([eE][+-]?\d+)?$"


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells of a table, a header included.

    Parameters
    ----------
    path : Path
    cells : polars Series of text
        Column after column, as in the file.
    numbers : array (R, C)
        The cells as numbers, NaN for other text.
    missing : array (R, C), bool
        Cells that are empty, or say that a number is missing or infinite.
    lines : tuple of int
        1-based line numbers of the file's rows.
    notes : tuple of str
        What was assumed about the file.
    turned : bool
        Rows here are columns in the file.
    """

    path: Path
    cells: pl.Series
    numbers: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()
    turned: bool = False

    def turn(self) -> Grid:
        """The same cells with rows and columns exchanged; no copy.

        Returns
        -------
        Grid
            A view of the same cells.
        """
        return replace(self, numbers=self.numbers.T, missing=self.missing.T, turned=not self.turned)

    def row(self, index: int) -> list[str]:
        """The text of one row.

        Parameters
        ----------
        index : int
            From 0, after any turn.

        Returns
        -------
        list of str
            One text per column.
        """
        return self._line(index, along_file_column=self.turned)

    def column(self, index: int) -> list[str]:
        """The text of one column.

        Parameters
        ----------
        index : int
            From 0, after any turn.

        Returns
        -------
        list of str
            One text per row.
        """
        return self._line(index, along_file_column=not self.turned)

    def _line(self, index: int, *, along_file_column: bool) -> list[str]:
        n_rows = len(self.lines)
        found = self.cells[index * n_rows : (index + 1) * n_rows] if along_file_column else (
            self.cells.gather_every(n_rows, index)
        )  # fmt: skip
        return [str(cell) for cell in found.to_list()]

    def place(self, row: int, column: int) -> str:
        """Where a cell stands in the file, in words.

        Parameters
        ----------
        row, column : int
            From 0, after any turn.

        Returns
        -------
        str
            Part of a sentence: ``on line 3``.
        """
        if self.turned:
            return f"on line {self.lines[column]}, in field {row + 1}"
        return f"on line {self.lines[row]}"

    @property
    def text(self) -> npt.NDArray[np.bool_]:
        """Which cells (R, C) hold text."""
        return np.asarray(np.isnan(self.numbers) & ~self.missing)


def read_grid(path: Path) -> Grid:
    """Read a text table.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Grid
        Its cells, the header among them.

    Raises
    ------
    DataError
        `read_text` refuses the file, or it is no table.
    """
    import polars as pl

    text = read_text(path)
    try:
        frame = _frame(text)
        whole = frame.height == len(text.lines)
    except pl.exceptions.PolarsError:
        whole = False
    if not whole:
        # Fields and quotes have been checked; this is the last guard against losing a sample.
        hint = "Write it again as a plain CSV file."
        raise DataError(f"The file “{path.name}” is not a table that can be read.", hint)
    # One long column, so that 20,000 columns take no longer than as many rows.
    cells = pl.concat(frame.get_columns()).rename("cells").fill_null("").str.strip_chars()
    notes = list(text.notes)
    if text.separator == ";":
        decimal = cells.str.contains(_DECIMAL_COMMA)
        if decimal.any():
            pointed = cells.str.replace(",", ".", literal=True)
            cells = pl.select(pl.when(decimal).then(pointed).otherwise(cells)).to_series().rename("cells")
            notes.append("commas were taken as decimal points.")
    numbers, missing = _as_numbers(cells)
    shape = (frame.width, frame.height)
    return Grid(path, cells, numbers.reshape(shape).T, missing.reshape(shape).T, text.numbers, tuple(notes))


def _frame(text: Text) -> pl.DataFrame:
    import polars as pl

    return pl.read_csv(
        io.BytesIO("\n".join(text.lines).encode()),
        has_header=False,
        separator=text.separator,
        infer_schema=False,
        new_columns=[str(i) for i in range(len(text.fields(0)))],
    )


def _as_numbers(cells: pl.Series) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    import polars as pl

    missing = cells.str.to_lowercase().is_in([*MISSING, *INFINITE])
    blanked = pl.select(pl.when(missing).then(None).otherwise(cells)).to_series()
    numbers = blanked.str.strip_prefix("+").cast(pl.Float64, strict=False).fill_null(np.nan)
    return numbers.to_numpy(), missing.to_numpy()
