"""How much of each view's neighbourhoods each panel keeps, computed on request, dropped when its picture changes.

Lives on the document's thread; needs no labels.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.neighbour_jobs import Kept, NeighbourhoodJob
from mvexplorer.engine.analysis.agreement import NEIGHBOURS

if TYPE_CHECKING:
    from mvexplorer.compute.jobs.runner import Result
    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.state.pictures.controller import Controller

SLOT = "neighbours:"


class NeighbourTable:
    """The table of neighbourhoods kept, panel by view."""

    changed = Signal()

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._known: dict[tuple[str, str], tuple[Result, Kept | str]] = {}
        self._pending: dict[tuple[str, str], Result] = {}
        controller.panel_changed.connect(self._panel_changed)
        controller.cancelled.connect(self._cancelled)

    @property
    def running(self) -> int:
        """How many cells are being computed."""
        return len(self._pending)

    def of(self, panel: str, view: str) -> Kept | str | None:
        """Return how much of a view a panel's present picture keeps, a sentence if that failed, or None if unknown."""
        answer = self._known.get((panel, view))
        return answer[1] if answer is not None and answer[0] is self._result(panel) else None

    def ask(self) -> None:
        """Compute every cell that is lacking."""
        document = self._controller.document
        for panel in document.state.shown:
            result = self._result(panel.id)
            for view in document.state.enabled if result is not None else ():
                key = panel.id, view
                if self.of(*key) is None and self._pending.get(key) is not result and result is not None:
                    self._submit(key, result)
        self.changed.emit()

    def stop(self) -> None:
        """Stop; keep the cells so far."""
        pending, self._pending = list(self._pending), {}
        for panel, view in pending:
            self._controller.background.cancel(f"{SLOT}{panel}:{view}")
        self.changed.emit()

    def _result(self, panel: str) -> Result | None:
        """The picture on show, unless it is about to be another one."""
        data, shown = self._controller.document.data, self._controller.result(panel)
        if data is None or shown.result is None or shown.status != "ready":
            return None
        return shown.result if len(shown.result.embedding.coordinates) == data.n_samples else None

    def _submit(self, key: tuple[str, str], result: Result) -> None:
        panel, view = key
        data, Y = self._controller.document.data, result.embedding.coordinates
        assert data is not None
        index, k = data.view_index(view), min(NEIGHBOURS, (data.n_samples - 1) // 2)
        self._pending[key] = result
        self._controller.background.submit(
            f"{SLOT}{panel}:{view}",
            NeighbourhoodJob(Y, data, index, k),
            partial(self._arrived, key, result),
            title=f"Neighbours in {view}",
            cost=cost_of_neighbours(data.n_samples, data.width(index) + Y.shape[1], k),
        )

    def _arrived(self, key: tuple[str, str], result: Result, outcome: Outcome) -> None:
        if self._pending.get(key) is result:
            del self._pending[key]
        self._known[key] = result, outcome.value if outcome.error is None else str(outcome.error)
        self.changed.emit()

    def _panel_changed(self, panel: str) -> None:
        """Drop the answers about a former picture."""
        present = self._controller.result(panel).result
        stale = [key for key, (result, _) in self._known.items() if key[0] == panel and result is not present]
        for key in stale:
            del self._known[key]
        if stale:
            self.changed.emit()

    def _cancelled(self, slot: str) -> None:
        if slot.startswith(SLOT):
            panel, _, view = slot.removeprefix(SLOT).partition(":")
            self._pending.pop((panel, view), None)
            self.changed.emit()
