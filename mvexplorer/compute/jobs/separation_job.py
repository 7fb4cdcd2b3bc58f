"""The job that finds what sets chosen samples apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.separation import Separation, separation
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True)
class SeparationJob(Job):
    """The features that set some samples, by their rows, apart from the others or from those `against`."""

    data: MultiView
    rows: tuple[int, ...]
    against: tuple[int, ...] | None = None
    against_name: str = ""

    def run(self, cache: StageCache, task: Task) -> Separation:
        """Compare the two sides; nothing is cached."""
        against = None if self.against is None else self._mask(self.against)
        name, rows = self.against_name, self._mask(self.rows)
        return separation(rows, self.data, against=against, against_name=name, task=task)

    def _mask(self, rows: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.data.n_samples, dtype=bool)
        mask[list(rows)] = True
        return mask
