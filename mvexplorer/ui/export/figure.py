"""Figures of experiments as pictures: clouds, curves, shades, pictures in a row, tables."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import fit_to_unit
from mvexplorer.figures import Figure, Pictures, PointCloud, Table
from mvexplorer.state.pictures.colouring import Colouring, colouring_of
from mvexplorer.ui.cloud.encoding import painted_image
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.export.legend import legend_entries, legend_font
from mvexplorer.ui.export.render import paint_points
from mvexplorer.ui.export.sheet import Sheet, Tile
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import REST, point_colours, point_markers
from mvexplorer.ui.widgets.colour_key import key_row_height, paint_key
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.figure_painting import paint_figure

SIZE = QSize(640, 480)
SCALE = 2.0
HEAD = 48
"""Room above what is drawn, for the title."""


def draw_figure(figure: Figure, scale: float = SCALE) -> QImage:
    """A figure in the present theme, at `scale` pixels per unit; needs an application."""
    return painted_image(SIZE, scale, lambda painter: _paint(figure, scale, painter), 96 * scale)


def _paint(figure: Figure, scale: float, painter: QPainter) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, SIZE.width(), SIZE.height()), theme.current().color("surface"))
    painter.setPen(theme.current().color("text"))
    painter.setFont(_font(16, bold=True))
    title = line(figure.title, 120)
    margin = 16  # around what is drawn
    room = SIZE.width() - 2 * margin
    painter.drawText(QPointF(margin, 30), painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room))
    body = QRectF(margin, HEAD, room, SIZE.height() - HEAD - margin)
    paint_body(figure, body, painter, scale=scale, zoom=13 / theme.SMALL_PX)


def paint_body(
    figure: Figure, area: QRectF, painter: QPainter, *, scale: float, vector: bool = False, zoom: float = 1.0
) -> None:
    """Paint what a figure draws into an area: as vectors, or at `scale` pixels per unit.

    `zoom` enlarges the words of curves and matrices.
    """
    match figure.body:
        case PointCloud():
            _paint_cloud(figure.body, area, vector, scale, painter)
        case Pictures():
            _paint_pictures(figure.body, area, painter)
        case Table():
            _paint_table(figure.body, area, painter)
        case _:
            painter.save()
            painter.translate(area.topLeft())
            painter.scale(zoom, zoom)
            paint_figure(figure, QRectF(0, 0, area.width() / zoom, area.height() / zoom), painter)
            painter.restore()


def _font(px: int, *, bold: bool = False) -> QFont:
    return theme.font(px, bold=bold, family=theme.bundled_family())


# Clouds -----------------------------------------------------------------------------------------------------


def _paint_cloud(cloud: PointCloud, body: QRectF, vector: bool, scale: float, painter: QPainter) -> None:
    colouring = _colouring(cloud)
    entries = legend_entries(colouring, (), body.width())
    legend = ceil(entries[-1].y + key_row_height(legend_font()) / 2) if entries else 0
    camera = Camera.default().turned(*cloud.turn)
    tile = Tile("", fit_to_unit(cloud.points), (), "", camera=camera)
    sheet = Sheet("", "", (tile,), colouring, _style(colouring, len(cloud.points)))
    paint_points(painter, body.adjusted(0, 0, 0, -legend), tile, sheet, vector, scale)
    if colouring is not None:
        painter.setFont(legend_font())
        paint_key(painter, QPointF(body.left(), body.bottom() - legend), entries, colouring)
        _paint_meaning(cloud.coloured_by, body, painter)


def _paint_meaning(words: str, body: QRectF, painter: QPainter) -> None:
    """Say on the right, below the title, what the colour means."""
    painter.setFont(_font(13))
    painter.setPen(theme.current().color("muted"))
    place = QRectF(body.left(), body.top() - 8, body.width(), 20)
    painter.drawText(place, Qt.AlignmentFlag.AlignRight, f"colour: {line(words, 60)}" if words else "")


def _colouring(cloud: PointCloud) -> Colouring | None:
    if cloud.colour is None:
        return None
    kinds = not np.issubdtype(cloud.colour.dtype, np.floating)
    return replace(colouring_of("", cloud.colour, prefer_classes=kinds), cyclic=cloud.cyclic)


def _style(colouring: Colouring | None, n: int) -> PointStyle:
    name, all_of = theme.current().name, np.ones(n, dtype=bool)
    rgb = point_colours(colouring, n, name)
    return PointStyle(rgb, all_of, ~all_of, 6.0, 0.9, point_markers(colouring), REST[name])


# Pictures ---------------------------------------------------------------------------------------------------


def _paint_pictures(figure: Pictures, body: QRectF, painter: QPainter) -> None:
    """Paint the pictures in rows, as large as they can be, each with its name below."""
    n, height, width = figure.images.shape
    below = 24 if figure.names else 4
    columns = max(range(1, n + 1), key=lambda k: _unit(k, n, width, height, body, below))
    unit = _unit(columns, n, width, height, body, below)
    wide, tall = width * unit, height * unit
    painter.setFont(_font(13))
    painter.setPen(theme.current().color("muted"))
    left = body.left() + 0.5 * (body.width() - columns * (wide + 8) + 8)
    top = body.top() + 0.5 * (body.height() - -(-n // columns) * (tall + below))
    for i, image in enumerate(figure.images):
        place = QRectF(left + i % columns * (wide + 8), top + i // columns * (tall + below), wide, tall)
        painter.drawImage(place, _grey(image))
        if figure.names:
            words = line(figure.names[i], 60)
            painter.drawText(QRectF(place.left(), place.bottom(), wide, 20), Qt.AlignmentFlag.AlignCenter, words)


def _unit(columns: int, n: int, width: int, height: int, body: QRectF, below: float) -> float:
    """The size of a pixel where the pictures stand in so many columns."""
    rows = -(-n // columns)
    across = (body.width() + 8 - 8 * columns) / (columns * width)
    return min(across, (body.height() - rows * below) / (rows * height))


def _grey(image: Array) -> QImage:
    pixels = np.ascontiguousarray(image, dtype=np.uint8)
    height, width = pixels.shape
    return QImage(pixels.tobytes(), width, height, width, QImage.Format.Format_Grayscale8).copy()


# Tables -----------------------------------------------------------------------------------------------------


def _paint_table(figure: Table, body: QRectF, painter: QPainter) -> None:
    """Paint a table as large as it can be: the first column to the left, numbers to the right."""
    t, rows = theme.current(), (figure.head, *figure.rows)
    size, wanted = _fitting(rows, body, painter)
    tall, gap = 2.0 * size, max(0.0, body.width() - sum(wanted)) / len(wanted)
    for i, row in enumerate(rows):
        left, top = body.left(), body.top() + i * tall
        painter.setPen(t.color("text" if i else "muted"))
        for k, cell in enumerate(row):
            room = QRectF(left, top, wanted[k] + gap, tall)
            side = Qt.AlignmentFlag.AlignRight if k else Qt.AlignmentFlag.AlignLeft
            words = painter.fontMetrics().elidedText(line(cell, 60), Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, words)
            left += room.width()
        painter.setPen(t.color("muted" if i == 0 else "hairline"))
        painter.drawLine(QPointF(body.left(), top + tall), QPointF(left, top + tall))


def _fitting(rows: tuple[tuple[str, ...], ...], body: QRectF, painter: QPainter) -> tuple[int, list[float]]:
    """The largest size of type at which all rows and columns have room, and the columns' widths."""
    largest = 24  # pixels of the largest type in a table
    for size in range(max(9, min(largest, int(body.height() / len(rows) / 2))), 8, -1):
        painter.setFont(_font(size))
        advance = painter.fontMetrics().horizontalAdvance
        wanted = [max(advance(line(row[k], 60)) for row in rows) + 24.0 for k in range(len(rows[0]))]
        if sum(wanted) <= body.width():
            break
    return size, [width * min(1.0, body.width() / sum(wanted)) for width in wanted]
