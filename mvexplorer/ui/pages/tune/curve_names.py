"""The names of curves beside their plot, with what is to be said of each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea


class CurveNames(QScrollArea):
    """Lines of rich text; all that users have named is escaped by whoever makes them."""

    def __init__(self) -> None:
        super().__init__()
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.legend.setMinimumWidth(1)
        self.setWidget(self.legend)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
