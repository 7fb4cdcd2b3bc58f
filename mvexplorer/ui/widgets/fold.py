"""A part of a side that folds away under its head."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced


class Fold(QWidget):
    """A head with a title, maybe with a small widget at its right, and the body below; `folded` is the user's doing."""

    folded = Signal(bool)

    def __init__(self, title: str, about: str, beside: QWidget | None = None) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=2)
        self.head = QToolButton()
        self.head.setObjectName("fold")
        self.head.setText(title)
        self.head.setToolTip(about)
        self.head.setCheckable(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.head)
        row.addStretch(1)
        self._beside = beside
        if beside is not None:
            row.addWidget(beside)
        self._body = QWidget()
        self.body = spaced(QVBoxLayout(self._body), 0, 0, 0, 6, spacing=4)
        column.addWidget(self._body)
        self.head.clicked.connect(lambda open_: self.folded.emit(not open_))
        self.unfold(False)

    def unfold(self, open_: bool) -> None:
        """Show the body, or the head alone."""
        self.head.setChecked(open_)
        self.head.setIcon(theme.icon("chevron-down" if open_ else "chevron-right", "muted"))
        self._body.setVisible(open_)
        if self._beside is not None:
            self._beside.setVisible(open_)
