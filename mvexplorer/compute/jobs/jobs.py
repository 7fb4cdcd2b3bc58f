"""Jobs about data and embeddings: frozen values that survive pickle, for any thread or process to carry out.

Those about sessions are in `state/session/session.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import (
    BandwidthSummary,
    Hidden,
    Result,
    Scores,
    ViewCurves,
    coarse_part,
    run_anchor,
    run_approximation,
    run_bandwidth_summary,
    run_class_scan,
    run_curves,
    run_hidden_scores,
    run_request,
    run_scores,
)
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.heap import give_back
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.analysis.label_free import label_free
from mvexplorer.engine.api.approximation import ApproximationError
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.manifold_scaling import DIMENSION, ManifoldScaling
from mvexplorer.engine.bandwidth.rules.classes import ClassScan, class_codes, scan_classes
from mvexplorer.engine.bandwidth.rules.manifold import scaling
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.dimension.estimates import IntrinsicDimension, intrinsic_dimension
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel
from mvexplorer.engine.pipeline.stages import Memo, StageKey, Stages, remember_once
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import Inspection, inspect_files

# Of panels --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EmbedJob(Job):
    """The embedding that a request asks for."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> Result:
        """Compute it, reusing the stages in the cache."""
        return run_request(self.request, cache, task)


@dataclass(frozen=True)
class AnchorJob(Job):
    """The exact answer to a request, kept in the cache so that drags past it are quick."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> None:
        """Compute and keep it."""
        run_anchor(self.request, cache, task)


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """The views of the data by whose neighbours a picture is scored, without classes."""

    data: MultiView
    views: tuple[str, ...]
    metrics: Mapping[str, str] = field(default_factory=dict)
    """By which metric samples are neighbours in a view, where that is not the Euclidean."""

    @classmethod
    def of(cls, data: MultiView, views: Iterable[str], metrics: Iterable[tuple[str, str]] = ()) -> Unlabelled | None:
        """Return these views; None where none has features in memory, or the samples are too few."""
        named = tuple(name for name in views if not is_map(data.Xs[data.view_index(name)]))
        fewest = 4  # samples, of which one can be another's neighbour or not
        of_named = {name: metric for name, metric in metrics if name in named}
        return cls(data, named, of_named) if named and data.n_samples >= fewest else None


@dataclass(frozen=True, eq=False)
class ScoreJob(Job):
    """The agreement of a picture with known classes (M,), a hidden variable, or with views of the data."""

    embedding: Embedding
    labels: npt.NDArray[np.generic] | None
    hidden: Hidden | None = None
    free: Unlabelled | None = None

    def run(self, cache: StageCache, task: Task) -> Scores:
        """Compute it; only prepared views are cached."""
        scores = Scores() if self.labels is None else run_scores(self.embedding.coordinates, self.labels, task)
        if self.hidden is not None:
            scores = replace(scores, hidden=run_hidden_scores(self.embedding, self.hidden, task))
        if (free := self.free) is None:
            return scores
        memo = cache.memo(task)
        found = label_free(self.embedding, free.data, views=free.views, metric=free.metrics, task=task, memo=memo)
        return replace(scores, free=found)


@dataclass(frozen=True)
class ApproximationJob(Job):
    """The distance of the answer to a request from that of dense Gaussians."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> ApproximationError:
        """Compare both on a random part of the samples; nothing is cached."""
        return run_approximation(self.request, task)


# Of one view's bandwidth ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewJob(Job):
    """A question about one view, beside the others in use.

    `kernels` gives the kernel of each view that rules may compare, by its index in the data; `view` is such an index.
    """

    data: MultiView
    kernels: Mapping[int, Kernel]
    view: int

    def stages(self, memo: Memo, task: Task, random_state: int = 0) -> tuple[Stages, int]:
        """Stages of all these views, and the position of `view` among them.

        They serve curves, rules and dimensions: with many samples, a random part is enough.
        """
        stages, i = self.of_all(memo, task, random_state)
        return stages.subsample(), i

    def of_all(self, memo: Memo, task: Task, random_state: int = 0) -> tuple[Stages, int]:
        """The same of all samples."""
        among = tuple(dict.fromkeys((*self.kernels, self.view)))
        each = [self.kernels.get(i, GAUSSIAN) for i in among]
        stages = Stages(self.data, among, kernels=each, random_state=random_state, task=task, memo=memo)
        return stages, among.index(self.view)


