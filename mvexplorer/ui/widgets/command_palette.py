"""Ctrl+K: find any action, method, parameter, sample or point, and do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import line

LIMIT = 60
KEYS = Qt.ItemDataRole.UserRole
EXACT, START, WORD, INSIDE, LETTERS, NOWHERE = range(6)
"""How well words fit a text, best first."""


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


class _Keys(QStyledItemDelegate):
    """Draws an entry with its shortcut in a column of its own on the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        keys = str(index.data(KEYS) or "")
        rect: QRect = option.rect
        painter.save()
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        painter.setPen(theme.current().color("muted"))
        painter.drawText(rect.adjusted(0, 0, -8, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
        painter.restore()


class CommandPalette(QDialog):
    """A search field over a list; Return runs the chosen entry."""

    def __init__(
        self,
        entries: list[PaletteEntry],
        find_point: Callable[[str], list[PaletteEntry]],
        parent: QWidget,
        recent: list[str],
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("dialog")
        self._entries = entries
        self._find_point = find_point
        self._recent = recent
        self._found: list[PaletteEntry] = []
        self.setFixedSize(560, 400)
        column = spaced(QVBoxLayout(self), 8, 8, 8, 8)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find an action, a method, a sample, a point id …")
        self.search.setAccessibleName("Find anything")
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setItemDelegate(_Keys(self.list))
        self.list.setAccessibleName("What was found")
        self.list.itemActivated.connect(lambda _: self._run())
        self.list.itemClicked.connect(lambda _: self._run())
        column.addWidget(self.search)
        column.addWidget(self.list)
        self._filter("")

    def _filter(self, text: str) -> None:
        entries = ranked(text, self._entries, self._recent)
        points = self._find_point(text.strip()) if text.strip() else []
        good = [e for e in entries if rank(text, e) < 2 * LETTERS]
        # What fits letter by letter only helps where nothing is really called so.
        self._found = (good if good or points else entries)[:LIMIT] + points
        self.list.clear()
        longest = 72  # most characters of an entry: as many as the list has room for
        for entry in self._found:
            item = QListWidgetItem(line(entry.text, longest))
            item.setData(KEYS, entry.shortcut)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{line(entry.text, longest)} {entry.shortcut}".strip())
            self.list.addItem(item)
        if not self._found:
            self.list.addItem(f"Nothing is called “{line(text.strip(), 30)}”.")
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._found):
            entry = self._found[row]
            self._recent[:] = [entry.text, *(text for text in self._recent if text != entry.text)][:LIMIT]
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
