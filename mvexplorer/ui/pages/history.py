"""The steps of this sitting, in words: the present one marked, those undone greyed; a click or an arrow goes there."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, line, tip


class HistoryList(QWidget):
    """A row for the state in which the sitting began, and one for every step since."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._document = workbench.document
        column = spaced(QVBoxLayout(self), 12, 6, 12, 6, spacing=4)
        self.steps = QListWidget()
        self.steps.setUniformItemSizes(True)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.setAccessibleName("Steps of this sitting")
        self.steps.currentRowChanged.connect(self._go)
        column.addWidget(self.steps, 1)
        note = Label(
            "Click a step to go there. A session keeps where you are, not how you came there.", "muted", wraps=True
        )
        column.addWidget(note)
        self.soon = Soon(self, milliseconds=60, do=self.refresh)
        self._document.changed.connect(self._follow)

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def _follow(self, _: Change) -> None:
        if self.isVisible():  # soon: a drag changes the last step sixty times a second
            self.soon.ask()

    def apply_theme(self) -> None:
        """Use the theme's colours."""
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)

    def refresh(self) -> None:
        """Show the steps, and mark the present one."""
        first = "Earlier steps are forgotten" if self._document.forgets else "As opened"
        texts, present = (first, *self._document.steps), self._document.position
        self.steps.blockSignals(True)
        while self.steps.count() > len(texts):
            self.steps.takeItem(self.steps.count() - 1)
        longest = 90  # most characters of a step
        for row, text in enumerate(texts):
            item = self.steps.item(row) or QListWidgetItem(self.steps)
            item.setText(line(text, longest))
            item.setToolTip(tip(text) if len(text) > longest else "")
            item.setForeground(QColor(theme.current().muted if row > present else theme.current().text))
        self.steps.setCurrentRow(present)
        self.steps.blockSignals(False)

    def _go(self, row: int) -> None:
        """Go to a row's state, as one change: only that is computed."""
        if row >= 0:
            self._document.go_to(row)
