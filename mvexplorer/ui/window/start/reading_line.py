"""A line in the strip above the panels: the progress of files that are opened straight away, and a way to stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from mvexplorer.state.bench.importing import SLOT
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label

AFTER_MS = 800
"""Files that are read sooner need no line."""


class ReadingLine(QWidget):
    """Shows itself once reading takes long; the import page has a line of its own."""

    toggled = Signal()
    """It came or went."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.bar.setAccessibleName("Reading")
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("Stop reading; the window stays as it is")
        self.stop.clicked.connect(lambda: controller.cancel(SLOT))
        self._arrange()
        self.hide()
        self._long = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._long.timeout.connect(self._show_late)
        controller.tasks_changed.connect(self._tasks_changed)

    def _arrange(self) -> None:
        row = spaced(QHBoxLayout(self), 12, 0, 0, 0, spacing=8)
        row.addWidget(Label("Reading …"))
        row.addWidget(self.bar, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.stop)

    def _fraction(self) -> float | None:
        """The share of the files that is read; None where nothing is being read."""
        return next((task.fraction for task in self._controller.reading.tasks() if task.slot == SLOT), None)

    def _tasks_changed(self) -> None:
        fraction = self._fraction()
        if fraction is None:
            self._long.stop()
            self._appear(False)
        elif not self.isHidden():
            self.bar.setRange(0, 100 if fraction > 0 else 0)  # moves to and fro until it is known
            self.bar.setValue(round(100 * fraction))
        elif not self._long.isActive():
            self._long.start()

    def _show_late(self) -> None:
        if self._fraction() is not None:
            self._appear(True)
            self._tasks_changed()

    def _appear(self, shown: bool) -> None:
        if shown == self.isHidden():
            self.setVisible(shown)
            self.toggled.emit()
