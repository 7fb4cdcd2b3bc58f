"""Finds whether a table's rows or columns are the samples, from other files, labels or header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.engine.core.notices import POSSIBLY_TURNED, Notice
from mvexplorer.errors import DataError, Offer, RowsError
from mvexplorer.io.base.guards import MAX_COLUMNS
from mvexplorer.io.base.parts import ID_NAMES, Parts, pick_name
from mvexplorer.io.joining.ids import canonical_names, is_id_name
from mvexplorer.io.tables.grid import Grid

Content = Grid | Parts
_NUMBERED = re.compile(r"(\D*)(\d+)")


@dataclass(eq=False)
class _Table:
    """One table of a file, with its possible numbers of samples as stored, and if turned (0: it cannot be)."""

    content: Content
    view: str | None
    counts: frozenset[int]
    turned_count: int

    @property
    def path(self) -> Path:
        return self.content.path

    @property
    def name(self) -> str:
        """The file's name, with the view's if the file has several."""
        several = isinstance(self.content, Parts) and len(self.content.views) > 1
        return f"{self.path.name}:{self.view}" if several else self.path.name

    def is_called(self, name: str) -> bool:
        own = {str(self.path), self.path.name, self.path.stem, self.name, f"{self.path.stem}.{self.view}"}
        return name in own or name == self.view

    def options(self) -> frozenset[int]:
        return self.counts | ({self.turned_count} if self.turned_count else frozenset())


def orient(
    contents: Sequence[Content], transpose: bool | tuple[str, ...] | None, n_labels: int | None = None
) -> tuple[list[Content], list[Notice]]:
    """Put the samples of all tables into rows, in place in `Parts`; tell which were turned, or may need to be.

    `transpose` turns all tables, none, or those of these files or views; None lets the files and the number of labels
    decide. RowsError where two ways of turning tables fit equally well.
    """
    oriented = list(contents)
    tables = [table for content in oriented for table in _tables(content)]
    if transpose is None:
        chosen = _by_header(tables)
        for table in tables:
            if table not in chosen and (_shares_names(table, tables) or _is_part(table, tables)):
                table.turned_count = 0
        chosen += _by_count([t for t in tables if t not in chosen], chosen, n_labels)
        why = "as the other files, the labels or the header say"
    else:
        chosen, why = _asked_for(tables, transpose), "as asked"
    for table in chosen:
        if isinstance(table.content, Grid):
            oriented[oriented.index(table.content)] = table.content.turn()
        elif table.view is not None:
            table.content.views[table.view] = table.content.views[table.view].T
    notices = []
    if chosen:
        names = tuple(t.name for t in chosen)
        notices.append(Notice("turned", f"{', '.join(names)}: columns were taken as the samples, {why}.", names))
    doubtful = [] if transpose is not None else [t for t in tables if t not in chosen and _looks_turned(t)]
    if doubtful and not chosen:
        notices.append(_possibly_turned(doubtful))
    return oriented, notices


def _tables(content: Content) -> list[_Table]:
    if isinstance(content, Grid):
        if len(content.numbers) > MAX_COLUMNS:
            return [_Table(content, None, _n_samples(content), 0)]  # turned, it would have too many columns
        turned = content.turn()
        return [_Table(content, None, _n_samples(content), max(_n_samples(turned)) if _is_plain(turned) else 0)]
    fixed = content.labels is not None
    return [
        _Table(content, view, frozenset({len(X)}), 0 if fixed or X.shape[1] < MIN_SAMPLES else X.shape[1])
        for view, X in content.views.items()
    ]


def _n_samples(grid: Grid) -> frozenset[int]:
    """Numbers of samples if rows are samples: two for text alone, with or without a header."""
    header, _ = grid.header
    count = len(grid.numbers) - (header is not None)
    wordy = header is None and bool(np.isnan(grid.numbers).all())
    return frozenset({count, count - 1} if wordy else {count})


def _is_plain(grid: Grid) -> bool:
    """True if a table could be read: enough samples, and no column that mixes numbers and text."""
    start = grid.header[0] is not None
    if len(grid.numbers) - start < MIN_SAMPLES:
        return False
    n_text, n_numbers = grid.counts(start)
    return bool(n_numbers.any() and not (n_text.astype(bool) & n_numbers.astype(bool)).any())


def _by_header(tables: Sequence[_Table]) -> list[_Table]:
    """List the tables whose first row holds sample names that are a column of another file."""
    grids = [(t, t.content) for t in tables if isinstance(t.content, Grid)]
    turned = []
    for table, grid in grids:
        heads = frozenset(canonical_names(grid.row(0)[1:]))
        others = (other for _, other in grids if other is not grid)
        if table.turned_count and len(heads) >= MIN_SAMPLES and any(_names(other, heads) for other in others):
            turned.append(table)
    return turned


def _shares_names(table: _Table, tables: Sequence[_Table]) -> bool:
    """True if a column of text, or called id, holds names that another table's column holds as well."""
    grid = table.content
    if not isinstance(grid, Grid):
        return False
    others = [t.content for t in tables if isinstance(t.content, Grid) and t is not table]
    if not others:
        return False
    few = 5  # columns of text are compared
    likely = np.flatnonzero(grid.counts(1)[0] == len(grid.numbers) - 1)[:few].tolist()
    head = grid.row(0)
    likely += [index for index, name in enumerate(head) if is_id_name(name) or (index == 0 and not name)]
    columns = (frozenset(canonical_names(grid.column(index)[1:])) for index in likely)
    return any(len(names) >= MIN_SAMPLES and any(_names(t, names, some=True) for t in others) for names in columns)


