"""Jobs about one sample: its neighbours, where walks go from it, how far all others are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.point import (
    Indices,
    PointDistances,
    cross_view_terms,
    distances_from,
    farthest_points,
    nearest_to,
    probabilities_from,
    view_distances,
)
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import Kernel, gaussian_affinity, laplacian_affinity
from mvexplorer.engine.kernels.distances import ALL
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import ParameterError


@dataclass(frozen=True, eq=False)
class NearInView:
    """The neighbourhood of a sample in one view.

    `squared` (M,) are the squared distances that the view's kernel is a function of, `rows` (k,) the nearest
    neighbours. `within` is the number of others within ε; None where ε is not known yet or has no effect. `degree` is
    Σ_j K_ij; None where the kernel is no function of the distance alone.
    """

    squared: Array
    rows: Indices
    within: int | None
    degree: float | None


@dataclass(frozen=True, eq=False)
class NearInPanel:
    """The neighbourhood of a sample in one panel: its neighbours on all coordinates, how far the views put it apart.

    `cross_rank` is the share of all samples that the views put less far apart; None without per-view coordinates.
    """

    distances: PointDistances
    rows: Indices
    cross_rank: float | None


@dataclass(frozen=True)
class Surroundings:
    """The neighbourhood of a sample: by the names of views, and by the ids of panels."""

    sample: int
    views: Mapping[str, NearInView]
    panels: Mapping[str, NearInPanel]


@dataclass(frozen=True, eq=False)
class SurroundingsJob(Job):
    """The neighbourhood of a sample in views (index -> kernel and ε, None if unknown) and panels (id -> embedding)."""

    data: MultiView
    sample: int
    k: int
    views: Mapping[int, tuple[Kernel, float | None]]
    panels: Mapping[str, Embedding]

    def run(self, cache: StageCache, task: Task) -> Surroundings:
        """Look at one row of each."""
        stages = Stages(
            self.data,
            tuple(self.views),
            kernels=[kernel for kernel, _ in self.views.values()],
            task=task,
            memo=cache.memo(task),
        )
        views, panels = {}, {}
        for i in range(stages.n_views):
            task.checkpoint()
            views[stages.view_name(i)] = self._in_view(stages, i)
        for id, embedding in self.panels.items():
            task.checkpoint()
            panels[id] = self._in_panel(embedding)
        return Surroundings(self.sample, views, panels)

    def _in_view(self, stages: Stages, i: int) -> NearInView:
        kernel, epsilon = self.views[stages.views[i]]
        squared = view_distances(stages, i, self.sample)
        rows = nearest_to(squared, self.sample, self.k)
        if epsilon is None or not kernel.kind.uses_epsilon:
            return NearInView(squared, rows, None, None)
        within = int(np.count_nonzero(squared <= epsilon)) - 1
        degree = None
        if kernel.neighbours is None and not kernel.landmarks:
            affinity, out = laplacian_affinity if "laplacian" in kernel.kind.id else gaussian_affinity, squared.copy()
            affinity(epsilon)(out, ALL, ALL, out)
            degree = float(out.sum())
        return NearInView(squared, rows, within, degree)

    def _in_panel(self, embedding: Embedding) -> NearInPanel:
        distances, rank = distances_from(embedding, self.sample), None
        if len(embedding.view_coordinates) > 1:
            terms = cross_view_terms(embedding.view_coordinates)
            rank = float(np.mean(terms < terms[self.sample]))
        return NearInPanel(distances, nearest_to(distances.squared, self.sample, self.k), rank)


@dataclass(frozen=True, eq=False)
class StepsJob(Job):
    """The probabilities (B, M) of a method's walk t steps after a sample in a view (no name: in all alike)."""

    embedding: Embedding
    sample: int
    t: int
    start: str = ""

    def run(self, cache: StageCache, task: Task) -> Array:
        """Make t products with the kernels in the cache."""
        memo = cache.memo(task)
        return probabilities_from(self.embedding, self.sample, self.t, self.start, task=task, memo=memo)


@dataclass(frozen=True, eq=False)
class WalksJob(Job):
    """The probabilities t steps after a sample; None for walks, but not the first, that cannot begin there."""

    embeddings: tuple[Embedding, ...]
    sample: int
    t: int
    start: str = ""

    def run(self, cache: StageCache, task: Task) -> tuple[Array | None, ...]:
        """Take one walk after the other."""
        walks: list[Array | None] = []
        for embedding in self.embeddings:
            task.checkpoint()
            try:
                walks.append(StepsJob(embedding, self.sample, self.t, self.start).run(cache, task))
            except ParameterError:  # it was solved on a part of the samples, without this one
                if not walks:
                    raise
                walks.append(None)
        return tuple(walks)


@dataclass(frozen=True, eq=False)
class DistanceJob(Job):
    """Distances (M,) from a sample in the coordinates of an embedding."""

    embedding: Embedding
    sample: int

    def run(self, cache: StageCache, task: Task) -> Array:
        """Take the roots of one row."""
        distances: Array = np.sqrt(distances_from(self.embedding, self.sample).squared)
        return distances


@dataclass(frozen=True, eq=False)
class FarthestJob(Job):
    """Samples that spread over a picture (M, r) from one of them."""

    coordinates: Array
    start: int
    count: int

    def run(self, cache: StageCache, task: Task) -> Indices:
        """Take always the farthest from those before."""
        return farthest_points(self.coordinates, self.start, self.count)
