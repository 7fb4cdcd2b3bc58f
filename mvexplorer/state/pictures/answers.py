"""The one life cycle of every analysis: asked in the background, kept with what it is about, stale once that is past.

Lives on the document's thread and needs no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from psygnal import Signal

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job, Outcome, Scheduler
from mvexplorer.engine.api.cost import NOTHING, Estimate
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.controller import Controller

Freshness = Literal["current", "stale", "none"]
PLAIN = (bool, int, float, str, bytes, tuple, dict, type(None))


def unchanged(value: Any) -> Any:
    """The answer of a job that needs nothing done to it."""
    return value


@dataclass(frozen=True, eq=False)
class Question:
    """Something to compute of the present state; a later question of the same key replaces it.

    `basis` says what the answer is about: results and data, told apart by identity, and plain values. `make` turns
    what the job returns into the answer; without a job the answer is `make(None)`, or `error`, at once.
    """

    key: Hashable
    basis: tuple[Any, ...]
    job: Job | None = None
    title: str = ""
    cost: Estimate = NOTHING
    slot: str = ""
    make: Callable[[Any], Any] = unchanged
    error: MVExplorerError | None = None
    hear: Callable[[Any], None] | None = None
    """Told of each piece of the answer that the job hands over before it is done."""

    def answered(self, cache: StageCache, task: Task) -> Any:
        """The answer, computed at once: for work without a window."""
        if self.error is not None:
            raise self.error
        return self.make(None if self.job is None else self.job.run(cache, task))


@dataclass(frozen=True, eq=False)
class Answer:
    """A value, or why there is none, and what it is about."""

    basis: tuple[Any, ...]
    value: Any = None
    error: MVExplorerError | None = None


class Answers:
    """The answers to questions of one kind: the latest of each key, computed by the jobs of one scheduler.

    Answers outlive what they are about, as stale ones, until other samples come. Beyond `most` the oldest go.
    `stopped` is the message and the hint that stand where the user stopped a job; without it the former answer stays.
    """

    changed = Signal(object)
    """The answer of this key has come, or will not come. Other samples are told by the document."""
    answered = Signal(object)
    """The answer of this key has come, and whoever shows it has been told."""

    def __init__(
        self,
        controller: Controller,
        scheduler: Scheduler | None = None,
        *,
        stopped: tuple[str, str] | None = None,
        most: int | None = None,
    ) -> None:
        self._controller = controller
        self._scheduler = controller.background if scheduler is None else scheduler
        self._stopped, self._most = stopped, most
        self._known: dict[Hashable, Answer] = {}
        self._pending: dict[Hashable, Question] = {}
        controller.cancelled.connect(self._job_stopped)
        controller.document.changed.connect(self._document_changed)

    def of(self, key: Hashable) -> Answer | None:
        """The latest answer, stale or not."""
        return self._known.get(key)

    def freshness(self, key: Hashable, basis: tuple[Any, ...]) -> Freshness:
        """Whether the latest answer is about this."""
        answer = self._known.get(key)
        return "none" if answer is None else "current" if same(answer.basis, basis) else "stale"

    def current(self, key: Hashable, basis: tuple[Any, ...]) -> Answer | None:
        """The answer about this; None where it is stale or missing."""
        return self._known[key] if self.freshness(key, basis) == "current" else None

    def waits(self, key: Hashable) -> bool:
        """Whether an answer is on its way."""
        return key in self._pending

    @property
    def waiting(self) -> tuple[Hashable, ...]:
        """The keys whose answers are on their way."""
        return tuple(self._pending)

    def lacks(self, key: Hashable, basis: tuple[Any, ...], *, again: bool = False) -> bool:
        """Whether the answer about this is neither there nor on its way; with `again` an error counts as none."""
        pending, answer = self._pending.get(key), self.current(key, basis)
        under_way = pending is not None and same(pending.basis, basis)
        return not under_way and (answer is None or (again and answer.error is not None))

    def ask(self, question: Question, *, again: bool = False) -> bool:
        """Compute an answer that is lacking; False if none is. With `again` what failed is tried once more."""
        key = question.key
        if not self.lacks(key, question.basis, again=again):
            if self.current(key, question.basis) is not None:
                self.drop_job(key)  # that of a later question, from which the user has come back
            return False
        if question.job is None:
            self.drop_job(key)
            value = None if question.error is not None else question.make(None)
            self._known[key] = Answer(question.basis, value, question.error)
            return True
        for other in [other for other, one in [*self._pending.items()] if one.slot == question.slot]:
            del self._pending[other]  # the scheduler replaces its job
        self._pending[key] = question

        def arrived(outcome: Outcome) -> None:
            if self._pending.get(key) is question:
                del self._pending[key]
                value = None if outcome.error is not None else question.make(outcome.value)
                self._keep(key, Answer(question.basis, value, outcome.error))
                self.answered.emit(key)

        def heard(piece: Any) -> None:
            if self._pending.get(key) is question and question.hear is not None:
                question.hear(piece)

        hear = None if question.hear is None else lambda piece: self._scheduler.post(partial(heard, piece))
        self._scheduler.submit(
            question.slot, question.job, arrived, title=question.title, cost=question.cost, hear=hear
        )
        return True

    def stop(self, key: Hashable) -> None:
        """Stop computing an answer, as the user does in the list of tasks."""
        if key in self._pending:
            self._controller.cancel(self._pending[key].slot)

    def drop_job(self, key: Hashable) -> None:
        """Stop computing an answer that nobody needs any more, and say nothing of it."""
        question = self._pending.pop(key, None)
        if question is not None:
            self._scheduler.cancel(question.slot)

    def forget(self, key: Hashable) -> None:
        """Drop an answer, and the job that computes one."""
        self.drop_job(key)
        self._known.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        for key in {*self._pending, *self._known}:
            self.forget(key)

    def _keep(self, key: Hashable, answer: Answer) -> None:
        self._known.pop(key, None)
        self._known[key] = answer
        if self._most is not None:
            for oldest in [*self._known][: -self._most]:
                del self._known[oldest]
        self.changed.emit(key)

    def _job_stopped(self, slot: str) -> None:
        for key, question in [(key, one) for key, one in self._pending.items() if one.slot == slot]:
            del self._pending[key]
            if self._stopped is None:
                self.changed.emit(key)
            else:
                self._keep(key, Answer(question.basis, None, ComputeError(*self._stopped)))

    def _document_changed(self, change: Change) -> None:
        if change.kept_in is not None:
            change.kept_in[self] = {**self._known}
        if change.data_changed:  # the controller cancelled the jobs
            self._pending.clear()
        if change.samples_changed:
            self._known.clear()
        if change.brought is not None:
            self._known.update(change.brought.get(self, {}))


def same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two answers are about the same: results, data and arrays by identity, plain values by value."""
    return len(one) == len(other) and all(
        a is b or (isinstance(a, PLAIN) and isinstance(b, PLAIN) and a == b) for a, b in zip(one, other, strict=True)
    )
