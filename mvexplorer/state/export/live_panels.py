"""The panels of a document at every ε of a range: what a live page shows while its reader drags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log
from typing import cast

import numpy as np

from mvexplorer.compute.jobs.runner import bare, run_request, used_epsilon
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.api.embedding import select_epsilon
from mvexplorer.engine.api.live import (
    LivePanel,
    LivePanels,
    LiveRange,
    Prepared,
    StopPictures,
    moving_picture,
    prepare_range,
)
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.alignment import align, fit_to_unit
from mvexplorer.engine.spectral.moving_frames import STEPS
from mvexplorer.errors import ComputeError, DataError, ParameterError
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.pictures.drawing import trimmed
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.scoring import available_scores, missing_scores, truth, views_to_score

LOWEST, HIGHEST = 1 / 30, 2.0
"""The usual range, in parts of the median rule's ε."""
AROUND = 2.0
"""The least factor to either side of the session's ε."""
SAME = 0.05
"""Share of its size by which the first picture may differ from the panel's own."""
STOPS = 25
"""Exact pictures of a panel that is not known in between; steps at which scores are told."""


def can_be_live(state: DocumentState, data: MultiView) -> bool:
    """Whether there are panels that can follow ε, and not too many samples."""
    methods = [get_method(panel.method) for panel in state.shown]
    return data.n_samples <= MANY_SAMPLES and any(method.uses_epsilon for method in methods)


@dataclass(frozen=True, eq=False)
class LivePanelsJob(Job):
    """Finds the pictures of all panels on show over the range around the session's ε."""

    state: DocumentState
    data: MultiView
    results: Mapping[str, PanelResult]
    range_: LiveRange | None = None
    """The factors to cover; None for the usual ones."""

    def run(self, cache: StageCache, task: Task) -> LivePanels:
        """Find them; ParameterError where the samples are too many for a page."""
        state, data, results = self.state, self.data, self.results
        check_live_size(data)
        shown = [p for p in state.shown if p.id in results and _follows(results[p.id])]
        answers = [answer.embedding for panel in shown if (answer := results[panel.id].result) is not None]
        range_ = self.range_ or usual_range(data, answers, task)
        times = [float(cast("float", each.params["t"])) for each in answers if "t" in each.params]
        t = max(times, key=times.count, default=1.0)
        panels, left_out = dict[str, LivePanel](), dict[str, str]()
        for k, panel in enumerate(shown):
            tell = partial(_tell, task, k, len(shown))
            tell(0.0)
            try:
                panels[panel.id] = _LiveMaker(self, panel, range_, t, cache, task, tell).panel()
            except (DataError, ComputeError) as error:
                left_out[panel.id] = str(error)
        return LivePanels(range_, t, panels, left_out)


def check_live_size(data: MultiView) -> None:
    """Refuse more samples than a page can let follow ε: ParameterError."""
    if data.n_samples > MANY_SAMPLES:
        reason = f"ε can be moved on pages of at most {MANY_SAMPLES:,} samples; these are {data.n_samples:,}."
        raise ParameterError(reason, "Write a page without, or take a random part of the samples.")


def _follows(result: PanelResult) -> bool:
    """Whether a panel has a picture that changes with ε."""
    answer = result.result
    if answer is None or result.drawing.points is None:
        return False
    return get_method(answer.embedding.method).epsilon_matters(answer.embedding.params)


def _tell(task: Task, k: int, total: int, share: float) -> None:
    """Report that a share of panel `k` is done."""
    task.progress((k + share) / total)


def usual_range(data: MultiView, embeddings: Sequence[Embedding], task: Task) -> LiveRange:
    """From 1/30 to 2 times the median's ε, on the mean of the views, and at least one octave around the session's."""
    kernels = {v: kernel for answer in embeddings for v, kernel in zip(answer.views, answer.kernels, strict=True)}
    present = {v: e for answer in embeddings for v, e in used_epsilon(answer).items() if v in kernels}
    of_each = [kernels[view] for view in present]  # the unit of ε is that of the distances that they are based on
    medians = select_epsilon(data, "median", views=[*present], kernel=of_each, task=task) if present else ()
    ratios = [log(median / epsilon) for median, epsilon in zip(medians, present.values(), strict=True)]
    middle = exp(float(np.mean(ratios))) if ratios else 1.0
    return LiveRange.around(min(LOWEST * middle, 1 / AROUND), max(HIGHEST * middle, AROUND))


def same_picture(moving: Array, points: Array) -> bool:
    """Whether the moving picture begins as the panel's own: else its coordinates are more than scaled vectors."""
    laid = align(moving, points)
    return float(np.linalg.norm(laid - points)) <= SAME * float(np.linalg.norm(points - points.mean(axis=0)))


