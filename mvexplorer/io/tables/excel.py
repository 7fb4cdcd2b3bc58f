"""Excel workbooks: every sheet is a table. The libraries that know the format are fastexcel and polars.

A workbook is unpacked here and handed over uncompressed: a few bytes can unfold to any size, and two cells in opposite
corners claim a sheet of gigabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_COLUMNS, MAX_VIEWS, Budget, check_count, read_content
from mvexplorer.io.base.numerals import plain_numerals
from mvexplorer.io.tables.grid import Grid, as_numbers, long_cells
from mvexplorer.io.tables.sheets import Region, WorksheetInfo, unpack_workbook

if TYPE_CHECKING:
    import polars as pl

EXCEL_SUFFIXES = (".xlsx", ".xlsm", ".xls")


def split_sheet(path: str | Path) -> tuple[Path, str | None]:
    """Split a path into a workbook and the sheet named behind a colon, as in ``book.xlsx:Sheet1``, else None.

    Examples
    --------
    >>> from mvexplorer.io.tables.excel import split_sheet
    >>> split_sheet("book.xlsx:Sheet1")[1]
    'Sheet1'
    """
    text = str(path)
    ends = [text.lower().rfind(f"{suffix}:") + len(suffix) for suffix in EXCEL_SUFFIXES if f"{suffix}:" in text.lower()]
    end = max(ends, default=0)
    return (Path(text[:end]), text[end + 1 :]) if end and not Path(text).exists() else (Path(text), None)


def read_workbook(path: Path, sheet: str | None = None) -> list[Grid]:
    """Read one sheet, or all that are not hidden or empty; the only one of these is called after the file."""
    content, parts = _content(path)
    book, names = _open(path, content, sheet)
    check_count(path, len(names), MAX_VIEWS, "sheets", "Name the one you want, as in book.xlsx:Sheet1.")
    sheets = {name: _grid(path, book, name, parts.get(name), wanted=name == sheet) for name in names}
    grids, aside = _without_remarks({name: grid for name, grid in sheets.items() if isinstance(grid, Grid)})
    if not grids:
        raise DataError(f"There is no table in “{path.name}”.", "Give a sheet with one row per sample.")
    said = [note for note in sheets.values() if isinstance(note, str)] + aside
    first, *others = grids
    grids[first] = replace(grids[first], notes=(*said, *grids[first].notes))
    if others:  # said of all, so that one sentence names them
        text = f"each sheet of “{path.name}” was taken as a file of its own."
        grids = {name: replace(grid, notes=(text, *grid.notes)) for name, grid in grids.items()}
    alone = not others and sheet is None
    # A path ends where its last dot begins the kind of the file.
    return [grid if alone else replace(grid, path=path / name.replace(".", "_")) for name, grid in grids.items()]


def _open(path: Path, content: bytes, sheet: str | None) -> tuple[Any, list[str]]:
    """Open the workbook; return also the names of its sheets, or that of the one that is wanted."""
    try:
        # Imported here, since it is optional.
        book = import_module("fastexcel").read_excel(content)
        names: list[str] = list(book.sheet_names)
    except ImportError:
        hint = "Install it with: python -m pip install fastexcel"
        raise DataError(f"Reading “{path.name}” needs fastexcel, which is not installed.", hint) from None
    except BaseException as error:  # noqa: BLE001 - the library's own panics are no Exception
        raise _damaged(path, error) from None
    if sheet is not None and sheet not in names:
        raise DataError(f"There is no sheet called “{sheet}” in “{path.name}”.", f"Its sheets are {', '.join(names)}.")
    return book, names if sheet is None else [sheet]


def _content(path: Path) -> tuple[bytes, dict[str, WorksheetInfo]]:
    """Return the workbook, unpacked, and what its sheets say of themselves."""
    content = read_content(path)
    old, archive = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK"
    if content.startswith(old):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise _locked(path)
        return content, {}
    if not content.startswith(archive):
        raise DataError(f"“{path.name}” is no Excel workbook, whatever its name says.", "Rename it by its kind.")
    try:
        return unpack_workbook(path, content)
    except DataError:
        raise
    except RuntimeError:
        raise _locked(path) from None
    except Exception as error:  # noqa: BLE001 - a damaged archive may raise anything
        raise _damaged(path, error) from None


def _locked(path: Path) -> DataError:
    return DataError(f"“{path.name}” is protected by a password.", "Save it without one in Excel, then open it.")


def _damaged(path: Path, error: BaseException) -> DataError:
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        raise error
    if "assword" in str(error):
        return _locked(path)
    hint = "Save it again as an Excel workbook (.xlsx), or as CSV."
    return DataError(f"The workbook “{path.name}” is damaged or cut off ({type(error).__name__}).", hint)


def _grid(path: Path, book: Any, name: str, about: WorksheetInfo | None, *, wanted: bool) -> Grid | str | None:
    """Read a sheet as a table; a sentence where it is left out, None where it is empty."""
    rows, columns = (about.n_rows, about.n_columns) if about is not None else (0, 0)
    budget = Budget(path)
    check_count(path, columns, MAX_COLUMNS, "columns", "Leave out what is not part of the table.")
    cell, copies = 32, 6  # bytes of a cell in the library that reads the file
    budget.take(cell * copies * rows * columns)
    try:
        whole = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
        texts = whole.to_polars()
        numbers = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="float").to_polars()
    except BaseException as error:  # noqa: BLE001 - the library's own panics are no Exception
        raise _damaged(path, error) from None
    if whole.visible != "visible" and not wanted:
        return f"the sheet “{name}” is hidden and was left out."
    about = about or WorksheetInfo()
    budget.take(copies * 8 * texts.height * texts.width)
    grid = _as_grid(path, name, texts, numbers, about) if texts.height and texts.width else None
    lines = range(rows + 1) if grid is None else range(grid.lines[-1] + 1)
    unsaved = next((cell for row, cell in about.unsaved.items() if row in lines), None)
    if unsaved is not None:
        raise DataError(
            f"The sheet “{name}” of “{path.name}” holds formulas without their values, such as {unsaved}.",
            "Open it in Excel or LibreOffice and save it there, or put values in place of the formulas.",
        )
    return grid


def _as_grid(path: Path, name: str, texts: pl.DataFrame, numbers: pl.DataFrame, about: WorksheetInfo) -> Grid | None:
    import polars as pl

    plain = texts.select(pl.all().str.strip_chars().replace("", None))
    filled = np.column_stack([column.is_not_null().to_numpy() for column in plain.get_columns()])
    columns, rows = np.flatnonzero(filled.any(axis=0)), np.flatnonzero(filled.any(axis=1))
    if not len(columns):
        return None
    notes: list[str] = []
    first = _first_row(filled[np.ix_(rows, columns)])
    if first:
        title = next(str(text) for text in plain.row(int(rows[0])) if text is not None)
        notes.append(f"“{title}” above the table was taken as its title, not as a sample.")
    rows = rows[first:]
    cells, exact = (
        pl.concat([frame.to_series(j).gather(rows) for j in columns.tolist()]) for frame in (plain, numbers)
    )
    places = columns + max(about.first_column - 1, 0)
    cells, rows, exact = _one_header(path, name, cells, exact, rows, places, about.merged, notes)
    return _with_numbers(path, cells.fill_null(""), exact, (rows + 1).tolist(), tuple(notes))


def _with_numbers(path: Path, cells: pl.Series, exact: pl.Series, lines: list[int], notes: tuple[str, ...]) -> Grid:
    """Put the numbers themselves, where there are any, in place of texts, which show them to few digits."""
    cells, said = plain_numerals(cells, len(lines))
    numbers, missing = as_numbers(cells)
    precise = exact.fill_null(np.nan).to_numpy()
    numbers = np.where(np.isfinite(numbers) & np.isfinite(precise), precise, numbers)
    shape = (-1, len(lines))
    text = long_cells(cells, len(lines))
    every = (*notes, *said)
    grid = Grid(path, text, numbers.reshape(shape).T, missing.reshape(shape).T, tuple(lines), every, unit="row")
    return grid.without_totals()


def _first_row(filled: Any) -> int:
    """Count the rows above the table that hold no more than a title."""
    if filled.shape[1] < 2:
        return 0
    lengths = filled.sum(axis=1)
    alone = int(np.argmax(lengths > 1)) if (lengths > 1).any() else 0
    return alone if len(lengths) > alone else 0


def _one_header(
    path: Path,
    name: str,
    cells: pl.Series,
    exact: pl.Series,
    rows: Any,
    columns: Any,
    merged: Sequence[Region],
    notes: list[str],
) -> tuple[pl.Series, Any, pl.Series]:
    """Join two rows of headings, the first over groups of columns, into one; refuse cells merged below."""
    import polars as pl

    n, width = len(rows), len(columns)
    here = [r for r in merged if r.bottom >= rows[0] and r.right >= columns[0] and r.left <= columns[-1]]
    groups = [r for r in here if r.top == rows[0] and r.top == r.bottom and r.right > r.left]
    depth = 2 if groups and n > 2 else 1
    below = [r for r in here if r.bottom >= rows[min(depth, n - 1)] and r.top <= rows[-1]]
    if below:
        raise DataError(
            f"The sheet “{name}” of “{path.name}” merges the cells {below[0].name} in the middle of its table.",
            "Unmerge them and fill in every cell: each row needs values of its own.",
        )
    if depth == 1:
        return cells, rows, exact
    notes.append("two rows of headings were joined: every group of columns is a view.")
    heads = [_heading(cells, groups, columns, j, n) for j in range(width)]
    keep = np.delete(np.arange(n * width).reshape(width, n), 1, axis=1)
    cells = cells.gather(keep.ravel()).scatter(np.arange(width) * (n - 1), pl.Series(heads, dtype=pl.String))
    return cells, np.delete(rows, 1), exact.gather(keep.ravel())


def _heading(cells: pl.Series, groups: Sequence[Region], columns: Any, j: int, n_rows: int) -> str:
    """Join the heading of a column to that of its group."""
    group = next((r for r in groups if r.left <= columns[j] <= r.right), None)
    place = j if group is None else int(np.searchsorted(columns, group.left))
    top, bottom = cells[place * n_rows] or "", cells[j * n_rows + 1] or ""
    return f"{top}:{bottom}" if group is not None and top and bottom else bottom or top


def _without_remarks(grids: dict[str, Grid]) -> tuple[dict[str, Grid], list[str]]:
    """Leave out sheets of text with rows of their own, which explain the others; return the rest and a note."""
    wordy = {name for name, grid in grids.items() if np.isnan(grid.numbers).all()}
    lengths = {len(grid.lines) for name, grid in grids.items() if name not in wordy}
    aside = [n for n in grids if n in wordy and not {len(grids[n].lines) + k for k in (-1, 0, 1)} & lengths]
    if not lengths or not aside:
        return grids, []
    names = ", ".join(f"“{name}”" for name in aside)
    said = f"{names} {'holds' if len(aside) == 1 else 'hold'} text about something else than the samples: left out."
    return {name: grid for name, grid in grids.items() if name not in aside}, [said]
