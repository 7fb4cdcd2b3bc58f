"""How the sum of a Gaussian kernel grows with its bandwidth: S(ε) = Σ_ij exp(-r_ij / 2ε), the diagonal included.

Where log S is a straight line of slope d/2 in log ε, the kernel sees a d-dimensional neighbourhood of every sample.
The paper: Lindenbaum, Salhov, Yeredor, Averbuch, "Gaussian bandwidth selection for manifold learning and
classification" (2020), Algorithm 3.1 and (3.6)-(3.12). The exponent printed in (3.11) is a slip; (3.12) is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import check_epsilon
from mvexplorer.errors import DataError

BIN = 0.02
"""Width in log r of the bins from which the curve is drawn; its slope is right to 1e-4."""
STEP = 0.05
"""Step in log ε of the scan for the steepest place: the curve has no detail below about 1."""
FAR = 700.0
"""r/2ε beyond which the kernel is 0 for all purposes, and its square still no denormal number, which would be slow."""
BLOCK_PAIRS = 1 << 16
"""Pairs handled between two checkpoints: a fraction of a millisecond, and no more than fits the cache."""
EXACT = 1e-13
"""Precision in log ε of a root."""


class LogSum(NamedTuple):
    """The sum of the kernel at one ε.

    `log_sum` is log S(ε), from log N (every sample alone) to 2 log N (all alike); `slope` d log S / d log ε = d_ε / 2,
    half the implied dimension (3.12); `bend` d slope / d log ε.
    """

    log_sum: float
    slope: float
    bend: float


class LogSumRange(NamedTuple):
    """The linear range of log S against log ε (Algorithm 3.1), in squared units of the distance.

    `epsilon_0` and `epsilon_1` are ends of the connected range around the steepest place in which the slope is at least
    .7 of the largest; `steepest` is the ε of the largest slope, `slope` that slope.
    """

    epsilon_0: float
    epsilon_1: float
    steepest: float
    slope: float

    @property
    def dimension(self) -> float:
        """The largest implied dimension, twice the slope: biased, so not to be used as an estimate."""
        return 2.0 * self.slope


class Bins(NamedTuple):
    """A histogram of squared distances: `at` (b,) the mean of each bin, `pairs` (b,) its count; 0 is left out."""

    at: Array
    pairs: Array


def log_sum_range(distances: Array, task: Task | None = None) -> LogSumRange:
    """Find the linear range of log S; Algorithm 3.1, with its "maximal linear range" made definite.

    `distances` (M, M) are squared. The ends are roots, so that neither the grid of the scan nor the unit of the data
    affects them. DataError where all samples are the same point.
    """
    task = task or Task()
    (pairs, unit), n_samples = _in_units(distances, task), len(distances)
    grid, slopes = _scan(binned(pairs, task), n_samples, len(pairs), task)
    task.progress(0.3)
    peak = _polish(pairs, n_samples, grid, slopes, EXACT, task)
    linear = 0.7  # Part of the largest slope that still counts as the linear range.
    level = linear * log_sum_at(pairs, n_samples, math.exp(peak), task).slope
    task.progress(0.5)

    def above(t: float) -> float:
        return log_sum_at(pairs, n_samples, math.exp(t), task).slope - level

    inside = slopes >= level
    top = int(slopes.argmax())
    first = top - int(np.argmin(inside[top::-1])) + 1
    last = top + int(np.argmin(inside[top:])) - 1
    low = _root(above, grid[first] - STEP, min(grid[first], peak), EXACT)
    task.progress(0.75)
    high = _root(lambda t: -above(t), max(grid[last], peak), grid[last] + STEP, EXACT)
    task.progress(1.0)
    epsilon_0, epsilon_1, at = (unit * math.exp(t) for t in (low, high, peak))
    return LogSumRange(epsilon_0, epsilon_1, at, level / linear)


def _in_units(distances: Array, task: Task) -> tuple[Array, float]:
    """Squared distances (m,) of the pairs i < j in units of the largest, and the unit; none overflows any more."""
    n = len(distances)
    pairs, place, unit = np.empty(n * (n - 1) // 2), 0, 0.0
    for i in range(n - 1):
        task.checkpoint()
        row = pairs[place : place + n - 1 - i]
        row[:] = distances[i, i + 1 :]
        unit, place = max(unit, float(row.max())), place + len(row)
    if unit == 0.0:
        raise DataError(
            "All samples are the same point, so the sum of the kernel does not grow with ε.",
            "Leave the view out, or give its ε as a number.",
        )
    for part in _blocks(pairs, task):
        part /= unit
    return pairs, unit


def _blocks(pairs: Array, task: Task) -> Iterator[Array]:
    """The pairs (m,) in parts, with a chance to stop before each."""
    for start in range(0, len(pairs), BLOCK_PAIRS):
        task.checkpoint()
        yield pairs[start : start + BLOCK_PAIRS]


def growth_curve(distances: Array, epsilon: npt.ArrayLike, task: Task | None = None) -> tuple[Array, Array]:
    """Compute log S and its slope d_ε/2, (g,) each, at many ε (g,): an exponential per bin of distances, right to 1e-4.

    `distances` (M, M) are squared, ε in the same unit. DataError where all samples are the same point; ParameterError
    for an ε that is not positive and finite.
    """
    task = task or Task()
    pairs, unit = _in_units(distances, task)
    t = np.log([check_epsilon(e) for e in np.ravel(epsilon)]) - math.log(unit)
    sums, moments = _sums(binned(pairs, task), len(distances), len(pairs), t, task)
    return np.log(sums), moments / sums


def log_sum_at(pairs: Array, n_samples: int, epsilon: float, task: Task) -> LogSum:
    """Compute S and two derivatives of log S at one ε, exactly, from squared distances (m,) r; (3.6) and (3.12)."""
    scratch = np.empty((2, min(BLOCK_PAIRS, len(pairs))))
    total, first, second = 0.5 * n_samples, 0.0, 0.0
    for part in _blocks(pairs, task):
        a, K = scratch[:, : len(part)]
        np.divide(part, 2.0 * epsilon, out=a)
        np.minimum(a, FAR, out=a)
        np.negative(a, out=K)
        np.exp(K, out=K)
        total += float(K.sum())
        np.multiply(K, a, out=K)
        first += float(K.sum())
        second += float(K @ a)
    slope = first / total
    return LogSum(math.log(2.0 * total), slope, (second - first) / total - slope**2)


def steepest(pairs: Array, n_samples: int, task: Task, precision: float = EXACT) -> tuple[float, LogSum]:
    """Find the ε of the largest slope of log S, and the growth there, from squared distances (m,) of the pairs i < j.

    `precision` is that of log ε; the slope is stationary there, so that its error is the square of this.
    """
    grid, slopes = _scan(binned(pairs, task), n_samples, len(pairs), task)
    epsilon = math.exp(_polish(pairs, n_samples, grid, slopes, precision, task))
    return epsilon, log_sum_at(pairs, n_samples, epsilon, task)


def largest_slope(pairs: Array, n_samples: int, task: Task) -> float:
    """The largest slope of log S from the pairs (m,) of M samples: of their bins, and so right to 1e-3 or so."""
    return float(_scan(binned(pairs, task), n_samples, len(pairs), task)[1].max())


def binned(pairs: Array, task: Task) -> Bins:
    """The pairs in bins of equal width in log r; the largest of them is of the order of 1."""
    nothing = 1e-290  # Squared distances up to here, in units of the largest, are those of duplicates.
    ends = [(part.min(initial=math.inf, where=part > nothing), part.max()) for part in _blocks(pairs, task)]
    low, high = math.log(min(first for first, _ in ends)), math.log(max(last for _, last in ends))
    n_bins = int((high - low) / BIN) + 2
    count, total = np.zeros(n_bins), np.zeros(n_bins)
    for part in _blocks(pairs, task):
        part = part if part.min() > nothing else part[part > nothing]
        place = ((np.log(part) - low) / BIN).astype(np.intp)
        count += np.bincount(place, minlength=n_bins)
        total += np.bincount(place, weights=part, minlength=n_bins)
    used = count > 0.0
    return Bins(total[used] / count[used], count[used])


def _scan(bins: Bins, n_samples: int, n_pairs: int, task: Task) -> tuple[Array, Array]:
    """log ε (g,) over the whole range in which S changes, and the slope (g,) of log S there."""
    # The scan goes from ε = smallest r / 80, where exp(-r/2ε) is e^-40, to 10 times the largest: no slope is left.
    narrowest, widest = 1.0 / 80.0, 10.0
    low, high = math.log(bins.at[0]) + math.log(narrowest), math.log(bins.at[-1]) + math.log(widest)
    grid = low + STEP * np.arange(int((high - low) / STEP) + 2, dtype=np.float64)
    sums, moments = _sums(bins, n_samples, n_pairs, grid, task)
    return grid, moments / sums


def _sums(bins: Bins, n_samples: int, n_pairs: int, t: Array, task: Task) -> tuple[Array, Array]:
    """S and dS/d log ε at log ε = t, (g,) each, from the bins; pairs at distance 0 are those the bins leave out."""
    base = n_samples + 2.0 * (n_pairs - bins.pairs.sum())
    log_at, sums, moments = np.log(0.5 * bins.at), np.empty(len(t)), np.empty(len(t))
    step = max(1, BLOCK_PAIRS // len(log_at))
    for start in range(0, len(t), step):
        task.checkpoint()
        rows = slice(start, start + step)
        a = np.exp(np.minimum(log_at[None, :] - t[rows, None], math.log(FAR)))
        K = np.exp(-a)
        sums[rows] = base + 2.0 * (K @ bins.pairs)
        K *= a
        moments[rows] = 2.0 * (K @ bins.pairs)
    return sums, moments


def _polish(pairs: Array, n_samples: int, grid: Array, slopes: Array, precision: float, task: Task) -> float:
    """log ε at which the slope is stationary, next to the largest of the scan."""
    top = grid[int(slopes.argmax())]
    return _root(lambda t: -log_sum_at(pairs, n_samples, math.exp(t), task).bend, top - STEP, top + STEP, precision)


def _root(rising: Callable[[float], float], low: float, high: float, precision: float) -> float:
    """Where a function goes from below 0 to above it, near [low, high]: the scan may be off by a step."""
    with IMPORTS:
        from scipy.optimize import brentq

    once = cache(rising)  # a value costs a pass over all pairs, and brentq asks again for those at the ends
    while once(low) > 0.0:
        low, high = low - STEP, low
    while once(high) < 0.0:
        low, high = high, high + STEP
    return cast("float", brentq(once, low, high, xtol=precision, rtol=8.9e-16))
