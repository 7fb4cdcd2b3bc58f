"""Garbage is collected on the main thread only: a widget destroyed by a worker's collection takes the program down."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

INTERVAL_MS = 500


class Collector(QObject):
    """Stands in for Python's own collector, which runs in whichever thread happens to allocate.

    What it destroys may be widgets or plot items that nothing but a cycle of Python objects holds.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the generations that are due, as Python would."""
        for generation, (count, limit) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)):
            # All there is takes a tenth of a second to look through: not while a hand drags something.
            if count <= limit or (generation == 2 and QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton):
                break
            gc.collect(generation)

    def freeze_startup_objects(self) -> None:
        """Modules and the window stay: not looked at again, a full collection takes a tenth of its time."""
        gc.collect()
        gc.freeze()

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()


def keep_to_main_thread(app: QObject) -> Collector:
    """The application's collector, started at the first call."""
    found = app.findChild(Collector)
    return found if found is not None else Collector(app)
