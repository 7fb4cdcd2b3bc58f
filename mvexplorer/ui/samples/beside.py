"""The column of charts beside the legend."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.samples.charts import ColumnCharts
from mvexplorer.ui.samples.charts import ChartsArea
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label

WIDTH = 216


class ChartsBeside(QWidget):
    """Stands between the panels and the right side while it is wanted."""

    left = Signal()
    """The charts are to be hidden."""

    def __init__(self, charts: ColumnCharts) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Column charts")
        self._charts = charts
        column = spaced(QVBoxLayout(self), 12, 8, 4, 8, spacing=6)
        row = spaced(QHBoxLayout(), spacing=2)
        column.addLayout(row)
        self.close_button = QToolButton()
        theme.square(self.close_button, 18, 14)
        keyed_tip(self.close_button, "Hide the charts", "Column charts")
        self.close_button.clicked.connect(self.left)
        row.addWidget(Label("Columns", "section"), 1)
        row.addWidget(self.close_button)
        self.words = Label("", "muted", wraps=True)
        column.addWidget(self.words)
        self.area = ChartsArea(charts)
        column.addWidget(self.area, 1)
        charts.changed.connect(self.refresh)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw in the theme's colours and size."""
        self.setFixedWidth(theme.px(WIDTH))
        self.close_button.setIcon(theme.icon("x"))
        self.refresh()

    def refresh(self) -> None:
        """Show the charts of the columns that there are now, and what is brushed."""
        brushes = len(self._charts.brushes)
        hint = "Drag over bars to select their samples; brushes on two charts select what lies in both."
        none = "These samples have no label and no column to draw."
        both = f"{brushes} brushes: the samples in all of them are selected."
        self.words.setText(none if not self._charts.columns else both if brushes > 1 else hint)
        if self.isVisible():
            self.area.settle()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():
            self.area.settle()
