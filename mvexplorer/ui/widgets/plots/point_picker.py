"""The point of a plot's curves under the pointer: hovered and clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QToolTip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyqtgraph as pg
    from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent

    from mvexplorer.engine.core.multiview import Array


class PointPicker(QObject):
    """Finds points of curves, shows what they mean, and emits `chosen(curve, index)` when one is clicked.

    `meaning` gives the tooltip of a point, by its curve's name and its index.
    """

    chosen = Signal(str, int)

    def __init__(self, plot: pg.PlotWidget, meaning: Callable[[str, int], str]) -> None:
        super().__init__(plot)
        self._plot, self._meaning = plot, meaning
        self._curves: dict[str, tuple[Array, Array]] = {}
        plot.scene().sigMouseMoved.connect(self._moved)
        plot.scene().sigMouseClicked.connect(self._clicked)

    def show(self, curves: Mapping[str, tuple[Array, Array]]) -> None:
        """Take the curves on show: name -> (x, y) as drawn."""
        self._curves = dict(curves)

    def at(self, spot: QPointF) -> tuple[str, int] | None:
        """The curve and the index of its point nearest to a place in the scene, within reach."""
        box = self._plot.getPlotItem().vb
        if not box.sceneBoundingRect().contains(spot):
            return None
        reach = 9.0  # pixels from the pointer within which a point is found
        nearest, least = None, reach
        for name, (x, y) in self._curves.items():
            if len(x) == 0:
                continue
            away = np.hypot(*(_pixels(box, x, y) - np.array([[spot.x()], [spot.y()]])))
            place = int(np.argmin(away))
            if away[place] < least:
                nearest, least = (name, place), float(away[place])
        return nearest

    def _moved(self, spot: QPointF) -> None:
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return
        point = self.at(spot)
        viewport = self._plot.viewport()
        if point is None:
            viewport.unsetCursor()
            QToolTip.hideText()
        else:
            viewport.setCursor(Qt.CursorShape.PointingHandCursor)
            QToolTip.showText(QCursor.pos(), self._meaning(*point), viewport)

    def _clicked(self, event: MouseClickEvent) -> None:
        point = self.at(event.scenePos())
        if point is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(*point)


def _pixels(box: pg.ViewBox, x: Array, y: Array) -> Array:
    """Places (2, n) in the scene of points of the view; all at once, which matters while hovering."""
    (left, right), (low, high) = box.viewRange()
    rect = box.sceneBoundingRect()
    across = rect.left() + (np.asarray(x) - left) / (right - left) * rect.width()
    down = rect.bottom() - (np.asarray(y) - low) / (high - low) * rect.height()
    return np.stack([across, down])
