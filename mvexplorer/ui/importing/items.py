"""The columns and variables of the files: what each holds, and what it is taken as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyle, QStyleOptionViewItem, QWidget

from mvexplorer.io.base.options import ROLES, Role
from mvexplorer.io.reading.groups import ColumnGroup, grouped
from mvexplorer.io.reading.inspection import Item
from mvexplorer.state.bench.importing import Importing
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, add_action
from mvexplorer.ui.widgets.plain_text import line as plain_line
from mvexplorer.ui.widgets.shortening import told_apart
from mvexplorer.ui.widgets.text_table import Index, NamePainter, TextModel, TextTable
from mvexplorer.wording import counted, file_title

NAME, TYPE, RANGE, MISSING, VALUES, ROLE, VIEW = range(7)
WIDTHS = (186, 106, 144, 64, 62, 105, 82)
"""Pixels of these columns at the usual type."""
LEAST = {TYPE: 80, RANGE: 80, ROLE: 76}
"""Of those that give way where they hold short words."""
LINE_OF_TREE = Qt.ItemDataRole.UserRole
ROLE_WORDS: dict[str, str] = {
    "view": "View",
    "label": "Label",
    "id": "Id",
    "colour": "Colour",
    "ignore": "Ignore",
    "coordinates": "Coordinates",
    "kernel": "Kernel",
}
ROLE_TIPS: dict[str, str] = {
    "view": "A feature of a view, or a view itself: methods compute with it",
    "label": "The class or number that scores and colours compare with; there is one",
    "id": "The samples' names, by which the rows of several files are joined; there is one",
    "colour": "Kept to colour points by; methods do not see it",
    "ignore": "Left out",
    "coordinates": "An embedding that is given: a panel of its own shows it",
    "kernel": "Similarities between samples, used as they are",
}
BEFORE_CHOICE, BEHIND_CHOICE = 8, 22
"""Pixels beside the words of a cell that opens a menu: its chevron is behind them."""
LETTERS: dict[str, str] = {"V": "view", "L": "label", "I": "id", "C": "colour", "X": "ignore"}
"""Keys on the table -> role."""


@dataclass(frozen=True)
class TreeLine:
    """One line of the tree: a file, a group of its columns, or a column; `level` says how far it is indented.

    `open` is None for a line that has none below it.
    """

    title: str
    level: int
    items: tuple[Item, ...]
    whole: Item | None
    open: bool | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """By what the line is known again once the files were read anew."""
        first = self.items[0]
        return first.file, first.name if self.whole else "", self.level


def shape_words(item: Item) -> str:
    """A shape as people write it."""
    return " × ".join(f"{n:,}" for n in item.shape) or "one"


def _months(item: Item) -> str:
    """The range of a column; of dates the months alone, where it is a long one."""
    ends = item.range.split(" … ")
    months = [end[:7] for end in ends]
    return " … ".join(months) if item.dtype == "date" and len(set(months)) > 1 else item.range


class ItemModel(TextModel):
    """The lines of the tree: files, groups of columns, and columns that a filter lets through."""

    heads = ("Name", "Type", "Range", "Missing", "Values", "Role", "View")
    right = frozenset({RANGE, MISSING})
    editable = frozenset({VIEW})

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Item, ...] = ()
        self.views: tuple[str, ...] = ()
        self.lines: list[TreeLine] = []
        self.wanted = ""
        self._turned: set[tuple[str, str, int]] = set()
        """Lines that were opened or closed by hand: files are open else, groups closed."""

    name_typed = Signal(int, str)

    def show_items(self, items: tuple[Item, ...]) -> None:
        """Show these items; where their lines are the same as before, the selection stays."""
        former = [line.key for line in self.lines]
        self._all = items
        self.views = tuple(dict.fromkeys(plain_line(item.view, 4 * LINE) for item in items if item.view))
        lines = self._tree()
        if [line.key for line in lines] == former:
            self.lines = lines
            self.tell_cells_changed()
        else:
            self._show(lines)

    def filter(self, wanted: str) -> None:
        """Show only the items whose name holds these letters, each on a line of its own."""
        self.wanted = wanted
        self._show(self._tree())

    def turn(self, row: int) -> None:
        """Open a line, or close it."""
        self._turned ^= {self.lines[row].key}
        self._show(self._tree())

    def _show(self, lines: list[TreeLine]) -> None:
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def _tree(self) -> list[TreeLine]:
        wanted = self.wanted.casefold().strip()
        items = [i for i in self._all if wanted in i.title.casefold()] if wanted else self._all
        files = grouped(items)
        several = len({item.file for item in self._all}) > 1
        lines: list[TreeLine] = []
        for file, groups in files:
            if several:
                own = tuple(item for group in groups for item in group.items)
                line = TreeLine(file_title(file), 0, own, None, open=True)
                line = replace(line, open=line.key not in self._turned)
                lines.append(line)
                if not line.open:
                    continue
            for group in groups:
                lines += self._lines_of(group, int(several), whole=not wanted)
        return lines

    def _lines_of(self, group: ColumnGroup, level: int, *, whole: bool) -> list[TreeLine]:
        """The line of a group, and those of its columns where it is open."""
        if len(group.items) == 1 or not whole:
            return [TreeLine(item.title, level, (item,), item) for item in group.items]
        line = TreeLine(group.title, level, group.items, group.whole, open=False)
        line = replace(line, open=line.key in self._turned)
        inside = [TreeLine(item.title, level + 1, (item,), item) for item in group.items] if line.open else []
        return [line, *inside]

    def n_rows(self) -> int:
        """How many lines are shown."""
        return len(self.lines)

    def kind_of(self, row: int) -> str:
        """Columns are told from columns, files from files."""
        return str(self.lines[row].level)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        line, item = self.lines[row], self.lines[row].whole
        if column == NAME:
            return line.title
        if item is None:
            return ""
        if column == ROLE:
            return ROLE_WORDS.get(item.role, item.role)
        if column == VIEW:
            return item.view or ""
        kind = shape_words(item) if item.kind == "array" else item.dtype
        kind = f"{len(line.items):,} × {kind}" if len(line.items) > 1 else kind
        gaps = f"{item.n_missing:,}" if item.n_missing else ""
        return ("", kind, _months(item), gaps, ", ".join(item.preview))[column]

    def about(self, row: int, column: int) -> str:
        """Return the tooltip of a cell, with what it has no room for."""
        line, item, text = self.lines[row], self.lines[row].whole, self.cell(row, column)
        if item is None:
            return "\n".join((line.title, counted(len(line.items), "column"), line.items[0].file))
        if column == ROLE:
            return "\n".join(filter(None, (f"{text}: {ROLE_TIPS.get(item.role, '')}.", item.why)))
        if column == MISSING and text:
            rows = counted(item.shape[0], "row") if item.shape else "the file"
            return f"Missing in {rows} of this file: {text}. Views and check list count only samples that are kept."
        if column in (TYPE, RANGE):
            return f"{item.dtype}, {shape_words(item)}" if column == TYPE else item.range
        return "\n".join(filter(None, (text, item.why))) if column == NAME else text

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == LINE_OF_TREE and 0 <= index.row() < len(self.lines):
            return self.lines[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == NAME:
            line = self.lines[index.row()]
            state = {None: "", True: ", expanded", False: ", collapsed"}[line.open]
            return f"Name: {self.about(index.row(), NAME)}{state}"
        return super().data(index, role)

    def entered(self, row: int, column: int, text: str) -> None:
        """Announce the view typed for a line."""
        self.name_typed.emit(row, text)


class _Cells(NamePainter):
    """Draws the tree's indentation, a sparkline of numbers, and the cells that open a menu with a chevron."""

    def __init__(self, table: TextTable, items: ItemModel) -> None:
        super().__init__(table)
        self._items = items

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(LINE_OF_TREE)
        if index.column() == NAME and line is not None and not self.measures:
            option.rect = _room(option).adjusted(indent_of(line), 0, 0, 0)
        if index.column() == NAME and line is not None and line.whole is None:
            option.font.setWeight(QFont.Weight.DemiBold)
            option.fontMetrics = QFontMetrics(option.font)  # by which the name is cut
        super().initStyleOption(option, index)
        if index.column() == VALUES:
            option.textElideMode = Qt.TextElideMode.ElideRight  # the first values matter

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line, column = index.data(LINE_OF_TREE), index.column()
        item = None if line is None else line.whole
        if line is not None and column == NAME:
            _fill(painter, option)
            if line.open is not None:
                _draw_fold(painter, option, line)
        if item is None or column not in (VALUES, ROLE, VIEW) or (column == VALUES and not item.spark):
            super().paint(painter, option, index)
            return
        if column == VALUES:
            _fill(painter, option)
            _draw_spark(painter, QRectF(_room(option)).adjusted(8, 5, -8, -5), item)
        elif column == VIEW and item.role == "view":
            draw_choice(painter, option, index.data() or "", among=self._items.views)
        elif column == ROLE:
            draw_choice(painter, option, index.data() or "", muted=item.role == "ignore")
        else:
            _fill(painter, option)


