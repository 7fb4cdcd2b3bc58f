"""All experiments, paper by paper. A new one is one file and one row here."""

from __future__ import annotations

import difflib

from mvexplorer.errors import ParameterError
from mvexplorer.experiments.bandwidth import classes, manifold, pair, spirals
from mvexplorer.experiments.bandwidth import seismic as quarries
from mvexplorer.experiments.experiment import Experiment, Missing
from mvexplorer.experiments.eynard2012 import clusters, rolls
from mvexplorer.experiments.eynard2012 import digits as pictures
from mvexplorer.experiments.lindenbaum2015 import (
    circles,
    digits,
    eq49,
    fig1,
    fig2,
    fig3,
    fig5,
    fig7,
    helices,
    seismic,
    train,
)
from mvexplorer.experiments.own import (
    does_not_melt,
    drowned_views,
    ingredients,
    what_fac_knows,
    where_is_the_tear,
    who_stays,
    whose_epsilon,
)
from mvexplorer.experiments.salhov2015 import squares
from mvexplorer.experiments.yair2016 import icons, metric, pendulums, shared

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
    train.RULE,
    eq49.EXPERIMENT,
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
    whose_epsilon.EXPERIMENT,
    drowned_views.EXPERIMENT,
    who_stays.EXPERIMENT,
    ingredients.EXPERIMENT,
    does_not_melt.EXPERIMENT,
    where_is_the_tear.EXPERIMENT,
    what_fac_knows.EXPERIMENT,
    manifold.NOISY_ROLL,
    manifold.TURNING_DIGIT,
    pair.SCAN,
    pair.PERTURBATION,
    spirals.MAPS,
    *spirals.ACCURACIES,
    classes.DIGITS,
    quarries.EXPERIMENT,
    classes.SEISMIC,
    squares.DENSITY,
    squares.ERRORS,
    squares.BOUND,
    rolls.FLATTENED,
    rolls.SHORT_CIRCUITS,
    clusters.BLOBS_TABLE,
    clusters.CIRCLES_TABLE,
    pictures.FARTHEST,
    pictures.ROC,
)

MISSING = (
    Missing("lindenbaum2015", "figure 4", "It shows the data of figure 5.", "lindenbaum2015-fig5"),
    Missing("lindenbaum2015", "figure 6", "It shows the data of figure 7.", "lindenbaum2015-fig7"),
    Missing("lindenbaum2015", "figure 14", "The film is not published.", "lindenbaum2015-fig16"),
    Missing("lindenbaum2015", "figure 21", "It shows the data of figure 22.", "lindenbaum2015-fig22"),
    Missing("lindenbaum2015", "figure 25", "It shows the data of table 1.", "lindenbaum2015-table1"),
    Missing("lindenbaum2015", "table 2", "The kernels of Caltech-101 cannot be had."),
    Missing(
        "lindenbaum2015", "table 4, figures 27 and 28", "The seismic catalogue is not public.", "lindenbaum2015-table3"
    ),
    Missing("bandwidth", "figure 3.1", "It is a drawing of the three criteria.", "bandwidth-fig4.7"),
    Missing("bandwidth", "figure 5.1", "It shows the data of figure 5.5.", "bandwidth-fig5.5"),
    Missing(
        "eynard2012",
        "table 1, NIPS, NUS and Caltech; figures 5 and 6",
        "The pictures and texts cannot be had.",
        "eynard2012-fig8",
    ),
    Missing("eynard2012", "table 1, Comraf", "It is no spectral method, and its program is not public."),
)
"""Figures without an experiment, and why."""


def find_experiment(id: str) -> Experiment:
    """The experiment with this id; ParameterError with the nearest name where there is none."""
    by_id = {experiment.id: experiment for experiment in EXPERIMENTS}
    if id not in by_id:
        near = difflib.get_close_matches(id, by_id, n=1, cutoff=0.4)
        hint = f"Do you mean {near[0]}?" if near else "See: mvexplorer experiments"
        raise ParameterError(f"There is no experiment called “{id}”.", hint)
    return by_id[id]
