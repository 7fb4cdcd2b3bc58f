"""The line of filters over the table of samples: a search in the ids, a condition to add, and those that hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.samples.columns import SampleColumn
from mvexplorer.state.samples.query import WAYS, Condition, means_something
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.ui.appearance.colour_box import Find, SourceBox
from mvexplorer.ui.samples.cut_texts import cut_title
from mvexplorer.ui.samples.two_rows import TwoRows
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, caption, line, retire, tip


class ColumnBox(SourceBox):
    """The column of a filter: whatever is typed opens the list of all columns and searches it."""

    def __init__(self, find: Find) -> None:
        super().__init__(find, "Column of the filter")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)
        self.setMaximumWidth(220)
        self.columns: Sequence[SampleColumn] = ()

    def cut(self, text: str, room: int) -> str:
        place = self.currentIndex()
        if not 0 <= place < len(self.columns):
            return super().cut(text, room)
        return cut_title(self.columns, place, room, self.fontMetrics().horizontalAdvance)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        if not text.strip() or not text.isprintable() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
            return
        self.showPopup()
        if self.popup is not None:
            self.popup.search.setText(text)


class SampleFilters(QWidget):
    """`wanted` carries a condition to add, `dropped` one to take away, `sought` what the ids are to hold."""

    wanted = Signal(object)
    dropped = Signal(object)
    sought = Signal(str)
    chosen = Signal(str)
    """The source of the column that a filter is to be on."""

    def __init__(self, find: Find) -> None:
        super().__init__()
        self._columns: Sequence[SampleColumn] = ()
        self._conditions: tuple[Condition, ...] = ()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=6)
        seeking, filtering = QWidget(), QWidget()
        column.addWidget(TwoRows(filtering, seeking))
        self.ids = self._field("Find id", "Show only samples whose id holds this text", 150)
        self.ids.setClearButtonEnabled(True)
        self.ids.textChanged.connect(self.sought)
        self.column, self.how = ColumnBox(find), QComboBox()
        self.column.activated.connect(lambda _: self._take_column())
        self.how.addItems(WAYS)
        self.how.setAccessibleName("How the column is compared")
        self.value = self._field("Value", "A number, a text, or a date such as 2024-04-03; Return adds the filter", 150)
        self.value.returnPressed.connect(self.add)
        self.how.currentTextChanged.connect(lambda how: self.value.setEnabled(how != "missing"))
        self.button = QPushButton("Add filter")
        self.button.clicked.connect(self.add)
        self.seeking = spaced(QHBoxLayout(seeking), 0, 0, 0, 0, spacing=6)
        """The search in ids, and beside it what else is looked for."""
        self.seeking.addWidget(self.ids)
        self.seeking.addStretch(1)
        row = spaced(QHBoxLayout(filtering), 0, 0, 0, 0, spacing=6)
        row.addWidget(Label("Filter", "muted"))
        for widget in (self.column, self.how, self.value, self.button):
            row.addWidget(widget)
        row.addStretch(1)
        self._chips = QWidget()
        self._row = spaced(QHBoxLayout(self._chips), 0, 0, 0, 0, spacing=4)
        self._row.addStretch(1)
        self._chips.hide()
        self.chips: list[QToolButton] = []
        column.addWidget(self._chips)

    def _field(self, words: str, about: str, width: int) -> Field:
        field = Field()
        field.setPlaceholderText(words)
        field.setAccessibleName(words)
        field.setToolTip(about)
        field.setMaximumWidth(width)
        return field

    def offer(self, columns: Sequence[SampleColumn]) -> None:
        """Offer these columns; the chosen one stays."""
        if [column.source for column in columns] == [column.source for column in self._columns]:
            return
        self._columns, present = tuple(columns), self._source()
        self.column.columns = self._columns
        self.column.blockSignals(True)
        self.column.offer({column.source: column.title for column in columns})
        self._choose(present)
        self.column.blockSignals(False)

    def _source(self) -> str:
        return str(self.column.currentData() or "")

    def _take_column(self) -> None:
        """Bring the column into sight; a value that means nothing in it goes, as it was meant for another."""
        self.chosen.emit(self._source())
        column = next((each for each in self._columns if each.source == self._source()), None)
        if column is not None and self.value.text().strip() and not means_something(column, self.value.text().strip()):
            self.value.clear()

    def _choose(self, source: str) -> None:
        title = next((column.title for column in self._columns if column.source == source), "")
        if title:
            self.column.choose(source, title)

    def begin(self, source: str, text: str) -> None:
        """Propose a filter by the value of a cell, which can be typed over."""
        self._choose(source)
        self.how.setCurrentText("=" if text else "missing")
        self.value.setText(text)
        self.value.selectAll()
        (self.value if text else self.button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def add(self) -> None:
        """Ask for the condition that is typed."""
        how = WAYS[self.how.currentIndex()]
        self.wanted.emit(Condition(self._source(), how, "" if how == "missing" else self.value.text()))

    def show_table(self, table: TableOfSamples) -> None:
        """Show the conditions that hold, each with a button that takes it away."""
        self.offer(table.columns)
        if self.ids.text().strip() != table.query.ids.strip():
            self.ids.blockSignals(True)
            self.ids.setText(table.query.ids)
            self.ids.blockSignals(False)
        conditions = tuple(each for each in table.query.conditions if each.source in table.by_source)
        if conditions == self._conditions:
            return
        self._conditions = conditions
        for chip in self.chips:
            self._row.removeWidget(chip)
            retire(chip)
        self.chips = [self._chip(table, condition) for condition in conditions]
        for place, chip in enumerate(self.chips):
            self._row.insertWidget(place, chip)
        self._chips.setVisible(bool(self.chips))

    def _chip(self, table: TableOfSamples, condition: Condition) -> QToolButton:
        words = table.words(condition)
        chip = QToolButton()
        chip.setText(f"{caption(words, 40)}  ×")
        chip.setProperty("role", "answer")
        chip.setToolTip(tip(f"{words}: take this filter away"))
        chip.setAccessibleName(f"Take the filter away: {line(words)}")
        chip.clicked.connect(partial(self.dropped.emit, condition))
        return chip
