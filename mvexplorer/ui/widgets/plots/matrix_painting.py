"""Paints a matrix in shades, with the names or the axes at its sides, and its scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Matrix
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import RGB, scale_colours
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.plot_axes import BOTTOM, LEFT, RIGHT, TOP, AxisWords, Ends, paint_axes
from mvexplorer.ui.widgets.shortening import told_apart

NAMES, SCALE = 72, 80
"""Room for the names of rows on the left, and for the scale on the right."""
BINS = 256


@dataclass(frozen=True)
class Shades:
    """A matrix as an image, what its darkest and brightest shades mean, and whether entries lie beyond these."""

    image: QImage
    colours: RGB
    low: float
    high: float
    cut: bool


def matrix_area(body: Matrix, area: QRectF, *, scale: bool = True) -> QRectF:
    """The part of an area in which a matrix is drawn: a square, or all there is between its axes and its scale."""
    if _has_axes(body):
        return area.adjusted(theme.px(LEFT), theme.px(TOP), -theme.px(SCALE if scale else RIGHT), -theme.px(BOTTOM))
    left = theme.px(NAMES) if body.names else 0.0
    side = max(0.0, min(area.width() - left - theme.px(SCALE), area.height() - 2.0))
    return QRectF(area.left() + left, area.top() + 1.0, side, side)


def _has_axes(body: Matrix) -> bool:
    return bool(body.x_label or body.y_label)


def _limits(body: Matrix) -> tuple[float, float]:
    """The entries at both ends of the scale, 0 at its beginning or in its middle; of many a part is looked at."""
    if body.limits is not None:
        low, high = body.limits
        return (low, high) if high > low else (low - 0.5, high + 0.5)
    looked_at = 100_000  # entries from which the shades of a matrix are chosen
    some = body.values.ravel()[:: max(1, body.values.size // looked_at)]
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
    low, high = _limits(body)
    kind = "diverging" if low < 0.0 and body.limits is None else "continuous"
    # Affinities fade into the dark in either theme.
    colours = scale_colours(kind, theme.current().name if low < 0.0 or body.limits is not None else "dark")
    values = np.nan_to_num(body.values, nan=low, posinf=high, neginf=low)
    places = np.clip((values - low) * ((BINS - 1) / (high - low)), 0, BINS - 1).astype(np.uint8)
    places = places[::-1] if body.y is not None else places
    rows, columns = places.shape
    image = QImage(np.ascontiguousarray(places).data, columns, rows, columns, QImage.Format.Format_Indexed8).copy()
    image.setColorTable([QColor(*map(int, rgb)).rgb() for rgb in colours])
    beyond = bool((body.values > high).any())
    return Shades(image.convertToFormat(QImage.Format.Format_RGB32), colours, low, high, beyond)


def paint_matrix(body: Matrix, shades: Shades, area: QRectF, painter: QPainter, *, scale: bool = True) -> None:
    """Paint a matrix into an area, with what its shades mean unless that stands elsewhere."""
    plot = matrix_area(body, area, scale=scale)
    if plot.width() < 16 or plot.height() < 16:
        return
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, shades.image.width() > plot.width())
    painter.drawImage(plot, shades.image)
    painter.setPen(QPen(QColor(255, 255, 255, 130), 1.0))
    for bound in body.bounds:
        across, down = plot.left() + bound * plot.width(), plot.top() + bound * plot.height()
        painter.drawLine(QPointF(across, plot.top()), QPointF(across, plot.bottom()))
        painter.drawLine(QPointF(plot.left(), down), QPointF(plot.right(), down))
    if _has_axes(body):
        _paint_sides(body, plot, painter)
    _paint_contours(body, plot, painter)
    _paint_corners(body.corners, shades.image, plot, painter)
    _paint_row_names(body, plot, area, painter)
    if scale:
        _paint_scale(body.scale, shades, plot, painter)


def _paint_sides(body: Matrix, plot: QRectF, painter: QPainter) -> None:
    x, y = (AxisWords(label, told=at is not None) for label, at in ((body.x_label, body.x), (body.y_label, body.y)))
    paint_axes(plot, matrix_ends(body), x, y, painter, lines=False)


def _paint_contours(body: Matrix, plot: QRectF, painter: QPainter) -> None:
    ends = matrix_ends(body)
    for contour in body.contours:
        style = Qt.PenStyle.DashLine if contour.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(Qt.GlobalColor.white, 1.0, style))
        painter.drawPolyline([ends.place(plot, x, y) for x, y in zip(contour.x, contour.y, strict=True)])


def _paint_corners(corners: Sequence[str], image: QImage, plot: QRectF, painter: QPainter) -> None:
    """Write words into the corners, white or black on what is there."""
    left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
    bottom, top = Qt.AlignmentFlag.AlignBottom, Qt.AlignmentFlag.AlignTop
    x, y, bright = image.width() - 1, image.height() - 1, 0.6
    places = ((bottom | left, 0, y), (bottom | right, x, y), (top | left, 0, 0), (top | right, x, 0))
    for words, (place, across, down) in zip(corners, places, strict=False):
        is_bright = image.pixelColor(across, down).valueF() > bright
        painter.setPen(Qt.GlobalColor.black if is_bright else Qt.GlobalColor.white)
        painter.drawText(plot.adjusted(5, 3, -5, -3), place, words)


def matrix_ends(body: Matrix) -> Ends:
    """The values at the ends of a matrix's sides."""
    rows, columns = body.values.shape
    return Ends(_ends(body.x, columns), _ends(body.y, rows))


