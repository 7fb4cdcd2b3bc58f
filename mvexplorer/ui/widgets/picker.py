"""A list to choose one thing from: a title and a line about each, in groups, found by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.searched_list import PaletteEntry, SearchedList, rank, ranked, really_called

ABOUT = Qt.ItemDataRole.UserRole
HEADING = Qt.ItemDataRole.UserRole + 1
LONGEST = 160
"""Most characters of a title and of a line."""
BAR, INDENT, ABOVE = 3, 12, 5
"""Pixels at the usual type: the bar of the current row, the text's distance from the edge and from the row's top."""
AROUND = 16 + 4 + 12
"""Pixels beside a row, whatever the type: the popup's margins, the list's frame, the scroll bar."""


@dataclass(frozen=True)
class Pick:
    """One thing to choose; `about` is a line, `words` are other names people type for it."""

    title: str
    about: str
    do: Callable[[], object]
    group: str = ""
    words: str = ""


class _TwoLines(QStyledItemDelegate):
    """Draws a title over a muted line, or the heading of a group."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        title, small = (theme.metrics(each).height() for each in (_title_font(), _small_font()))
        above = theme.px(ABOVE)
        if index.data(HEADING):
            return QSize(0, round(small) + 3 * above)
        about = index.data(ABOUT)
        return QSize(0, round(title + (small if about else 0.0)) + 2 * above)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""  # drawn here, in two lines

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        rect: QRect = option.rect
        room = rect.adjusted(theme.px(INDENT), 0, -theme.px(INDENT), 0)
        colours = theme.current()
        painter.save()
        if index.data(HEADING):
            _write(painter, room.adjusted(0, theme.px(2 * ABOVE), 0, 0), index.data(), _small_font(bold=True), "muted")
        else:
            if option.state & QStyle.StateFlag.State_Selected:
                bar = rect.adjusted(0, theme.px(4), 0, -theme.px(4))
                painter.fillRect(QRect(bar.topLeft(), QSize(theme.px(BAR), bar.height())), colours.color("accent"))
            height = round(theme.metrics(_title_font()).height())
            room.adjust(0, theme.px(ABOVE), 0, 0)
            _write(painter, room, index.data(), _title_font(), "text")
            _write(painter, room.adjusted(0, height, 0, 0), index.data(ABOUT), _small_font(), "muted")
        painter.restore()


def _title_font() -> QFont:
    return theme.font(theme.px(theme.BASE_PX))


def _small_font(*, bold: bool = False) -> QFont:
    return theme.font(theme.px(theme.SMALL_PX), bold=bold)


def _write(painter: QPainter, room: QRect, text: str, font: QFont, role: str) -> None:
    """Write one line at the top of a rectangle, its end left out where there is no room."""
    painter.setFont(font)
    painter.setPen(theme.current().color(role))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)


class Picker(SearchedList):
    """Choices in their groups; typing leaves those that fit, and makes the best one current."""

    def __init__(self, choices: Sequence[Pick], name: str, hint: str, parent: QWidget) -> None:
        super().__init__(parent, name, hint)
        groups = list(dict.fromkeys(choice.group for choice in choices))
        self._choices = {_entry(c): c for c in sorted(choices, key=lambda each: groups.index(each.group))}
        self.list.setItemDelegate(_TwoLines(self.list))
        self.list.setAccessibleName(name)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(self.list.ScrollMode.ScrollPerPixel)
        self._window = parent
        self.setFixedWidth(self._widest())
        self._search("")

    def fill(self, text: str) -> None:
        fitting = ranked(text, list(self._choices), ())
        fitting = really_called(text, fitting) or fitting
        kept, group = set(fitting), ""
        for entry, choice in self._choices.items():
            if entry not in kept:
                continue
            if choice.group != group:
                group = choice.group
                self.add(None, _heading(group))
            self.add(entry, _row(choice))
        if fitting:
            best = min(fitting, key=lambda each: rank(text, each)) if text.strip() else next(iter(self._choices))
            self.list.setCurrentRow(self._found.index(best))
        self._fit_rows()

    def open_at(self, below: QWidget | None = None) -> None:
        """Show it below a button, else in the middle of the window."""
        window = self._window
        place = window.mapToGlobal(window.rect().center()) - self.rect().center()
        if below is not None:
            place = below.mapToGlobal(below.rect().bottomLeft())
            right = window.mapToGlobal(QPoint(window.width() - self.width() - 8, 0)).x()
            place.setX(max(window.mapToGlobal(QPoint(8, 0)).x(), min(place.x(), right)))
        self.move(place)
        self.show()
        self.search.setFocus()

    def _widest(self) -> int:
        """The width of its longest line, within the window."""
        title, small = theme.metrics(_title_font()), theme.metrics(_small_font())
        widths = [title.horizontalAdvance(c.title) for c in self._choices.values()]
        widths += [small.horizontalAdvance(c.about) for c in self._choices.values()]
        width = round(max(widths, default=0.0)) + 2 * theme.px(INDENT) + AROUND + 2
        return max(200, min(width, self._window.width() - 48))

    def _fit_rows(self) -> None:
        """As high as its rows, within the window; its top stays where it is."""
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        height = rows + self.search.sizeHint().height() + AROUND
        self.setFixedHeight(max(theme.px(120), min(height, theme.px(560), self._window.height() - 96)))


def _entry(choice: Pick) -> PaletteEntry:
    return PaletteEntry(choice.title, "", choice.do, f"{choice.about} {choice.group} {choice.words}")


def _heading(group: str) -> QListWidgetItem:
    item = QListWidgetItem(line(group))
    item.setData(HEADING, True)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, line(group))
    return item


def _row(choice: Pick) -> QListWidgetItem:
    title, about = line(choice.title, LONGEST), line(choice.about, LONGEST)
    item = QListWidgetItem(title)
    item.setData(ABOUT, about)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}. {about}" if about else title)
    item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, choice.group)
    return item
