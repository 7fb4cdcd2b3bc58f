"""Where along its slider a view is judged otherwise: isolated below an ε, wide above another, flat beside others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import log10

import numpy as np

from mvexplorer.engine.bandwidth.curves import DECADES, MOST_ALONE
from mvexplorer.engine.bandwidth.facts import BROAD, contrast, neighbours_at, quantiles_of, share_alone
from mvexplorer.engine.bandwidth.regimes import HARDLY, MANY, Word
from mvexplorer.engine.bandwidth.rules.spread import require_spread
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import median_of

LOOKING = 400
"""Samples whose neighbours are counted where there are more."""


@dataclass(frozen=True)
class Limits:
    """The places on the slider of a view, in squared data units, at which its verdict changes.

    `quantiles` are those of the squared distances that its contrast comes from; `kernel` is the view's.
    """

    kernel: Kernel
    median: float
    isolated_below: float
    wide_above: float
    quantiles: tuple[float, float]

    def contrast(self, epsilon: float) -> float:
        """How much -log K differs over the pairs at an ε."""
        return contrast(self.kernel, self.quantiles, epsilon)

    def flat_above(self, strongest: float) -> float:
        """The ε above which the view is flat beside one of this contrast; infinite where it has none beside it."""
        if not strongest > 0.0:
            return float("inf")
        at_median = self.contrast(self.median) / (HARDLY * strongest)
        if self.kernel.kind.id.startswith("laplacian"):  # it falls as the root of ε
            at_median *= at_median
        return self.median * max(BROAD, at_median)

    def ranges(self, strongest: float, low: float, high: float) -> tuple[tuple[float, float, Word], ...]:
        """The verdicts from one ε to another, each with where it begins and ends, beside a view of this contrast."""
        flat = self.flat_above(strongest)
        ends = sorted({low, high, *(e for e in (self.isolated_below, self.wide_above, flat) if low < e < high)})
        each = [(a, b, self.word((a * b) ** 0.5, flat)) for a, b in pairwise(ends)]
        joined: list[tuple[float, float, Word]] = []
        for a, b, word in each:
            before = joined.pop() if joined and joined[-1][2] == word else (a, b, word)
            joined.append((before[0], b, word))
        return tuple(joined)

    def word(self, epsilon: float, flat_above: float) -> Word:
        """The verdict at an ε, where the view is flat above another."""
        if epsilon < self.isolated_below:
            return "isolated"
        if epsilon > flat_above:
            return "flat"
        return "wide" if epsilon > self.wide_above else "local"


def limits(stages: Stages, i: int) -> Limits:
    """The limits of the i-th view in use, within 5 %; of many samples by a random part of them."""
    some = stages.subsample()
    require_spread(some, i)
    median = median_of(some, i)
    low, high = (median * 10.0**decade for decade in DECADES)
    return Limits(
        some.kernels[i],
        median,
        _first(lambda epsilon: share_alone(stages, i, epsilon) <= MOST_ALONE, low, high),
        _first(lambda epsilon: _usual_neighbours(some, i, epsilon) > MANY * (some.n_samples - 1), low, high),
        quantiles_of(some, i),
    )


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The least ε from which on something holds, within 5 %; infinite where it does not even at `high`."""
    if not holds(high):
        return float("inf")
    if holds(low):
        return 0.0
    exact = 0.02
    while log10(high / low) > exact:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _usual_neighbours(stages: Stages, i: int, epsilon: float) -> float:
    """The median number of neighbours of some samples."""
    return float(np.median(neighbours_at(stages, i, random_rows(stages.n_samples, LOOKING, 0), epsilon)))
