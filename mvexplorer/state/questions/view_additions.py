"""The additions of each view to a panel's picture, computed on request; kept and marked once the panel has another.

Lives on the document's thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.view_jobs import CorrelationsJob, LeftOut, WithoutViewJob
from mvexplorer.engine.analysis.agreement import NEIGHBOURS
from mvexplorer.engine.methods import get_method
from mvexplorer.state.pictures.scoring import truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.compute.jobs.runner import Result, Scores
    from mvexplorer.compute.run.scheduler import Job, Outcome
    from mvexplorer.engine.analysis.components import ComponentCorrelations
    from mvexplorer.engine.api.cost import Estimate
    from mvexplorer.state.document.document import Change
    from mvexplorer.state.pictures.controller import Controller

COMPONENTS = ""
"""Stands among the views for the correlations of the components."""


@dataclass(frozen=True, eq=False)
class Additions:
    """The answers about one panel's views.

    They are about the picture `result`, None where nothing was asked; `views` and `scores` are those of this picture.
    `without` has the pictures without a view by that view, as far as they have come. `problems` says by view why one
    cannot be computed, and `waiting` names those still to come; the correlations stand there under `COMPONENTS`. Once
    `outdated`, the panel shows another picture.
    """

    result: Result | None = None
    views: tuple[str, ...] = ()
    scores: Scores | None = None
    without: Mapping[str, LeftOut] = field(default_factory=dict)
    correlations: ComponentCorrelations | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    outdated: bool = False

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return bool(self.waiting)


NOTHING = Additions()


class ViewAdditions:
    """Leaves each view of a panel out in turn, and finds what its components go along with."""

    changed = Signal(str)
    """The panel of which more is known, or no longer."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._found: dict[str, Additions] = {}
        controller.panel_changed.connect(self._panel_changed)
        controller.cancelled.connect(self._stopped)
        self._document.changed.connect(self._document_changed)

    def of(self, panel: str) -> Additions:
        """Return the answers about a panel's views."""
        return self._found.get(panel, NOTHING)

    def obstacle(self, panel: str) -> str:
        """Why nothing can be asked of a panel now; empty where it can."""
        state, shown = self._document.state.find_panel(panel), self._controller.result(panel)
        if state is None:
            return "Click a panel of several views to see what each of them adds."
        if shown.error is not None and shown.status == "failed":
            return f"This panel has no picture. {shown.error}"
        if shown.result is None or shown.status == "computing" or shown.from_file:
            return "The picture of this panel is still being computed."
        method = get_method(state.method)
        if method.shows_given or len(shown.result.embedding.views) < 2:
            return f"{method.title} shows one view. Click a panel of several views to see what each of them adds."
        return ""

    def ask(self, panel: str) -> None:
        """Leave out each view of a panel in turn, and find what its components go along with."""
        data, result = self._document.data, self._controller.result(panel).result
        if data is None or result is None or self.obstacle(panel):
            return
        state, embedding = self._document.state, result.embedding
        labels, hidden = truth(state, data)
        k = min(NEIGHBOURS, data.n_samples - 1)
        views = embedding.views
        scores = self._controller.result(panel).scores
        self._found[panel] = Additions(result, views, scores, waiting=frozenset((*views, COMPONENTS)))
        for view in views:
            job = WithoutViewJob(result.request, embedding, view, labels, hidden, k)
            self._submit(panel, view, job, f"Picture without {view}", result.request.plan.cost(self._memory))
        cost = cost_of_neighbours(data.n_samples, embedding.coordinates.shape[1], k)
        self._submit(
            panel, COMPONENTS, CorrelationsJob(result.request, embedding), "What components go along with", cost
        )
        self.changed.emit(panel)

    def stop(self, panel: str) -> None:
        """Stop what is still to come; keep what has come."""
        for what in self.of(panel).waiting:
            self._controller.cancel(_slot(panel, what))

    @property
    def _memory(self) -> float:
        return self._controller.background.memory

    def _submit(self, panel: str, what: str, job: Job, title: str, cost: Estimate) -> None:
        result = self._found[panel].result

        def arrived(outcome: Outcome) -> None:
            additions = self.of(panel)
            if additions.result is result:
                self._take(panel, additions, what, outcome.value, None if outcome.error is None else str(outcome.error))

        self._controller.background.submit(_slot(panel, what), job, arrived, title=title, cost=cost)

    def _take(self, panel: str, additions: Additions, what: str, value: Any, problem: str | None) -> None:
        left = additions.waiting - {what}
        if problem is not None:
            additions = replace(additions, waiting=left, problems={**additions.problems, what: problem})
        elif what == COMPONENTS:
            additions = replace(additions, waiting=left, correlations=value)
        else:
            additions = replace(additions, waiting=left, without={**additions.without, what: value})
        self._found[panel] = additions
        self.changed.emit(panel)

    def _panel_changed(self, panel: str) -> None:
        additions, now = self.of(panel), self._controller.result(panel)
        if additions.result is None:
            return
        scores = now.scores if now.result is additions.result else additions.scores
        outdated = now.result is not additions.result or now.stale
        if outdated != additions.outdated or scores is not additions.scores:
            self._found[panel] = replace(additions, outdated=outdated, scores=scores)
            self.changed.emit(panel)

    def _stopped(self, slot: str) -> None:
        kind, _, rest = slot.partition(":")
        panel, _, what = rest.partition(":")
        if kind == SLOT and what in self.of(panel).waiting:
            self._take(panel, self.of(panel), what, None, "Stopped.")

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            former, self._found = self._found, {}
            for panel in former:
                self.changed.emit(panel)


SLOT = "addition"


def _slot(panel: str, what: str) -> str:
    return f"{SLOT}:{panel}:{what}"
