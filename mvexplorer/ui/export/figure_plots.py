"""Curves and shades of experiments, on axes as the pages have them."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPicture

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import scale_colours
from mvexplorer.ui.widgets.colour_key import KeyEntry, key_row_height
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.curve_plot import apply_plot_theme, curve_look, quieten
from mvexplorer.wording import superscript

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.experiments.figures import CurvesFigure, Heat, Line

TEXT = 13
SWATCH = 28.0
"""Width of a piece of line in the legend."""
FEW = 24
"""A curve through at most so many values shows each."""


def _font() -> QFont:
    return theme.font(TEXT, family=theme.bundled_family())


def _plot(title: str, across: str, up: str) -> pg.PlotWidget:
    plot = pg.PlotWidget()
    quieten(plot, title)
    apply_plot_theme(plot)
    for side, words in (("bottom", across), ("left", up)):
        axis = plot.getAxis(side)
        axis.setStyle(tickFont=_font(), tickLength=-5)
        axis.setTextPen(pg.mkPen(theme.current().text))
        axis.setPen(pg.mkPen(theme.current().muted))
        axis.label.setFont(_font())
        axis.setLabel(words or None)
    plot.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    return plot


def _paint_plot(plot: pg.PlotWidget, room: QRectF, scale: float, painter: QPainter) -> None:
    """Paint a plot that was never on screen, by an image of its own: pyqtgraph's axes depend on a picture's dpi."""
    plot.resize(room.size().toSize())
    plot.show()
    _make_room_for_numbers(plot)
    image = QImage(plot.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(theme.current().color("surface"))
    inner = QPainter(image)
    try:
        inner.setRenderHint(QPainter.RenderHint.Antialiasing)
        plot.render(inner, QRectF(plot.rect()))
    finally:
        inner.end()
    painter.drawImage(room.topLeft(), image)
    plot.close()


def _make_room_for_numbers(plot: pg.PlotWidget) -> None:
    """Paint the axes alone, for nobody: an axis learns its width from its numbers when it paints them."""
    unseen = QPicture()
    painter = QPainter(unseen)
    try:
        for _ in range(2):  # which numbers there are follows the room that is left
            plot.getPlotItem().layout.activate()
            plot.scene().prepareForPaint()
            for side in ("bottom", "left"):
                plot.getAxis(side).paint(painter, None, None)
    finally:
        painter.end()


# Curves -----------------------------------------------------------------------------------------------------


def paint_curves(figure: CurvesFigure, body: QRectF, scale: float, painter: QPainter) -> None:
    """Paint curves with their legend below, where there are several."""
    plot = _plot(figure.title, figure.across, figure.up)
    plot.setLogMode(x=figure.log_across, y=figure.log_up)
    if figure.limits is not None:
        plot.setYRange(*figure.limits, padding=0.02)
    for i, each in enumerate(figure.lines):
        _draw_line(plot, each, i)
    for i, (x, name) in enumerate(figure.marks):
        _draw_mark(plot, float(np.log10(x)) if figure.log_across else x, name, i)
    for side, log in (("bottom", figure.log_across), ("left", figure.log_up)):
        if log:
            _tick_powers(plot, side)
    painter.setFont(_font())
    names = [(i, line(each.name, 40)) for i, each in enumerate(figure.lines)] if len(figure.lines) > 1 else []
    entries = _legend(names, body.width())
    legend = ceil(entries[-1].y + key_row_height(_font()) / 2) if entries else 0
    _paint_plot(plot, body.adjusted(0, 0, 0, -legend), scale, painter)
    for entry in entries:
        spot = QPointF(body.left() + entry.x, body.bottom() - legend + entry.y)
        _paint_swatch(painter, figure.lines[entry.place], entry.place, spot)
        painter.setPen(theme.current().color("text"))
        painter.drawText(spot + QPointF(SWATCH + 6, 0.36 * TEXT), entry.text)


def _tick_powers(plot: pg.PlotWidget, side: str) -> None:
    """Tick a logarithmic axis: whole powers of ten as far as there is room, or some between where they are few."""
    plot.getPlotItem().vb.updateAutoRange()
    low, high = plot.getPlotItem().viewRange()[0 if side == "bottom" else 1]
    parts = (1, 2, 5) if high - low < 1.5 else (1, 3) if high - low < 3.5 else (1,)
    powers = range(floor(low), ceil(high) + 1, max(1, round((high - low) / 6)))
    ticks = [(k + log10(part), _power(part, k)) for k in powers for part in parts]
    plot.getAxis(side).setTicks([[tick for tick in ticks if low <= tick[0] <= high]])


def _power(part: int, k: int) -> str:
    if -4 < k < 4:
        return f"{part * 10.0**k:g}"
    return f"{'' if part == 1 else f'{part}·'}10{superscript(k)}"


def _legend(names: list[tuple[int, str]], width: float) -> list[KeyEntry]:
    """The names in rows, a piece of line before each."""
    advance, entries, x, y = QFontMetricsF(_font()).horizontalAdvance, [], 0.0, 0.5 * key_row_height(_font())
    for place, name in names:
        taken = SWATCH + 6 + advance(name)
        if x and x + taken > width:
            x, y = 0.0, y + key_row_height(_font())
        entries.append(KeyEntry(name, place, x, y))
        x += taken + 20
    return entries


def _draw_line(plot: pg.PlotWidget, each: Line, place: int) -> None:
    look = curve_look(place)
    dots = {"symbol": look.symbol, "symbolSize": 6, "symbolBrush": pg.mkBrush(look.color), "symbolPen": None}
    pen = None if each.markers else pg.mkPen(look.color, width=2, style=look.style)
    marked = each.markers or len(each.x) <= FEW
    plot.plot(
        np.asarray(each.x, float), np.asarray(each.y, float), pen=pen, connect="finite", **(dots if marked else {})
    )


def _draw_mark(plot: pg.PlotWidget, x: float, name: str, place: int) -> None:
    """Draw a vertical line with its name, the names of neighbours at different heights."""
    muted = theme.current().muted
    at = {"position": 0.95 - 0.06 * (place % 6), "color": theme.current().text, "anchors": [(0, 0.5), (1, 0.5)]}
    mark = pg.InfiniteLine(x, 90, pen=pg.mkPen(muted, style=Qt.PenStyle.DashLine), label=line(name, 40), labelOpts=at)
    mark.label.setFont(_font())
    plot.addItem(mark)


def _paint_swatch(painter: QPainter, each: Line, place: int, spot: QPointF) -> None:
    look = curve_look(place)
    if not each.markers:
        painter.setPen(QPen(QColor(look.color), 2, look.style))
        painter.drawLine(QLineF(spot, spot + QPointF(SWATCH, 0)))
    if each.markers or len(each.x) <= FEW:
        painter.setPen(QColor(look.color))
        box = QRectF(spot.x(), spot.y() - 10, SWATCH, 20)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, look.glyph)


# Shades -----------------------------------------------------------------------------------------------------


def paint_heat(figure: Heat, body: QRectF, scale: float, painter: QPainter) -> None:
    """Paint a matrix as shades, with its scale on the right."""
    plot = _plot(figure.title, figure.across, figure.up)
    item = pg.ImageItem(np.asarray(figure.values, float), axisOrder="row-major")
    item.setLookupTable(scale_colours("continuous", theme.current().name))
    low, high = _limits(figure.values)
    item.setLevels((low, high))
    rows, columns = figure.values.shape
    (left, right), (top, bottom) = _ends(figure.x, columns), _ends(figure.y, rows)
    item.setRect(QRectF(left, top, right - left, bottom - top))
    plot.addItem(item)
    plot.invertY(figure.y is None)
    plot.setRange(xRange=(left, right), yRange=sorted((top, bottom)), padding=0.0)
    for side, values in (("bottom", figure.x), ("left", figure.y)):
        if values is None:
            plot.getAxis(side).setStyle(showValues=False)
    scale_bar = 88  # width of the scale beside shades
    _paint_plot(plot, body.adjusted(0, 0, -scale_bar, 0), scale, painter)
    _paint_scale(painter, QRectF(body.right() - scale_bar + 20, body.top() + 8, 14, body.height() - 64), low, high)


def _limits(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ends(values: Array | None, n: int) -> tuple[float, float]:
    """Where the first and the last cell of a side end: half a step beyond their values."""
    if values is None or len(values) < 2:
        return 0.0, float(n)
    half = 0.5 * float(values[-1] - values[0]) / (n - 1)
    return float(values[0]) - half, float(values[-1]) + half


def _paint_scale(painter: QPainter, bar: QRectF, low: float, high: float) -> None:
    table = np.ascontiguousarray(scale_colours("continuous", theme.current().name)[::-1])
    image = QImage(table.tobytes(), 1, len(table), 3, QImage.Format.Format_RGB888).copy()
    painter.drawImage(bar, image)
    painter.setPen(theme.current().color("text"))
    painter.setFont(_font())
    low = 0.0 if abs(low) < 1e-6 * high else low
    for value, y in ((high, bar.top() + 5), (0.5 * (low + high), bar.center().y()), (low, bar.bottom() - 5)):
        painter.drawText(QPointF(bar.right() + 6, y + 0.36 * TEXT), numbers.number(value))
