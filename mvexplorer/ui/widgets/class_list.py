"""The classes of a colouring: a row for each, however many; only those in sight are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.marking import draw_marker
from mvexplorer.ui.style.palettes import RGB
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.shortening import MANY, told_apart
from mvexplorer.ui.widgets.text_table import Index, TextModel, TextTable
from mvexplorer.wording import counted

ROW = 20
NAME = 22
"""Where a name begins, in pixels."""
KEY = Qt.Key
STEPS = (KEY.Key_Up, KEY.Key_Down, KEY.Key_PageUp, KEY.Key_PageDown, KEY.Key_Home, KEY.Key_End)


class ClassModel(TextModel):
    """A row per class: its name, its size, and how many of it are selected where any sample is."""

    heads = ("Class",)

    def __init__(self) -> None:
        super().__init__()
        self.names: Sequence[str] = ()
        self._counts: Sequence[int] = ()
        self._selected: Sequence[int] | None = None
        self._visible: AbstractSet[str] = frozenset()

    def n_rows(self) -> int:
        return len(self.names)

    def cell(self, row: int, column: int) -> str:
        return self.names[row]

    def about(self, row: int, column: int) -> str:
        gestures = "Click isolates, Ctrl+click toggles, double click shows all, Alt+click selects."
        return f"{line(self.names[row], 4 * LINE)}: {self._size(row)}. {gestures}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and 0 <= index.row() < self.n_rows():
            return f"Class {line(self.names[index.row()])}, {self._size(index.row())}"
        return super().data(index, role)

    def _size(self, row: int) -> str:
        if not self._counts[row]:
            return "no sample has this colour"  # those of a selection that others cover
        chosen = self.selected(row)
        return counted(self._counts[row], "sample") + ("" if chosen is None else f", {chosen:,} of them selected")

    def selected(self, row: int) -> int | None:
        """Return the number selected of a class; None where nothing is selected at all."""
        return None if self._selected is None else self._selected[row]

    def count_text(self, row: int) -> str:
        """A class's size, and before it how many are selected where any sample is."""
        chosen, count = self.selected(row), self._counts[row]
        return "none" if not count else f"{count:,}" if chosen is None else f"{chosen:,} / {count:,}"

    def on(self, row: int) -> bool:
        """True if a class is shown."""
        return not self._visible or self.names[row] in self._visible

    def show(self, names: Sequence[str], counts: Sequence[int]) -> None:
        """Show these classes, without any selection."""
        same = len(names) == len(self.names)  # the row in use stays so
        if not same:
            self.beginResetModel()
        self.names, self._counts, self._selected = names, counts, None
        if same:
            self.tell_cells_changed()
        else:
            self.endResetModel()

    def show_visible(self, visible: AbstractSet[str]) -> None:
        """Show which classes are visible; none: all."""
        self._visible = visible
        self.tell_cells_changed()

    def show_selected(self, selected: Sequence[int] | None) -> None:
        """Show how many of each class are selected; None where nothing is selected at all."""
        self._selected = selected
        self.tell_cells_changed()


