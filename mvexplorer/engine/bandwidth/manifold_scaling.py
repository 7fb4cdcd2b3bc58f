"""A weight for every feature, chosen so that the weighted samples have the dimension of their manifold.

The paper: Lindenbaum, Salhov, Yeredor, Averbuch, "Gaussian bandwidth selection for manifold learning and
classification" (2020), Algorithms 3.2 (vector scaling) and 3.3 (order of the features). Their optimum,
``|d_ε(A) - d̂| = 0``, is attained on a whole curve of A and ε. Here ε is where the implied dimension d_ε(A) is largest,
and among the weights that come about equally near to d̂ the largest is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array, MultiView, standard_deviations
from mvexplorer.engine.core.params import Param, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.dimension.danco import RANDOM_STATE, different_samples, in_units, sorted_rows
from mvexplorer.engine.dimension.estimates import DANCO_HIGHEST, Part, scales
from mvexplorer.engine.dimension.log_sum import largest_slope, log_sum_range, steepest
from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.engine.kernels.distances import check_size, nearest_apart, squared_distances
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.spectral.eigenpairs import Search, diffusion_decomposition
from mvexplorer.errors import DataError, ParameterError

Indices: TypeAlias = npt.NDArray[np.intp]

DIMENSION = Param(
    "dimension",
    "d̂",
    None,
    "Intrinsic dimension of the manifold; empty means that DANCo estimates it.",
    kind="int",
    low=1,
    title="Intrinsic dimension",
    source="Bandwidth selection, Algorithm 3.2",
    empty="DANCo",
)
LEARN_ON = Param(
    "learn_on",
    "",
    500,
    "Learn the weights on so many samples at most, drawn at random.",
    kind="int",
    low=3,
    high=5000,
    title="Learn on",
    source="Bandwidth selection, section 3.2",
)

HYPOTHESES = np.geomspace(0.01, 1.0, 9)
"""Weights tried for a feature: its s.d. in units of the rms s.d. of the features before it."""
ABOUT_EQUAL = 0.05
"""A weight counts as good as the best one if its implied dimension is farther from d̂ by no more than this."""


@dataclass(frozen=True, eq=False)
class ManifoldScaling:
    """Weights of features, and a bandwidth for the weighted samples.

    `weights` (D,) are the diagonal of A in (3.4): what to multiply the features by, 0 for constant ones. `epsilon` is
    the ε of the weighted samples by `log-sum`: the low end of the linear range of log S. `order` (D,) are indices of
    the features, those that follow the embedding most first; constant ones last. `dimension` is d̂, given or estimated.
    `scores` (D,) are sums of the feature's absolute correlations with the d̂ coordinates (3.14); 0 for constant ones.
    `implied` (D,) are the largest implied dimensions max_ε d_ε once the feature has joined; NaN for the first d̂ and
    for constant ones. `learnt_on` counts the samples from which the weights were learnt. `estimates` are DANCo's (n, d)
    on all these samples, and on parts of them; empty where d̂ was given. `spread` (D,) is the standard deviation of
    each feature, of all samples.
    """

    weights: Array
    epsilon: float
    order: Indices
    dimension: int
    scores: Array
    implied: Array = field(repr=False)
    learnt_on: int = 0
    estimates: tuple[tuple[int, int], ...] = ()
    spread: Array = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def doubt(self) -> str:
        """Why an estimated d̂ is doubtful; empty where it is given or looks sound."""
        if not self.estimates:
            return ""
        (n_all, d), (n_few, d_few) = self.estimates[0], self.estimates[-1]
        advice = "Give d̂ where it is known."
        if d != d_few:
            return f"The dimension blurs: DANCo finds {d} on {n_all} samples and {d_few} on {n_few} of them. {advice}"
        if d == DANCO_HIGHEST < np.count_nonzero(self.weights):
            return f"DANCo finds {d} dimensions, the most it tries: noise, or more than that. {advice}"
        return ""

    def scale(self, X: npt.ArrayLike) -> Array:
        """The samples (n, D) with their features weighted."""
        return np.asarray(X, dtype=np.float64) * self.weights


def manifold_scaling(
    X: npt.ArrayLike,
    *,
    dimension: int | None = None,
    learn_on: int = 500,
    random_state: int = 0,
    task: Task | None = None,
) -> ManifoldScaling:
    """Learn feature weights that suppress what does not belong to a manifold of dimension d̂; Algorithms 3.2 and 3.3.

    X (M, D) is the data as measured: the weights take care of the features' units. d̂ is by default DANCo's estimate;
    on noisy data that is the noise's: give it where it is known. The weights are learnt on at most `learn_on` samples;
    ε is chosen for all samples. `task` receives a warning where an estimated d̂ is doubtful. DataError where all
    samples are the same point, or there are too few; ParameterError where d̂ exceeds the number of features that vary,
    or the number of samples to learn on.
    """
    given = {"dimension": dimension, "learn_on": learn_on, "random_state": random_state}
    params = check_params((DIMENSION, LEARN_ON, RANDOM_STATE), given, "Manifold scaling")
    task, d = task or Task(), params["dimension"]
    scaling = learn_scaling(
        MultiView({"data": X}).Xs[0],
        None if d is None else int(d),
        int(params["learn_on"] or 0),
        int(params["random_state"] or 0),
        task,
    )
    if scaling.doubt:
        task.warn("dimension", scaling.doubt)
    return scaling


def learn_scaling(data: Array, dimension: int | None, learn_on: int, seed: int, task: Task) -> ManifoldScaling:
    """Learn as `manifold_scaling` does, from checked arguments (M, D); the caller warns about a doubtful d̂."""
    sample = data[drawn(data, learn_on, seed)]
    deviation = standard_deviations(sample)
    varying = np.flatnonzero(deviation)
    if not len(varying):
        raise DataError("No feature varies: all samples are the same point.", "Leave the view out.")
    sample, deviation = sample[:, varying], deviation[varying]
    estimates = () if dimension is not None else _estimates(sample, seed, Part(task, 0.0, 0.1))
    d = estimates[0][1] if dimension is None else dimension
    _check_dimension(d, len(varying), len(sample))
    scores = correlation_scores(sample, d, Part(task, 0.1, 0.15))
    order = np.argsort(-scores, kind="stable")
    size, implied = learn(sample / deviation, order, d, Part(task, 0.15, 0.8))

    def spread(values: Array, otherwise: float) -> Array:
        out = np.full(data.shape[1], otherwise)
        out[varying] = values
        return out

    weights = spread(size / deviation, 0.0)
    epsilon = _bandwidth(data * weights, Part(task, 0.8, 1.0))
    everything = np.concatenate([varying[order], np.setdiff1d(np.arange(data.shape[1]), varying)])
    return ManifoldScaling(
        weights,
        epsilon,
        everything,
        d,
        spread(scores, 0.0),
        spread(implied, np.nan),
        len(sample),
        estimates,
        standard_deviations(data),
    )


def drawn(X: Array, count: int, seed: int) -> Indices:
    """At most `count` rows of X (M, D), drawn from a sorted list: the order they come in has no effect."""
    return sorted_rows(X)[random_rows(len(X), count, seed)]


def _estimates(sample: Array, seed: int, task: Task) -> tuple[tuple[int, int], ...]:
    """(n, d) by DANCo on all samples and on parts of them, whose neighbourhoods are wider."""
    return tuple((n, estimate.dimension) for n, estimate in scales(different_samples(sample), seed, task))


def _check_dimension(dimension: int, n_features: int, n_samples: int) -> None:
    if dimension > n_features:
        raise ParameterError(
            f"The dimension d̂ = {dimension} exceeds the number of features that vary, {n_features}.",
            f"Give at most {n_features}.",
        )
    if dimension > n_samples - 2:
        raise ParameterError(
            f"{n_samples} samples are too few for {dimension} coordinates.", "Give a smaller d̂, or more samples."
        )


def _bandwidth(X: Array, task: Task) -> float:
    """ε_0 of `log-sum` (Algorithm 3.1) for the samples X (M, D)."""
    check_size(len(X))
    return log_sum_range(squared_distances(X, task=task), task).epsilon_0


# The order of the features: Algorithm 3.3 -------------------------------------------------------------------------


def correlation_scores(X: Array, dimension: int, task: Task) -> Array:
    """``Σ_k |corr(feature, coordinate k)|`` (D,) over d̂ diffusion coordinates at max-min, C = 2; (3.14).

    Every column of X (M, D) varies. Coordinates that may be rounding are scored as well.
    """
    distances = squared_distances(in_units(X), task=task)
    K = gaussian(distances, max_min(distances, task), task)
    walk = diffusion_decomposition(K, K.sum(axis=1), Search(dimension + 1), task)
    coordinates = walk.blocks[0][:, 1:]
    return cast("Array", np.abs(_standard(X).T @ _standard(coordinates)).sum(axis=1) / len(X))


def max_min(distances: Array, task: Task) -> float:
    """``C max_j min_{i≠j} |x_i - x_j|²`` of squared distances (M, M), those of duplicates ignored; (3.1) with C = 2."""
    safety = 2.0  # C of max-min, for the embedding by which features are ordered.
    return safety * float(nearest_apart(distances, task).max())


def _standard(X: Array) -> Array:
    """Columns of mean 0 and s.d. 1; 0 where they do not vary."""
    deviation = standard_deviations(X)
    return np.where(deviation > 0.0, (X - X.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0), 0.0)


# The weights: Algorithm 3.2 ---------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One more feature: its weight A, the block's ε and implied dimension with it, and the new squared distances."""

    weight: float
    epsilon: float
    implied: float
    pairs: Array


