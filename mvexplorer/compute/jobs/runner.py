"""The computations that jobs carry out: embeddings, scores, and facts about the bandwidth of one view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import ANCHOR, OUTER, PER_BANDWIDTH, StageCache
from mvexplorer.engine import hidden_scores, metrics
from mvexplorer.engine.analysis.label_free import LabelFree
from mvexplorer.engine.analysis.stability import FACTORS
from mvexplorer.engine.api.approximation import ApproximationError, approximation_error
from mvexplorer.engine.api.columns import CONSENSUS, drawn_columns
from mvexplorer.engine.api.embedding import carry_out
from mvexplorer.engine.api.preparing import EmbedOptions, solution_of
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.curves import Connectivity, Growth, connectivity, growth
from mvexplorer.engine.bandwidth.rules.classes import ClassScan, class_codes, class_scan
from mvexplorer.engine.bandwidth.rules.spread import require_spread
from mvexplorer.engine.bandwidth.table import get_rule, parse_bandwidth
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import check_params
from mvexplorer.engine.core.places import of_placed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import Memo, StageKey, Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import median_of
from mvexplorer.engine.spectral.davidson import Stalled
from mvexplorer.engine.spectral.warm_start import PreviousSolution, anchors_around, parameter_point
from mvexplorer.errors import ComputeError, MVExplorerError

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """An embedding and what it cost."""

    request: Request
    embedding: Embedding
    seconds: float
    products: int
    prepared: bool = False
    """Whether it was there at once, between two anchors."""

    @property
    def solved_on_part(self) -> int:
        """The number of samples solved where the others were placed; 0 where all were solved."""
        return int(self.embedding.info.get("random_part", 0))


@dataclass(frozen=True, eq=False)
class Hidden:
    """A variable that an embedding should show: values (M,), in radians if it is an angle.

    `show` and `axes` are the columns that are drawn, which have scores of their own.
    """

    name: str
    values: Array
    angle: bool = False
    show: str = CONSENSUS
    axes: tuple[int, ...] = (0, 1)

    def take(self, rows: npt.NDArray[np.intp]) -> Hidden:
        """The variable of these samples."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True)
class HiddenScores:
    """Agreement of an embedding with a hidden variable: R², or for an angle the mean resultant.

    An angle has no order from low to high, and therefore no rank correlation. `order` is that along the first drawn
    axis, of an angle that round the ring on the first two, whose widest gap is `largest_gap`; `drawn` says which.
    """

    variable: str
    r2: metrics.Score | None = None
    resultant: metrics.Score | None = None
    spearman: metrics.Score | None = None
    order: metrics.Score | None = None
    largest_gap: metrics.Score | None = None
    drawn: tuple[str, tuple[int, ...]] = (CONSENSUS, (0, 1))


@dataclass(frozen=True)
class Scores:
    """Agreement of an embedding with known classes and with a hidden variable; where it has neither, with its views."""

    nmi: metrics.Score | None = None
    knn: metrics.Score | None = None
    hidden: HiddenScores | None = None
    free: LabelFree | None = None
    stability: metrics.Score | None = None

    def each(self) -> dict[str, metrics.Score]:
        """The scores there are, by id: against classes, a hidden variable, and those that need neither."""
        hidden = self.hidden or HiddenScores("")
        every = {
            "nmi": self.nmi,
            "knn": self.knn,
            "r2": hidden.r2,
            "resultant": hidden.resultant,
            "spearman": hidden.spearman,
            "order": hidden.order,
            "largest_gap": hidden.largest_gap,
            **({} if self.free is None else self.free.each()),
            "stability": self.stability,
        }
        return {id: score for id, score in every.items() if score is not None}


@dataclass(frozen=True)
class BandwidthSummary:
    """A view's data for its bandwidth slider: the unit and the rules' values (or why there is none)."""

    median: float
    rules: dict[str, float | str]


def anchor_key(request: Request) -> StageKey:
    """The key of the exact answer to a request as an anchor in the cache; its settings are all that sliders move."""
    moving = {p.name for p in get_method(request.method).params if p.kind == "float" or p.affects == "coordinates"}
    views = tuple(request.data.view_key(request.data.view_index(name)) for name in request.views)
    fixed = tuple(given for given in request.params if given[0] not in moving)
    moved = tuple((p.name, request.plan.params[p.name]) for p in get_method(request.method).params if p.kind == "float")
    subject = request.method, views, request.kernels, request.random_state, request.subsample, fixed
    return StageKey(ANCHOR, subject, "float32", (request.epsilon, moved))


