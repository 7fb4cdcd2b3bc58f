"""The session as a web page: asks for its file, and has it written in the background."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mvexplorer.ui.export.web_page import ENDING, WritePageJob, make_page
from mvexplorer.ui.widgets.file_dialogs import save_file

if TYPE_CHECKING:
    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.ui.window.behaviour import WindowBehaviour


def export_web_page(b: WindowBehaviour) -> None:
    """Ask for a file and write what the panels show there, as one page that any browser opens."""
    data = b.document.data
    file = save_file(
        b.window, "Export web page", f"{b.library.session_name or 'session'}{ENDING}", f"Web pages (*{ENDING})"
    )
    if not file or data is None:
        return
    path = Path(file if "." in file.rpartition("/")[2] else f"{file}{ENDING}")
    state, controller = b.document.state, b.workbench.controller
    colouring = b.workbench.derived.resolve(state.colour)
    page = make_page(state, data, controller.result, b.library.data_title, colouring, b.docks.grid.cameras())

    def written(outcome: Outcome) -> None:
        if outcome.error is not None:
            b.editor.failed.emit(outcome.error)
        else:
            b.editor.saved.emit(outcome.value)

    controller.background.submit("web-page", WritePageJob(page, path), written, title="Writing the web page")
