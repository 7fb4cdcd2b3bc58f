"""The axes of figures: their ends, round ticks on them, linear or logarithmic, and how they are painted."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen

from mvexplorer.engine.core.multiview import Array
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.wording import superscript

LEFT, RIGHT, TOP, BOTTOM = 56, 12, 4, 40
"""Room around a plot in pixels of the usual type."""


def figure_font() -> QFont:
    """The type of the words in a figure."""
    return theme.font(theme.px(theme.SMALL_PX))


@dataclass(frozen=True)
class Ends:
    """The ranges of both axes; those of logarithmic ones are powers of ten."""

    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, plot: QRectF, x: float, y: float) -> QPointF:
        """Return the place of a point of these coordinates in the plot."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return QPointF(plot.left() + across * plot.width(), plot.bottom() - up * plot.height())


@dataclass(frozen=True)
class AxisWords:
    """The title of an axis, and how its values are told."""

    title: str
    log: bool = False
    whole: bool = False
    told: bool = True

    def ticks(self, low: float, high: float, most: int) -> list[tuple[float, str]]:
        """About `most` places between the ends at the most, with their texts."""
        if not self.told:
            return []
        if self.log:
            return log_ticks(low, high, most)
        return [(value, tick_text(value)) for value in ticks(low, high, most, whole=self.whole)]


def on_axis(values: npt.ArrayLike, *, log: bool) -> Array:
    """Places of values on an axis, of a logarithmic one their logarithms; NaN where there is none."""
    places = np.asarray(values, dtype=np.float64)
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            places = np.log10(places)
    result: Array = np.where(np.isfinite(places), places, np.nan)
    return result


def ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Round values within a range, about `most` at most."""
    span = high - low
    if not span > 0.0:
        return [low]
    step = 10.0 ** floor(log10(span / most))
    step *= next(factor for factor in (1.0, 2.0, 5.0, 10.0) if span / (step * factor) <= most)
    step = max(1.0, step) if whole else step
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Whole powers of ten as far as there is room, or some values between where they are few."""
    parts = (1, 2, 5) if high - low < 1.5 else (1, 3) if high - low < 3.5 else (1,)
    powers = range(floor(low), ceil(high) + 1, max(1, ceil((high - low) / max(1, most))))
    places = [(k + log10(part), _power(part, k)) for k in powers for part in parts]
    return [tick for tick in places if low - 1e-9 <= tick[0] <= high + 1e-9]


def _power(part: int, k: int) -> str:
    if -4 < k < 4:
        return f"{part * 10.0**k:g}"
    return f"{'' if part == 1 else f'{part}·'}10{superscript(k)}"


def tick_text(value: float) -> str:
    """A tick's number without rounding errors."""
    if abs(value) >= 1e5 or 0.0 < abs(value) < 1e-3:
        return numbers.number(value, 2)
    return "0" if value == 0.0 else f"{value:.6g}".replace("-", "−")


def paint_axes(plot: QRectF, ends: Ends, x: AxisWords, y: AxisWords, painter: QPainter, *, lines: bool = True) -> None:
    """Paint ticks and titles below and on the left of a plot, and a line across it for each tick on the left."""
    t, small = theme.current(), theme.px(16)
    for value, text in y.ticks(*ends.y, max(2, int(plot.height() / theme.px(32)))):
        at = ends.place(plot, ends.x[0], value).y()
        painter.setPen(QPen(t.color("hairline"), 1.0))
        if lines:
            painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at))
        painter.setPen(t.color("muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(plot.left() - theme.px(44), at - small / 2, theme.px(38), small), right, text)
    room = max(2, min(4, int(plot.width() / theme.px(32))), int(plot.width() / theme.px(72)))
    for value, text in x.ticks(*ends.x, room):
        at = ends.place(plot, value, ends.y[0]).x()
        painter.setPen(QPen(t.color("muted"), 1.0))
        painter.drawLine(QPointF(at, plot.bottom()), QPointF(at, plot.bottom() + 3))
        box = QRectF(at - theme.px(36), plot.bottom() + 4, theme.px(72), small)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, text)
    painter.setPen(t.color("muted"))
    below = QRectF(plot.left(), plot.bottom() + theme.px(21), plot.width(), small)
    words = painter.fontMetrics().elidedText(x.title, Qt.TextElideMode.ElideRight, int(plot.width()))
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, words)
    _paint_upright(y.title, plot, painter)


def _paint_upright(words: str, plot: QRectF, painter: QPainter) -> None:
    """Write along the left axis; a mere symbol stands beside it, for it cannot be read when it is turned."""
    room = QRectF(plot.left() - theme.px(LEFT), plot.top(), theme.px(20), plot.height())
    if painter.fontMetrics().horizontalAdvance(words) <= room.width():
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
        return
    painter.save()
    painter.translate(plot.left() - theme.px(LEFT - 8), plot.center().y())
    painter.rotate(-90)
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(plot.height()))
    half = plot.height() / 2
    painter.drawText(QRectF(-half, -theme.px(8), 2 * half, theme.px(16)), Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()
