"""How the window shows a state: what a snapshot keeps beside the document, and its way back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection
from functools import partial

from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.snapshots import LARGEST_PICTURE, Staging
from mvexplorer.ui.pages.snapshots.snapshot_list import SIDES
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.start.work_picture import work_picture
from mvexplorer.wording import counted


class StagingOnShow:
    """Takes cameras, place, maximised panel, scores and picture from the window, and puts the first three back.

    `when_shown` calls something once the present data is on screen.
    """

    def __init__(
        self,
        workbench: Workbench,
        library: Library,
        docks: WindowLayout,
        when_shown: Callable[[Callable[[], None]], None],
    ) -> None:
        self._controller, self._walk = workbench.controller, workbench.walk
        self._docks, self._when_shown = docks, when_shown
        self._walk.staging = self.take
        self._walk.changed.connect(self._show_place)
        library.returned.connect(self.restore)

    def take(self) -> Staging:
        """Take them as they are now."""
        grid, place = self._docks.grid, self._docks.bottom.open_page
        results = {id: self._controller.result(id) for id in grid.panels}
        waits = {id for id, result in results.items() if result.status != "ready"}
        scores = {
            id: ", ".join(words for words, _, _ in score_texts(result.scores).values())
            for id, result in results.items()
            if id not in waits and result.scores is not None
        }
        return Staging(
            cameras=grid.rotations(),
            place=place,
            maximised=grid.maximised or "",
            scores=scores,
            picture=small_picture(grid, waits),
        )

    def restore(self, staging: Staging) -> None:
        """Turn the cameras, open the page and show one panel alone or all, as they were."""
        self._when_shown(partial(self._docks.grid.turn_cameras, staging.cameras))
        self._when_shown(partial(self._docks.grid.show_alone, staging.maximised))
        self._docks.bottom.return_to(staging.place)

    def _show_place(self) -> None:
        """Tell in a presentation at which snapshot it stands."""
        walk, n = self._walk, len(self._walk.names)
        words = f"{walk.at}  {walk.place + 1}/{n}" if walk.place >= 0 else counted(n, "snapshot")
        self._docks.strip.show_snapshot(words if n else "")


def small_picture(grid: PanelGrid, waits: Collection[str] = frozenset()) -> str:
    """The panels in small as the text of a PNG; nothing where they show nothing.

    Those that wait for their picture show that of an earlier state: they are left empty.
    """
    for sides in (SIDES, SIDES / 2):  # half as high and wide, any picture is small enough
        picture = work_picture(grid, sides, waits)
        text = "" if picture is None else b64encode(picture.png()).decode()
        if len(text) <= LARGEST_PICTURE:
            return text
    return ""