def run_anchor(request: Request, cache: StageCache, task: Task) -> None:
    """Put the exact answer to a request into the cache as an anchor, with no more of it than a start needs.

    Where there is none, or none soon, an anchor without vectors is kept, which no drag starts from: among samples that
    are nearly all isolated one of 5,000 took 25 s, and each rest tried it anew. The kernels made on the way are not
    kept: they would displace those of the picture on show.
    """
    remember = cache.memo(task)
    passing = passing_memo(remember, remember_once(), cache)
    task.patient = False

    def anchor() -> PreviousSolution:
        try:
            return _anchor(run_request(request, cache, task, passing).embedding)
        except (ComputeError, Stalled):
            return PreviousSolution(np.empty(0), ())

    remember(anchor_key(request), anchor)


def passing_memo(remember: Memo, here: Memo, cache: StageCache) -> Memo:
    """Leave to `here` what is only needed in passing, such as kernels: it would displace those of the picture shown."""

    def passing(key: StageKey, compute: Callable[[], T]) -> T:
        kept = key in cache or key.stage not in PER_BANDWIDTH | OUTER
        return remember(key, compute) if kept else here(key, compute)

    return passing


def _anchor(answer: Embedding) -> PreviousSolution:
    """As much of an exact answer as a start needs."""
    return solution_of(answer).thinned()


def keep_as_anchor(request: Request, answer: Embedding, cache: StageCache, task: Task) -> None:
    """Leave an exact answer that was computed anyway where drags find their anchors."""
    solved = answer.decomposition
    if solved is not None and solved.exact and solved.bases:
        cache.memo(task)(anchor_key(request), lambda: _anchor(answer))


def anchors_for(request: Request, cache: StageCache) -> tuple[PreviousSolution, ...]:
    """The two anchors between which the answer to a request lies; none where there are none, or its ε is a rule's."""
    chosen = request.epsilon[: request.plan.n_used]
    if not request.plan.method.warm_starts or any(b.rule is not None or not b.factor > 0.0 for b in chosen):
        return ()
    params = request.plan.method.params
    position = parameter_point([bandwidth.factor for bandwidth in chosen], params, request.plan.params)
    return anchors_around(position, cache.alike(anchor_key(request))) or ()


def run_request(request: Request, cache: StageCache, task: Task, memo: Memo | None = None) -> Result:
    """The embedding of a request; where it has former answers to start from, anchors serve as well."""
    start = perf_counter()
    # Equal requests have equal answers: these do not tell an ε that was asked for and has no effect.
    plan = replace(request.plan, asked=request.plan.epsilon[: request.plan.n_used])
    former = (*cache.alike(anchor_key(request)), *request.start) if request.start else ()
    options = EmbedOptions(task, memo or cache.memo(task), request.random_state, former, request.interactive)
    embedding = carry_out(plan, request.data, options)
    return Result(request, embedding, perf_counter() - start, task.products)


def used_epsilon(embedding: Embedding) -> dict[str, float]:
    """The ε an embedding used: of each view that has one, or the one of all features as ``joint``; else none."""
    if not get_method(embedding.method).epsilon_matters(embedding.params):
        return {}
    joint = embedding.info.get("joint_epsilon")
    if joint is not None:
        return {"joint": float(joint)}
    return {v: float(e) for v, e in zip(embedding.views, embedding.epsilon, strict=True) if not np.isnan(e)}


def run_approximation(request: Request, task: Task) -> ApproximationError:
    """The distance of the answer to a request from that of dense Gaussians, on a random part of the samples."""
    return approximation_error(
        request.data,
        request.method,
        views=request.views,
        epsilon=_of_views(request, request.epsilon),
        kernel=_of_views(request, request.kernels),
        subsample=request.subsample,
        random_state=request.random_state,
        task=task,
        **cast("dict[str, Any]", dict(request.params)),
    )


def nearby(request: Request) -> tuple[Request, ...]:
    """The same question at the factors on every ε by which it is told how far samples move with it."""
    return tuple(request.scaled(factor) for factor in FACTORS)


