"""Local CCA: a metric that sees only what two views share, and the diffusion map on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.engine.kernels.distances import check_size
from mvexplorer.engine.methods.diffusion import diffusion_coordinates, pencil_of, solve_pencil
from mvexplorer.engine.methods.linear import RIDGE
from mvexplorer.engine.methods.shared.cca import (
    canonical,
    check_squares,
    directions,
    forced,
    lengths,
    metric_distances_from,
    principal,
    whiten,
)
from mvexplorer.engine.methods.shared.families import CORRELATION
from mvexplorer.engine.methods.shared.neighbourhoods import (
    AROUND_SAMPLES,
    SUBSET,
    check_subset,
    kind_of,
    lexicographic_ranks,
    nearest_in_all,
    neighbourhoods,
    optional_count,
    parts,
    size_of,
    subset_rows,
)
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size, distances, in_rows, solver
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.errors import ParameterError

SOURCE = "Yair, Talmon: Local canonical correlation analysis for nonlinear common variables discovery (2017)"

DIRECTIONS = Param(
    "directions",
    "d_z",
    1,
    "Canonical directions kept in every neighbourhood: the number of variables the views are taken to share.",
    kind="int",
    low=1,
    title="Common directions",
    source="Yair, Talmon (2017), (9)",
)
CCA_RANK = Param(
    "cca_rank",
    "",
    None,
    "Principal components of every neighbourhood, in each view, that CCA looks at; empty means all there are.",
    kind="int",
    low=1,
    title="Local rank",
    source="Yair, Talmon (2017), section III",
    empty="all",
)
LOCAL_METRIC = Param(
    "local_metric",
    "",
    "local-cca",
    "local-cca: the common directions at the samples (D). older: the mean of the metrics at both ends (Q). "
    "mahalanobis: the inverse covariance of the first view alone, in all its directions (M).",
    kind="choice",
    choices=("local-cca", "older", "mahalanobis"),
    title="Metric",
    source="Yair, Talmon (2017), (13), section IV-B, (14)",
)
MIDDLE_POINTS = Param(
    "middle_points",
    "",
    False,
    "Take every pair's metric at its middle, from the samples nearest to that: more exact, and M²/2 metrics.",
    kind="flag",
    title="Middle points",
    source="Yair, Talmon (2017), Algorithm 1",
)
SCALE = Param(
    "scale",
    "σ",
    1.0,
    "Width of the kernel exp(−D/σ), in units of the median of D.",
    low=1e-3,
    high=1e3,
    log=True,
    title="Scale",
    source="Yair, Talmon (2017), Algorithm 2",
)


@dataclass(frozen=True)
class MetricSettings:
    """The settings that a metric depends on besides the views."""

    kind: str
    size: int
    metric: str
    directions: int
    rank: int | None
    ridge: float
    middle: bool
    subset: int | None

    @property
    def symmetric(self) -> bool:
        """True if D_ij = D_ji, so that its kernel is used directly (Algorithm 1), without WᵗW (Algorithm 2)."""
        return self.middle or self.metric == "older"


Metric = tuple[Array, Array]
"""Distances D (L, M) from the subset's samples to all, and facts (3,): median of D, median ρ₁, share of forced ρ."""


def solve(stages: Stages) -> Decomposition:
    """Diffusion map on the local metric of view 1; Algorithms 1 and 2."""
    settings = metric_settings(stages)
    compute = middle_metric if settings.middle else local_metric
    D, facts = remembered(stages, "local-metric", settings, lambda: compute(stages, settings))
    decomposition = diffuse(stages, D, float(facts[0]), settings.symmetric)
    diagnostics = decomposition.warnings
    if facts[2] > 0.5:
        diagnostics = (*diagnostics, _forced_doubt(stages, settings))
    if not D.any():
        diagnostics = (*diagnostics, ("nothing-common", "In no neighbourhood do the views have anything in common."))
    info = {"neighbours": float(settings.size)}
    if settings.metric != "mahalanobis":
        info["canonical_correlation"] = float(facts[1])
    return replace(decomposition, info=info, warnings=diagnostics)


def remembered(stages: Stages, name: str, settings: MetricSettings, compute: Callable[[], Metric]) -> Metric:
    """The metric, kept for the next step of σ, r or t."""
    seed = None if settings.subset is None else stages.random_state
    return stages.memo(StageKey(name, stages.view_keys(), settings=(settings, seed)), compute)


# What is asked for ---------------------------------------------------------------------------------------------


def metric_settings(stages: Stages) -> MetricSettings:
    """The parameters, checked against the data and each other before any work starts."""
    check_size(stages.n_samples)
    for i in range(stages.n_views):
        check_squares(stages.view(i))
    p = stages.params
    middle, metric = bool(p["middle_points"]), str(p["local_metric"])
    kind = _kind_with_middle_points(stages) if middle else kind_of(stages)
    size = size_of(stages, kind)
    rank, subset = optional_count(stages, "cca_rank"), optional_count(stages, "subset")
    if metric == "older" and middle:
        raise ParameterError("The older metric is taken at the samples and has no middle points.", "Choose either.")
    if subset is not None:
        _check_whole(middle or metric == "older")
        check_subset(stages, subset)
    kept = int(cast("int", p["directions"]))
    if metric != "mahalanobis":
        _check_directions(stages, kept, size, rank)
    return MetricSettings(kind, size, metric, kept, rank, float(cast("float", p["ridge"])), middle, subset)


