"""The table of samples: which are shown and in which order, and what of it is copied. It follows the document."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from psygnal import Signal

from mvexplorer.errors import ParameterError
from mvexplorer.formulas import escaped
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selection import rows_of
from mvexplorer.state.pictures.answers import same
from mvexplorer.state.pictures.colouring import SourceGroup, feature_groups
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.samples.columns import FEW_FEATURES, SampleColumn, sample_columns_of, score_column
from mvexplorer.state.samples.query import Condition, Mask, Rows, TableQuery, column_order, matching
from mvexplorer.wording import line, one_line

SIGNS = {"contains": " contains ", "missing": " is missing"}


class TableOfSamples:
    """Filters and order are how the table is looked at: no edits of the document, and not in sessions."""

    changed = Signal()
    """Other rows or columns are shown."""
    marked = Signal()
    """Other samples are selected."""

    def __init__(self, document: Document, controller: Controller, derived: Derived) -> None:
        self._document, self._controller, self._derived = document, controller, derived
        self.columns: tuple[SampleColumn, ...] = ()
        """Those shown; `by_source` has the coordinates that are not, too."""
        self.by_source: Mapping[str, SampleColumn] = {}
        self.query = TableQuery()
        self.rows: Rows = np.empty(0, dtype=np.intp)
        """The samples shown, from top to bottom."""
        self.selected: Mask = np.zeros(0, dtype=bool)
        """Which samples (M,) are selected in the document."""
        self._data: object = None
        self._ordered: tuple[SampleColumn | None, bool, Rows] = (None, False, self.rows)
        self._selection: tuple[int, ...] = ()

    def refresh(self) -> None:
        """Follow the document and the panels' results."""
        data, state = self._document.data, self._document.state
        if data is not self._data:
            self._data, self.query, self.columns = data, TableQuery(), ()
        columns = () if data is None else self._columns_now(state)
        if not self.columns or columns != tuple(self.by_source.values()):
            self.by_source = {column.source: column for column in columns}
            self._mark(state)
            self._show(self.query)
        elif state.selection is not self._selection:
            self.follow_selection()

    def forget(self) -> None:
        """Let go of data that has left the document."""
        self._data, self.query = None, TableQuery()
        self.columns, self.by_source, self._ordered = (), {}, (None, False, self.rows[:0])
        self.rows, self.selected, self._selection = self.rows[:0], self.selected[:0], ()
        self.changed.emit()

    def follow_selection(self) -> None:
        """Follow the document's selection; that of other data comes with its columns."""
        if self._data is not self._document.data:
            return
        self._mark(self._document.state)
        if self.query.only_selected:
            self._show(self.query)
        self.marked.emit()

    def _columns_now(self, state: DocumentState) -> tuple[SampleColumn, ...]:
        """The columns, those of the same numbers as before with what is known of them."""
        data = self._document.data
        assert data is not None
        at_hand = self._derived.made_at_hand()
        scores = [score_column(each.source, each.title, each.basis, each.make) for each in at_hand]
        fresh = sample_columns_of(state, data, self._controller.results, scores, self.query.features)
        return tuple(self._kept(column) for column in fresh)

    def _kept(self, column: SampleColumn) -> SampleColumn:
        former = self.by_source.get(column.source)
        is_same = former is not None and former.title == column.title and same(former.basis, column.basis)
        return former if is_same and former is not None else column

    def _mark(self, state: DocumentState) -> None:
        n_samples = 0 if self._document.data is None else self._document.data.n_samples
        self._selection = state.selection
        self.selected = np.zeros(n_samples, dtype=bool)
        rows = rows_of(state.selection)
        self.selected[rows[rows < n_samples]] = True

    # Looking at it ------------------------------------------------------------------------------------------

    def sort(self, source: str) -> None:
        """Sort by a column; again the other way; a third time as in the file."""
        query = self.query
        if query.sort != source:
            self._show(replace(query, sort=source, descending=False))
        elif not query.descending:
            self._show(replace(query, descending=True))
        else:
            self._show(replace(query, sort="", descending=False))

    def add(self, condition: Condition) -> None:
        """Show only what meets this condition, too. ParameterError where it does not fit its column."""
        if condition.how != "missing" and not condition.text.strip():
            raise ParameterError("There is nothing to compare with.", "Type a value, or choose “missing”.")
        if condition not in self.query.conditions:
            self._show(replace(self.query, conditions=(*self.query.conditions, condition)))

    def drop(self, condition: Condition) -> None:
        """Take a condition away."""
        left = tuple(each for each in self.query.conditions if each != condition)
        self._show(replace(self.query, conditions=left))

    def find(self, ids: str) -> None:
        """Show only samples whose names hold this text."""
        self._show(replace(self.query, ids=ids))

    def limit(self, *, selected: bool) -> None:
        """Show the selected samples alone, or all again."""
        self._show(replace(self.query, only_selected=selected))

    def show_all(self) -> None:
        """Take all conditions away; the order stays."""
        self._show(replace(self.query, conditions=(), ids="", only_selected=False))

    def show_coordinates(self, *, shown: bool) -> None:
        """Make the panels' coordinates columns, or hide them; none that is hidden gives the order."""
        column = self.by_source.get(self.query.sort)
        hides = not shown and column is not None and column.is_coordinate
        self._show(replace(self.query, coordinates=shown, sort="" if hides else self.query.sort))

    def show_column(self, source: str) -> None:
        """Make one that a search found a column."""
        if source not in self.by_source:
            self.query = replace(self.query, features=(*self.query.features, source))
            self.refresh()
        elif self.by_source[source].is_coordinate and not self.query.coordinates:
            self.show_coordinates(shown=True)

    def search(self, text: str) -> tuple[SourceGroup, ...]:
        """All columns that a filter can be on whose titles hold the words of a text, in their groups."""
        data, words = self._document.data, text.casefold().split()
        wide = data is not None and sum(X.shape[1] for X in data.Xs) > FEW_FEATURES
        groups: dict[str, dict[str, str]] = {}
        for column in self.by_source.values():
            listed = wide and column.source.startswith("feature:")  # with all others, below
            if not listed and all(word in column.title.casefold() for word in words):
                groups.setdefault(column.group, {})[column.source] = column.title
        own = tuple(SourceGroup(title, sources) for title, sources in groups.items())
        return (*own, *feature_groups(data, text)) if data is not None and wide else own

    def _show(self, query: TableQuery) -> None:
        self.columns = tuple(each for each in self.by_source.values() if query.coordinates or not each.is_coordinate)
        mask = matching(self.by_source, query, len(self.selected))
        if query.only_selected:
            mask &= self.selected
        order = self._order(query)
        self.rows = np.flatnonzero(mask) if order is None else order if mask.all() else order[mask[order]]
        self.query = query
        self.changed.emit()

    def _order(self, query: TableQuery) -> Rows | None:
        """All samples in the order of a query, found once for the filters that come after it; None as in the file."""
        column = self.by_source.get(query.sort)
        if column is None:
            return None
        if (column, query.descending) != self._ordered[:2]:
            self._ordered = column, query.descending, column_order(column, descending=query.descending)
        return self._ordered[2]

    @property
    def filters(self) -> str:
        """The conditions in words; empty without any."""
        query = self.query
        words = [self.words(condition) for condition in query.conditions if condition.source in self.by_source]
        words += [f"id contains {one_line(query.ids.strip())}"] if query.ids.strip() else []
        return ", ".join(words)

    def words(self, condition: Condition) -> str:
        """A condition in words."""
        column = self.by_source.get(condition.source)
        title = line(condition.source if column is None else column.title, 60)
        return f"{title}{SIGNS.get(condition.how, f' {condition.how} ')}{line(condition.text.strip(), 60)}"

    # Copying ------------------------------------------------------------------------------------------------

    @property
    def selected_rows(self) -> Rows:
        """The selected samples that are shown, from top to bottom."""
        return self.rows[self.selected[self.rows]]

    def tsv(self, rows: Rows) -> str:
        """Rows as text with a tab between cells.

        It is meant for spreadsheets: what they would calculate has an apostrophe before it, as with --csv-safe.
        """
        import polars as pl

        cells = [pl.Series(str(k), _plain(column, rows), strict=False) for k, column in enumerate(self.columns)]
        file = io.StringIO()
        file.write("\t".join(_cell(column.title) for column in self.columns) + "\n")
        pl.DataFrame(cells).write_csv(file, include_header=False, separator="\t", quote_style="never")
        return file.getvalue()


def _plain(column: SampleColumn, rows: Rows) -> Sequence[object]:
    """The values of rows with all digits; texts in one cell each, and none that is a formula."""
    values = column.written(rows)
    return values if column.kind == "number" and "" not in values else [_cell(value) for value in values]


def _cell(value: object) -> str:
    return str(escaped(" ".join(value.split()))) if isinstance(value, str) else str(value)