def bare(embedding: Embedding) -> Embedding:
    """An embedding with no more than pictures and scores need, as it travels to a worker."""
    return replace(embedding, decomposition=None, known=None)


def _of_views(request: Request, values: tuple[T, ...]) -> dict[str, T]:
    return dict(zip(request.views, values, strict=True))


def run_scores(coordinates: Array, labels: npt.NDArray[np.generic], task: Task) -> Scores:
    """NMI (k-means, k = classes, ten seeds) and 5-nearest-neighbour leave-one-out accuracy."""
    finite, labels = of_placed(coordinates, labels)
    n_labelled = int(np.count_nonzero(labelled(labels)))
    knn = metrics.knn_accuracy(finite, labels, n_neighbors=min(5, n_labelled - 1))
    task.checkpoint()
    return Scores(metrics.nmi(finite, labels, task=task), knn)


def run_hidden_scores(embedding: Embedding, hidden: Hidden, task: Task) -> HiddenScores:
    """Score a hidden variable: how well ten neighbours tell it, and how far what is drawn orders it."""
    finite, values = of_placed(embedding.coordinates, hidden.values)
    neighbours = min(10, int(np.isfinite(values).sum()) - 1)
    if hidden.angle:
        each = HiddenScores(hidden.name, resultant=hidden_scores.knn_resultant(finite, values, n_neighbors=neighbours))
    else:
        each = HiddenScores(
            hidden.name,
            r2=hidden_scores.knn_r2(finite, values, n_neighbors=neighbours),
            spearman=hidden_scores.first_spearman(finite, values),
        )
    task.checkpoint()
    return scores_as_drawn(each, embedding, hidden)


def scores_as_drawn(each: HiddenScores, embedding: Embedding, hidden: Hidden) -> HiddenScores:
    """The scores with those of the columns that are drawn; a ring needs two that differ, and vary."""
    drawn = hidden.show, hidden.axes
    columns, values = of_placed(drawn_columns(embedding, *drawn), hidden.values)
    if not hidden.angle:
        return replace(each, order=hidden_scores.first_spearman(columns, values), drawn=drawn)
    twice = columns.shape[1] < 2 or np.array_equal(columns[:, 0], columns[:, 1])  # as one coordinate is drawn
    if twice or not np.ptp(columns, axis=0).all():
        return replace(each, order=None, largest_gap=None, drawn=drawn)
    order, gap = hidden_scores.ring_order(columns, values), hidden_scores.ring_gap(columns)
    return replace(each, order=order, largest_gap=gap, drawn=drawn)


@dataclass(frozen=True)
class ViewCurves:
    """The curves of a view over its slider's whole bandwidth axis; `unlabelled` says why there is no ρ_P."""

    median: float
    growth: Growth
    connectivity: Connectivity
    unlabelled: str


COARSE = 1000
"""Samples for coarse curves, shown until those of all samples are ready."""


def run_curves(stages: Stages, i: int) -> ViewCurves:
    """Growth and connectivity of view `i`, and ρ_P where the data has classes."""
    codes, unlabelled = None, ""
    try:
        codes = class_codes(stages.data)
    except MVExplorerError as error:
        unlabelled = str(error)
    return ViewCurves(median_of(stages, i), growth(stages, i, codes), connectivity(stages, i), unlabelled)


def coarse_part(data: MultiView) -> MultiView:
    """The random part of the samples from which coarse curves are drawn."""
    return data.take(random_rows(data.n_samples, COARSE, 0))


def run_class_scan(stages: Stages, i: int) -> ClassScan:
    """ρ_Ψ and the eigengap of view `i`, at a dozen bandwidths."""
    require_spread(stages, i)
    rule = get_rule("class-geometric")
    return class_scan(stages, i, check_params(rule.params, {}, rule.title))


def run_bandwidth_summary(stages: Stages, i: int, rules: tuple[str, ...]) -> BandwidthSummary:
    """Median squared distance of view `i`, and the rules' choices for it among the views of the stages.

    A rule is named as in a bandwidth, with its parameters: ``manifold(dimension=2)``.
    """
    values: dict[str, float | str] = {}
    for rule in rules:
        try:
            values[rule] = parse_bandwidth(rule).value(stages, i)
        except MVExplorerError as error:
            values[rule] = str(error)
    return BandwidthSummary(median_of(stages, i), values)
