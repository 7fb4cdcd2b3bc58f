"""The place where sweeps, small multiples and checks run: this computer, or workers that the user chooses here."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mvexplorer.compute.remote.remote import Where, WorkerState
from mvexplorer.state.pictures.workplace import Workplace
from mvexplorer.ui.pages.check_card import ChoiceBox, scrolled
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, Name, retire, sentence, tip
from mvexplorer.wording import counted

WIDTH = 376
LOCAL = f"local:{max(2, os.cpu_count() or 2)}"
OTHER = "other"
"""Stands in the list for an address that is still to be typed."""
HERE = "Everything is computed on this computer."


class WherePane(QWidget):
    """The choice, its outcome, and the workers with what they do and the memory they take."""

    def __init__(self, workplace: Workplace) -> None:
        super().__init__()
        self._workplace, self._typing = workplace, False
        self.setFixedWidth(theme.px(WIDTH))
        column = spaced(QVBoxLayout(self), 16, 0, 0, 0, spacing=8)
        self._make_choice(column)
        column.addWidget(self._make_field())
        self.words = Label(wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.words)
        column.addWidget(self._make_question())
        self._rows: list[WorkerRow] = []
        inner = QWidget()
        self._list = spaced(QVBoxLayout(inner), 0, 0, 0, 0, spacing=4)
        self._list.addStretch(1)
        column.addWidget(scrolled(inner), 1)
        self._often = QTimer(self, interval=1000)  # between two questions to the workers, while they are on show
        self._often.timeout.connect(workplace.look)
        workplace.changed.connect(self._show_if_seen)
        self.refresh()

    def _make_choice(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        head = Label("Compute on", "title")
        self.box = ChoiceBox("Compute on", {"": "this computer"}, WIDTH)
        self.box.activated.connect(lambda _: self._chosen())
        row.addWidget(head)
        row.addWidget(self.box, 1)

    def _make_field(self) -> QWidget:
        self._address = QWidget()
        row = spaced(QHBoxLayout(self._address), 0, 0, 0, 0, spacing=8)
        self.field = Field()
        example = "tcp://host:8786, tls://host:8786 or a scheduler file"
        self.field.setPlaceholderText(example)
        self.field.setToolTip(f"Address of a Dask scheduler: {example}")
        self.field.setAccessibleName("Address of a cluster")
        self.connect_button = QPushButton("Connect")
        for signal in (self.field.returnPressed, self.connect_button.clicked):
            signal.connect(self._connect)
        row.addWidget(self.field, 1)
        row.addWidget(self.connect_button)
        return self._address

    def _make_question(self) -> QWidget:
        self.question = QWidget()
        row = spaced(QHBoxLayout(self.question), 0, 0, 0, 0, spacing=8)
        self.stay = QPushButton("Do not connect")
        self.stay.clicked.connect(self._workplace.give_up)
        self.agree = QPushButton("Connect all the same")
        self.agree.clicked.connect(self._agree)
        row.addWidget(self.stay)
        row.addWidget(self.agree)
        row.addStretch(1)
        return self.question

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._workplace.look()
        self._often.start()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._often.stop()

    # What the user does -------------------------------------------------------------------------------------

    def _chosen(self) -> None:
        self._typing = self.box.value == OTHER
        if self._typing:
            self._workplace.give_up()
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._workplace.choose(self.box.value)

    def _connect(self) -> None:
        if text := self.field.text().strip():
            self._workplace.choose(text)

    def _agree(self) -> None:
        if self._workplace.asked is not None:
            self._workplace.choose(self._workplace.asked[0], plain_tcp=True)

    # What is shown ------------------------------------------------------------------------------------------

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Show the choice and the workers as they are."""
        there = self._workplace
        others = {text: text for text in (*there.recent, there.choice) if text not in ("", LOCAL)}
        processes = counted(int(LOCAL.removeprefix("local:")), "process")
        self.box.offer({"": "this computer", LOCAL: f"{processes} of this computer", **others, OTHER: "a cluster …"})
        pending = there.connecting or (there.asked[0] if there.asked is not None else "")
        if there.choice and there.choice == self.field.text().strip():
            self._typing = False  # it is there
        self.box.show_value(OTHER if self._typing else pending or there.choice)
        self._address.setVisible(self._typing)
        self.connect_button.setEnabled(not pending)
        self.question.setVisible(there.asked is not None)
        self._say()
        self._show_workers(there.where)

    def _say(self) -> None:
        there = self._workplace
        how = "Start a cluster by “dask scheduler” and “dask worker”. Sweeps and small multiples can run there."
        if there.asked is not None:
            from mvexplorer.compute.remote.remote_address import WHY_NOT

            self._tell(f"{there.asked[1]} is neither encrypted nor on this computer. {WHY_NOT}", "")
        elif there.connecting:
            local = there.connecting.startswith("local:")
            self._tell("Starting processes …" if local else f"Connecting to {there.connecting} …")
        elif there.problem:
            self._tell(there.problem, "error")
        elif there.workers is None:
            self._tell(how if self._typing else HERE)
        else:
            self._tell("Asking the workers …" if there.where is None else _about(there.where))

    def _tell(self, text: str, role: str = "muted") -> None:
        self.words.setText(sentence(text))
        self.words.setToolTip(tip(text))
        if self.words.property("role") != role:
            self.words.setProperty("role", role)
            self.words.style().polish(self.words)

    def _show_workers(self, where: Where | None) -> None:
        workers = () if where is None else sorted(where.workers, key=lambda worker: worker.name)
        while len(self._rows) > len(workers):
            row = self._rows.pop()
            self._list.removeWidget(row)
            retire(row)
        while len(self._rows) < len(workers):
            self._rows.append(WorkerRow())
            self._list.insertWidget(len(self._rows) - 1, self._rows[-1])
        for row, worker in zip(self._rows, workers, strict=True):
            row.show_worker(worker)


class WorkerRow(QFrame):
    """One worker: its name, its memory, and below what it does."""

    def __init__(self) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 0, 0, 8, 0, spacing=0)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.name, self.memory, self.does = Name(), Label(), Name()
        self.memory.setProperty("role", "muted")
        self.does.setProperty("role", "muted")
        row.addWidget(self.name, 1)
        row.addWidget(self.memory)
        column.addWidget(self.does)

    def show_worker(self, worker: WorkerState) -> None:
        """Show how it is."""
        threads = "" if worker.threads == 1 else f", {counted(worker.threads, 'thread')}"
        self.name.set_words(f"Worker {worker.name}{threads}")
        self.memory.setText(f"{numbers.size(worker.memory)} of {numbers.size(worker.limit)}")
        self.memory.setToolTip("Memory that it takes, and may take")
        self.does.set_words(", ".join(worker.running) or "Waits for work")


def _about(where: Where) -> str:
    """Tell in a few words how many workers there are, and what runs on them."""
    if not where.workers:
        return f"{where.title} has no workers at present."
    threads = sum(worker.threads for worker in where.workers)
    there = f"{counted(len(where.workers), 'worker')} with {counted(threads, 'thread')}"
    return f"Sweeps, small multiples, permutation tests and stability run on {there}; all else on this computer."
