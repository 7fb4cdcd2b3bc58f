"""The panels of a document at every ε of a range: what a live page shows while its reader drags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log
from typing import cast

import numpy as np

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import bare, run_request, used_epsilon
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.api.embedding import select_epsilon
from mvexplorer.engine.api.live import (
    MOST_DIMS,
    LivePanel,
    LivePanels,
    LiveRange,
    Prepared,
    StopPictures,
    columns_in_common,
    moving_pictures,
    prepare_range,
)
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.spectrum import ETA
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.alignment import align, fit_to_unit
from mvexplorer.engine.spectral.moving_frames import STEPS
from mvexplorer.errors import ComputeError, DataError, ParameterError
from mvexplorer.state.document.model import DocumentState, PanelState, panel_params
from mvexplorer.state.pictures.drawing import shown_names, trimmed
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


ETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.95)
"""The η at which a page's reader can stop, beside the session's."""


def can_be_live(state: DocumentState, data: MultiView) -> bool:
    """Whether there are panels that can follow ε, and not too many samples."""
    methods = [get_method(panel.method) for panel in state.shown]
    return data.n_samples <= MANY_SAMPLES and any(method.uses_epsilon for method in methods)


@dataclass(frozen=True, eq=False)
class LivePanelsJob(Job):
    """Finds the pictures of all panels on show over the range around the session's ε.

    With `solid` also those in three dimensions, with `eta` those at other η.
    """

    state: DocumentState
    data: MultiView
    results: Mapping[str, PanelResult]
    range_: LiveRange | None = None
    """The factors to cover; None for the usual ones."""
    solid: bool = False
    eta: bool = False

    def run(self, cache: StageCache, task: Task) -> LivePanels:
        """Find them; ParameterError where the samples are too many for a page."""
        state, data, results = self.state, self.data, self.results
        check_live_size(data)
        shown = [p for p in state.shown if p.id in results and _follows(results[p.id])]
        answers = [answer.embedding for panel in shown if (answer := results[panel.id].result) is not None]
        range_ = self.range_ or usual_range(data, answers, task)
        t, eta = _usual(answers, "t", 1.0), _usual(answers, ETA, 0.0)
        there = self.eta and any(ETA in answer.params for answer in answers)
        etas = tuple(sorted({*ETAS, eta})) if there else ()
        session = LivePanels(range_, t, {}, {}, eta, etas)
        panels, left_out = dict[str, LivePanel](), dict[str, str]()
        for k, panel in enumerate(shown):
            tell = partial(_tell, task, k, len(shown))
            tell(0.0)
            try:
                panels[panel.id] = _LiveMaker(self, panel, session, cache, task, tell).panel()
            except (DataError, ComputeError) as error:
                left_out[panel.id] = str(error)
        return replace(session, panels=panels, left_out=left_out)


def _usual(answers: Sequence[Embedding], name: str, otherwise: float) -> float:
    """The value of a parameter that most panels have."""
    values = [float(cast("float", answer.params[name])) for answer in answers if name in answer.params]
    return max(values, key=values.count, default=otherwise)


def expected_bytes(state: DocumentState, data: MultiView, *, solid: bool, eta: bool) -> int:
    """About how much larger a page becomes whose panels follow ε: .9 bytes a sample and column, and the curves.

    These are as long as those of digits: of curves without a crossing it is a part of that.
    """
    usual_columns, columns_over_eta, curve, stop = 20, 45, 1_700, 1.7  # bytes of a curve, and of a number at a stop
    dims, total = (5 if solid else 2), 0.0
    for panel in state.shown:
        method = get_method(panel.method)
        if not method.uses_epsilon:
            continue
        if not method.has_pencil(panel_params(state, panel, method)) or method.has_unit_rows:
            total += STOPS * data.n_samples * dims * stop
            continue
        over = eta and any(param.name == ETA for param in method.params)
        columns = columns_over_eta if over else usual_columns
        curves = (len(ETAS) if over else 1) * dims / 2 * columns / usual_columns
        total += 0.9 * data.n_samples * columns + curve * curves
    return round(total)


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


def _is_heavy(columns: int, frames: int, points: Array) -> bool:
    """Whether so many numbers take far more bytes than exact pictures at stops: the graph falls to pieces."""
    column, frame, stop = 0.9, 0.45, 1.7  # bytes of each number
    return column * columns + frame * frames > 3 * stop * STOPS * points.size


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
        session: LivePanels,
        cache: StageCache,
        task: Task,
        tell: Callable[[float], None],
    ) -> None:
        self._state, self._data, self._panel, self._result = job.state, job.data, panel, job.results[panel.id]
        self._range, self._t, self._cache, self._task = session.range_, session.t, cache, task.beside()
        self._tell = tell
        """Hears how much of the panel is done, from 0 to 1."""
        self._request = request_of(job.state, job.data, panel)
        own = self._request.plan.params.get(ETA)
        others = [eta for eta in session.etas if eta != session.eta] if own == session.eta else []
        self._requests = [self._request, *(self._request.with_param(ETA, eta) for eta in others)]
        """The panel's own question, and those at other η."""
        self._solved: list[dict[int, Embedding]] = [{} for _ in self._requests]
        """The exact answers to each of them, by the steps nearest to where they were found."""
        self._solid = job.solid

    def panel(self) -> LivePanel:
        """The panel over the range."""
        points = self._result.drawing.points
        assert points is not None
        moving = self._moving(points) if self._is_leading(points.shape[1]) else None
        panel = self._at_stops(points) if moving is None else moving
        return panel if panel.solid is None else replace(panel, third=self._third())

    def _third(self) -> str:
        """The name of the coordinate that three dimensions add."""
        answer = self._result.result
        assert answer is not None
        return shown_names(answer.embedding, self._panel.show)[self._panel.axes[-1]]

    def _moving(self, points: Array) -> LivePanel | None:
        """The panel where it moves; None where its first picture would not be its own, or the page too large."""
        solid = self._in_3d(points)
        prepared = self._prepared(self._requests, points.shape[1] if solid is None else MOST_DIMS)
        if not prepared and solid is not None:  # there is no third coordinate that decides a picture
            solid, prepared = None, self._prepared(self._requests, points.shape[1])
        if not prepared:
            return None
        try:
            return self._pictures(prepared, points, solid)
        except np.linalg.LinAlgError:  # no positive definite matrix comes of the places around an ε
            return None

    def _pictures(self, prepared: Sequence[Prepared], points: Array, solid: Array | None) -> LivePanel | None:
        """The panel at its own η, and at those others that are known."""
        show, range_, plans = self._panel.show, self._range, [request.plan for request in self._requests]
        own = float(cast("float", plans[0].params.get("t") or 0.0))
        t = None if own == self._t and "t" in plans[0].params else own
        columns = columns_in_common([*zip(plans, prepared, strict=False)], show, range_)
        if _is_heavy(columns[0].size, 0, points):
            return None
        panels = dict[float, LivePanel]()
        towards = [points] if solid is None else [points, solid]
        for k, (plan, each) in enumerate(zip(plans, prepared, strict=False)):
            shared = len(prepared) > 1
            pictures = moving_pictures(plan, each, show, towards, range_, t=t, columns=columns, shared=shared)
            heavy = _is_heavy(columns[0].size, pictures[0].frames.size, points)
            if k == 0 and (heavy or not same_picture(pictures[0].at(range_.start, self._t), points)):
                return None
            answers = self._to_score(k, each)
            scores = self._scores([*answers.values()], 0.5 + 0.5 * k / len(prepared), 0.5 / len(prepared))
            further = pictures[1] if solid is not None else None
            there = LivePanel(pictures[0], tuple(answers), scores, further)
            panels[float(cast("float", plan.params.get(ETA) or 0.0))] = there
        first, *others = panels
        return replace(panels[first], etas={eta: panels[eta] for eta in sorted(others)})

    def _is_leading(self, dims: int) -> bool:
        """Whether the leading coordinates are drawn, and nothing else decides the picture."""
        first = 0 if self._request.plan.method.first_component else 1
        leading = tuple(self._panel.axes[:dims]) == tuple(range(first, first + dims))
        return leading and not (self._panel.trim or self._result.drawing.unplaced)

    def _in_3d(self, points: Array) -> Array | None:
        """The picture (M, 3) with the next coordinate, where that is asked for and there is one."""
        answer = self._result.result
        if not self._solid or points.shape[1] == MOST_DIMS or answer is None or not self._is_leading(MOST_DIMS):
            return None
        columns = drawn_columns(answer.embedding, self._panel.show, self._panel.axes)
        if answer.embedding.coordinates.shape[1] <= self._panel.axes[-1]:
            return None
        return np.column_stack([points, columns[:, -1] * np.linalg.norm(points) / np.linalg.norm(columns[:, :-1])])

    def _prepared(self, requests: Sequence[Request], dims: int) -> list[Prepared]:
        """All that is known between neighbouring ε at each η; none where more than the leading coordinates decide."""
        options = EmbedOptions(self._task, self._cache.memo(self._task), self._request.random_state)
        out = list[Prepared]()
        for k, request in enumerate(requests):
            share = 0.5 / len(requests)  # the scores take about as long

            def tell(done: float, k: int = k, share: float = share) -> None:
                self._tell(share * (k + done))

            def keep(factor: float, answer: Embedding, k: int = k) -> None:
                self._solved[k][round(self._range.step_of(factor))] = bare(answer)

            each = prepare_range(request.plan, self._data, self._range, dims, options, tell, keep)
            if each is None:
                return []
            out.append(each)
        return out

    def _steps(self) -> tuple[int, ...]:
        """Steps of equal distance over the range, the session's among them."""
        equal = np.linspace(0, STEPS, STOPS).round().astype(int).tolist()
        return tuple(sorted({*equal, self._range.start}))

    def _exact(self, request: Request, step: int, start: tuple[Embedding, ...] = ()) -> Embedding:
        asked_there = replace(request.scaled(self._range.factor_at(step)), start=start)
        return run_request(asked_there, self._cache, self._task, self._cache.memo(self._task)).embedding

    def _to_score(self, k: int, prepared: Prepared) -> dict[int, Embedding]:
        """The answers that are scored, by their steps: read off where all of one is certified, elsewhere the exact."""
        answers, request = dict(self._solved[k]), self._requests[k]
        if self._range.start not in answers:
            answers[self._range.start] = bare(self._exact(request, self._range.start))
        for step in self._steps():
            factor = self._range.factor_at(step)
            around = [(low, high, between) for low, high, between in prepared if low <= factor <= high]
            for low, high, between in around[:1]:
                if step not in answers and between.interval.certified(between.interval.count):
                    plan = request.scaled(factor).plan
                    answers[step] = bare(between.answer(plan, log(factor / low) / log(high / low)))
        return dict(sorted(answers.items()))

    def _at_stops(self, points: Array) -> LivePanel:
        """Exact pictures, each laid onto the one before, going out from the session's."""
        steps = self._steps()
        answers, former = dict[int, Embedding](), tuple[Embedding, ...]()
        for k, step in enumerate(steps):
            self._tell(0.5 * k / len(steps))
            answer = self._exact(self._request, step, former)
            answers[step], former = bare(answer), (*former[-1:], answer)
        solid = self._in_3d(points)
        pictures, further = (None if Y is None else self._laid(answers, Y) for Y in (points, solid))
        assert pictures is not None
        return LivePanel(pictures, steps, self._scores([*answers.values()]), further)

    def _laid(self, answers: Mapping[int, Embedding], points: Array) -> StopPictures:
        """The pictures of these answers, of which the session's is `points`."""
        steps, start = tuple(answers), self._range.start
        drawn, at = {start: points}, steps.index(start)
        for way in (steps[at + 1 :], steps[:at][::-1]):
            before = points
            for step in way:
                before = drawn[step] = align(self._fitted(answers[step], points.shape[1]), before)
        return StopPictures(steps, tuple(fit_to_unit(drawn[step]) for step in steps))

    def _fitted(self, embedding: Embedding, dims: int) -> Array:
        columns = np.nan_to_num(drawn_columns(embedding, self._panel.show, self._panel.axes[:dims]))
        return fit_to_unit(trimmed(columns)[0] if self._panel.trim else columns)

    def _scores(self, answers: list[Embedding], begun: float = 0.5, share: float = 0.5) -> dict[str, tuple[float, ...]]:
        """The scores of these answers, by name; none of which the panel has none."""
        if self._result.scores is None:
            return {}
        views = views_to_score(self._state, self._data)
        values_of = dict[str, list[float]]()
        for k, answer in enumerate(answers):
            self._tell(begun + share * k / len(answers))
            job = missing_scores(None, answer, self._data, truth(self._state, self._data), views)
            each = {} if job is None else job.run(self._cache, self._task).each()
            for id in self._result.scores.each():
                values_of.setdefault(id, []).append(each[id].value if id in each else float("nan"))
        named = available_scores(self._state, self._data)
        return {named[id].short: tuple(values) for id, values in values_of.items() if id in named}
