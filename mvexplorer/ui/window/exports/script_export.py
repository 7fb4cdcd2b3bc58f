"""The session as Python: a script or a notebook."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.export.script.session import write_session_code
from mvexplorer.ui.widgets.saving import FileQuestion, save_as
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene


def _ask(title: str, ending: str, kinds: str, scene: Scene) -> None:
    """Ask for a file and write the Python there that makes the window's content; the ending decides the kind."""
    document, controller = scene.workbench.document, scene.workbench.controller
    data = document.data
    if data is None:
        return

    # Copies: the panels' results change while the file is written.
    results = {id: replace(result) for id, result in controller.results.items()}
    question = FileQuestion(title, f"{scene.library.session_name or 'session'}{ending}", kinds)
    save_as(scene.window, scene.workbench.editor, question, partial(write_session_code, document.state, data, results))


def _into(finished: ComputedPanels, folder: Path, _how: Tables) -> list[Path]:
    """The Python that makes the same arrays."""
    write_session_code(finished.state, finished.data, finished.results, path := folder / "session.py")
    return [path]


SCRIPT = Exporter(
    "script",
    "Python script",
    partial(_ask, "Export Python script", ".py", "Python (*.py)"),
    "python code reproduce numpy save",
    _into,
)
NOTEBOOK = Exporter(
    "notebook",
    "Notebook",
    partial(_ask, "Export notebook", ".ipynb", "Notebooks (*.ipynb)"),
    "jupyter python code ipynb reproduce",
)
