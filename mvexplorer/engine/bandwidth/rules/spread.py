"""Rules that look at how far the samples of a view lie apart."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log, log10
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.bandwidth.curves import MOST_ALONE, connected, connectivity, reach_of, share_in_few
from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.core.multiview import Array, standard_deviations
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.kernels.affinities import metric_blocks
from mvexplorer.engine.kernels.distances import ALL, BLOCK_ROWS, nearest_apart
from mvexplorer.engine.kernels.landmarks import REACH
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.kernels.neighbours import neighbour_distance
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, landmarks_of, median_of
from mvexplorer.errors import DataError, ParameterError
from mvexplorer.wording import listed, number

FAR = 4.0
"""Medians of the squared distance from which on a sample that has none nearer lies far from all others."""
SELECTION = "Lindenbaum, Salhov, Yeredor, Averbuch: Gaussian bandwidth selection (2020)"


def median_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Median off-diagonal squared distance."""
    require_spread(stages, i)
    return median_of(stages, i)


def std_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Mean squared distance of the samples from their mean; or 1, once every feature is divided by its s.d. (3.5)."""
    require_spread(stages, i)  # computes the distances, which refuses numbers too large to be squared
    if params["scaling"] == "features":
        _check_scaling(stages, i)
        return 1.0
    if stages.kernels[i].kind.metric != "euclidean":
        return 0.5 * float(distances_of(stages, i).mean())  # the same number, for metrics without a mean
    X = stages.points(i)
    return float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())


def _check_scaling(stages: Stages, i: int) -> None:
    """Refuse ε = 1 for a metric on whose rows the features no longer have the spread they are divided by."""
    if stages.kernels[i].metric != EUCLIDEAN:
        raise ParameterError(
            f"The rule std(scaling=features) needs Euclidean distances, and view “{stages.view_name(i)}” has the "
            f"metric {stages.kernels[i].metric}.",
            "Choose std, another rule, or the metric euclidean for this view.",
        )


def _std_weights(stages: Stages, i: int, params: Mapping[str, Value]) -> tuple[Array, float]:
    """A_kk = 1 / s.d. of feature k (the printed A = s.d. is inverted), constant features at 0, and ε = 1; (3.5)."""
    X = stages.view(i)
    if params["scaling"] != "features":
        return np.ones(X.shape[1]), std_rule(stages, i, params)
    spread = standard_deviations(X)
    return np.where(spread > 0.0, 1.0 / np.where(spread > 0.0, spread, 1.0), 0.0), std_rule(stages, i, params)


def max_min_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """``C · max_j min_{i≠j} |x_i - x_j|²``, zero distances of duplicates ignored; multi-view diffusion maps (24)."""
    require_spread(stages, i)
    nearest = nearest_apart(distances_of(stages, i), stages.task)
    if not np.isfinite(nearest.max()):
        raise no_spread(stages, i)
    return float(params["C"] or 1.0) * float(nearest.max())


def robust_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """``2 min(q, median d²)``, q the .99 quantile over i of ``min_j |x_i - x_j|²``; more where samples stand alone.

    What is nearer than 1e-9 of the median counts as the same place. Of many samples a random part looks at all others;
    who stands alone is not looked at then, since in a part more do than among all.
    """
    some = stages.subsample()
    require_spread(some, i)
    median = median_of(some, i)
    nearest = _nearest_of(some, stages, i, least=1e-9 * median)
    if not np.isfinite(nearest).any():
        raise no_spread(some, i)
    quantile = float(np.quantile(nearest[np.isfinite(nearest)], 0.99))
    start = 2.0 * min(quantile, median)
    most = 2.0 * median
    epsilon = _raised(stages, i, start, most) if some is stages else start
    reached = _reaching_landmarks(stages, i, epsilon, most)
    named = nearest if some is stages else nearest[:0]  # a part has no names of its own
    text = _set_aside(some, i, quantile, start, epsilon, named)
    if reached > epsilon:
        name, times = some.view_name(i), number(reached / epsilon, 2)
        far = f"ε of {name} is raised × {times}, since samples were out of reach of all landmarks."
        text = f"{text} {far}".strip()
    if text:
        stages.task.tell(Notice("robust", text, (some.view_name(i),)))
    return max(epsilon, reached)


def _raised(stages: Stages, i: int, start: float, most: float) -> float:
    """The first ε from `start` on, on a grid of 10^.1, at which few samples stand alone; `most` where there is none."""
    kernel, step = stages.kernels[i], 10.0**0.1
    joined = connected(distances_of(stages, i) <= reach_of(kernel, start), stages.task)
    if share_in_few(np.bincount(joined)) <= MOST_ALONE:
        return start
    graph = connectivity(stages, i)
    tried = start * step ** np.arange(max(1, ceil(log(most / start) / log(step) - 1e-9)))
    return next((float(e) for e in tried if graph.alone(reach_of(kernel, e)) <= MOST_ALONE), most)


def _reaching_landmarks(stages: Stages, i: int, epsilon: float, most: float) -> float:
    """The first ε on the same grid at which every sample has an affinity to some landmark; `most` where there is none.

    Other kernels have the ε as it is.
    """
    if not stages.kernels[i].landmarks:
        return epsilon
    landmarks, many, farthest = stages.point_rows(i, landmarks_of(stages, i)), 4096, 0.0
    for start in range(0, stages.n_samples, many):
        stages.task.checkpoint()
        block = metric_blocks("euclidean", stages.point_rows(i, slice(start, start + many)), landmarks)(ALL, ALL)
        farthest = max(farthest, float(block.min(axis=1).max()))
    least = 10.0 * REACH  # affinity to the nearest landmark
    steps = ceil(10.0 * log10(max(farthest / (-2.0 * log(least)) / epsilon, 1.0)) - 1e-9)
    return min(epsilon * float(10.0 ** (0.1 * steps)), max(most, epsilon))


def _nearest_of(some: Stages, stages: Stages, i: int, least: float) -> Array:
    """Squared distance (m,) from each of some samples to the nearest of all that is farther than `least`."""
    metric = stages.kernels[i].kind.metric
    if some is stages or metric == "none":
        return nearest_apart(distances_of(some, i), stages.task, least)
    looking = 1000  # samples: all of a part would take long beside a million
    return nearest_among_all(some.points(i)[:: max(1, some.n_samples // looking)], stages, i, least)


def nearest_among_all(
    X: Array, stages: Stages, i: int, least: float = 0.0, own: npt.NDArray[np.intp] | None = None
) -> Array:
    """Squared distance (m,) from each of some samples X (m, D) to the nearest of all farther than `least`.

    They are as their view's metric sees them. With their `own` numbers (m,) to the nearest other one, however near.
    """
    metric, many = stages.kernels[i].kind.metric, 4096  # samples at a time: they may stay in a file
    out = np.full(len(X), np.inf)
    for start in range(0, stages.n_samples, many):
        blocks = metric_blocks(metric, X, stages.point_rows(i, slice(start, start + many)))
        for first in range(0, len(out), BLOCK_ROWS):
            stages.task.checkpoint()
            rows = slice(first, first + BLOCK_ROWS)
            block = blocks(rows, ALL)
            if own is None:
                block = np.where(block > least, block, np.inf)
            else:
                place = own[rows] - start
                here = np.flatnonzero((place >= 0) & (place < block.shape[1]))
                block[here, place[here]] = np.inf
            np.minimum(out[rows], block.min(axis=1), out=out[rows])
    return out


def _set_aside(stages: Stages, i: int, quantile: float, start: float, epsilon: float, nearest: Array) -> str:
    """The sentence about more than the rule says of itself, and which samples max-min would follow; or none."""
    median, name = median_of(stages, i), stages.view_name(i)
    usual = text = f"ε of {name}: max-min without the 1 % most isolated samples"
    if quantile > median:
        text += ", held at twice the median"
    if epsilon > start:
        alone = 100.0 * connectivity(stages, i).alone(reach_of(stages.kernels[i], start))
        text += f", raised × {number(epsilon / start, 2)}: {alone:.0f} % of the samples stood alone"
    holding = np.flatnonzero(np.where(np.isfinite(nearest), nearest, 0.0) > FAR * median)
    if not len(holding):
        return "" if text == usual else f"{text}."
    most = 3  # names in a sentence
    if len(holding) > most:
        return f"{text}. Max-min would follow {len(holding)} samples."
    one = "one sample" if len(holding) == 1 else f"{len(holding)} samples"
    return f"{text}. Max-min would follow {one}: {listed([str(stages.data.sample_ids[j]) for j in holding])}."


def require_spread(stages: Stages, i: int) -> None:
    """Raise DataError where all samples of view i are the same point, as far as squares can tell."""
    X = stages.points(i)
    if not np.any(X[0] != X) or not np.any(distances_of(stages, i)):
        raise no_spread(stages, i)


def no_spread(stages: Stages, i: int) -> DataError:
    """The error for a view whose samples are all the same point."""
    name, X = stages.data.view_names[stages.views[i]], stages.points(i)
    if np.any(X[0] != X):
        return DataError(
            f"The differences in view “{name}” are too small to be squared.",
            "Rescale the view, z-score it, or leave it out.",
        )
    return DataError(
        f"All samples of view “{name}” are the same point, so no rule can find its bandwidth.",
        "Leave the view out, or give its ε as a number.",
    )


C = Param(
    "C",
    "C",
    1.0,
    "Safety factor: larger joins more samples, smaller suits multi-view methods.",
    low=1e-6,
    high=1e6,
    log=True,
    source="(24)",
)
SCALING = Param(
    "scaling",
    "",
    "mean",
    "One ε for the view as it is, or every feature divided by its standard deviation and ε = 1.",
    kind="choice",
    choices=("mean", "features"),
    title="Scaling",
    source="(3.5)",
)
NEIGHBOUR = Param(
    "r",
    "r",
    7,
    "Which nearest neighbour's distance is a sample's own scale.",
    kind="int",
    low=1,
    title="Neighbour",
    source="(3.2)",
)


def self_tuning_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Median of σ_j²/2, σ_j the distance to the r-th neighbour: exp(-d²/σ²) is exp(-d²/2ε) at ε = σ²/2; (3.2)-(3.3)."""
    require_spread(stages, i)
    r = int(cast("int", params["r"]))
    if r >= stages.n_samples:
        raise ParameterError(
            f"There is no neighbour number {r} among {stages.n_samples} samples.",
            f"Give r of at most {stages.n_samples - 1}.",
        )
    return 0.5 * float(np.median(neighbour_distance(distances_of(stages, i), r, stages.task)))


