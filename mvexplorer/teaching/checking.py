"""Checks lessons without a window: where a step begins and what is wrong must fail, and its solution must pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mvexplorer.compute.jobs.analysis_jobs import NullJob
from mvexplorer.compute.jobs.runner import run_request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.null_band import Real, ShuffledRun, band_of
from mvexplorer.engine.analysis.null_test import views_to_shuffle
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.checks import measure_of_state
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.teaching.acts import act_done, after, on_the_way, panel_named, staged
from mvexplorer.teaching.bars import WORDS, Value, bar_question
from mvexplorer.teaching.lesson import Check, Lesson, LessonAct, LessonStep
from mvexplorer.teaching.staging import Opened, open_source, start_of, step_source
from mvexplorer.wording import number as in_digits

Part: TypeAlias = Literal["start", "wrong", "solution", "claim"]


@dataclass(frozen=True)
class Failure:
    """A part of a step that is not as the lesson says: the step from 1, and a sentence with the measured value."""

    step: int
    part: Part
    sentence: str


@dataclass(frozen=True)
class CheckedLesson:
    """The outcome for one lesson."""

    id: str
    failures: tuple[Failure, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether all is as the lesson says."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        parts = {failure.part for failure in self.failures}
        return {
            "id": self.id,
            "start_fails": "start" not in parts,
            "wrong_fail": "wrong" not in parts,
            "solution_passes": "solution" not in parts,
            "claims_hold": "claim" not in parts,
        }


def check_lesson(lesson: Lesson, task: Task | None = None) -> CheckedLesson:
    """Do every step of a lesson, right and wrong, and measure what it says of the pictures."""
    task, failures = task or Task(), list[Failure]()
    opened: dict[tuple[str, ...], Opened] = {}
    for number, step in enumerate(lesson.steps, 1):
        task.checkpoint()
        source = step_source(lesson, number - 1)
        if source not in opened:
            opened[source] = open_source(source, task)
        meter = Meter(opened[source], task)
        state = start_of(lesson, number - 1, opened[source])
        failures += [Failure(number, part, sentence) for part, sentence in _faults(step, state, meter)]
        first = _first_solved(step, state, meter)
        if first is not None:  # a learner stops there, and reads the next step's words
            after_it = lesson.steps[number]
            untrue = _untrue(after_it, staged(first, meter.opened.data, after_it.stage), meter)
            failures += [Failure(number + 1, "claim", f"as soon as step {number} is solved, {one}") for one in untrue]
        task.progress(number / len(lesson.steps))
    return CheckedLesson(lesson.id, tuple(failures))


def _faults(step: LessonStep, start: DocumentState, meter: Meter) -> Iterator[tuple[Part, str]]:
    yield from (("claim", untrue) for untrue in _untrue(step, start, meter))
    check = step.check
    if check is None:
        return
    value, why = meter.read(check, start, ())
    if check.met(value):
        yield "start", f"it is solved before anything is done: {_told(check, value, why)}"
    for place, wrong in enumerate(step.wrong, 1):
        end = after(start, meter.opened.data, wrong.acts)
        value, why = meter.read(check, end, wrong.acts)
        if check.met(value):
            yield "wrong", f"wrong act {place} solves it: {_told(check, value, why)}"
        elif end != start and act_done(step, start, end, meter.opened.data, meter.value_of) != wrong.reason:
            yield "wrong", f"wrong act {place} is taken for another one"
    value, why = meter.read(check, after(start, meter.opened.data, step.solution), step.solution)
    if not check.met(value):
        yield "solution", f"its solution does not solve it: {_told(check, value, why)}"


def _untrue(step: LessonStep, state: DocumentState, meter: Meter) -> Iterator[str]:
    """The claims of a step that do not hold in a document, each in a sentence."""
    for claim in step.claims:
        value, why = meter.read(claim, state, ())
        if not claim.met(value):
            yield f"what it says does not hold: {_told(claim, value, why)}"


def _first_solved(step: LessonStep, start: DocumentState, meter: Meter) -> DocumentState | None:
    """Where a slider that is dragged from the start to the solution first solves a step; None where none is.

    Found by halving: between the start, which fails, and the solution, which passes, there is taken to be one place.
    """
    if step.check is None or any(on_the_way(start, act, 0.5) is None for act in step.solution):
        return None
    low, high = 0.0, 1.0
    for _ in range(6):  # to a sixty-fourth of the way
        middle = (low + high) / 2.0
        solved = step.check.met(meter.read(step.check, _dragged(step, start, middle, meter), ())[0])
        low, high = (low, middle) if solved else (middle, high)
    return _dragged(step, start, high, meter)


def _dragged(step: LessonStep, start: DocumentState, share: float, meter: Meter) -> DocumentState:
    acts = [act for each in step.solution if (act := on_the_way(start, each, share)) is not None]
    return after(start, meter.opened.data, acts)


def _told(check: Check, value: Value, why: str) -> str:
    shown = value if isinstance(value, str) else "none" if value is None else in_digits(value)
    about = " and ".join(check.of)
    return f"{WORDS[check.bar].title} of {about} is {shown}, asked for {check.target}{f' ({why})' if why else ''}"


class Meter:
    """Measures bars on documents about one source; what they share is computed once."""

    def __init__(self, opened: Opened, task: Task) -> None:
        self.opened, self._task, self._cache = opened, task, StageCache()

    def value_of(self, view: str, rule: str) -> float | None:
        """Nothing is known of rules here: the ends of acts that name other rules are far apart."""
        return None

    def read(self, check: Check, state: DocumentState, acts: tuple[LessonAct, ...]) -> tuple[Value, str]:
        """A bar's value in a document, and why there is none; a p only where one of the acts runs its test."""
        try:
            if check.bar == "p":
                return self._p(check, state, acts), ""
            panels = [panel for name in check.of if (panel := panel_named(state, name)) is not None]
            pictures: dict[str, Embedding] = {}
            for panel in panels if check.bar != "regime" else ():
                request = request_of(state, self.opened.data, panel)
                pictures[panel.id] = run_request(request, self._cache, self._task).embedding
            question = bar_question(check, state, self.opened.data, pictures)
            return (None, "") if question is None else (question.answered(self._cache, self._task), "")
        except MVExplorerError as error:
            return None, str(error)

    def _p(self, check: Check, state: DocumentState, acts: tuple[LessonAct, ...]) -> float | None:
        runs = [int(act.value or 0) for act in acts if act.runs and (act.of, act.view) == (check.of[0], check.view)]
        panel = panel_named(state, check.of[0])
        if not runs or panel is None:
            return None
        request, measure = request_of(state, self.opened.data, panel), measure_of_state(state, self.opened.data)
        (view,) = views_to_shuffle(request.plan.method, request.plan.views, measure, check.view)
        jobs = [NullJob(request, measure), *(NullJob(request, measure, "rows", view, n) for n in range(runs[-1]))]
        answers = [job.run(self._cache, self._task) for job in jobs]
        (real,) = (one for one in answers if isinstance(one, Real))
        shuffled = [one for one in answers if isinstance(one, ShuffledRun)]
        return band_of(view, "" if measure is None else measure.name, real, shuffled).p