@dataclass(frozen=True)
class RulesJob(ViewJob):
    """The median distance, and what some bandwidth rules choose; a rule may have parameters, as in a bandwidth."""

    rules: tuple[str, ...]

    def run(self, cache: StageCache, task: Task) -> BandwidthSummary:
        """Evaluate them."""
        return run_bandwidth_summary(*self.stages(cache.memo(task), task), self.rules)


@dataclass(frozen=True)
class CurvesJob(ViewJob):
    """Growth, connectivity and ρ_P over the slider's whole axis."""

    def run(self, cache: StageCache, task: Task) -> ViewCurves:
        """Compute them."""
        return run_curves(*self.stages(cache.memo(task), task))


@dataclass(frozen=True)
class CoarseCurvesJob(ViewJob):
    """The curves of a random part of the samples, with the bandwidth axis of that part."""

    def run(self, cache: StageCache, task: Task) -> ViewCurves:
        """Compute them; nothing is cached."""
        return run_curves(*replace(self, data=coarse_part(self.data)).stages(remember_once(), task))


@dataclass(frozen=True)
class ClassCurvesJob(ViewJob):
    """ρ_Ψ and the eigengap, at a dozen bandwidths or at one."""

    epsilon: float | None = None

    def run(self, cache: StageCache, task: Task) -> ClassScan:
        """Compute them."""
        stages, i = self.stages(cache.memo(task), task)
        if self.epsilon is None:
            return run_class_scan(stages, i)
        return scan_classes(stages, i, class_codes(stages.data), np.array([self.epsilon]))


@dataclass(frozen=True)
class DimensionJob(ViewJob):
    """The intrinsic dimension, of the view as preprocessed and weighted."""

    def run(self, cache: StageCache, task: Task) -> IntrinsicDimension:
        """Estimate it."""
        stages, i = self.stages(cache.memo(task), task)
        key = StageKey("dimension", stages.view_key(i))
        return stages.memo(key, lambda: intrinsic_dimension(stages.view(i), task=task))


@dataclass(frozen=True)
class WeightsJob(ViewJob):
    """Feature weights, learnt from the unweighted view; the dimension is estimated if not given."""

    dimension: int | None
    random_state: int

    def run(self, cache: StageCache, task: Task) -> ManifoldScaling:
        """Learn them."""
        weights = [None if i == self.view else w for i, w in enumerate(self.data.feature_weights)]
        plain = replace(self, data=self.data.replace(feature_weights=weights))
        stages, i = plain.stages(cache.memo(task), task, self.random_state)
        return scaling(stages, i, check_params((DIMENSION,), {"dimension": self.dimension}, "Feature weights"))


# Of data ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoadJob(Job):
    """A sample, or files, to be read."""

    source: tuple[str, ...]
    reading: ReadOptions

    def run(self, cache: StageCache, task: Task) -> Loaded:
        """Read them."""
        loaded = load_source(self.source[0] if len(self.source) == 1 else list(self.source), self.reading, task=task)
        task.checkpoint()
        return loaded


@dataclass(frozen=True)
class InspectJob(Job):
    """Files to be looked at before they are opened."""

    files: tuple[str, ...]
    reading: ReadOptions

    def run(self, cache: StageCache, task: Task) -> Inspection:
        """Look at them."""
        inspection = inspect_files(self.files, self.reading, task)
        task.checkpoint()
        return inspection


@dataclass(frozen=True)
class SonogramJob(Job):
    """Waveforms to be turned into sonograms: samples per second, and the name of a choice of settings."""

    data: MultiView
    rate: float
    preset: str

    def run(self, cache: StageCache, task: Task) -> MultiView:
        """Turn every view of waveforms into one of sonograms."""
        return waveform_views(self.data, self.rate, self.preset, task=task)


@dataclass(frozen=True)
class ImportJob(Job):
    """Libraries that will be needed soon and take long to import."""

    modules: tuple[str, ...]

    def run(self, cache: StageCache, task: Task) -> None:
        """Import them in the process that runs this."""
        for module in self.modules:
            with IMPORTS:
                task.checkpoint()  # nothing stops an import that has begun
                import_module(module)


@dataclass(frozen=True)
class GiveBackJob(Job):
    """Freed memory goes back to the system, which takes some hundredths of a second."""

    def run(self, cache: StageCache, task: Task) -> None:
        """Give it back, of the process that runs this."""
        give_back()