class ClassList(TextTable):
    """Swatch, name and count of each class: a click isolates it, Ctrl+click toggles it, a double click shows all."""

    taken = Signal(int, bool)
    """The class in this row is to be shown alone; True: shown or hidden beside the others."""
    all_wanted = Signal()
    picked = Signal(int, str)
    """The samples of the class in this row are to be selected; how they are combined with those that are."""

    def __init__(self) -> None:
        self.classes = ClassModel()
        self.colours: RGB = np.empty((0, 3), dtype=np.uint8)
        self.markers: npt.NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self.also: list[QAction] = []
        """Entries of a class's menu beside the ways to select."""
        self._lines: Sequence[str] = ()
        self._cut: dict[int, tuple[int, str]] = {}
        """Names as drawn, each with the room that it was cut for."""
        super().__init__(self.classes, "Classes", (100,), 0)
        self.setObjectName("classes")
        self.setItemDelegate(ClassPainter(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)

    def fit_type(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme.px(ROW))

    def show_classes(
        self, names: Sequence[str], counts: Sequence[int], colours: RGB, markers: npt.NDArray[np.uint8]
    ) -> None:
        """Show classes, their sizes, colours (n, 3) and markers (n,)."""
        self.colours, self.markers = colours, markers
        self._lines = [line(name, 4 * LINE) for name in names] if len(names) <= MANY else names
        self._cut.clear()
        self.classes.show(names, counts)
        self.fit_type()

    def color(self, row: int) -> QColor:
        """The colour of a class."""
        return QColor(*self.colours[row].tolist())

    def spot(self, row: int) -> QPoint:
        """The middle of a row, where it stands in the viewport."""
        return self.visualRect(self.classes.index(row, 0)).center()

    def words_room(self, row: int) -> tuple[QFont, float]:
        """The font of a count, and the pixels that the count takes."""
        font = theme.font(theme.px(theme.SMALL_PX), bold=bool(self.classes.selected(row)))
        return font, max(40.0, QFontMetricsF(font).horizontalAdvance(self.classes.count_text(row)) + 14)

    def written(self, row: int) -> str:
        """A name as drawn: cut where there is no room, so that no other class's reads the same."""
        room = int(self.columnWidth(0) - theme.px(NAME) - self.words_room(row)[1])
        if self._cut.get(row, (-1, ""))[0] != room:
            width = QFontMetricsF(theme.font(theme.px(theme.BASE_PX))).horizontalAdvance
            name = line(self.classes.names[row], 4 * LINE)
            self._cut[row] = room, told_apart(name, self._lines, row + 1, room, width)
        return self._cut[row][1]

    # Mouse and keys -------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(event.position().toPoint().y())
        if row < 0 or event.button() == Qt.MouseButton.RightButton:
            return  # its menu follows
        more = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.picked.emit(row, "add" if more else "replace")
        else:
            self.taken.emit(row, more)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag nothing."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do nothing more than the press did."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.rowAt(event.position().toPoint().y()) >= 0:
            self.all_wanted.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.currentIndex().row() if by_key else self.rowAt(event.pos().y())
        if row >= 0:
            self.menu(row).popup(self.viewport().mapToGlobal(self.spot(row)) if by_key else event.globalPos())

    def menu(self, row: int) -> QMenu:
        """The ways to select the samples of a class, and what else there is to do."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selecting = (
            ("Select the class\tAlt+click", "replace"),
            ("Add to selection", "add"),
            ("Subtract from selection", "subtract"),
            ("Intersect with selection", "intersect"),
        )
        for words, how in selecting:
            menu.addAction(words).triggered.connect(partial(self.picked.emit, row, how))
        menu.addSeparator()
        menu.addActions(self.also)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Space) and row >= 0:
            self.taken.emit(row, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif event.key() in STEPS:
            self._step(event.key())
        else:
            event.ignore()  # letters stay the window's

    def _step(self, key: int) -> None:
        """Move to another row; Qt itself moves none where none can be selected."""
        page, last = max(1, self.viewport().height() // theme.px(ROW) - 1), self.classes.n_rows() - 1
        by = {KEY.Key_Up: -1, KEY.Key_Down: 1, KEY.Key_PageUp: -page, KEY.Key_PageDown: page, KEY.Key_Home: -last}
        row = self.currentIndex().row() + by.get(KEY(key), last)
        self.setCurrentIndex(self.classes.index(min(max(0, row), last), 0))

    def _own(self, event: QKeyEvent) -> bool:
        return event.key() in STEPS or event.key() == Qt.Key.Key_Space

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid() and self.classes.n_rows():
            self.setCurrentIndex(self.classes.index(max(0, self.rowAt(0)), 0))
        super().focusInEvent(event)


class ClassPainter(QStyledItemDelegate):
    """Draws a class: swatch, name, count."""

    def __init__(self, classes: ClassList) -> None:
        super().__init__(classes)
        self._list = classes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, row, rect = theme.current(), index.row(), QRectF(option.rect)
        state = option.state
        focus, under = state & QStyle.StateFlag.State_HasFocus, state & QStyle.StateFlag.State_MouseOver
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if focus or under:
            painter.setBrush(t.color("soft"))
            painter.drawRoundedRect(rect, 4, 4)
        if focus:
            painter.setPen(QPen(t.color("accent"), 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4)
        pale = 0.35  # opacity of a class that is hidden
        painter.setOpacity(1.0 if self._list.classes.on(row) else pale)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._list.color(row))
        centre = theme.px(ROW / 2)
        draw_marker(painter, rect.topLeft() + QPointF(centre, centre), theme.px(5), int(self._list.markers[row]))
        self._paint_words(painter, t, row, rect)
        painter.restore()

    def _paint_words(self, painter: QPainter, t: theme.Theme, row: int, rect: QRectF) -> None:
        font, taken = self._list.words_room(row)
        painter.setFont(theme.font(theme.px(theme.BASE_PX)))
        painter.setPen(t.color("text"))
        words = rect.adjusted(theme.px(NAME), 0, -taken, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self._list.written(row))
        painter.setFont(font)
        painter.setPen(t.color("text" if self._list.classes.selected(row) else "muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(rect.adjusted(0, 0, -6, 0), right, self._list.classes.count_text(row))
