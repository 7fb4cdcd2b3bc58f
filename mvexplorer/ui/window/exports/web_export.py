"""The session as a web page."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.ui.export.web_page import ENDING, make_page, page_of, write_page
from mvexplorer.ui.widgets.saving import FileQuestion, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene


def _ask(scene: Scene) -> None:
    """Ask for a file and write what the panels show there, as one page that any browser opens."""
    document, library = scene.workbench.document, scene.library
    data = document.data
    if data is None:
        return

    state, controller = document.state, scene.workbench.controller

    def job_of(path: Path) -> WriteJob:
        colouring = scene.workbench.derived.resolve(state.colour)
        page = make_page(state, data, controller.result, library.data_title, colouring, scene.grid.cameras())
        return WriteJob(path, partial(write_page, page, path))

    name = f"{library.session_name or 'session'}{ENDING}"
    question = FileQuestion("Export web page", name, f"Web pages (*{ENDING})")
    save_by_job(scene.window, scene.workbench.editor, question, job_of)


def _into(finished: ComputedPanels, folder: Path, _how: Tables) -> list[Path]:
    """The session as one web page."""
    return [write_page(page_of(finished, state_title(finished.state)), folder / f"session{ENDING}")]


WEB_PAGE = Exporter("web page", "Web page", _ask, "html browser share send interactive", _into)