class _LiveMaker:
    """Makes one panel's pictures and scores."""

    def __init__(
        self,
        job: LivePanelsJob,
        panel: PanelState,
        range_: LiveRange,
        t: float,
        cache: StageCache,
        task: Task,
        tell: Callable[[float], None],
    ) -> None:
        self._state, self._data, self._panel, self._result = job.state, job.data, panel, job.results[panel.id]
        self._range, self._t, self._cache, self._task = range_, t, cache, task.beside()
        self._tell = tell
        """Hears how much of the panel is done, from 0 to 1."""
        self._request = request_of(job.state, job.data, panel)
        self._solved = dict[int, Embedding]()
        """The exact answers, by the steps nearest to where they were found."""

    def panel(self) -> LivePanel:
        """The panel over the range."""
        points = self._result.drawing.points
        assert points is not None
        prepared = self._prepared(points.shape[1])
        moving = None if prepared is None else self._moving(prepared, points)
        return self._at_stops(points) if moving is None else moving

    def _moving(self, prepared: Prepared, points: Array) -> LivePanel | None:
        """The panel where it moves; None where its first picture would not be its own."""
        plan, own = self._request.plan, float(cast("float", self._request.plan.params.get("t") or 0.0))
        t = None if own == self._t and "t" in plan.params else own
        try:
            picture = moving_picture(plan, prepared, self._panel.show, points, self._range, t=t)
        except np.linalg.LinAlgError:  # no positive definite matrix comes of the places around an ε
            return None
        if not same_picture(picture.at(self._range.start, self._t), points):
            return None
        answers = self._to_score(prepared)
        return LivePanel(picture, tuple(answers), self._scores([*answers.values()]))

    def _prepared(self, dims: int) -> Prepared | None:
        """All that is known between neighbouring ε; None where more than the leading coordinates decide the picture."""
        plan, drawing = self._request.plan, self._result.drawing
        first = 0 if plan.method.first_component else 1
        leading = tuple(self._panel.axes[:dims]) == tuple(range(first, first + dims))
        whole = not (self._panel.trim or drawing.unplaced)
        if not (leading and whole):
            return None
        options = EmbedOptions(self._task, self._cache.memo(self._task), self._request.random_state)
        half = 0.5  # the scores take about as long

        def keep(factor: float, answer: Embedding) -> None:
            self._solved[round(self._range.step_of(factor))] = bare(answer)

        return prepare_range(plan, self._data, self._range, dims, options, lambda part: self._tell(half * part), keep)

    def _steps(self) -> tuple[int, ...]:
        """Steps of equal distance over the range, the session's among them."""
        equal = np.linspace(0, STEPS, STOPS).round().astype(int).tolist()
        return tuple(sorted({*equal, self._range.start}))

    def _exact(self, step: int, start: tuple[Embedding, ...] = ()) -> Embedding:
        request = replace(self._request.scaled(self._range.factor_at(step)), start=start)
        return run_request(request, self._cache, self._task, self._cache.memo(self._task)).embedding

    def _to_score(self, prepared: Prepared) -> dict[int, Embedding]:
        """The answers that are scored, by their steps: read off where all of one is certified, elsewhere the exact."""
        answers = dict(self._solved)
        answers.setdefault(self._range.start, self._exact(self._range.start))
        for step in self._steps():
            factor = self._range.factor_at(step)
            around = [(low, high, between) for low, high, between in prepared if low <= factor <= high]
            for low, high, between in around[:1]:
                if step not in answers and between.interval.certified(between.interval.count):
                    plan = self._request.scaled(factor).plan
                    answers[step] = bare(between.answer(plan, log(factor / low) / log(high / low)))
        return dict(sorted(answers.items()))

    def _at_stops(self, points: Array) -> LivePanel:
        """Exact pictures, each laid onto the one before, going out from the session's."""
        steps, start = self._steps(), self._range.start
        answers, former = dict[int, Embedding](), tuple[Embedding, ...]()
        for k, step in enumerate(steps):
            self._tell(0.5 * k / len(steps))
            answer = self._exact(step, former)
            answers[step], former = bare(answer), (*former[-1:], answer)
        drawn = {start: points}
        at = steps.index(start)
        for way in (steps[at + 1 :], steps[:at][::-1]):
            before = points
            for step in way:
                before = drawn[step] = align(self._fitted(answers[step], points.shape[1]), before)
        pictures = StopPictures(steps, tuple(fit_to_unit(drawn[step]) for step in steps))
        return LivePanel(pictures, steps, self._scores([answers[step] for step in steps]))

    def _fitted(self, embedding: Embedding, dims: int) -> Array:
        columns = np.nan_to_num(drawn_columns(embedding, self._panel.show, self._panel.axes[:dims]))
        return fit_to_unit(trimmed(columns)[0] if self._panel.trim else columns)

    def _scores(self, answers: list[Embedding]) -> dict[str, tuple[float, ...]]:
        """The scores of these answers, by name; none of which the panel has none."""
        if self._result.scores is None:
            return {}
        views = views_to_score(self._state, self._data)
        values_of = dict[str, list[float]]()
        for k, answer in enumerate(answers):
            self._tell(0.5 + 0.5 * k / len(answers))
            job = missing_scores(None, answer, self._data, truth(self._state, self._data), views)
            each = {} if job is None else job.run(self._cache, self._task).each()
            for id in self._result.scores.each():
                values_of.setdefault(id, []).append(each[id].value if id in each else float("nan"))
        named = available_scores(self._state, self._data)
        return {named[id].short: tuple(values) for id, values in values_of.items() if id in named}
