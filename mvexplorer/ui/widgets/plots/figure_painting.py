"""Paints a figure, on screen as in files: curves with their axes, or a matrix with its scale."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from mvexplorer.state.questions.figure import Curves, Figure, Matrix
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import RGB, scale_colours
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.curve_plot import curve_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.questions.figure import Series

LEFT, RIGHT, TOP, BOTTOM = 56, 12, 4, 40
"""Room around the plot in pixels of the usual type."""
KEYS = 168
"""Width of the legend beside curves."""
NAMES = 72
"""Room for the names of rows on the left of a matrix."""
BINS = 256
FAINT = 0.65
"""How dense the curves are that stand behind."""


@dataclass(frozen=True)
class Ends:
    """The ranges of both axes."""

    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, plot: QRectF, x: float, y: float) -> QPointF:
        """Return the place of a point of these coordinates in the plot."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return QPointF(plot.left() + across * plot.width(), plot.bottom() - up * plot.height())


@dataclass(frozen=True)
class Shades:
    """A matrix as an image, what its darkest and brightest shades mean, and whether entries lie beyond these."""

    image: QImage
    low: float
    high: float
    cut: bool


def paint_figure(figure: Figure, area: QRectF, painter: QPainter, shades: Shades | None = None) -> None:
    """Paint the body of a figure into an area; of a matrix `shades` may be kept from paint to paint."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(_font())
    if isinstance(figure.body, Matrix):
        _paint_matrix(figure.body, shades or shaded(figure.body), area, painter)
    else:
        _paint_curves(figure.body, area, painter)


def _font() -> QFont:
    return theme.font(theme.px(theme.SMALL_PX))


# Curves -----------------------------------------------------------------------------------------------------------


def plot_area(body: Curves, area: QRectF) -> QRectF:
    """Return the part of an area where curves are drawn: beside their legend, where there is more than one."""
    keys = theme.px(KEYS) if len(body.series) > 1 else theme.px(RIGHT)
    return area.adjusted(theme.px(LEFT), theme.px(TOP + (14 if body.marks else 0)), -keys, -theme.px(BOTTOM))


def ends_of(body: Curves) -> Ends:
    """The ranges of the axes: all points with a margin, marks included; shares from 0 to 1 as they are."""
    if body.diagonal:
        return Ends((0.0, 1.0), (0.0, 1.0))
    xs = np.concatenate([*(s.x for s in body.series), [mark.x for mark in body.marks]])
    ys = np.concatenate([s.y for s in body.series])
    based = any(s.style == "bars" for s in body.series) or ys.min() >= 0.0
    low, high = (0.0 if based else float(ys.min())), float(ys.max())
    return Ends(_wider(float(xs.min()), float(xs.max()), 0.02), _wider(low, high, 0.05, keep_low=based))


def _wider(low: float, high: float, share: float, *, keep_low: bool = False) -> tuple[float, float]:
    margin = share * (high - low) or 0.5 * abs(high) or 0.5
    return (low if keep_low else low - margin), high + margin


def _paint_curves(body: Curves, area: QRectF, painter: QPainter) -> None:
    plot, ends = plot_area(body, area), ends_of(body)
    if plot.width() < 24 or plot.height() < 16:
        return
    _paint_axes(body, plot, ends, painter)
    for series in sorted(body.series, key=lambda s: (not s.faint, -s.look)):
        _paint_series(series, plot, ends, painter)
    for mark in body.marks:
        color = QColor(curve_look(mark.look).color)
        painter.setPen(QPen(color, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(ends.place(plot, mark.x, ends.y[1]), ends.place(plot, mark.x, ends.y[0]))
    _paint_mark_words(body, ends, plot, painter)
    if len(body.series) > 1:
        _paint_keys(body.series, area, painter)


def _paint_mark_words(body: Curves, ends: Ends, plot: QRectF, painter: QPainter) -> None:
    """Write the marks' names above the plot: right of each, else left of it, else its number, else nothing."""
    width, painted = painter.fontMetrics().horizontalAdvance, plot.left() - theme.px(LEFT)
    places = [ends.place(plot, mark.x, ends.y[0]).x() for mark in body.marks]
    painter.setPen(theme.current().color("muted"))
    for mark, x in sorted(zip(body.marks, places, strict=True), key=lambda pair: pair[1]):
        after = min((other for other in places if other > x), default=plot.right() + theme.px(RIGHT))
        for words in (line(mark.words, 40), numbers.number(mark.x)):
            left = next((at for at in (x - 1.0, x - width(words)) if painted <= at and at + width(words) < after), None)
            if left is not None:
                painter.drawText(QPointF(left, plot.top() - 4), words)
                painted = left + width(words) + 1.0
                break


