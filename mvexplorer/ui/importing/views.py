"""The views that the files lead to: their names, shapes and scales, and what is done to their columns."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem

from mvexplorer.io.reading.inspection import ViewReport
from mvexplorer.state.bench.import_preview import remarks
from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.document.titles import preprocess_words
from mvexplorer.ui.controls.treatment_menu import add_preprocessing
from mvexplorer.ui.importing.items import draw_choice
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.text_table import Index, TextModel, TextTable

NAME, SHAPE, SCALE, PREPARED, REMARKS = range(5)


class ViewModel(TextModel):
    """The data report, view by view."""

    heads = ("View", "Shape", "Scale", "Preprocessing", "Remarks")
    right = frozenset({SHAPE, SCALE})
    editable = frozenset({NAME})
    name_typed = Signal(str, str)

    def __init__(self, importing: Importing) -> None:
        super().__init__()
        self._importing = importing
        self.views: tuple[ViewReport, ...] = ()

    def show_views(self) -> None:
        """Show the views of the last look."""
        inspection = self._importing.inspection
        views = inspection.views if inspection is not None else ()
        if [v.name for v in views] != [v.name for v in self.views]:
            self.beginResetModel()
            self.views = views
            self.endResetModel()
        else:
            self.views = views
            self.tell_cells_changed()

    def n_rows(self) -> int:
        """How many views there are."""
        return len(self.views)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        view = self.views[row]
        if column == PREPARED:
            return preprocess_words(self._importing.preprocess_of(view.name))
        if column == REMARKS:
            return " · ".join(remarks(view))
        scale = numbers.number(self._importing.scale_of(view))
        return (view.name, " × ".join(f"{n:,}" for n in view.shape), scale)[column]

    def about(self, row: int, column: int) -> str:
        """Return the tooltip of a cell, with what it has no room for."""
        text, view = self.cell(row, column), self.views[row]
        if column == SCALE:
            raw = self._importing.preprocess_of(view.name) != "none"
            before = f"; {numbers.number(view.median_scale)} in the files" if raw else ""
            meaning = "Median squared distance between samples after preprocessing: the unit of ε"
            return f"{meaning}: {text}{before}"
        return f"{text}: {view.dtype}, {numbers.size(view.bytes)}" if column == SHAPE else text

    def entered(self, row: int, column: int, text: str) -> None:
        """Announce the new name typed for a view."""
        self.name_typed.emit(self.views[row].name, text)


class _Prepared(QStyledItemDelegate):
    """Draws the cell that opens a menu with a chevron."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        draw_choice(painter, option, index.data() or "")


class ViewTable(TextTable):
    """Each row is a view; its name is typed, its preparation chosen from a menu."""

    def __init__(self, importing: Importing) -> None:
        self.model_ = ViewModel(importing)
        widths = (96, 88, 80, 108, 112)
        super().__init__(self.model_, "Views", widths, REMARKS)
        self._importing = importing
        self.naming = NAME
        self.setItemDelegateForColumn(PREPARED, _Prepared(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setMouseTracking(True)
        self.menus = frozenset({PREPARED})
        self.acted.connect(self._open_menu)
        self.model_.name_typed.connect(importing.rename_view)

    def view(self) -> str | None:
        """The selected view, else the only one."""
        rows = self.rows() or ([0] if len(self.model_.views) == 1 else [])
        return self.model_.views[rows[0]].name if rows else None

    def _open_menu(self, index: QModelIndex) -> None:
        view, menu = self.model_.views[index.row()], QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        choose = partial(self._importing.set_preprocess, view.name)
        add_preprocessing(menu, self._importing.preprocess_of(view.name), min(view.shape), choose)
        at = self.visualRect(index.siblingAtColumn(PREPARED))
        menu.popup(self.viewport().mapToGlobal(at.bottomLeft()))
