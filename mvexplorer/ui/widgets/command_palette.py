"""Ctrl+K: find any action, method, parameter, sample or point, and do it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.searched_list import PaletteEntry, SearchedList, ranked, really_called

LIMIT = 60
KEYS = Qt.ItemDataRole.UserRole


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


class CommandPalette(SearchedList):
    """Everything the window can do, the best of what was typed first."""

    def __init__(
        self,
        entries: list[PaletteEntry],
        find_point: Callable[[str], list[PaletteEntry]],
        parent: QWidget,
        recent: list[str],
    ) -> None:
        super().__init__(parent, "Find anything", "Find an action, a method, a sample, a point id …")
        self._all = entries
        self._find_point = find_point
        self._recent = recent
        self.setFixedSize(560, 400)
        self.list.setItemDelegate(_Keys(self.list))
        self.list.setAccessibleName("What was found")
        self._search("")

    def fill(self, text: str) -> None:
        entries = ranked(text, self._all, self._recent)
        points = self._find_point(text.strip()) if text.strip() else []
        good = really_called(text, entries)
        longest = 72  # most characters of an entry: as many as the list has room for
        for entry in (good if good or points else entries)[:LIMIT] + points:
            item = QListWidgetItem(line(entry.text, longest))
            item.setData(KEYS, entry.shortcut)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{line(entry.text, longest)} {entry.shortcut}".strip())
            self.add(entry, item)
        self.list.setCurrentRow(0)

    def chosen(self, entry: PaletteEntry) -> None:
        self._recent[:] = [entry.text, *(text for text in self._recent if text != entry.text)][:LIMIT]
