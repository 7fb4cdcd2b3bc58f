"""Jobs about a view's columns, and about the share that it has in a picture of several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.jobs import ScoreJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Hidden, Scores, run_request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.agreement import agreement
from mvexplorer.engine.analysis.components import ComponentCorrelations, component_correlations
from mvexplorer.engine.analysis.views import plan_without
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.alignment import align
from mvexplorer.io.reading.quality import uneven_views


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A picture without one of its views.

    `drawn` (M, 2) are its first two coordinates, laid onto those of the whole; `disagreement` (M,) with the whole is
    that of each sample.
    """

    view: str
    drawn: Array
    scores: Scores
    disagreement: Array

    @property
    def change(self) -> float:
        """Mean disagreement with the whole."""
        return float(np.nanmean(self.disagreement))


@dataclass(frozen=True, eq=False)
class WithoutViewJob(Job):
    """A picture without one of its views, at the bandwidths of the whole; it is scored where that is possible.

    `request` and its answer `whole` are those of the whole; `view` is left out; `labels` and `hidden` are scored
    against, as by `ScoreJob`; k neighbours are compared.
    """

    request: Request
    whole: Embedding
    view: str
    labels: npt.NDArray[np.generic] | None
    hidden: Hidden | None
    k: int

    def run(self, cache: StageCache, task: Task) -> LeftOut:
        """Compute it from the kernels in the cache."""
        data, whole = self.request.data, self.whole
        plan = plan_without(self.request.plan, data, self.view, whole.epsilon)
        without = run_request(Request(data, plan, self.request.random_state), cache, task).embedding
        apart = agreement([whole.coordinates, without.coordinates], self.k, task=task).disagreement(0, 1)
        scores = ScoreJob(without, self.labels, self.hidden).run(cache, task)
        return LeftOut(self.view, align(_leading(without), _leading(whole)), scores, apart)


@dataclass(frozen=True, eq=False)
class CorrelationsJob(Job):
    """The correlations of the components of a picture with the variables of the data."""

    request: Request
    picture: Embedding

    def run(self, cache: StageCache, task: Task) -> ComponentCorrelations:
        """Compute it; the principal components are cached."""
        return component_correlations(self.picture, self.request.data, task=task, memo=cache.memo(task))


def _leading(embedding: Embedding) -> Array:
    """The first two coordinates (M, 2), of per-view ones their mean; 0 where there are none."""
    blocks = embedding.view_coordinates
    alike = bool(blocks) and len({block.shape[1] for block in blocks}) == 1
    Y = np.nan_to_num(np.mean(blocks, axis=0) if alike else embedding.coordinates)[:, :2]
    return np.pad(Y, ((0, 0), (0, 2 - Y.shape[1])))


@dataclass(frozen=True)
class UnevenViewsJob(Job):
    """The views whose columns differ much in scale, before preprocessing."""

    data: MultiView

    def run(self, cache: StageCache, task: Task) -> dict[str, Notice]:
        """Compare the columns of each view; nothing is cached."""
        return uneven_views(self.data)
