"""A job about one picture's coordinates: which of them are bends of earlier ones."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.independence import Independence, independence
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import of_placed
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class IndependenceJob(Job):
    """The independence of each column of coordinates (M, r) from those before it."""

    coordinates: Array

    def run(self, cache: StageCache, task: Task) -> Independence:
        """Compute it; nothing is cached."""
        return independence(of_placed(self.coordinates)[0], task=task)