def learn(standard: Array, order: Indices, dimension: int, task: Task) -> tuple[Array, Array]:
    """Compute s.d. (D,) of the final columns, and the implied dimension (D,) once each of them has joined.

    `standard` (n, D) are features of s.d. 1, `order` (D,) their indices, the best first. The block starts as the first
    d̂ features; each further one joins with the weight that keeps the implied dimension at d̂, and the block is divided
    by √ε. Only distances are kept, updated by one feature at a time.
    """
    n_samples, n_features = standard.shape
    size, implied = np.zeros(n_features), np.full(n_features, np.nan)
    size[order[:dimension]] = 1.0
    pairs = sum((_differences(standard[:, k]) for k in order[:dimension]), start=np.zeros(1))
    for place in range(dimension, n_features):
        task.progress((place - dimension) / (n_features - dimension))
        unit = float(np.sqrt(np.mean(size[order[:place]] ** 2)))
        step = best_step(pairs, unit**2 * _differences(standard[:, order[place]]), n_samples, dimension, task)
        size[order[place]], implied[order[place]] = unit * step.weight, step.implied
        size /= np.sqrt(step.epsilon)
        pairs = step.pairs / step.epsilon
    return size, implied


def best_step(pairs: Array, feature: Array, n_samples: int, dimension: int, task: Task) -> Step:
    """Find the largest of the weights of a feature that are about as good as the best, by ``|max_ε d_ε - d̂|``; (3.13).

    `pairs` (m,) are squared distances within the block so far, `feature` (m,) squared differences of the feature, at
    weight 1.
    """
    candidates = [pairs + weight**2 * feature for weight in HYPOTHESES]
    misses = np.array([abs(2.0 * largest_slope(c, n_samples, task) - dimension) for c in candidates])
    bar = misses.min() + ABOUT_EQUAL
    chosen = int(np.flatnonzero(misses <= bar)[-1])
    # Precision of ε, in log ε: the implied dimension is stationary there, and so right to about its square.
    precision = 1e-4
    rough = 4e-3  # Error that the implied dimension may have where it is taken from bins, to choose among weights.
    if np.any(np.abs(misses - bar) < 2.0 * rough):  # too near to tell from bins
        exact = [steepest(c, n_samples, task, precision) for c in candidates]
        misses = np.array([abs(2.0 * there.slope - dimension) for _, there in exact])
        chosen = int(np.flatnonzero(misses <= misses.min() + ABOUT_EQUAL)[-1])
    epsilon, there = steepest(candidates[chosen], n_samples, task, precision)
    return Step(float(HYPOTHESES[chosen]), epsilon, 2.0 * there.slope, candidates[chosen])


def _differences(feature: Array) -> Array:
    """(x_i - x_j)² of the pairs i < j, (m,), from a feature (n,)."""
    return np.concatenate([np.square(feature[i + 1 :] - x) for i, x in enumerate(feature)])
