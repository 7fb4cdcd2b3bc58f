"""Two widgets beside each other where there is room for both, else one below the other."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced


class TwoRows(QWidget):
    """Nothing in it is cut for want of room beside the panels' other columns."""

    def __init__(self, first: QWidget, second: QWidget) -> None:
        super().__init__()
        self._halves = first, second
        self._box = spaced(QBoxLayout(QBoxLayout.Direction.LeftToRight, self), 0, 0, 0, 0, spacing=6)
        self._box.setSizeConstraint(QBoxLayout.SizeConstraint.SetNoConstraint)
        self._box.addWidget(first, 1)
        self._box.addWidget(second)

    def fit(self) -> None:
        """Put them as the room asks for."""
        first, second = (max(half.minimumWidth(), half.sizeHint().width()) for half in self._halves)
        beside = first + second + self._box.spacing() <= self.width()
        now = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if now != self._box.direction():
            self._box.setDirection(now)
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(max(half.minimumSizeHint().width() for half in self._halves), self._box.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().event(event)
