"""The actions on selections beside the list on the right: menu entries, dialogs, a window of their own."""

from __future__ import annotations

from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.bench.remote_window import RemoteWindow, show
from mvexplorer.state.session.part import TakePartJob, check_selected, part_words
from mvexplorer.ui.widgets.action_table import Act
from mvexplorer.ui.window.contents import ContentsDialog
from mvexplorer.wording import counted

if TYPE_CHECKING:
    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.ui.window.behaviour import WindowBehaviour

OPENED: list[RemoteWindow] = []
"""Windows of parts: who holds a process hears when it ends."""


def selection_acts(b: WindowBehaviour) -> list[Act]:
    """The entries of the menu Edit, and of Ctrl+K."""
    box = b.docks.points.selections
    box.part_wanted.connect(partial(embed_only, b))
    box.contents_wanted.connect(partial(show_contents, b))

    def some() -> bool:
        return b.has_data() and bool(b.document.state.selection)

    def named() -> bool:
        return b.has_data() and bool(b.document.state.selections.named)

    return [
        Act("Edit", "Keep selection", "Ctrl+G", box.keep_and_name, enabled=some,
            words="name save remember group set selection"),
        Act("Edit", "What is selected …", "", partial(show_contents, b, ""), enabled=some,
            words="table contents samples classes features effect export csv"),
        Act("Edit", "Colour by selections", "", partial(b.editor.colour_by, "selections"), enabled=named,
            words="color named groups sets"),
        Act("Edit", "Embed only the selection …", "", partial(embed_only, b, ""), enabled=some,
            words="subset part recompute re-embed window zoom"),
    ]  # fmt: skip


def show_contents(b: WindowBehaviour, name: str) -> None:
    """Show what is in a selection; a named one is selected first."""
    if name:
        b.editor.pick_selection(name)
    ContentsDialog(b).show()


def embed_only(b: WindowBehaviour, name: str) -> None:
    """Open the samples of a named selection (empty: the present one) in a window of their own."""
    b.editor.attempt(partial(_embed_only, b, name))


def _embed_only(b: WindowBehaviour, name: str) -> None:
    state, data = b.document.state, b.document.data
    named = state.selections.find(name)
    if data is None:
        return
    rows, origin = (named.samples, named.origin or name) if named else (state.selection, state.selections.origin)
    check_selected(rows, data)
    words = part_words(rows, data, b.library.data_title, origin)

    def taken(outcome: Outcome) -> None:
        if outcome.error is not None:
            b.editor.failed.emit(outcome.error)
        else:
            Thread(target=_show, args=(b, *outcome.value), name="window of a part", daemon=True).start()

    job = TakePartJob(state, data, tuple(rows), words)
    b.workbench.controller.background.submit("part", job, taken, title=f"Taking out {counted(len(rows), 'sample')}")


def _show(b: WindowBehaviour, part: MultiView, session: dict[str, Any]) -> None:
    """Start a process with the window, and wait until it is there; runs on a thread of its own."""
    try:
        OPENED.append(show(part, session=session))
    except MVExplorerError as error:
        problem = error  # the name of a caught error is gone after it
        b.workbench.post(lambda: b.editor.failed.emit(problem))
