"""Figures 4.7 to 4.12 and 5.5: bandwidths that keep classes apart."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.bandwidth.curves import growth
from mvexplorer.engine.bandwidth.rules.classes import class_codes, scan_classes
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.engine.metrics import knn_accuracy
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source, Turn
from mvexplorer.experiments.figures import Cloud, Curves, Heat, Line
from mvexplorer.experiments.measures import by_chance, classes_of, leading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.experiments.repetitions import Run
    from mvexplorer.state.portable import Picture

RULES = {"class-geometric": "ε_Ψ", "class-spectral": "ε_Ge", "class-probabilistic": "ε_P"}
USUAL = {"log-sum": "ε₀", "2*max-min": "ε_MaxMin", "std": "ε_std"}
"""Rules that know of no classes, marked beside the others."""
GRID = 11


def spiral(seed: int, gap: float = 0.02) -> MultiView:
    """Four classes along a spiral, section 4.2.2."""
    return Source(generator="make_spiral_classes", keywords={"gap": gap}).load(random_state=seed)


def digits(seed: int, per_class: int = 30) -> MultiView:
    """Four kinds of features of so many of each UCI digit, z-scored and joined, section 4.2.3."""
    data = UCI.load()
    X = np.hstack([data.Xs[data.view_index(v)] for v in ("zer", "mor", "fac", "kar")])
    labels = classes_of(data)
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(labels == c))[:per_class] for c in np.unique(labels)])
    return MultiView([(X[rows] - X[rows].mean(axis=0)) / X[rows].std(axis=0)], labels=labels[rows])


def seismic(seed: int) -> MultiView:
    """Banded sonograms of the vertical channel, section 5.3."""
    raw = Source(generator="make_seismic_events").load(random_state=seed)
    data = waveform_views(raw, 40.0, "seismic-events", views=["Z"])
    return MultiView([data.Xs[data.view_index("Z")]], labels=data.labels)


def measure_scan(run: Run) -> Outcome:
    """The three criteria over ε, and how near the bandwidths that they choose are."""
    data = PAIR.load()
    stages, codes = Stages(data, (0,), task=run.task), class_codes(data)
    start = log_sum_range(distances_of(stages, 0)).epsilon_0
    axis = start * np.geomspace(0.2, 200, run.choose("values of ε", 25, 61))
    scan, curve = scan_classes(stages, 0, codes, axis), growth(stages, 0, codes)
    inside = (curve.epsilon >= axis[0]) & (curve.epsilon <= axis[-1])
    chosen = {rule: _chosen(data, rule) for rule in RULES}
    marks = tuple((chosen[rule], symbol) for rule, symbol in RULES.items())
    lines = tuple(
        Line(name, epsilon, _to_unit(values))
        for name, epsilon, values in (
            ("ρ_Ψ", axis, scan.geometric),
            ("eigengap Ge", axis, scan.spectral),
            ("ρ_P", curve.epsilon[inside], curve.within_probability[inside]),
        )
    )
    return Outcome(
        _ratios(*chosen.values()),
        (
            Curves("Criteria over ε, each from 0 to 1", "ε", "criterion", lines, log_across=True, marks=marks),
            _first_coordinate(data, axis),
            Cloud("Two of the six features", data.Xs[0][:, :2], data.labels, coloured_by="class"),
            Cloud("Map at the bandwidth of the eigengap", _map_of(data, chosen["class-spectral"]), data.labels,
                  coloured_by="class"),
        ),
    )  # fmt: skip


def _map_of(data: MultiView, epsilon: float) -> Array:
    return embed(data, "single", epsilon=epsilon, n_components=2).coordinates


def _first_coordinate(data: MultiView, axis: Array) -> Heat:
    """The first coordinate of every sample, class after class, over ε; each column from -1 to 1."""
    columns = [embed(data, "single", epsilon=float(epsilon), n_components=1).coordinates[:, 0] for epsilon in axis]
    # Its sign is arbitrary: the first class is below the second.
    signs = [np.sign(v[100:].mean() - v[:100].mean()) or 1.0 for v in columns]
    values = np.array([sign * v / abs(v).max() for sign, v in zip(signs, columns, strict=True)]).T
    return Heat("First coordinate of each sample over ε", values, "log₁₀ ε", "sample, class after class",
                np.log10(axis), np.arange(1.0, len(values) + 1))  # fmt: skip


def _ratios(geometric: float, spectral: float, probabilistic: float) -> tuple[Bar, ...]:
    return (
        Bar("ε_Ge over ε_P", spectral / probabilistic, at_least=1 / 3, at_most=3.0),
        Bar("ε_Ψ over ε_P", geometric / probabilistic, at_least=1 / 3, at_most=3.0),
    )


def live_scan(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of the bandwidths that the panels use."""
    geometric, spectral, probabilistic = (picture.embedding.epsilon[0] for picture in seen)
    return _ratios(geometric, spectral, probabilistic)


