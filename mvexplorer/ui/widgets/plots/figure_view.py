"""A figure on screen: its title, its picture, and its sentence; a tooltip explains what lies under the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Curves, Figure, Matrix
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.curve_painting import ends_of, layout_of
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.plots.figure_painting import paint_figure
from mvexplorer.ui.widgets.plots.matrix_painting import Shades, cell_at, matrix_area, shaded
from mvexplorer.ui.widgets.plots.plot_axes import on_axis


class FigureView(Explained):
    """Paints one figure; shades of a matrix are kept until another is shown.

    Without `legend` the names of curves, and what shades mean, stand elsewhere; `above` pixels are left free above it.
    """

    def __init__(self, *, legend: bool = True, above: int = 0) -> None:
        super().__init__()
        self._legend, self._above = legend, above
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

    def clear(self) -> None:
        """Show nothing."""
        self.figure, self._shades = None, None
        self.update()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if self.figure is not None and isinstance(self.figure.body, Matrix):
            self._shades = shaded(self.figure.body)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.paint_picture(QPainter(self))

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the figure."""
        if self.figure is not None:
            paint_figure(self.figure, self.area, painter, self._shades, legend=self._legend)

    @property
    def area(self) -> QRectF:
        """Where the figure lies."""
        return QRectF(self.rect()).adjusted(0, self._above, 0, 0)

    def meaning(self, place: QPointF) -> str:
        """Describe what lies under a position: the entry of a matrix, or the nearest point of a curve."""
        body = None if self.figure is None else self.figure.body
        if isinstance(body, Matrix):
            return _entry(body, cell_at(body, self.plot, place))
        point = self.point_at(place)
        if point is None or not isinstance(body, Curves):
            return ""
        series = body.series[point[0]]
        return f"{series.name}: {', '.join(numbers.number(float(each[point[1]]), 4) for each in (series.x, series.y))}"

    def point_at(self, place: QPointF) -> tuple[int, int] | None:
        """The place of the curve and of its point nearest to a position, within reach."""
        body = None if self.figure is None else self.figure.body
        nearest, least = None, 12.0  # pixels to a point within which it is found
        for curve in range(len(body.series)) if isinstance(body, Curves) else ():
            away = np.hypot(*(self.places(curve).T - np.array([[place.x()], [place.y()]])))
            away[np.isnan(away)] = np.inf
            if len(away) and away.min() < least:
                nearest, least = (curve, int(away.argmin())), float(away.min())
        return nearest

    def places(self, curve: int) -> Array:
        """The places (n, 2) of a curve's points in pixels; all at once, which matters while the pointer moves."""
        body, plot, (low, high) = self._curves, self.plot, ends_of(self._curves).y
        series = body.series[curve]
        up = (on_axis(series.y, log=body.log_y) - low) / (high - low)
        return np.column_stack([self._across(series.x), plot.bottom() - up * plot.height()])

    @property
    def _curves(self) -> Curves:
        assert self.figure is not None
        assert isinstance(self.figure.body, Curves)
        return self.figure.body

    @property
    def plot(self) -> QRectF:
        """Where the curves lie, or the matrix."""
        if self.figure is not None and isinstance(self.figure.body, Matrix):
            return matrix_area(self.figure.body, self.area, scale=self._legend)
        return layout_of(self._curves, self.area, legend=self._legend).plot

    def _across(self, x: npt.ArrayLike) -> Any:
        """Horizontal places in pixels of values on the axis."""
        (low, high), plot = ends_of(self._curves).x, self.plot
        return plot.left() + (on_axis(x, log=self._curves.log_x) - low) / (high - low) * plot.width()

    def about(self, place: QPointF) -> str:
        """Describe what lies under a position, else the whole figure."""
        return self.meaning(place) or ("" if self.figure is None else self.figure.sentence)


def _entry(body: Matrix, cell: tuple[int, int] | None) -> str:
    """Describe an entry of a matrix, by its place or by the values along the sides."""
    if cell is None:
        return ""
    row, column = cell
    x = f"column {column + 1:,}" if body.x is None else f"{body.x_label} {numbers.number(float(body.x[column]))}"
    y = f"row {row + 1:,}" if body.y is None else f"{body.y_label} {numbers.number(float(body.y[row]))}"
    return f"{y}, {x}: {body.scale} {numbers.number(float(body.values[cell]), 4)}"
