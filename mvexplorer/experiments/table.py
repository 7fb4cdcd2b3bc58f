"""All experiments, paper by paper. A new one is one file and one row here."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from mvexplorer.errors import ParameterError
from mvexplorer.experiments.lindenbaum2015 import circles, fig1, fig2, fig3, fig5, fig7, helices, train

if TYPE_CHECKING:
    from mvexplorer.experiments.experiment import Experiment, Missing

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
)

MISSING: tuple[Missing, ...] = ()


def find_experiment(id: str) -> Experiment:
    """The experiment with this id; ParameterError with the nearest name where there is none."""
    known = {experiment.id: experiment for experiment in EXPERIMENTS}
    if id not in known:
        near = difflib.get_close_matches(id, known, n=1, cutoff=0.4)
        hint = f"Do you mean {near[0]}?" if near else "See: mvexplorer experiments"
        raise ParameterError(f"There is no experiment called “{id}”.", hint)
    return known[id]
