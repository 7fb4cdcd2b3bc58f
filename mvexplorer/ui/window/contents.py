"""The contents of a selection: what sets its samples apart, and the samples themselves as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import MEANING, filled_in_words
from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.io.writing.result_files import write_table
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.selections import LONGEST
from mvexplorer.state.export.described_selection import ComparedGroups, described_columns
from mvexplorer.state.export.selected_samples import sample_columns, selection_name
from mvexplorer.ui.pages.agreement.separation_pane import SeparationPane
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, Name, NameBox, line
from mvexplorer.ui.widgets.plots.two_strips import TwoStrips
from mvexplorer.ui.widgets.saving import FileQuestion, file_name, save_as
from mvexplorer.ui.widgets.text_table import TextModel, TextTable
from mvexplorer.wording import counted

SIZE = (980, 620)
"""Usual size in pixels: names of features are whole, and a window of 1280 x 720 has room for it."""


class SamplesModel(TextModel):
    """A row per selected sample: its id, label and columns."""

    def __init__(self) -> None:
        super().__init__()
        self.samples: list[int] = []
        self._columns: list[np.ndarray[Any, Any]] = []

    def n_rows(self) -> int:
        return len(self.samples)

    def cell(self, row: int, column: int) -> str:
        value = self._columns[column][self.samples[row]]
        return numbers.number(float(value)) if self._columns[column].dtype.kind == "f" else str(value)

    def about(self, row: int, column: int) -> str:
        return f"{self.cell(row, column)}. Click rings the sample in every panel."

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the samples by a column, its classes in their natural order."""
        if not self.samples or not 0 <= column < len(self._columns):
            return
        self.layoutAboutToBeChanged.emit()
        _, places = ordered_classes(self._columns[column][self.samples])
        turned = order == Qt.SortOrder.DescendingOrder
        ranks = sorted(range(len(places)), key=places.tolist().__getitem__, reverse=turned)
        self.samples = [self.samples[k] for k in ranks]
        self.layoutChanged.emit()

    def show(self, columns: Mapping[str, np.ndarray[Any, Any]], samples: Sequence[int]) -> None:
        """Show other samples."""
        self.beginResetModel()
        self.heads, self._columns, self.samples = (*columns,), [*columns.values()], list(samples)
        self.endResetModel()


