"""Garbage is collected on the main thread only: a worker that collects a widget crashes the program."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication


class Collector(QObject):
    """Replaces Python's automatic collection, which runs in whichever thread happens to allocate.

    Garbage may hold widgets or plot items that only a cycle of Python objects keeps alive.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=500)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the generations that are due, as Python would."""
        # Python's own: how many new objects, and collections of the generation below, make a generation due.
        limits = 700, 10, 10
        for generation, (count, limit) in enumerate(zip(gc.get_count(), limits, strict=True)):
            # A full collection takes a tenth of a second: not during a drag.
            if count <= limit or (generation == 2 and QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton):
                break
            gc.collect(generation)

    def freeze_startup_objects(self) -> None:
        """Exempt modules and the window from collection, as they stay: a full one then takes a tenth of the time."""
        gc.collect()
        gc.freeze()

    def stop(self) -> None:
        """Return to Python's own collection."""
        self._timer.stop()
        gc.enable()


def keep_to_main_thread(app: QObject) -> Collector:
    """The application's collector, started at the first call."""
    collector = app.findChild(Collector)
    return collector if collector is not None else Collector(app)
