"""The papers' figures in the window: the gallery in place of the panels, and what opens from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from mvexplorer.state.library import Library
    from mvexplorer.state.workbench import Workbench
    from mvexplorer.ui.window.layout import WindowLayout


class GalleryOnShow(QObject):
    """Shows the gallery and opens what is chosen there; the experiments are imported when they are first needed."""

    def __init__(self, workbench: Workbench, library: Library, docks: WindowLayout) -> None:
        super().__init__(docks)
        self._workbench, self._library, self._docks = workbench, library, docks
        library.opened.connect(self._opened)

    def show(self) -> None:
        """Show the gallery, or go back to what it hides."""
        if self._docks.gallery is not None:
            self.leave()
            return
        from mvexplorer.ui.gallery.page import GalleryPage

        self._library.imports.leave()
        page = GalleryPage({})
        page.chosen.connect(self.open)
        page.left.connect(self.leave)
        self._docks.show_gallery(page)
        page.search.setFocus()

    def leave(self) -> None:
        """Take the gallery away."""
        if self._docks.gallery is not None:
            self._docks.show_gallery(None)

    def open(self, id: str) -> None:
        """Open an experiment as a document, in the background."""
        from mvexplorer.experiments.opening import OpenExperimentJob

        self._library.open_made(OpenExperimentJob(id))

    def _opened(self, _: object) -> None:
        self.leave()
