"""Paints a figure, on screen as in files: curves with their axes, a matrix with its scale, or strips."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mvexplorer.figures import Curves, Figure, Matrix, Strips
from mvexplorer.ui.widgets.plots.curve_painting import paint_curves
from mvexplorer.ui.widgets.plots.matrix_painting import Shades, paint_matrix, shaded
from mvexplorer.ui.widgets.plots.plot_axes import figure_font
from mvexplorer.ui.widgets.plots.strip_painting import paint_strips


def paint_figure(
    figure: Figure, area: QRectF, painter: QPainter, shades: Shades | None = None, *, legend: bool = True
) -> None:
    """Paint curves, a matrix or strips into an area; the `shades` of a matrix may be kept from paint to paint.

    Without `legend` the names of curves, and what shades mean, stand elsewhere.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(figure_font())
    if isinstance(figure.body, Matrix):
        paint_matrix(figure.body, shades or shaded(figure.body), area, painter, scale=legend)
    elif isinstance(figure.body, Curves):
        paint_curves(figure.body, area, painter, legend=legend)
    elif isinstance(figure.body, Strips):
        paint_strips(figure.body, area, painter)