def _kind_with_middle_points(stages: Stages) -> str:
    wanted = str(stages.params["neighbourhood"])
    if wanted not in ("auto", "knn"):
        raise ParameterError(
            f"The middle of two samples has no neighbourhood of the kind {wanted}.",
            "Choose knn for middle points, or leave them out.",
        )
    # With middle points no more samples than this are taken: they mean two million metrics, minutes of work.
    most_middle = 2000
    if stages.n_samples > most_middle:
        raise ParameterError(
            f"Middle points of {stages.n_samples:,} samples are {stages.n_samples * (stages.n_samples - 1) // 2:,}.",
            f"Keep at most {most_middle:,} samples, or leave middle points out.",
        )
    return "knn"


def _check_whole(needs_all: bool) -> None:
    if needs_all:
        raise ParameterError(
            "Middle points and the older metric need every sample, not a subset.", "Leave the subset empty."
        )


def _check_directions(stages: Stages, kept: int, size: int, rank: int | None) -> None:
    most = min(size - 1, rank or size, *(stages.view(i).shape[1] for i in range(2)))
    if kept > most:
        raise ParameterError(
            f"{kept} common directions are more than there are: {most}.",
            f"Give at most {most}, or more neighbours or local rank; views share no more than the smaller one has.",
        )


# The metric ----------------------------------------------------------------------------------------------------


def local_metric(stages: Stages, settings: MetricSettings) -> Metric:
    """D_ij = (x_i - x_j)ᵗ A_i (x_i - x_j) at the samples, step 3 of Algorithm 2; or Q, its mean with D_ji."""
    near, rows = neighbourhoods(stages, settings.kind, settings.size), subset_rows(stages, settings.subset)
    X = stages.view(0) - stages.view(0).mean(axis=0)
    D, facts = np.empty((len(rows), len(X))), []
    for part in parts(stages, len(rows), _work(stages, settings)):
        first, second = (near.samples(stages, i, rows[part]) for i in range(2))
        factors, *more = metric_factors(first, second, settings)
        D[part] = metric_distances_from(X, rows[part], factors)
        facts.append(more)
    if settings.metric == "older":
        D = 0.5 * (D + D.T)
    return D, summary_of(D, facts)


def middle_metric(stages: Stages, settings: MetricSettings) -> Metric:
    """D_ij = (x_i - x_j)ᵗ A(x̄_ij) (x_i - x_j) at the middle points, step 1 of Algorithm 1."""
    distances, order = [distances_of(stages, i) for i in range(2)], lexicographic_ranks(stages)
    D, facts = np.zeros((stages.n_samples, stages.n_samples)), []
    i, j = np.triu_indices(stages.n_samples, 1)
    for part in parts(stages, len(i), _work(stages, settings), stages.n_samples):
        a, b = i[part], j[part]
        # |x̄_ij - x_k|² = (|x_i - x_k|² + |x_j - x_k|²)/2 - |x_i - x_j|²/4: the sum ranks all k as the middle does.
        members = nearest_in_all([d[a] + d[b] for d in distances], settings.size, order)
        factors, *more = metric_factors(stages.view(0)[members], stages.view(1)[members], settings)
        D[a, b] = D[b, a] = lengths(stages.view(0)[a] - stages.view(0)[b], factors)
        facts.append(more)
    return D, summary_of(D, facts)


def metric_factors(first: Array, second: Array, settings: MetricSettings) -> tuple[Array, Array, Array]:
    """Factors B (c, d, m) of the metrics A = B Bᵗ from neighbours (c, n, d) in both views, ρ₁ (c,), and forced ρ (c,).

    A = P Λ Pᵗ, Λ the squared canonical correlations; without the second view A = P Pᵗ = Σ⁻¹, (14).
    """
    x = whiten(principal(first), settings.rank, settings.ridge)
    if settings.metric == "mahalanobis":
        return directions(x, np.eye(x.samples.shape[-1])), np.ones(len(first)), np.zeros(len(first))
    y = whiten(principal(second), settings.rank, settings.ridge)
    turn, rho, _ = canonical(x, y)
    useless = forced(rho, x.rank, y.rank, settings.size)
    if settings.directions >= settings.size - 1:  # nothing is cut off: A is the same whatever the second view
        useless = useless | (np.maximum(x.rank, y.rank) >= settings.size - 1)
    weighted = turn[..., : settings.directions] * rho[:, None, : settings.directions]
    return directions(x, weighted), rho[:, 0], useless.astype(np.float64)


