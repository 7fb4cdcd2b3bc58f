"""Small multiples in the window: in place of the panels, linked with all the rest, and exported as one figure."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPointF, QTimer

from mvexplorer.errors import DataError
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.export.multiples_figure import MultiplesLayout
from mvexplorer.ui.export.multiples_sheet import multiples_sheet
from mvexplorer.ui.export.render import SheetLayout
from mvexplorer.ui.export.sheet import Sheet
from mvexplorer.ui.multiples.page import MultiplesPage
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.saving import pictures, save_as
from mvexplorer.ui.window.hover import Hover
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.styling import PointStyling


class MultiplesOnShow(QObject):
    """Shows the document's small multiples, and follows it."""

    def __init__(self, workbench: Workbench, docks: WindowLayout, styling: PointStyling, hover: Hover) -> None:
        super().__init__(docks)
        self._workbench, self._docks, self._styling, self._hover = workbench, docks, styling, hover
        self._document, self._editor = workbench.document, workbench.editor
        self._page: MultiplesPage | None = None
        # The pictures of a drag are not computed at every step: those that are drafted once the hand rests.
        self._soon = QTimer(self, singleShot=True, interval=120)
        self._soon.timeout.connect(workbench.multiples.refresh)
        docks.grid.look_changed.connect(self._show_look)
        self._document.changed.connect(self._follow)

    @property
    def idle(self) -> bool:
        """True if no change on show is due."""
        shown = self._page is not None and self._page.isVisible()
        return not self._soon.isActive() and (not shown or self._page is None or self._page.idle)

    def _follow(self, change: Change) -> None:
        shown = change.after.multiples.shown
        if shown != change.before.multiples.shown or change.data_changed:
            if shown and self._page is None:
                self._page = self._make()
            if shown and self._page is not None:
                self._turn(self._page, change.after)
            if not change.data_changed:  # else the window shows its parts once they are filled
                self._docks.arrange()
            self._show_look()
        dragged = shown and change.interactive and change.after.multiples.of_ingredients
        if dragged:
            self._workbench.multiples.refresh(interactive=True)
        if shown or change.before.multiples.shown:
            self._soon.start(350 if dragged else 120)

    def _turn(self, page: MultiplesPage, state: DocumentState) -> None:
        """See pictures in 3-D as the panel in focus is seen, or else the first one."""
        cameras, focused = self._docks.grid.cameras(), self._editor.focused
        panels = sorted((p for p in state.shown if p.dims == 3 and p.id in cameras), key=lambda p: p.id != focused)
        if panels:
            page.board.turn(cameras[panels[0].id])

    def _make(self) -> MultiplesPage:
        page = MultiplesPage(self._workbench)
        page.board.hovered.connect(self._move)
        page.board.selected.connect(lambda rows, *how: self._editor.select(rows.tolist(), *how))
        page.figure_wanted.connect(self.export)
        self._docks.add_multiples(page)
        return page

    def _move(self, index: int, canvas: EmbeddingCanvas, at: QPointF) -> None:
        self._hover.move(index, canvas, at)
        if self._page is not None:
            self._page.board.mark(index)

    def _show_look(self) -> None:
        if self._page is not None and self._document.state.multiples.shown:
            self._page.show_look(self._docks.grid.look, self._styling.colouring)

    # As a figure --------------------------------------------------------------------------------------------

    def export(self) -> None:
        """Ask for the figure's size, then for its file."""

        def ask() -> None:
            dialog = ExportDialog(self._figure()[1].size, self._workbench.settings.export_dpi, self._docks.window())
            dialog.chosen.connect(lambda *form: self._editor.attempt(lambda: self._write(*form)))
            dialog.open_over(self._docks.window())

        self._editor.attempt(ask)

    def _figure(self) -> tuple[Sheet, MultiplesLayout | SheetLayout]:
        """Return the sheet on show and its layout; an error where nothing is shown yet."""
        multiples = self._workbench.multiples
        if self._page is None or multiples.grid is None or not multiples.drawn:
            raise multiples.problem or DataError("No small multiple is there to export.", "Wait for the first picture.")
        sheet = multiples_sheet(self._workbench, self._styling.colouring, self._page.board.cells[0].canvas)
        if multiples.grid.of_ingredients:
            return sheet, SheetLayout(sheet)
        return sheet, MultiplesLayout(sheet, multiples.grid, self._editor.state.multiples.score)

    def _write(self, ending: str, scale: float, dpi: float) -> None:
        def write(path: Path) -> None:
            sheet, figure = self._figure()
            paint = partial(figure.paint, path.suffix.lower() != ".png", scale)
            write_painted(path, "Figures", sheet.title, figure.size, paint, scale, sheet.record, dpi)

        save_as(self._docks, self._editor, pictures("Export figure", "small-multiples", ending), write, here=True)
