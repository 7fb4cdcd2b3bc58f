"""Bars of an experiment as rows: whether each holds, what it is, its value, and what is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from mvexplorer.ui.gallery.words import value_words
from mvexplorer.ui.widgets.plain_text import Label, retire, tip
from mvexplorer.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.experiments.experiment import Bar

HOLDS, MISSES = "✓", "✗"


class BarRows(QWidget):
    """A row for each bar; signs and words say whether it holds, not colours alone."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._shown: tuple[Bar, ...] = ()
        self.texts: list[str] = []
        """What the rows say, for who cannot see them."""
        self.hide()

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Show these bars."""
        if tuple(bars) == self._shown:
            return
        self._shown, self.texts = tuple(bars), []
        for old in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._grid.removeWidget(old)
            retire(old)
        for row, bar in enumerate(bars):
            self._add(row, bar)
        self.setVisible(bool(bars))

    def _add(self, row: int, bar: Bar) -> None:
        sign = Label(HOLDS if bar.holds else MISSES)
        sign.setProperty("role", "best" if bar.holds else "error")
        what, value, asked = Label(f"{bar.what[:1].upper()}{bar.what[1:]}"), Label(number(bar.value)), Label(bar.asked)
        what.setWordWrap(True)
        what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        value.setProperty("role", "title")
        asked.setProperty("role", "muted")
        told = f"{bar.what}: {value_words(bar)}: {'holds' if bar.holds else 'is missed'}"
        if bar.null is not None:
            told += f"; of shuffled data {number(bar.null[0])} to {number(bar.null[1])}"
        self.texts.append(told)
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        numbers = QGridLayout()
        numbers.setVerticalSpacing(0)
        numbers.addWidget(value, 0, 0, right)
        numbers.addWidget(asked, 1, 0, right)
        self._grid.addWidget(sign, row, 0, top)
        self._grid.addWidget(what, row, 1, top)
        self._grid.addLayout(numbers, row, 2, top)
        for label in (sign, what, value, asked):
            label.setToolTip(tip(told))
        what.setAccessibleName(told)
