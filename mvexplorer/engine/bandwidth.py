"""Rules that choose a kernel bandwidth ε = σ² from the data, and the little language in which ε is given.

An ε is given as a number, a rule's id, a multiple (``2*median``, ``median/9``), one of these per view, or a
mapping view name -> one of these (as text: ``fou:1.2,fac:median``). It is parsed, never evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvexplorer.engine.distances import ROWS
from mvexplorer.engine.kernels import check_epsilon
from mvexplorer.engine.multiview import Array
from mvexplorer.engine.params import Param, Value, check_params
from mvexplorer.engine.stages import Stages
from mvexplorer.errors import DataError, ParameterError


@dataclass(frozen=True)
class Rule:
    """A bandwidth rule, declared: `compute(stages, i, params)` is the ε of the i-th view in use."""

    id: str
    title: str
    letter: str
    summary: str
    source: str
    compute: Callable[[Stages, int, Mapping[str, Value]], float]
    params: tuple[Param, ...] = ()


def median_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Median off-diagonal squared distance."""
    _require_spread(stages, i)
    return stages.median(i)


def std_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Mean squared distance of the samples from their mean; bandwidth selection, section 3 (std rule)."""
    _require_spread(stages, i)  # takes the distances, so that numbers too large to be squared are refused there
    if stages.kernels[i].kind.metric != "euclidean":
        return 0.5 * float(stages.distances(i).mean())  # the same number, where there is no mean to be far from
    X = stages.view(i)
    return float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())


def max_min_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """C · max_j min_{i≠j} |x_i - x_j|², zero distances of duplicates ignored; multi-view diffusion maps (24)."""
    _require_spread(stages, i)
    D = stages.distances(i)
    nearest = np.empty(len(D))
    for start in range(0, len(D), ROWS):
        stages.task.checkpoint()
        block = D[start : start + ROWS]
        nearest[start : start + ROWS] = np.where(block > 0.0, block, np.inf).min(axis=1)
    if not np.isfinite(nearest.max()):
        raise _no_spread(stages, i)
    return float(params["C"] or 1.0) * float(nearest.max())


def multiview_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """Algorithm 1: the smallest σ in the first plateau of the slope of log S^lm; the largest over m wins.

    S^lm = Σ (K^l K^m)_ij = d_l · d_m needs row sums only. σ_m sits at the low end of its grid.
    """
    if stages.n_views < 2:
        raise ParameterError("The multi-view rule compares two views.", "Load a second view, or choose max-min.")
    for j in range(stages.n_views):
        _require_spread(stages, j)
    sigma, sums = row_sum_curve(stages, i)
    return max(_first_plateau(sigma, sums @ _low_row_sums(stages, m)) for m in range(stages.n_views) if m != i) ** 2


GRID = np.logspace(-3.0, 1.5, 61)
"""σ in units of the median distance, for Algorithm 1."""


def row_sum_curve(stages: Stages, i: int) -> tuple[Array, Array]:
    """σ grid (61,) of view i and its kernel's row sums (61, M) on it, remembered."""
    key = ("row-sums", stages.distance_key(i))
    return stages.memo(key, lambda: _row_sum_curve(stages, i))


def _low_row_sums(stages: Stages, i: int) -> Array:
    """Row sums (M,) of view i at the low end of its grid: a sixtieth of the work of its curve."""
    key = ("low-row-sums", stages.distance_key(i))
    return stages.memo(key, lambda: _row_sum_curve(stages, i, GRID[:1])[1][0])


def _row_sum_curve(stages: Stages, i: int, grid: Array = GRID) -> tuple[Array, Array]:
    D = stages.distances(i)
    sigma = grid * math.sqrt(stages.median(i))
    sums = np.empty((len(sigma), len(D)))
    for start in range(0, len(D), ROWS):
        block = D[start : start + ROWS]
        scratch = np.empty_like(block)
        for g, s in enumerate(sigma):
            stages.task.checkpoint()
            np.multiply(block, -0.5 / s**2, out=scratch)
            np.exp(scratch, out=scratch)
            sums[g, start : start + ROWS] = scratch.sum(axis=1)
        stages.task.progress((start + len(block)) / len(D))
    return sigma, sums


def _first_plateau(sigma: Array, S: Array) -> float:
    x = np.log(sigma)
    slope = np.gradient(np.log(S), x)
    bend = np.gradient(slope, x)
    linear = (slope >= 0.5) & (np.abs(bend) <= 0.25 * slope)
    if not linear.any():
        linear = slope >= 0.9 * slope.max()
    return float(sigma[np.argmax(linear)])


def _require_spread(stages: Stages, i: int) -> None:
    X = stages.view(i)
    if not np.any(X[0] != X) or not np.any(stages.distances(i)):
        raise _no_spread(stages, i)


