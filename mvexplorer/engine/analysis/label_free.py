"""Scores that need no classes: how far a picture keeps the neighbours of its views, and how wide its spectrum gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.agreement import NEIGHBOURS, shared
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.nearest import nearest, ranks
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.metrics import Score

LEADING = 6
"""Coordinates of each block on which trustworthiness is judged: more of them keep ever more neighbours."""
LOOKING = 1000
"""Samples that are looked at where there are more."""


@dataclass(frozen=True)
class LabelFree:
    """The scores of one picture; a spread is the standard error over the samples.

    `trustworthiness` is the mean over the views on the leading coordinates, `neighbours_kept` that on all; `kept` has
    the latter of each view, `chance` what it is where a picture has nothing to do with a view. `gap` is the widest one
    between eigenvalues of the walk that follow one another, where the picture is one of a walk.
    """

    trustworthiness: Score
    neighbours_kept: Score
    kept: tuple[tuple[str, float], ...]
    chance: float
    gap: Score | None = None

    def each(self) -> dict[str, Score]:
        """The scores there are, by id."""
        every = {
            "trustworthiness": self.trustworthiness, "neighbours_kept": self.neighbours_kept, "gap": self.gap
        }  # fmt: skip
        return {id: score for id, score in every.items() if score is not None}


def label_free(
    Y: Array,
    leading: Array,
    views: Mapping[str, Array],
    eigenvalues: npt.ArrayLike = (),
    *,
    k: int = NEIGHBOURS,
    task: Task | None = None,
) -> LabelFree:
    """Score a picture by the views it is made of.

    Parameters
    ----------
    Y : array (M, r)
        All coordinates.
    leading : array (M, c)
        The first LEADING of each block.
    views : mapping name -> array (M, D_l)
        Features, preprocessed as for the picture.
    eigenvalues : array (k,), optional
        Those of its walk, the trivial one first.
    k : int
        Neighbours; fewer where there are not twice as many samples.
    task : Task, optional
        Can stop it.

    Returns
    -------
    LabelFree
        Of more than LOOKING samples a random part is scored.

    Notes
    -----
    Trustworthiness after J. Venna, S. Kaski (2001), as `mvx.metrics.trustworthiness`; neighbours kept as
    `mvx.neighbourhood_preservation`.
    """
    rows = random_rows(len(Y), LOOKING, 0)
    whole, first = (np.nan_to_num(each[rows]) for each in (Y, leading))
    n = len(rows)
    k = max(1, min(k, (n - 1) // 2))
    near, near_first = nearest(whole, k, task), nearest(first, k, task)
    trusted, kept = np.zeros(n), dict[str, Array]()
    for name, X in views.items():
        here = X[rows]
        kept[name] = shared(near, nearest(here, k, task))
        intruding = np.maximum(ranks(here, near_first, task) - k, 0).sum(axis=1)
        trusted += (1.0 - intruding * 2.0 / (k * (2.0 * n - 3.0 * k - 1.0))) / len(views)
    return LabelFree(
        _over_samples(trusted),
        _over_samples(np.mean(list(kept.values()), axis=0)),
        tuple((name, float(each.mean())) for name, each in kept.items()),
        k / (n - 1),
        _gap(np.abs(np.asarray(eigenvalues, dtype=np.float64))),
    )


def _over_samples(values: Array) -> Score:
    return Score(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def _gap(moduli: Array) -> Score | None:
    """The widest gap after an eigenvalue besides the trivial one."""
    return Score(float(np.max(moduli[1:-1] - moduli[2:]))) if len(moduli) > 2 else None