class ContentsDialog(QDialog):
    """A dialog that leaves the window usable, and follows the selection; `show_sample` rings one that is clicked."""

    def __init__(self, workbench: Workbench, show_sample: Callable[[int], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("dialog")
        self.resize(*SIZE)
        self._bench, self._document, self._separator = workbench, workbench.document, workbench.separator
        self._show_sample = show_sample
        self._coloured_before = self._document.state.colour
        self._looked: Contrast | None = None
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        self._make_head(column)
        self.separation = SeparationPane(self._separator)
        self.separation.tells_doubt = True
        self.separation.table.looked_at.connect(self._look)
        self.strips = TwoStrips()
        self.meaning = Label(MEANING, "muted", wraps=True)
        self.filled_in = Label(role="muted", wraps=True)
        self.samples = TextTable(SamplesModel(), "The selected samples", (), -1)
        self.samples.setSortingEnabled(True)
        self.samples.clicked.connect(self._ring)
        self.samples.acted.connect(self._ring)
        beside = QSplitter(Qt.Orientation.Vertical)
        beside.addWidget(self.strips)
        beside.addWidget(self.samples)
        parts = QSplitter()
        parts.addWidget(self.separation)
        parts.addWidget(beside)
        for splitter in (beside, parts):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(theme.px(12))
        parts.setStretchFactor(0, 5)
        parts.setStretchFactor(1, 3)
        beside.setStretchFactor(1, 1)
        column.addWidget(parts, 1)
        column.addWidget(self.meaning)
        column.addWidget(self.filled_in)
        self._make_buttons(column)
        self._separator.changed.connect(self._show_table)
        self._document.changed.connect(self._followed)
        self._show_colour()
        self._show()
        if not self.name.text():  # a key that is pressed by accident changes no name
            self.name.setFocus()
        else:
            self.separation.table.setFocus()

    def _make_head(self, column: QVBoxLayout) -> None:
        row, words = QHBoxLayout(), QVBoxLayout()
        column.addLayout(row)
        row.addLayout(words, 1)
        words.setSpacing(0)
        self.head, self.origin = Name(role="headline"), Name(role="muted")
        words.addWidget(self.head)
        words.addWidget(self.origin)
        self.against = NameBox(theme.px(220))
        self.against.setAccessibleName("What the selection is compared with")
        self.against.setToolTip("Compare the selection with all other samples, or with a named selection")
        self.against.activated.connect(lambda: self._separator.compare_with(self.against.name))
        self.beside = Label("compared with", "muted")
        row.addWidget(self.beside)
        row.addWidget(self.against)
        self.name = Field()
        self.name.setPlaceholderText("Name this selection")
        self.name.setAccessibleName("Name of the selection")
        self.name.setToolTip("Return saves the selection under this name")
        self.name.setMaxLength(LONGEST)
        self.name.setMinimumWidth(theme.px(200))
        self.name.returnPressed.connect(self._name)
        row.addWidget(self.name)

    def _make_buttons(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        self.coloured = Name(role="muted")
        self.as_before = QPushButton("Colour as before")
        self.as_before.setToolTip("Colour the points as they were when this window was opened")
        self.as_before.clicked.connect(lambda: self._bench.editor.colour_by(self._coloured_before))
        row.addWidget(self.coloured, 1)
        row.addWidget(self.as_before)
        row.addStretch(1)
        self.export_table, self.export = QPushButton("Export table …"), QPushButton("Export samples …")
        self.export_table.setToolTip("Write what sets the selection apart as CSV, with all digits")
        self.export.setToolTip("Write the selected samples as CSV: ids, label, columns, coordinates, features")
        self.export_table.clicked.connect(lambda: self._bench.editor.attempt(self._export_table))
        self.export.clicked.connect(lambda: self._bench.editor.export_wanted.emit("selection"))
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        for button in (self.export_table, self.export, close):
            row.addWidget(button)
        for button in (self.as_before, self.export_table, self.export, close):
            button.setAutoDefault(False)  # Return belongs to the name

    def done(self, result: int) -> None:
        self._separator.changed.disconnect(self._show_table)
        self._document.changed.disconnect(self._followed)
        super().done(result)

    def _followed(self, change: Change) -> None:
        if change.before.colour != change.after.colour:
            self._show_colour()
        if change.samples_changed:
            self.close()
        elif change.data_changed or change.before.selection != change.after.selection:
            self._show()
        elif change.before.selections != change.after.selections:
            self._show_name()
            self._offer_others()
            self._show_table()

    def _show(self) -> None:
        state, data = self._document.state, self._document.data
        if data is None:
            return
        for widget in (self.export, self.name):
            widget.setEnabled(bool(state.selection))
        self._show_name()
        self._offer_others()
        columns = sample_columns(data)
        model = self.samples.texts
        assert isinstance(model, SamplesModel)
        most = 8  # columns of the samples that are shown; all of them are exported
        model.show(dict(list(columns.items())[:most]), state.selection)
        self._fit_columns()
        self._show_table()

    def _show_name(self) -> None:
        state, data, name = self._document.state, self._document.data, selection_name(self._document.state)
        self.name.setText(name)
        self.setWindowTitle(f"Describe selection: {line(name)}" if name else "Describe selection")
        origin = state.selections.origin or "Nothing is selected."
        self.origin.setVisible(origin != name)
        self.origin.set_words(origin)
        if data is not None:
            samples = f"{len(state.selection):,} of {counted(data.n_samples, 'sample')}"
            self.head.set_words(f"{name}: {samples}" if name else samples)

    def _show_table(self) -> None:
        before = self.separation.rows
        self.against.choose(self._separator.against)
        self.separation.show_selection()
        rows = self.separation.rows
        self.export_table.setEnabled(bool(rows))
        filled_in = filled_in_words(self._document.state.dropped_and_imputed)
        self.filled_in.setText(line(filled_in, 300))
        self.filled_in.setVisible(bool(rows and filled_in))
        for widget in (self.meaning, self.strips):
            widget.setVisible(bool(rows))
        if rows is not before:
            numbers = (row for row in rows if not row.value)
            self._looked = next(numbers, rows[0] if rows else None)
        self._look(self._looked)  # also where a group has another name

    def _show_colour(self) -> None:
        """Say that a row colours the points of every panel, which a click on it did, and offer the way back."""
        source = self._document.state.colour
        row = next((row for row in self.separation.rows if row.source == source), None)
        by_row = row is not None and source != self._coloured_before
        if row is not None:
            self.coloured.set_words(f"All panels are coloured by {row.name.removesuffix(f' {row.value}')}.")
        for widget in (self.coloured, self.as_before):
            widget.setVisible(by_row)

    def _offer_others(self) -> None:
        """Offer the selections that this one can be compared with, where there are any."""
        possible = self._separator.possible
        self.against.clear()
        for name, words in (("", "the rest"), *((name, line(name)) for name in possible)):
            self.against.addItem(words, name)
        self.against.choose(self._separator.against)
        for widget in (self.against, self.beside):
            widget.setVisible(bool(possible))

    def _look(self, row: Contrast | None) -> None:
        """Show the values of a row in both groups."""
        self._looked = row
        groups = None if row is None else self._separator.groups_of(row)
        if row is None or groups is None or not len(groups.first) or not len(groups.second):
            self.strips.show_nothing()
            return
        names = selection_name(self._document.state) or "selection", self._separator.others
        self.strips.show_groups(groups.title, names, (groups.first, groups.second), shares=groups.of_class)

    def _fit_columns(self) -> None:
        """Show ids and names whole, up to a width that leaves room for others."""
        head, least, most = self.samples.horizontalHeader(), theme.px(64), theme.px(280)
        for column in range(len(self.samples.texts.heads)):
            whole = max(self.samples.widest(column), head.sectionSizeHint(column))
            self.samples.setColumnWidth(column, min(max(whole, least), most))

    def _ring(self, index: QModelIndex) -> None:
        model = self.samples.texts
        assert isinstance(model, SamplesModel)
        self._show_sample(model.samples[index.row()])

    def _name(self) -> None:
        """Save the selection under the name that was typed, or give it that name instead of its own."""
        editor, name, own = self._bench.editor, self.name.text(), selection_name(self._document.state)
        if own:
            editor.rename_selection(own, name)
        else:
            editor.keep_selection(name)

    def _export_table(self) -> None:
        answer, safe = self._separator.found, self._bench.settings.numbers.csv_safe
        if answer is None:
            return
        own = selection_name(self._document.state)
        columns = described_columns(answer.rows, ComparedGroups.of(answer, own or "selection", self._separator.others))
        name = file_name(own, "selection")
        question = FileQuestion("Export what sets the selection apart", f"{name}-differences.csv", "CSV (*.csv)")
        save_as(self, self._bench.editor, question, partial(_write, columns, csv_safe=safe))


def _write(columns: Mapping[str, list[Any]], path: Path, *, csv_safe: bool) -> None:
    """The differences with all their digits, in the order of their sizes."""
    import polars as pl

    write_table(pl.DataFrame(columns), path, {}, csv_safe=csv_safe)
