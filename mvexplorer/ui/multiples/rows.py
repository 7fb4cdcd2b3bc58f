"""The form above the small multiples: the choices for their rows and columns."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QWidget

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.state.document.multiples import INGREDIENTS, METHODS, PANELS
from mvexplorer.state.document.multiples_grid import USUAL, MultiplesGrid, known_axes
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.pages.tune.sweep_axis import AxisChoice
from mvexplorer.ui.widgets.plain_text import line, tip

VALUES = "values"
KINDS = {PANELS: "Panels on show", METHODS: "All methods", VALUES: "One panel", INGREDIENTS: "Ingredients"}


class RowsAndColumns(QObject):
    """The choices of rows and columns, each an edit of the document."""

    def __init__(self, editor: Editor, present: Callable[[Axis], float | None]) -> None:
        super().__init__()
        self._editor = editor
        counts = 1, 24  # fewest and most values
        self.columns, self.rows = (AxisChoice(present, counts, USUAL) for _ in range(2))
        self.rows.list.setAccessibleName("What changes from row to row")
        self.columns.list.setAccessibleName("What changes from column to column")
        self._of_columns: list[QWidget] = []
        self.kind, self.panel = QComboBox(), QComboBox()
        for id, words in KINDS.items():
            self.kind.addItem(words, id)
        self.kind.setAccessibleName("Rows")
        self.panel.setAccessibleName("Panel that is changed")
        for box in (self.kind, self.panel, self.columns.list, self.rows.list):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumContentsLength(7)  # fewest characters of a choice in sight
        self.kind.activated.connect(lambda _: self._choose_kind())
        self.panel.activated.connect(lambda _: self._take("Small multiples of a panel", panel=self.panel.currentData()))
        for choice, take in ((self.columns, self._take_columns), (self.rows, self._take_rows)):
            choice.changed.connect(take)
            for field in (choice.low, choice.high, choice.values):
                field.entered.connect(lambda _, t=take: t())

    def fill(self, grid: QGridLayout) -> None:
        """Add the fields, columns above rows; beside the columns, in the last column of the grid, there is room."""
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for place, (words, first) in enumerate((("Columns", self.columns.list), ("Rows", self.kind))):
            label = QLabel(words)
            self._of_columns += [label, first] if first is self.columns.list else []
            grid.addWidget(label, place, 0)
            grid.addWidget(first, place, 1)
        first_line, second_line = QHBoxLayout(), QHBoxLayout()
        grid.addLayout(first_line, 0, 2)
        self.columns.fill(first_line)
        self._line = QHBoxLayout()
        grid.addLayout(self._line, 1, 2, 1, 2)
        self._line.setSpacing(8)
        self._line.addWidget(self.panel)
        self._line.addWidget(self.rows.list)
        self._line.addLayout(second_line)
        self.rows.fill(second_line)
        self._line.addStretch(1)
        grid.setColumnStretch(3, 1)

    def add(self, widget: QWidget) -> None:
        """Put another field after the panel."""
        self._line.insertWidget(1, widget)

    def show_grid(self, grid: MultiplesGrid | None) -> None:
        """Show what the document asks for."""
        state = self._editor.state
        chosen, axes = state.multiples, known_axes(state)
        for choice in (self.columns, self.rows):
            choice.blockSignals(True)
            choice.offer(axes)
            choice.blockSignals(False)
        self.kind.setCurrentIndex(self.kind.findData(VALUES if chosen.of_values else chosen.rows))
        self.panel.clear()
        for panel in state.shown:
            self.panel.addItem(line(panel_titles(state)[panel.id], 28), panel.id)
            tooltip = tip(panel_titles(state)[panel.id])
            self.panel.setItemData(self.panel.count() - 1, tooltip, Qt.ItemDataRole.ToolTipRole)
        self.panel.setCurrentIndex(max(0, self.panel.findData(chosen.panel)))
        for widget in (self.rows.list, *self.rows.widgets):
            widget.setVisible(chosen.of_values)
        self.panel.setVisible(chosen.of_values or chosen.of_ingredients)
        for widget in (*self._of_columns, *self.columns.widgets):
            widget.setVisible(not chosen.of_ingredients)
        if grid is not None and not grid.of_ingredients:
            self.columns.show_values(grid.across, grid.columns)
            if grid.down is not None:
                self.rows.show_values(grid.down, grid.rows)

    def _choose_kind(self) -> None:
        kind = self.kind.currentData()
        if kind == INGREDIENTS:
            self._editor.compare_ingredients(self._editor.focused or "")
            return
        if kind != VALUES:
            self._take(f"Small multiples of {KINDS[kind].lower()}", rows=kind, row_values=())
            return
        axes = known_axes(self._editor.state)
        other = next(name for name in ("eta", "t", *axes) if name in axes and name != self.columns.axis.name)
        panel = self._editor.focused or ""
        self._take(f"Rows by {axes[other].title}", rows=other, row_values=(), panel=panel)

    def _take_columns(self) -> None:
        self._take_axis(self.columns, "Columns", "columns", "column_values")

    def _take_rows(self) -> None:
        self._take_axis(self.rows, "Rows", "rows", "row_values")

    def _take_axis(self, choice: AxisChoice, what: str, name: str, values: str) -> None:
        chosen = choice.chosen_values()
        choice.ends()  # marks an interval that is empty or reversed
        if chosen is not None and not choice.low.property("wrong"):
            self._take(f"{what} by {choice.axis.title}", **{name: choice.axis.name, values: chosen})

    def _take(self, label: str, **changes: object) -> None:
        if not self._editor.change_multiples(label, **changes):
            self.show_grid(None)
