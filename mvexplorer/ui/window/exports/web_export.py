"""The session as a web page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.snapshot_panels import SnapshotsJob, drawings_of
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.session.settings import PageChoice
from mvexplorer.ui.export.web_dialog import PageOffer, WebPageDialog
from mvexplorer.ui.export.web_ids import only_numbers
from mvexplorer.ui.export.web_page import (
    ENDING,
    WHOLE,
    PageContent,
    WebPage,
    make_page,
    page_of,
    with_snapshots,
    write_page,
)
from mvexplorer.ui.widgets.saving import FileQuestion, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene


@dataclass(frozen=True, eq=False)
class PageJob(FileJob):
    """Writes a page, and before that computes the snapshots that are to be on it."""

    path: Path
    page: WebPage
    snapshots: SnapshotsJob | None = None

    def run(self, cache: StageCache, task: Task) -> Path:
        """Compute and write it."""
        of_snapshots = () if self.snapshots is None else self.snapshots.each(cache, task)
        return write_page(with_snapshots(self.page, of_snapshots), self.path)


def _ask(scene: Scene) -> None:
    """Ask what the page is to hold, where there is anything to ask, and then for its file."""
    document, bench = scene.workbench.document, scene.workbench
    data = document.data
    if data is None:
        return
    ids = () if only_numbers(data.sample_ids) else data.sample_ids
    named, kept = document.state.selections.named, document.state.snapshots.kept
    offer = PageOffer(ids, 1 + len(_page(scene, data, WHOLE).menu), len(named), len(kept))
    if not offer.asks:
        _save(scene, data, bench.settings.page, True)
        return
    dialog = WebPageDialog(offer, bench.settings.page, scene.window)
    dialog.chosen.connect(lambda *choice: bench.editor.attempt(lambda: _save(scene, data, *choice)))
    dialog.open_over(scene.window)


def _page(scene: Scene, data: MultiView, content: PageContent) -> WebPage:
    """Make a page of the panels as they are."""
    bench = scene.workbench
    state, derived, result = bench.document.state, bench.derived, bench.controller.result
    colouring, cameras = derived.resolve(state.colour), scene.grid.cameras()
    title = scene.library.data_title
    return make_page(state, data, result, title, colouring, cameras, content, derived.at_hand())


def _save(scene: Scene, data: MultiView, choice: PageChoice, keeps_ids: bool) -> None:
    """Ask for a file and write the page there, which any browser opens."""
    bench, state = scene.workbench, scene.workbench.document.state
    bench.change_settings(page=choice)
    content = PageContent(choice.all_colourings, choice.selections, keeps_ids)

    def job_of(path: Path) -> PageJob:
        names = state.snapshots.names if choice.snapshots else ()
        onto = drawings_of(bench.controller.results)
        job = SnapshotsJob(state, data, names, onto) if names else None
        return PageJob(path, _page(scene, data, content), job)

    name = f"{scene.library.session_name or 'session'}{ENDING}"
    question = FileQuestion("Export web page", name, f"Web pages (*{ENDING})")
    save_by_job(scene.window, bench.editor, question, job_of)


def _into(finished: ComputedPanels, folder: Path, _how: Tables) -> list[Path]:
    """The session as one web page."""
    return [write_page(page_of(finished, state_title(finished.state)), folder / f"session{ENDING}")]


WEB_PAGE = Exporter("web page", "Web page", _ask, "html browser share send interactive", _into)
