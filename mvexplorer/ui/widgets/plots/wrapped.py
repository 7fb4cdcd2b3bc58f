"""Names painted whole: on as many lines as they need, also where they have no spaces."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout, QTextOption

from mvexplorer.ui.style import theme

_BREAK = "\u200b"
"""A place without width where a line may end."""
_JOINT = re.compile(r"(?<=\w)[_/](?=\w)|(?<=[^\W\d])[.-](?=[^\W\d])")


@lru_cache(maxsize=4096)
def lines_of(text: str, size: int, room: int, *, bold: bool = False) -> tuple[str, ...]:
    """Return the lines of a text in so many pixels; `size` is that of the type in pixels."""
    font = theme.font(size, bold=bold)
    return (text,) if QFontMetricsF(font).horizontalAdvance(text) <= room else tuple(broken(text, font, room))


def broken(text: str, font: QFont, room: int) -> list[str]:
    """Break a text into lines of so many pixels, between words or the parts of a name, else anywhere."""
    text = _JOINT.sub(rf"\g<0>{_BREAK}", text)
    layout, option = QTextLayout(text, font), QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    lines = []
    layout.beginLayout()
    while (row := layout.createLine()).isValid():
        row.setLineWidth(max(1, room))
        lines.append(text[row.textStart() : row.textStart() + row.textLength()].replace(_BREAK, "").strip())
    layout.endLayout()
    return lines


def paint_lines(painter: QPainter, lines: tuple[str, ...], area: QRectF) -> None:
    """Paint lines into an area, from its left, in its middle."""
    metrics = QFontMetricsF(painter.font())
    step = metrics.lineSpacing()
    top = area.center().y() - 0.5 * step * len(lines) + metrics.ascent()
    for k, each in enumerate(lines):
        painter.drawText(QPointF(area.left(), top + k * step), each)