RULES = (
    Rule(
        "max-min",
        "Max-min",
        "m",
        "The largest distance to a nearest neighbour: nobody is left alone.",
        "Multi-view diffusion maps, (24)",
        max_min_rule,
        (C,),
        cost="One pass over the distances.",
        remark="One outlier decides it: its distance becomes everybody's bandwidth.",
    ),
    Rule(
        "robust",
        "Robust",
        "r",
        "Max-min without the 1 % most isolated samples, at most twice the median.",
        "Multi-view diffusion maps, (24); what it leaves out is ours",
        robust_rule,
        cost="One pass over the distances, and where many samples stand alone a spanning tree.",
        remark="Where every sample matters, even the farthest, max-min joins them all.",
        whole=True,
    ),
    Rule(
        "median",
        "Median",
        "½",
        "The median squared distance: a broad kernel in which half of all pairs are close.",
        "Common practice",
        median_rule,
        cost="One pass over the distances.",
        remark="Far too wide for curves and sheets: it sees clusters and principal directions only.",
    ),
    Rule(
        "std",
        "Standard deviation",
        "s",
        "The mean squared distance from the mean: the total variance of the view.",
        f"{SELECTION}, section 3",
        std_rule,
        (SCALING,),
        cost="One pass over the features.",
        remark="Right for a uniform cloud; on z-scored features of high dimension the per-feature form (ε = 1) "
        "disconnects the graph.",
        weigh=_std_weights,
    ),
    Rule(
        "self-tuning",
        "Self-tuning",
        "t",
        "Half the median squared distance to the r-th neighbour: the one ε that local scales come down to.",
        f"{SELECTION}, (3.2)-(3.3)",
        self_tuning_rule,
        (NEIGHBOUR,),
        cost="One partial sort of the distances.",
        remark="Ties and duplicates shrink it; where density varies use the self-tuning kernel, a scale per sample.",
    ),
)
