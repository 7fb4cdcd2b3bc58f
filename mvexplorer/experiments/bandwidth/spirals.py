"""Figures 4.9 to 4.11: four classes along a spiral."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.metrics import silhouette
from mvexplorer.experiments.bandwidth.classes import RULES, USUAL, chosen, grid, mapped, neighbour_accuracy
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud, curve, plot
from mvexplorer.experiments.measures import classes_of, leading
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture

GAPS = 0.02, 0.04
SPAN = 0.4, 2000.0
"""Bandwidths that are scanned, in units of ε₀."""
PLANE = 2
"""Dimensions of the maps in figure 4.10; the text names no other for figure 4.11."""


def _source(gap: float) -> Source:
    return Source(generator="make_spiral_classes", keywords={"gap": gap})


def measure_maps(run: Run) -> ExperimentResult:
    """Measure how strongly ε decides how far apart the classes are in the plane."""
    cells = [(gap, seed) for gap in GAPS for seed in run.seeds(2, 10)]
    ranges = run.each("range", cells, lambda cell: _range(_source(cell[0]).load(random_state=cell[1])))
    clouds: list[Figure] = []
    lines = []
    for gap in GAPS:
        data = _source(gap).load()
        axis = grid(data, SPAN)
        lines.append(curve(f"gap {gap:g}", axis, np.array([_apart(mapped(data, e, PLANE), data) for e in axis])))
        clouds.append(cloud(f"The spiral, gap {gap:g}", data.Xs[0], data.labels, coloured_by="class"))
        for rule, symbol in RULES.items():
            Y = mapped(data, chosen(data, rule, PLANE), PLANE)
            clouds.append(cloud(f"Map at {symbol}, gap {gap:g}", Y, data.labels, coloured_by="class"))
    return ExperimentResult(
        (silhouette_claim(float(np.median(ranges))),),
        (plot("How far apart the classes are", "ε", "mean silhouette", tuple(lines), log_across=True), *clouds),
    )


def live_maps(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of the maps that the panels show."""
    apart = [_apart(leading(picture.embedding, PLANE), data) for picture in seen]
    return (silhouette_claim(max(apart) - min(apart)),)


def silhouette_claim(value: float) -> Bar:
    """The claim that figure 4.10 is to demonstrate."""
    return Bar("best minus worst silhouette of the classes in the plane over ε", value, at_least=0.3)


def _range(data: MultiView) -> float:
    apart = [_apart(mapped(data, epsilon, PLANE), data) for epsilon in grid(data, SPAN)]
    return max(apart) - min(apart)


def _apart(Y: Array, data: MultiView) -> float:
    return silhouette(Y, classes_of(data)).value


def measure_accuracy(gap: float, run: Run) -> ExperimentResult:
    """Measure how strongly ε decides the accuracy, and whether it peaks where two of the criteria do."""
    source = _source(gap)
    peaks = run.each("accuracy", run.seeds(2, 10), lambda seed: _peaks(source.load(random_state=seed)))
    influence, spectral, geometric = np.median(np.array(peaks), axis=0)
    data = source.load()
    axis = grid(data, SPAN)
    names = {PLANE: "two dimensions", 1: "one dimension, ours"}
    lines = tuple(
        curve(name, axis, np.array([neighbour_accuracy(data, e, d) for e in axis])) for d, name in names.items()
    )
    marks = tuple((chosen(data, rule, PLANE), symbol) for rule, symbol in (RULES | USUAL).items())
    return ExperimentResult(
        (
            Bar("best minus worst accuracy over ε", float(influence), at_least=0.1),
            Bar("accuracy at ε_Ge minus the median over ε", float(spectral), at_least=0.02),
            Bar("accuracy at ε_Ψ minus the median over ε", float(geometric), at_least=0.02),
        ),
        (plot("Accuracy over ε", "ε", "accuracy", lines, log_across=True, marks=marks, limits=(0.5, 1.0)),),
    )


def _peaks(data: MultiView) -> list[float]:
    """The rise of the accuracy over ε, and its excess over the median at ε_Ge and at ε_Ψ."""
    over = [neighbour_accuracy(data, epsilon, PLANE) for epsilon in grid(data, SPAN)]
    at = [neighbour_accuracy(data, chosen(data, rule, PLANE), PLANE) for rule in ("class-spectral", "class-geometric")]
    return [max(over) - min(over), *(value - float(np.median(over)) for value in at)]


IN_PLANE = ("class-geometric(class_dimension=2)", "class-spectral(class_dimension=2)", "class-probabilistic")
PANELS = tuple(ShownPanel("single", pins={"epsilon:spiral": rule}) for rule in IN_PLANE)
TURNS = (Turn("Criteria over ε", page="classes"),)
MAPS = Experiment(
    id="bandwidth-fig4.10",
    paper="bandwidth",
    figure="figures 4.9 and 4.10",
    title="Two dimensions of four classes along a spiral",
    caption="Four classes of 100 samples along a spiral, with small and with larger gaps; maps to two dimensions over "
    "ε, and how far apart the classes are in them. The spiral with the smaller gaps is in the window.",
    look_for="At ε_Ψ the samples are drawn into a few tight groups; at ε_Ge they lie along the spiral, as in the data.",
    source=_source(GAPS[0]),
    panels=PANELS,
    epsilon=IN_PLANE[0],
    colour="labels",
    measure=measure_maps,
    live=live_maps,
    quick_seconds=6.0,
    knob="Move ε of a panel: tight groups become a spiral again.",
    turns=TURNS,
)
ACCURACIES = tuple(
    Experiment(
        id=f"bandwidth-fig4.11-{gap}",
        paper="bandwidth",
        figure=f"figure 4.11, gap {gap}",
        title=f"Four classes along a spiral, {words} apart",
        caption="Four classes of 100 samples along a three-dimensional spiral. Accuracy of the nearest neighbour on "
        "the diffusion map in two dimensions over ε; beside it, as ours, in one dimension.",
        look_for="All three marks lie where the curve is high, but in two dimensions it is high at every ε. The text "
        "says that ε_Ge and ε_Ψ mark its peak, and that the one of ρ_P does not.",
        source=_source(gap),
        panels=PANELS,
        colour="labels",
        measure=partial(measure_accuracy, gap),
        quick_seconds=5.0,
        why="In two dimensions nearly every sample has its nearest neighbour in its own class at every ε, so no ε is a "
        "peak. In one dimension ε does matter, but there the eigengap chooses one at which classes mix.",
        knob="The page Bandwidth draws the three criteria over ε, and marks the bandwidths of the panels: Ψ, G and P.",
        turns=TURNS,
    )
    for gap, words in zip(GAPS, ("hardly", "a little"), strict=True)
)
