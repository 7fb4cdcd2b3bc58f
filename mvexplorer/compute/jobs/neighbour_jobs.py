"""Jobs about neighbourhoods: how many of a view's neighbours a picture keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.neighbourhood import continuity, neighbourhood_preservation, trustworthiness
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.places import of_placed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import Stages


@dataclass(frozen=True)
class Kept:
    """The share of a view's neighbourhoods that a picture keeps: each number from 0 to 1 and over all samples."""

    preservation: float
    """Share of a sample's nearest in the view that are among its nearest in the picture."""
    trustworthiness: float
    """Whether those that are near in the picture are near in the view."""
    continuity: float
    """Whether those that are near in the view are near in the picture."""


@dataclass(frozen=True, eq=False)
class NeighbourhoodJob(Job):
    """The share of the neighbourhoods of one view of the data that coordinates (M, r) keep."""

    coordinates: Array
    data: MultiView
    view: int
    k: int

    def run(self, cache: StageCache, task: Task) -> Kept:
        """Compute it; only the prepared view is cached."""
        X = Stages(self.data, (self.view,), task=task, memo=cache.memo(task)).view(0)
        Y, X = of_placed(self.coordinates, X)
        share = float(np.mean(neighbourhood_preservation(Y, X, self.k, task=task)))
        return Kept(share, trustworthiness(Y, X, self.k, task=task), continuity(Y, X, self.k, task=task))
