"""Paints curves over one axis, with their marks, and their names beside, below, or where they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from math import cos, pi, sin

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Curves, LabelledLine, Series
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.plot_axes import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    AxisWords,
    Ends,
    figure_font,
    on_axis,
    paint_axes,
)
from mvexplorer.ui.widgets.shortening import told_apart

KEYS, ROW, SWATCH = 168, 16, 16
"""Width of the legend beside curves, height of its rows, width of a piece of line."""
NAMED = 240
"""Width of the names where curves end."""
FAINT = 0.65
"""How dense the curves are that stand behind."""
SYMBOLS = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "t1": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
    "d": ((0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)),
    "t": ((0, 1.2), (1.1, -0.9), (-1.1, -0.9)),
    "star": tuple((radius * sin(0.2 * pi * k), -radius * cos(0.2 * pi * k)) for k, radius in enumerate((1.5, 0.6) * 5)),
}
"""The corners of the markers that are no circles."""


@dataclass(frozen=True)
class Key:
    """The name of a curve in the legend, and where its piece of line begins from the legend's corner."""

    series: Series
    x: float
    y: float


@dataclass(frozen=True)
class Layout:
    """Where the curves lie in an area, and their legend."""

    plot: QRectF
    corner: QPointF
    keys: tuple[Key, ...] = ()


def layout_of(body: Curves, area: QRectF, *, legend: bool = True) -> Layout:
    """Lay out curves: of more than one the names stand on the right, or below where the area is as high as wide."""
    top = theme.px(TOP + (14 if body.marks else 0))
    inner = area.adjusted(theme.px(LEFT), top, -theme.px(RIGHT), -theme.px(BOTTOM))
    if body.named:
        return Layout(inner.adjusted(0, 0, -theme.px(NAMED), 0), area.topRight())
    named = _named_once(body.series)
    if len(named) < 2 or not legend:
        return Layout(inner, area.topRight())
    high = 0.66  # height of an area over its width from which on there is room below
    if area.height() < high * area.width():
        row = theme.px(ROW)
        fitting = max(1, int((area.height() - theme.px(TOP)) / row))
        keys = tuple(Key(each, 0.0, (k + 0.5) * row) for k, each in enumerate(named[:fitting]))
        corner = QPointF(area.right() - theme.px(KEYS - 12), area.top() + theme.px(TOP))
        return Layout(inner.adjusted(0, 0, -theme.px(KEYS - RIGHT), 0), corner, keys)
    keys = _rows(named, inner.width())
    below = keys[-1].y + 0.5 * theme.px(ROW)
    return Layout(inner.adjusted(0, 0, 0, -below), QPointF(inner.left(), area.bottom() - below), keys)


def _named_once(series: Sequence[Series]) -> list[Series]:
    """The curves with a name of their own: pieces of one curve, of which some are dashed, share theirs and a colour."""
    firsts: dict[tuple[str, str], Series] = {}
    for each in series:
        firsts.setdefault((each.name, curve_look(each.look).color), each)
    return list(firsts.values())


def _rows(series: Sequence[Series], width: float) -> tuple[Key, ...]:
    """The names in rows, as many side by side as have room."""
    advance, keys, x, y = QFontMetricsF(figure_font()).horizontalAdvance, [], 0.0, 0.5 * theme.px(ROW)
    for each in series:
        taken = theme.px(SWATCH + 6) + advance(_name(each))
        if x and x + taken > width:
            x, y = 0.0, y + theme.px(ROW)
        keys.append(Key(each, x, y))
        x += taken + theme.px(16)
    return tuple(keys)


def _name(series: Series) -> str:
    longest = 40  # characters of a name in rows
    return line(series.name, longest)


@lru_cache(16)
def ends_of(body: Curves) -> Ends:
    """The ranges of the axes: all points with a margin, marks included; shares from 0 to 1 as they are.

    They are asked for at every move of the pointer.
    """
    if body.diagonal:
        return Ends((0.0, 1.0), (0.0, 1.0))
    points = np.concatenate([*(s.x for s in body.series), [mark.x for mark in body.marks]])
    xs = on_axis(points if body.span is None else body.span, log=body.log_x)
    bands = [s.band[:, 1:].ravel() for s in body.series if s.band is not None]
    ys = on_axis(np.concatenate([*(s.y for s in body.series), *bands, []]), log=body.log_y)
    (left, right), (low, high) = _range(xs), _range(ys)
    half = max((0.5 * _step(s.x) for s in body.series if s.style == "bars"), default=0.0)
    left, right = left - half, right + half
    based = any(s.style == "bars" for s in body.series) or (low >= 0.0 and not body.log_y and not body.from_least)
    up = body.limits or _wider(0.0 if based else low, high, 0.05, keep_low=based)
    # Ends that were given are shared with other plots: lines at one value stand over one another.
    return Ends(_wider(left, right, 0.02) if body.span is None else (float(xs[0]), float(xs[-1])), up)


def _step(x: Array) -> float:
    """The width of a bar with the room beside it."""
    return float(x[1] - x[0]) if len(x) > 1 else 1.0


