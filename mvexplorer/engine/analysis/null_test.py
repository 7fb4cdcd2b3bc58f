"""Permutation test: one view's rows are shuffled, and the picture is made again: what does it look like by chance?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mvexplorer.engine.analysis.agreement import NEIGHBOURS, shared
from mvexplorer.engine.analysis.null_band import LABELS, NullBand, Real, ShuffledRun
from mvexplorer.engine.analysis.rerun import Rerun, Rows
from mvexplorer.engine.analysis.scored import Measure
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_whole
from mvexplorer.engine.core.shuffles import Shuffle, order_maker
from mvexplorer.engine.kernels.nearest import nearest
from mvexplorer.engine.kernels.neighbours import Indices
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ComputeError, DataError, ParameterError


@dataclass(frozen=True, eq=False)
class NullTest:
    """The null test of a picture; computed by `null_test`.

    `method` and `score` are ids, `score` None where there is nothing to score against. `views` has one band for each
    view shuffled; a single one, whose view is empty, where the labels were.
    """

    method: str
    score: str | None
    views: tuple[NullBand, ...]

    def as_list(self) -> list[dict[str, Any]]:
        """Plain data: a list of `view`, `score`, `real`, `shuffled` and `p`; the view is None for labels."""
        return [
            {
                "view": band.view or None,
                "score": self.score,
                "real": band.real,
                "shuffled": band.shuffled.tolist(),
                "p": band.p,
            }
            for band in self.views
        ]


class NullRuns:
    """The runs of one picture's null test, each by its view and number.

    `measure` scores all samples, None nothing; `shuffle` is ``rows``, ``circular`` or an array (M,), as `null_test`
    takes it; `seed` is that of the orders.
    """

    def __init__(self, again: Rerun, measure: Measure | None, shuffle: Shuffle = "rows", seed: int = 0) -> None:
        self._again, self._seed = again, seed
        self.measure = None if measure is None else measure.of_rows(again.rows)
        self._shuffle = shuffle
        self._order = order_maker(shuffle, again.n_all, again.rows, seed)
        self._both = np.intersect1d(self._part(0), self._part(1))
        self._k = max(1, min(NEIGHBOURS, (len(self._both) - 1) // 2))  # all others are the same in every picture

    def real(self) -> Real:
        """The picture as it is, and how much two resamplings of it disagree."""
        again = self._again
        resampled = float("nan") if len(again.views) < 2 else self._resampled()
        return Real(self._score(again.whole.coordinates), again.whole.eigenvalues, resampled)

    def run(self, view: str, number: int) -> ShuffledRun:
        """Carry out one run: with the rows of a view, or the labels, in another order."""
        again = self._again
        if view == LABELS:
            return ShuffledRun(view, number, self._score_by_chance(number), again.whole.eigenvalues)
        answer = again.shuffled(again.check_shuffle(view), self._order(number))
        far = self._disagreement(self._real_neighbours, answer.coordinates[self._both])
        return ShuffledRun(view, number, self._score(answer.coordinates), answer.eigenvalues, far)

    def _score(self, coordinates: Array) -> float | None:
        return None if self.measure is None else self.measure.of(coordinates, self._again.stages.task)

    def _score_by_chance(self, number: int) -> float | None:
        """The score of the picture with the labels of the samples that have one in another order."""
        if self.measure is None:
            return None
        has_label = np.flatnonzero(labelled(self.measure.truth))
        order = np.arange(len(self.measure.truth))
        maker = order_maker(self._shuffle, self._again.n_all, self._again.rows[has_label], self._seed)
        order[has_label] = has_label[maker(number)]
        return self.measure.of_rows(order).of(self._again.whole.coordinates, self._again.stages.task)

    @cached_property
    def _real_neighbours(self) -> Indices:
        return nearest(self._again.whole.coordinates[self._both], self._k, self._again.stages.task)

    def _disagreement(self, neighbours: Indices, coordinates: Array) -> float:
        """Mean disagreement of two pictures on the samples that two resamplings share."""
        others = nearest(coordinates, self._k, self._again.stages.task)
        return float(np.mean(1.0 - shared(neighbours, others)))

    def _part(self, which: int) -> Rows:
        m = len(self._again.rows)
        kept = 0.8  # Share of the samples in a resampling.
        return np.sort(np.random.default_rng([self._seed, which]).permutation(m)[: max(3, int(kept * m))])

    def _resampled(self) -> float:
        """Mean disagreement of two random parts on the samples they share; NaN where they cannot be computed."""
        try:
            parts = []
            for rows in (self._part(0), self._part(1)):
                parts.append(self._again.part(rows).coordinates[np.isin(rows, self._both)])
        except (ComputeError, DataError, ParameterError):
            return float("nan")
        return self._disagreement(nearest(parts[0], self._k, self._again.stages.task), parts[1])


def views_to_shuffle(
    method: Method, used: tuple[str, ...], measure: Measure | None, view: str | None = None
) -> tuple[str, ...]:
    """Return the views to shuffle, `view` or each in turn; `LABELS` where the picture uses one view only.

    ParameterError where no shuffle tests what the method shows.
    """
    check_has_null(method)
    if len(used) > 1:
        return used if view is None else (view,)
    if measure is None:
        raise DataError(
            "A picture of one view is compared with chance labels, and there is nothing to score it against.",
            "Open data with labels of at least two samples per class, or with a hidden variable.",
        )
    return (LABELS,)


def check_has_null(method: Method) -> None:
    """Raise ParameterError where no shuffle tests what a method shows."""
    if method.no_null:
        raise ParameterError(method.no_null, "Resample it instead, or test another picture of these views.")


def check_runs(n: int) -> None:
    """Raise ParameterError where there would be no run."""
    if not is_whole(n) or n < 1:
        raise ParameterError(
            f"A permutation test of {n} runs says nothing.", "Ask for at least one; 19 let p reach .05."
        )
