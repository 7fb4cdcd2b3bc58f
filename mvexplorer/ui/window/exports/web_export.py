"""The session as a web page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.spectrum import ETA
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.snapshot_panels import SnapshotsJob, drawings_of
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.export.live_panels import LivePanelsJob, can_be_live, expected_bytes
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.session.settings import PageChoice
from mvexplorer.ui.export.web_colours import Maker, own_colourings
from mvexplorer.ui.export.web_dialog import PageOffer, WebPageDialog
from mvexplorer.ui.export.web_ids import only_numbers
from mvexplorer.ui.export.web_page import (
    ENDING,
    PageContent,
    WebPage,
    make_page,
    page_of,
    with_live,
    with_menu,
    with_snapshots,
    write_page,
)
from mvexplorer.ui.widgets.saving import FileQuestion, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.ui.window.messages import EXPORT


@dataclass(frozen=True, eq=False)
class PageJob(FileJob):
    """Writes a page, and before that makes the colourings and computes the snapshots that are to be on it."""

    path: Path
    page: WebPage
    colourings: Sequence[Maker] = ()
    snapshots: SnapshotsJob | None = None
    live: LivePanelsJob | None = None

    def run(self, cache: StageCache, task: Task) -> Path:
        """Compute and write it."""
        of_snapshots = () if self.snapshots is None else self.snapshots.each(cache, task)
        page = with_menu(with_snapshots(self.page, of_snapshots), self.colourings)
        if self.live is not None:
            page = with_live(page, self.live.run(cache, task))
        task.checkpoint()  # who stops it is told that nothing was written
        return write_page(page, self.path)


def _ask(scene: Scene) -> None:
    """Ask what the page is to hold, where there is anything to ask, and then for its file."""
    document, bench = scene.workbench.document, scene.workbench
    data = document.data
    if data is None:
        return
    ids = () if only_numbers(data.sample_ids) else data.sample_ids
    named, kept = document.state.selections.named, document.state.snapshots.kept
    state = document.state
    offer = PageOffer(
        ids,
        bool(_colourings(scene, data, True)),
        len(named),
        len(kept),
        can_be_live(state, data),
        any(param.name == ETA for panel in state.shown for param in get_method(panel.method).params),
        lambda solid, eta: expected_bytes(state, data, solid=solid, eta=eta),
    )
    if not offer.asks:
        _save(scene, data, bench.settings.page, True)
        return
    dialog = WebPageDialog(offer, bench.settings.page, scene.window)
    dialog.chosen.connect(lambda *choice: bench.editor.attempt(lambda: _save(scene, data, *choice)))
    dialog.open_over(scene.window)


def _colourings(scene: Scene, data: MultiView, selections: bool) -> list[Maker]:
    """All that the points can be coloured by without computing anything, beside the present colouring."""
    bench = scene.workbench
    return [*own_colourings(bench.document.state, data, selections), *bench.derived.at_hand()]


def _save(scene: Scene, data: MultiView, choice: PageChoice, keeps_ids: bool) -> None:
    """Ask for a file and write the page there, which any browser opens."""
    bench, state = scene.workbench, scene.workbench.document.state
    bench.change_settings(page=choice)

    def job_of(path: Path) -> PageJob:
        colouring, cameras = bench.derived.resolve(state.colour), scene.grid.cameras()
        content, title = PageContent(selections=choice.selections, ids=keeps_ids), scene.library.data_title
        page = make_page(state, data, bench.controller.result, title, colouring, cameras, content)
        colourings = _colourings(scene, data, choice.selections) if choice.all_colourings else []
        onto, names = drawings_of(bench.controller.results), state.snapshots.names
        snapshots = SnapshotsJob(state, data, names, onto) if names and choice.snapshots else None
        # Copies: the panels' results change while the file is written.
        results = {id: replace(result) for id, result in bench.controller.results.items()}
        live = None
        if choice.live and can_be_live(state, data):
            live = LivePanelsJob(state, data, results, solid=choice.live_3d, eta=choice.live_eta)
        if live is not None or snapshots is not None:
            scene.banners.show_message("info", f"Making {path.name} …", "Tasks shows how far.", cause=EXPORT)
        return PageJob(path, page, colourings, snapshots, live)

    name = f"{scene.library.session_name or 'session'}{ENDING}"
    question = FileQuestion("Export web page", name, f"Web pages (*{ENDING})")
    save_by_job(scene.window, bench.editor, question, job_of)


def _into(finished: ComputedPanels, folder: Path, _how: Tables) -> list[Path]:
    """The session as one web page."""
    return [write_page(page_of(finished, state_title(finished.state)), folder / f"session{ENDING}")]


WEB_PAGE = Exporter("web page", "Web page", _ask, "html browser share send interactive", _into)
