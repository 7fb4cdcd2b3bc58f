"""The session as a web page: asks for its file, and has it written in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.ui.export.web_page import ENDING, WritePageJob, make_page
from mvexplorer.ui.widgets.file_dialogs import save_file

if TYPE_CHECKING:
    from mvexplorer.ui.window.exports.scene import Scene


def export_web_page(scene: Scene) -> None:
    """Ask for a file and write what the panels show there, as one page that any browser opens."""
    document, library = scene.workbench.document, scene.library
    name, data = f"{library.session_name or 'session'}{ENDING}", document.data
    path = save_file(scene.window, "Export web page", name, f"Web pages (*{ENDING})")
    if path is None or data is None:
        return
    state, controller = document.state, scene.workbench.controller
    colouring = scene.workbench.derived.resolve(state.colour)
    page = make_page(state, data, controller.result, library.data_title, colouring, scene.grid.cameras())
    scene.workbench.editor.write(WritePageJob(page, path), path)