def _is_part(table: _Table, tables: Sequence[_Table]) -> bool:
    """True if another table has the same header of features and other rows, as training and test samples have."""
    grid = table.content
    if not isinstance(grid, Grid):
        return False
    others = [t.content for t in tables if isinstance(t.content, Grid) and not t.counts & table.counts]
    if not others:
        return False
    head, first = grid.row(0), grid.column(0)[1:]
    of_samples = pick_name([head[0]], ID_NAMES) is not None or (head[0].isalpha() and is_id_name(head[0]))
    named = len(set(first)) == len(first) and bool(grid.texts_of(0)[1:].all()) and not of_samples
    if named or _are_samples(head) or _are_samples(head[1:]) or grid.header[0] is None:
        return False
    return any(other.row(0) == head for other in others)


def _names(grid: Grid, wanted: frozenset[str], *, some: bool = False) -> bool:
    """True if a column of different texts or whole numbers shares at least half of them with `wanted`.

    Half of the fewer names are enough where files may lack `some` samples.
    """
    numbers = grid.numbers[1:]
    n_rows = len(numbers)
    if not some and not len(wanted) <= 2 * n_rows <= 4 * len(wanted):
        return False
    look = 50  # rows read first, to skip columns that cannot be names
    head = np.sort(numbers[:look], axis=0)
    with np.errstate(invalid="ignore"):
        likely = ~np.any((np.diff(head, axis=0) == 0) | (head[:-1] % 1 > 0), axis=0)
    for index in np.flatnonzero(likely).tolist():
        cells = frozenset(canonical_names(grid.column(index)[1:]))
        enough = min(n_rows, len(wanted)) if some else max(n_rows, len(wanted))
        if len(cells) == n_rows and 2 * len(cells & wanted) >= enough:
            return True
    return False


def _by_count(tables: Sequence[_Table], turned: Sequence[_Table], n_labels: int | None) -> list[_Table]:
    """List the tables to turn so that all have the same number of samples."""
    counts = [frozenset({t.turned_count}) for t in turned]
    if n_labels is not None:
        chosen = _fitting(tables, [*counts, frozenset({n_labels, n_labels - 1})])
        if chosen is not None:
            return chosen
    chosen = _fitting(tables, counts) or []
    return [] if _heads_differ([*turned, *chosen]) else chosen


