"""Overlays of stability: how far samples move under small changes of the data, as ghosts or an ellipse each."""

from __future__ import annotations

from math import atan2, degrees

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from mvexplorer.engine.analysis.stability import Stability
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.spread_drawing import Ellipses, Ghosts, drawn_ghosts, ellipses, thinned
from mvexplorer.ui.cloud.overlay import Canvas, on_canvas
from mvexplorer.ui.style import theme

FAINT = 80
"""The alpha of dots and outlines."""


class GhostOverlay:
    """A faint dot wherever another answer puts a sample."""

    def __init__(self, ghosts: Ghosts) -> None:
        self.ghosts = ghosts

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw the dots."""
        places = canvas.place(self.ghosts.points)
        places = places[on_canvas(places, canvas)].tolist()
        color = theme.current().color("text", FAINT)
        painter.setPen(QPen(color, 2.4 * theme.scale(), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in places]))


class EllipseOverlay:
    """An ellipse of one standard deviation about each sample."""

    def __init__(self, ellipses: Ellipses) -> None:
        self.ellipses = ellipses

    def axes(self, canvas: Canvas) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres (n, 2), half axes (n, 2), smaller first, and their directions (n, 2, 2), in widget pixels."""
        shapes = self.ellipses
        centres = np.asarray(canvas.place(shapes.centres), dtype=np.float64)
        # However the picture is turned, a plane's image of an ellipsoid is the ellipse of the projected roots.
        arms = [canvas.place(shapes.centres + shapes.roots[:, :, k]) - centres for k in range(shapes.roots.shape[2])]
        moved = np.stack(arms, axis=2)
        values, vectors = np.linalg.eigh(moved @ moved.transpose(0, 2, 1))
        return centres, np.sqrt(np.clip(values, 0.0, None)), vectors

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw the outlines, faint enough to see the points where many overlap."""
        painter.setPen(QPen(theme.current().color("text", FAINT), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        axes = self.axes(canvas)
        seen = on_canvas(axes[0], canvas)
        for centre, half, way in zip(*(part[seen].tolist() for part in axes), strict=True):
            painter.save()
            painter.translate(*centre)
            painter.rotate(degrees(atan2(way[1][1], way[0][1])))
            painter.drawEllipse(QPointF(0.0, 0.0), max(1.0, half[1]), max(1.0, half[0]))
            painter.restore()


def spread_overlay(
    panel: PanelState, result: PanelResult, stability: Stability | None, how: str
) -> GhostOverlay | EllipseOverlay | None:
    """Return the overlay of what stability found of a panel, ``ghosts`` or ``ellipses``; None where there is none."""
    points = result.drawing.points
    if stability is None or points is None:
        return None
    ghosts = drawn_ghosts(panel, result, [(ghost.rows, ghost.coordinates) for ghost in stability.ghosts])
    if how == "ghosts":
        return GhostOverlay(dots) if (dots := thinned(ghosts)) is not None else None
    return EllipseOverlay(rounds) if (rounds := ellipses(ghosts, points)) is not None else None
