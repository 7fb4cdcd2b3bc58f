"""The UCI digits of our own experiments: which of them are taken, and how a picture of them is scored."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import nmi
from mvexplorer.experiments.experiment import Source
from mvexplorer.experiments.measures import classes_of
from mvexplorer.experiments.repetitions import Run

UCI = Source(sample="uci-digits")
FEW, ALL = 500, 2000
"""Digits of the quick form, every fourth, and in full."""
COORDINATES = 12


def digits_of(run: Run) -> MultiView:
    """The digits of this run."""
    return every_so_many(run.choose("samples", FEW, ALL))


def every_so_many(n: int, first: int = 0) -> MultiView:
    """That many of the digits, evenly spread over all, from one of the first ones on."""
    data = UCI.load()
    step = data.n_samples // n
    return data if step == 1 else data.take(np.arange(first % step, data.n_samples, step))


def k_means_nmi(Y: Array, data: MultiView, task: Task) -> float:
    """NMI of k-means on coordinates (M, r) and the known classes, the best of five starts, the mean of two seeds."""
    return nmi(Y, classes_of(data), seeds=2, n_init=5, task=task).value
