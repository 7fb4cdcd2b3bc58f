"""The dialog for one of several figures, in the same card as its form and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QWidget

from mvexplorer.ui.widgets.export_dialog import FORMATS, NUMBERS, ExportDialog
from mvexplorer.ui.widgets.plain_text import line


class FigureDialog(ExportDialog):
    """The card of `ExportDialog`, which offers numbers too, with the figures to choose from."""

    heading = "Export figure"
    formats: Mapping[str, str] = FORMATS | NUMBERS

    def __init__(self, titles: Sequence[str], size: QSize, dpi: float, parent: QWidget) -> None:
        super().__init__(size, dpi, parent)
        self.figure = QComboBox()
        self.figure.setAccessibleName("Figure")
        self.figure.addItems([line(title, 40) for title in titles])
        self.rows.insertRow(0, "Figure", self.figure)
        self.setFixedWidth(360)
