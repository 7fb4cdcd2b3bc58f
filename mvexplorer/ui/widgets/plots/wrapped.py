"""Names painted whole: on as many lines as they need, also where they have no spaces."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QTextLayout, QTextOption

from mvexplorer.ui.style import theme


@lru_cache(maxsize=4096)
def lines_of(text: str, size: int, room: int, *, bold: bool = False) -> tuple[str, ...]:
    """Return the lines of a text in so many pixels, broken between words, or where there are none anywhere.

    `size` is that of the type in pixels.
    """
    font = theme.font(size, bold=bold)
    if QFontMetricsF(font).horizontalAdvance(text) <= room:
        return (text,)
    layout, option = QTextLayout(text, font), QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    lines = []
    layout.beginLayout()
    while (row := layout.createLine()).isValid():
        row.setLineWidth(max(1, room))
        lines.append(text[row.textStart() : row.textStart() + row.textLength()].rstrip())
    layout.endLayout()
    return tuple(lines)


def paint_lines(painter: QPainter, lines: tuple[str, ...], area: QRectF) -> None:
    """Paint lines into an area, from its left, in its middle."""
    metrics = QFontMetricsF(painter.font())
    step = metrics.lineSpacing()
    top = area.center().y() - 0.5 * step * len(lines) + metrics.ascent()
    for k, each in enumerate(lines):
        painter.drawText(QPointF(area.left(), top + k * step), each)
