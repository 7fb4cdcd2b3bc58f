"""Scores that need no classes: how far a picture keeps the neighbours of its views, and how wide its spectrum gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.agreement import NEIGHBOURS, shared
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, parse_metrics
from mvexplorer.engine.kernels.nearest import nearest, ranks
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once
from mvexplorer.errors import DataError

LEADING = 6
"""Coordinates of each block on which trustworthiness is judged: more of them keep ever more neighbours."""
LOOKING = 1000
"""Samples that are looked at where there are more."""
FEWEST_SAMPLES = 4
"""Samples below which neighbours tell nothing."""


@dataclass(frozen=True)
class LabelFree:
    """The scores of one picture; a spread is the standard error over the samples.

    `trustworthiness` is the mean over the views on the leading coordinates, `neighbours_kept` that on all; `kept` has
    the latter of each view, `chance` what it is where a picture has nothing to do with a view. `agreement` is the share
    of neighbours that are the same in the coordinates of two views, mean over their pairs, where each has its own.
    `gap` is the widest one between eigenvalues of the walk that follow one another, where the picture is one of a walk.
    """

    trustworthiness: Score
    neighbours_kept: Score
    kept: tuple[tuple[str, float], ...]
    chance: float
    agreement: Score | None = None
    gap: Score | None = None

    def each(self) -> dict[str, Score]:
        """The scores there are, by id."""
        every = {
            "trustworthiness": self.trustworthiness,
            "neighbours_kept": self.neighbours_kept,
            "agreement": self.agreement,
            "gap": self.gap,
        }
        return {id: score for id, score in every.items() if score is not None}


def label_free(
    embedding: Embedding,
    data: Data,
    *,
    views: Sequence[str] | None = None,
    metric: Any = EUCLIDEAN,
    k: int = NEIGHBOURS,
    task: Task | None = None,
    memo: Memo | None = None,
) -> LabelFree:
    """Score a picture by how far it keeps the neighbours that samples have in the views, where there are no classes.

    Parameters
    ----------
    embedding : Embedding
        The picture.
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        What it was made of, preprocessed as it was then.
    views : sequence of str, optional
        Names of the views that count, by default all with features: also those that the picture does not use.
    metric : str, sequence of str, or mapping view name -> str
        How far samples are apart in these views, as `embed` takes it. The neighbours by one metric judge pictures by
        all: those by each picture's own could not be compared.
    k : int
        Neighbours; fewer where there are not twice as many samples.
    task, memo
        How to stop and report, and how to remember prepared views.

    Returns
    -------
    LabelFree
        `trustworthiness` on six coordinates, of pictures with some for each view the mean over these;
        `neighbours_kept` on all, with those of each view; the `agreement` of the views' own coordinates; the spectral
        `gap` of walks. More than 1,000 samples are judged by a random part of them.

    Raises
    ------
    DataError, ParameterError
        There is no such view, no view at all, or there are fewer than four samples; the metric cannot compare some.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods" (2001), as
    `mvx.metrics.trustworthiness`; neighbours as `mvx.neighbourhood_preservation`. Spreads are standard errors over the
    samples.

    Examples
    --------
    >>> data = mvx.load("blobs")
    >>> found = mvx.label_free(mvx.embed(data, "kernel-sum", epsilon="median"), data)
    >>> found.trustworthiness.value > found.chance
    True
    """
    data = as_multiview(data)
    tables = {view for view, kernel in zip(embedding.views, embedding.kernels, strict=False) if kernel == "precomputed"}
    names = tuple(name for name in data.view_names if name not in tables) if views is None else tuple(views)
    if not names or data.n_samples < FEWEST_SAMPLES:
        raise DataError("Neighbours need a view of features and at least four samples.", "Name a view, or open more.")
    kernels = [GAUSSIAN.on(each) for each in parse_metrics(metric, names)]
    used = [data.view_index(name) for name in names]
    stages = Stages(data, used, kernels=kernels, task=task or Task(), memo=memo or remember_once())
    prepared = {name: stages.points(i) for i, name in enumerate(names)}
    blocks = embedding.view_coordinates or (embedding.coordinates,)
    walks = get_method(embedding.method).walk is not None
    return scores_of(embedding.coordinates, blocks, prepared, embedding.eigenvalues if walks else (), k=k, task=task)


def scores_of(
    Y: Array,
    blocks: Sequence[Array],
    views: Mapping[str, Array],
    eigenvalues: npt.ArrayLike = (),
    *,
    k: int = NEIGHBOURS,
    task: Task | None = None,
) -> LabelFree:
    """Score coordinates (M, r), whose blocks (M, c) are the views', by prepared views and a walk's eigenvalues.

    Trustworthiness is the mean over the leading ones of the blocks: more coordinates keep ever more neighbours.
    """
    rows = random_rows(len(Y), LOOKING, 0)
    placed = rows[has_place(Y[rows])]
    rows = placed if len(placed) >= FEWEST_SAMPLES else rows
    n = len(rows)
    k = max(1, min(k, (n - 1) // 2))
    near = nearest(np.nan_to_num(Y[rows]), k, task)
    near_first = [nearest(np.nan_to_num(block[rows, :LEADING]), k, task) for block in blocks]
    trusted, kept = np.zeros(n), dict[str, Array]()
    for name, X in views.items():
        here = X[rows]
        kept[name] = shared(near, nearest(here, k, task))
        for each in near_first:
            intruding = np.maximum(ranks(here, each, task) - k, 0).sum(axis=1)
            share = 1.0 - intruding * 2.0 / (k * (2.0 * n - 3.0 * k - 1.0))
            trusted += share / (len(views) * len(near_first))
    return LabelFree(
        Score.over_samples(trusted),
        Score.over_samples(np.mean(list(kept.values()), axis=0)),
        tuple((name, float(each.mean())) for name, each in kept.items()),
        k / (n - 1),
        _agreement([np.nan_to_num(block[rows]) for block in blocks], k, task),
        _gap(np.abs(np.asarray(eigenvalues, dtype=np.float64))),
    )


def _agreement(blocks: Sequence[Array], k: int, task: Task | None) -> Score | None:
    """How many neighbours the coordinates (n, c) of two views share, mean over the pairs.

    None of fewer views, and where most samples of a block lie at one place: its neighbours tell nothing.
    """
    each = [nearest(block, k, task) for block in blocks]
    if any(_at_one_place(block, near[:, -1]) for block, near in zip(blocks, each, strict=True)):
        return None
    pairs = [shared(one, other) for one, other in combinations(each, 2)]
    return Score.over_samples(np.mean(pairs, axis=0)) if pairs else None


def _at_one_place(Y: Array, furthest: npt.NDArray[np.integer]) -> bool:
    """Whether most samples lie, but for rounding, where the furthest of their neighbours does."""
    rounding = 1e-9 * float(np.abs(Y).max(initial=0.0))
    return bool(np.median(np.abs(Y - Y[furthest]).max(axis=1)) <= rounding)


def _gap(moduli: Array) -> Score | None:
    """The widest gap after an eigenvalue besides the trivial one."""
    return Score(float(np.max(moduli[1:-1] - moduli[2:]))) if len(moduli) > 2 else None
