"""Jobs that make a panel's picture again with one thing changed: the runs of null tests and of stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.null_test import NullRuns
from mvexplorer.engine.analysis.rerun import Rerun
from mvexplorer.engine.analysis.stability import StabilityRuns
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.methods import get_method

if TYPE_CHECKING:
    from mvexplorer.compute.jobs.request import Request
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.analysis.null_band import Real, ShuffledRun
    from mvexplorer.engine.analysis.scored import Measure
    from mvexplorer.engine.analysis.shuffles import Shuffle
    from mvexplorer.engine.analysis.stability import Ghost, Kind, Stability
    from mvexplorer.engine.api.cost import Estimate
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class NullJob(Job):
    """One run of a null test; without a view the picture as it is, with which the runs are compared."""

    request: Request
    measure: Measure | None
    shuffle: Shuffle = "rows"
    view: str | None = None
    number: int = 0

    def run(self, cache: StageCache, task: Task) -> Real | ShuffledRun:
        """Compute it; what belongs to the real views comes from the cache."""
        runs = NullRuns(_again(self.request, cache, task), self.measure, self.shuffle, self.request.random_state)
        return runs.real() if self.view is None else runs.run(self.view, self.number)

    @property
    def title(self) -> str:
        """Its name for the task list, with the title of the method."""
        return f"Null test: {get_method(self.request.method).title}"

    def cost(self, memory: float) -> Estimate:
        """The memory and time of one run."""
        return cost_of_run(self.request, memory)


@dataclass(frozen=True, eq=False)
class _OneStability(Job):
    """The common part of the runs of a picture's stability."""

    request: Request
    kind: Kind
    measure: Measure | None

    @property
    def title(self) -> str:
        """Its name for the task list, with the title of the method."""
        return f"Stability: {get_method(self.request.method).title}"

    def cost(self, memory: float) -> Estimate:
        """The memory and time of one run."""
        return cost_of_run(self.request, memory)

    def _runs(self, again: Rerun, **how: Any) -> StabilityRuns:
        return StabilityRuns(again, self.kind, self.measure, seed=self.request.random_state, **how)


@dataclass(frozen=True, eq=False)
class StabilityJob(_OneStability):
    """One run of a picture's stability, beside those before it; `shown` are the coordinates (M, r) of the picture.

    By default it is the next one; its `number` says which where runs are computed side by side.
    """

    shown: Array
    before: tuple[Ghost, ...] = ()
    number: int | None = None

    def run(self, cache: StageCache, task: Task) -> Stability:
        """Make the picture anew, and sum up all so far."""
        runs = self._runs(_again(self.request, cache, task), shown=self.shown)
        number = len(self.before) if self.number is None else self.number
        return runs.so_far((*self.before, runs.run(number)))


@dataclass(frozen=True, eq=False)
class GhostJob(_OneStability):
    """One picture made anew, by its number; without one the picture itself. Its number comes with the answer."""

    share: float
    number: int | None

    def run(self, cache: StageCache, task: Task) -> tuple[int | None, Ghost | Array]:
        """Make it."""
        again = _again(self.request, cache, task)
        if self.number is None:
            return None, again.whole_of_all()
        return self.number, self._runs(again, share=self.share).run(self.number)


def _again(request: Request, cache: StageCache, task: Task) -> Rerun:
    plan = replace(request.plan, asked=request.plan.epsilon[: request.plan.n_used])
    return Rerun(plan, request.data, EmbedOptions(task, cache.memo(task), request.random_state))


def cost_of_run(request: Request, memory: float) -> Estimate:
    """The memory and time of one run."""
    whole = request.plan.cost(memory)
    copies = 2  # what a run rearranges stands beside what is known
    return replace(whole, bytes=copies * whole.bytes)
