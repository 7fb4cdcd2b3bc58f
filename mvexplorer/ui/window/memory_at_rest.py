"""Memory that was freed goes back to the system while nobody works: a drag would have to fetch it again."""

from __future__ import annotations

import os

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from mvexplorer.children import resident
from mvexplorer.compute.jobs.jobs import GiveBackJob
from mvexplorer.state.bench.workbench import Workbench

AFTER_MS = 2000
"""Time without work after which nobody is likely to be in the middle of something."""


class MemoryAtRest(QObject):
    """Waits until the window has had nothing to do for a while."""

    def __init__(self, parent: QObject, workbench: Workbench) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._left = 0
        """Resident bytes the last time."""
        self._soon = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._soon.timeout.connect(self._give_back)
        workbench.document.changed.connect(self._soon_again)
        workbench.controller.tasks_changed.connect(self._soon_again)

    @property
    def waits(self) -> bool:
        """True if there was work a moment ago."""
        return self._soon.isActive()

    def stop(self) -> None:
        """Do nothing more: the window closes."""
        self._soon.stop()
        self._soon.blockSignals(True)

    def _soon_again(self) -> None:
        self._soon.start()

    def _give_back(self) -> None:
        held = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        worth = 32_000_000  # bytes that the process has grown by since, below which it is not worth the trouble
        if held or not self._workbench.controller.idle:
            self._soon.start()
        elif resident(os.getpid()) > self._left + worth:
            title = "Giving back memory"
            self._workbench.controller.background.submit("memory", GiveBackJob(), self._gave_back, title=title)

    def _gave_back(self, _: object) -> None:
        self._left = resident(os.getpid())
