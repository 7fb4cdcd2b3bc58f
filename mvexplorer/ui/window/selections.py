"""Selections: words about them while the right side is folded, what is in one, and its samples in another window."""

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
from mvexplorer.state.document.document import Change
from mvexplorer.state.session.part import TakePartJob, check_selected, part_words
from mvexplorer.ui.widgets.banner import Action, Banners
from mvexplorer.ui.window.contents import ContentsDialog
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.wording import counted, line

OPENED: list[RemoteWindow] = []
"""Windows of parts: who holds a process hears when it ends."""


SELECTION = "selection"
"""The cause of messages about what is selected, or was saved of it."""


class SelectionOnShow:
    """Says in the line of messages what the right side shows of a selection, while that is folded."""

    def __init__(self, workbench: Workbench, docks: WindowLayout, banners: Banners) -> None:
        self._document, self._docks, self._banners = workbench.document, docks, banners
        workbench.document.changed.connect(self._follow)
        workbench.editor.kept.connect(self._tell_kept)
        docks.arranged.connect(self._unfolded)

    def _unfolded(self) -> None:
        if not self._docks.points_folded:
            self._banners.withdraw(SELECTION)

    def _follow(self, change: Change) -> None:
        before, after = change.before, change.after
        others = before.selection != after.selection or before.selections.names != after.selections.names
        if others and not change.samples_changed:  # with other samples all messages go
            self._banners.withdraw(SELECTION)
            self._tell_selected()

    def _tell_selected(self) -> None:
        chosen, data, box = len(self._document.state.selection), self._document.data, self._docks.points.selections
        if chosen and data is not None and self._docks.points_folded:
            describe = "Describe", lambda: box.contents_wanted.emit("", "")
            self._show(
                f"{chosen:,} of {counted(data.n_samples, 'sample')} selected.", describe, ("Save", box.keep_and_name)
            )

    def _tell_kept(self, names: tuple[str, ...]) -> None:
        """Say under which names samples were saved, unless that is seen where one is typed."""
        saved = [each for each in self._document.state.selections.named if each.name in names]
        folded = self._docks.points_folded
        if len(saved) == 1 and folded:
            samples, name = counted(len(saved[0].samples), "sample"), saved[0].name
            self._show(f"Saved {samples} as “{line(name)}”.", ("Rename", partial(self._rename, name)))
        elif len(saved) > 1:
            shows = [("Show", self._docks.unfold_points)] if folded else []
            self._show(f"Saved {len(saved):,} selections: {line(saved[0].origin)}.", *shows)

    def _rename(self, name: str) -> None:
        """Have another name typed in the list on the right side."""
        self._docks.unfold_points()
        names = self._document.state.selections.names
        if name in names:
            self._docks.points.selections.list.begin_rename(names.index(name))

    def _show(self, text: str, *actions: Action) -> None:
        self._banners.show_message("info", text, more=actions, first=True, cause=SELECTION)


def show_contents(
    workbench: Workbench, show_sample: Callable[[int], None], parent: QWidget, name: str = "", against: str = ""
) -> None:
    """Show what is in a selection, against another one where that is named; a named one is selected first."""
    if name:
        workbench.editor.pick_selection(name)
    if against:
        workbench.separator.compare_with(against)
    open_already = (each for each in parent.findChildren(ContentsDialog) if each.isVisible())
    dialog = next(open_already, None) or ContentsDialog(workbench, show_sample, parent)
    dialog.show()
    dialog.activateWindow()


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
