"""Jobs behind the figures of the page “Diagnostics”."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.diagnostics import (
    ComponentSpectrum,
    MatrixImage,
    Roc,
    SquaredDistances,
    component_spectrum,
    matrix_image,
    roc_of_distances,
)
from mvexplorer.engine.analysis.graph_facts import GraphFacts, degrees_and_components
from mvexplorer.engine.analysis.panel_matrices import (
    OWN,
    MatrixKind,
    graph_of_view,
    image_of,
    local_metric_distances,
    metric_at,
    own_degrees,
    position_of,
    stages_of,
)
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import subsample_rows
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import MVExplorerError, ParameterError

ALL, MEAN = -1, -2
"""Stand for a sample: all pairs of them, or the mean over them."""


@dataclass(frozen=True, eq=False)
class Pictured:
    """A picture whose matrices are looked at: what was asked, and the answer."""

    request: Request
    embedding: Embedding

    def stages(self, cache: StageCache, task: Task) -> Stages:
        """Its stages, from the cache where they are still there."""
        return stages_of(self.request.plan, self.request.data, self.embedding, task, cache.memo(task))

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """The samples that it was solved on."""
        n, part = self.request.data.n_samples, self.request.plan.subsample
        return np.arange(n) if part is None else subsample_rows(n, part, self.embedding.random_state)

    def places(self, order: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The samples solved on, as they stand in an order (M,) of all, by their places among them."""
        place = np.full(self.request.data.n_samples, -1)
        place[self.rows] = np.arange(len(self.rows))
        ordered: npt.NDArray[np.intp] = place[order]
        return ordered[ordered >= 0]


@dataclass(frozen=True, eq=False)
class MatrixJob(Job):
    """A kernel, transition matrix or distances as an image; of a view, or (no name) of the method's own operator.

    Distances without the name of a view are those in the picture.
    """

    picture: Pictured
    kind: MatrixKind
    view: str
    order: npt.NDArray[np.intp]

    def run(self, cache: StageCache, task: Task) -> MatrixImage:
        """Make it from products with what is in the cache."""
        if self.kind == "distances" and self.view == OWN:
            return matrix_image(SquaredDistances(self.picture.embedding.coordinates), self.order, task=task)
        stages, method = self.picture.stages(cache, task), get_method(self.picture.embedding.method)
        return image_of(stages, method, self.kind, self.view, self.picture.places(self.order))


@dataclass(frozen=True, eq=False)
class MetricJob(Job):
    """Local CCA's distances D of all pairs, or its metric at a sample or in the mean, as an image."""

    picture: Pictured
    sample: int
    order: npt.NDArray[np.intp]

    def run(self, cache: StageCache, task: Task) -> tuple[MatrixImage, float]:
        """Compute it, and the share of the metric that lies in one direction; D is that of the picture."""
        if self.picture.embedding.method != "local-cca":
            title = get_method(self.picture.embedding.method).title
            raise ParameterError(f"{title} has no local metric.", "Choose Local CCA (local-cca).")
        stages = self.picture.stages(cache, task)
        if self.sample != ALL:
            A = metric_at(stages, None if self.sample == MEAN else self.sample)
            return matrix_image(A, task=task), float(np.linalg.norm(A, 2) / max(np.trace(A), np.finfo(float).tiny))
        D = local_metric_distances(stages)
        if D.shape[0] != D.shape[1]:
            raise ParameterError(
                f"D is known from a subset of {len(D):,} samples only.", "Leave the subset empty, or choose the mean."
            )
        return matrix_image(D, self.picture.places(self.order), task=task), 1.0


@dataclass(frozen=True, eq=False)
class GraphJob(Job):
    """Degrees and components of a view's graph; of the method's own operator its degrees (B, M)."""

    picture: Pictured
    view: str

    def run(self, cache: StageCache, task: Task) -> GraphFacts | Array:
        """Sum the rows of kernels in the cache."""
        stages, method = self.picture.stages(cache, task), get_method(self.picture.embedding.method)
        if self.view == OWN:
            return own_degrees(stages, method)
        return degrees_and_components(graph_of_view(stages, method, position_of(stages, self.view)))


@dataclass(frozen=True, eq=False)
class SpectrumInTimeJob(Job):
    """The spectrum of a component (M,), against times (M,) or the order of the samples; and those of other variables.

    Variables that have no spectrum are left out.
    """

    values: Array
    times: Array | None
    others: Mapping[str, Array]

    def run(self, cache: StageCache, task: Task) -> tuple[ComponentSpectrum, Mapping[str, ComponentSpectrum]]:
        """Transform each."""
        others = {}
        for name, values in self.others.items():
            task.checkpoint()
            try:
                others[name] = component_spectrum(values, self.times)
            except MVExplorerError:
                continue
        return component_spectrum(self.values, self.times), others


@dataclass(frozen=True, eq=False)
class RocJob(Job):
    """ROC curves of distances in pictures (M, r), by their titles, and in views as they are preprocessed."""

    pictures: Mapping[str, Array]
    data: MultiView
    views: tuple[int, ...]
    labels: npt.NDArray[np.generic]

    def run(self, cache: StageCache, task: Task) -> Mapping[str, Roc]:
        """Compare the same pairs in each."""
        stages, curves = Stages(self.data, self.views, task=task, memo=cache.memo(task)), {}
        for i in range(stages.n_views):
            task.progress(i / (stages.n_views + len(self.pictures)))
            curves[stages.view_name(i)] = roc_of_distances(stages.view(i), self.labels)
        for title, coordinates in self.pictures.items():
            task.checkpoint()
            curves[title] = roc_of_distances(coordinates, self.labels)
        return curves
