"""Neighbourhood preservation: what each panel keeps of each view's neighbours, without any labels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableWidget, QTableWidgetItem

from mvexplorer.engine.analysis.agreement import NEIGHBOURS
from mvexplorer.figures import Figure, Table
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.neighbour_table import NeighbourTable
from mvexplorer.ui.pages.check_card import CheckCard, ChoiceBox
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import fraction
from mvexplorer.ui.widgets.plain_text import line, tip

MEASURES = {
    "preservation": (
        "Kept neighbours",
        "the part of the {k} nearest in a view that are the {k} nearest in the panel",
    ),
    "trustworthiness": ("Trustworthiness", "whether the {k} nearest in the panel are near in the view"),
    "continuity": ("Continuity", "whether the {k} nearest in the view are near in the panel"),
}


class NeighboursCard(CheckCard):
    """A table panel by view, shaded."""

    def __init__(self, editor: Editor, table: NeighbourTable) -> None:
        self._editor, self._known = editor, table
        self.measure = ChoiceBox("What is compared", {id: title for id, (title, _) in MEASURES.items()}, 172)
        for i, measure in enumerate(MEASURES):
            self.measure.setItemData(i, _meaning(measure), Qt.ItemDataRole.ToolTipRole)
        self.run = QPushButton("Compare")
        self.table = QTableWidget()
        self.table.setAccessibleName("What each panel keeps of each view's neighbours")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setShowGrid(False)
        self.table.setObjectName("numbers")
        self.table.verticalHeader().setDefaultSectionSize(theme.px(20))
        self.table.verticalHeader().setMaximumWidth(theme.px(120))
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setMinimumSectionSize(theme.px(40))
        about = (
            "What each panel keeps of each view's neighbourhoods, on all its coordinates; 1 is all. It needs no labels."
        )
        super().__init__("", about, (self.measure, self.run), self.table, 280)
        self.measure.activated.connect(lambda _: editor.choose_checks(measure=self.measure.value))
        self.run.clicked.connect(self.click)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.show_table(self._editor.state, "")

    def show_table(self, state: DocumentState, reason: str) -> None:
        """Show what is known; `reason` says why nothing can be."""
        measure, views, running = state.checks.measure, state.enabled, self._known.running
        self.measure.show_value(measure)
        self.run.setText("Stop" if running else "Compare")
        cells = {(p.id, view): self._known.of(p.id, view) for p in state.shown for view in views}
        lacking = any(cell is None for cell in cells.values())
        self.run.setEnabled(bool(running) or (lacking and not reason))
        if reason or not any(cell is not None for cell in cells.values()):
            empty = "Which panel keeps which view's neighbours: a number for every panel and view. It needs no labels."
            self.show_empty(reason or ("Comparing …" if running else empty))
            return
        titles = {p.id: panel_titles(state)[p.id] for p in state.shown}
        self.table.setRowCount(len(titles))
        self.table.setColumnCount(len(views))
        self.table.setHorizontalHeaderLabels([line(view, 24) for view in views])
        self.table.setVerticalHeaderLabels([line(title, 24) for title in titles.values()])
        for row, (id, title) in enumerate(titles.items()):
            for column, view in enumerate(views):
                self.table.setItem(row, column, _cell(cells[id, view], measure, f"{title} and {view}"))
        note = " Empty cells are out of date or not compared yet: compare again." if lacking and not running else ""
        self.show_answer(f"{_meaning(measure)}.{note}")

    def figures(self) -> tuple[Figure, ...]:
        """The table."""
        columns, rows = range(self.table.columnCount()), range(self.table.rowCount())
        head = ("Panel", *(_text(self.table.horizontalHeaderItem(k)) for k in columns))
        cells = tuple(
            (_text(self.table.verticalHeaderItem(row)), *(_text(self.table.item(row, k)) for k in columns))
            for row in rows
        )
        title = f"{MEASURES[self.measure.value][0]} of panels and views"
        return (Figure(title, Table(head, cells), self.words.toolTip()),)

    def ask(self) -> None:
        """Compare, unless it runs."""
        if self.run.isEnabled() and not self._known.running:
            self._known.ask()

    def click(self) -> None:
        """Run, or stop."""
        if self._known.running:
            self._known.stop()
        else:
            self._known.ask()


def _text(cell: QTableWidgetItem | None) -> str:
    return "" if cell is None else cell.text()


def _meaning(measure: str) -> str:
    meaning = MEASURES[measure][1].format(k=NEIGHBOURS)
    return f"{meaning[0].upper()}{meaning[1:]}"


def _cell(kept: object, measure: str, about: str) -> QTableWidgetItem:
    value = getattr(kept, measure, None)
    item = QTableWidgetItem("–" if isinstance(kept, str) else "" if value is None else fraction(value))
    item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
    item.setToolTip(tip(f"{about}: {kept}" if isinstance(kept, str) else about))
    if value is not None:
        shade = QColor(theme.current().accent)
        full = 90  # the alpha of the shade of a 1
        shade.setAlpha(round(full * min(1.0, max(0.0, value))))
        item.setBackground(shade)
    return item
