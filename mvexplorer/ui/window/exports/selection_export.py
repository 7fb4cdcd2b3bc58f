"""The selected samples as a table, with the name of the selection and, if wished, their coordinates and features."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from mvexplorer.errors import DataError
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.selected_samples import SelectionJob, selected_samples, selection_name
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.export_dialog import ExportCard
from mvexplorer.ui.widgets.plain_text import Label, caption
from mvexplorer.ui.widgets.saving import FileQuestion, file_name, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.wording import counted


class SelectionCard(ExportCard):
    """The choice of what is written of selected samples beside ids, selection, label and columns: `chosen` says it."""

    chosen = Signal(bool, bool)

    def __init__(self, panel: str, n_features: int, parent: QWidget) -> None:
        super().__init__("Export selected samples", parent)
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        column.addWidget(Label("Export selected samples", "section"))
        column.addWidget(Label("Ids, the selection's name, label and columns, and:", "muted"))
        self.coordinates = QCheckBox(caption(f"Coordinates in {panel}", 60) if panel else "Coordinates")
        self.coordinates.setChecked(bool(panel))
        self.coordinates.setEnabled(bool(panel))
        self.features = QCheckBox(f"Values of the views ({counted(n_features, 'feature')})")
        few = 200  # that a spreadsheet shows well; more are asked for
        self.features.setChecked(n_features <= few)
        column.addWidget(self.coordinates)
        column.addWidget(self.features)
        buttons = QHBoxLayout()
        column.addLayout(buttons)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        self.save.clicked.connect(self._take)

    def _take(self) -> None:
        coordinates, features = self.coordinates.isChecked(), self.features.isChecked()
        self.close()
        self.chosen.emit(coordinates, features)


def _ask(scene: Scene) -> None:
    """Ask what is written, then for the file; DataError where nothing is selected."""
    state, data, panel = scene.workbench.document.state, scene.workbench.document.data, scene.focused_panel()
    if data is None:
        return
    if not state.selection:
        raise DataError("Nothing is selected.", "Select samples by lasso or in the legend first.")
    # The description of the selection may be where this was asked.
    window = QApplication.activeWindow() or scene.window
    title = "" if panel is None else panel_title(state, panel)
    card = SelectionCard(title, sum(X.shape[1] for X in data.Xs), window)
    card.chosen.connect(partial(_ask_for_file, scene, window))
    card.open_over(window)


def _ask_for_file(scene: Scene, window: QWidget, coordinates: bool, features: bool) -> None:
    scene.workbench.editor.attempt(lambda: _write(scene, window, coordinates=coordinates, features=features))


def _write(scene: Scene, window: QWidget, *, coordinates: bool, features: bool) -> None:
    """Ask for the file, named after the selection, and have it written."""
    bench, panel = scene.workbench, scene.focused_panel()
    state, data = bench.document.state, bench.document.data
    if data is None:
        return
    of_panel = panel.id if panel is not None and coordinates else ""
    columns, record = selected_samples(state, data, scene.library.data_title, bench.controller.result, of_panel)
    name = file_name(selection_name(state), "selection")
    question = FileQuestion("Export the selected samples", f"{name}.csv", "CSV (*.csv)")
    values = (data, tuple(sorted(state.selection))) if features else None
    job = partial(SelectionJob, columns, record, csv_safe=bench.settings.numbers.csv_safe, values=values)
    save_by_job(window, bench.editor, question, lambda path: job(path=path))


SELECTION = Exporter(
    "selection", "Selected samples", _ask, "save lasso cluster subset ids labels coordinates features table csv"
)
