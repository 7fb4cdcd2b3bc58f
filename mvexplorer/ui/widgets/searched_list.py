"""A search field over a list: what the command palette and the lists of samples and methods share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import line

EXACT, START, WORD, INSIDE, LETTERS, NOWHERE = range(6)
"""How well words fit a text, best first."""
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_PAGES = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}


@dataclass(frozen=True)
class PaletteEntry:
    """One thing that can be found; `words` are other names people type for it."""

    text: str
    shortcut: str
    do: Callable[[], object]
    words: str = ""


def fit(query: str, text: str) -> int:
    """Rate how well a query fits a text: wholly, as its start, as the start of a word, inside, or letter by letter.

    A thing's name after what is done with it ("Add panel: CCA") is a whole text too.
    """
    query, text = query.casefold().strip(), text.casefold()
    if query and query in (text, text.rpartition(": ")[2]):
        return EXACT
    if text.startswith(query):
        return START
    parts = query.split()
    padded = f" {text}"
    if all(f" {part}" in padded for part in parts):
        return WORD
    if all(part in text for part in parts):
        return INSIDE
    letters = iter(text)
    return LETTERS if all(letter in letters for letter in query.replace(" ", "")) else NOWHERE


def rank(query: str, entry: PaletteEntry) -> int:
    """Rate how well a query fits an entry; its other names count little less, and only from their start."""
    own = fit(query, entry.text)
    other = fit(query, f"{entry.words} {entry.text}") if entry.words else NOWHERE
    return min(2 * own, 2 * WORD + 1 if other <= WORD else 2 * NOWHERE)


def ranked(query: str, entries: Sequence[PaletteEntry], recent: Sequence[str]) -> list[PaletteEntry]:
    """The entries that a query finds, the best first; of equally good ones those used last."""
    place = {text: k for k, text in enumerate(recent)}
    ranks = [(rank(query, e), place.get(e.text, len(place)), e) for e in entries]
    return [e for r, _, e in sorted(ranks, key=lambda each: each[:2]) if r < 2 * NOWHERE or not query.strip()]


def really_called(query: str, entries: Sequence[PaletteEntry]) -> list[PaletteEntry]:
    """The entries that a query fits better than letter by letter, which helps only where nothing is called so."""
    return [e for e in entries if rank(query, e) < 2 * LETTERS]


class SearchedList(QDialog):
    """A popup in which the keys move through the list while one types; Return or a click runs the current row."""

    def __init__(self, parent: QWidget, name: str, hint: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("dialog")
        self.setWindowTitle(name)
        self._found: list[PaletteEntry | None] = []
        column = spaced(QVBoxLayout(self), 8, 8, 8, 8)
        self.search = QLineEdit()
        self.search.setPlaceholderText(hint)
        self.search.setAccessibleName(name)
        self.search.textChanged.connect(self._search)
        self.list = QListWidget()
        self.list.itemClicked.connect(lambda item: self._run_row(self.list.row(item)))
        self.list.currentRowChanged.connect(self._tell)
        for widget in (self.search, self.list):
            widget.installEventFilter(self)
            column.addWidget(widget)

    @abstractmethod
    def fill(self, text: str) -> None:
        """Fill the empty list with what a text finds, by `add`."""

    def add(self, entry: PaletteEntry | None, item: QListWidgetItem) -> None:
        """Append a row; without an entry it is only to be read."""
        if entry is None:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._found.append(entry)
        self.list.addItem(item)

    def _search(self, text: str) -> None:
        self.list.clear()
        self._found = []
        self.fill(text)
        if not self._found:
            nothing = QListWidgetItem(f"Nothing is called “{line(text.strip(), 30)}”.")
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)

    def _run(self) -> None:
        self._run_row(self.list.currentRow())

    def _run_row(self, row: int) -> None:
        entry = self._found[row] if 0 <= row < len(self._found) else None
        if entry is not None and self.isVisible():
            self.accept()
            self.chosen(entry)
            entry.do()

    def chosen(self, entry: PaletteEntry) -> None:
        """An entry is about to be run."""

    def _tell(self, row: int) -> None:
        """Let the search field, which has the focus, speak the row that Return would run."""
        item = self.list.item(row)
        self.search.setAccessibleDescription(str(item.data(Qt.ItemDataRole.AccessibleTextRole)) if item else "")

    def _move(self, steps: int) -> None:
        rows = [row for row, entry in enumerate(self._found) if entry is not None]
        present = self.list.currentRow()
        if not rows:
            return
        place = rows.index(present) + steps if present in rows else 0
        row = rows[min(max(0, place), len(rows) - 1)]
        if row > 0 and self._found[row - 1] is None:
            self.list.scrollToItem(self.list.item(row - 1))  # its heading with it
        self.list.setCurrentRow(row)

    def _page(self) -> int:
        """The rows that are in sight at once, less one to see where one was."""
        return max(1, self.list.viewport().height() // max(1, self.list.sizeHintForRow(self.list.currentRow())) - 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in _STEPS or key in _PAGES:
                self._move(_STEPS[key] if key in _STEPS else _PAGES[key] * self._page())
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
                return True
        return super().eventFilter(watched, event)
