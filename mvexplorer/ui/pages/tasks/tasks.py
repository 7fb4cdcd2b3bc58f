"""The running computations, their progress, a cross to stop each, and where long ones run."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QScrollArea, QToolButton, QVBoxLayout, QWidget

from mvexplorer.children import resident
from mvexplorer.compute.run.scheduler import Progress
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.tasks.memory_label import MemoryLabel
from mvexplorer.ui.pages.tasks.where_pane import WherePane
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.long_column import LongColumn
from mvexplorer.ui.widgets.plain_text import Label, Name


def waits_for(task: Progress) -> str:
    """Tell why a task does not run yet."""
    return "waiting for memory" if task.held_up else "waiting"


class TaskRow(QWidget):
    """A task: its name, how far it is, and a cross to stop it."""

    HEIGHT = 24
    """In pixels."""

    def __init__(self, slot: str, cancel: Callable[[str], None]) -> None:
        super().__init__()
        self.setMaximumWidth(720)  # on a large screen its bar would be far from its name
        line = spaced(QHBoxLayout(self), 0, 0, 0, 0)
        self.words, self.bar, self.cross = Name(), QProgressBar(), QToolButton()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(180)
        self.cross.setIcon(theme.icon("x"))
        self.cross.setToolTip("Cancel this task")
        self.cross.setAccessibleName("Cancel this task")
        self.cross.clicked.connect(lambda: cancel(slot))
        line.addWidget(self.words, 1)
        line.addWidget(self.bar)
        line.addWidget(self.cross)

    def show_task(self, task: Progress) -> None:
        """Show how far the task is."""
        title = f"{task.title[:1].upper()}{task.title[1:]}"
        self.words.set_words(title if task.running else f"{title} ({waits_for(task)})")
        self.bar.setValue(int(1000 * task.fraction) if task.running else 0)


class TaskList(QWidget):
    """The tasks that run or wait, the memory they take, and the place where they run."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._controller = workbench.controller
        self._tasks: dict[str, Progress] = {}
        sides = spaced(QHBoxLayout(self), 12, 6, 12, 6)
        left = QWidget()
        left.setMaximumWidth(theme.px(1040))  # on a large screen what is chosen beside it would be far away
        column = spaced(QVBoxLayout(left), 0, 0, 0, 0, spacing=2)
        sides.addWidget(left, 1)
        self.where = WherePane(workbench.controller.workplace)
        sides.addWidget(self.where)
        sides.addStretch(0)
        self.memory = MemoryLabel(workbench)
        self._nothing = Label("Nothing is being computed.", "muted")
        area = QScrollArea()
        area.setWidgetResizable(True)
        inner = QWidget()
        within = spaced(QVBoxLayout(inner), 0, 0, 0, 0)
        within.addWidget(self._nothing)
        self._list = LongColumn(area, self._make, spacing=2)
        within.addWidget(self._list)
        within.addStretch(1)
        area.setWidget(inner)
        column.addWidget(area, 1)
        column.addWidget(self.memory, 0, Qt.AlignmentFlag.AlignLeft)
        self.soon = Soon(self, milliseconds=60, do=self.refresh)
        workbench.controller.tasks_changed.connect(self._tasks_changed)
        workbench.settings_changed.connect(self.refresh)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(800, 220)

    @property
    def rows(self) -> dict[str, TaskRow]:
        """The rows that are there, by slot: of many tasks, those in sight."""
        return self._list.rows

    def apply_theme(self) -> None:
        """Draw the crosses in the theme's colours."""
        for row in self._list.rows.values():
            row.cross.setIcon(theme.icon("x"))

    def showEvent(self, event: QShowEvent) -> None:
        self._show_rows(self._controller.tasks())
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._show_rows(())  # hidden rows follow nothing: those of tasks that end meanwhile would stay

    def _tasks_changed(self) -> None:
        self.soon.ask()

    def refresh(self) -> None:
        """Show the present tasks, and the memory that the window and its results take."""
        tasks, cache = self._controller.tasks(), self._controller.cache
        kept = f"{numbers.size(cache.bytes)} of {numbers.size(cache.limit)}"
        self.memory.setText(f"Memory: {numbers.size(resident(os.getpid()))}. Kept intermediate results: {kept}")
        if self.isVisible():  # hidden rows would change sixty times a second
            self._show_rows(tasks)

    def _show_rows(self, tasks: tuple[Progress, ...]) -> None:
        self._tasks = {task.slot: task for task in tasks}
        if tuple(self._tasks) != self._list.names:
            self._list.show_names(tuple(self._tasks), [theme.px(TaskRow.HEIGHT)] * len(tasks))
        for slot, row in self._list.rows.items():
            row.show_task(self._tasks[slot])
        self._nothing.setVisible(not tasks)

    def _make(self, slot: str) -> TaskRow:
        row = TaskRow(slot, self._controller.cancel)
        row.show_task(self._tasks[slot])
        return row
