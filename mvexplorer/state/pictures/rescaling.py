"""Every ε multiplied for the sake of one panel: how trustworthy its picture was before, and how it is then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.jobs import ScoreJob, Unlabelled
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Scores, bare
from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.pipeline.stages import JOINT_EPSILON
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document import commands
from mvexplorer.state.document.commands import SCALE_RANGE
from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.document.titles import numbered_title
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.scoring import views_to_score
from mvexplorer.wording import fraction


@dataclass(eq=False)
class _Asked:
    """A panel whose ε was multiplied: what it asks for since then, its former picture, and the scores so far."""

    panel: str
    title: str
    factor: float
    scale: float
    request: Request
    before: Embedding
    submitted: bool = False
    scores: dict[str, Scores] = field(default_factory=dict)


class Rescaling:
    """Multiplies every ε, and will `tell` a panel's trustworthiness before and after, in a sentence.

    Lives on the document's thread.
    """

    def __init__(self, document: Document, controller: Controller, tell: Callable[[str], object]) -> None:
        self._document, self._controller, self._tell = document, controller, tell
        self._asked: _Asked | None = None
        controller.panel_changed.connect(self._panel_changed)
        document.changed.connect(self._document_changed)

    def helps(self, panel: str, factor: float) -> bool:
        """Whether a factor on every ε gives a panel another picture."""
        state, data = self._document.state, self._document.data
        shown, scale = state.find_panel(panel), state.epsilon_scale * factor
        if shown is None or data is None or not SCALE_RANGE[0] <= scale <= SCALE_RANGE[1]:
            return False
        if self._controller.result(panel).status != "ready" or Unlabelled.of(data, views_to_score(state, data)) is None:
            return False
        try:
            there = state.model_copy(update={"epsilon_scale": scale})
            asked = request_of(there, data, shown)
            given = asked.plan.params.get(JOINT_EPSILON) is not None  # in place of those that are multiplied
            return asked != self._controller.request_for(shown) and not given
        except MVExplorerError:
            return False

    def multiply(self, panel: str, factor: float) -> None:
        """Multiply every linked ε; once the panel has its new picture, both are scored."""
        shown, former = self._document.state.find_panel(panel), self._controller.result(panel).result
        commands.set_scale(self._document, self._document.state.epsilon_scale * factor)
        self._document.end_merge()
        self._asked = None
        if shown is None or former is None:
            return
        title, request = numbered_title(self._document.state, shown), self._controller.request_for(shown)
        self._asked = _Asked(panel, title, factor, self._document.state.epsilon_scale, request, bare(former.embedding))
        self._panel_changed(panel)

    def _document_changed(self, change: Change) -> None:
        if (self._asked is not None and change.after.epsilon_scale != self._asked.scale) or change.data_changed:
            self._asked = None  # something else is asked for, or it was undone

    def _panel_changed(self, panel: str) -> None:
        asked = self._asked
        if asked is None or panel != asked.panel:
            return
        result, data = self._controller.result(panel), self._document.data
        if result.request is not None and result.request != asked.request:
            self._asked = None  # something else is asked for meanwhile
            return
        if result.status == "failed":
            self._asked = None
            self._tell(f"All ε scaled by {asked.factor:.3g}: {asked.title} has no picture there. {result.error}")
            return
        if asked.submitted:
            return
        if result.status != "ready" or result.result is None or data is None:
            return
        asked.submitted = True
        views = Unlabelled.of(data, views_to_score(self._document.state, data))
        for name, picture in (("before", asked.before), ("now", bare(result.result.embedding))):
            job, cost = ScoreJob(picture, None, None, views), cost_of_scores(*picture.coordinates.shape)

            def arrived(outcome: Outcome, name: str = name) -> None:
                self._arrived(asked, name, outcome)

            self._controller.background.submit(f"rescaled:{name}", job, arrived, title="Scores", cost=cost)

    def _arrived(self, asked: _Asked, name: str, outcome: Outcome) -> None:
        if asked is not self._asked:
            return
        if outcome.error is not None:
            self._asked = None
            self._tell(f"All ε scaled by {asked.factor:.3g}: {asked.title} cannot be scored. {outcome.error}")
            return
        asked.scores[name] = outcome.value
        each = [asked.scores[when].free for when in ("before", "now") if when in asked.scores]
        told = [fraction(free.trustworthiness.value) for free in each if free is not None]
        if len(told) == 2:  # before and after
            self._asked = None
            title = f"All ε scaled by {asked.factor:.3g}: the trustworthiness of {asked.title}"
            self._tell(f"{title} changed from {told[0]} to {told[1]}.")
