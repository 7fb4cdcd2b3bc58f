"""The additions of each view to a panel's picture, computed on request; kept and marked once the panel has another.

Lives on the document's thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from psygnal import Signal

from mvexplorer.compute.jobs.common_job import CommutatorsJob
from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.runner import Result, Scores
from mvexplorer.compute.jobs.view_jobs import CorrelationsJob, LeftOut, WithoutViewJob
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.agreement import NEIGHBOURS
from mvexplorer.engine.analysis.components import ComponentCorrelations
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.methods import get_method
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.scoring import truth

COMPONENTS = ""
"""Stands among the views for the correlations of the components."""
COMMUTATORS = "\0"
"""Stands there for how far every two views' walks are from commuting."""
ASKED = None
"""Stands among the views for what was asked: the views of the picture."""


@dataclass(frozen=True, eq=False)
class Additions:
    """The answers about one panel's views.

    They are about the picture `result`, None where nothing was asked; `views` and `scores` are those of this picture.
    `without` has the pictures without a view by that view, as far as they have come. `problems` says by view why one
    cannot be computed, and `waiting` names those still to come; the correlations stand there under `COMPONENTS`, and
    `commutators` (L, L) under `COMMUTATORS`; `commutator_problem` says why there are none, such as samples without
    neighbours: all else there is tells nothing less. Once `outdated`, the panel shows another picture.
    """

    result: Result | None = None
    views: tuple[str, ...] = ()
    scores: Scores | None = None
    without: Mapping[str, LeftOut] = field(default_factory=dict)
    correlations: ComponentCorrelations | None = None
    commutators: Array | None = None
    commutator_problem: str = ""
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
        self._answers = Answers(controller, stopped=("Stopped.", ""))
        self._told: dict[str, tuple[bool, Scores | None]] = {}
        """Whether the answers about a panel are outdated, and the scores of their picture."""
        self._answers.changed.connect(lambda key: self.changed.emit(key[0]))
        controller.panel_changed.connect(self._panel_changed)
        self._document.changed.connect(self._document_changed)

    def of(self, panel: str) -> Additions:
        """Return the answers about a panel's views."""
        asked = self._answers.of((panel, ASKED))
        if asked is None:
            return NOTHING
        outdated, scores = self._told[panel]
        answers = {what: self._answers.of((panel, what)) for what in (*asked.value, COMPONENTS, COMMUTATORS)}
        come = {what: answer for what, answer in answers.items() if answer is not None}
        values = {what: answer.value for what, answer in come.items() if answer.error is None}
        correlations, commutators = values.pop(COMPONENTS, None), values.pop(COMMUTATORS, None)
        problems = {what: str(answer.error) for what, answer in come.items() if answer.error is not None}
        problem = problems.pop(COMMUTATORS, "")
        waiting = frozenset(what for what in answers if self._answers.waits((panel, what)))
        found = asked.basis[0], asked.value, scores, values, correlations, commutators, problem
        return Additions(*found, problems, waiting, outdated)

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
        self._told[panel] = False, self._controller.result(panel).scores
        for what in (ASKED, *views, COMPONENTS, COMMUTATORS):
            self._answers.forget((panel, what))
        self._answers.ask(Question((panel, ASKED), (result,), make=lambda _: views))
        cost = result.request.plan.cost(self._controller.background.memory)
        for view in views:
            job: Job = WithoutViewJob(result.request, embedding, view, labels, hidden, k)
            self._answers.ask(_question(panel, view, result, job, f"Picture without {view}", cost))
        cost = cost_of_neighbours(data.n_samples, embedding.coordinates.shape[1], k)
        job = CorrelationsJob(result.request, embedding)
        self._answers.ask(_question(panel, COMPONENTS, result, job, "Component correlations", cost))
        apart, cost = CommutatorsJob(result.request), result.request.plan.cost(self._controller.background.memory)
        self._answers.ask(_question(panel, COMMUTATORS, result, apart, "Commutators of the views", cost))
        self.changed.emit(panel)

    def stop(self, panel: str) -> None:
        """Stop what is still to come; keep what has come."""
        for what in self.of(panel).waiting:
            self._answers.stop((panel, what))

    def _panel_changed(self, panel: str) -> None:
        asked, now = self._answers.of((panel, ASKED)), self._controller.result(panel)
        if asked is None:
            return
        same = now.result is asked.basis[0]
        told = (not same or now.stale), now.scores if same else self._told[panel][1]
        if told[0] != self._told[panel][0] or told[1] is not self._told[panel][1]:
            self._told[panel] = told
            self.changed.emit(panel)

    def _document_changed(self, change: Change) -> None:
        if change.kept_in is not None:
            change.kept_in[self] = self._told
        if change.data_changed:
            brought = {} if change.brought is None else change.brought.get(self, {})
            former, self._told = self._told, {panel: each for panel, each in brought.items() if self._whole(panel)}
            if change.brought is None:
                self._answers.clear()
            for panel in brought.keys() - self._told.keys():
                self._answers.forget((panel, ASKED))
            for panel in [*self._told]:
                self._panel_changed(panel)  # what was kept was told of the picture that came in its place
            for panel in {**former, **self._told}:
                self.changed.emit(panel)

    def _whole(self, panel: str) -> bool:
        """Whether all answers about a panel are there: a part of them would pass for all."""
        first = self._answers.of((panel, ASKED))
        return first is not None and all(self._answers.of((panel, what)) for what in (*first.value, COMPONENTS))


def _question(panel: str, what: str, result: Result, job: Job, title: str, cost: Estimate) -> Question:
    return Question((panel, what), (result,), job, title, cost, f"addition:{panel}:{what}")
