"""The columns and variables of the files: what each holds, and what it is taken as."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyle, QStyleOptionViewItem, QWidget

from mvexplorer.io.base.options import ROLES, Role
from mvexplorer.io.reading.inspection import Item
from mvexplorer.state.bench.importing import Importing
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import add_action
from mvexplorer.ui.widgets.text_table import Index, NamePainter, TextModel, TextTable
from mvexplorer.wording import file_title

NAME, FILE, KIND, SHAPE, TYPE, VALUES, ROLE, VIEW = range(8)
ITEM = Qt.ItemDataRole.UserRole
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
LETTERS: dict[str, str] = {"V": "view", "L": "label", "I": "id", "C": "colour", "X": "ignore"}
"""Keys on the table -> role."""


def shape_words(item: Item) -> str:
    """A shape as people write it."""
    return " × ".join(f"{n:,}" for n in item.shape) or "one"


class ItemModel(TextModel):
    """The items that a filter lets through."""

    heads = ("Name", "File", "Kind", "Shape", "Type", "Values", "Role", "View")
    right = frozenset({SHAPE})
    editable = frozenset({VIEW})

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Item, ...] = ()
        self.items: list[Item] = []
        self.wanted = ""
        self.named: tuple[list[Item], str] | None = None
        """The items whose view was typed."""

    name_typed = Signal(int, str)

    def show_items(self, items: tuple[Item, ...]) -> None:
        """Show these items; where they are the same as before with other roles, the selection stays."""
        same = [(i.file, i.name) for i in items] == [(i.file, i.name) for i in self._all]
        self._all = items
        if same:
            self.items = self._filtered()
            self.tell_cells_changed()
        else:
            self.filter(self.wanted)

    def filter(self, wanted: str) -> None:
        """Show only the items whose name holds these letters."""
        self.beginResetModel()
        self.wanted = wanted
        self.items = self._filtered()
        self.endResetModel()

    def _filtered(self) -> list[Item]:
        wanted = self.wanted.casefold().strip()
        return [i for i in self._all if wanted in i.name.casefold()] if wanted else list(self._all)

    def n_rows(self) -> int:
        """How many items are shown."""
        return len(self.items)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        item = self.items[row]
        if column == ROLE:
            return ROLE_WORDS.get(item.role, item.role)
        if column == VIEW:
            return item.view or ""
        kind = "column" if item.kind == "text" else item.kind
        return (item.name, file_title(item.file), kind, shape_words(item), item.dtype, ", ".join(item.preview))[column]

    def about(self, row: int, column: int) -> str:
        """Return the tooltip of a cell, with what it has no room for."""
        item, text = self.items[row], self.cell(row, column)
        if column == VALUES and item.n_missing:
            return f"{text}\n{item.n_missing:,} missing"
        if column == ROLE:
            return "\n".join(filter(None, (f"{text}: {ROLE_TIPS.get(item.role, '')}.", item.why)))
        return "\n".join(filter(None, (text, item.why))) if column == NAME else text

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == ITEM and 0 <= index.row() < len(self.items):
            return self.items[index.row()]
        return super().data(index, role)

    def entered(self, row: int, column: int, text: str) -> None:
        """Announce the view typed for an item."""
        self.name_typed.emit(row, text)


class _Cells(NamePainter):
    """Draws a sparkline of numbers, and the cells that open a menu with a chevron."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() == VALUES:
            option.textElideMode = Qt.TextElideMode.ElideRight  # the first values matter

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item, column = index.data(ITEM), index.column()
        if item is None or column not in (VALUES, ROLE, VIEW) or (column == VALUES and not item.spark):
            super().paint(painter, option, index)
            return
        if column == VALUES:
            _fill(painter, option)
            _draw_spark(painter, QRectF(_room(option)).adjusted(8, 5, -8, -5), item)
        elif column == ROLE or item.role == "view":
            draw_choice(painter, option, index.data() or "", muted=item.role == "ignore")
        else:
            _fill(painter, option)


def _room(option: QStyleOptionViewItem) -> QRect:
    room: QRect = option.rect
    return room


def _fill(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """The ground of a cell whose row is selected."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(_room(option), theme.current().color("soft"))


def draw_choice(painter: QPainter, option: QStyleOptionViewItem, text: str, *, muted: bool = False) -> None:
    """Draw a cell that opens a menu: its text with a chevron."""
    _fill(painter, option)
    t, side, room = theme.current(), theme.px(10), _room(option)
    painter.save()
    painter.setPen(t.color("muted" if muted else "text"))
    inner = room.adjusted(theme.px(8), 0, -theme.px(22), 0)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, inner.width())
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, shown)
    chevron = QPainterPath(QPointF(room.right() - 1.6 * side, room.center().y() - 0.15 * side))
    chevron.lineTo(room.right() - 1.2 * side, room.center().y() + 0.25 * side)
    chevron.lineTo(room.right() - 0.8 * side, room.center().y() - 0.15 * side)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(t.color("muted"), 1.3))
    painter.drawPath(chevron)
    painter.restore()


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
        widths = (144, 80, 64, 80, 64, 80, 112, 88)
        super().__init__(self.model_, "Columns and variables of the files", widths, NAME)
        self._importing = importing
        self.setItemDelegate(_Cells(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.menus = frozenset({ROLE, VIEW})
        self.letters = "".join(LETTERS)
        self.keyed.connect(lambda letter: self.choose_role(LETTERS[letter]))
        self.acted.connect(self._open_menu)
        self.model_.name_typed.connect(self._name_typed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_context)

    def chosen(self) -> list[Item]:
        """The items of the selected rows."""
        return [self.model_.items[row] for row in self.rows()]

    def show_items(self) -> None:
        """Show what is in the files."""
        self.model_.show_items(self._importing.items)
        self.setColumnHidden(FILE, len({i.file for i in self._importing.items}) < 2)

    def choose_role(self, role: Any) -> None:
        """Give the selected items a role."""
        if items := self.chosen():
            self._importing.set_role(items, role)

    def move_to(self, view: str) -> None:
        """Make the selected items part of a view."""
        if items := self.chosen():
            self._importing.set_view(items, view)

    def _open_menu(self, index: QModelIndex) -> None:
        item = self.model_.items[index.row()]
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
        items = self.chosen() if row in self.rows() else [self.model_.items[row]]
        self._importing.set_view(items, text)
