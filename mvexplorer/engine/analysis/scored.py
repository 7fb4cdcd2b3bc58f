"""The measures that pictures are scored by: against classes, or a hidden variable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine import metrics
from mvexplorer.engine.core.classes import known_classes
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.places import of_placed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.hidden_scores import first_spearman, knn_r2, knn_resultant
from mvexplorer.errors import ParameterError

OF_NUMBERS = {"r2": "R² of {}", "resultant": "k-NN recovery of angle {}", "spearman": "|Spearman| of {}"}


@dataclass(frozen=True, eq=False)
class Measure:
    """One number by which pictures of the same samples are compared; higher is better.

    `id` is ``nmi``, ``knn``, ``r2``, ``resultant`` or ``spearman``. `truth` (M,) are classes, or the values of a hidden
    variable; samples without one, or without a place in the picture, are left out.
    """

    id: str
    name: str
    truth: npt.NDArray[Any]

    def of(self, coordinates: Array, task: Task | None = None) -> float:
        """Score coordinates (M, r), all of which count; by NMI it is the mean over three k-means seeds."""
        Y, truth = of_placed(coordinates, self.truth)
        if self.id == "nmi":
            seeds = 3  # k-means runs behind one NMI of many: enough to compare pictures, of which all are scored alike.
            return metrics.nmi(Y, truth, seeds=seeds, task=task).value
        n_labelled = int(np.count_nonzero(labelled(truth)))
        if self.id == "knn":
            return metrics.knn_accuracy(Y, truth, n_neighbors=min(5, n_labelled - 1)).value
        if self.id == "spearman":
            return first_spearman(Y, truth).value
        score = knn_r2 if self.id == "r2" else knn_resultant
        return score(Y, truth, n_neighbors=min(10, n_labelled - 1)).value

    def of_rows(self, rows: npt.NDArray[np.intp]) -> Measure:
        """Return the same measure on these samples, or with the truth in another order."""
        return replace(self, truth=self.truth[rows])


def measure_of(data: MultiView, score: str | None = None) -> Measure | None:
    """Choose the measure that pictures of the data are scored by; None where there is nothing to score against.

    `score` is ``nmi`` or ``knn`` of the labels; ``r2``, ``resultant`` or ``spearman`` of the first latent; or the name
    of a latent or column; by default NMI, else the first latent; ``none`` for nothing. ParameterError where there is no
    such score, or the data has nothing that it needs.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.scored import measure_of
    >>> measure_of(mvx.load("uci-digits")).name, measure_of(mvx.load("helix-a")).name
    ('NMI', 'k-NN recovery of angle a')
    """
    if score == "none":
        return None
    of_classes = {"nmi": "NMI", "knn": "k-NN accuracy"}
    if score in of_classes:
        if not scorable(data.labels) or data.labels is None:
            raise ParameterError(
                f"The score {score} needs labels.", "Give labels of at least two samples per class, or another score."
            )
        return Measure(score, of_classes[score], data.labels)
    if score is None and scorable(data.labels) and data.labels is not None:
        return Measure("nmi", of_classes["nmi"], data.labels)
    named = {
        **{name: x for name, x in data.columns.items() if varies(x)},
        **{name: x for name, x in data.latent.items() if varies(x)},
    }
    if score in named:
        return of_variable(score, named[score])
    first = next((name for name in data.latent if name in named), None)
    if first is not None and (score is None or score in OF_NUMBERS):
        return of_variable(first, named[first], score)
    if score is None:
        return None
    scores = ", ".join((*of_classes, *OF_NUMBERS, *named))
    raise ParameterError(f"This data cannot be scored by “{score}”.", f"Scores: {scores}.")


def of_variable(name: str, values: npt.NDArray[Any], id: str | None = None) -> Measure:
    """Make the measure of how far pictures show a hidden variable (M,), in radians if it is an angle.

    `id` is ``r2``, ``resultant`` or ``spearman``; by default one of the first two, whichever suits the numbers.
    """
    numbers = np.asarray(values, dtype=np.float64)
    chosen = id or ("resultant" if is_angle(numbers) else "r2")
    return Measure(chosen, OF_NUMBERS[chosen].format(name).replace("angle angle", "angle"), numbers)


def varies(values: npt.NDArray[Any]) -> bool:
    """True if values (M,) are numbers, NaN where there is none, of which some differ."""
    if values.dtype.kind not in "biuf":
        return False
    present = values[np.isfinite(values)]
    return len(present) > 2 and bool(present.min() < present.max())


def scorable(labels: npt.NDArray[np.generic] | None) -> bool:
    """True if scores make sense: there are labels (M,), with at least two classes that hold several samples each.

    Fractions are no classes. Whole numbers are stored as floating-point numbers where some are missing.
    """
    if labels is None:
        return False
    max_classes = 100
    if labels.dtype.kind == "U":
        names, codes, _ = known_classes(labels)
        return 2 <= len(names) <= min(max_classes, len(codes) // 2)
    present = labels[labelled(labels)]
    whole = present.dtype.kind != "f" or bool(np.all(np.mod(present.astype(np.float64), 1.0) == 0.0))
    if not whole or (present.dtype.kind == "f" and len(present) == len(labels)):
        return False
    count = len(np.unique(present))
    return 2 <= count <= min(max_classes, len(present) // 2)


def is_angle(values: npt.NDArray[Any]) -> bool:
    """True if numbers (M,) look like angles: they fill [0, 2π) and do not leave it; NaN where there is none."""
    present = values[np.isfinite(values)]
    if not len(present):
        return False
    low, high = float(np.min(present)), float(np.max(present))
    return bool(low >= 0.0 and 6.0 < high <= 2 * np.pi + 1e-9 and low < 0.3)
