"""CSV and TSV files: is there a header, which columns are numbers, which one is the label."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.parts import (
    ID_NAMES,
    LABEL_NAMES,
    UNLABELLED,
    Parts,
    Values,
    are_measurements,
    pick_name,
    tidy_labels,
)
from mvexplorer.io.text import Text, is_number, read_text

if TYPE_CHECKING:
    import polars as pl

_MISSING = ("", "na", "n/a", "nan", "-nan", "null", "none", "?")
_INFINITE = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
_RUN = 3  # a header of numbers needs 0, 1, 2; fewer could be data


@dataclass(frozen=True)
class _Column:
    """One column: its cells (M,) as text, and as numbers with NaN where there is none."""

    name: str
    series: pl.Series
    numbers: npt.NDArray[np.float64]
    n_text: int
    n_numbers: int

    @property
    def numeric(self) -> bool:
        return self.n_text == 0

    @property
    def cells(self) -> Values:
        return np.array(self.series.to_list(), dtype=str)

    @property
    def named_cells(self) -> Values:
        return np.array([cell or UNLABELLED for cell in self.series.to_list()])


def read_table(path: Path, *, labels: str | None = None, ids: str | None = None) -> Parts:
    """Read a CSV or TSV file as one view, or as several where headers read `view:feature`.

    Parameters
    ----------
    path : Path
        The file; commas, tabs, semicolons or blanks separate its fields.
    labels, ids : str, optional
        Name of the column that holds the class / the sample's name, instead of the usual names.

    Raises
    ------
    DataError
        Binary content, ragged lines, a header without rows, or text among the numbers of a column.
    """
    text = read_text(path)
    parts = Parts(path)
    for sentence in text.notes:
        parts.note(sentence)
    header = _header(text, parts)
    columns = _columns(path, text, header, parts)
    columns = _take_labels(columns, parts, labels)
    columns = _take_ids(columns, parts, ids, unnamed=header is not None)
    _take_views(columns, parts, text, header is not None)
    return parts


def read_column(path: Path) -> Values:
    """The only column of a text file, one value per sample (M,)."""
    parts = read_table(path)
    found = [v for v in (parts.labels, *parts.columns.values(), *parts.views.values()) if v is not None]
    if len(found) != 1 or (found[0].ndim == 2 and found[0].shape[1] != 1):
        raise DataError(f"The file “{path.name}” has several columns.", "Give a file with one value per row.")
    return found[0].ravel() if found[0].dtype.kind in "SUO" else tidy_labels(found[0])


def _header(text: Text, parts: Parts) -> list[str] | None:
    """Names of the columns if the first line holds them; a line that may be a sample is kept as one."""
    first = text.fields(0)
    second = text.fields(1) if len(text.lines) > 1 else []
    run = _counts_up(first[:-1]) and len(first) > _RUN
    if run or (_counts_up(first) and len(first) >= _RUN):
        parts.note("the first row, 0, 1, 2 ..., was taken as a header of column numbers, not as a sample.")
        if run and not _counts_up(first):
            return [*first[:-1], "label"] if is_number(first[-1]) else first
        return first
    known = {*LABEL_NAMES, *ID_NAMES}
    if text.separator == ";":  # where a comma may be a decimal point
        first_numbers, second = [c.replace(",", ".") for c in first], [c.replace(",", ".") for c in second]
    else:
        first_numbers = first
    wordy = [
        not is_number(number) and cell.lower() not in (*_MISSING, *_INFINITE)
        for cell, number in zip(first, first_numbers, strict=True)
    ]
    named = any(cell.lower() in known or ":" in cell.strip(":") for cell in first)
    below = [w and is_number(cell) for w, cell in zip(wordy, second, strict=False)]
    plain = [cell for cell, w in zip(first, wordy, strict=True) if not w and cell]
    if named and any(wordy):
        return first
    if any(below) and (not plain or _counts_up(plain) or _counts_up(["0", *plain])):
        return first
    if len(first) > 1 and not first[0] and any(below):
        return first
    if any(wordy) or len(first) > 1:
        parts.note("there is no header; the first row was taken as a sample.")
    return None


def _counts_up(cells: list[str]) -> bool:
    return bool(cells) and cells == [str(i) for i in range(len(cells))]


def _columns(path: Path, text: Text, header: list[str] | None, parts: Parts) -> list[_Column]:
    import polars as pl

    start = 0 if header is None else 1
    lines = text.lines[start:]
    if not lines:
        raise DataError(f"The file “{path.name}” has a header but no rows.", "Give one row per sample.")
    try:
        cells = _cells(lines, text.separator, len(text.fields(0)))
        whole = cells.height == len(lines)
    except pl.exceptions.PolarsError:
        whole = False
    if not whole:
        # Fields are counted and quotes are in order by now; this is the last guard against losing a sample.
        hint = "Write it again as a plain CSV file."
        raise DataError(f"The file “{path.name}” is not a table that can be read.", hint)
    if text.separator == ";" and _has_decimal_commas(cells):
        cells = cells.select(pl.all().str.replace(",", ".", literal=True))
        parts.note("commas were taken as decimal points.")
    names = header or [f"column {i + 1}" for i in range(cells.width)]
    return _with_numbers(cells, names)


def _with_numbers(cells: pl.DataFrame, names: list[str]) -> list[_Column]:
    import polars as pl

    lowered = cells.select(pl.all().str.to_lowercase())
    missing = lowered.select(pl.all().is_in([*_MISSING, *_INFINITE]))
    blanked = cells.select(
        pl.when(missing[name]).then(None).otherwise(pl.col(name)).alias(name) for name in cells.columns
    )
    numbers = blanked.select(pl.all().str.strip_prefix("+").cast(pl.Float64, strict=False))
    columns = []
    for i, name in enumerate(names):
        n_numbers = cells.height - numbers[:, i].null_count()
        n_text = cells.height - n_numbers - int(missing[:, i].sum())
        values = numbers[:, i].fill_null(np.nan).to_numpy()
        columns.append(_Column(name, cells[:, i], values, n_text, n_numbers))
    return columns


def _cells(lines: tuple[str, ...], separator: str, width: int) -> pl.DataFrame:
    import polars as pl

    frame = pl.read_csv(
        io.BytesIO("\n".join(lines).encode()),
        has_header=False,
        separator=separator,
        infer_schema=False,
        new_columns=[str(i) for i in range(width)],
    )
    return frame.select(pl.all().fill_null("").str.strip_chars())


def _has_decimal_commas(cells: pl.DataFrame) -> bool:
    import polars as pl

    pattern = r"^[+-]?\d*,\d+([eE][+-]?\d+)?$"
    return any(cells.select(pl.all().str.contains(pattern).any()).row(0))


def _take_labels(columns: list[_Column], parts: Parts, wanted: str | None) -> list[_Column]:
    names = [column.name for column in columns]
    # Beside an x, a y of measurements is the other coordinate.
    plane = "x" in [name.lower() for name in names]
    candidates = {c.name: c for c in columns if c.name == wanted or c.name.lower() in LABEL_NAMES}
    candidates = {n: c for n, c in candidates.items() if n == wanted or not (plane and _measures(c))}
    chosen = wanted or pick_name([n for n, c in candidates.items() if not _measures(c)], LABEL_NAMES)
    for name, column in candidates.items():
        if name == chosen:
            parts.labels, parts.label_name = _labels(column), name
            parts.note(f"column “{name}” was taken as the label.")
        else:
            parts.columns[name] = _labels(column)
            parts.note(f"column “{name}” is offered for colouring, not used as a feature.")
    return [column for column in columns if column.name not in candidates]


def _labels(column: _Column) -> Values:
    return tidy_labels(column.numbers) if column.numeric else column.named_cells


def _measures(column: _Column) -> bool:
    return column.numeric and are_measurements(column.numbers)


def _take_ids(columns: list[_Column], parts: Parts, wanted: str | None, *, unnamed: bool) -> list[_Column]:
    names = [column.name for column in columns]
    name = wanted if wanted in names else (None if wanted else pick_name(names, ID_NAMES))
    # Row names written by R and pandas stand in a first column without a name.
    if name is None and wanted is None and unnamed and names and names[0] == "":
        name = ""
    if name is None:
        return columns
    column = columns[names.index(name)]
    parts.ids, parts.id_name = column.cells, name
    what = f"column “{name}”" if name else "the first column, which has no name,"
    parts.note(f"{what} was taken as the samples' names.")
    return [c for c in columns if c is not column]


def _take_views(columns: list[_Column], parts: Parts, text: Text, has_header: bool) -> None:
    features: list[_Column] = []
    for column in columns:
        if column.n_text == 0 and column.n_numbers == 0:
            parts.note(f"column “{column.name}” is empty and was left out.")
        elif column.numeric:
            features.append(column)
        elif column.n_numbers > column.n_text:
            raise _stray_text(column, parts.path, text, has_header)
        else:
            parts.columns[column.name] = column.named_cells
            parts.note(f"column “{column.name}” holds text and is offered for colouring.")
    groups: dict[str, list[_Column]] = {}
    prefixed = has_header and any(_view_of(column) for column in features)
    for column in features:
        view = _view_of(column) if prefixed else parts.path.stem
        if view:
            groups.setdefault(view, []).append(column)
        else:
            parts.columns[column.name] = column.numbers
            parts.note(f"column “{column.name}” belongs to no view and is offered for colouring.")
    parts.views = {view: np.column_stack([c.numbers for c in group]) for view, group in groups.items()}
    for name in [name for name in parts.columns if _has_gaps(parts.columns[name])]:
        parts.columns[name] = tidy_labels(parts.columns[name])


def _has_gaps(values: Values) -> bool:
    return values.dtype.kind == "f" and bool(np.isnan(values).any())


def _view_of(column: _Column) -> str:
    view, colon, feature = column.name.partition(":")
    return view.strip() if colon and feature.strip() else ""


def _stray_text(column: _Column, path: Path, text: Text, has_header: bool) -> DataError:
    cells = column.cells
    texts = np.isnan(column.numbers) & ~np.isin(np.char.lower(cells), (*_MISSING, *_INFINITE))
    row = int(np.argmax(texts))
    line = text.numbers[row + int(has_header)]
    return DataError(
        f"Column “{column.name}” of “{path.name}” holds text where numbers belong: “{cells[row]}” on line {line}.",
        "Correct it, or leave the cell empty if the value is missing.",
    )