def measure_perturbation(run: Run) -> Outcome:
    """How little the coupling of the classes changes around the bandwidth of the eigengap."""
    data = PAIR.load()
    start = log_sum_range(distances_of(Stages(data, (0,), task=run.task), 0)).epsilon_0
    axis = start * np.geomspace(0.2, 200, run.choose("values of ε", 41, 121))
    norms, epsilon = _perturbation(data, axis), _chosen(data, "class-spectral")
    return Outcome(
        (Bar("change of the norm within a factor 1.5 of ε_Ge, of its largest value", _change(axis, norms, epsilon),
             at_most=0.2),),
        (Curves("Coupling of the classes", "ε", "Frobenius norm", (Line("‖W‖", axis, norms),), log_across=True,
                marks=((epsilon, "ε_Ge"),)),),
    )  # fmt: skip


def measure_maps(run: Run) -> Outcome:
    """The diffusion maps of both spirals at the bandwidth of the eigengap: are classes apart in two dimensions?"""
    found, clouds = [], []
    for gap in (0.02, 0.04):
        data = spiral(0, gap)
        e = embed(data, "single", epsilon="class-spectral", rule_params={"class_dimension": 2}, task=run.task)
        found.append(_nearest(e.coordinates, classes_of(data)))
        score = partial(_nearest, e.coordinates)
        chance = by_chance(score, classes_of(data))
        clouds.append(Cloud(f"Map, gap {gap}", e.coordinates, data.labels, coloured_by="class"))
        clouds.append(Cloud(f"The spiral, gap {gap}", data.Xs[0], data.labels, coloured_by="class"))
    return Outcome((replace(_in_plane(min(found)), null=chance),), tuple(clouds))


