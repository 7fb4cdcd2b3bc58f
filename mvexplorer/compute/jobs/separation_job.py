"""The job that finds what sets chosen samples apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.separation import Separation, separation
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True)
class SeparationJob(Job):
    """The features that set some samples, by their rows, apart from the others."""

    data: MultiView
    rows: tuple[int, ...]

    def run(self, cache: StageCache, task: Task) -> Separation:
        """Compare the two sides; nothing is cached."""
        chosen = np.zeros(self.data.n_samples, dtype=bool)
        chosen[list(self.rows)] = True
        return separation(chosen, self.data, task=task)
