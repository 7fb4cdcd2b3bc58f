"""The overlay of the kept sample's neighbours: rings around those within σ, lines to those its step goes to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QImage, QPaintEngine, QPainter, QPen, QPixmap

from mvexplorer.engine.analysis.point import Indices
from mvexplorer.state.pictures.near_kept import NearKept
from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.overlay import Canvas, on_canvas
from mvexplorer.ui.cloud.picture import point_radius
from mvexplorer.ui.style import theme

LINK = 0.5
"""The opacity of all links together: where many begin, the points below are still seen."""
GAP, WIDE = 1.5, 1.4
"""Pixels from a point to its ring, and how wide that is."""


class NearMark:
    """Rings and links of a picture, which `near` tells when it is painted.

    Rings that overlap melt into one outline: thousands of them each would hide the points.
    """

    def __init__(self, near: Callable[[], NearKept | None]) -> None:
        self.near = near
        self._drawn: NearKept | None = None

    @property
    def outdated(self) -> bool:
        """Whether what was painted last is not what is told now."""
        now = self.near()
        return now is not self._drawn and (now is None or not now.same_as(self._drawn))

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw links, and rings above them."""
        near, look = self.near(), canvas.cloud.look
        self._drawn = near
        if near is None or look is None or not near.sample < canvas.cloud.n_points == len(look.visible):
            return
        start = _inside(canvas, np.array([near.sample]))
        ends = _inside(canvas, near.links[look.visible[near.links]])
        places = _inside(canvas, near.within[look.visible[near.within]])
        radius = point_radius(look.size, canvas.cloud.n_points) + GAP * theme.scale()
        if len(start) and len(ends):
            layer = _layer(painter, canvas)
            _draw_links(layer, QPointF(*start[0].tolist()), ends)
            painter.setOpacity(LINK)
            painter.drawImage(0, 0, layer)
            painter.setOpacity(1.0)
        if len(places):
            layer = _layer(painter, canvas)
            _stamp_rings(layer, places, radius)
            painter.drawImage(0, 0, layer)


def _inside(canvas: Canvas, rows: Indices) -> Points:
    places = canvas.positions_of(rows)
    inside: Points = places[on_canvas(places, canvas)]
    return inside


def _layer(painter: QPainter, canvas: Canvas) -> QImage:
    """A clear picture over a whole canvas, sharp where it is painted; what is no screen is looked at from near."""
    on_screen = painter.paintEngine().type() == QPaintEngine.Type.Raster
    ratio = float(painter.deviceTransform().m11()) if on_screen else 4.0
    layer = QImage(
        round(canvas.width() * ratio), round(canvas.height() * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    layer.setDevicePixelRatio(ratio)
    layer.fill(Qt.GlobalColor.transparent)
    return layer


def _draw_links(layer: QImage, start: QPointF, ends: Points) -> None:
    """Draw lines, opaque and one pixel wide: Qt takes twenty times as long for translucent ones."""
    painter = QPainter(layer)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.current().color("accent"), 1.0))
    painter.drawLines([QLineF(start, QPointF(x, y)) for x, y in ends.tolist()])
    painter.end()


def _stamp_rings(layer: QImage, places: Points, radius: float) -> None:
    """Draw the outline of all discs around places (n, 2), copies of one: to draw each takes Qt ten times as long."""
    ratio = layer.devicePixelRatio()
    layer.setDevicePixelRatio(1.0)  # between pixels, copies take twice as long
    # One disc covers the whole of a small cell, so that of the places in it one is enough.
    _, some = np.unique(np.floor(places * (2.0**0.5 / radius)) @ np.array([1, 1 << 16]), return_index=True)
    centres = places[some] * ratio
    filled = layer.copy()
    _stamp(
        filled, centres, (radius + WIDE * theme.scale()) * ratio, QPainter.CompositionMode.CompositionMode_SourceOver
    )
    painter = QPainter(layer)
    rim = round(ratio) or 1
    for across in (-rim, 0, rim):
        for down in (-rim, 0, rim):
            painter.drawImage(across, down, filled)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(layer.rect(), theme.current().color("surface"))  # keeps rings apart from points of their colour
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.drawImage(0, 0, filled)
    painter.end()
    _stamp(layer, centres, radius * ratio, QPainter.CompositionMode.CompositionMode_DestinationOut)
    layer.setDevicePixelRatio(ratio)


def _stamp(layer: QImage, centres: Points, radius: float, mode: QPainter.CompositionMode) -> None:
    """Draw copies of a disc around centres (n, 2)."""
    half = int(np.ceil(radius)) + 1
    disc = QPixmap(2 * half, 2 * half)
    disc.fill(Qt.GlobalColor.transparent)
    painter = QPainter(disc)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.current().color("accent"))
    painter.drawEllipse(QPointF(half, half), radius, radius)
    painter.end()
    painter = QPainter(layer)
    painter.setCompositionMode(mode)
    for x, y in np.rint(centres - half).astype(int).tolist():
        painter.drawPixmap(x, y, disc)
    painter.end()
