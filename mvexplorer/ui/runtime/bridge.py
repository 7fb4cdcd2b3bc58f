"""The whole bridge between worker threads and the window: one object, one signal, closures."""

from __future__ import annotations

import os
import sys
from threading import Lock, get_native_id
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

NICENESS = 5


def lower_thread_priority() -> None:
    """Let the calling thread stand back where processors are scarce: a window that waits for its workers stutters.

    On Linux a thread has a niceness of its own; elsewhere nothing happens. The worst gaps of a drag with six panels
    computing on two processors fall to less than half.
    """
    if sys.platform == "linux":
        thread = get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


class Bridge(QObject):
    """Runs closures handed over by any thread on the thread it lives on, in order."""

    _handed_over = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._waiting = 0
        self._handed_over.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, closure: Callable[[], None]) -> None:
        """Have `closure` run on the main thread soon."""
        with self._lock:
            self._waiting += 1
        self._handed_over.emit(closure)

    @property
    def empty(self) -> bool:
        """Whether everything handed over has been run."""
        return self._waiting == 0

    @Slot(object)
    def _run(self, closure: Callable[[], None]) -> None:
        try:
            closure()
        finally:
            with self._lock:
                self._waiting -= 1
