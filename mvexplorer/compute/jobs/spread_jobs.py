"""The job behind a colouring by spread: how far each sample moves when others are left out."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.compute.jobs.analysis_jobs import StabilityJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.stability import stability_of
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class SpreadJob(Job):
    """Each sample's spread (M,) over random parts of a picture (M, r): `known` where it is given, else computed."""

    request: Request
    shown: Array
    known: Array | None = None

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it; the real views' stages come from the cache."""
        if self.known is not None:
            return self.known
        runs, ghosts = 10, []  # where the page *Validate* has computed none
        for number in range(runs):
            ghosts.append(StabilityJob(self.request, "parts", None, number, shown=self.shown).run(cache, task))
            task.progress((number + 1) / runs)
        return stability_of(self.shown, "parts", ghosts).spread
