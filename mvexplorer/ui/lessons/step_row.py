"""The steps of a lesson as a row of short lines: those behind, the present one, those ahead."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mvexplorer.ui.style import theme


class StepRow(QWidget):
    """Says nothing that the words beside it do not say; those are what is spoken."""

    def __init__(self) -> None:
        super().__init__()
        self._place, self._steps = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_place(self, place: int, steps: int) -> None:
        """Show the step at a place, from 0, of so many."""
        self._place, self._steps = place, steps
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(4))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, t, gap = QPainter(self), theme.current(), theme.px(3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width = (self.width() - gap * (self._steps - 1)) / self._steps
        for step in range(self._steps):
            painter.setBrush(t.color("accent" if step <= self._place else "hairline"))
            painter.drawRoundedRect(QRectF(step * (width + gap), 0, width, self.height()), 2, 2)
        painter.end()
