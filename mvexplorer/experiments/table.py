"""All experiments, paper by paper. A new one is one file and one row here."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from mvexplorer.errors import ParameterError
from mvexplorer.experiments.experiment import Missing
from mvexplorer.experiments.lindenbaum2015 import (
    circles,
    digits,
    fig1,
    fig2,
    fig3,
    fig5,
    fig7,
    helices,
    seismic,
    train,
)
from mvexplorer.experiments.yair2016 import icons, metric, pendulums, shared

if TYPE_CHECKING:
    from mvexplorer.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    fig1.EXPERIMENT,
    fig2.EXPERIMENT,
    fig3.EXPERIMENT,
    fig5.EXPERIMENT,
    fig7.EXPERIMENT,
    helices.HELIX_A,
    helices.HELIX_B,
    train.FRAMES_REMOVED,
    train.NOISE_FRAMES,
    circles.NOISE,
    circles.BANDWIDTHS,
    digits.HANDWRITTEN,
    digits.NOISY_DIGITS,
    digits.THREE_KERNELS,
    seismic.EXPERIMENT,
    metric.EXPERIMENT,
    pendulums.FIG6,
    pendulums.FIG8,
    icons.FIG10,
    icons.FIG12,
    shared.EXPERIMENT,
)

MISSING = (
    Missing("lindenbaum2015", "figure 4", "It shows the data of figure 5.", "lindenbaum2015-fig5"),
    Missing("lindenbaum2015", "figure 6", "It shows the data of figure 7.", "lindenbaum2015-fig7"),
    Missing("lindenbaum2015", "figure 14", "The film is not published.", "lindenbaum2015-fig16"),
    Missing("lindenbaum2015", "figure 21", "It shows the data of figure 22.", "lindenbaum2015-fig22"),
    Missing("lindenbaum2015", "figure 25", "It shows the data of table 1.", "lindenbaum2015-table1"),
    Missing("lindenbaum2015", "table 2", "The kernels of Caltech-101 cannot be had."),
    Missing("lindenbaum2015", "figures 27 and 28", "The seismic catalogue is not public.", "lindenbaum2015-table3"),
)
"""Figures without an experiment, and why."""


def find_experiment(id: str) -> Experiment:
    """The experiment with this id; ParameterError with the nearest name where there is none."""
    known = {experiment.id: experiment for experiment in EXPERIMENTS}
    if id not in known:
        near = difflib.get_close_matches(id, known, n=1, cutoff=0.4)
        hint = f"Do you mean {near[0]}?" if near else "See: mvexplorer experiments"
        raise ParameterError(f"There is no experiment called “{id}”.", hint)
    return known[id]
