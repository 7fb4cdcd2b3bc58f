"""The line of filters over the table of samples: a search in the ids, a condition to add, and those that hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.samples.columns import SampleColumn
from mvexplorer.state.samples.query import WAYS, Condition
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, NameBox, caption, line, retire, tip


class SampleFilters(QWidget):
    """`wanted` carries a condition to add, `dropped` one to take away, `sought` what the ids are to hold."""

    wanted = Signal(object)
    dropped = Signal(object)
    sought = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._columns: Sequence[SampleColumn] = ()
        self._conditions: tuple[Condition, ...] = ()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=6)
        row = spaced(QHBoxLayout(), spacing=6)
        column.addLayout(row)
        self.ids = self._field("Find id", "Show only samples whose id holds this text", 150)
        self.ids.setClearButtonEnabled(True)
        self.ids.textChanged.connect(self.sought)
        self.column, self.how = NameBox(220), QComboBox()
        self.column.setAccessibleName("Column of the filter")
        self.how.addItems(WAYS)
        self.how.setAccessibleName("How the column is compared")
        self.value = self._field("Value", "A number, a text, or a date such as 2024-04-03; Return adds the filter", 150)
        self.value.returnPressed.connect(self.add)
        self.how.currentTextChanged.connect(lambda how: self.value.setEnabled(how != "missing"))
        self.button = QPushButton("Add filter")
        self.button.clicked.connect(self.add)
        row.addWidget(self.ids)
        row.addSpacing(8)
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
        self._columns, present = tuple(columns), self.column.name
        self.column.blockSignals(True)
        self.column.clear()
        for column in columns:
            self.column.addItem(line(column.title), column.source)
        self.column.choose(present)
        self.column.blockSignals(False)

    def begin(self, source: str, text: str) -> None:
        """Propose a filter by the value of a cell, which can be typed over."""
        self.column.choose(source)
        self.how.setCurrentText("=" if text else "missing")
        self.value.setText(text)
        self.value.selectAll()
        (self.value if text else self.button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def add(self) -> None:
        """Ask for the condition that is typed."""
        how = WAYS[self.how.currentIndex()]
        self.wanted.emit(Condition(self.column.name, how, "" if how == "missing" else self.value.text()))

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
