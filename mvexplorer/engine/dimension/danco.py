"""DANCo: the intrinsic dimension from the norms and the angles between nearest neighbours.

Points of a d-dimensional ball keep certain distances to their nearest neighbours, and see them under certain angles;
d̂ is the d whose ball resembles the data most. The paper: Lindenbaum, Salhov, Yeredor, Averbuch, "Gaussian bandwidth
selection for manifold learning and classification" (2020), appendix, after Ceruti, Bassis, Rozza, Lombardi, Casiraghi,
Campadelli, "DANCo: an intrinsic dimensionality estimator exploiting angle and norm concentration" (2014).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import Param, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.errors import DataError

Indices: TypeAlias = npt.NDArray[np.intp]

NEIGHBOURS = Param(
    "neighbours",
    "ℓ",
    10,
    "Nearest neighbours whose distances and angles are looked at.",
    kind="int",
    low=3,
    high=20,
    title="Neighbours",
    source="Bandwidth selection, appendix, step 1",
)
HIGHEST = Param(
    "highest",
    "",
    10,
    "Highest dimension that is tried.",
    kind="int",
    low=1,
    high=30,
    title="Highest dimension",
    source="Bandwidth selection, appendix, step 7",
)
RANDOM_STATE = Param(
    "random_state", "", 0, "Seed of the random numbers.", kind="int", low=0, high=2**32 - 1, title="Seed"
)

BLOCK_ENTRIES = 1 << 17
"""Distances sorted between two checkpoints: a few milliseconds of work."""
BLOCK_NUMBERS = 1 << 18
"""Numbers of neighbours gathered between two checkpoints."""


class NormsAndAngles(NamedTuple):
    """Statistics of the nearest neighbours of all samples.

    `dimension` is d_ML, the maximum of (7.1), from the norms; `direction` is μ_ν, the mean angle (radians) between
    neighbours, and `concentration` μ_τ, how closely the angles keep to it, both averaged over the samples.
    """

    dimension: float
    direction: float
    concentration: float


@dataclass(frozen=True, eq=False)
class Danco:
    """An estimate of the intrinsic dimension.

    `dimension` is d̂, where the divergence is least. `divergences` (h,) are Kullback-Leibler divergences of the data
    from the ball of dimension 1..h: norms and angles together. `measured` are norms and angles of the data, `expected`
    those of as many points in the balls of dimension 1..h.
    """

    dimension: int
    divergences: Array
    measured: NormsAndAngles
    expected: tuple[NormsAndAngles, ...] = field(repr=False)


def danco(
    X: npt.ArrayLike, *, neighbours: int = 10, highest: int = 10, random_state: int = 0, task: Task | None = None
) -> Danco:
    """Estimate the dimension of samples (M, D): the d <= `highest` whose ball they resemble most in norms and angles.

    Repeated samples count once. The balls are drawn once for each number of samples, and remembered. Points of a grid
    keep apart as if they had more dimensions than they have: the estimate is too high. ℓ `neighbours` are looked at,
    and no dimension above D is tried. DataError where there are fewer different samples than neighbours + 2.
    """
    given = {"neighbours": neighbours, "highest": highest, "random_state": random_state}
    params = check_params((NEIGHBOURS, HIGHEST, RANDOM_STATE), given, "DANCo")
    count, top, seed = (int(params[name] or 0) for name in given)
    points = different_samples(X)
    question = (blake2b(np.ascontiguousarray(points).data, digest_size=16).hexdigest(), points.shape, count, top, seed)
    if question not in _ANSWERS:
        answer = compared_with_balls(points, count, top, seed, task or Task())
        while len(_ANSWERS) >= REMEMBERED:
            _ANSWERS.pop(next(iter(_ANSWERS)))
        _ANSWERS[question] = answer
    return _ANSWERS[question]


REMEMBERED = 64
_ANSWERS: dict[Hashable, Danco] = {}
"""Former answers: the same view is asked about again and again."""


def compared_with_balls(points: Array, neighbours: int, highest: int, seed: int, task: Task) -> Danco:
    """Carry out DANCo on points (m, D) that are all different, in units as `different_samples` gives them."""
    if len(points) < neighbours + 2:
        raise DataError(
            f"DANCo looks at {neighbours + 1} neighbours of a sample, and the number of different samples is "
            f"{len(points)}.",
            "Ask for fewer neighbours, or give the dimension yourself.",
        )
    top = min(highest, points.shape[1])
    measured = norms_and_angles(points, neighbours, task)
    expected = []
    for d in range(1, top + 1):
        task.progress(d / (top + 1))
        expected.append(calibration(len(points), neighbours, d, seed, task))
    divergences = np.array([divergence(measured, ball, neighbours) for ball in expected])
    task.progress(1.0)
    return Danco(int(np.argmin(divergences)) + 1, divergences, measured, tuple(expected))


def different_samples(X: npt.ArrayLike) -> Array:
    """The different rows (m, D) of X, sorted, centred and in units of the largest number.

    From here on the order, repetition, unit and origin of the samples have no effect.
    """
    data = MultiView({"data": X}).Xs[0]
    data = data[sorted_rows(data)]
    return in_units(data[np.concatenate([[True], np.any(data[1:] != data[:-1], axis=1)])])


def sorted_rows(X: Array) -> Indices:
    """Indices (M,) that sort the rows of X, independent of their given order; equal rows are adjacent.

    The key is a random weighted sum of the features: sorting feature by feature takes a second for pictures.
    """
    factors = np.random.default_rng(0).standard_normal(X.shape[1]) / (np.abs(X).max() or 1.0)
    return np.argsort((X * factors).sum(axis=1), kind="stable")


def in_units(X: Array) -> Array:
    """X (M, D) centred, its numbers between -1 and 1, so that all can be squared; zeros where nothing varies."""
    X = X / (np.abs(X).max() or 1.0)
    X = X - X.mean(axis=0)
    return cast("Array", X / (np.abs(X).max() or 1.0))


# What a ball looks like --------------------------------------------------------------------------------------


_known: dict[tuple[int, int, int, int], NormsAndAngles] = {}


def calibration(n_samples: int, neighbours: int, dimension: int, seed: int, task: Task) -> NormsAndAngles:
    """Measure norms and angles among `n_samples` points uniform in the unit ball, drawn once in the process's life.

    For d = 1 all angles are 0 or π and their concentration has no estimate: it is 1 there.
    """
    key = (n_samples, neighbours, dimension, seed)
    if key not in _known:
        measured = norms_and_angles(uniform_ball(n_samples, dimension, seed), neighbours, task)
        _known[key] = measured._replace(concentration=1.0) if dimension == 1 else measured
    return _known[key]


def uniform_ball(n_samples: int, dimension: int, seed: int) -> Array:
    """Points (n, d) uniform in the unit ball."""
    rng = np.random.default_rng([seed, dimension])
    directions = rng.standard_normal((n_samples, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return directions * rng.random((n_samples, 1)) ** (1.0 / dimension)


# Norms and angles ---------------------------------------------------------------------------------------------


def norms_and_angles(X: Array, neighbours: int, task: Task) -> NormsAndAngles:
    """Steps 1-6 of the appendix on points X (n, D), all different."""
    nearest = nearest_neighbours(X, neighbours + 1, task)
    log_ratios, directions, concentrations = (np.empty(len(X)) for _ in range(3))
    step = max(1, BLOCK_NUMBERS // (nearest.shape[1] * max(X.shape[1], neighbours)))
    tiny = 1e-150  # Smallest length, in units of the data, that is counted: the squares of smaller ones vanish.
    for start in range(0, len(X), step):
        task.checkpoint()
        rows = slice(start, start + step)
        around = X[nearest[rows]] - X[rows, None, :]
        norms = np.maximum(np.linalg.norm(around, axis=2), tiny)
        log_ratios[rows] = np.log(norms[:, 0] / norms[:, -1])
        unit = around[:, :-1] / norms[:, :-1, None]
        directions[rows], concentrations[rows] = _von_mises(unit)
    return NormsAndAngles(
        norm_dimension(log_ratios, neighbours), float(directions.mean()), float(concentrations.mean())
    )


def nearest_neighbours(X: Array, count: int, task: Task) -> Indices:
    """Indices (n, count) of the nearest other points, the nearest first."""
    out = np.empty((len(X), count), dtype=np.intp)
    step = max(1, BLOCK_ENTRIES // len(X))
    for start in range(0, len(X), step):
        task.checkpoint()
        rows = np.arange(start, min(start + step, len(X)))
        D = squared_distances(X[rows], X, task)
        D[rows - start, rows] = np.inf
        some = np.argpartition(D, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(D, some, axis=1), axis=1, kind="stable")
        out[rows] = np.take_along_axis(some, order, axis=1)
    return out


def norm_dimension(log_ratios: Array, neighbours: int) -> float:
    """d_ML, the maximum of the likelihood (7.1), from log ρ (n,), ρ = nearest distance / farthest distance.

    The likelihood is concave, so that its derivative has one root; beyond the range, the end of the range is used.
    """
    with IMPORTS:
        from scipy.optimize import brentq

    log_ratios = np.minimum(log_ratios, -1e-12)  # all neighbours at one distance: lattices, one-hot codes
    total, n = float(log_ratios.sum()), len(log_ratios)

    def derivative(d: float) -> float:
        power = np.exp(d * log_ratios)
        return n / d + total + (neighbours - 1) * float((power * log_ratios / np.expm1(d * log_ratios)).sum())

    # Range of the estimate from norms alone; samples in tight pairs, or all at one distance, would leave it.
    lowest_estimate, highest_estimate = 1e-4, 1e4
    for end, outside in ((highest_estimate, 1.0), (lowest_estimate, -1.0)):
        if outside * derivative(end) > 0.0:
            return end
    return float(brentq(derivative, lowest_estimate, highest_estimate, xtol=1e-12, rtol=1e-12))


def _von_mises(unit: Array) -> tuple[Array, Array]:
    """Mean direction and concentration (n,) of the angles between all pairs of unit vectors (n, ℓ, D); (7.2)."""
    i, j = np.triu_indices(unit.shape[1], 1)
    cosine = np.clip(np.matmul(unit, unit.transpose(0, 2, 1))[:, i, j], -1.0, 1.0)
    x, y = cosine.mean(axis=1), np.sqrt(1.0 - cosine**2).mean(axis=1)
    return np.arctan2(y, x), concentration(np.hypot(x, y))


def concentration(resultant: npt.ArrayLike) -> Array:
    """τ (n,) with I1(τ)/I0(τ) = R: the maximum likelihood of the von Mises distribution.

    Newton's method from the approximation of Best and Fisher (1981); I1/I0 is concave, so that it cannot run away.
    """
    # Directions with a smaller 1 - R count as parallel, because their concentration 1/2(1-R) would be rounding.
    parallel = 5e-7
    R = np.clip(resultant, 1e-12, 1.0 - parallel)
    small = 2.0 * R + R**3 + 5.0 / 6.0 * R**5
    middle = -0.4 + 1.39 * R + 0.43 / (1.0 - R)
    tau = np.where(R < 0.53, small, np.where(R < 0.85, middle, 1.0 / (R * (1.0 - R) * (3.0 - R))))
    for _ in range(5):
        ratio = _bessel_ratio(tau)
        tau = tau - (ratio - R) / (1.0 - ratio**2 - ratio / tau)
    return cast("Array", tau)


def _bessel_ratio(tau: npt.ArrayLike) -> Array:
    """I1(τ)/I0(τ), through functions scaled by e^-τ."""
    with IMPORTS:
        from scipy.special import i0e, i1e

    return cast("Array", i1e(tau) / i0e(tau))


# Kullback-Leibler divergences ---------------------------------------------------------------------------------


def divergence(measured: NormsAndAngles, ball: NormsAndAngles, neighbours: int) -> float:
    """Divergence of the data from a ball: that of the norms and that of the angles; appendix, step 9."""
    angles = angle_divergence(*measured[1:], *ball[1:])
    return norm_divergence(measured.dimension, ball.dimension, neighbours) + angles


def norm_divergence(first: float, second: float, neighbours: int) -> float:
    """KL divergence between the densities g(ρ) = ℓ d ρ^(d-1) (1-ρ^d)^(ℓ-1) on [0, 1] of two dimensions d.

    H_ℓ q - 1 - H_(ℓ-1) - log q - (ℓ-1) Σ_i (-1)^i C(ℓ,i) Ψ(1 + i/q), q = second / first, H harmonic numbers.
    """
    with IMPORTS:
        from scipy.special import digamma

    q = second / first
    harmonic = sum(1.0 / i for i in range(1, neighbours))
    tail = math.fsum((-1.0) ** i * math.comb(neighbours, i) * digamma(1.0 + i / q) for i in range(neighbours + 1))
    return float((harmonic + 1.0 / neighbours) * q - 1.0 - harmonic - math.log(q) - (neighbours - 1) * tail)


def angle_divergence(direction_1: float, tau_1: float, direction_2: float, tau_2: float) -> float:
    """KL divergence between two von Mises distributions of given mean direction (radians) and concentration τ.

    log I0(τ2)/I0(τ1) + I1(τ1)/I0(τ1) (τ1 - τ2 cos(ν1-ν2)), through Bessel functions scaled by e^-τ.
    """
    with IMPORTS:
        from scipy.special import i0e

    log_ratio = math.log(i0e(tau_2) / i0e(tau_1)) + tau_2 - tau_1
    turn = tau_1 - tau_2 * math.cos(direction_1 - direction_2)
    return float(log_ratio + float(_bessel_ratio(tau_1)) * turn)
