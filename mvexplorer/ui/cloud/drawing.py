"""Qt's part of a cloud: its picture, rings around points, and the lasso."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.picture import Raster
from mvexplorer.ui.style import theme

GROUND = 230
"""Opacity, of 255, of the ground behind words: there may be points under them."""


def draw_picture(painter: QPainter, at: QPointF, picture: Raster, ratio: float) -> None:
    """Draw all layers of a picture that has `ratio` of its pixels per unit."""
    for layer in picture.layers:
        painter.drawImage(at, as_image(layer, ratio))


def draw_rings(painter: QPainter, centres: Points, radii: Points) -> None:
    """Draw rings around points (n, 2) of these radii (n,): what is selected, where it is little."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for role, width in (("surface", 3.0), ("text", 1.2)):  # the rim keeps rings apart from points of their colour
        painter.setPen(QPen(theme.current().color(role), width))
        for (x, y), radius in zip(centres.tolist(), radii.tolist(), strict=True):
            painter.drawEllipse(QPointF(x, y), radius + 2.5, radius + 2.5)


def draw_hollows(painter: QPainter, centres: Points, radii: Points) -> None:
    """Take the inside out of points (n, 2) of these radii (n,): samples that have no place in the picture."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.current().color("surface"))
    for (x, y), radius in zip(centres.tolist(), radii.tolist(), strict=True):
        inside = max(0.55 * radius, radius - 1.3)  # a rim of little more than a pixel, also of small points
        painter.drawEllipse(QPointF(x, y), inside, inside)


def draw_ticks(painter: QPainter, centre: QPointF, places: Points) -> None:
    """Draw a short line outwards, from the drawing's centre, beside each of these points (n, 2): there is more."""
    painter.setPen(QPen(theme.current().color("muted"), 1.0))
    outward = places - np.array([centre.x(), centre.y()])
    outward = outward / np.maximum(np.hypot(*outward.T), 1.0)[:, None]
    tick = 4.0, 8.0  # where a tick begins and ends, in pixels from the point's centre
    ends = np.hstack([places + tick[0] * outward, places + tick[1] * outward])
    painter.drawLines([QLineF(*end) for end in ends.tolist()])


def as_image(picture: Raster, ratio: float) -> QImage:
    """The picture as a QImage, without a copy; blue first is the order that Qt draws without conversion."""
    height, width = picture.shape
    stride = picture.colours.shape[1]
    inside = picture.colours.ravel()[picture.frame * (stride + 1) :]
    image = QImage(inside.data, width, height, 4 * stride, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    return image


def draw_lasso(painter: QPainter, path: list[QPointF], rectangular: bool) -> None:
    """Draw the lasso, or the rectangle, that is being drawn by hand."""
    if len(path) < 2:
        return
    accent = theme.current().color("accent")
    shape = lasso_outline(path, rectangular)
    fill = QColor(accent)
    fill.setAlpha(28)
    painter.setBrush(fill)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPath(shape)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(accent, 1.4))
    if rectangular:
        painter.drawPath(shape)
    else:
        painter.drawPolyline(QPolygonF(path))
        painter.setPen(QPen(accent, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(path[-1], path[0])


def lasso_outline(path: list[QPointF], rectangular: bool) -> QPainterPath:
    """The area within a lasso, or within the rectangle between its ends."""
    shape = QPainterPath()
    if rectangular:
        shape.addRect(QRectF(path[0], path[-1]).normalized())
    else:
        shape.addPolygon(QPolygonF([*path, path[0]]))
        shape.setFillRule(Qt.FillRule.WindingFill)
    return shape


def within(outline: QPainterPath, places: Points, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Mask the places (n, 2) of a picture (height, width) that lie within an outline, to the pixel."""
    mask = QImage(max(1, shape[1]), max(1, shape[0]), QImage.Format.Format_Grayscale8)
    mask.fill(0)
    painter = QPainter(mask)
    painter.fillPath(outline, QColor(255, 255, 255))
    painter.end()
    rows = np.frombuffer(mask.constBits(), dtype=np.uint8).reshape(mask.height(), mask.bytesPerLine())
    x, y = places.T
    inside: npt.NDArray[np.bool_] = (x >= 0) & (y >= 0) & (x < mask.width()) & (y < mask.height())
    indices = np.flatnonzero(inside)
    inside[indices] = rows[y[indices].astype(int), x[indices].astype(int)] > 0
    return inside
