"""The whole bridge between worker threads and the window: one object, one signal, closures."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot


class Bridge(QObject):
    """Runs closures handed over by any thread on the thread it lives on, in order."""

    _handed_over = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._handed_over.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, closure: Callable[[], None]) -> None:
        """Have `closure` run on the main thread soon."""
        self._handed_over.emit(closure)

    @Slot(object)
    def _run(self, closure: Callable[[], None]) -> None:
        closure()