def _paint_axes(body: Curves, plot: QRectF, ends: Ends, painter: QPainter) -> None:
    t = theme.current()
    small = theme.px(16)
    for value in ticks(*ends.y, max(2, int(plot.height() / theme.px(32)))):
        y = ends.place(plot, ends.x[0], value).y()
        painter.setPen(QPen(t.color("hairline"), 1.0))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(t.color("muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            QRectF(plot.left() - theme.px(44), y - small / 2, theme.px(38), small), right, tick_text(value)
        )
    for value in ticks(*ends.x, max(2, int(plot.width() / theme.px(72))), whole=body.whole):
        x = ends.place(plot, value, ends.y[0]).x()
        painter.setPen(QPen(t.color("muted"), 1.0))
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 3))
        box = QRectF(x - theme.px(36), plot.bottom() + 4, theme.px(72), small)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, tick_text(value))
    painter.setPen(t.color("muted"))
    below = QRectF(plot.left(), plot.bottom() + theme.px(21), plot.width(), small)
    words = painter.fontMetrics().elidedText(body.x_label, Qt.TextElideMode.ElideRight, int(plot.width()))
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, words)
    if body.diagonal:
        painter.setPen(QPen(t.color("muted"), 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(plot.bottomLeft(), plot.topRight())
    _paint_upright(body.y_label, plot, painter)


def _paint_upright(words: str, plot: QRectF, painter: QPainter) -> None:
    """Write along the left axis."""
    painter.save()
    painter.setPen(theme.current().color("muted"))
    painter.translate(plot.left() - theme.px(LEFT - 8), plot.center().y())
    painter.rotate(-90)
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(plot.height()))
    half = plot.height() / 2
    painter.drawText(QRectF(-half, -theme.px(8), 2 * half, theme.px(16)), Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()


def _paint_series(series: Series, plot: QRectF, ends: Ends, painter: QPainter) -> None:
    look = curve_look(series.look)
    color = QColor(look.color)
    color.setAlphaF(FAINT if series.faint else 1.0)
    x, y = thinned_curve(series.x, series.y, max(1, int(plot.width())))
    places = [ends.place(plot, float(a), float(b)) for a, b in zip(x, y, strict=True)]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if series.style == "bars":
        _paint_bars(series, plot, ends, painter, color)
        return
    painter.setPen(QPen(color, 1.2 if series.faint else 1.8, look.style))
    # Line by line: the corners of one long path take Qt a hundred times as long.
    painter.drawLines([QLineF(a, b) for a, b in pairwise(places)])
    if series.style == "points":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for place in places:
            painter.drawEllipse(place, 2.6, 2.6)


def thinned_curve(x: Array, y: Array, columns: int) -> tuple[Array, Array]:
    """A curve with more than four points for each column of pixels, by the lowest and highest of each column."""
    if len(x) <= 4 * columns:
        return x, y
    starts = np.linspace(0, len(x), columns, endpoint=False).astype(np.intp)
    low, high = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    return np.repeat(x[starts], 2), np.column_stack([low, high]).ravel()


def _paint_bars(series: Series, plot: QRectF, ends: Ends, painter: QPainter, color: QColor) -> None:
    step = float(series.x[1] - series.x[0]) if len(series.x) > 1 else 1.0
    painter.setPen(Qt.PenStyle.NoPen)
    color.setAlphaF(0.75)
    painter.setBrush(color)
    for x, y in zip(series.x, series.y, strict=True):
        low, high = ends.place(plot, float(x - 0.46 * step), 0.0), ends.place(plot, float(x + 0.46 * step), float(y))
        painter.drawRect(QRectF(low, high).normalized())


def _paint_keys(series: Sequence[Series], area: QRectF, painter: QPainter) -> None:
    """Name the curves on the right, in their order."""
    row = 16
    left, height = area.right() - theme.px(KEYS) + theme.px(12), theme.px(row)
    shown = list(series)[: max(1, int((area.height() - theme.px(TOP)) / height))]
    for place, each in enumerate(shown):
        y = area.top() + theme.px(TOP) + (place + 0.5) * height
        color = QColor(curve_look(each.look).color)
        color.setAlphaF(FAINT if each.faint else 1.0)
        painter.setPen(QPen(color, 1.2 if each.faint else 2.4, curve_look(each.look).style))
        painter.drawLine(QPointF(left, y), QPointF(left + theme.px(16), y))
        painter.setPen(theme.current().color("text"))
        room = QRectF(left + theme.px(22), y - height / 2, theme.px(KEYS - 38), height)
        words = painter.fontMetrics().elidedText(line(each.name, 80), Qt.TextElideMode.ElideMiddle, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


def ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Round values within a range, about `most` at most."""
    span = high - low
    if not span > 0.0:
        return [low]
    step = 10.0 ** floor(log10(span / most))
    step *= next(factor for factor in (1.0, 2.0, 5.0, 10.0) if span / (step * factor) <= most)
    step = max(1.0, step) if whole else step
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def tick_text(value: float) -> str:
    """A tick's number without rounding errors."""
    if abs(value) >= 1e5 or 0.0 < abs(value) < 1e-3:
        return numbers.number(value, 2)
    return "0" if value == 0.0 else f"{value:.6g}".replace("-", "−")


# Matrices ---------------------------------------------------------------------------------------------------------


def matrix_area(body: Matrix, area: QRectF) -> QRectF:
    """The square in which a matrix is drawn."""
    left = theme.px(NAMES) if body.names else 0.0
    scale = 60  # room for the scale on the right
    side = max(0.0, min(area.width() - left - theme.px(scale + 20), area.height() - 2.0))
    return QRectF(area.left() + left, area.top() + 1.0, side, side)


def limits_of(values: Array) -> tuple[float, float]:
    """The entries at both ends of the scale, 0 at its beginning or in its middle; of many a part is looked at."""
    looked_at = 100_000  # entries from which the shades of a matrix are chosen
    some = values.ravel()[:: max(1, values.size // looked_at)]
    finite = some[np.isfinite(some)]
    if not finite.size:
        return 0.0, 1.0
    size = np.abs(finite)
    # The percentile of its entries at which a matrix has its brightest shade: single large ones would darken all.
    bright = 99.5
    high = float(np.percentile(size, bright)) or float(size.max()) or 1.0
    return (-high if finite.min() < 0.0 else 0.0), high


def shaded(body: Matrix) -> Shades:
    """A matrix in shades, a pixel for each entry."""
    low, high = limits_of(body.values)
    with np.errstate(invalid="ignore"):
        places = np.clip((body.values - low) * ((BINS - 1) / (high - low)), 0, BINS - 1).astype(np.uint8)
    n = len(places)
    image = QImage(np.ascontiguousarray(places).data, n, n, n, QImage.Format.Format_Indexed8).copy()
    image.setColorTable([QColor(*map(int, rgb)).rgb() for rgb in _colours(low)])
    return Shades(image.convertToFormat(QImage.Format.Format_RGB32), low, high, float(np.nanmax(body.values)) > high)


def _colours(low: float) -> RGB:
    """The colours of a scale that begins at 0 or, with negative entries, has it in the middle."""
    return scale_colours("diverging", theme.current().name) if low < 0.0 else scale_colours("continuous", "dark")


def _paint_matrix(body: Matrix, shades: Shades, area: QRectF, painter: QPainter) -> None:
    square, t = matrix_area(body, area), theme.current()
    if square.width() < 16:
        return
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, len(body.values) > square.width())
    painter.drawImage(square, shades.image)
    painter.setPen(QPen(QColor(255, 255, 255, 130), 1.0))
    for bound in body.bounds:
        at = bound * square.width()
        painter.drawLine(QPointF(square.left() + at, square.top()), QPointF(square.left() + at, square.bottom()))
        painter.drawLine(QPointF(square.left(), square.top() + at), QPointF(square.right(), square.top() + at))
    painter.setPen(t.color("muted"))
    last, height = -1e9, theme.px(14)
    for share, name in body.names:
        y = square.top() + share * square.height()
        if y - last >= height - 1:
            box = QRectF(area.left(), y - height / 2, theme.px(NAMES) - 6, height)
            words = painter.fontMetrics().elidedText(line(name, 60), Qt.TextElideMode.ElideMiddle, int(box.width()))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
            last = y
    _paint_scale(body.scale, shades, square, painter)


def _paint_scale(words: str, shades: Shades, square: QRectF, painter: QPainter) -> None:
    """Draw what the shades mean beside the matrix."""
    bar = QRectF(square.right() + theme.px(12), square.top() + theme.px(18), theme.px(10), 0.0)
    bar.setBottom(square.bottom())
    column = np.ascontiguousarray(_colours(shades.low)[::-1])
    painter.drawImage(bar, QImage(column.data, 1, BINS, 3, QImage.Format.Format_RGB888).copy())
    painter.setPen(theme.current().color("muted"))
    painter.drawText(QPointF(bar.left(), square.top() + theme.px(11)), words)
    high = ("≥ " if shades.cut else "") + numbers.number(shades.high)
    for y, text in ((bar.top() + theme.px(10), high), (bar.bottom(), numbers.number(shades.low))):
        painter.drawText(QPointF(bar.right() + theme.px(5), y), text)


def cell_at(body: Matrix, area: QRectF, place: QPointF) -> tuple[int, int] | None:
    """The row and column of a matrix under a position."""
    square, n = matrix_area(body, area), len(body.values)
    if not square.contains(place) or not n:
        return None
    share = (place - square.topLeft()) / square.width()
    return min(n - 1, int(share.y() * n)), min(n - 1, int(share.x() * n))
