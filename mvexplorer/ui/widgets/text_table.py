"""A table of texts that can be long: a model under a view, never a widget for a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
)

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line, tip
from mvexplorer.ui.widgets.shortening import told_apart

Index = QModelIndex | QPersistentModelIndex
ROW = 26
HEAD_MARGIN = 8
"""Pixels beside the words of a head, as in the style sheet."""
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class TextModel(QAbstractTableModel):
    """Cells of text with heads; subclasses say what stands where.

    `right` are the columns of numbers, `editable` those whose text can be typed, `of_names` those of names, which are
    cut to what tells them apart.
    """

    heads: Sequence[str] = ()
    meanings: Sequence[str] = ()
    """Tooltips of the heads; where there are none, a head is its own."""
    right: frozenset[int] = frozenset()
    editable: frozenset[int] = frozenset()
    of_names: frozenset[int] = frozenset({0})

    def n_rows(self) -> int:
        """How many rows there are."""
        return 0

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        return ""

    def about(self, row: int, column: int) -> str:
        """Return the tooltip of a cell."""
        return self.cell(row, column)

    def kind_of(self, row: int) -> str:
        """Return the kind of a row: its name is told from those of its kind."""
        return ""

    def entered(self, row: int, column: int, text: str) -> None:
        """Take what was typed into a cell."""

    def tell_cells_changed(self) -> None:
        """Announce that cells changed, while the rows are still the same."""
        if n_rows := self.n_rows():
            self.dataChanged.emit(self.index(0, 0), self.index(n_rows - 1, len(self.heads) - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self.n_rows()

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return line(self.heads[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip((self.meanings or self.heads)[section])
        return (RIGHT if section in self.right else LEFT) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in self.editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        if not (0 <= row < self.n_rows() and 0 <= column < len(self.heads)):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return line(self.cell(row, column), 4 * LINE)
        if role == Qt.ItemDataRole.EditRole:
            return self.cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self.about(row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.heads[column]}: {self.about(row, column) or self.cell(row, column)}"
        return (RIGHT if column in self.right else LEFT) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role == Qt.ItemDataRole.EditRole and str(value).strip():
            self.entered(index.row(), index.column(), str(value).strip())
            return True
        return False


class NamePainter(QStyledItemDelegate):
    """Cuts names that do not fit to what tells them from the others of their column."""

    def __init__(self, table: TextTable) -> None:
        super().__init__(table)
        self._texts = table.texts
        self._names: dict[tuple[int, str], tuple[str, ...]] = {}
        """The names of a column in rows of a kind."""
        self.measures = False
        """Whether Qt asks how much room a whole name takes."""
        for changed in (self._texts.modelReset, self._texts.dataChanged, self._texts.layoutChanged):
            changed.connect(lambda *_: self._names.clear())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        self.measures = True
        try:
            return super().sizeHint(option, index)
        finally:
            self.measures = False

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        column = index.column()
        if self.measures or column not in self._texts.of_names or not option.text:
            return
        style = option.widget.style() if option.widget is not None else QApplication.style()
        whole = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, option.widget).width()
        room = whole - 2 * (style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        width = option.fontMetrics.horizontalAdvance
        if width(option.text) > room:
            names = self._beside(index.row(), column)
            option.text = told_apart(option.text, names, index.row() + 1, room, width)

    def _beside(self, row: int, column: int) -> tuple[str, ...]:
        texts, kind = self._texts, self._texts.kind_of(row)
        if (column, kind) not in self._names:
            rows = (k for k in range(texts.n_rows()) if texts.kind_of(k) == kind)
            self._names[column, kind] = tuple(line(texts.cell(k, column), 4 * LINE) for k in rows)
        return self._names[column, kind]


class TextTable(QTableView):
    """Shows a `TextModel`: whole rows are selected, some columns open a menu, long names lose their middle.

    `acted` carries the cell of such a column that was clicked, or in which Return was pressed.
    """

    acted = Signal(QModelIndex)  # not pressed: Qt emits that itself, wherever the mouse goes down
    keyed = Signal(str)
    """A letter of `letters` was pressed."""

    def __init__(self, model: TextModel, name: str, widths: Sequence[int], stretch: int) -> None:
        super().__init__()
        self.texts = model
        self.menus: frozenset[int] = frozenset()
        """Columns whose cells open a menu."""
        self.letters = ""
        self.naming = -1
        """The column of names that gets what they need before the stretched one becomes wider than usual."""
        self._widths = widths
        self.setModel(model)
        self.setItemDelegate(NamePainter(self))
        self.setObjectName("texts")
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        head.setDefaultSectionSize(theme.px(112))
        head.setMinimumSectionSize(40)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        if stretch >= 0:
            head.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(lambda index: self._press(index) if index.column() in self.menus else None)
        self.fit_type()

    def fit_type(self) -> None:
        """Give rows and columns the size that suits the type."""
        self.verticalHeader().setDefaultSectionSize(theme.px(ROW))
        widths, room = [*map(theme.px, self._widths)], self.viewport().width()
        if self.naming >= 0:
            spare = room - sum(widths)
            widths[self.naming] += max(0, min(self.names_width() - widths[self.naming], spare))
        times = min(max(room / max(1, sum(widths)), 1.0), 1.6)  # no wider than that where there is room
        for column, width in enumerate(widths):
            self.setColumnWidth(column, round(width * times))

    def names_width(self) -> int:
        """The width in pixels at which the names of the column of names are whole."""
        return self.widest(self.naming)

    def widest(self, column: int) -> int:
        """The width in pixels at which the texts of a column are whole, as far as they are seen first."""
        rows = range(min(self.texts.n_rows(), 100))
        return max((self.sizeHintForIndex(self.texts.index(row, column)).width() for row in rows), default=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit_type()
        super().resizeEvent(event)

    def fit_height(self, least: int) -> None:
        """Limit the height to that of the rows, or of `least` rows where there are fewer."""
        rows = max(least, self.texts.n_rows()) + 1
        self.setMaximumHeight(self.horizontalHeader().sizeHint().height() + rows * theme.px(ROW))

    def rows(self) -> list[int]:
        """The selected rows, from top to bottom."""
        # By ranges: a call for every cell takes a second for 20,000 rows.
        selection = self.selectionModel().selection()
        parts = [selection.at(k) for k in range(selection.count())]
        return sorted({row for part in parts for row in range(part.top(), part.bottom() + 1)})

    def _press(self, index: QModelIndex) -> None:
        self.acted.emit(index)

    def event(self, event: QEvent) -> bool:
        # A letter is this table's, not a shortcut of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._own(event):
            event.accept()
            return True
        return super().event(event)

    def _own(self, event: QKeyEvent) -> bool:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        typing = self.state() == QAbstractItemView.State.EditingState
        return plain and not typing and bool(event.text()) and event.text().isprintable()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            if self.state() != QAbstractItemView.State.EditingState:  # there it ends what is typed
                self._press(index)
        elif event.key() == Qt.Key.Key_F2 and index.isValid() and self.texts.editable:
            self.edit(index.siblingAtColumn(min(self.texts.editable)))
        elif self._own(event) and event.text().upper() in self.letters:
            self.keyed.emit(event.text().upper())
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        hand = index.column() in self.menus
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)


class TellingHead(QHeaderView):
    """Takes the place of a table's heads: cuts those that do not fit to what tells them apart.

    They are measured in the type in which the style sheet draws them.
    """

    def __init__(self, table: TextTable) -> None:
        former = table.horizontalHeader()
        elides, least, side = former.textElideMode(), former.minimumSectionSize(), former.defaultAlignment()
        super().__init__(Qt.Orientation.Horizontal, table)
        self.texts = table.texts
        self.setHighlightSections(False)
        self.setTextElideMode(elides)
        self.setMinimumSectionSize(least)
        self.setDefaultAlignment(side)

    def cut(self, section: int, room: float, width: Callable[[str], float]) -> str:
        """The words of a head in a room of so many pixels."""
        heads = tuple(line(head, 4 * LINE) for head in self.texts.heads)
        return told_apart(heads[section], heads, section + 1, room, width)

    def shown(self, section: int) -> str:
        """The words of a head as they are drawn."""
        sorted_by = self.isSortIndicatorShown() and self.sortIndicatorSection() == section
        beside = 2 * HEAD_MARGIN + (theme.px(16) if sorted_by else 0)
        return self.cut(section, self.sectionSize(section) - beside, head_type().horizontalAdvance)

    def whole(self, section: int) -> int:
        """The width in pixels at which nothing of a head is cut, and of none that is sorted by it."""
        words = line(self.texts.heads[section], 4 * LINE)
        return head_type().horizontalAdvance(words) + 2 * HEAD_MARGIN + theme.px(16)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if 0 <= logicalIndex < len(self.texts.heads):
            option.fontMetrics = head_type()  # else Qt would cut it once more, as if it were drawn larger
            option.text = self.shown(logicalIndex)


def head_type() -> QFontMetrics:
    """The type of heads, as in the style sheet."""
    return QFontMetrics(theme.font(theme.px(theme.SMALL_PX), bold=True))
