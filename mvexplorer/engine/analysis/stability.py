"""How far a picture depends on the very samples it was made of, on noise in them, on one of the views, or on ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.rerun import Rerun, RerunPicture, Rows
from mvexplorer.engine.analysis.scored import Measure
from mvexplorer.engine.api.plan import Plan
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_bool, is_whole
from mvexplorer.engine.metrics import Score
from mvexplorer.engine.spectral.alignment import FEWEST, lay_onto
from mvexplorer.errors import ParameterError

Kind: TypeAlias = Literal["parts", "noise", "views", "epsilon"]
"""The change: the samples are a random part, noise is added to the views, one view is left out, or every ε differs."""
FACTORS = (0.7, 1.3)
"""On every ε, where that is what changes."""
SHARES: dict[str, float] = {"parts": 0.8, "noise": 0.1}
"""The share of the samples in a random part, and of each view's spread that noise has."""


@dataclass(frozen=True, eq=False)
class Ghost:
    """One picture made anew, laid onto the whole.

    `title` says what was changed: ``part 3``, ``noise 1``, ``without mor``, ``ε x 0.7``. `rows` (m,) are its samples,
    ascending; `coordinates` (m, r) are NaN where it lacks them; `score` is None where nothing is scored against.
    """

    title: str
    rows: npt.NDArray[np.intp]
    coordinates: Array
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Stability:
    """How far samples move when a picture is made anew.

    `number` is the median spread of the samples over the rms radius of the picture. `spread` (M,) is each sample's root
    mean square distance from its place; NaN for samples that no picture has. `ellipses` (M, 2, 2) are covariances of
    each sample's places on the first two axes, about their mean. `score_name` is empty where nothing is scored.
    `scores` (n,) are those of the ghosts: their spread is that over resamplings, not that over k-means seeds.
    """

    kind: Kind
    number: float
    spread: Array
    ellipses: Array
    ghosts: tuple[Ghost, ...]
    score_name: str
    scores: Array


class StabilityRuns:
    """The runs of one picture's stability, by number.

    `measure` scores pictures of all samples. `share` is that of the samples in a random part, or of each view's spread
    that the noise has. `shown` (M, r) is the picture as it is drawn, onto which the others are laid; by default as
    `again` has it.
    """

    def __init__(
        self,
        again: Rerun,
        kind: Kind,
        measure: Measure | None = None,
        share: float | None = None,
        seed: int = 0,
        shown: Array | None = None,
    ) -> None:
        self._again, self._kind, self._seed = again, kind, seed
        self._whole = again.whole_of_all() if shown is None else shown
        self._measure = None if measure is None else measure.of_rows(again.rows)
        self._share = checked_share(kind, share)

    def run(self, number: int) -> Ghost:
        """One picture made anew, laid onto the whole."""
        again, every = self._again, np.arange(len(self._again.rows))
        if self._kind == "noise":
            return self._ghost(f"noise {number + 1}", every, again.noisy(self._share, self._seed + number))
        if self._kind == "epsilon":
            return self._ghost(f"ε x {FACTORS[number]:g}", every, again.scaled(FACTORS[number]))
        if self._kind == "views":
            i = number + int(again.method.compares_one_view)
            return self._ghost(f"without {again.views[i]}", every, again.without(i))
        m = max(FEWEST, int(self._share * len(every)))
        rows = np.sort(np.random.default_rng([self._seed, number]).permutation(len(every))[:m])
        return self._ghost(f"random part {number + 1}", rows, again.part(rows))

    def _ghost(self, title: str, rows: Rows, answer: RerunPicture) -> Ghost:
        new, samples = answer.as_wide_as(self._again.whole), self._again.rows[rows]
        score = None
        if self._measure is not None:
            score = self._measure.of_rows(rows).of(new[:, ~np.isnan(new).all(axis=0)])
        return Ghost(title, samples, _laid(new, self._whole[samples]), score)


def _laid(new: Array, whole: Array) -> Array:
    """Coordinates (m, r) laid onto the whole picture of the same samples by those columns that they have."""
    present = ~np.isnan(new).all(axis=0)
    placed = np.full_like(new, np.nan)
    placed[:, present] = lay_onto(new[:, present], whole[:, present], "rigid").moved
    return placed