def live_maps(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of the map that the panel shows."""
    return (_in_plane(_nearest(leading(seen[0].embedding, 2), classes_of(data))),)


def _in_plane(accuracy: float) -> Bar:
    return Bar("accuracy in the plane, the smaller gap", accuracy, at_least=0.9)


def _nearest(Y: Array, labels: npt.NDArray[np.generic]) -> float:
    return knn_accuracy(Y, labels, n_neighbors=1).value


def _chosen(data: MultiView, rule: str, d: int = 1) -> float:
    own = {"class_dimension": d} if rule in ("class-geometric", "class-spectral") else {}
    return float(embed(data, "single", epsilon=rule, rule_params=own, n_components=d).epsilon[0])


def _to_unit(values: Array) -> Array:
    known = values[np.isfinite(values)]
    found: Array = (values - known.min()) / max(np.ptp(known), 1e-12)
    return found


def _perturbation(data: MultiView, axis: Array) -> Array:
    """The norm of the part of D^-1/2 K D^-1/2 between the classes."""
    D, labels = squared_distances(data.Xs[0]), classes_of(data)
    other = labels[:, None] != labels
    found = []
    for epsilon in axis:
        K = np.exp(-0.5 * D / epsilon)
        root = np.sqrt(K.sum(axis=1))
        found.append(float(np.linalg.norm((K / root[:, None] / root)[other])))
    return np.array(found)


def _change(axis: Array, norms: Array, epsilon: float) -> float:
    near = (axis >= epsilon / 1.5) & (axis <= epsilon * 1.5)
    return float(np.ptp(norms[near]) / norms.max()) if near.any() else float("nan")


def measure_accuracy(
    make: Callable[[int], MultiView],
    d: int,
    span: tuple[float, float],
    neighbours: int,
    bar: float,
    draws: int,
    run: Run,
) -> Outcome:
    """Accuracy at the bandwidth that each rule chooses, over the best on a grid, in the worst draw."""
    found = np.array(run.each("share of the best", run.seeds(draws, 10),
                              lambda seed: _shares(make(seed), d, span, neighbours)))  # fmt: skip
    worst = found.min(axis=0)
    data = make(0)
    axis = _axis(data, span)
    values = np.array([_accuracy(data, e, d, neighbours) for e in axis])
    marks = tuple((_chosen(data, rule, d), symbol) for rule, symbol in (RULES | USUAL).items())
    return Outcome(
        tuple(Bar(f"accuracy at {symbol} over the best of the grid, the worst draw", float(share), at_least=bar)
              for symbol, share in zip(RULES.values(), worst, strict=True)),
        (Curves("Accuracy over ε", "ε", "accuracy", (Line("nearest neighbours", axis, values),), log_across=True,
                marks=marks, limits=(min(0.8, float(values.min())), 1.0)),),
    )  # fmt: skip


def _axis(data: MultiView, span: tuple[float, float]) -> Array:
    start = log_sum_range(distances_of(Stages(data, (0,)), 0)).epsilon_0
    found: Array = start * np.geomspace(*span, GRID)
    return found


def _shares(data: MultiView, d: int, span: tuple[float, float], neighbours: int) -> list[float]:
    best = max(_accuracy(data, e, d, neighbours) for e in _axis(data, span))
    return [_accuracy(data, _chosen(data, rule, d), d, neighbours) / best for rule in RULES]


def _accuracy(data: MultiView, epsilon: float, d: int, neighbours: int) -> float:
    Y = embed(data, "single", epsilon=float(epsilon), n_components=d, t=1, memo=remember_once()).coordinates
    return knn_accuracy(Y, classes_of(data), n_neighbors=neighbours).value


UCI = Source(sample="uci-digits")
PAIR = Source(generator="make_gaussian_pair")
ONE_DIMENSION = ("class-geometric(class_dimension=1)", "class-spectral(class_dimension=1)", "class-probabilistic")
SCAN = Experiment(
    id="bandwidth-fig4.7",
    paper="bandwidth",
    figure="figures 4.6 and 4.7",
    title="Three criteria for two classes",
    caption="Two Gaussian classes; the geometric, the spectral and the probabilistic criterion over ε.",
    look_for="Where each curve has its maximum: the text says that all three meet.",
    source=PAIR,
    panels=tuple(Shown("single", pins={"epsilon:pair": rule}) for rule in ONE_DIMENSION),
    epsilon=ONE_DIMENSION[1],
    colour="labels",
    measure=measure_scan,
    live=live_scan,
    quick_seconds=3.0,
    why="Only the spectral and the probabilistic criterion meet; the geometric one is unbounded at small ε and is "
    "scanned only where the graph is in as many pieces as there are classes.",
    knob="Look at the page Bandwidth: it draws all three criteria.",
    turns=(Turn("Page Bandwidth", page="bandwidth"),),
)


PERTURBATION = replace(
    SCAN,
    id="bandwidth-fig4.8",
    figure="figure 4.8",
    title="What couples two classes",
    caption="The same classes; the norm of the part of the normalised kernel between them, over ε.",
    look_for="Around the bandwidth of the eigengap the curve is flat.",
    panels=(Shown("single"),),
    measure=measure_perturbation,
    live=None,
    why="",
)
MAPS = replace(
    SCAN,
    id="bandwidth-fig4.10",
    figure="figures 4.9 and 4.10",
    title="Two dimensions of four classes along a spiral",
    caption="Both spirals at the bandwidth of the eigengap; the one with the smaller gap is in the window.",
    source=Source(generator="make_spiral_classes"),
    panels=(Shown("single"),),
    epsilon="class-spectral(class_dimension=2)",
    look_for="Four groups that do not mix.",
    measure=measure_maps,
    live=live_maps,
    why="",
)


def _accuracies(
    id: str, figure: str, title: str, caption: str, source: Source, view: str,
    make: Callable[[int], MultiView], d: int, span: tuple[float, float], neighbours: int, bar: float, draws: int,
    seconds: float, why: str = "",
) -> Experiment:  # fmt: skip
    return Experiment(
        id=f"bandwidth-{id}",
        paper="bandwidth",
        figure=figure,
        title=title,
        caption=caption + " Accuracy of the nearest neighbours on the diffusion map over ε.",
        look_for="The three marked bandwidths lie where the curve is high.",
        source=source,
        panels=tuple(Shown("single", view, pins={f"epsilon:{view}": rule}) for rule in RULES),
        colour="labels",
        measure=partial(measure_accuracy, make, d, span, neighbours, bar, draws),
        quick_seconds=seconds,
        knob="The page Bandwidth marks the three bandwidths on the curves of their criteria.",
        turns=(Turn("Page Bandwidth", page="bandwidth"),),
        why=why,
    )


SPIRALS = tuple(
    _accuracies(
        f"fig4.11-{gap}", f"figure 4.11, gap {gap}", f"Four classes along a spiral, {words} apart",
        "Four classes of 100 samples along a three-dimensional spiral.",
        Source(generator="make_spiral_classes", keywords={"gap": gap}), "spiral",
        partial(spiral, gap=gap), 3, (0.4, 200.0), 1, 0.95, 2, 5.0,
    )
    for gap, words in ((0.02, "hardly"), (0.04, "a little"))
)  # fmt: skip
DIGITS = _accuracies(
    "fig4.12", "figure 4.12", "Digits by four kinds of features", "30 of each digit, four kinds of features.",
    UCI, "fac", digits, 4, (0.35, 8.0), 1, 0.95, 3, 7.0,
    why="All three criteria prefer bandwidths at which neighbouring digits already mix: .84 to .9 of the best in some "
    "draws. The accuracy is best at smaller ones than any of them chooses.",
)  # fmt: skip
SEISMIC = _accuracies(
    "fig5.5", "figure 5.5", "Earthquakes and explosions by one channel",
    "108 synthetic events, sonograms of the vertical channel.",
    Source(sample="seismic-events", sonograms="seismic-events"), "Z", seismic, 3, (0.25, 60.0), 5, 0.9, 5, 4.0,
    why="The eigengap depends on the draw: in some it chooses a bandwidth at which .7 of the best is reached. The "
    "geometric criterion stays at the best.",
)  # fmt: skip
