"""Real values beside those of shuffled data: one strip a row, a line for the real one and a band of dots for chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import fraction
from mvexplorer.ui.widgets.plain_text import line, tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

ROW, LEAST_ROW, FOOT = 22, 16, 18
"""Heights in pixels of a strip, of one where room is short, and of the scale below all of them."""


@dataclass(frozen=True)
class StripRow:
    """One row: its name, the real value, those of shuffled data, and the verdict."""

    name: str
    real: float
    shuffled: tuple[float, ...]
    verdict: str = ""
    about: str = ""


class StripPlot(QWidget):
    """All strips have one scale; a click chooses a row."""

    chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.strips: tuple[StripRow, ...] = ()
        self.current = 0
        self._name = name
        self.setAccessibleName(name)
        self.setMinimumWidth(200)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_strips(self, strips: Sequence[StripRow], current: int = 0) -> None:
        """Show these rows; the `current` one is explained elsewhere."""
        self.strips, self.current = tuple(strips), current
        self.setMinimumHeight(theme.px(LEAST_ROW) * len(self.strips) + theme.px(FOOT))
        words = "; ".join(f"{strip.name} {fraction(strip.real)}, {strip.verdict}" for strip in self.strips)
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, theme.px(ROW) * len(self.strips) + theme.px(FOOT))

    def _row(self) -> float:
        """The height of a strip: lower where all and their scale would not fit."""
        room = (self.height() - theme.px(FOOT)) / max(1, len(self.strips))
        return min(max(room, theme.px(LEAST_ROW)), theme.px(ROW))

    def limits(self) -> tuple[float, float]:
        """The ends of the scale."""
        values = [value for strip in self.strips for value in (strip.real, *strip.shuffled) if np.isfinite(value)]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        least = 0.02  # the shortest scale: differences below a hundredth are not worth a picture
        spare = max(0.06 * (high - low), 0.5 * (least - (high - low)))
        return low - spare, high + spare

    def row_at(self, y: float) -> int:
        """The row at a height of the widget, or -1."""
        row = int(y // self._row())
        return row if 0 <= row < len(self.strips) else -1

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        for row, strip in enumerate(self.strips):
            self._paint_strip(painter, strip, row)
        if self.strips:
            self._paint_scale(painter)

    def _track(self) -> tuple[float, float]:
        """The left and right end of the scale in pixels."""
        metrics = theme.metrics(theme.font(theme.px(theme.SMALL_PX)))
        widest = max((metrics.horizontalAdvance(line(strip.name)) for strip in self.strips), default=0.0)
        said = max((metrics.horizontalAdvance(strip.verdict) for strip in self.strips), default=0.0) + 16
        # Most pixels of a name, and the least of what is said on the right.
        name_room, verdict_room = 96, 52
        left = min(theme.px(name_room), widest) + theme.px(10)
        return left, max(left + 20.0, self.width() - max(theme.px(verdict_room), said))

    def x_of(self, value: float) -> float:
        """Return a value's place, in pixels."""
        (left, right), (low, high) = self._track(), self.limits()
        return left + (right - left) * (value - low) / (high - low)

    def _paint_strip(self, painter: QPainter, strip: StripRow, row: int) -> None:
        t, height = theme.current(), self._row()
        top, (left, right) = row * height, self._track()
        middle = top + 0.5 * height
        if row == self.current and len(self.strips) > 1:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.color("soft"))
            painter.drawRoundedRect(QRectF(0, top + 1, self.width(), height - 2), 4, 4)
        metrics = QFontMetricsF(painter.font())
        painter.setPen(t.color("text"))
        name = metrics.elidedText(line(strip.name), Qt.TextElideMode.ElideMiddle, left - theme.px(10))
        painter.drawText(QRectF(4, top, left, height), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(QPen(t.color("hairline"), 1))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        self._paint_values(painter, strip, middle)
        painter.setPen(t.color("muted"))
        room = QRectF(right + 8, top, self.width() - right - 12, height)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, strip.verdict)

    def _paint_values(self, painter: QPainter, strip: StripRow, middle: float) -> None:
        """Draw the band of chance with its dots, and the real value as a line."""
        t, half = theme.current(), min(theme.px(7), 0.5 * self._row() - 2)
        finite = [value for value in strip.shuffled if np.isfinite(value)]
        painter.setPen(Qt.PenStyle.NoPen)
        if finite:
            low, high = self.x_of(min(finite)), self.x_of(max(finite))
            painter.setBrush(t.color("muted", 56))
            painter.drawRoundedRect(QRectF(low - 3, middle - half, high - low + 6, 2 * half), 3, 3)
        painter.setBrush(t.color("muted", 190))
        for value in finite:
            painter.drawEllipse(QPointF(self.x_of(value), middle), 2.2, 2.2)
        if np.isfinite(strip.real):
            painter.setPen(QPen(t.color("accent"), 2.4))
            x = self.x_of(strip.real)
            painter.drawLine(QPointF(x, middle - half - 1), QPointF(x, middle + half + 1))

    def _paint_scale(self, painter: QPainter) -> None:
        """Write the scale's ends below the strips."""
        low, high = self.limits()
        left, right = self._track()
        top = len(self.strips) * self._row()
        painter.setPen(theme.current().color("muted"))
        room = QRectF(left, top, right - left, theme.px(FOOT))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fraction(low))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, fraction(high))

    # Gestures -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if row >= 0:
            self.chosen.emit(row)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = self.row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), tip(self.strips[row].about) if row >= 0 else "", self)
            return True
        return super().event(event)
