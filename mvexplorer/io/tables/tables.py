"""CSV and TSV files: is there a header, which columns are numbers, which one is the label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.dates import texts_or_dates
from mvexplorer.engine.core.notices import (
    ASSUMED,
    NO_HEADER,
    NO_VIEW,
    OFFERED_COLUMN,
    POSSIBLE_IDS,
    SAMPLE_NAMES,
    Notice,
)
from mvexplorer.errors import DataError, MixedColumnError
from mvexplorer.io.base.converted import taken
from mvexplorer.io.base.coordinates import coordinates_name
from mvexplorer.io.base.parts import (
    ID_NAMES,
    LABEL_NAMES,
    UNLABELLED,
    Parts,
    Values,
    are_measurements,
    are_names,
    left_out,
    nearly_all_differ,
    pick_name,
    tidy_labels,
)
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.tables.grid import Grid, read_grid
from mvexplorer.io.tables.headers import colons_divide, counts_up
from mvexplorer.wording import counted


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of a table whose samples begin in row `start`, with its counts of text and of numbers."""

    name: str
    grid: Grid
    index: int
    start: int
    n_text: int
    n_numbers: int

    @property
    def numeric(self) -> bool:
        return self.n_text == 0

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The cells as numbers (M,), NaN where there is none."""
        return self.grid.numbers[self.start :, self.index]

    @property
    def cells(self) -> Values:
        return np.array(self.grid.column(self.index)[self.start :], dtype=str)

    def read(self) -> Values:
        """The cells as numbers, or else as text (M,)."""
        return self.numbers if self.numeric else self.cells

    @property
    def named_cells(self) -> Values:
        return np.array([cell or UNLABELLED for cell in self.grid.column(self.index)[self.start :]])


def read_table(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read a CSV or TSV file with samples in rows; see `interpret`."""
    return interpret(read_grid(path), asked)


def interpret(grid: Grid, asked: FileRequest | None = None) -> Parts:
    """Take a table, samples in rows, as one view, or as several where headers read `view:feature`.

    `asked` has the roles of columns, and learns of all of them. DataError for a header without rows, or text among the
    numbers of a column.
    """
    asked = asked or FileRequest(grid.path)
    parts = Parts(grid.path, counted=grid.counted and not grid.turned)
    for said in grid.notes:
        parts.notes.append(said if isinstance(said, Notice) else Notice(ASSUMED, said))
    header, assumed = grid.header
    if isinstance(assumed, Notice):
        parts.notes.append(assumed)
    elif assumed:
        parts.note(assumed, NO_HEADER if header is None else ASSUMED)
    parts.has_feature_names = header is not None and not counts_up(header[:-1])
    columns = _columns(grid, header, asked)
    for column in columns:
        asked.offer(column.name, column.read)
    columns = _take_told(columns, parts, asked)
    columns = _take_labels(columns, parts, asked)
    columns = _take_ids(columns, parts, asked, header)
    _take_views(columns, parts, asked, has_header=header is not None)
    return parts


def _take_told(columns: list[_Column], parts: Parts, asked: FileRequest) -> list[_Column]:
    """Drop ignored columns; keep colour columns."""
    ignored = asked.named("ignore")
    if ignored:
        parts.note(f"{left_out(ignored)}, as asked.")
    if not asked.roles:
        return columns
    for column in columns:
        if asked.role(column.name) == "colour":
            parts.columns[column.name] = _labels(column)
    return [column for column in columns if asked.role(column.name) not in ("ignore", "colour")]


def read_column(path: Path) -> Values:
    """Read the only column of a text file, one value per sample (M,); DataError where it has several."""
    return only_column(read_table(path))


def only_column(parts: Parts) -> Values:
    """Return the only column of a table beside the samples' names (M,); DataError where it has several."""
    columns = [v for v in (parts.labels, *parts.columns.values(), *parts.views.values()) if v is not None]
    if len(columns) != 1 or (columns[0].ndim == 2 and columns[0].shape[1] != 1):
        raise DataError(f"The file “{parts.path.name}” has several columns.", "Give a file with one value per row.")
    return columns[0].ravel() if columns[0].dtype.kind in "SUO" else tidy_labels(columns[0])


def _columns(grid: Grid, header: list[str] | None, asked: FileRequest) -> list[_Column]:
    start = 0 if header is None else 1
    if len(grid.numbers) == start:
        raise DataError(f"The file “{grid.path.name}” has a header but no rows.", "Give one row per sample.")
    numbers = grid.numbers[start:]
    n_text, n_numbers = (counts.tolist() for counts in grid.counts(start))
    names = header or [f"column {i + 1}" for i in range(numbers.shape[1])]
    if names[0] == "Unnamed: 0":  # pandas' name for a first column without one
        names = ["", *names[1:]]
    names = _told_apart(names)
    columns = [_Column(name, grid, i, start, n_text[i], n_numbers[i]) for i, name in enumerate(names)]
    inexact = 2.0**53  # whole numbers from here on, as floats; if all differ, they are names
    codes = set(np.flatnonzero(np.fmax.reduce(numbers, axis=0) >= inexact).tolist()) | _codes(grid, start)
    codes -= {i for i in codes if asked.role(columns[i].name) == "view"}
    return [_as_names(column) if i in codes else column for i, column in enumerate(columns)]


