"""Each panel at its own factor on every ε, the best by a score: what was chosen, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mvexplorer.compute.batch.tuning import Judge, OwnScale, OwnScaleJob, score_text
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.scoring import ON_ALL, SCORES, shown
from mvexplorer.wording import fraction, short_factor


@dataclass(frozen=True, eq=False)
class OwnEpsilon:
    """One panel's own factor, and what has chosen it."""

    judge: Judge
    scale: OwnScale

    def scores(self, scores: Scores | None, chosen_by: Score | None) -> dict[str, Score]:
        """All scores of a picture, with that which has chosen."""
        each = {} if scores is None else scores.each()
        return each if chosen_by is None else {**each, self.judge.score: chosen_by}

    @property
    def sentence(self) -> str:
        """Why the panel has this factor, in a sentence."""
        scale, title = self.scale, self.judge.title
        was, now = score_text(scale.shared), score_text(scale.own, scale.spread)
        if scale.why == "nowhere":
            return "It stays at the shared ε: at every factor tried the graph is in pieces, or there is no picture."
        if scale.why == "within":
            if scale.spread is None:
                return f"It stays at the shared ε: the spread of its {title} is not known ({was})."
            return f"It stays at the shared ε, as good as the best tried ({title} {now}): no need to move."
        at = f"At its own ε, × {short_factor(scale.factor)} {self.judge.basis}"
        if scale.why == "gain":
            return f"{at}: {was} at the shared ε, {now} here.{self._others}"
        if scale.shared is None:
            return f"{at}: there is no picture at the shared ε, {score_text(scale.own)} here."
        torn = "an eigenvalue exceeds .999 as in a graph in pieces"
        return f"{at}: {was} at the shared ε, where {torn}, {score_text(scale.own)} here.{self._others}"

    @property
    def short(self) -> str:
        """The first two scores at the shared ε, for a footer; empty where the panel has no other ε."""
        if self.scale.factor == 1.0:
            return ""
        each = {} if self.scale.scores is None else self.scale.scores.each()
        said = [f"{SCORES[id].symbol} {fraction(score.value)}" for id, score in each.items() if id in ON_ALL][:2]
        if not said and self.scale.shared is not None:
            said = [f"{SCORES[self.judge.score].symbol} {fraction(self.scale.shared.value)}"]
        return f"shared ε: {', '.join(said)}" if said else ""

    @property
    def _others(self) -> str:
        """The other scores at the shared ε."""
        shared = self.scale.scores or Scores()
        each = shared.each()
        variable = "" if shared.hidden is None else shared.hidden.variable
        told = {id: shown(id, score) for id, score in each.items() if id in ON_ALL and id != self.judge.score}
        said = [f"{SCORES[id].of(variable).short} {score_text(one, one.spread)}" for id, one in told.items()]
        return f" At the shared ε, {', '.join(said)}." if said else ""

    def as_check(self) -> dict[str, Any]:
        """The finding as plain data, for captions and what is written beside pictures."""
        scale = self.scale
        return {
            "words": self.sentence,
            "short": self.short,
            "score": self.judge.score,
            "factor": scale.factor,
            "shared": None if scale.shared is None else scale.shared.value,
            "own": None if scale.own is None else scale.own.value,
            "spread": scale.spread,
            "tried": [[one.place, None if one.score is None else one.score.value, one.torn] for one in scale.tried],
        }


def own_epsilons(
    state: DocumentState, data: MultiView, judge: Judge, task: Task
) -> tuple[dict[str, OwnEpsilon], dict[str, str]]:
    """Choose the own factor of each panel that has an ε, by id, and why some have none; for work without a window."""
    cache, found, problems = StageCache(), dict[str, OwnEpsilon](), dict[str, str]()
    asked = {panel.id: request for panel in state.panels if (request := own_request(state, data, panel)) is not None}
    for id, request in asked.items():
        try:
            found[id] = OwnEpsilon(judge, OwnScaleJob(request, judge).run(cache, task))
        except MVExplorerError as error:
            problems[id] = str(error)
    return found, problems


def own_request(state: DocumentState, data: MultiView | None, panel: PanelState) -> Request | None:
    """Return the request of a panel at the shared ε; None where it has none."""
    try:
        request = request_of(state, data, panel.model_copy(update={"epsilon_scale": 1.0}))
    except MVExplorerError:
        return None
    return request if request.varies_with_epsilon else None


def with_own_scales(state: DocumentState, own: Mapping[str, OwnEpsilon]) -> DocumentState:
    """The state with each panel at its own factor."""
    for id, one in own.items():
        state = state.with_panel(id, epsilon_scale=one.scale.factor)
    return state
