"""The figures of the page below the panels: which one, in which form, and its numbers."""

from __future__ import annotations

from functools import partial

from mvexplorer.errors import DataError
from mvexplorer.figures import Figure
from mvexplorer.ui.export.figure import paint_body
from mvexplorer.ui.export.figure_dialog import FigureDialog
from mvexplorer.ui.pages.figure_files import export_figure_numbers, export_figure_picture, size_of
from mvexplorer.ui.widgets.export_dialog import NUMBERS
from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.scene import Scene


def _ask(scene: Scene) -> None:
    """Ask which figure is to be written and in which form, then for its file."""
    figures = scene.page().figures()
    if not figures:
        raise DataError("This page draws no figure now.", "Open a page that does, or wait until it is computed.")
    bench = scene.workbench
    dialog = FigureDialog(
        [figure.title for figure in figures], size_of(figures[0]), bench.settings.export_dpi, scene.window
    )
    dialog.chosen.connect(
        lambda *form: bench.editor.attempt(lambda: save_figure(scene, figures[dialog.figure.currentIndex()], form))
    )
    dialog.open_over(scene.window)


def save_figure(scene: Scene, figure: Figure, form: tuple[str, float, float]) -> None:
    """Ask for the file of a figure, in a form that `FigureDialog` gives: ending, scale and dpi."""
    if form[0] in NUMBERS.values():
        export_figure_numbers(scene.window, scene.workbench, figure, form[0])
    else:
        paint = partial(paint_body, scale=form[1], vector=form[0] != ".png")
        export_figure_picture(scene.window, scene.workbench, figure, form, paint)


FIGURE = Exporter(
    "figure", "Figure of the page", _ask, "plot curves spectrum bandwidth sweep matrix table page below csv svg pdf"
)
