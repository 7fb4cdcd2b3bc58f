"""The keyboard shortcuts: a table to search, and new keys for the chosen action."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.action_table import ActionTable
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.ui.widgets.searched_list import NOWHERE, PaletteEntry, rank

NAME = Qt.ItemDataRole.UserRole


def shown_keys(keys: str) -> str:
    """Keys as the system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(k).toString(native) for k in keys.split("|")) if keys else ""


class ShortcutsDialog(QDialog):
    """Shows and changes the keys of all actions; the user's preferences keep those that differ from the usual ones."""

    def __init__(self, actions: ActionTable, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions, self._workbench = actions, workbench
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 560)
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find an action …")
        self.search.setAccessibleName("Find an action")
        self.search.textChanged.connect(lambda _: self._filter())
        column.addWidget(self.search)
        self.table = self._make_table()
        column.addWidget(self.table, 1)
        self.problem = Label("Choose an action and press its new keys.", wraps=True)
        column.addWidget(self.problem)
        self._make_buttons(column)
        self._fill()
        self.table.setCurrentCell(0, 0)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 2)
        table.setHorizontalHeaderLabels(["Action", "Keys"])
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.setColumnWidth(1, 176)
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setAccessibleName("Actions and their keys")
        return table

    def _make_buttons(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.keys = QKeySequenceEdit()
        self.keys.setMaximumSequenceLength(1)
        self.keys.setAccessibleName("New keys of the chosen action")
        self.keys.editingFinished.connect(self._take)
        row.addWidget(self.keys, 1)
        self.reset, self.reset_all = QPushButton("Default keys"), QPushButton("Default keys for all")
        close = QPushButton("Close")
        self.reset.clicked.connect(lambda: self._keep({n: k for n, k in self._chosen.items() if n != self.present}))
        self.reset_all.clicked.connect(lambda: self._keep({}))
        close.clicked.connect(self.accept)
        for button in (self.reset, self.reset_all, close):
            button.setAutoDefault(False)
            row.addWidget(button)

    @property
    def _chosen(self) -> dict[str, str]:
        return dict(self._workbench.settings.shortcuts)

    @property
    def present(self) -> str:
        """The action chosen in the table."""
        item = self.table.item(self.table.currentRow(), 0)
        return str(item.data(NAME)) if item is not None else ""

    def _fill(self) -> None:
        self.table.setRowCount(len(self._actions.table))
        for row, act in enumerate(self._actions.table):
            name, keys = QTableWidgetItem(f"{act.menu.partition('/')[0]}: {act.text}"), self._actions.keys_of(act.text)
            name.setData(NAME, act.text)
            self.table.setItem(row, 0, name)
            self.table.setItem(row, 1, QTableWidgetItem(shown_keys(keys)))
        self._filter()

    def _filter(self) -> None:
        query = self.search.text()
        for row, act in enumerate(self._actions.table):
            keys = self._actions.keys_of(act.text)
            rating = not query.strip() or rank(query, PaletteEntry(f"{act.text} {keys}", "", self.accept, act.words))
            self.table.setRowHidden(row, bool(rating is not True and rating >= 2 * NOWHERE - 2))

    def _take(self) -> None:
        """Give the chosen action the keys pressed, unless another one has them."""
        keys = self.keys.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        self.keys.clear()
        if not keys or not self.present:
            return
        holder = self._actions.holder(keys, self.present)
        if holder:
            belongs = f"{shown_keys(keys)} belongs to “{holder}”"
            self.problem.setText(f"{belongs}: press other keys, or change that one first.")
            return
        self._keep(self._chosen | {self.present: keys})
        self.problem.setText(f"“{self.present}” has the keys {shown_keys(keys)} now.")

    def _keep(self, chosen: dict[str, str]) -> None:
        self._workbench.change_settings(shortcuts=chosen)
        self.problem.setText("")
        self._fill()
