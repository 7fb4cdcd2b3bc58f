"""Thin lines between the places that samples have in two panels."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QObject, QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mvexplorer.state.questions.comparer import Comparer
from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.style import theme

MOST = 60
"""Lines that are drawn at once; more hide the pictures."""


class PairLines(QWidget):
    """Lies over the panels, lets every gesture through, and follows the two pictures wherever they go."""

    def __init__(self, grid: PanelGrid, comparer: Comparer) -> None:
        super().__init__(grid)
        self._grid, self._comparer = grid, comparer
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        self._rows = np.array([], dtype=np.intp)
        self.lines: list[QLineF] = []
        """The lines as they are drawn, from the first panel to the second."""
        self._followed: list[QWidget] = []
        grid.installEventFilter(self)

    def refresh(self) -> None:
        """Draw the lines of the samples that are joined now."""
        self._rows = self._comparer.joined(MOST)
        canvases = self._canvases()
        for widget in self._followed:
            widget.removeEventFilter(self)
        self._followed = [canvas.viewport() for canvas in canvases]
        for widget in self._followed:
            widget.installEventFilter(self)
        self._place()
        self.setVisible(bool(self.lines))
        if self.lines:
            self.setGeometry(self._grid.rect())
            self.raise_()

    def _canvases(self) -> list[EmbeddingCanvas]:
        pair = self._comparer.pair or ()
        panels = [self._grid.panels[id] for id in pair if id in self._grid.panels and id not in self._grid.hidden]
        return [panel.canvas for panel in panels] if len(panels) == 2 and len(self._rows) else []

    def _place(self) -> None:
        """Find where the lines go; draw them anew only where that has changed, or painting would never end."""
        canvases = self._canvases()
        ends = [self._ends(canvas) for canvas in canvases]
        lines: list[QLineF] = []
        if len(ends) == 2 and len(ends[0]) == len(ends[1]):
            both = np.isfinite(np.hstack(ends)).all(axis=1)
            lines = [
                QLineF(QPointF(*a), QPointF(*b))
                for a, b in zip(ends[0][both].tolist(), ends[1][both].tolist(), strict=True)
            ]
        if lines != self.lines:
            self.lines = lines
            self.update()

    def _ends(self, canvas: EmbeddingCanvas) -> Points:
        """Find the samples' places in the grid (n, 2); NaN for those outside the picture or hidden by the legend."""
        look, rows = canvas.cloud.look, self._rows
        if look is None or not len(rows) or rows[-1] >= canvas.cloud.n_points or len(look.visible) <= rows[-1]:
            return np.empty((0, 2), dtype=np.float32)
        places = canvas.positions_of(rows).copy()
        outside = (places < 0).any(axis=1) | (places[:, 0] > canvas.width()) | (places[:, 1] > canvas.height())
        places[outside | ~look.visible[rows]] = np.nan
        corner = canvas.mapTo(self._grid, QPointF(0.0, 0.0))
        moved: Points = places + np.array([corner.x(), corner.y()], dtype=np.float32)
        return moved

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and watched in self._followed:
            self._place()
        elif event.type() == QEvent.Type.Resize and watched is self._grid and self.isVisible():
            self.setGeometry(self._grid.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        alpha = round(min(220.0, max(45.0, 6000.0 / max(1, len(self.lines)))))  # many together are a shade, not a wall
        painter.setPen(QPen(theme.current().color("accent", alpha), 1.2 if len(self.lines) <= 20 else 0.8))
        painter.drawLines(self.lines)
