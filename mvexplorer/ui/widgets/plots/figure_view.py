"""A figure on screen: its title, its picture, and its sentence; a tooltip explains what lies under the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mvexplorer.figures import Curves, Matrix
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plain_text import line, tip
from mvexplorer.ui.widgets.plots.curve_painting import ends_of, layout_of
from mvexplorer.ui.widgets.plots.figure_painting import paint_figure
from mvexplorer.ui.widgets.plots.matrix_painting import Shades, cell_at, shaded
from mvexplorer.ui.widgets.plots.plot_axes import on_axis

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from mvexplorer.figures import Figure


class FigureView(QWidget):
    """Paints one figure; shades of a matrix are kept until another is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self._shades: Shades | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(160, 72)
        self.setAccessibleName("Figure")

    def show_figure(self, figure: Figure) -> None:
        """Show another figure."""
        if figure is not self.figure:
            self.figure = figure
            self._shades = shaded(figure.body) if isinstance(figure.body, Matrix) else None
            self.setAccessibleName(line(figure.title, 120))
            self.setAccessibleDescription(figure.sentence)
            self.update()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if self.figure is not None and isinstance(self.figure.body, Matrix):
            self._shades = shaded(self.figure.body)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.figure is None:
            return
        painter = QPainter(self)
        paint_figure(self.figure, QRectF(self.rect()), painter, self._shades)

    def meaning(self, place: QPointF) -> str:
        """Describe what lies under a position: the entry of a matrix, or the nearest point of a curve."""
        body = None if self.figure is None else self.figure.body
        if isinstance(body, Matrix):
            cell = cell_at(body, QRectF(self.rect()), place)
            if cell is None:
                return ""
            value = numbers.number(float(body.values[cell]), 4)
            return f"row {cell[0] + 1:,}, column {cell[1] + 1:,}: {body.scale} {value}"
        return self._nearest(body, place) if isinstance(body, Curves) else ""

    def _nearest(self, body: Curves, place: QPointF) -> str:
        plot, ends = layout_of(body, QRectF(self.rect())).plot, ends_of(body)
        near = 12.0  # pixels to a point of a curve within which the tooltip names it
        words, best = "", near
        for series in body.series:
            x, y = on_axis(series.x, log=body.log_x), on_axis(series.y, log=body.log_y)
            across = plot.left() + (x - ends.x[0]) / (ends.x[1] - ends.x[0]) * plot.width()
            up = plot.bottom() - (y - ends.y[0]) / (ends.y[1] - ends.y[0]) * plot.height()
            apart = np.nan_to_num(np.hypot(across - place.x(), up - place.y()), nan=np.inf)
            if not len(apart):
                continue
            nearest = int(np.argmin(apart))
            if apart[nearest] < best:
                here = (numbers.number(float(values[nearest]), 4) for values in (series.x, series.y))
                words, best = f"{series.name}: {', '.join(here)}", float(apart[nearest])
        return words

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tip(self.meaning(QPointF(event.pos()))), self)
            return True
        return bool(super().event(event))
