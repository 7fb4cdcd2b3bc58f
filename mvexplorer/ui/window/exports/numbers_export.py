"""Numbers of the panels: asks which, in which form and where."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from mvexplorer.errors import DataError
from mvexplorer.formulas import some_formula
from mvexplorer.io.omics.omics_writing import annotated_source
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.result_files import NumbersJob, numbers_of, panels_left_out, write_folder
from mvexplorer.state.pictures.colouring import in_one
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.session.settings import NumbersChoice
from mvexplorer.ui.export.numbers_dialog import FORMS, NumbersDialog, Offered
from mvexplorer.ui.widgets.saving import FileQuestion, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.wording import source_title


def _ask(scene: Scene) -> None:
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
    form = FORMS[choice.form][0]

    def job(path: Path) -> NumbersJob:
        if path.suffix.lower() != ending.lower():
            raise DataError(f"{form} cannot be written as “{path.suffix}”.", f"End the name in {ending}.")
        return NumbersJob(numbers, kinds, choice.form, path, source, state.reading, choice.csv_safe)

    question = FileQuestion("Export numbers", f"{name}{ending}", f"{form} (*{ending})")
    tell = partial(_tell_missing, bench.editor, panels_left_out(numbers))
    save_by_job(scene.window, bench.editor, question, job, tell)


def _tell_missing(editor: Editor, missing: tuple[str, ...]) -> None:
    if missing:
        text = f"Not written, since there is no result: {', '.join(missing)}."
        editor.failed.emit(DataError(text, "Export again once they are computed."))


def _into(finished: ComputedPanels, folder: Path, how: Tables) -> list[Path]:
    """Coordinates of every panel, scores, spectrum and selection, and how they were made."""
    if not any(answer.result for answer in finished.results.values()):
        return []  # each failure is reported apart
    title = source_title(finished.state.source)
    numbers = numbers_of(finished.state, finished.data, finished.results.__getitem__, title, None)
    return write_folder(numbers, folder, how.suffix, csv_safe=how.csv_safe)


NUMBERS = Exporter(
    "numbers",
    "Numbers",
    _ask,
    "save coordinates scores spectrum selection distances csv parquet npz obsm anndata atlas",
    _into,
    of_panels=True,
)