def _no_spread(stages: Stages, i: int) -> DataError:
    name, X = stages.data.view_names[stages.views[i]], stages.view(i)
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
    "C", "C", 1.0, "Safety factor: larger joins more samples, smaller suits multi-view methods.",
    low=1e-6, high=1e6, log=True, source="(24)",
)  # fmt: skip

_RULES = (
    Rule(
        "max-min", "Max-min", "m",
        "The largest distance to a nearest neighbour: nobody is left alone. One outlier decides it.",
        "Multi-view diffusion maps, (24)", max_min_rule, (C,),
    ),
    Rule(
        "median", "Median", "½",
        "The median squared distance: a broad kernel in which half of all pairs are close.",
        "Common practice", median_rule,
    ),
    Rule(
        "std", "Standard deviation", "s",
        "The mean squared distance from the mean: the total variance of the view.",
        "Lindenbaum, Salhov, Yeredor, Averbuch: Gaussian bandwidth selection (2020), section 3", std_rule,
    ),
    Rule(
        "multiview", "Multi-view (Algorithm 1)", "1",
        "Where the sum of K^l K^m starts to grow like a power of σ: enough neighbours, no short cuts.",
        "Multi-view diffusion maps, Algorithm 1", multiview_rule,
    ),
)  # fmt: skip


def bandwidth_rules() -> tuple[Rule, ...]:
    """All bandwidth rules, in the order in which they are shown."""
    return _RULES


def get_rule(id: str) -> Rule:
    """The rule with this id; ParameterError names the ids there are."""
    for rule in _RULES:
        if rule.id == id:
            return rule
    raise ParameterError(f"There is no bandwidth rule called “{id}”.", f"Rules: {', '.join(r.id for r in _RULES)}.")


def rule_value(stages: Stages, i: int, id: str, params: Mapping[str, Any] | None = None) -> float:
    """ε of the i-th view in use by the rule `id`, remembered by the stages' memo."""
    rule = get_rule(id)
    values = check_params(rule.params, params or {}, f"The rule {rule.id}")
    others = tuple(stages.distance_key(j) for j in range(stages.n_views)) if id == "multiview" else ()
    key = ("rule", id, tuple(values.items()), stages.distance_key(i), others)
    return stages.memo(key, lambda: rule.compute(stages, i, values))


@dataclass(frozen=True)
class Bandwidth:
    """One ε as given: `factor` times the rule's value, or `factor` itself where there is no rule."""

    factor: float
    rule: str | None = None

    def value(self, stages: Stages, i: int) -> float:
        """ε in squared data units."""
        epsilon = self.factor if self.rule is None else self.factor * rule_value(stages, i, self.rule)
        return check_epsilon(epsilon, stages.data.view_names[stages.views[i]])


def parse_bandwidth(given: Any, view: str = "") -> Bandwidth:
    """One view's ε from a number or text such as ``max-min``, ``2*median``, ``median/9``; errors name the view."""
    if isinstance(given, Bandwidth):
        return given
    if not isinstance(given, str):
        return Bandwidth(check_epsilon(given, view))
    text = given.strip().replace(" ", "").replace("×", "*")
    number = _number(text)
    if number is not None:
        return Bandwidth(check_epsilon(number, view))
    left, star, right = text.partition("*")
    if star:
        factor, rule = (_number(left), right) if _number(left) is not None else (_number(right), left)
    else:
        rule, slash, divisor = text.partition("/")
        factor = 1.0 if not slash else 1.0 / (_number(divisor) or math.nan)
    get_rule(rule)
    if factor is None or not (math.isfinite(factor) and factor > 0.0):
        hint = "Write a number, max-min, 2*median or median/9."
        raise ParameterError(f"The bandwidth “{given}” cannot be read.", hint)
    return Bandwidth(factor, rule)


def parse_epsilon(given: Any, view_names: Sequence[str]) -> tuple[Bandwidth, ...]:
    """One `Bandwidth` per view in `view_names`, from any of the forms an ε may be given in."""
    if isinstance(given, str) and ":" in given:
        pairs = [part.partition(":") for part in given.split(",")]
        given = {name.strip(): text for name, _, text in pairs}
    if isinstance(given, Mapping):
        return _by_name(given, view_names)
    if isinstance(given, str | Bandwidth) or np.ndim(given) == 0:
        return (parse_bandwidth(given),) * len(view_names)
    values = list(given)
    if len(values) != len(view_names):
        raise ParameterError(
            f"There are {len(values)} bandwidths for {len(view_names)} views.",
            f"Give one for each of {', '.join(view_names)}, or a single one for all.",
        )
    return tuple(parse_bandwidth(v) for v in values)


def _by_name(given: Mapping[str, Any], view_names: Sequence[str]) -> tuple[Bandwidth, ...]:
    missing = [name for name in view_names if name not in given]
    if missing:
        raise ParameterError(
            f"No bandwidth is given for view {', '.join(missing)}.", "Write it as name:value, separated by commas."
        )
    return tuple(parse_bandwidth(given[name]) for name in view_names)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