def _heads_differ(tables: Sequence[_Table]) -> bool:
    """True if tables to turn have headers of words that hardly share any: these are features, not samples."""
    heads = [frozenset(grid.row(0)[1:]) for t in tables if isinstance(grid := t.content, Grid) and grid.header[0]]
    return any(2 * len(a & b) < min(len(a), len(b)) for a in heads for b in heads)


def _fitting(tables: Sequence[_Table], counts: Sequence[frozenset[int]]) -> list[_Table] | None:
    """List the tables to turn; None where no number of samples fits all."""
    if not tables or frozenset.intersection(*(t.counts for t in tables), *counts):
        return []
    common = sorted(frozenset.intersection(*(t.options() for t in tables), *counts))
    ways = [[t for t in tables if count not in t.counts] for count in common]
    oblong = [t for t in tables if t.turned_count not in t.counts]
    if len(oblong) + len(counts) < 2:
        return None  # a square table agrees with any other
    if len(ways) > 1:
        raise _undecided(ways, common)
    return ways[0] if ways else None


def _undecided(ways: Sequence[Sequence[_Table]], counts: Sequence[int]) -> RowsError:
    offers = [
        Offer(f"Turn {', '.join(t.name for t in way)} for {count} samples", {"transpose": tuple(t.name for t in way)})
        for way, count in zip(ways, counts, strict=True)
    ]
    return RowsError("Nothing decides which of the files has its samples in columns.", offers)


def _asked_for(tables: Sequence[_Table], transpose: bool | tuple[str, ...]) -> list[_Table]:
    if isinstance(transpose, bool):
        return [t for t in tables if transpose and not _is_settled(t)]
    for name in transpose:
        if not any(t.is_called(name) for t in tables):
            there = ", ".join(t.name for t in tables) or "none"
            raise DataError(f"There is no table called “{name}” to turn.", f"The tables are {there}.")
    return [t for t in tables if any(t.is_called(name) for name in transpose)]


def _is_settled(table: _Table) -> bool:
    """True if labels in the same file have decided how a view is turned, or it is a vector, which has one side."""
    if isinstance(table.content, Grid) or table.view is None:
        return False
    return table.content.labels is not None or table.content.views[table.view].shape[1] == 1


def _looks_turned(table: _Table) -> bool:
    """True if columns look like samples: many, with feature names in the first, or headed P01, P02 ..."""
    grid, wide = table.content, 5
    if not isinstance(grid, Grid) or table.turned_count < wide * max(table.counts):
        return False
    names, corner = grid.column(0)[1:], grid.row(0)[0]
    named = len(set(names)) == len(names) and bool(grid.texts_of(0)[1:].all())
    return (named and pick_name([corner], ID_NAMES) is None) or _are_samples(grid.row(0)[1:])


def _are_samples(cells: Sequence[str]) -> bool:
    """True if cells read P01, P02, ...: samples are numbered so, features hardly ever."""
    usual = {"s", "sample", "p", "pat", "patient", "subj", "subject", "sub", "case", "donor", "id", "gsm", "cell"}
    stems = set()
    for cell in cells:
        match = _NUMBERED.fullmatch(cell)
        stems.add(match[1].casefold().strip("-_ .") if match else "")
        if len(stems) > 1 or not stems <= usual:
            return False
    return bool(stems)


def _possibly_turned(tables: Sequence[_Table]) -> Notice:
    names = tuple(t.name for t in tables)
    shapes = ", ".join(f"{t.name} has {max(t.counts):,} rows and {t.turned_count:,} columns" for t in tables)
    return Notice(POSSIBLY_TURNED, f"Rows were taken as samples, though {shapes}: are the samples in columns?", names)
