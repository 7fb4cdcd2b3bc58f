"""Rules that look at how the sum of the kernel grows with its bandwidth."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.bandwidth.rules.spread import SELECTION, require_spread
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, median_of
from mvexplorer.errors import ParameterError


def multiview_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Algorithm 1: the smallest σ in the first plateau of the slope of log S^lm; the largest over m wins.

    S^lm = Σ (K^l K^m)_ij = d_l · d_m needs row sums only. σ_m sits at the low end of its grid.
    """
    if stages.n_views < 2:
        raise ParameterError("The multi-view rule compares two views.", "Load a second view, or choose max-min.")
    for j in range(stages.n_views):
        require_spread(stages, j)
    sigma, sums = row_sum_curve(stages, i)
    return max(_first_plateau(sigma, sums @ _low_row_sums(stages, m)) for m in range(stages.n_views) if m != i) ** 2


GRID = np.logspace(-3.0, 1.5, 61)
"""σ in units of the median distance, for Algorithm 1."""


def row_sum_curve(stages: Stages, i: int) -> tuple[Array, Array]:
    """σ grid (61,) of view i and its kernel's row sums (61, M) on it, remembered."""
    key = StageKey("row-sums", stages.distance_key(i))
    return stages.memo(key, lambda: _row_sum_curve(stages, i))


def _low_row_sums(stages: Stages, i: int) -> Array:
    """Row sums (M,) of view i at the low end of its grid: a sixtieth of the work of its curve."""
    key = StageKey("low-row-sums", stages.distance_key(i))
    return stages.memo(key, lambda: _row_sum_curve(stages, i, GRID[:1])[1][0])


def _row_sum_curve(stages: Stages, i: int, grid: Array = GRID) -> tuple[Array, Array]:
    """As `row_sum_curve`, from the half of the distances above the diagonal, in single precision.

    A row sum of M numbers between 0 and 1 keeps six digits, and the grid's steps are of 19 %.
    """
    D, median = distances_of(stages, i), median_of(stages, i)
    M = len(D)
    parts: dict[int, tuple[Array, Array]] = {}

    def add(rows: slice) -> None:
        with np.errstate(over="ignore"):  # the exponential of minus infinity is the 0 that is meant
            parts[rows.start] = _half_sums(D[rows, rows.start :] * (-0.5 / median), grid, stages.task)
        stages.task.progress(1.0 - (1.0 - rows.stop / M) ** 2)  # later rows are shorter

    half_rows = 128  # Rows taken at a time; in single precision they stay in the processor's cache over the whole grid.
    stages.task.map_blocks(M, half_rows, add)
    sums = np.zeros((len(grid), M))
    for start, (rows, columns) in sorted(parts.items()):
        sums[:, start : start + rows.shape[1]] += rows
        sums[:, start + rows.shape[1] :] += columns
    return grid * math.sqrt(median), sums


def _half_sums(exponents: Array, grid: Array, task: Task) -> tuple[Array, Array]:
    """Row sums (61, n) of n rows (n, m) of a kernel from the diagonal on, and column sums (61, m - n) beyond them."""
    n, m = exponents.shape
    half = exponents.astype(np.float32)
    rows, columns = np.empty((len(grid), n)), np.empty((len(grid), m - n))
    K, across, down = np.empty_like(half), np.ones(m, np.float32), np.ones(n, np.float32)
    for g, s in enumerate(grid):
        task.checkpoint()
        np.multiply(half, np.float32(1.0 / s**2), out=K)
        np.exp(K, out=K)
        rows[g], columns[g] = K @ across, down @ K[:, n:]
    return rows, columns


def _first_plateau(sigma: Array, S: Array) -> float:
    x = np.log(sigma)
    slope = np.gradient(np.log(S), x)
    bend = np.gradient(slope, x)
    linear = (slope >= 0.5) & (np.abs(bend) <= 0.25 * slope)
    if not linear.any():
        linear = slope >= 0.9 * slope.max()
    return float(sigma[np.argmax(linear)])


def log_sum_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε_0, the low end of the linear range of log S against log ε; bandwidth selection, Algorithm 3.1."""
    require_spread(stages, i)
    return log_sum_range(distances_of(stages, i), stages.task).epsilon_0


RULES = (
    Rule(
        "log-sum",
        "Log-sum",
        "L",
        "The smallest ε at which the kernel's sum grows like a power of it: every sample sees a neighbourhood.",
        f"{SELECTION}, Algorithm 3.1",
        log_sum_rule,
        cost="A scan over binned distances, and a few passes over all of them.",
        slow=True,
        unasked=True,
        matrices=1.5,
        remark="The steepest range may merge the coils of a roll; with two scales in the data it picks one.",
    ),
    Rule(
        "multiview",
        "Multi-view (Algorithm 1)",
        "1",
        "Where the sum of K^l K^m starts to grow like a power of σ: enough neighbours, no short cuts.",
        "Multi-view diffusion maps, Algorithm 1",
        multiview_rule,
        cost="61 kernel evaluations per view; their row sums only, never a product.",
        remark="Needs two views. Where no range is linear, the steepest one is taken, which may merge coils.",
        slow=True,
        unasked=True,
        compares_views=True,
    ),
)
