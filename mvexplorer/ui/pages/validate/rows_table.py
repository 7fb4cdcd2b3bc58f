"""A table of a few columns in a check's detail, a row for each view or pair of views."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from mvexplorer.figures import Table
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line, tip


class RowsTable(QTableWidget):
    """Cells of text that are read, and neither chosen nor changed."""

    def __init__(self, name: str, heads: Sequence[str]) -> None:
        super().__init__()
        self._heads = tuple(heads)
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setObjectName("numbers")
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.px(20))
        self.setColumnCount(len(self._heads))
        self.setHorizontalHeaderLabels(list(self._heads))
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows; each cell is whole in its tooltip."""
        self.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                item = QTableWidgetItem(line(text))
                item.setToolTip(tip(text))
                self.setItem(row, column, item)

    @property
    def body(self) -> Table:
        """The table as it stands, for files."""
        rows, columns = range(self.rowCount()), range(self.columnCount())
        cells = tuple(tuple(cell.text() if (cell := self.item(r, c)) else "" for c in columns) for r in rows)
        return Table(self._heads, cells)
