"""Bars of an experiment as rows: whether each holds, its name, its value, and the value it has to reach."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from mvexplorer.experiments.experiment import Bar
from mvexplorer.ui.gallery.words import bar_words
from mvexplorer.ui.widgets.plain_text import Label, retire, tip
from mvexplorer.wording import number


class BarRow(QWidget):
    """One bar; signs and words say whether it holds, not colours alone.

    One grid without another in it: for what is in a nested layout PySide keeps objects that outlive it.
    """

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self.text = bar_words(bar)
        self.setToolTip(tip(self.text))
        self.setAccessibleName(self.text)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        sign, what = Label("✓" if bar.holds else "✗"), Label(f"{bar.what[:1].upper()}{bar.what[1:]}")
        value, target = Label(number(bar.value)), Label(bar.asked)
        sign.setProperty("role", "best" if bar.holds else "error")
        what.setWordWrap(True)
        what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        value.setProperty("role", "title")
        target.setProperty("role", "muted")
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        grid.addWidget(sign, 0, 0, top)
        grid.addWidget(what, 0, 1, 2, 1, top)
        grid.addWidget(value, 0, 2, top | right)
        grid.addWidget(target, 1, 2, top | right)


class BarRows(QWidget):
    """A row for each bar; nothing while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._shown: tuple[Bar, ...] = ()
        self._rows: list[BarRow] = []
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The words of the rows."""
        return [row.text for row in self._rows]

    def show_bars(self, bars: Sequence[Bar]) -> bool:
        """Show these bars; True if they differ from the former ones."""
        if tuple(bars) == self._shown:
            return False
        for row in self._rows:
            self._column.removeWidget(row)
            retire(row)
        self._shown, self._rows = tuple(bars), [BarRow(bar) for bar in bars]
        for row in self._rows:
            self._column.addWidget(row)
        self.setVisible(bool(bars))
        return True
