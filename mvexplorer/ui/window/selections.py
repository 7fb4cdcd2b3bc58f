"""The contents of a selection in a dialog, and its samples in a window of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

from PySide6.QtWidgets import QWidget

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.remote_window import RemoteWindow, show
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.part import TakePartJob, check_selected, part_words
from mvexplorer.ui.window.contents import ContentsDialog
from mvexplorer.wording import counted

OPENED: list[RemoteWindow] = []
"""Windows of parts: who holds a process hears when it ends."""


def show_contents(workbench: Workbench, show_sample: Callable[[int], None], parent: QWidget, name: str = "") -> None:
    """Show what is in a selection; a named one is selected first."""
    if name:
        workbench.editor.pick_selection(name)
    ContentsDialog(workbench, show_sample, parent).show()


def embed_only(workbench: Workbench, library: Library, name: str = "") -> None:
    """Open the samples of a named selection (empty: the present one) in a window of their own."""
    workbench.editor.attempt(partial(_embed_only, workbench, library.data_title, name))


def _embed_only(workbench: Workbench, data_title: str, name: str) -> None:
    state, data = workbench.document.state, workbench.document.data
    named = state.selections.find(name)
    if data is None:
        return
    rows, origin = (named.samples, named.origin or name) if named else (state.selection, state.selections.origin)
    check_selected(rows, data)
    words = part_words(rows, data, data_title, origin)

    def taken(outcome: Outcome) -> None:
        if outcome.error is not None:
            workbench.editor.failed.emit(outcome.error)
        else:
            Thread(target=_show, args=(workbench, *outcome.value), name="window of a part", daemon=True).start()

    job = TakePartJob(state, data, tuple(rows), words)
    title = f"Taking out {counted(len(rows), 'sample')}"
    workbench.controller.background.submit("part", job, taken, title=title)


def _show(workbench: Workbench, part: MultiView, session: dict[str, Any]) -> None:
    """Start a process with the window, and wait until it is there; runs on a thread of its own."""
    try:
        OPENED.append(show(part, session=session))
    except MVExplorerError as error:
        problem = error  # the name of a caught error is gone after it
        workbench.post(lambda: workbench.editor.failed.emit(problem))