def indent_of(line: TreeLine) -> int:
    """Where the name of a line begins: behind the chevron of those that have lines below them."""
    return theme.px(16) * line.level + theme.px(16)


def _draw_fold(painter: QPainter, option: QStyleOptionViewItem, line: TreeLine) -> None:
    side, room = theme.px(14), _room(option)
    sign = theme.pixmap("chevron-down" if line.open else "chevron-right", "muted", side)
    painter.drawPixmap(QPoint(room.left() + indent_of(line) - side, room.center().y() - side // 2), sign)


def _room(option: QStyleOptionViewItem) -> QRect:
    room: QRect = option.rect
    return room


def _fill(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """The ground of a cell whose row is selected."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(_room(option), theme.current().color("soft"))


def draw_choice(
    painter: QPainter, option: QStyleOptionViewItem, text: str, *, muted: bool = False, among: Sequence[str] = ()
) -> None:
    """Draw a cell that opens a menu: its text with a chevron; a name is cut to what tells it from those `among` it."""
    _fill(painter, option)
    t, side, room = theme.current(), theme.px(10), _room(option)
    painter.save()
    painter.setPen(t.color("muted" if muted else "text"))
    inner = room.adjusted(theme.px(BEFORE_CHOICE), 0, -theme.px(BEHIND_CHOICE), 0)
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, shown_choice(text, inner, painter.fontMetrics(), among))
    chevron = QPainterPath(QPointF(room.right() - 1.6 * side, room.center().y() - 0.15 * side))
    chevron.lineTo(room.right() - 1.2 * side, room.center().y() + 0.25 * side)
    chevron.lineTo(room.right() - 0.8 * side, room.center().y() - 0.15 * side)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(t.color("muted"), 1.3))
    painter.drawPath(chevron)
    painter.restore()


def shown_choice(text: str, room: QRect, letters: QFontMetrics, among: Sequence[str]) -> str:
    """The words of such a cell in this room."""
    if text in among:
        return told_apart(text, among, among.index(text) + 1, room.width(), letters.horizontalAdvance)
    return letters.elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())


def _draw_spark(painter: QPainter, room: QRectF, item: Item) -> None:
    """The values as a line over the samples; gaps where numbers are missing."""
    t = theme.current()
    finite = [v for v in item.spark if v == v and abs(v) != float("inf")]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    path, broken = QPainterPath(), True
    for i, value in enumerate(item.spark):
        if value not in (float("inf"), float("-inf")) and value == value:
            up = (value - low) / (high - low) if high > low else 0.5
            x = room.left() + room.width() * i / max(1, len(item.spark) - 1)
            point = QPointF(x, room.bottom() - room.height() * up)
            (path.moveTo if broken else path.lineTo)(point)
            broken = False
        else:
            broken = True
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(t.color("muted" if item.role == "ignore" else "accent"), 1.2))
    painter.drawPath(path)
    painter.restore()


class ItemTable(TextTable):
    """Each row is a column or a variable; one choice goes to all selected rows."""

    turn_wanted = Signal(str)
    leave_out_wanted = Signal(str)

    def __init__(self, importing: Importing) -> None:
        self.model_ = ItemModel()
        super().__init__(self.model_, "Columns and variables of the files", WIDTHS, NAME)
        self._importing = importing
        self.naming = VIEW
        self.setItemDelegate(_Cells(self, self.model_))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.menus = frozenset({ROLE, VIEW})
        self.letters = "".join(LETTERS)
        self.keyed.connect(lambda letter: self.choose_role(LETTERS[letter]))
        self.acted.connect(self._open_menu)
        self.model_.name_typed.connect(self._name_typed)
        self.doubleClicked.connect(self._turn_name)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_context)

    def chosen(self) -> list[Item]:
        """The items of the selected lines, each once."""
        lines = [self.model_.lines[row] for row in self.rows()]
        return list({(item.file, item.name): item for line in lines for item in line.items}.values())

    def show_items(self) -> None:
        """Show what is in the files."""
        self.model_.show_items(self._importing.items)
        self._widths = tuple(self._needed(column) for column in range(len(WIDTHS)))
        self.fit_type()

    def _needed(self, column: int) -> int:
        """The width of a column at the usual type: of types, ranges and roles what there is, for the names' sake."""
        if column not in (TYPE, RANGE, ROLE):
            return WIDTHS[column]
        most = 300  # lines and columns that are measured: the columns of a closed line come into sight later
        words = {self.model_.cell(row, column) for row in range(min(self.model_.n_rows(), most))}
        words |= {_months(item) for item in self._importing.items[:most]} if column == RANGE else set()
        beside = BEFORE_CHOICE + BEHIND_CHOICE if column == ROLE else 3 * BEFORE_CHOICE
        widest = max(map(self.fontMetrics().horizontalAdvance, words), default=0) / theme.px(1000) * 1000
        return min(WIDTHS[column], max(round(widest) + beside, LEAST[column]))

    def names_width(self) -> int:
        beside = theme.px(BEFORE_CHOICE) + theme.px(BEHIND_CHOICE)
        return max(map(self.fontMetrics().horizontalAdvance, self.model_.views), default=0) + beside

    def turn_line(self, row: int) -> None:
        """Open or close a line of the tree; it stays selected."""
        if 0 <= row < self.model_.n_rows() and self.model_.lines[row].open is not None:
            self.model_.turn(row)
            self.selectRow(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        line = index.data(LINE_OF_TREE)
        at = event.position().x() - self.visualRect(index).left()
        if index.column() == NAME and line is not None and line.open is not None and at < indent_of(line):
            self.turn_line(index.row())
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        line = self.currentIndex().data(LINE_OF_TREE)
        wants = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}.get(Qt.Key(event.key()))
        if line is not None and line.open is not None and wants is not None and line.open != wants:
            self.turn_line(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def choose_role(self, role: Any) -> None:
        """Give the selected items a role."""
        if items := self.chosen():
            self._importing.set_role(items, role)

    def move_to(self, view: str) -> None:
        """Make the selected items part of a view."""
        if items := self.chosen():
            self._importing.set_view(items, view)

    def _turn_name(self, index: QModelIndex) -> None:
        if index.column() == NAME:
            self.turn_line(index.row())

    def _open_menu(self, index: QModelIndex) -> None:
        item = self.model_.lines[index.row()].whole
        if item is None:
            self.turn_line(index.row())
            return
        menu = self.view_menu(self) if index.column() == VIEW and item.role == "view" else self.role_menu(self)
        menu.popup(self.viewport().mapToGlobal(self.visualRect(index).bottomLeft()))

    def _open_context(self, at: QPoint) -> None:
        if not self.chosen():
            return
        menu = self.role_menu(self)
        menu.addSeparator()
        menu.addMenu(self.view_menu(menu))
        menu.addSeparator()
        for file in dict.fromkeys(item.file for item in self.chosen()):
            name = file_title(file)
            add_action(menu, f"Transpose {name}").triggered.connect(partial(self._turn, file))
            if len(self._importing.files) > 1:
                add_action(menu, f"Leave out {name}").triggered.connect(partial(self._leave_out, file))
        menu.popup(self.viewport().mapToGlobal(at))

    def _turn(self, file: str, _: bool = False) -> None:
        self._importing.turn(file)

    def _leave_out(self, file: str, _: bool = False) -> None:
        self._importing.remove_file(file)

    def role_menu(self, parent: QWidget) -> QMenu:
        """A menu of the roles, for the selected items."""
        menu, keys = QMenu(parent), {role: key for key, role in LETTERS.items()}
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        present = {item.role for item in self.chosen()}
        for role in ROLES:
            key = f"\t{keys[role]}" if role in keys else ""
            action = menu.addAction(f"{ROLE_WORDS.get(role, role)}{key}")
            action.setToolTip(ROLE_TIPS.get(role, role))
            action.setCheckable(True)
            action.setChecked(present == {role})
            action.triggered.connect(partial(self._role_chosen, role))
        return menu

    def _role_chosen(self, role: Role, _: bool = False) -> None:
        self.choose_role(role)

    def view_menu(self, parent: QWidget) -> QMenu:
        """A menu of the views, for the selected items."""
        menu = QMenu("Move to view", parent)
        for view in self._importing.views:
            action = add_action(menu, view)
            action.triggered.connect(partial(self._view_chosen, view))
        menu.addSeparator()
        menu.addAction("New view …").triggered.connect(lambda: self.type_view())
        return menu

    def _view_chosen(self, view: str, _: bool = False) -> None:
        self.move_to(view)

    def type_view(self) -> None:
        """Have the name of a view typed, for the selected items."""
        if rows := self.rows():
            index = self.model_.index(rows[0], VIEW)
            self.scrollTo(index)
            self.setFocus()
            self.edit(index)

    def _name_typed(self, row: int, text: str) -> None:
        items = self.chosen() if row in self.rows() else list(self.model_.lines[row].items)
        self._importing.set_view(items, text)