def _told_apart(names: list[str]) -> list[str]:
    """Number repeated names: x, x-2."""
    if len(set(names)) == len(names):
        return names
    taken, seen, distinct = set(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        new = name
        while name and seen[name] > 1 and new in taken:
            new = f"{name}-{seen[name]}"
            seen[name] += new in taken
        taken.add(new)
        distinct.append(new)
    return distinct


def _codes(grid: Grid, start: int) -> set[int]:
    """Find columns whose first rows are written as no number is: like 007, or like 1.10 beside shorter fractions."""
    few = 20
    look = grid.numbers[start : start + few]
    with np.errstate(invalid="ignore"):
        padded = bool((look % 1 == 0).all(axis=0).any())
        versions = not grid.headed and bool((look % 1 > 0).any())  # typed numbers have no zeros at their end
    head = [grid.row(index) for index in range(start, start + len(look))] if padded or versions else []
    return (_padded(head) if padded else set()) | (_versions(head) if versions else set())


def _padded(head: list[list[str]]) -> set[int]:
    return {i for row in head for i, cell in enumerate(row) if cell[:1] == "0" and len(cell) > 1 and cell.isdigit()}


def _versions(head: list[list[str]]) -> set[int]:
    columns = set()
    for i in {i for row in head for i, cell in enumerate(row) if cell[-1:] == "0" and "." in cell}:
        ends = [end for row in head if (end := row[i].partition(".")[2])]
        if len(set(map(len, ends))) > 1 and any(len(end) > 1 and end[-1] == "0" for end in ends):
            columns.add(i)
    return columns


def _as_names(column: _Column) -> _Column:
    """Return the column as text if its numbers differ only as text: of floats long ones are equal, 007 is 7."""
    cells = column.grid.column(column.index)[column.start :]
    if len(set(cells)) < len(cells):
        return column
    if not all(cell.isdigit() for cell in cells) and len(np.unique(column.numbers)) == len(cells):
        return column
    if column.n_text or column.n_numbers < len(cells):
        return column
    return _Column(column.name, column.grid, column.index, column.start, len(cells), 0)


def _take_labels(columns: list[_Column], parts: Parts, asked: FileRequest) -> list[_Column]:
    wanted = asked.labels
    # Beside a column x, a y of measurements is a coordinate, no label.
    plane = any(column.name in ("x", "X") for column in columns)
    free = [c for c in columns if asked.role(c.name) in (None, "label") and (c.name != asked.ids or c.name == wanted)]
    candidates = {c.name: c for c in free if c.name == wanted or c.name.lower() in LABEL_NAMES}
    if not candidates and wanted is None:
        candidates = {c.name: c for c in free if c.grid.label == c.name}
        wanted = next(iter(candidates), None)
    candidates = {n: c for n, c in candidates.items() if n == wanted or not (plane and _measures(c))}
    names = {n for n, c in candidates.items() if not c.numeric and are_names(c.named_cells)}
    chosen = wanted or pick_name([n for n, c in candidates.items() if n not in names and not _measures(c)], LABEL_NAMES)
    for name, column in candidates.items():
        if name in names - {chosen}:
            parts.columns[name] = _labels(column)
            parts.note(nearly_all_differ(name), POSSIBLE_IDS, (name,))
        elif name == chosen:
            parts.labels, parts.label_name = _labels(column), name
            parts.note(f"column “{name}” was taken as the label.", ASSUMED, (name,))
        else:
            parts.columns[name] = _labels(column)
            parts.note(f"column “{name}” is offered for colouring, not used as a feature.", OFFERED_COLUMN, (name,))
    return [column for column in columns if column.name not in candidates]


def _labels(column: _Column) -> Values:
    return tidy_labels(column.numbers) if column.numeric else column.named_cells


def _measures(column: _Column) -> bool:
    return column.numeric and are_measurements(column.numbers)


def _take_ids(columns: list[_Column], parts: Parts, asked: FileRequest, header: list[str] | None) -> list[_Column]:
    wanted = asked.ids
    free = [column for column in columns if asked.role(column.name) in (None, "id")]
    names = [column.name for column in free]
    name = wanted if wanted in names else (None if wanted else pick_name(names, ID_NAMES))
    # Row names written by R and pandas stand in a first column without a name.
    if name is None and wanted is None and header is not None and names and names[0] == columns[0].name == "":
        name = ""
    if name is None and wanted is None and free and _heads_turned_table(free[0]):
        name = names[0]
    if name is None and wanted is None and free and free[0].grid.index in names:
        name = free[0].grid.index
    if name is None:
        return columns
    column = free[names.index(name)]
    parts.ids, parts.id_name, parts.named.ids = column.cells, name, asked.role(name) == "id"
    parts.ids_in_header = _heads_turned_table(column)
    which = "its header" if parts.ids_in_header else _title(name)
    parts.note(f"{which} was taken as the samples' names.", SAMPLE_NAMES, (name,))
    others = [c for c in free if c is not column and wanted and (c.name.lower() in ID_NAMES or not c.name)]
    for other in others:
        parts.columns[other.name] = other.named_cells
        parts.note(f"{_title(other.name)} is offered for colouring, not used as a feature.")
    return [c for c in columns if c is not column and c not in others]


def _heads_turned_table(column: _Column) -> bool:
    """True if a column was the header of a table with samples in columns."""
    if not column.grid.turned or column.index > 0 or column.n_numbers:
        return False
    cells = column.cells
    return len(np.unique(cells)) == len(cells)


def _title(name: str) -> str:
    return f"column “{name}”" if name else "the first column, which has no name,"


def _features(columns: list[_Column], parts: Parts, asked: FileRequest) -> list[_Column]:
    """List the columns of numbers; offer text columns for colouring."""
    features: list[_Column] = []
    for column in columns:
        if column.n_text == 0 and column.n_numbers == 0:
            parts.note(f"column “{column.name}” is empty and was left out.")
        elif column.numeric:
            features.append(column)
        elif _has_stray_text(column, asked):
            raise _stray_text([each for each in columns if _has_stray_text(each, asked)])
        else:
            parts.columns[column.name] = column.named_cells
            holds = texts_or_dates(column.named_cells)
            text = f"column “{column.name}” holds {holds} and is offered for colouring."
            parts.note(text, OFFERED_COLUMN, (column.name,))
    return features


def _take_views(columns: list[_Column], parts: Parts, asked: FileRequest, *, has_header: bool) -> None:
    features, stem, roles = _features(columns, parts, asked), parts.path.stem, asked.roles
    groups: dict[str, list[_Column]] = {}
    prefixed = has_header and colons_divide([column.name for column in features])
    drawn = coordinates_name(asked.named("coordinates"), f"{stem}-coordinates")
    for column in features:
        view = _view_of(column) if prefixed else stem
        role = roles.get(column.name)
        view = view or (stem if role == "view" else "")
        view = drawn if role == "coordinates" else view
        if view:
            groups.setdefault(view, []).append(column)
        else:
            parts.columns[column.name] = column.numbers
            text = f"column “{column.name}” belongs to no view and is offered for colouring."
            parts.note(text, OFFERED_COLUMN, (column.name,))
    if prefixed:
        _tell_without_view(features, parts, asked)
    for view, group in groups.items():
        first, last = group[0], group[-1]
        together = last.index - first.index == len(group) - 1  # large tables are not copied
        chosen = slice(first.index, last.index + 1) if together else [c.index for c in group]
        parts.views[view] = taken(first.grid.numbers[first.start :], (slice(None), chosen))
        parts.features[view] = tuple(_feature_of(c) if prefixed else c.name for c in group)
    for name in [name for name in parts.columns if _has_gaps(parts.columns[name])]:
        parts.columns[name] = tidy_labels(parts.columns[name])


def _tell_without_view(features: list[_Column], parts: Parts, asked: FileRequest) -> None:
    apart = tuple(c.name for c in features if c.name in parts.columns and asked.role(c.name) is None)
    if apart:
        text = "colons in the names of the other columns end those of views; the columns without could be a view too."
        parts.note(text, NO_VIEW, apart)


def _has_gaps(values: Values) -> bool:
    return values.dtype.kind == "f" and bool(np.isnan(values).any())


def _view_of(column: _Column) -> str:
    view, colon, feature = column.name.partition(":")
    return view.strip() if colon and feature.strip() else ""


def _feature_of(column: _Column) -> str:
    return column.name.partition(":")[2].strip() if _view_of(column) else column.name


def _has_stray_text(column: _Column, asked: FileRequest) -> bool:
    """Whether a column that is to be a feature holds text."""
    is_feature = column.n_numbers > column.n_text or asked.role(column.name) == "view"
    return is_feature and not column.numeric and column.n_text > 0


def _stray_text(columns: Sequence[_Column]) -> MixedColumnError:
    """The error that shows the first text, and tells how many columns hold others."""
    column, grid = columns[0], columns[0].grid
    row = column.start + int(np.argmax(grid.texts_of(column.index)[column.start :]))
    cell, place = grid.column(column.index)[row], grid.place(row, column.index)
    others = len(columns) - 1
    more = f" So {'do' if others > 1 else 'does'} {counted(others, 'more column')}." if others else ""
    it, them = ("them", "them") if others else ("it", "the column")
    return MixedColumnError(
        f"Column “{column.name}” of “{grid.path.name}” holds text where numbers belong: “{cell}” {place}.{more}",
        f"Correct {it}, leave the cell empty if the value is missing, or give {them} the role “colour” or “ignore”.",
        [each.name for each in columns],
    )
