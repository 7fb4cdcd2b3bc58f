"""The page shown until the first data is read: the outlines of the panels to come, and the data's name."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line


class OpeningPage(QWidget):
    """The outlines of six panels, and the name of the data being opened in their middle."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.setAccessibleName(f"Opening {title}")

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(t.color("hairline"))
        painter.setBrush(t.color("surface"))
        rows, columns, gap = 2, 3, 8
        wide, high = (self.width() - gap) / columns, (self.height() - gap) / rows
        for k in range(rows * columns):
            left, top = gap + wide * (k % columns), gap + high * (k // columns)
            painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, wide - gap - 1, high - gap - 1), 6, 6)
        painter.setFont(theme.font(15, bold=True))
        words = f"Opening {line(self.title, 2 * LINE)} …"
        box = QRectF(painter.fontMetrics().boundingRect(words))
        box.adjust(-24, -12, 24, 12)
        box.moveCenter(QRectF(self.rect()).center())
        painter.setBrush(t.color("raised"))
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(t.color("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