def _range(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def _wider(low: float, high: float, share: float, *, keep_low: bool = False) -> tuple[float, float]:
    margin = share * (high - low) or 0.5 * abs(high) or 0.5
    return (low if keep_low else low - margin), high + margin


def paint_curves(body: Curves, area: QRectF, painter: QPainter, *, legend: bool = True) -> None:
    """Paint axes, curves, marks and names into an area."""
    layout, ends = layout_of(body, area, legend=legend), ends_of(body)
    plot = layout.plot
    if plot.width() < 24 or plot.height() < 16:
        return
    across, up = AxisWords(body.x_label, body.log_x, body.whole), AxisWords(body.y_label, body.log_y)
    paint_axes(plot, ends, across, up, painter)
    if body.diagonal:
        painter.setPen(QPen(theme.current().color("muted"), 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(plot.bottomLeft(), plot.topRight())
    painter.save()
    painter.setClipRect(plot.adjusted(-4, -4, 4, 4))  # values beyond the limits given are not drawn
    for series in sorted(body.series, key=lambda s: (bool(s.best), s.front, not s.faint, -s.look)):
        _paint_series(body, series, plot, ends, painter)
    painter.restore()
    _paint_marks(body, ends, plot, painter)
    names = [line(key.series.name, 4 * LINE) for key in layout.keys]
    for number, key in enumerate(layout.keys, start=1):
        _paint_key(key, names, number, layout.corner, area, painter)
    if body.named:
        _paint_names(body, plot, ends, painter)


# Marks ----------------------------------------------------------------------------------------------------------


def _paint_marks(body: Curves, ends: Ends, plot: QRectF, painter: QPainter) -> None:
    """Paint dashed lines, and their names above the plot, or in it where that is high enough."""
    places = [ends.place(plot, float(x), ends.y[0]).x() for x in on_axis([m.x for m in body.marks], log=body.log_x)]
    for mark, x in zip(body.marks, places, strict=True):
        color = theme.current().color("muted") if mark.look is None else QColor(curve_look(mark.look).color)
        painter.setPen(QPen(color, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
    rows = 4 if plot.height() > theme.px(200) else 1
    taken = [plot.left() - theme.px(LEFT)] * rows
    painter.setPen(theme.current().color("muted"))
    for mark, x in sorted(zip(body.marks, places, strict=True), key=lambda pair: pair[1]):
        after = [min((other for other in places if other > x), default=plot.right() + theme.px(RIGHT))]
        _paint_mark_words(mark, x, [*after, *[plot.right()] * (rows - 1)], taken, plot.top() - 4, painter)


def _paint_mark_words(
    mark: LabelledLine, x: float, room: Sequence[float], taken: list[float], base: float, painter: QPainter
) -> None:
    """Write a mark's name in the first row with room: right of it, else left of it, else its number, else nothing."""
    width = painter.fontMetrics().horizontalAdvance
    for words in (line(mark.words, 40), numbers.number(mark.x)):
        for row, right in enumerate(room):
            sides = (x + (3.0 if row else -1.0), x - width(words) - (3.0 if row else 0.0))
            left = next((at for at in sides if taken[row] <= at and at + width(words) < right), None)
            if left is not None:
                painter.drawText(QPointF(left, base + row * theme.px(ROW)), words)
                taken[row] = left + width(words) + 1.0
                return


# Curves ---------------------------------------------------------------------------------------------------------


def _color(series: Series) -> QColor:
    if series.best is not None:
        return theme.current().color("accent" if series.best else "muted", 255 if series.best else 130)
    color = QColor(curve_look(series.look).color)
    color.setAlphaF(FAINT if series.faint else 1.0)
    return color


def _paint_series(body: Curves, series: Series, plot: QRectF, ends: Ends, painter: QPainter) -> None:
    x, y = on_axis(series.x, log=body.log_x), on_axis(series.y, log=body.log_y)
    x, y = thinned_curve(x, y, max(1, int(plot.width())))
    color = _color(series)
    if series.band is not None and len(series.band):
        _paint_band(body, series.band, plot, ends, painter, color)
    if series.style == "bars":
        _paint_bars(x, y, plot, ends, painter, color)
        return
    places = [ends.place(plot, float(a), float(b)) for a, b in zip(x, y, strict=True)]
    there = np.isfinite(x) & np.isfinite(y)
    if series.style != "dots":
        painter.setPen(QPen(color, _width(series), _style(series)))
        if _style(series) == Qt.PenStyle.SolidLine:
            # Line by line: the corners of one long path take Qt a hundred times as long.
            both = there[:-1] & there[1:]
            painter.drawLines([QLineF(*pair) for pair, drawn in zip(pairwise(places), both, strict=True) if drawn])
        else:  # dashes would begin anew at each line
            for drawn, run in groupby(zip(places, there, strict=True), key=lambda each: bool(each[1])):
                if drawn:
                    painter.drawPolyline(QPolygonF([place for place, _ in run]))
    if series.style != "line":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for place, drawn in zip(places, there, strict=True):
            if drawn:
                _paint_symbol(series.look, place, painter, 1.5 if series.front else 1.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _width(series: Series) -> float:
    if series.front:
        return 3.2
    return 2.6 if series.best else 1.2 if series.faint or series.best is not None else 1.8


def _style(series: Series) -> Qt.PenStyle:
    return Qt.PenStyle.SolidLine if series.best is not None else curve_look(series.look).style


def _paint_symbol(look: int, place: QPointF, painter: QPainter, scale: float = 1.0) -> None:
    size, corners = 2.6 * scale, SYMBOLS.get(curve_look(look).symbol)
    if corners is None:
        painter.drawEllipse(place, size, size)
    else:
        places = [QPointF(place.x() + size * x, place.y() + size * y) for x, y in corners]
        painter.drawPolygon(QPolygonF(places))


def _paint_band(body: Curves, band: Array, plot: QRectF, ends: Ends, painter: QPainter, color: QColor) -> None:
    x, low, high = on_axis(band[:, 0], log=body.log_x), *(on_axis(band[:, k], log=body.log_y) for k in (1, 2))
    edge = [ends.place(plot, float(a), float(b)) for a, b in zip(x, low, strict=True)]
    edge += [ends.place(plot, float(a), float(b)) for a, b in zip(x[::-1], high[::-1], strict=True)]
    pale = QColor(color)
    pale.setAlphaF(0.16 * color.alphaF())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(pale)
    painter.drawPolygon(QPolygonF(edge))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def thinned_curve(x: Array, y: Array, columns: int) -> tuple[Array, Array]:
    """A curve with more than four points for each column of pixels, by the lowest and highest of each column.

    One whose x does not ascend stays as it is.
    """
    if len(x) <= 4 * columns or (np.diff(x) < 0.0).any():
        return x, y
    starts = np.linspace(0, len(x), columns, endpoint=False).astype(np.intp)
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    return np.repeat(x[starts], 2), np.column_stack([low, high]).ravel()


def _paint_bars(x: Array, y: Array, plot: QRectF, ends: Ends, painter: QPainter, color: QColor) -> None:
    step = _step(x)
    painter.setPen(Qt.PenStyle.NoPen)
    color.setAlphaF(0.75 * color.alphaF())
    painter.setBrush(color)
    for a, b in zip(x, y, strict=True):
        low, high = ends.place(plot, float(a - 0.46 * step), 0.0), ends.place(plot, float(a + 0.46 * step), float(b))
        painter.drawRect(QRectF(low, high).normalized())
    painter.setBrush(Qt.BrushStyle.NoBrush)


# Names ----------------------------------------------------------------------------------------------------------


def _paint_key(key: Key, names: list[str], number: int, corner: QPointF, area: QRectF, painter: QPainter) -> None:
    """Paint a piece of the line, its marker, and the curve's name, cut where there is no room."""
    series, spot, wide = key.series, corner + QPointF(key.x, key.y), theme.px(SWATCH)
    if series.style != "dots":
        painter.setPen(QPen(_color(series), 1.2 if series.faint else 2.4, _style(series)))
        painter.drawLine(spot, spot + QPointF(wide, 0.0))
    if series.style in ("points", "dots"):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_color(series))
        _paint_symbol(series.look, spot + QPointF(wide / 2, 0.0), painter)
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(theme.current().color("text"))
    left, high = spot.x() + wide + theme.px(6), theme.px(ROW)
    room = QRectF(left, spot.y() - high / 2, max(0.0, area.right() - left), high)
    words = told_apart(names[number - 1], names, number, room.width(), painter.fontMetrics().horizontalAdvance)
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


def _paint_names(body: Curves, plot: QRectF, ends: Ends, painter: QPainter) -> None:
    """Write each name beside its line's end, moved apart where lines end close together."""
    last = []
    for series in body.series:
        x, y = on_axis(series.x, log=body.log_x), on_axis(series.y, log=body.log_y)
        there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if there.size:
            last.append((ends.place(plot, float(x[there[-1]]), float(y[there[-1]])), series))
    last.sort(key=lambda item: item[0].y())
    heights = spread_heights([place.y() for place, _ in last], theme.px(ROW) - 1, plot.top(), plot.bottom())
    names = [line(series.name, 4 * LINE) for _, series in last]
    for number, ((place, series), height) in enumerate(zip(last, heights, strict=True), start=1):
        color, font = theme.current().color("accent" if series.best else "muted"), QFont(painter.font())
        painter.setPen(QPen(color, 1.0))
        painter.drawPolyline(QPolygonF([place, QPointF(plot.right() + 24, height), QPointF(plot.right() + 28, height)]))
        font.setBold(bool(series.best))
        painter.setFont(font)
        room, wide = theme.px(NAMED) - 28, painter.fontMetrics().horizontalAdvance
        shown = told_apart(names[number - 1], names, number, room, wide)
        painter.drawText(QPointF(plot.right() + 32, height + 4), shown)
    painter.setFont(figure_font())


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
