"""Ctrl+K: find any action, method, parameter, sample or point, and do it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QVBoxLayout, QWidget

from mvexplorer.ui.widgets.plain_text import line

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 60


@dataclass(frozen=True)
class Entry:
    """One thing that can be found."""

    text: str
    shortcut: str
    do: Callable[[], object]


class CommandPalette(QDialog):
    """A search field over a list; Return runs the chosen entry."""

    def __init__(self, entries: list[Entry], find_point: Callable[[str], list[Entry]], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = entries
        self._find_point = find_point
        self._found: list[Entry] = []
        self.setFixedSize(520, 360)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find an action, a method, a sample, a point id …")
        self.search.setAccessibleName("Find anything")
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.itemActivated.connect(lambda _: self._run())
        self.list.itemClicked.connect(lambda _: self._run())
        column.addWidget(self.search)
        column.addWidget(self.list)
        self._filter("")

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        self._found = [e for e in self._entries if all(w in e.text.casefold() for w in words)][:LIMIT]
        if words:
            self._found += self._find_point(text.strip())
        self.list.clear()
        for entry in self._found:
            shown = line(entry.text)
            self.list.addItem(f"{shown}    {entry.shortcut}" if entry.shortcut else shown)
        if not self._found:
            self.list.addItem(f"Nothing is called “{line(text.strip(), 30)}”.")
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._found):
            entry = self._found[row]
            self.accept()
            entry.do()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                self.list.setCurrentRow(min(max(0, self.list.currentRow() + step), self.list.count() - 1))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
                return True
        return super().eventFilter(watched, event)