def _ends(values: Array | None, n: int) -> tuple[float, float]:
    """Where the first and the last cell of a side end: half a step beyond their values."""
    if values is None or len(values) < 2:
        return 0.0, float(n)
    half = 0.5 * float(values[-1] - values[0]) / (n - 1)
    return float(values[0]) - half, float(values[-1]) + half


def _paint_row_names(body: Matrix, plot: QRectF, area: QRectF, painter: QPainter) -> None:
    painter.setPen(theme.current().color("muted"))
    last, height = -1e9, theme.px(14)
    names, wide = [line(name, 4 * LINE) for _, name in body.names], painter.fontMetrics().horizontalAdvance
    for number, (share, _) in enumerate(body.names, start=1):
        y = plot.top() + share * plot.height()
        if y - last >= height - 1:
            box = QRectF(area.left(), y - height / 2, theme.px(NAMES) - 6, height)
            words = told_apart(names[number - 1], names, number, box.width(), wide)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
            last = y


def _paint_scale(words: str, shades: Shades, plot: QRectF, painter: QPainter) -> None:
    """Draw what the shades mean beside the matrix."""
    bar = QRectF(plot.right() + theme.px(12), plot.top() + theme.px(18 if words else 2), theme.px(10), 0.0)
    bar.setBottom(plot.bottom())
    column = np.ascontiguousarray(shades.colours[::-1])
    painter.drawImage(bar, QImage(column.data, 1, BINS, 3, QImage.Format.Format_RGB888).copy())
    painter.setPen(theme.current().color("muted"))
    painter.drawText(QPointF(bar.left(), plot.top() + theme.px(11)), words)
    high = ("≥ " if shades.cut else "") + numbers.number(shades.high)
    for y, text in ((bar.top() + theme.px(10), high), (bar.bottom(), numbers.number(shades.low))):
        painter.drawText(QPointF(bar.right() + theme.px(5), y), text)


def cell_at(body: Matrix, plot: QRectF, place: QPointF) -> tuple[int, int] | None:
    """The row and column of a matrix under a position."""
    rows, columns = body.values.shape
    if not plot.contains(place) or not body.values.size:
        return None
    down, across = (place.y() - plot.top()) / plot.height(), (place.x() - plot.left()) / plot.width()
    row = min(rows - 1, int(down * rows))
    return rows - 1 - row if body.y is not None else row, min(columns - 1, int(across * columns))
