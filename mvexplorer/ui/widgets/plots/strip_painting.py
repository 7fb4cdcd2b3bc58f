"""Paints strips: real values as lines beside a band of dots for chance, one strip a row."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from mvexplorer.figures import StripRow, Strips
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import fraction
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.plot_axes import figure_font, tick_text, ticks
from mvexplorer.ui.widgets.shortening import told_apart

ROW, LEAST_ROW, FOOT = 22, 16, 36
"""Heights in pixels of a strip, of one where room is short, and of the scale with its title below all of them."""


@dataclass(frozen=True)
class StripLayout:
    """Where strips lie in an area, which begins at its upper left corner."""

    body: Strips
    area: QRectF

    @property
    def row(self) -> float:
        """The height of a strip: lower where all and their scale would not fit."""
        room = (self.area.height() - theme.px(FOOT)) / max(1, len(self.body.rows))
        return min(max(room, theme.px(LEAST_ROW)), theme.px(ROW))

    @property
    def track(self) -> tuple[float, float]:
        """The left and right end of the scale."""
        metrics = theme.metrics(figure_font())
        widest = max((metrics.horizontalAdvance(line(strip.name)) for strip in self.body.rows), default=0.0)
        said = max((metrics.horizontalAdvance(strip.verdict) for strip in self.body.rows), default=0.0) + 16
        # Most pixels of a name, and the least of what is said on the right.
        name_room, verdict_room = 96, 52
        left = self.area.left() + min(theme.px(name_room), widest) + theme.px(10)
        return left, max(left + 20.0, self.area.right() - max(theme.px(verdict_room), said))

    def x_of(self, value: float) -> float:
        """Return a value's place."""
        (left, right), (low, high) = self.track, self.body.limits
        return left + (right - left) * (value - low) / (high - low)

    def label(self, strip: StripRow) -> tuple[str, float]:
        """The name of the real value, and where it begins: beside its line, over no dot; empty without room."""
        words = f"{self.body.line} {fraction(strip.real)}".strip()
        wide, x = theme.metrics(figure_font()).horizontalAdvance(words), self.x_of(strip.real)
        dots = [self.x_of(value) for value in strip.shuffled if np.isfinite(value)]
        gap, (left, right) = 6.0, self.track
        for at in (x - gap - wide, x + gap):
            over = dots and at < max(dots) + gap and at + wide > min(dots) - gap
            if not over and left <= at and at + wide <= right + gap:
                return words, at
        return "", x


def paint_strips(body: Strips, area: QRectF, painter: QPainter) -> None:
    """Paint strips into an area, and their scale below."""
    layout = StripLayout(body, area)
    for row, strip in enumerate(body.rows):
        _paint_strip(layout, strip, row, painter)
    if not body.rows:
        return
    left, right = layout.track
    painter.setPen(QPen(theme.current().color("muted"), 1.0))
    top, line_height = area.top() + len(body.rows) * layout.row, theme.px(0.5 * FOOT)
    for value in ticks(*body.limits, max(2, int((right - left) / theme.px(72)))):
        x = layout.x_of(value)
        painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
        box = QRectF(x - theme.px(36), top + 3, theme.px(72), line_height)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, tick_text(value))
    title = QRectF(area.left(), top + line_height, area.width(), line_height)
    words = painter.fontMetrics().elidedText(body.axis, Qt.TextElideMode.ElideMiddle, int(title.width()))
    painter.drawText(title, Qt.AlignmentFlag.AlignCenter, words)


def _paint_strip(layout: StripLayout, strip: StripRow, row: int, painter: QPainter) -> None:
    t, height, area = theme.current(), layout.row, layout.area
    top, (left, right) = area.top() + row * height, layout.track
    middle = top + 0.5 * height
    if row == layout.body.current and len(layout.body.rows) > 1:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("soft"))
        painter.drawRoundedRect(QRectF(area.left(), top + 1, area.width(), height - 2), 4, 4)
    painter.setPen(t.color("text"))
    room = QRectF(area.left() + 4, top, left - area.left(), height)
    wide = ceil(room.width() - theme.px(10))
    names = [line(each.name, 4 * LINE) for each in layout.body.rows]
    name = told_apart(names[row], names, row + 1, wide, painter.fontMetrics().horizontalAdvance)
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(QPen(t.color("hairline"), 1))
    painter.drawLine(QPointF(left, middle), QPointF(right, middle))
    _paint_values(layout, strip, middle, painter)
    painter.setPen(t.color("muted"))
    room = QRectF(right + 8, top, area.right() - right - 12, height)
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, strip.verdict)


def _paint_values(layout: StripLayout, strip: StripRow, middle: float, painter: QPainter) -> None:
    """Draw the band of chance with its dots, and the real value as a line."""
    t, half = theme.current(), min(theme.px(7), 0.5 * layout.row - 2)
    finite = [value for value in strip.shuffled if np.isfinite(value)]
    painter.setPen(Qt.PenStyle.NoPen)
    if finite:
        low, high = layout.x_of(min(finite)), layout.x_of(max(finite))
        painter.setBrush(t.color("muted", 56))
        painter.drawRoundedRect(QRectF(low - 3, middle - half, high - low + 6, 2 * half), 3, 3)
    painter.setBrush(t.color("muted", 190))
    for value in finite:
        painter.drawEllipse(QPointF(layout.x_of(value), middle), 2.2, 2.2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if np.isfinite(strip.real):
        painter.setPen(QPen(t.color("accent"), 2.4))
        x = layout.x_of(strip.real)
        painter.drawLine(QPointF(x, middle - half - 1), QPointF(x, middle + half + 1))
        words, at = layout.label(strip)
        painter.setPen(t.color("text"))
        room = QRectF(at, middle - layout.row, layout.area.right() - at, 2 * layout.row)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
