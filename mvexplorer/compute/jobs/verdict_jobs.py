"""Jobs that judge bandwidths: where along a slider the verdict changes, and what it is at the present one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mvexplorer.compute.jobs.jobs import ViewJob
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.api.regimes import regimes
from mvexplorer.engine.bandwidth.limits import Limits, limits
from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True)
class LimitsJob(ViewJob):
    """The places on a view's slider at which its verdict changes."""

    def run(self, cache: StageCache, task: Task) -> Limits:
        """Find them."""
        return limits(*self.of_all(cache.memo(task), task))


@dataclass(frozen=True)
class RegimesJob(Job):
    """The verdicts about the views that are used together: an ε and a kernel for each, by its name."""

    data: MultiView
    epsilon: Mapping[str, float]
    kernels: Mapping[str, str]
    random_state: int

    def run(self, cache: StageCache, task: Task) -> tuple[Regime, ...]:
        """Judge them."""
        return regimes(
            self.data,
            dict(self.epsilon),
            views=[*self.epsilon],
            kernel=dict(self.kernels),
            random_state=self.random_state,
            task=task,
            memo=cache.memo(task),
        )
