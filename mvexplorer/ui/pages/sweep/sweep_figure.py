"""The figure of a sweep: all methods in one tone, the best one in the accent, each named where its line ends."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QPolygonF

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.ui.pages.sweep.sweep_words import at_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line

if TYPE_CHECKING:
    from mvexplorer.state.batches.sweeper import Curve

LEFT, TOP, RIGHT, BOTTOM = 64, 64, 296, 56
"""Room around the plot; the names stand on the right."""


@dataclass(frozen=True)
class SweepFigure:
    """The figure's content: `score` is its name, `key` that of the curves' values."""

    title: str
    subtitle: str
    score: str
    key: str
    curves: tuple[Curve, ...]
    axis: Axis = SCALE

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value's place on the axis."""
        places = [self.axis.place(f) for curve in self.curves for f, _ in curve.values(self.key)]
        low, high = min(places, default=-1.0), max(places, default=1.0)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    @property
    def winner(self) -> tuple[Curve, float, float] | None:
        """The curve with the highest score, its factor and that score; None where all curves' best look alike."""
        points = [(s, -i, f, c) for i, c in enumerate(self.curves) for f, s in c.values(self.key)]
        tops = [max(s for _, s in values) for c in self.curves if (values := c.values(self.key))]
        if not tops or (len(tops) > 1 and round(min(tops), 2) == round(max(tops), 2)):
            return None
        best, _, factor, curve = max(points, key=lambda item: item[:2])
        return curve, factor, best


def paint_sweep(figure: SweepFigure, size: QSize, painter: QPainter) -> None:
    """Paint the figure over an area of a size."""
    t = theme.current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), t.color("surface"))
    painter.setPen(t.color("text"))
    painter.setFont(_font(15, bold=True))
    painter.drawText(QPointF(16, 28), line(figure.title, 120))
    painter.setPen(t.color("muted"))
    painter.setFont(_font(11))
    elided = painter.fontMetrics().elidedText(figure.subtitle, Qt.TextElideMode.ElideRight, size.width() - 32)
    painter.drawText(QPointF(16, 46), elided)
    plot = QRectF(LEFT, TOP, size.width() - LEFT - RIGHT, size.height() - TOP - BOTTOM)
    _paint_axes(painter, figure, plot)
    winner = figure.winner
    first = winner[0] if winner is not None else None
    for curve in sorted(figure.curves, key=lambda c: c is first):  # the best one on top
        _paint_curve(painter, figure, plot, curve, curve is first)
    _paint_names(painter, figure, plot)


def _font(px: int, *, bold: bool = False) -> QFont:
    return theme.font(px, bold=bold, family=theme.bundled_family())


def _place(figure: SweepFigure, plot: QRectF, factor: float, score: float) -> QPointF:
    low, high = figure.range
    across = (figure.axis.place(factor) - low) / (high - low)
    return QPointF(plot.left() + across * plot.width(), plot.bottom() - min(max(score, 0.0), 1.0) * plot.height())


def _paint_axes(painter: QPainter, figure: SweepFigure, plot: QRectF) -> None:
    t = theme.current()
    painter.setFont(_font(11))
    for score in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        y = plot.bottom() - score * plot.height()
        painter.setPen(QPen(t.color("hairline"), 1.0))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(t.color("muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(plot.left() - 44, y - 8, 36, 16), right, f"{score:.1f}")
    low, high = figure.range
    for value in _tick_values(figure.axis, low, high):
        if low - 1e-9 <= figure.axis.place(value) <= high + 1e-9:
            x = _place(figure, plot, value, 0.0).x()
            painter.setPen(QPen(t.color("muted"), 1.0))
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4))
            box = QRectF(x - 30, plot.bottom() + 6, 60, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, f"{value:g}")
    painter.setPen(t.color("text"))
    painter.setFont(_font(12))
    below = QRectF(plot.left(), plot.bottom() + 26, plot.width(), 18)
    painter.drawText(
        below,
        Qt.AlignmentFlag.AlignHCenter,
        "Factor on all bandwidths ε" if figure.axis == SCALE else figure.axis.title,
    )
    painter.save()
    painter.translate(20, plot.center().y())
    painter.rotate(-90)
    painter.drawText(QRectF(-120, -9, 240, 18), Qt.AlignmentFlag.AlignCenter, figure.score)
    painter.restore()


def _tick_values(axis: Axis, low: float, high: float) -> list[float]:
    """Choose the values named on the axis: 1 and 3 of each power of ten, or a few even steps."""
    if axis.log:
        ticks = (1.0, 3.0)
        return [d * 10.0**k for k in range(floor(low), ceil(high) + 1) for d in ticks]
    step = 10.0 ** floor(log10((high - low) / 4.0))
    step *= 2.0 if (high - low) / step > 10.0 else 1.0
    return [round(k * step, 9) for k in range(ceil(low / step), floor(high / step) + 1)]


def _paint_curve(painter: QPainter, figure: SweepFigure, plot: QRectF, curve: Curve, best: bool) -> None:
    t, values = theme.current(), curve.values(figure.key)
    band = curve.band(figure.key)
    if len(band) > 1:
        edge = [_place(figure, plot, f, low) for f, low, _ in band]
        edge += [_place(figure, plot, f, high) for f, _, high in reversed(band)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("accent" if best else "muted", 40 if best else 20))
        painter.drawPolygon(QPolygonF(edge))
    if not values:
        return
    places = [_place(figure, plot, f, s) for f, s in values]
    if curve.flat:
        places = [QPointF(plot.left(), places[0].y()), QPointF(plot.right(), places[0].y())]
    painter.setPen(QPen(t.color("accent" if best else "muted", 255 if best else 130), 2.6 if best else 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(places))
    if best and figure.winner is not None:
        painter.setBrush(t.color("accent"))
        painter.setPen(QPen(t.color("surface"), 1.5))
        painter.drawEllipse(_place(figure, plot, *figure.winner[1:]), 5.0, 5.0)


def _paint_names(painter: QPainter, figure: SweepFigure, plot: QRectF) -> None:
    """Write each name beside its line's end, moved apart where lines end close together."""
    t, winner = theme.current(), figure.winner
    ends = [(c, c.values(figure.key)) for c in figure.curves]
    points = [(_place(figure, plot, *values[-1]), c) for c, values in ends if values]
    points.sort(key=lambda item: item[0].y())
    apart = 15.0  # least distance of two names, in pixels
    heights = spread_heights([place.y() for place, _ in points], apart, plot.top(), plot.bottom())
    longest = 30  # most characters of a method's name
    for (place, curve), y in zip(points, heights, strict=True):
        best = winner is not None and curve is winner[0]
        start = QPointF(plot.right() if curve.flat else place.x(), place.y())
        painter.setPen(QPen(t.color("accent" if best else "muted", 255 if best else 90), 1.0))
        painter.drawPolyline(QPolygonF([start, QPointF(plot.right() + 24, y), QPointF(plot.right() + 28, y)]))
        painter.setFont(_font(11, bold=best))
        painter.setPen(t.color("accent" if best else "muted"))
        words = line(curve.title, longest)
        if best and winner is not None:
            words += f"  {numbers.number(winner[2], 2)}" + (
                "" if curve.flat else f" at {at_text(figure.axis, winner[1])}"
            )
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, RIGHT - 40)
        painter.drawText(QPointF(plot.right() + 32, y + 4), shown)


def spread_heights(heights: list[float], step: float, top: float, bottom: float) -> list[float]:
    """Ascending heights moved apart to at least `step`, as far as they fit between top and bottom."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + step) if placed else max(height, top))
    limit = bottom
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - step
    return placed
