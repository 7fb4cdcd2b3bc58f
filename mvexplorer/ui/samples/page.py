"""The table of all samples, in the panels' place: sorted, filtered, and linked with every picture."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from mvexplorer.state.document.selection import Operation
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.samples.columns import IDS, WEIGHTS
from mvexplorer.state.samples.query import Condition, Rows
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.ui.samples.filters import SampleFilters
from mvexplorer.ui.samples.rows import SamplesView
from mvexplorer.ui.samples.two_rows import TwoRows
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, Name
from mvexplorer.wording import counted


class SamplesPage(QWidget):
    """Filters and order are how one looks at it: only the selection is an edit of the document."""

    left = Signal()
    """The panels are wanted back."""
    ringed = Signal(int)
    """A sample whose card is wanted."""

    def __init__(self, table: TableOfSamples, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setAccessibleName("Table of samples")
        self._table, self._editor = table, editor
        self._picking = False
        column = spaced(QVBoxLayout(self), 12, 8, 12, 8, spacing=6)
        self._make_head(column)
        self.filters = SampleFilters(table.search)
        self.filters.seeking.insertWidget(1, self.coordinates)
        self.filters.chosen.connect(self._choose)
        self.filters.wanted.connect(self._add)
        self.filters.dropped.connect(table.drop)
        self.filters.sought.connect(table.find)
        column.addWidget(self.filters)
        self.view = SamplesView(table)
        self.view.picked.connect(self._pick)
        self.view.acted.connect(self._ring)
        self.view.copy_wanted.connect(self.copy)
        self.view.sort_wanted.connect(lambda place: self._sort_by_head(place))
        self.view.keyed.connect(self._key)
        column.addWidget(self.view, 1)
        table.changed.connect(self.show_rows)
        table.marked.connect(self._show_marks)

    def _make_head(self, column: QVBoxLayout) -> None:
        self._words, buttons = QWidget(), QWidget()
        self._head = TwoRows(self._words, buttons)
        column.addWidget(self._head)
        self.count, self.note = Label("", "section"), Name(role="muted")
        self.take = QPushButton("Select shown")
        self.take.setToolTip("Select all rows that are shown (Ctrl+A in the table)")
        self.take.clicked.connect(lambda: self._pick(self._table.rows, "replace"))
        self.only, self.all = QPushButton("Only selected"), QPushButton("Show all")
        self.coordinates = QPushButton("Coordinates")
        self.copying, self.back = QPushButton("Copy ▾"), QPushButton("Panels")
        self.only.setCheckable(True)
        self.only.setToolTip("Show the selected samples alone; what is selected elsewhere comes and goes")
        self.only.clicked.connect(lambda on: self._table.limit(selected=on))
        self.coordinates.setCheckable(True)
        self.coordinates.setToolTip("Show the coordinates of all panels as columns, too")
        self.coordinates.clicked.connect(lambda on: self._table.show_coordinates(shown=on))
        self.all.setToolTip("Take all filters away")
        self.all.clicked.connect(self._table.show_all)
        self.copying.setToolTip("Copy rows for a spreadsheet (Ctrl+C: the selected ones, else all that are shown)")
        self.copying.clicked.connect(self._offer_copies)
        keyed_tip(self.back, "Back to the panels", "Table of samples")
        self.back.clicked.connect(self.left)
        row = spaced(QHBoxLayout(self._words), 0, 0, 0, 0, spacing=6)
        row.addWidget(self.count)
        row.addWidget(self.note, 1)
        row = spaced(QHBoxLayout(buttons), 0, 0, 0, 0, spacing=6)
        for button in (self.take, self.all, self.only, self.copying, self.back):
            row.addWidget(button)
        row.addStretch(1)

    def apply_theme(self) -> None:
        """Give rows the size of the type."""
        self.view.fit_type()

    # What is shown ------------------------------------------------------------------------------------------

    def show_rows(self) -> None:
        """Show the rows and columns of the table."""
        self.view.show_table(self._table)
        self.filters.show_table(self._table)
        self._show_words()

    def _show_marks(self) -> None:
        self.view.show_marks(look=not self._picking)
        self._show_words()

    def _show_words(self) -> None:
        table = self._table
        shown, total = len(table.rows), len(table.selected)
        some = shown < total
        self._keep_room(total)
        self.count.setText(f"{shown:,} of {counted(total, 'sample')}" if some else counted(total, "sample"))
        self.all.setEnabled(some or bool(table.filters))
        self.only.setChecked(table.query.only_selected)
        self.coordinates.setChecked(table.query.coordinates)
        self.coordinates.setEnabled(any(column.is_coordinate for column in table.by_source.values()))
        n_selected = int(table.selected.sum())
        beside = n_selected - int(table.selected[table.rows].sum())
        words = f"{n_selected:,} selected" + (f", {beside:,} hidden" if beside else "")
        self.note.set_words(words if n_selected else _hint(shown))

    def _keep_room(self, total: int) -> None:
        """Keep room for the longest words, so that buttons stay where they are while one selects."""
        longest = f"{total:,} selected, {total:,} hidden", _hint(total)
        title, words = self.count.fontMetrics(), self.note.fontMetrics()
        wide = title.horizontalAdvance(f"{total:,} of {counted(total, 'sample')}")
        self._words.setMinimumWidth(wide + max(map(words.horizontalAdvance, longest)) + theme.px(16))

    # What the hand does -------------------------------------------------------------------------------------

    def _pick(self, samples: Rows, how: Operation) -> None:
        if self._table.query.only_selected and how == "replace" and len(samples) == 1:
            self.ringed.emit(int(samples[0]))  # to select it alone would take all other rows away
            return
        words = self._table.filters
        self._picking = True  # no other row comes under the pointer
        try:
            self._editor.select(samples, how, f"table: {words}" if words else "rows of the table")
        finally:
            self._picking = False

    def _add(self, condition: Condition) -> None:
        if self._editor.attempt(lambda: self._table.add(condition)):
            self.view.setFocus()

    def _choose(self, source: str) -> None:
        """Bring a column that a filter is to be on into sight."""
        self._table.show_column(source)
        place = next((k for k, column in enumerate(self._table.columns) if column.source == source), -1)
        self.view.show_column(place)

    def _ring(self, index: QModelIndex) -> None:
        self.ringed.emit(self.view.rows_model.sample(index.row()))

    def _sort(self, place: int) -> None:
        self._table.sort(self._table.columns[place].source)

    def _sort_by_head(self, place: int) -> None:
        """Sort, and show what comes first; with samples selected, these stay in sight."""
        self._sort(place)
        if not self._table.selected.any():
            self.view.show_first(place)

    def _key(self, letter: str) -> None:
        index = self.view.currentIndex()
        if not index.isValid():
            return
        column = self._table.columns[index.column()]
        if letter == "S":
            self._sort(index.column())
        elif letter == "F":
            [value] = column.written(self.view.rows_model.samples(index.row(), index.row()))
            self.filters.begin(column.source, str(value))
        elif column.source != IDS and column.group != WEIGHTS:
            self._editor.colour_by(column.source)

    def _offer_copies(self) -> None:
        menu = self.copy_menu()
        menu.popup(self.copying.mapToGlobal(self.copying.rect().bottomLeft()))

    def copy_menu(self) -> QMenu:
        """A menu of the rows that can be copied, with their counts."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for of_selected in (True, False):
            rows = self._table.selected_rows if of_selected else self._table.rows
            action = menu.addAction(f"Copy {_rows_in_words(rows, of_selected)}")
            action.setEnabled(bool(len(rows)))
            action.triggered.connect(partial(self._copy_rows, of_selected))
        return menu

    def copy(self) -> None:
        """Put the selected rows, or without any all that are shown, on the clipboard."""
        self._copy_rows(bool(len(self._table.selected_rows)))

    def _copy_rows(self, of_selected: bool, _: bool = False) -> None:
        rows = self._table.selected_rows if of_selected else self._table.rows
        QApplication.clipboard().setText(self._table.tsv(rows))
        self.note.set_words(f"Copied {_rows_in_words(rows, of_selected)}.")


def _rows_in_words(rows: Rows, of_selected: bool) -> str:
    return counted(len(rows), "selected row" if of_selected else "shown row")


def _hint(shown: int) -> str:
    return "Click a row to select it, its head to sort." if shown else "No sample meets all filters."
