"""Figures 4.6 to 4.8: three criteria for two Gaussian classes, and how strongly the classes are coupled."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.bandwidth.curves import growth
from mvexplorer.engine.bandwidth.rules.classes import class_codes, scan_classes
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.engine.metrics import silhouette
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.experiments.bandwidth.classes import RULES, chosen
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud, curve, heat_map, plot
from mvexplorer.experiments.measures import classes_of, spearman
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure

NEAR = 1.25
"""Up to this factor on either side, bandwidths are around ε_Ge."""


def measure_scan(run: Run) -> ExperimentResult:
    """Measure how alike the curves of the three criteria are, and how strongly ε decides how far apart classes are."""
    n = run.choose("values of ε", 25, 61)
    medians = np.median(np.array(run.each("curves", run.seeds(5, 20), lambda seed: _alike(_pair(seed), n))), axis=0)
    data = _pair(0)
    axis, curves = _criteria(data, n)
    lines = tuple(curve(name, axis, _to_unit(values)) for name, values in curves.items())
    marks = tuple((chosen(data, rule, 1), symbol) for rule, symbol in RULES.items())
    at_gap = embed(data, "single", epsilon=chosen(data, "class-spectral", 1), n_components=2).coordinates
    return ExperimentResult(
        (
            *(
                Bar(f"rank correlation of {a} and {b} over ε", float(value), at_least=0.8)
                for (a, b), value in zip(itertools.combinations(curves, 2), medians, strict=False)
            ),
            Bar(
                "best minus worst silhouette of the classes in the first coordinate over ε",
                float(medians[-1]),
                at_least=0.3,
            ),
        ),
        (
            plot("Criteria over ε, each from 0 to 1", "ε", "criterion", lines, log_across=True, marks=marks),
            _first_coordinate(data, axis),
            cloud("Two of the six features", data.Xs[0][:, :2], data.labels, coloured_by="class"),
            cloud("Map at the bandwidth of the eigengap", at_gap, data.labels, coloured_by="class"),
        ),
    )


def _pair(seed: int) -> MultiView:
    return PAIR.load(random_state=seed)


def _axis(data: MultiView, n: int) -> Array:
    span = 0.2, 200.0  # in units of ε₀
    axis: Array = log_sum_range(distances_of(Stages(data, (0,)), 0)).epsilon_0 * np.geomspace(*span, n)
    return axis


def _criteria(data: MultiView, n: int) -> tuple[Array, dict[str, Array]]:
    """So many bandwidths, and each criterion at them; NaN where it is not defined."""
    stages, codes, axis = Stages(data, (0,)), class_codes(data), _axis(data, n)
    scan, curve = scan_classes(stages, 0, codes, axis), growth(stages, 0, codes)
    within = np.interp(np.log(axis), np.log(curve.epsilon), curve.within_probability)
    return axis, {"ρ_P": within, "Ge": scan.spectral, "ρ_Ψ": scan.geometric}


def _alike(data: MultiView, n: int) -> list[float]:
    """Rank correlations of every two criteria where both are defined, and the range of the silhouettes."""
    axis, curves = _criteria(data, n)
    correlations = []
    for a, b in itertools.combinations(curves.values(), 2):
        both = np.isfinite(a) & np.isfinite(b)
        correlations.append(spearman(a[both], b[both]))
    apart = [silhouette(_coordinate(data, epsilon)[:, None], classes_of(data)).value for epsilon in axis]
    return [*correlations, max(apart) - min(apart)]


def _coordinate(data: MultiView, epsilon: float) -> Array:
    return embed(data, "single", epsilon=float(epsilon), n_components=1).coordinates[:, 0]


def _first_coordinate(data: MultiView, axis: Array) -> Figure:
    """The first coordinate of every sample, class after class, over ε; each column from -1 to 1."""
    columns = [_coordinate(data, epsilon) for epsilon in axis]
    # Its sign is arbitrary: the first class is below the second.
    signs = [np.sign(v[100:].mean() - v[:100].mean()) or 1.0 for v in columns]
    values = np.array([sign * v / abs(v).max() for sign, v in zip(signs, columns, strict=True)]).T
    return heat_map(
        "First coordinate of each sample over ε",
        values,
        "log₁₀ ε",
        "sample, class after class",
        np.log10(axis),
        np.arange(1.0, len(values) + 1),
    )


def _to_unit(values: Array) -> Array:
    defined = values[np.isfinite(values)]
    scaled: Array = (values - defined.min()) / max(np.ptp(defined), 1e-12)
    return scaled


def measure_perturbation(run: Run) -> ExperimentResult:
    """Measure how little the coupling of the classes changes around the bandwidth of the eigengap."""
    changes = run.each("change", run.seeds(5, 20), lambda seed: _change(_pair(seed)))
    data = _pair(0)
    axis = _axis(data, run.choose("values of ε", 41, 121))
    return ExperimentResult(
        (Bar(f"change of the norm within a factor {NEAR:g} of ε_Ge, over the norm there", float(np.median(changes)),
             at_most=0.2),),
        (plot("Coupling of the classes", "ε", "Frobenius norm", (curve("‖W‖", axis, perturbation(data, axis)),),
                log_across=True, marks=((chosen(data, "class-spectral", 1), "ε_Ge"),)),),
    )  # fmt: skip


def perturbation(data: MultiView, axis: Array) -> Array:
    """The norm of W, (3.24): of the kernel between samples of different classes, at each ε."""
    D, labels = squared_distances(data.Xs[0]), classes_of(data)
    between = D[labels[:, None] != labels]
    return np.array([float(np.linalg.norm(np.exp(-0.5 * between / epsilon))) for epsilon in axis])


def _change(data: MultiView) -> float:
    epsilon = chosen(data, "class-spectral", 1)
    norms = perturbation(data, epsilon * np.geomspace(1 / NEAR, NEAR, 11))
    return float(np.ptp(norms) / norms[5])


PAIR = Source(generator="make_gaussian_pair")
ONE_DIMENSION = ("class-geometric(class_dimension=1)", "class-spectral(class_dimension=1)", "class-probabilistic")
SCAN = Experiment(
    id="bandwidth-fig4.7",
    paper="bandwidth",
    figure="figures 4.6 and 4.7",
    title="Three criteria for two classes",
    caption="Two Gaussian classes of 100 samples; the first coordinate, and the geometric, the spectral and the "
    "probabilistic criterion over ε.",
    look_for="Whether the three curves rise and fall together: the text finds a high correlation of every two.",
    source=PAIR,
    panels=tuple(ShownPanel("single", pins={"epsilon:pair": rule}) for rule in ONE_DIMENSION),
    epsilon=ONE_DIMENSION[1],
    colour="labels",
    measure=measure_scan,
    quick_seconds=5.0,
    why="Only the spectral and the probabilistic criterion rise and fall together. The geometric one is highest at "
    "small ε, where the graph falls into as many pieces as there are classes, and falls where the others rise.",
    knob="The page Bandwidth draws the three criteria over ε, and marks the bandwidths of the panels: Ψ, G and P.",
    turns=(Turn("Criteria over ε", page="classes"),),
)
PERTURBATION = replace(
    SCAN,
    id="bandwidth-fig4.8",
    figure="figure 4.8",
    title="What couples two classes",
    caption="The same classes; the norm of the part of the kernel between them, over ε.",
    look_for="Whether the curve is flat around the bandwidth of the eigengap: the text calls it nearly constant there.",
    panels=(ShownPanel("single"),),
    knob="The page Bandwidth marks the bandwidth of the eigengap, G, on the curve of that criterion.",
    measure=measure_perturbation,
    quick_seconds=1.0,
    why="At the bandwidth of the eigengap most affinities between the classes are far below 1, and those grow fast "
    "with ε. The curve is flat only where they are all 0, or all 1.",
)
