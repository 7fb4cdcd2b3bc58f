"""How much of each view's neighbourhoods each panel keeps, computed on request.

Lives on the document's thread; needs no labels.
"""

from __future__ import annotations

from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.neighbour_jobs import Kept, NeighbourhoodJob
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.engine.analysis.agreement import NEIGHBOURS
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller


class NeighbourTable:
    """The table of neighbourhoods kept, panel by view."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(controller)
        self._former: dict[tuple[str, str], Kept] = {}
        self.changed = self._answers.changed
        controller.panel_changed.connect(self._panel_changed)
        controller.document.changed.connect(self._document_changed)

    @property
    def running(self) -> int:
        """How many cells are being computed."""
        return len(self._answers.waiting)

    def of(self, panel: str, view: str) -> Kept | str | None:
        """Return how much of a view a panel's present picture keeps, a sentence if that failed, or None if unknown."""
        answer = self._answers.current((panel, view), (self._shown(panel),))
        return None if answer is None else answer.value if answer.error is None else str(answer.error)

    def former(self, panel: str, view: str) -> Kept | None:
        """Return how much of a view a former picture of the panel kept, where that is all that is known."""
        return self._former.get((panel, view))

    def ask(self) -> None:
        """Compute every cell that is lacking."""
        for panel in self._document.state.shown:
            for view in self._document.state.enabled:
                if (question := self._question(panel.id, view)) is not None:
                    self._answers.ask(question)
        self.changed.emit("")

    def stop(self) -> None:
        """Stop; keep the cells so far."""
        for key in self._answers.waiting:
            self._answers.stop(key)

    def _shown(self, panel: str) -> Result | None:
        """The picture on show, unless it is about to be another one."""
        data, shown = self._document.data, self._controller.result(panel)
        if data is None or shown.result is None or shown.status != "ready":
            return None
        return shown.result if len(shown.result.embedding.coordinates) == data.n_samples else None

    def _question(self, panel: str, view: str) -> Question | None:
        data, result = self._document.data, self._shown(panel)
        if data is None or result is None:
            return None
        Y, index, k = result.embedding.coordinates, data.view_index(view), min(NEIGHBOURS, (data.n_samples - 1) // 2)
        return Question(
            (panel, view),
            (result,),
            NeighbourhoodJob(Y, data, index, k),
            f"Neighbours in {view}",
            cost_of_neighbours(data.n_samples, data.width(index) + Y.shape[1], k),
            f"neighbours:{panel}:{view}",
        )

    def _document_changed(self, change: Change) -> None:
        if change.samples_changed:
            self._former.clear()

    def _panel_changed(self, panel: str) -> None:
        """Drop the answers about a former picture."""
        data, basis = self._document.data, (self._controller.result(panel).result,)
        keys = [(panel, view) for view in (() if data is None else data.view_names)]
        stale = [key for key in keys if self._answers.freshness(key, basis) == "stale"]
        for key in stale:
            answer = self._answers.of(key)
            if answer is not None and isinstance(answer.value, Kept):
                self._former[key] = answer.value  # the number alone: the former picture itself need not be kept
            self._answers.forget(key)
        if stale:
            self.changed.emit("")
