"""The page shown until the first data is read: the outlines of the panels to come, and the data's name."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line

ROWS, COLUMNS = 2, 3
GAP = 8


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
        wide, high = (self.width() - GAP) / COLUMNS, (self.height() - GAP) / ROWS
        for k in range(ROWS * COLUMNS):
            left, top = GAP + wide * (k % COLUMNS), GAP + high * (k // COLUMNS)
            painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, wide - GAP - 1, high - GAP - 1), 6, 6)
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
