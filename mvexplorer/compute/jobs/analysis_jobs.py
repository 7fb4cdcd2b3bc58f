"""Jobs that make a panel's picture again with one thing changed: the runs of null tests and of stability."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.null_band import Real, ShuffledRun
from mvexplorer.engine.analysis.null_test import NullRuns
from mvexplorer.engine.analysis.rerun import Rerun
from mvexplorer.engine.analysis.scored import Measure
from mvexplorer.engine.analysis.stability import Ghost, Kind, StabilityRuns
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.shuffles import Shuffle
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method


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
        return f"Permutation test: {get_method(self.request.method).title}"

    def cost(self, memory: float) -> Estimate:
        """The memory and time of one run."""
        return cost_of_run(self.request, memory)


@dataclass(frozen=True, eq=False)
class WholeJob(Job):
    """The picture itself (M, r), as it is computed; NaN where a sample is not looked at."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it."""
        return _again(self.request, cache, task).whole_of_all()

    @property
    def title(self) -> str:
        """The title of the method."""
        return get_method(self.request.method).title

    def cost(self, memory: float) -> Estimate:
        """The memory and time of the picture."""
        return self.request.plan.cost(memory)


@dataclass(frozen=True, eq=False)
class StabilityJob(Job):
    """One picture made anew, by its number.

    `share` is as `StabilityRuns` takes it; `shown` are the coordinates (M, r) onto which it is laid, by default those
    of the whole picture.
    """

    request: Request
    kind: Kind
    measure: Measure | None
    number: int
    share: float | None = None
    shown: Array | None = None

    def run(self, cache: StageCache, task: Task) -> Ghost:
        """Make it; what belongs to the real views comes from the cache."""
        again, seed = _again(self.request, cache, task), self.request.random_state
        return StabilityRuns(again, self.kind, self.measure, self.share, seed, self.shown).run(self.number)

    @property
    def title(self) -> str:
        """Its name for the task list, with the title of the method."""
        return f"Stability: {get_method(self.request.method).title}"

    def cost(self, memory: float) -> Estimate:
        """The memory and time of one run."""
        return cost_of_run(self.request, memory)


def _again(request: Request, cache: StageCache, task: Task) -> Rerun:
    plan = replace(request.plan, asked=request.plan.epsilon[: request.plan.n_used])
    return Rerun(plan, request.data, EmbedOptions(task, cache.memo(task), request.random_state))


def cost_of_run(request: Request, memory: float) -> Estimate:
    """The memory and time of one run."""
    whole = request.plan.cost(memory)
    copies = 2  # what a run rearranges stands beside what is known
    return replace(whole, bytes=copies * whole.bytes)
