"""How well the diffusion map of each view keeps that view's neighbours, along its ε.

Lives on the document's thread and needs no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from psygnal import Signal

from mvexplorer.compute.batch.tuning import OwnScale, OwnScaleJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.analysis.choosing import HARDLY
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.tuning import BY_DEFAULT, judge_of
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.scoring import views_to_score

PART = 600
"""Samples on which a view is scored: a curve in a row need not be finer, and six views take a few seconds."""


class ViewScores:
    """Scores of views' own pictures at nine multiples of the median, computed for those that are looked at."""

    changed = Signal(str)
    """The scores of this view have come."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(controller, stopped=("It was stopped.", "It is scored again with another kernel."))
        self._answers.answered.connect(lambda view: self.changed.emit(str(view)))
        self._subsample: tuple[MultiView, MultiView] | None = None
        """The data, and the samples of it that are scored."""
        self._document.changed.connect(self._document_changed)

    def of(self, view: str) -> OwnScale | None:
        """The scores along a view's ε; None until they are known of its present kernel."""
        answer = self._answers.current(view, self._basis(view))
        return None if answer is None else answer.value

    def ask(self, view: str) -> None:
        """Score a view along its ε, where it has an ε and features, unless that is known."""
        data, state, basis = self._document.data, self._document.state, self._basis(view)
        if data is None or view not in views_to_score(state, data) or not self._answers.lacks(view, basis):
            return
        kernel = panel_kernel(state, None, view)
        if not kernel.kind.uses_epsilon:
            return
        part = self._scored(data)
        try:
            params = {"n_components": min(6, part.n_samples - 2)}
            request = Request(part, plan(get_method("single"), part, (view,), kernel, "median", params))
            judge = replace(judge_of(state, part, BY_DEFAULT), views=(view,), truth=(False, None))
        except MVExplorerError as error:  # there are too few samples
            self._answers.ask(Question(view, basis, error=error))
            return
        job = OwnScaleJob(request, judge)
        cost = job.cost(self._controller.scheduler.memory)
        self._answers.ask(Question(view, basis, job, f"{judge.title} of {view} along ε", cost, f"view-score:{view}"))

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            self._subsample = None

    def _scored(self, data: MultiView) -> MultiView:
        """The samples that are scored: all, or a random part."""
        if self._subsample is None or self._subsample[0] is not data:
            few = data if data.n_samples <= PART else data.take(random_rows(data.n_samples, PART, 0))
            self._subsample = data, few
        return self._subsample[1]

    def _basis(self, view: str) -> tuple[object, ...]:
        state = self._document.state
        settings = state.find_view(view)
        return self._document.data, "" if settings is None else panel_kernel(state, None, view).text


def scores_along(scale: OwnScale) -> tuple[Array, Array]:
    """Places in decades from the median (n,), and the scores there (n,); NaN where the picture is torn, or is none."""
    places = np.log10([one.place for one in scale.tried])
    values = np.array([one.score.value if one.admissible and one.score else np.nan for one in scale.tried])
    return places, values


@dataclass(frozen=True)
class GoodRange:
    """The places, in medians, at which a view's own picture is as good as at its best, and how good that is."""

    low: float
    high: float
    best: Score


def good_range(scale: OwnScale) -> GoodRange | None:
    """Find the places beside the best that are hardly worse; None where no picture is whole.

    A place tried stands for those nearer to it than to the next. Below the lowest nothing is known against any, since
    rules for curves lie there; above the highest pictures are linear, and nothing is known for any.
    """
    scores = {one.place: one.score for one in scale.tried if one.admissible and one.score is not None}
    if not scores:
        return None
    ordered = [one.place for one in scale.tried]
    place = max(scores, key=lambda place: scores[place].value)
    best, step = scores[place], (ordered[-1] / ordered[0]) ** (0.5 / max(1, len(ordered) - 1))
    least = best.value - max(HARDLY, best.spread or 0.0)
    # A smooth curve's eigenvalues exceed .999 as in pieces: such a place is never the best, but may be as good.
    good = [one.score is not None and one.score.value >= least for one in scale.tried]
    low = high = ordered.index(place)
    while low > 0 and good[low - 1]:
        low -= 1
    while high < len(ordered) - 1 and good[high + 1]:
        high += 1
    return GoodRange(ordered[low] / step if low else 0.0, ordered[high] * step, best)
