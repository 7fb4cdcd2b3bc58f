"""The selected samples as a table, with the name of the selection and their coordinates."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QApplication

from mvexplorer.state.export.selected_samples import SelectionJob, selected_samples, selection_name
from mvexplorer.ui.widgets.saving import FileQuestion, file_name, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.scene import Scene


def _ask(scene: Scene) -> None:
    """Ask for the file, named after the selection; DataError where nothing is selected."""
    bench, panel = scene.workbench, scene.focused_panel()
    state, data = bench.document.state, bench.document.data
    if data is None:
        return
    of_panel = panel.id if panel is not None else ""
    columns, record = selected_samples(state, data, scene.library.data_title, bench.controller.result, of_panel)
    name = file_name(selection_name(state), "selection")
    question = FileQuestion("Export the selected samples", f"{name}.csv", "CSV (*.csv)")
    job = partial(SelectionJob, columns, record, csv_safe=bench.settings.numbers.csv_safe)
    # The description of the selection may be where this was asked.
    save_by_job(QApplication.activeWindow() or scene.window, bench.editor, question, lambda path: job(path=path))


SELECTION = Exporter(
    "selection", "Selected samples", _ask, "save lasso cluster subset ids labels coordinates table csv"
)
