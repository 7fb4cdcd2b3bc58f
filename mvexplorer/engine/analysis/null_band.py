"""Shuffling one view: a picture's score and eigenvalues beside those of chance, in words.

The words claim no more than the numbers do: a score within its band says nothing of the picture itself, which is said
to leave a view unused only where shuffling that view changes few neighbours, and no more than drawing the samples anew
does. That alone is not enough: an unsteady picture, which each drawing changes, would make every view unused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.wording import counted

LABELS = ""
"""Stands for a view where the labels are shuffled instead: a picture of one view."""
LEVEL = 0.05
"""A score is within its band where p is larger; with fewer than 19 runs, where any of them reaches it."""
STAYS = 0.1
"""A picture of which a shuffle changes more of the neighbours uses the view."""


@dataclass(frozen=True, eq=False)
class Real:
    """A picture's numbers before anything is shuffled.

    `score` is None where there is nothing to score against. `eigenvalues` (r,) are the leading ones, without a trivial
    1. `resampled` is the mean disagreement of two resamplings; NaN where they cannot be computed.
    """

    score: float | None
    eigenvalues: Array
    resampled: float = float("nan")


@dataclass(frozen=True, eq=False)
class ShuffledRun:
    """The same with one view's rows in another order.

    `view` is empty where the labels were shuffled; `number` counts its runs from 0; `disagreement` is the mean
    disagreement with the real picture.
    """

    view: str
    number: int
    score: float | None
    eigenvalues: Array
    disagreement: float = 0.0


@dataclass(frozen=True, eq=False)
class NullBand:
    """One view's null test.

    `view` is empty where the labels were shuffled, because there is one view only; `score_name` where nothing is
    scored. `real` is the score of the picture, `shuffled` (n,) its scores with this view shuffled, empty where nothing
    is scored, and `p` (1 + the number of these that reach the real one) / (1 + n). `eigenvalues` (r,) and
    `shuffled_eigenvalues` (n, r) are the leading ones, without a trivial 1; those of runs that have fewer are NaN.
    `unused` tells that the picture does not use this view: shuffling it changes no more than drawing the samples anew,
    and at most .1 of the neighbours. `words` say this and no more. `disagreement` (n,) is the mean disagreement of each
    shuffled picture with the real one, `resampled` that of two resamplings, with which it is compared.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.null_band import Real, ShuffledRun, band_of
    >>> runs = [ShuffledRun("mor", i, 0.1 * i, np.array([0.5]), 0.9) for i in range(4)]
    >>> band = band_of("mor", "NMI", Real(0.25, np.array([0.8]), 0.4), runs)
    >>> band.p, band.words
    (0.4, "Without mor's pairing the score is as high (p = .40).")
    """

    view: str
    score_name: str
    real: float | None
    shuffled: Array
    p: float | None
    eigenvalues: Array
    shuffled_eigenvalues: Array
    unused: bool
    words: str
    disagreement: Array
    resampled: float

    @property
    def n(self) -> int:
        """Number of runs so far."""
        return len(self.disagreement)

    @property
    def within(self) -> bool:
        """True if the real score lies within the band of chance."""
        return self.p is not None and not _is_above(self.p, self.n) and not self.lowers

    @property
    def lowers(self) -> bool:
        """True if the picture scores higher with each shuffle of this view than with the view as it is."""
        return bool(self.view) and self.real is not None and _is_below(self.real, self.shuffled)

    @property
    def useless(self) -> bool:
        """True if the view adds nothing to the score or the picture, or harms."""
        return self.within or self.lowers or self.unused


def band_of(view: str, score_name: str, real: Real, runs: Sequence[ShuffledRun]) -> NullBand:
    """Compare a picture as it is with at least one run that shuffled `view`, which is empty for the labels."""
    shuffled = np.array([run.score for run in runs if run.score is not None])
    p = None if real.score is None else p_value(real.score, shuffled)
    disagreement = np.array([run.disagreement for run in runs])
    outside = real.score is not None and p is not None and (_is_above(p, len(runs)) or _is_below(real.score, shuffled))
    changed = float(np.median(disagreement))
    unused = bool(view) and not outside and changed <= real.resampled and changed <= STAYS
    sentences = [
        "" if real.score is None else _about_score(view, real.score, shuffled),
        "" if outside or not view else _about_picture(view, changed, real),
    ]
    return NullBand(
        view, score_name, real.score, shuffled, p, real.eigenvalues, _as_table(runs, len(real.eigenvalues)), unused,
        " ".join(filter(None, sentences)), disagreement, real.resampled,
    )  # fmt: skip


def p_value(real: float, shuffled: Array) -> float:
    """(1 + #{shuffled ≥ real}) / (1 + n): the share of chance that reaches the real score, which counts as one of it.

    `shuffled` (n,) are the scores of chance; p lies between 1 / (1 + n) and 1.

    References
    ----------
    B. Phipson, G. K. Smyth, "Permutation P-values should never be zero" (2010), section 3.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.null_band import p_value
    >>> p_value(0.8, np.linspace(0.0, 0.5, 19))
    0.05
    """
    return float((1 + np.count_nonzero(shuffled >= real)) / (1 + len(shuffled)))


def is_least(p: float, n: int) -> bool:
    """True if p is the smallest that n runs can give: none of them reaches the real score."""
    return p * (1 + n) < 1.5


def p_words(p: float, n: int) -> str:
    """p in words, which say where it is small because the runs are few.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.null_band import p_words
    >>> p_words(1 / 11, 10), p_words(0.5, 19)
    ('p ≤ .09, the smallest possible with 10 runs', 'p = .50')
    """
    if is_least(p, n):
        return f"p ≤ {_short(p)}, the smallest possible with {counted(n, 'run')}"
    return f"p = {_short(p)}"


def _as_table(runs: Sequence[ShuffledRun], width: int) -> Array:
    table = np.full((len(runs), width), np.nan)
    for row, run in zip(table, runs, strict=True):
        count = min(width, len(run.eigenvalues))
        row[:count] = run.eigenvalues[:count]
    return table


def _about_score(view: str, real: float, shuffled: Array) -> str:
    n, below, p = len(shuffled), int(np.count_nonzero(shuffled < real)), p_value(real, shuffled)
    if view and _is_below(real, shuffled):
        return f"{view} lowers this score: it is below all {n} with {view} shuffled."
    # With fewer runs p cannot reach .1: a score above all of them is told as such, and nothing is made of it.
    fewest = 9
    if not _is_above(p, n):
        subject = f"Without {view}'s pairing the score is as high" if view else ""
        words = subject or "This score is no better than chance labels"
    elif n < fewest:
        words = f"With {view or 'labels'} shuffled no run reaches this score, but {n} of them cannot tell"
    else:
        which = f"all {n}" if below == n else f"{below} of {n}"
        words = f"This score is above {which} with {view or 'labels'} shuffled"
    return f"{words} ({p_words(p, n)})."


def _about_picture(view: str, changed: float, real: Real) -> str:
    """Tell how a shuffle changes the picture where the score does not show that the view matters; else ""."""
    if changed <= real.resampled:
        if changed <= STAYS:
            return f"This picture does not use {view}."
        return f"Shuffling {view} changes no more than resampling does ({_short(changed)} of the neighbours)."
    if real.score is not None:
        return ""
    anew = f", resampling {_short(real.resampled)}" if np.isfinite(real.resampled) else ""
    return f"Shuffling {view} changes {_short(changed)} of the neighbours{anew}."


def _is_above(p: float, n: int) -> bool:
    """True if a score lies above its band."""
    return p <= max(LEVEL, 1.0 / (1.0 + n))


def _is_below(real: float, shuffled: Array) -> bool:
    """True if a score lies below its band: below all of so many runs that this is no chance itself."""
    return 1.0 / (1.0 + len(shuffled)) <= LEVEL and bool(np.all(shuffled > real))


def _short(p: float) -> str:
    return f"{p:.2f}".lstrip("0")