def _work(stages: Stages, settings: MetricSettings) -> float:
    """Operations per metric: products, two eigenproblems and a singular value problem, and distances to all."""
    widths = [stages.view(i).shape[1] for i in range(2)]
    inner = min(settings.size, max(widths))
    m = inner if settings.metric == "mahalanobis" else settings.directions
    return float(inner * (2 * settings.size * sum(widths) + 80 * inner**2) + 2 * m * widths[0] * stages.n_samples)


def summary_of(D: Array, facts: list[list[Array]]) -> Array:
    """The facts (3,) of a metric from the neighbourhoods' correlations ρ and forced ρ, part by part."""
    rho, useless = (np.concatenate(column) for column in zip(*facts, strict=True))
    return np.array([_median(D), np.median(rho), np.mean(useless)])


def _median(D: Array) -> float:
    """Median of all entries, zeros included; where most are 0, that of the others, and 1 if there are none."""
    median = float(np.median(D))
    if median > 0.0:
        return median
    positive = D[D > 0.0]
    return float(np.median(positive)) if positive.size else 1.0


def _forced_doubt(stages: Stages, settings: MetricSettings) -> tuple[str, str]:
    n_features = max(stages.view(i).shape[1] for i in range(2))
    text = (
        f"With {settings.size} samples in {n_features} dimensions every canonical correlation is 1 but for the ridge, "
        "of related views or not: what the views share has no effect. Enlarge the neighbourhoods, lower the local "
        "rank, keep fewer directions, or raise the ridge."
    )
    return ("full-rank", text)


# The diffusion map ---------------------------------------------------------------------------------------------


def diffuse(stages: Stages, D: Array, median: float, symmetric: bool) -> Decomposition:
    """Diffusion map of exp(-D/σ) for symmetric D (M, M), or of WᵗW for D (L, M), with σ = `scale` medians.

    Right eigenvectors, Ω^-1/2 Ψ in Algorithm 2, so that the trivial one is constant.
    """
    width = median * float(cast("float", stages.params["scale"]))
    W = gaussian(D, 0.5 * width, stages.task)

    def apply(V: Array) -> Array:
        return W @ V if symmetric else W.T @ (W @ V)

    degrees = apply(np.ones((W.shape[1], 1))).ravel()
    lost = int(np.count_nonzero(degrees <= 0.0))
    if lost:
        raise ParameterError(
            f"{lost} sample{'s are' if lost > 1 else ' is'} too far from all of the subset at this scale.",
            "Enlarge the scale σ, or the subset.",
        )
    solved = solve_pencil(stages, pencil_of(stages, apply, degrees))
    # The sentences about walks speak of ε; the width of this kernel is σ.
    return replace(solved, warnings=tuple((code, text.replace("ε", "σ")) for code, text in solved.warnings))


def held(size: Size) -> PeakMemory:
    """The views' distances, by which neighbourhoods are chosen, the metric's distances, and their kernel."""
    rows = min(size.n, int(cast("int", size.params["subset"] or size.n)))
    metric = PeakMemory(size.vectors(rows), size.vectors(rows), size.vectors(rows))
    pairs = PeakMemory(passing=2.0 * size.matrix) if size.params.get("middle_points") else PeakMemory()
    return sum((distances(size, i) for i in size.views), metric + pairs + in_rows(size) + solver(size))


METHODS = (
    Method(
        id="local-cca",
        title="Local CCA",
        formula="D_ij = (x_i − x_j)ᵗ P_i Λ_i P_iᵗ (x_i − x_j),   W = exp(−D / σ),   WᵗW",
        latex=(
            r"D_{ij} = (x_i - x_j)^{\mathsf T} P_i \Lambda_i P_i^{\mathsf T} (x_i - x_j)",
            r"W_{ij} = \exp(-D_{ij} / \sigma), \qquad W^{\mathsf T} W",
        ),
        summary="Distances that only see what two views share, from canonical correlations around every sample.",
        family=CORRELATION,
        source=f"{SOURCE}, Algorithms 1 and 2, (13)-(14)",
        params=(
            *AROUND_SAMPLES,
            DIRECTIONS,
            RIDGE,
            CCA_RANK,
            LOCAL_METRIC,
            MIDDLE_POINTS,
            SUBSET,
            SCALE,
        ),
        solve=solve,
        coordinates=diffusion_coordinates,
        min_views=2,
        max_views=2,
        footprint=held,
        requires="features",
        uses_epsilon=False,
        warm_starts=True,
        assumes="Around every sample the views are nearly linear, and what they share varies there and is not drowned.",
        cost="Two small eigenproblems per sample and one product for all distances; with middle points M²/2 of them.",
        remarks=(
            "The metric lives in the first view: swap the views to see the second one's picture, which may differ.",
            "With as few samples in a neighbourhood as dimensions, without a ridge or a lower rank, every canonical "
            "correlation is 1, of unrelated views as well: then the second view has no effect.",
            "Nearest neighbours hide the metric: they are spread alike in all directions. Repetitions, or a window "
            "in time, show how the variables really move.",
            "The bandwidth ε has no effect here; the scale σ does.",
        ),
    ),
)
