"""The rows of the table of samples: a model over columns, and a view whose selected rows are the document's selection.

However many samples and columns there are, only cells in sight are asked for: Qt's own selection is not used, as it
would hold a range for every stretch of selected rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from mvexplorer.state.document.selection import Operation
from mvexplorer.state.samples.columns import WEIGHTS, SampleColumn
from mvexplorer.state.samples.query import Rows
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.ui.samples.cut_texts import CutTexts, cut_title
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.text_table import LEFT, RIGHT, Index, TellingHead, TextModel, TextTable

WIDTHS = {"number": 96, "date": 104, "text": 120}
"""Least pixels of a column by its kind, at the usual type; one with a long title is wider."""
WIDEST = 220
MARGIN = 8


class SampleRowsModel(TextModel):
    """A row for each sample that is shown, in its order."""

    of_names = frozenset()  # a name is told from those in sight; from a million others it would take too long

    def __init__(self, table: TableOfSamples) -> None:
        super().__init__()
        self._table = table
        self._columns = table.columns
        self._rows = table.rows
        self.pending: tuple[int, int] | None = None
        """The first and the last row of a stretch that the hand is choosing."""

    def n_rows(self) -> int:
        return len(self._rows)

    def cell(self, row: int, column: int) -> str:
        return self.texts(row, row, column)[0]

    def texts(self, first: int, last: int, column: int) -> list[str]:
        """The texts of a column from one row to another."""
        return self._columns[column].told(self._rows[first : last + 1])

    def about(self, row: int, column: int) -> str:
        shown, text = self._columns[column], self.cell(row, column)
        if not text or shown.dates is None or not shown.dates.unsure:
            return text or "missing"
        order = "Day and month could change places; they are read day first. Reading the files asks for the order."
        return f"{shown.values[self.sample(row)]}: {text}. {order}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        answer = super().data(index, role)
        if role == Qt.ItemDataRole.AccessibleTextRole and answer and self.is_selected(index.row()):
            return f"{answer}, selected"
        return answer

    def sample(self, row: int) -> int:
        """The sample in a row."""
        return int(self._rows[row])

    def samples(self, first: int, last: int) -> Rows:
        """The samples from one row to another."""
        return self._rows[first : last + 1]

    def widest_id(self, letters: QFontMetrics) -> int:
        """The width in pixels of the longest id with its margins."""
        ids = self._columns[0].names
        first = 100  # and the one of most letters: to measure all would take too long
        some = {*ids[:first], max(ids, key=len, default="")}
        return 2 * MARGIN + max((letters.horizontalAdvance(line(each, 4 * LINE)) for each in some), default=0)

    def first_selected(self) -> int:
        """The first selected row; -1 where none is shown."""
        places = np.flatnonzero(self._table.selected[self._rows])
        return int(places[0]) if len(places) else -1

    def is_selected(self, row: int) -> bool:
        """Whether a row is selected, or is being chosen."""
        if self.pending is not None:
            return self.pending[0] <= row <= self.pending[1]
        return bool(self._table.selected[self._rows[row]])

    def show_table(self) -> None:
        """Show the rows and columns that the table has now."""
        self.beginResetModel()
        self._columns, self._rows, self.pending = self._table.columns, self._table.rows, None
        self.heads = [column.title for column in self._columns]
        self.meanings = [f"{column.title}. {column.group}".removesuffix(". ") for column in self._columns]
        self.right = frozenset(k for k, column in enumerate(self._columns) if _is_number(column))
        self.endResetModel()


def _is_number(column: SampleColumn) -> bool:
    """Whether a column is of numbers, without a look at each: texts are read when they are in sight."""
    first = column.basis[0]
    return column.group == WEIGHTS or (isinstance(first, np.ndarray) and first.dtype.kind in "biuf")


class SampleHead(TellingHead):
    """Cuts the titles of columns to what tells them apart: many begin, or end, alike."""

    def __init__(self, table: TextTable) -> None:
        super().__init__(table)
        self.columns: Sequence[SampleColumn] = ()

    def cut(self, section: int, room: float, width: Callable[[str], float]) -> str:
        return cut_title(self.columns, section, room, width)


class SamplesView(TextTable):
    """A click or a drag selects rows, Ctrl adds or takes away, Shift extends; the same by keys."""

    picked = Signal(object, str)
    """Samples (n,) to select, and how they are combined with those that are."""
    copy_wanted = Signal()
    sort_wanted = Signal(int)

    def __init__(self, table: TableOfSamples) -> None:
        self.rows_model = SampleRowsModel(table)
        self._anchor = -1
        self._how: Operation = "replace"
        self._fitted = False
        self._cut: dict[int, CutTexts] = {}
        """Of the columns of texts of which some did not fit, by their places."""
        super().__init__(self.rows_model, "Samples", (), -1)
        self._head = SampleHead(self)
        self.setHorizontalHeader(self._head)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.letters = "SFC"
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setMinimumSectionSize(40)
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(True)
        head.setSortIndicatorClearable(True)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.sectionClicked.connect(self.sort_wanted)

    # What is shown ------------------------------------------------------------------------------------------

    def show_table(self, table: TableOfSamples) -> None:
        """Show other rows, or other columns; the cell with the keys stays in its sample where that is shown."""
        before, heads = self._kept_cell(), self.rows_model.heads
        self._head.columns = table.columns
        self.rows_model.show_table()
        self._cut = {place: cut for place, cut in self._cut.items() if cut.column in table.columns[place : place + 1]}
        if self.rows_model.heads != heads:
            self._fit_columns()
        place = next((k for k, column in enumerate(table.columns) if column.source == table.query.sort), -1)
        way = Qt.SortOrder.DescendingOrder if table.query.descending else Qt.SortOrder.AscendingOrder
        head = self.horizontalHeader()
        head.blockSignals(True)
        head.setSortIndicator(place, way)
        head.blockSignals(False)
        self._restore(table.rows, *before)

    def show_column(self, place: int) -> None:
        """Bring a column into sight."""
        index = self.rows_model.index(max(0, self.currentIndex().row()), place)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def show_first(self, place: int) -> None:
        """Go to the first row, in a column."""
        self._anchor = 0
        self.setCurrentIndex(self.rows_model.index(0, place))
        self.scrollToTop()

    def _kept_cell(self) -> tuple[int, int]:
        """The sample and the column of the cell with the keys; -1 for none."""
        index = self.currentIndex()
        return (self.rows_model.sample(index.row()), index.column()) if index.isValid() else (-1, 0)

    def _restore(self, rows: Rows, sample: int, column: int) -> None:
        places = np.flatnonzero(rows == sample)
        row = int(places[0]) if len(places) else 0
        self._anchor = row
        if len(rows):
            self.setCurrentIndex(self.rows_model.index(row, min(column, len(self.rows_model.heads) - 1)))

    def _fit_columns(self) -> None:
        for place in range(len(self.rows_model.heads)):
            kind = "number" if place in self.rows_model.right else "text"
            self.setColumnWidth(place, min(max(self._head.whole(place), theme.px(WIDTHS[kind])), theme.px(WIDEST)))
        if self.rows_model.heads:  # ids are whole, where that leaves two thirds of the room to the rest
            most = max(theme.px(WIDEST), self.viewport().width() // 3)
            self.setColumnWidth(0, min(max(self.rows_model.widest_id(self.fontMetrics()), self.columnWidth(0)), most))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._fitted:  # before, there was no room that counts
            self._fitted = True
            self._fit_columns()

    def show_marks(self, *, look: bool) -> None:
        """Show which rows are selected; with `look` go to the first of them where none is in sight."""
        self.viewport().update()
        rows = self.rows_model
        if look and not any(map(rows.is_selected, self._rows_within(self.viewport().rect()))):
            row = rows.first_selected()
            if row >= 0:
                self.scrollTo(rows.index(row, max(0, self.currentIndex().column())))

    def paintEvent(self, event: QPaintEvent) -> None:
        # Cell by cell Qt would ask Python for each of seven properties: scrolling took six times as long.
        painter, now, model = QPainter(self.viewport()), theme.current(), self.rows_model
        rows = self._rows_within(event.rect())
        for row in rows:
            if model.is_selected(row):
                top, high = self.rowViewportPosition(row), self.rowHeight(row)
                painter.fillRect(0, top, self.viewport().width(), high, now.color("soft"))
        painter.setPen(now.color("text"))
        for column in self._columns_within(event.rect()) if rows else ():
            side = RIGHT if column in model.right else LEFT
            left, room = self.columnViewportPosition(column) + MARGIN, self.columnWidth(column) - 2 * MARGIN
            for row, shown in zip(rows, self.shown_texts(rows, column, painter.fontMetrics()), strict=True):
                painter.drawText(left, self.rowViewportPosition(row), room, self.rowHeight(row), side, shown)
        index = self.currentIndex()
        if index.isValid() and self.hasFocus():
            painter.setPen(QPen(now.color("accent"), 1.0))
            painter.drawRect(QRectF(self.visualRect(index)).adjusted(0.5, 0.5, -1.5, -1.5))

    def shown_texts(self, rows: range, column: int, letters: QFontMetrics) -> list[str]:
        """The texts of a column in rows as they are drawn: names that do not fit are cut to what tells them apart."""
        model, room = self.rows_model, self.columnWidth(column) - 2 * MARGIN
        width, shown = letters.horizontalAdvance, []
        for row, text in zip(rows, model.texts(rows[0], rows[-1], column), strict=True):
            words = line(text, 4 * LINE)
            if width(words) > room and column in model.right:
                words = letters.elidedText(words, Qt.TextElideMode.ElideMiddle, room)
            elif width(words) > room:
                cut = self._cut.setdefault(column, CutTexts(self._head.columns[column]))
                words = cut.cut(words, model.sample(row), room, width)
            shown.append(words)
        return shown

    def _rows_within(self, rect: QRect) -> range:
        first, last = self.rowAt(rect.top()), self.rowAt(rect.bottom())
        return range(max(first, 0), (last if last >= 0 else self.rows_model.n_rows() - 1) + 1)

    def _columns_within(self, rect: QRect) -> range:
        first, last = self.columnAt(rect.left()), self.columnAt(rect.right())
        return range(max(first, 0), (last if last >= 0 else len(self.rows_model.heads) - 1) + 1)

    # The mouse ----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not shift or self._anchor < 0:
            self._anchor = index.row()
        self._how = "replace"
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._how = "subtract" if self.rows_model.is_selected(index.row()) else "add"
        self._extend(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.rows_model.pending is not None and event.buttons() & Qt.MouseButton.LeftButton:
            place = event.position().toPoint()
            place.setY(min(max(place.y(), 0), self.viewport().height() - 1))
            index = self.indexAt(place)
            if index.isValid():
                self._extend(index)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rows_model.pending is not None:
            self._take()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self.acted.emit(index)

    def _extend(self, index: QModelIndex) -> None:
        """Choose the rows from the anchor to a cell, and give it the keys."""
        self.setCurrentIndex(index)
        self.rows_model.pending = min(self._anchor, index.row()), max(self._anchor, index.row())
        self.viewport().update()

    def _take(self) -> None:
        """Select what was chosen."""
        assert self.rows_model.pending is not None
        first, last = self.rows_model.pending
        self.rows_model.pending = None
        self.picked.emit(self.rows_model.samples(first, last), self._how)

    # The keys -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        # Selecting all is meant for the rows that are shown, and copying for them, where the table has the keys.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _of_rows(event):
            event.accept()
            return True
        return super().event(event)

    def _own(self, event: QKeyEvent) -> bool:
        return super()._own(event) and event.text().upper() in f"{self.letters} "

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if _of_rows(event):
            if event.key() == Qt.Key.Key_A:
                self.picked.emit(self.rows_model.samples(0, self.rows_model.n_rows() - 1), "replace")
            else:
                self.copy_wanted.emit()
        elif event.key() == Qt.Key.Key_Space and index.isValid():
            self._anchor = index.row()
            self._how = "subtract" if self.rows_model.is_selected(index.row()) else "add"
            self._extend(index)
            self._take()
        else:
            super().keyPressEvent(event)
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            if self.currentIndex().row() != index.row() and not shift:
                self._anchor = self.currentIndex().row()
            elif self.currentIndex().row() != index.row():
                self._how = "replace"
                self._extend(self.currentIndex())
                self._take()

    def keyboardSearch(self, search: str) -> None:
        """Ignore what is typed: Qt would ask for the text of every row."""


def _of_rows(event: QKeyEvent) -> bool:
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return held == Qt.KeyboardModifier.ControlModifier and event.key() in (Qt.Key.Key_A, Qt.Key.Key_C)
