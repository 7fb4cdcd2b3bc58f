"""Keeping the work in progress: what is on screen reaches the disk within seconds, off the main thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from mvexplorer import __version__
from mvexplorer.compute.scheduler import Outcome, Scheduler
from mvexplorer.errors import MVExplorerError
from mvexplorer.io.writing import FileVersion
from mvexplorer.state.kept import KeptFile
from mvexplorer.state.session import SaveSessionJob

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.model import DocumentState
    from mvexplorer.ui.widgets.banner import Banner
    from mvexplorer.ui.window.main_window import MainWindow

CLOSING_SECONDS = 30.0
"""How long a closing window waits for a write under way."""


class Autosave(QObject):
    """Keeps what a window shows.

    The first edit not yet kept starts a timer; when it runs out, or when the hand rests before, the present state goes
    to a worker. So an edit never waits longer than the timer, however many more follow. The worker writes one state at
    a time, and of those that wait only the latest.

    Parameters
    ----------
    window : MainWindow
    within : float
        Seconds after which an edit is on the disk at the latest. Half of it is left to the disk.
    """

    def __init__(self, window: MainWindow, within: float) -> None:
        super().__init__(window)
        self._window = window
        self._file = KeptFile()
        self._kept: tuple[DocumentState, MultiView | None] | None = None
        """The last state that was handed to the worker, unless writing it failed."""
        self._complaint: Banner | None = None
        self._told = ""
        self._worker = Scheduler(ThreadPoolExecutor(1, thread_name_prefix="autosave"), window.bridge.post)
        self._due = QTimer(self, singleShot=True, interval=int(500 * within))
        self._due.timeout.connect(self.keep)

    def edited(self) -> None:
        """Something has changed: keep it in time."""
        if self._window.keeps_settings and not self._due.isActive():
            self._due.start()

    def keep(self) -> None:
        """Have the present state written, unless it is kept already."""
        self._due.stop()
        document = self._window.document
        if not self._window.keeps_settings or document.data is None:
            return
        present = (document.state, document.data)
        if self._kept is None or any(a is not b for a, b in zip(present, self._kept, strict=True)):
            self._kept = present
            self._worker.submit("keep", self._job(), self._written, title="Keeping the work")

    def _job(self) -> SaveSessionJob:
        """Writing what is on screen now, wherever that is done."""
        document, cameras = self._window.document, self._window.opening.cameras()
        assert document.data is not None
        return SaveSessionJob(self._file.path(), document.state, document.data, __version__, cameras)

    def _written(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            self._kept = None
            self._due.start()
            self._tell(outcome.error)
        elif self._told:
            self._told = ""
            self._window.banners.forget(self._complaint)

    def _tell(self, error: MVExplorerError) -> None:
        """Say once that nothing is kept, until something is."""
        if error.message != self._told:
            self._told = error.message
            text = f"Work in progress is not kept: {error.message[0].lower()}{error.message[1:]}"
            self._complaint = self._window.banners.show_message("warning", text, error.hint, lasting=True)

    def continue_with(self, path: Path, version: FileVersion | None) -> None:
        """Go on keeping the work in the file it was opened from."""
        self._file.continue_with(path, version)

    @property
    def idle(self) -> bool:
        """Whether nothing is being written."""
        return self._worker.idle

    def finish(self) -> None:
        """Keep the present state before returning: the window closes."""
        self._due.stop()
        self._worker.wait_idle(CLOSING_SECONDS)
        try:
            if self._window.document.data is not None:
                self._job().save()
        except MVExplorerError as error:
            self._tell(error)

    def stop(self) -> None:
        """Write no more, and leave the file to other windows."""
        self._due.stop()
        self._worker.shutdown(CLOSING_SECONDS)
        self._file.release()
