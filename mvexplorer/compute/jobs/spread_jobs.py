"""The job behind a colouring by spread: how far each sample moves when others are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mvexplorer.compute.run.scheduler import Job

if TYPE_CHECKING:
    from mvexplorer.compute.jobs.analysis_jobs import StabilityJob
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class SpreadJob(Job):
    """Each sample's spread (M,) over random parts: `known` where it is given, else computed."""

    one: StabilityJob
    known: Array | None = None

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it; the real views' stages come from the cache."""
        if self.known is not None:
            return self.known
        stability = self.one.run(cache, task)
        runs = 10  # where the page “Is it real?” has computed none
        for number in range(1, runs):
            task.progress(number / runs)
            stability = replace(self.one, before=stability.ghosts).run(cache, task)
        return stability.spread
