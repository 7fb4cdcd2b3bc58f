"""The whole bridge between worker threads and the window: one object, one signal, closures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import Lock, get_native_id

from PySide6.QtCore import QObject, Qt, Signal, Slot

NICENESS = 5


def lower_thread_priority() -> None:
    """Lower the calling thread's priority below the window's: with few processors, workers would make it stutter.

    Only Linux has a niceness per thread; elsewhere nothing happens. With six panels computing on two processors, the
    longest pauses of a drag fall to less than half.
    """
    if sys.platform == "linux":
        # The process has the number of its first thread. A thread begins with the priority of the one that started it.
        os.setpriority(os.PRIO_PROCESS, get_native_id(), os.getpriority(os.PRIO_PROCESS, os.getpid()) + NICENESS)


class Bridge(QObject):
    """Runs closures posted by any thread on its own thread, in order."""

    _handed_over = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._waiting = 0
        self._handed_over.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, closure: Callable[[], None]) -> None:
        """Run `closure` on the main thread soon."""
        with self._lock:
            self._waiting += 1
        self._handed_over.emit(closure)

    @property
    def empty(self) -> bool:
        """True if all posted closures have run."""
        return self._waiting == 0

    @Slot(object)
    def _run(self, closure: Callable[[], None]) -> None:
        try:
            closure()
        finally:
            with self._lock:
                self._waiting -= 1
