"""The bars of lessons: one number, or one word, of the pictures as they are now. None of them is an exact ε."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.runner import Hidden, bare
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine import hidden_scores, metrics
from mvexplorer.engine.analysis.agreement import NEIGHBOURS, agreement
from mvexplorer.engine.analysis.label_free import label_free
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.api.regimes import regimes
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.table import Bandwidth, parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.places import of_placed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError
from mvexplorer.state.document.model import DocumentState, panel_kernel
from mvexplorer.state.pictures.answers import Question
from mvexplorer.state.pictures.scoring import drawn_by, truth
from mvexplorer.teaching.acts import panel_named
from mvexplorer.teaching.lesson import BarId, Check

BAR = "lesson-bar"
"""The key and the slot of the job that measures one."""
Value = float | str | None
"""A number, the word of a regime, or None where there is none yet."""


@dataclass(frozen=True)
class BarWords:
    """A bar's name and meaning, and the ends between which it is drawn; a regime has none."""

    title: str
    meaning: str
    low: float = 0.0
    high: float = 1.0


WORDS: Mapping[BarId, BarWords] = {
    "largest_gap": BarWords(
        "largest gap", "The widest angle without samples in the ring as drawn, in radians", high=2.0 * np.pi
    ),
    "order": BarWords("order", "How far the samples are drawn in the order of the colour: 1 in order, 0 at random"),
    "r2": BarWords("R²", "How well a sample's ten nearest predict its colour: 1 exactly, 0 no better than the mean"),
    "nmi": BarWords("NMI", "How far k-means clusters are the classes: 1 the same, 0 unrelated"),
    "pieces": BarWords("pieces", "The pieces that no step leaves: the eigenvalues of 1, to four digits", high=12.0),
    "regime": BarWords("regime", "What ε does to a view: isolated, local, wide or flat"),
    "p": BarWords("p", "The share of shuffled pictures that score as high as the real one, itself among them"),
    "agreement": BarWords("agreement", "The share of a sample's 15 nearest that are the same in both pictures"),
    "neighbours_kept": BarWords(
        "neighbours kept", "The share of a sample's nearest in the views that are among its nearest in the picture"
    ),
}


@dataclass(frozen=True, eq=False)
class BarJob(Job):
    """One bar, measured on the pictures that it is about."""

    bar: BarId
    data: MultiView
    pictures: tuple[Embedding, ...]
    labels: npt.NDArray[np.generic] | None
    hidden: Hidden | None

    def run(self, cache: StageCache, task: Task) -> float:
        """Measure it."""
        return float(_MEASURES[self.bar](self, task))


@dataclass(frozen=True, eq=False)
class RegimeJob(Job):
    """The regime of one view beside the others in use."""

    data: MultiView
    view: str
    epsilon: Mapping[str, Bandwidth]
    kernels: Mapping[str, str]

    def run(self, cache: StageCache, task: Task) -> str:
        """Judge it."""
        memo = cache.memo(task)
        each = regimes(
            self.data, dict(self.epsilon), views=[*self.epsilon], kernel=dict(self.kernels), task=task, memo=memo
        )
        return next(regime.regime for regime in each if regime.view == self.view)


def bar_question(
    check: Check, state: DocumentState, data: MultiView, pictures: Mapping[str, Embedding]
) -> Question | None:
    """The question whose answer is a bar's present value; None while a picture that it is about is not there.

    `pictures` are those of the panels, by id. A p is no such question: it takes runs.
    """
    if check.bar == "regime":
        used = [view for view in state.views if view.enabled and view.name in data.view_names]
        if check.of[0] not in [view.name for view in used]:
            return None
        given = {view.name: (parse_bandwidth(view.epsilon), state.factor(view.name)) for view in used}
        epsilon = {name: replace(one, factor=one.factor * factor) for name, (one, factor) in given.items()}
        kernels = {name: panel_kernel(state, None, name).text for name in epsilon}
        job = RegimeJob(data, check.of[0], epsilon, kernels)
        return Question(BAR, (*check.of, data, epsilon, kernels), job, "Bar of the lesson", slot=BAR)
    panels = [panel for name in check.of if (panel := panel_named(state, name)) is not None]
    shown = [pictures[panel.id] for panel in panels if panel.id in pictures]
    if len(shown) < len(check.of) or check.bar == "p":
        return None
    labels, hidden = truth(state, data)
    hidden = drawn_by(panels[0], hidden)
    name = () if hidden is None else (hidden.name, hidden.show, hidden.axes)
    measured = BarJob(check.bar, data, tuple(map(bare, shown)), labels, hidden)
    return Question(BAR, (check.bar, data, name, *shown), measured, "Bar of the lesson", slot=BAR)


# Measures ---------------------------------------------------------------------------------------------------------


def _gap(job: BarJob, task: Task) -> float:
    hidden = _hidden(job)
    return hidden_scores.ring_gap(drawn_columns(job.pictures[0], hidden.show, hidden.axes)).value


def _order(job: BarJob, task: Task) -> float:
    hidden = _hidden(job)
    columns, values = of_placed(drawn_columns(job.pictures[0], hidden.show, hidden.axes), hidden.values)
    score = hidden_scores.ring_order if hidden.angle else hidden_scores.first_spearman
    return score(columns, values).value


def _r2(job: BarJob, task: Task) -> float:
    return hidden_scores.knn_r2(*of_placed(job.pictures[0].coordinates, _hidden(job).values)).value


def _nmi(job: BarJob, task: Task) -> float:
    if job.labels is None:
        raise DataError("NMI needs classes, and these data have none.", "Measure another bar.")
    coordinates, labels = of_placed(job.pictures[0].coordinates, job.labels)
    return metrics.nmi(coordinates, labels, task=task).value


def _pieces(job: BarJob, task: Task) -> float:
    picture = job.pictures[0]
    if get_method(picture.method).walk is None:
        raise DataError(f"{get_method(picture.method).title} is no walk, and has no pieces.", "Measure another bar.")
    of_one = 1e-4  # an eigenvalue so near to 1 belongs to a piece that no step leaves
    return float(np.count_nonzero(np.real(picture.eigenvalues) >= 1.0 - of_one))


def _agreement(job: BarJob, task: Task) -> float:
    k = min(NEIGHBOURS, job.data.n_samples - 1)
    return 1.0 - float(agreement(list(job.pictures), k, task=task).matrix[0, 1])


def _neighbours_kept(job: BarJob, task: Task) -> float:
    return label_free(job.pictures[0], job.data, task=task).neighbours_kept.value


def _hidden(job: BarJob) -> Hidden:
    if job.hidden is None:
        raise DataError("This bar needs a colour that is a number, and there is none.", "Colour by a latent.")
    return job.hidden


_MEASURES = {
    "largest_gap": _gap,
    "order": _order,
    "r2": _r2,
    "nmi": _nmi,
    "pieces": _pieces,
    "agreement": _agreement,
    "neighbours_kept": _neighbours_kept,
}
