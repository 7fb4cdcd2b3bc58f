"""The contents of a selection: what sets its samples apart, and the samples themselves as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from mvexplorer.engine.api.export import table_bytes
from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.colouring import label_title
from mvexplorer.ui.pages.agreement.separation_pane import SeparationPane
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name
from mvexplorer.ui.widgets.saving import FileQuestion, save_as
from mvexplorer.ui.widgets.text_table import TextModel, TextTable
from mvexplorer.wording import counted
from mvexplorer.writing import writing


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
        self.setWindowTitle("Describe selection")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("dialog")
        self.resize(560, 560)
        self._bench, self._document, self._separator = workbench, workbench.document, workbench.separator
        self._show_sample = show_sample
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        self.head, self.origin = Label(), Name()
        self.head.setProperty("role", "headline")
        self.origin.setProperty("role", "muted")
        column.addWidget(self.head)
        column.addWidget(self.origin)
        self.separation = SeparationPane(self._separator)
        self.samples = TextTable(SamplesModel(), "The selected samples", (), -1)
        self.samples.setSortingEnabled(True)
        self.samples.clicked.connect(self._ring)
        self.samples.acted.connect(self._ring)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.separation)
        parts.addWidget(self.samples)
        column.addWidget(parts, 1)
        self._make_buttons(column)
        self._separator.changed.connect(self.separation.show_selection)
        self._document.changed.connect(self._followed)
        self._show()

    def _make_buttons(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.addStretch(1)
        self.export = QPushButton("Export CSV …")
        self.export.setAutoDefault(False)
        self.export.clicked.connect(lambda: self._bench.editor.attempt(self._export))
        row.addWidget(self.export)

    def done(self, result: int) -> None:
        self._separator.changed.disconnect(self.separation.show_selection)
        self._document.changed.disconnect(self._followed)
        super().done(result)

    def _followed(self, change: Change) -> None:
        if change.samples_changed:
            self.close()
        elif change.data_changed or change.before.selection != change.after.selection:
            self._show()

    def _show(self) -> None:
        state, data = self._document.state, self._document.data
        if data is None:
            return
        self.head.setText(f"{len(state.selection):,} of {counted(data.n_samples, 'sample')}")
        self.origin.set_words(state.selections.origin or "Nothing is selected.")
        self.export.setEnabled(bool(state.selection))
        columns = _columns(data)
        model = self.samples.texts
        assert isinstance(model, SamplesModel)
        most = 8  # columns of the samples that are shown; all of them are exported
        model.show(dict(list(columns.items())[:most]), state.selection)
        self._fit_columns()
        self.separation.show_selection()

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

    def _export(self) -> None:
        data, model, safe = self._document.data, self.samples.texts, self._bench.settings.numbers.csv_safe
        assert data is not None
        assert isinstance(model, SamplesModel)
        columns = {name: column[model.samples] for name, column in _columns(data).items()}
        question = FileQuestion("Export the selected samples", "selection.csv", "CSV (*.csv)")
        save_as(self, self._bench.editor, question, partial(_write, columns, csv_safe=safe))


def _write(columns: Mapping[str, np.ndarray[Any, Any]], path: Path, *, csv_safe: bool) -> None:
    import polars as pl

    table = pl.DataFrame({name: column.tolist() for name, column in columns.items()}, strict=False)
    with writing(path) as file:
        file.write(table_bytes(table, as_csv=True, meta={}, csv_safe=csv_safe))


def _columns(data: MultiView) -> dict[str, np.ndarray[Any, Any]]:
    """Return the values (M,) known of the samples by name: id, label, columns, hidden variables."""
    import numpy as np

    columns: dict[str, np.ndarray[Any, Any]] = {"id": np.array(data.sample_ids, dtype=object)}
    if data.labels is not None:
        columns[label_title(data)] = data.labels
    others = {**data.columns, **{f"{name} (true)": values for name, values in data.latent.items()}}
    return columns | {name: values for name, values in others.items() if name not in columns}
