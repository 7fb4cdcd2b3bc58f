"""The documents that a lesson shows: how its data open, and where each step begins."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.calls import is_call
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.resources import resource
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.document.model import DocumentState
from mvexplorer.teaching.acts import after, staged
from mvexplorer.teaching.lesson import Lesson


@dataclass(frozen=True, eq=False)
class Opened:
    """The data of one source, and the document in which they open."""

    state: DocumentState
    data: MultiView


def step_source(lesson: Lesson, step: int) -> tuple[str, ...]:
    """The data that a step is about: those of the last step up to it that names some, else the lesson's."""
    named = [each.stage.source for each in lesson.steps[: step + 1] if each.stage.source]
    return named[-1] if named else lesson.sample


def open_source(source: tuple[str, ...], task: Task) -> Opened:
    """Read or generate the data of a source: a sample, a generator's call, or tables that lie beside the lessons."""
    built_in = len(source) == 1 and (is_call(source[0]) or find_sample(source[0]) is not None)
    given = source if built_in else tuple(str(resource("lessons", name)) for name in source)
    loaded = load_source(given[0] if len(given) == 1 else list(given), task=task)
    reading = None if built_in else loaded.options
    return Opened(initial_state(loaded.data, given, loaded.manifest, reading=reading, notes=loaded.notes), loaded.data)


@dataclass(frozen=True)
class OpenSourceJob(Job):
    """The data of a source, to be opened in the background."""

    source: tuple[str, ...]

    def run(self, cache: StageCache, task: Task) -> Opened:
        """Read or generate them."""
        return open_source(self.source, task)


def start_of(lesson: Lesson, step: int, opened: Opened) -> DocumentState:
    """The document in which a step begins, where every step before it that is about the same data was solved."""
    first = max((n for n in range(step + 1) if lesson.steps[n].stage.source), default=0)
    state = opened.state
    for number in range(first, step + 1):
        state = staged(state, opened.data, lesson.steps[number].stage)
        if number < step:
            state = after(state, opened.data, lesson.steps[number].solution)
    return state
