"""The papers' figures in the window: the gallery in place of the panels, and the column beside an open one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.window.layout import WindowLayout

if TYPE_CHECKING:
    from mvexplorer.experiments.desk import ExperimentDesk
    from mvexplorer.ui.gallery.beside import ExperimentBeside


class GalleryOnShow(QObject):
    """Shows the gallery, opens what is chosen there, and says what it is.

    Experiments, and the widgets that show them, are imported when they are first needed: the first window does not
    wait.
    """

    changed = Signal()
    """The gallery came or went."""
    lesson_wanted = Signal(str)
    beside: ExperimentBeside | None = None

    def __init__(self, workbench: Workbench, library: Library, docks: WindowLayout) -> None:
        super().__init__(docks)
        self._workbench, self._library, self._docks = workbench, library, docks
        library.opened.connect(self._opened)
        library.imports.changed.connect(self._import_changed)
        workbench.document.changed.connect(self._follow)

    @cached_property
    def desk(self) -> ExperimentDesk:
        """Runs experiments."""
        from mvexplorer.experiments.desk import ExperimentDesk

        desk = ExperimentDesk(self._workbench.document, self._workbench.controller)
        desk.changed.connect(self._show_verdicts)
        return desk

    @property
    def idle(self) -> bool:
        """True if no change of the words is due."""
        return self.beside is None or not (self.beside.isVisible() and self.beside.soon.isActive())

    # The gallery --------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Show the gallery with its search field in focus: no other part takes keys typed next."""
        if self._docks.gallery is not None:
            self._docks.gallery.search.setFocus()
            return
        from mvexplorer.ui.gallery.page import GalleryPage

        self._library.imports.leave()
        self._docks.uncover()
        page = GalleryPage(self.desk.verdicts)
        page.chosen.connect(self.open)
        page.left.connect(self.leave)
        self._docks.show_gallery(page)
        page.search.setFocus()
        self.changed.emit()

    def leave(self) -> None:
        """Take the gallery away."""
        if self._docks.gallery is not None:
            self._docks.show_gallery(None)
            self.changed.emit()

    def open(self, id: str) -> None:
        """Open an experiment as a document, in the background."""
        from mvexplorer.experiments.opening import OpenExperimentJob

        self._library.open_made(OpenExperimentJob(id))

    def _opened(self, _: object) -> None:
        self.leave()

    def _import_changed(self, importing: object) -> None:
        if importing is not None:
            self.leave()

    def _show_verdicts(self) -> None:
        if self._docks.gallery is not None:
            self._docks.gallery.show_verdicts(self.desk.verdicts)

    # Beside a figure ----------------------------------------------------------------------------------------

    def _follow(self, change: Change) -> None:
        before, after = bool(change.before.experiment), bool(change.after.experiment)
        if after and self.beside is None:
            self._make_beside()
        if before != after:
            self._docks.make_room()

    def _make_beside(self) -> None:
        from mvexplorer.ui.gallery.beside import ExperimentBeside

        self.beside = ExperimentBeside(self._workbench, self.desk)
        self.beside.left.connect(self._docks.toggle_beside)
        self.beside.lesson_wanted.connect(self.lesson_wanted)
        self.beside.apply_theme()
        self._docks.add_beside(self.beside)
