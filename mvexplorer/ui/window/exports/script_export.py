"""The session as Python: asks for the file of a script or a notebook, and has it written in the background."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mvexplorer.state.export.script.session import WriteScriptJob
from mvexplorer.ui.widgets.file_dialogs import save_file

if TYPE_CHECKING:
    from mvexplorer.ui.window.exports.scene import Scene


def export_script(scene: Scene, ending: str) -> None:
    """Ask for a file and write the Python there that makes the window's content; the ending decides the kind."""
    titles = {".py": ("Export Python script", "Python (*.py)"), ".ipynb": ("Export notebook", "Notebooks (*.ipynb)")}
    title, kinds = titles[ending]
    document, controller = scene.workbench.document, scene.workbench.controller
    data = document.data
    path = save_file(scene.window, title, f"{scene.library.session_name or 'session'}{ending}", kinds)
    if path is None or data is None:
        return
    # Copies: the panels' results change while the file is written.
    results = {id: replace(result) for id, result in controller.results.items()}
    scene.workbench.editor.write(WriteScriptJob(document.state, data, results, path), path)
