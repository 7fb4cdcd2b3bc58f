"""Answers that cost no kernel: prepared between two anchors while the hand rests, asked for while it moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeVar

import numpy as np

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import (
    Result,
    anchor_key,
    anchors_for,
    nearby,
    passing_memo,
    run_request,
)
from mvexplorer.compute.run.cache import PREPARED, StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.rerun import RerunPicture
from mvexplorer.engine.analysis.stability import moves_with_epsilon
from mvexplorer.engine.api.between import Between, Projection, Walks, fixed_of, position_of
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import Score
from mvexplorer.engine.pipeline.stages import Memo, StageKey, remember_once
from mvexplorer.engine.spectral.davidson import Stalled
from mvexplorer.errors import MVExplorerError

T = TypeVar("T")

REMEMBERED = 12
"""Subjects, such as panels, of which it is known where their last step was answered."""
Ends = tuple[Request, Request]
"""Two requests of one panel, whose exact answers are anchors."""


def prepared_key(request: Request, other: Request | None = None) -> StageKey:
    """The key under which the cache has what is prepared between two requests; its subject is all that stays."""
    views = tuple(request.data.view_key(request.data.view_index(name)) for name in request.views)
    subject = views, request.random_state, fixed_of(request.plan)
    ends = () if other is None else tuple(tuple(position_of(r.plan)) for r in (request, other))
    return StageKey(PREPARED, subject, "float32", ends)


@dataclass(frozen=True)
class BetweenJob(Job):
    """Answers between two anchors, for several panels: they share the kernels of every place."""

    pairs: tuple[Ends, ...]

    def run(self, cache: StageCache, task: Task) -> None:
        """Compute it, and leave it in the cache."""
        remember = cache.memo(task)
        waiting = {key: self._begun(ends, cache) for ends in self.pairs if (key := prepared_key(*ends)) not in cache}
        begun = {key: preparation for key, preparation in waiting.items() if preparation is not None}
        total, done = 5 * len(begun), 0
        while fractions := [p.next_fraction for p in begun.values() if p.next_fraction is not None]:
            others: Walks = {}
            memo = passing_memo(remember, _kernels_only(), cache)
            for preparation in begun.values():
                if preparation.next_fraction == fractions[0]:
                    options = EmbedOptions(task, memo, self.pairs[0][0].random_state, interactive=True)
                    preparation.compute(fractions[0], options, others)
                    done += 1
                    task.progress(done / max(total, 1))
        for key, preparation in begun.items():
            remember(key, preparation.result)

    def _begun(self, ends: Ends, cache: StageCache) -> Projection | None:
        first, second = (cache.find(anchor_key(end)) for end in ends)
        if first is None or second is None or not (first.bases and second.bases):
            return None
        return Projection(ends[0].plan, ends[1].plan, ends[0].data, (first, second))


def _kernels_only() -> Memo:
    """A memo that keeps the views' own kernels, which panels share; a joint kernel of theirs is freed at once."""
    kept = remember_once()

    def remember(key: StageKey, compute: Callable[[], T]) -> T:
        return kept(key, compute) if key.stage == "kernel" else compute()

    return remember


class AnswersBetween:
    """Answers to steps of a drag from what is prepared in the cache. Lives on the document's thread."""

    def __init__(self, cache: StageCache) -> None:
        self._cache = cache
        self._last: dict[Hashable, Between] = {}
        """Where the last step of each subject was answered: most next ones lie there, too."""

    def answer(self, request: Request, drawn: int) -> Result | None:
        """The answer to a request on the way between two anchors; None where none is prepared that is certain.

        `drawn` is the number of leading vectors on which the picture depends. It costs about a millisecond.
        """
        start, found = perf_counter(), self._around(request, drawn)
        if found is None:
            return None
        try:
            embedding = found[0].answer(request.plan, found[1])
        except np.linalg.LinAlgError:  # no positive definite matrix comes of the places around
            return None
        return Result(replace(request, interactive=True), embedding, perf_counter() - start, 0, prepared=True)

    def covers(self, request: Request, drawn: int) -> bool:
        """Whether there is an answer to a request, without making it."""
        return self._around(request, drawn) is not None

    def _around(self, request: Request, drawn: int) -> tuple[Between, float] | None:
        """Find what is certified around a request, and how much of the way it lies between the two ends."""
        key, position = prepared_key(request), position_of(request.plan)
        for between in (self._last.get(key.subject), *self._cache.alike(key)):
            fraction = None if between is None else between.fraction_at(position)
            if between is not None and fraction is not None and between.interval.certified(drawn):
                self._last.pop(key.subject, None)
                self._last[key.subject] = between
                for oldest in list(self._last)[:-REMEMBERED]:
                    del self._last[oldest]
                return between, fraction
        return None

    def forget(self) -> None:
        """Forget where the last steps were: their data is gone."""
        self._last.clear()


@dataclass(frozen=True, eq=False)
class NearbyJob(Job):
    """How far samples move between a picture and those at a few times every ε.

    These are as prepared, where they are certain in all coordinates; else they are computed in passing.
    """

    request: Request
    picture: Embedding

    def run(self, cache: StageCache, task: Task) -> Score | None:
        """Compare them; None where one of them has no answer, or none soon."""
        between, passing = AnswersBetween(cache), passing_memo(cache.memo(task), remember_once(), cache)
        leading, others = int(self.request.plan.params.get("n_components") or 1) + 1, list[RerunPicture]()
        task.patient = False
        try:
            for each in nearby(self.request):
                known = between.answer(each, leading)
                if known is None:
                    started = replace(each, start=anchors_for(each, cache))
                    known = run_request(started, cache, task, passing)
                others.append(RerunPicture.of(known.embedding))
        except (MVExplorerError, Stalled):
            return None
        return moves_with_epsilon(RerunPicture.of(self.picture), others)
