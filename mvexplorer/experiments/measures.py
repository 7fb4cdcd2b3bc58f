"""Measures of a picture that several experiments use, besides those of `mvexplorer.engine.metrics`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.hidden_scores import ring_angles
from mvexplorer.errors import DataError
from mvexplorer.experiments.experiment import Bar
from mvexplorer.wording import fraction

CLOSED = 0.5
"""The largest gap of a closed ring, in radians."""


def enough_coordinates(n: int, Y: Array) -> Array:
    """Return coordinates Y (M, r); DataError where there are fewer than n, for in the window anybody may choose r."""
    if Y.shape[1] < n:
        raise DataError(f"These numbers need {n} coordinates, and r is {Y.shape[1]}.", "Make r larger.")
    return Y


def roundness(Y: Array) -> float:
    """The smallest radius of a ring (M, 2) over its median."""
    radius = ring_angles(Y)[1]
    return float(radius.min() / np.median(radius))


def closed_ring(gap: float) -> Bar:
    """The claim that a ring with this largest gap is closed, and by how much it is open where it is not."""
    words = "closed" if gap <= CLOSED else f"open by {fraction(gap)} rad"
    return Bar(f"ring of multi-view {words}: its largest gap in radians", gap, at_most=CLOSED)


def rank_correlation(x: Array, y: Array) -> float:
    """The size of Spearman's rank correlation of (M,) and (M,), ties aside."""
    return abs(spearman(x, y))


def spearman(x: Array, y: Array) -> float:
    """Spearman's rank correlation of (M,) and (M,) with its sign, ties aside."""
    return float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])


def area_under_roc(larger: Array, smaller: Array) -> float:
    """How often one of (n,) values is larger than one of (m,) others; an equal one counts half."""
    difference = larger[:, None] - smaller
    return float(np.mean(difference > 0.0) + 0.5 * np.mean(difference == 0.0))


def by_chance(score: Callable[[npt.NDArray[Any]], float], truth: npt.NDArray[Any], n: int = 19) -> tuple[float, float]:
    """The lowest and highest score of n shuffles of the truth (M,), such as labels."""
    rng = np.random.default_rng(0)
    scores = [score(rng.permutation(truth)) for _ in range(n)]
    return min(scores), max(scores)


def against_chance(bars: tuple[Bar, ...], null: tuple[float, float]) -> tuple[Bar, ...]:
    """The bars, the first one with its range by chance."""
    return replace(bars[0], null=null), *bars[1:]


def _ranks(values: Array) -> Array:
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    return ranks


def leading(e: Embedding, r: int) -> Array:
    """The first r coordinates, of every view where an embedding has some for each, side by side."""
    return np.hstack([Y[:, :r] for Y in e.view_coordinates or (e.coordinates,)])


def classes_of(data: MultiView) -> npt.NDArray[np.generic]:
    """The labels (M,) of data that has some."""
    if data.labels is None:
        raise DataError("The data of this experiment has no labels.", "Install mvexplorer again.")
    return data.labels
