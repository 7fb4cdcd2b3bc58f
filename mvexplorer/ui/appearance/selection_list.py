"""The named selections: a click selects one again, one dragged onto another offers to combine them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QDragMoveEvent, QDropEvent, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu

from mvexplorer.state.document.selection import Operation
from mvexplorer.state.document.selections import COLOURS, SIGNS, NamedSelection
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.plain_text import LINE, add_action, line
from mvexplorer.ui.widgets.text_table import Index, TextModel, TextTable
from mvexplorer.wording import counted

NAME, COUNT = range(2)
ROW = 24


class SelectionModel(TextModel):
    """A row per named selection, in their order."""

    heads = ("Selection", "Samples")
    right = frozenset((COUNT,))
    editable = frozenset((NAME,))

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self.named: tuple[NamedSelection, ...] = ()

    def n_rows(self) -> int:
        return len(self.named)

    def cell(self, row: int, column: int) -> str:
        return self.named[row].name if column == NAME else f"{len(self.named[row].samples):,}"

    def about(self, row: int, column: int) -> str:
        each = self.named[row]
        origin = f"\n{each.origin}" if each.origin and each.origin != each.name else ""
        size = counted(len(each.samples), "sample")
        return f"{each.name}: {size}{origin}\nClick selects it, F2 renames it; drag it onto another to combine them."

    def entered(self, row: int, column: int, text: str) -> None:
        if text != self.named[row].name:
            self._editor.rename_selection(self.named[row].name, text)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DecorationRole and index.column() == NAME and index.row() < len(self.named):
            return swatch(self.named[index.row()].colour)
        return super().data(index, role)

    def show(self, named: tuple[NamedSelection, ...]) -> None:
        """Show these."""
        if len(named) == len(self.named):
            self.named = named
            self.tell_cells_changed()
            return
        self.beginResetModel()
        self.named = named
        self.endResetModel()


class SelectionList(TextTable):
    """The list; actions on more than the document are requested by signals, with the name of a selection."""

    contents_wanted = Signal(str, str)
    """A selection is to be described, against another one where that is named."""
    part_wanted = Signal(str)

    def __init__(self, editor: Editor) -> None:
        self._model, self._editor, self._most = SelectionModel(editor), editor, 4
        super().__init__(self._model, "Named selections", (100, 36), NAME)
        self.horizontalHeader().hide()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)  # Qt's own moves would take rows away
        self.setDragDropOverwriteMode(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu().popup(self.viewport().mapToGlobal(at)))
        self.clicked.connect(self._pick)
        self.acted.connect(self._pick)
        self._selection: tuple[int, ...] = ()
        """The samples that were selected when the rows were marked last."""
        self.offered: QMenu | None = None
        """The menu that a drop opened last."""

    def fit_type(self) -> None:
        super().fit_type()
        cells = [self._model.index(row, COUNT) for row in range(self.texts.n_rows())]
        self.setColumnWidth(COUNT, max([theme.px(36), *(self.sizeHintForIndex(cell).width() for cell in cells)]))
        self.verticalHeader().setDefaultSectionSize(theme.px(ROW))
        self.show_rows(self._most)

    def show_rows(self, most: int) -> None:
        """Show at most so many rows at once."""
        self._most, rows = most, min(most, self.texts.n_rows())
        self.setFixedHeight(rows * theme.px(ROW) + 4)
        self.setVisible(rows > 0)

    def show_named(self, named: tuple[NamedSelection, ...], selection: tuple[int, ...] = ()) -> None:
        """Show these selections; once other samples are selected, the row that has them is marked, or none."""
        changed = named != self._model.named
        if changed:
            marked, former = self.chosen(), {each.name for each in self._model.named}
            new = tuple(each.name for each in named if each.name not in former)
            self._model.show(named)
            self.mark(new if len(new) == 1 else marked)  # what was just combined is what is selected
        if selection is not self._selection or (changed and not self.chosen()):
            self._selection = selection
            same = tuple(each.name for each in named if each.samples == selection)
            self.mark(tuple(name for name in self.chosen() if name in same) or same[:1])
        self.fit_type()

    def chosen(self) -> tuple[str, ...]:
        """The names of the rows that are marked, from top to bottom."""
        return tuple(self._model.named[row].name for row in self.rows())

    def mark(self, names: tuple[str, ...]) -> None:
        """Mark these rows alone."""
        self.clearSelection()
        how = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for row, each in enumerate(self._model.named):
            if each.name in names:
                self.selectionModel().select(self._model.index(row, NAME), how)

    def _pick(self, index: Index) -> None:
        if QApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._editor.pick_selection(self._model.named[index.row()].name)

    def begin_rename(self, row: int) -> None:
        """Have the name of a row typed, where it stands."""
        index = self._model.index(row, NAME)
        self.setCurrentIndex(index)
        self.mark((self._model.named[row].name,))
        self.setFocus()
        self.edit(index)

    # Menus ------------------------------------------------------------------------------------------------------

    def menu(self) -> QMenu:
        """Make the menu of the marked rows."""
        menu, names = QMenu(self), self.chosen()
        menu.setToolTipsVisible(True)
        if len(names) == 1:
            self._add_one(menu, names[0])
        elif names:
            if len(names) == 2:
                add_action(menu, "Compare the two …").triggered.connect(partial(self.contents_wanted.emit, *names))
                menu.addSeparator()
            add_combinations(menu, self._editor, names)
            menu.addSeparator()
        if names:
            delete = menu.addAction("Delete\tDel")
            delete.triggered.connect(partial(self._editor.delete_selections, names))
        return menu

    def _add_one(self, menu: QMenu, name: str) -> None:
        operations: tuple[tuple[str, Operation], ...] = (
            ("Select", "replace"),
            ("Add to selection", "add"),
            ("Subtract from selection", "subtract"),
            ("Intersect with selection", "intersect"),
        )
        for words, operation in operations:
            menu.addAction(words).triggered.connect(partial(self._editor.pick_selection, name, operation))
        menu.addSeparator()
        menu.addAction("Describe selection …").triggered.connect(partial(self.contents_wanted.emit, name, ""))
        others = self._editor.state.selections.others_than(self._model.named[self.rows()[0]].samples)
        add_others(menu, others, partial(self.contents_wanted.emit, name))
        menu.addAction("Re-embed selection …").triggered.connect(partial(self.part_wanted.emit, name))
        menu.addSeparator()
        row = self.rows()[0]
        menu.addAction("Rename\tF2").triggered.connect(partial(self.begin_rename, row))
        colours = menu.addMenu("Colour")
        # The names of the classes' colours; some differ a little between the themes.
        colour_words = ("blue", "orange", "green", "purple", "cyan", "red", "olive", "violet", "navy", "grey")
        for k in range(COLOURS):
            colour = colours.addAction(swatch(k), colour_words[k].capitalize())
            colour.triggered.connect(partial(self._editor.recolour_selection, name, k))
        for words, place, last in (("Move up", row - 1, -1), ("Move down", row + 1, self.texts.n_rows())):
            move = menu.addAction(words)
            move.setEnabled(place != last)
            move.triggered.connect(partial(self._editor.move_selection, name, place))

    # Mouse and keys -------------------------------------------------------------------------------------------

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        event.setAccepted(event.source() is self)

    def dropEvent(self, event: QDropEvent) -> None:
        """Combine a selection dropped onto another; move one dropped between two."""
        names, at = self.chosen(), event.position().toPoint()
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the rows are the document's
        event.accept()
        row = self.rowAt(at.y())
        if len(names) != 1 or event.source() is not self:
            return
        beside = self._between(row, at)
        if beside is not None:
            before = [each.name for each in self._model.named].index(names[0])
            self._editor.move_selection(names[0], beside - (before < beside))
        elif self._model.named[row].name != names[0]:
            self.offered = QMenu(self)
            add_combinations(self.offered, self._editor, (names[0], self._model.named[row].name))
            self.offered.popup(self.viewport().mapToGlobal(at))

    def _between(self, row: int, at: QPoint) -> int | None:
        """Return the row before which a place lies; None where it is on one."""
        if row < 0:
            return self.texts.n_rows()
        inside = (at.y() - self.rowViewportPosition(row)) / self.rowHeight(row)
        return row if inside < 0.2 else row + 1 if inside > 0.8 else None

    def _own(self, event: QKeyEvent) -> bool:
        # Letters stay the window's: after a click here one goes on with D, N or R over a picture.
        return event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        typing = self.state() == QAbstractItemView.State.EditingState
        if event.key() == Qt.Key.Key_Delete and not typing and self.chosen():
            self._editor.delete_selections(self.chosen())
        else:
            super().keyPressEvent(event)


def add_combinations(menu: QMenu, editor: Editor, names: tuple[str, ...]) -> None:
    """Add the ways to combine named selections to a menu; of two, either difference."""
    longest = 24  # most characters of a name in a menu that holds two
    short = [line(name, longest) for name in names]
    meant = {
        "union": "in any of them",
        "intersection": "in all of them",
        "difference": "in the first alone",
        "symmetric difference": "in one, not in both",
    }
    for how, words in meant.items():
        turned = (names, names[::-1]) if how == "difference" and len(names) == 2 else (names,)
        for each in turned:
            shown = f" {SIGNS[how]} ".join(short if each is names else short[::-1])
            action = add_action(menu, line(shown, LINE))
            action.setToolTip(f"{how.capitalize()}: {words}")
            action.triggered.connect(partial(editor.combine_selections, each, how))


def add_others(menu: QMenu, names: Iterable[str], compare: Callable[[str], object]) -> None:
    """Add the selections to compare with to a menu."""
    others = menu.addMenu("Compare with")
    for name in names:
        add_action(others, line(name, LINE)).triggered.connect(partial(compare, name))
    others.setEnabled(not others.isEmpty())


def swatch(colour: int, side: int = 12) -> QIcon:
    """A selection's colour as an icon."""
    picture = QPixmap(2 * side, 2 * side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(*class_colours(COLOURS, theme.current().name)[colour].tolist()))
    painter.drawEllipse(2, 2, 2 * side - 4, 2 * side - 4)
    painter.end()
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Selected)  # by itself Qt would tint it where its row is marked
    return icon