def runs_of(kind: Kind, n: int, planned: Plan) -> int:
    """How many pictures are made anew: as many as are asked for, unless there are only so many.

    The view that a method compares with others cannot be left out.
    """
    dropped = planned.n_used - int(planned.method.compares_one_view)
    return {"views": dropped, "epsilon": len(FACTORS)}.get(kind, n)


def moves_with_epsilon(whole: RerunPicture, others: Sequence[RerunPicture]) -> Score | None:
    """How far samples move between pictures at a few times every ε: the `number` of a stability; lower is better.

    The spread is about the standard error of the median over the samples. None where all lie at one place.
    """
    Y, every = whole.coordinates, np.arange(len(whole.coordinates))
    ghosts = [Ghost("", every, _laid(other.as_wide_as(whole), Y)) for other in others]
    found, per_deviation = stability_of(Y, "epsilon", ghosts), 1.2533  # of a median of numbers spread normally
    moved = found.spread[np.isfinite(found.spread)]
    if not (len(moved) and np.isfinite(found.number)):
        return None
    median = float(np.median(moved))
    error = per_deviation * float(moved.std()) / np.sqrt(len(moved)) * found.number / median if median > 0.0 else 0.0
    return Score(found.number, float(error))


def stability_of(whole: Array, kind: Kind, ghosts: Sequence[Ghost], score_name: str = "") -> Stability:
    """Compute spread and ellipses from at least one ghost laid onto the whole picture (M, r), NaN where it has none."""
    count, squared = np.zeros(len(whole)), np.zeros(len(whole))
    first, second = np.zeros((len(whole), 2)), np.zeros((len(whole), 2, 2))
    for ghost in ghosts:
        present = ~(np.isnan(ghost.coordinates).all(axis=1) | np.isnan(whole[ghost.rows]).all(axis=1))
        rows = ghost.rows[present]
        away = ghost.coordinates[present] - whole[rows]
        # Of a picture that lacks a view's coordinates the others count as much as they would in the whole.
        squared[rows] += np.nanmean(away**2, axis=1) * away.shape[1]
        drawn = np.nan_to_num(_two_columns(away))
        count[rows] += 1
        first[rows] += drawn
        second[rows] += drawn[:, :, None] * drawn[:, None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread, mean = np.sqrt(squared / count), first / count[:, None]
        ellipses = second / count[:, None, None] - mean[:, :, None] * mean[:, None, :]
    centred = whole - np.nanmean(whole, axis=0)
    radius = float(np.sqrt(np.nanmean(np.sum(centred**2, axis=1))))
    number = float(np.nanmedian(spread)) / radius if radius > 0.0 else float("nan")
    scores = np.array([ghost.score for ghost in ghosts if ghost.score is not None])
    return Stability(kind, number, spread, ellipses, tuple(ghosts), score_name, scores)


def _two_columns(Y: Array) -> Array:
    return Y[:, :2] if Y.shape[1] > 1 else np.column_stack([Y, np.zeros(len(Y))])


def checked_share(kind: Kind, share: float | None) -> float:
    """The share, by default the usual one of its kind; ParameterError where it is none."""
    if kind not in (*SHARES, "views", "epsilon"):
        raise ParameterError(f"There is no stability of “{kind}”.", "Give parts, noise, views or epsilon.")
    share = SHARES.get(kind, 0.0) if share is None else share
    if kind == "parts" and not 0.0 < share < 1.0:
        raise ParameterError(f"{share:g} of the samples is no part of them.", "Give a number between 0 and 1, as .8.")
    if kind == "noise" and (is_bool(share) or not share > 0.0):
        raise ParameterError(f"Noise of {share:g} times the spread is none.", "Give a number above 0, as .1.")
    return share


def check_number(n: int) -> None:
    """Raise ParameterError where there would be no run."""
    if not is_whole(n) or n < 1:
        raise ParameterError(f"{n} recomputed pictures say nothing.", "Ask for at least one; 10 are usual.")
