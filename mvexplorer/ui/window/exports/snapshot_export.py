"""All snapshots at once: one contact sheet, or a folder with the picture of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.errors import DataError
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels, SnapshotsJob, drawings_of
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.ui.export.contact_sheet import ContactSheet, cell_of, snapshot_sheet
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.file_dialogs import open_folder, save_file
from mvexplorer.ui.widgets.saving import file_name
from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.ui.window.messages import EXPORT
from mvexplorer.wording import counted, listed

SLOT = "snapshots"
ENDINGS = (".png", ".pdf")
"""The files of each figure."""
Fold = Callable[[SnapshotPanels], Any]


@dataclass(frozen=True)
class WriteFigures:
    """Writes the picture of each snapshot into a folder, and keeps the name of one that cannot be shown."""

    folder: Path
    count: int

    def stem(self, number: int, name: str) -> str:
        """The name of a snapshot's files, in whose order they lie in the folder."""
        return f"{number:0{max(2, len(str(self.count)))}d}-{file_name(name, 'snapshot')}"

    def __call__(self, each: SnapshotPanels) -> str:
        if each.panels is None:
            return each.snapshot.name
        sheet = snapshot_sheet(each.snapshot, each.panels)
        for ending in ENDINGS:
            write_picture(sheet, self.folder / f"{self.stem(each.number, each.snapshot.name)}{ending}")
        return ""


def _ask_sheet(scene: Scene) -> None:
    """Ask for a file, compute all snapshots, and write them there as one picture."""
    _refuse_none(scene)
    title = scene.library.session_name or "snapshots"
    path = save_file(scene.window, "Contact sheet", f"{title}.png", "Pictures (*.png *.svg *.pdf)")
    if path is None:
        return
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise DataError(
            f"Contact sheets cannot be written as “{path.suffix}”.", "End the file's name in .png, .svg or .pdf."
        )

    def write(cells: tuple[Any, ...]) -> None:
        sheet = ContactSheet(scene.library.data_title, cells)
        scene.workbench.editor.write(WriteJob(path, partial(sheet.write, path)))

    _compute(scene, cell_of, write, f"Contact sheet {path.name}")


def _ask_figures(scene: Scene) -> None:
    """Ask for a folder, and write the picture of each snapshot there once that is computed."""
    _refuse_none(scene)
    folder = Path(open_folder(scene.window, "Folder for the figures of all snapshots"))
    if folder == Path():
        return
    names = scene.workbench.document.state.snapshots.names
    fold = WriteFigures(folder, len(names))
    files = [folder / f"{fold.stem(i, name)}{end}" for i, name in enumerate(names, start=1) for end in ENDINGS]
    there = [path.name for path in files if path.exists()]
    if there:
        text = f"There already: {listed(there[:4])}{' and more' if len(there) > 4 else ''}."
        if dialogs.choose(scene.window, f"Replace {counted(len(there), 'file')}?", text, ["Replace"]) is None:
            return

    def tell(missed: tuple[Any, ...]) -> None:
        gone = [f"“{name}”" for name in missed if name]
        scene.workbench.editor.saved.emit(folder / f"{counted(len(missed) - len(gone), 'figure')} in {folder.name}")
        if gone:
            text = f"No figure of {listed(gone[:4])}{' and others' if len(gone) > 4 else ''}: they cannot be shown."
            hint = "Point at them among the snapshots to see why."
            scene.banners.show_message("warning", text, hint)

    _compute(scene, fold, tell, f"Figures of {counted(len(names), 'snapshot')}")


def _refuse_none(scene: Scene) -> None:
    if not scene.workbench.document.state.snapshots.kept:
        raise DataError("There are no snapshots.", "Keep a state first (K).")


def _compute(scene: Scene, fold: Fold, done: Callable[[tuple[Any, ...]], None], title: str) -> None:
    """Compute all snapshots in the background; `fold` is what is kept of each, as in `SnapshotsJob`."""
    document, controller, editor = scene.workbench.document, scene.workbench.controller, scene.workbench.editor
    assert document.data is not None
    names = document.state.snapshots.names
    job = SnapshotsJob(document.state, document.data, names, drawings_of(controller.results), fold)

    def leave() -> None:
        document.changed.disconnect(follow)
        controller.cancelled.disconnect(stopped)

    def arrived(outcome: Outcome) -> None:
        leave()
        if outcome.error is not None:
            editor.failed.emit(outcome.error)
        else:
            done(outcome.value)

    def stopped(slot: str) -> None:
        if slot == SLOT:
            leave()

    def follow(change: Change) -> None:
        if change.data_changed:  # the schedulers drop what is computed of former data
            leave()
            text = f"{title} was stopped, as other data came."
            scene.banners.show_message("warning", text, "Export again, and wait for it.", cause=EXPORT)

    document.changed.connect(follow)
    controller.cancelled.connect(stopped)
    scene.banners.show_message("info", f"{title} …", "Tasks shows how far, and stops it.", cause=EXPORT)
    controller.background.submit(SLOT, job, arrived, title=title)


CONTACT_SHEET = Exporter(
    "contact sheet", "Contact sheet of snapshots", _ask_sheet, "all snapshots overview one picture png svg pdf page"
)
FIGURES = Exporter(
    "figures of snapshots", "Figures of all snapshots", _ask_figures, "pictures folder each every snapshot png pdf"
)
