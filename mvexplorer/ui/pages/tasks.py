"""The running computations, their progress, a cross to stop each, and where long ones run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QScrollArea, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.where_pane import WherePane
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import Label, Name, retire

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mvexplorer.compute.scheduler import Progress
    from mvexplorer.state.document import Change
    from mvexplorer.state.workbench import Workbench

SOON_MS = 60
WIDTH = 720
"""Most pixels across a row: on a large screen its bar would be far from its name."""
LEFT = 1040
"""Most pixels across the list: on a large screen what is chosen beside it would be far away."""


def waits_for(task: Progress) -> str:
    """Why a task does not run yet."""
    return "waiting for memory" if task.held_up else "waiting"


class TasksPage(QWidget):
    """Running tasks first, then waiting ones; the tab shows their number."""

    id, title = "tasks", "Tasks"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._controller = workbench.controller
        self._rows: dict[str, tuple[QWidget, Name, QProgressBar]] = {}
        sides = QHBoxLayout(self)
        sides.setContentsMargins(12, 6, 12, 6)
        left = QWidget()
        left.setMaximumWidth(theme.px(LEFT))
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        sides.addWidget(left, 1)
        self.where = WherePane(workbench.controller.elsewhere)
        sides.addWidget(self.where)
        sides.addStretch(0)
        self.memory = Label()
        self.memory.setProperty("role", "muted")
        self._nothing = Label("Nothing is being computed.")
        self._nothing.setProperty("role", "muted")
        area = QScrollArea()
        area.setWidgetResizable(True)
        inner = QWidget()
        self._list = QVBoxLayout(inner)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)
        self._list.addWidget(self._nothing)
        self._list.addStretch(1)
        area.setWidget(inner)
        column.addWidget(area, 1)
        column.addWidget(self.memory)
        self.soon = Soon(self, SOON_MS, self.refresh)
        workbench.controller.tasks_changed.connect(self._tasks_changed)
        workbench.settings_changed.connect(self.refresh)
        self.refresh()

    def follow(self, change: Change) -> None:
        """Do nothing: the controller announces tasks."""

    def apply_theme(self) -> None:
        """Draw the crosses in the theme's colours."""
        for row, _, _ in self._rows.values():
            for cross in row.findChildren(QToolButton):
                cross.setIcon(theme.icon("x"))

    def compute_all(self) -> None:
        """Do nothing: the page computes nothing itself."""

    def showEvent(self, event: QShowEvent) -> None:
        self._show_rows(self._controller.tasks())
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._show_rows(())  # hidden rows follow nothing: those of tasks that end meanwhile would stay

    def _tasks_changed(self) -> None:
        self.soon.ask()

    def refresh(self) -> None:
        """Show the present tasks, and the memory that results take."""
        tasks, cache = self._controller.tasks(), self._controller.cache
        self.setWindowTitle(f"{self.title} {len(tasks)}" if tasks else self.title)
        kept = f"{numbers.size(cache.bytes)} of {numbers.size(cache.limit)}"
        self.memory.setText(f"Kept intermediate results: {kept}")
        if self.isVisible():  # hidden rows would change sixty times a second
            self._show_rows(tasks)

    def _show_rows(self, tasks: tuple[Progress, ...]) -> None:
        slots = {t.slot for t in tasks}
        for slot in set(self._rows) - slots:
            row, _, _ = self._rows.pop(slot)
            self._list.removeWidget(row)
            retire(row)
        for task in tasks:
            if task.slot not in self._rows:
                self._add(task.slot)
            _, words, bar = self._rows[task.slot]
            title = f"{task.title[:1].upper()}{task.title[1:]}"
            words.set_words(title if task.running else f"{title} ({waits_for(task)})")
            bar.setValue(int(1000 * task.fraction) if task.running else 0)
        self._nothing.setVisible(not tasks)

    def _add(self, slot: str) -> None:
        row = QWidget()
        row.setMaximumWidth(WIDTH)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        words, bar, cross = Name(), QProgressBar(), QToolButton()
        bar.setRange(0, 1000)
        bar.setTextVisible(False)
        bar.setFixedWidth(180)
        cross.setIcon(theme.icon("x"))
        cross.setToolTip("Cancel this task")
        cross.setAccessibleName("Cancel this task")
        cross.clicked.connect(lambda: self._controller.cancel(slot))
        line.addWidget(words, 1)
        line.addWidget(bar)
        line.addWidget(cross)
        self._list.insertWidget(self._list.count() - 1, row)
        self._rows[slot] = (row, words, bar)
