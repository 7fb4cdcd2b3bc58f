"""The status line: what is being computed, undo with its history, and the snapshots; all open over the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.pages.history import HistoryList
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.snapshots.snapshots import SnapshotPane
from mvexplorer.ui.pages.tasks.tasks import TaskList
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place, spaced
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.popover import Popover


class StatusLine(QWidget):
    """Stands at the right end of the places' tabs, however many of these are folded away."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._document = workbench, workbench.document
        self._popovers: dict[str, Popover] = {}
        row = spaced(QHBoxLayout(self), 8, 0, 8, 0, spacing=2)
        self.undo, self.steps, self.tasks, self.kept = (QToolButton() for _ in range(4))
        for button in (self.undo, self.steps, self.tasks, self.kept):
            button.setProperty("role", "small")
        self.undo.clicked.connect(self._document.undo)
        keyed_tip(self.steps, "All steps of this sitting, and a way back to each", "History")
        self.steps.clicked.connect(lambda: self.popover("history").toggle())
        keyed_tip(self.tasks, "Running computations, memory, and where long ones are computed", "Tasks")
        self.tasks.clicked.connect(lambda: self.popover("tasks").toggle())
        keyed_tip(self.kept, "Snapshots: states kept to go back to", "Snapshots")
        self.kept.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.kept.clicked.connect(lambda: self.popover("snapshots").toggle())
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setFixedSize(64, 3)
        self.bar.setAccessibleName("Progress of all tasks")
        for widget in (self.bar, self.tasks, self.undo, self.steps, self.kept):
            row.addWidget(widget)
        self.soon = Soon(self, milliseconds=60, do=self._show_tasks)
        workbench.controller.tasks_changed.connect(self.soon.ask)
        workbench.controller.workplace.changed.connect(self.soon.ask)
        self._document.changed.connect(lambda _: self._show_undo())
        self.apply_theme()
        self._show_undo()
        self._show_tasks()

    def popover(self, id: str) -> Popover:
        """The card of one of them, made when it is first opened."""
        if id not in self._popovers:
            if id == "history":
                self._popovers[id] = Popover(self.steps, HistoryList(self._workbench))
            elif id == "snapshots":
                pane = SnapshotPane(self._workbench)
                self._popovers[id] = Popover(self.kept, pane)
                pane.left.connect(self._popovers[id].shut)
            else:
                self._popovers[id] = Popover(self.tasks, TaskList(self._workbench))
        return self._popovers[id]

    def open(self, id: str) -> QWidget:
        """Open one of them."""
        popover = self.popover(id)
        popover.open()
        return popover.content

    def shut(self) -> bool:
        """Close what is open; False if nothing was."""
        shown = [popover for popover in self._popovers.values() if popover.isVisible()]
        for popover in shown:
            popover.shut()
        return bool(shown)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.undo.setIcon(theme.icon("undo-2"))
        self.steps.setIcon(theme.icon("history"))
        self.kept.setIcon(theme.icon("bookmark"))
        for popover in self._popovers.values():
            content = popover.content
            assert isinstance(content, (HistoryList, TaskList, SnapshotPane))
            content.apply_theme()

    def _show_undo(self) -> None:
        label = self._document.undo_label
        self.undo.setEnabled(label is not None)
        keyed_tip(self.undo, "Undo" if label is None else f"Undo: {label}", "Undo")
        n = len(self._document.state.snapshots.kept)
        self.kept.setText(f"{n}" if n else "")

    def _show_tasks(self) -> None:
        """Tell how many tasks there are, and how far they are together; without any, nothing unless workers do."""
        tasks, place = self._workbench.controller.tasks(), self._workbench.controller.workplace
        workers = bool(place.choice or place.connecting or place.asked or place.problem)
        show_in_place(self.tasks, possible=True, at_hand=bool(tasks) or workers)
        self.tasks.setText(f"Tasks {len(tasks)}" if tasks else "Tasks")
        show_in_place(self.bar, possible=True, at_hand=bool(tasks))
        if tasks:
            self.bar.setValue(round(1000 * sum(task.fraction for task in tasks) / len(tasks)))
