"""Figure 1: where one view is torn, a step through the other gets across."""

from __future__ import annotations

import numpy as np

from mvexplorer.datasets.generators import GAP_ROLL_CUTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import FROM_THE_END, cloud
from mvexplorer.experiments.repetitions import Run

EPSILON = 1.5**2
WIDTH = 4 / 180
"""Samples that far from a cut, as a part of the roll's length, stand for its sides."""


def measure(run: Run) -> ExperimentResult:
    """The probability of one step from one side of a cut to the other, by one view and by both."""
    data = SOURCE.load()
    stages, u = Stages(data, (0, 1), (EPSILON, EPSILON), task=run.task), data.latent["u"]
    first, second = (np.asarray(kernel_of(stages, i)) for i in (0, 1))
    alone = [mass_across(rows_to_1(K), u, cut) for K, cut in zip((first, second), GAP_ROLL_CUTS, strict=True)]
    hops = [rows_to_1(first @ second), rows_to_1(second @ first)]
    together = [mass_across(P, u, cut) for P in hops for cut in GAP_ROLL_CUTS]
    start = int(abs(u - (GAP_ROLL_CUTS[0] - WIDTH / 2)).argmin())
    last = int(abs(u - (GAP_ROLL_CUTS[1] - WIDTH / 2)).argmin())
    rows = (
        ("View 1, one step in it alone", data.Xs[0], rows_to_1(first)[start]),
        ("View 2, one step in it alone", data.Xs[1], rows_to_1(second)[last]),
        ("View 1, one step through both", data.Xs[0], hops[0][start]),
        ("View 2, one step through both", data.Xs[1], hops[1][last]),
    )
    small = 1e-6  # probabilities below are 0 in the pictures
    return ExperimentResult(
        (
            Bar("probability of crossing the cut by both views, the smallest of four", min(together), at_least=0.01),
            Bar("the same by one view alone, the larger of two", max(alone), at_most=1e-6),
        ),
        tuple(
            cloud(title, X, np.where(row < small, 0.0, row), coloured_by="probability", turn=FROM_THE_END)
            for title, X, row in rows
        ),
    )


def rows_to_1(K: Array) -> Array:
    """Transition probabilities of a kernel (M, M)."""
    P: Array = K / K.sum(axis=1, keepdims=True)
    return P


def mass_across(P: Array, u: Array, cut: float) -> float:
    """The mean probability of getting from just left of a cut to just right of it."""
    left, right = (u > cut - WIDTH) & (u < cut), (u > cut) & (u < cut + WIDTH)
    return float(P[left][:, right].sum(axis=1).mean())


SOURCE = Source(generator="make_gap_rolls")
EXPERIMENT = Experiment(
    id="lindenbaum2015-fig1",
    paper="lindenbaum2015",
    figure="figure 1",
    title="A step through the other view crosses the gap",
    caption="Two rolls of 600 samples, each torn at another place. Colour: the probability of one step from a sample "
    "just before the tear of that view, in it alone and through both.",
    look_for="In a view alone no step crosses its tear; through both views about one in eight does.",
    source=SOURCE,
    panels=(
        ShownPanel("single", "roll1", 3),
        ShownPanel("single", "roll2", 3),
        ShownPanel("kernel-product"),
        ShownPanel("multiview"),
    ),
    epsilon=EPSILON,
    colour="walks:p4:179:steps-1",
    measure=measure,
    quick_seconds=0.2,
    knob="Drag ε: at four times as much, one step in two thousand crosses in a single view, too.",
    turns=(Turn("ε as printed", EPSILON), Turn("4 ε", 4 * EPSILON)),
)
