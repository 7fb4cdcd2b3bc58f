"""Numbers of the panels to files: asks which, in which form and where, and has them written in the background."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mvexplorer.errors import DataError
from mvexplorer.formulas import some_formula
from mvexplorer.io.omics.omics_writing import annotated_source
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.result_files import NumbersJob, numbers_of, panels_left_out
from mvexplorer.state.pictures.colouring import in_one
from mvexplorer.ui.export.numbers_dialog import FORMS, NumbersDialog, Offered
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.file_dialogs import save_file

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from mvexplorer.state.pictures.editor import Editor
    from mvexplorer.state.session.settings import NumbersChoice
    from mvexplorer.ui.window.exports.scene import Scene


def export_numbers(scene: Scene) -> None:
    """Ask which numbers are to be written, then for their file."""
    document, panel = scene.workbench.document, scene.focused_panel()
    state, data = document.state, document.data
    if data is None:
        return
    copied = refused = ""
    try:
        copied = annotated_source(state.source).name
    except DataError as error:
        refused = str(error)
    title = panel_title(state, panel) if panel is not None else ""
    labels = [] if data.labels is None else data.labels.tolist()
    formulas = some_formula([*data.sample_ids, *labels, *data.view_names])
    offered = Offered(title, len(state.panels), data.sample_ids, state.selection, copied, refused, formulas)
    dialog = NumbersDialog(offered, scene.workbench.settings.numbers, scene.window)
    dialog.chosen.connect(partial(_ask_for_file, scene))
    dialog.open_over(scene.window)


def _ask_for_file(scene: Scene, choice: NumbersChoice, sample: int) -> None:
    scene.workbench.change_settings(numbers=choice)
    scene.workbench.editor.attempt(lambda: _write(scene, choice, sample))


def _write(scene: Scene, choice: NumbersChoice, sample: int) -> None:
    bench, library, panel = scene.workbench, scene.library, scene.focused_panel()
    state, data, controller = bench.document.state, bench.document.data, bench.controller
    if data is None:
        return
    only = [panel.id] if panel is not None and not choice.all_panels else None
    colouring = in_one(bench.derived.resolve(state.colour))
    numbers = replace(numbers_of(state, data, controller.result, library.data_title, colouring, only), sample=sample)
    kinds = tuple(kind for kind in choice.kinds if kind != "selection" or state.selection)
    source = annotated_source(state.source) if choice.form == "obsm" else None
    ending = FORMS[choice.form][1] or (source.suffix if source is not None else "")
    name = f"{library.session_name}-numbers".removeprefix("-")
    name = name if source is None else str(source.resolve().with_name(f"{source.stem}-mvx"))
    path = save_file(scene.window, "Export numbers", f"{name}{ending}", f"{FORMS[choice.form][0]} (*{ending})")
    if path is None:
        return
    if path.suffix.lower() != ending.lower():
        raise DataError(f"{FORMS[choice.form][0]} cannot be written as “{path.suffix}”.", f"End the name in {ending}.")
    job = NumbersJob(numbers, kinds, choice.form, path, source, state.reading, choice.csv_safe)
    if _may_replace(scene.window, job):
        bench.editor.write(job, path, partial(_tell_missing, bench.editor, panels_left_out(numbers)))


def _may_replace(parent: QWidget, job: NumbersJob) -> bool:
    """Ask whether existing files may be replaced; the file dialog has asked for the one that it knows."""
    there = [path.name for path in job.paths() if path != job.path and path.exists()]
    if not there:
        return True
    text = ", ".join(there[:4]) + (f" and {len(there) - 4} more" if len(there) > 4 else "")
    title = "Replace a file?" if len(there) == 1 else f"Replace {len(there)} files?"
    return dialogs.choose(parent, title, f"There already: {text}.", ["Replace"]) is not None


def _tell_missing(editor: Editor, missing: tuple[str, ...]) -> None:
    if missing:
        text = f"Not written, since there is no result: {', '.join(missing)}."
        editor.failed.emit(DataError(text, "Export again once they are computed."))
