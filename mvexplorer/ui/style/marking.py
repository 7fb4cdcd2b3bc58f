"""Points and scales of colours as a painter draws them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPolygonF

from mvexplorer.ui.style.palettes import scale_colours


def scale_gradient(kind: str, theme: str, left: float, right: float) -> QLinearGradient:
    """The scale from a left to a right end, for painting."""
    gradient, table = QLinearGradient(left, 0, right, 0), scale_colours(kind, theme)
    for i in range(0, 256, 15):
        gradient.setColorAt(i / 255.0, QColor(*(int(c) for c in table[i])))
    return gradient


def draw_marker(painter: QPainter, centre: QPointF, radius: float, form: int) -> None:
    """Draw one point with a painter, in the form the renderer gives it: 0 disc, 1 square, 2 diamond."""
    if form == 0:
        painter.drawEllipse(centre, radius, radius)
    elif form == 1:
        side = radius / 1.13
        painter.drawRect(QRectF(centre.x() - side, centre.y() - side, 2 * side, 2 * side))
    else:
        reach = radius / 0.8
        corners = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)]
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) for x, y in corners]))
