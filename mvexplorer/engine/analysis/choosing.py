"""A bandwidth chosen by a score of the picture: the best place tried, where it gains more than the score's spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.engine.spectral.diagnostics import TORN

HARDLY = 0.01
"""Nobody sees so much less of a score in a picture: no ε is moved for it."""
Why: TypeAlias = Literal["gain", "within", "torn", "nowhere"]
"""Why a place was chosen: it gains, none gains more than the spread, the start was torn, or there is no other."""


@dataclass(frozen=True)
class Tried:
    """One place that was tried: its ε or a factor on it, the score there, and whether the picture is torn.

    `score` is None where there is no picture, or it has no such score.
    """

    place: float
    score: Score | None
    torn: bool = False

    @property
    def admissible(self) -> bool:
        """Whether it may be chosen."""
        return self.score is not None and bool(np.isfinite(self.score.value)) and not self.torn


@dataclass(frozen=True)
class BestPlace:
    """The index of the place chosen, why, and the spread of the scores compared; None where that is unknown."""

    index: int
    why: Why
    spread: float | None = None


def best_place(tried: Sequence[Tried], start: int, *, lowest: bool = False, least: float = 0.0) -> BestPlace:
    """Choose among places that are not torn: the best, where its gain over the start exceeds both spreads and `least`.

    A start that is torn, or has no picture, is left for the best of the others, whatever that scores.
    """
    sign = -1.0 if lowest else 1.0
    scores = {i: sign * one.score.value for i, one in enumerate(tried) if one.admissible and one.score is not None}
    if not scores:
        return BestPlace(start, "nowhere")
    best = max(scores, key=lambda i: (scores[i], -abs(i - start)))
    if start not in scores:
        return BestPlace(best, "torn", _spread(tried[best].score))
    spreads = [_spread(tried[i].score) for i in (start, best)]
    spread = max((one for one in spreads if one is not None), default=None)
    if spread is None or not scores[best] - scores[start] > max(spread, least):
        return BestPlace(start, "within", spread)
    return BestPlace(best, "gain", spread)


def is_torn(embedding: Embedding) -> bool:
    """Whether hardly any step leaves some piece of the walk: an eigenvalue besides the trivial one is nearly 1."""
    if get_method(embedding.method).walk is None:
        return False
    return int(np.count_nonzero(np.asarray(embedding.eigenvalues, dtype=np.float64) > TORN)) > 1


def _spread(score: Score | None) -> float | None:
    return None if score is None else score.spread
