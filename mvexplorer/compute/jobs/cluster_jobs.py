"""Jobs about the clusters of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.clusters import clusters
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class ClusterJob(Job):
    """The clusters of a picture (M, r); see `mvx.clusters`."""

    coordinates: Array
    how: str
    n_clusters: int
    random_state: int = 0

    def run(self, cache: StageCache, task: Task) -> npt.NDArray[np.int64]:
        """Compute them (M,); nothing is cached."""
        task.checkpoint()
        return clusters(self.coordinates, self.n_clusters, self.how, random_state=self.random_state)
