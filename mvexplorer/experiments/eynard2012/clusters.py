"""Table 1 and figure 4: clusters that overlap in one view, or touch in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.metrics import kmeans_labels, spectral_accuracy
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.eynard2012.laplacians import single_laplacian
from mvexplorer.experiments.figures import cloud, tabled
from mvexplorer.experiments.measures import by_chance, classes_of
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture

JOINT = ("jade", "harmonic-mean", "laplacian-mean")


def measure_blobs(run: Run) -> ExperimentResult:
    """Accuracy on blobs: joint diagonalisation and the harmonic mean against each view."""
    means, table = _table(run, BLOBS, 6, 15, run.seeds(5, 100))
    return ExperimentResult(
        (
            Bar("accuracy of JADE minus the better single view, in points", means[2] - max(means[:2]), at_least=2.0),
            replace(_harmonic(means[3], 97.0), null=_chance(BLOBS, 6, 15)),
        ),
        (*_views(BLOBS, 6, 15), table),
    )


def measure_circles(run: Run) -> ExperimentResult:
    """The same on rings that touch."""
    means, table = _table(run, CIRCLES, 4, 10, run.seeds(3, 20))
    chance = _chance(CIRCLES, 4, 10)
    return ExperimentResult(
        (
            replace(_harmonic(means[3], 95.0), null=chance),
            Bar("that minus the better single view, in points", means[3] - max(means[:2]), at_least=3.0),
            replace(_jade(means[2]), null=chance),
        ),
        (*_views(CIRCLES, 4, 10), table),
    )


def _harmonic(value: float, bar: float) -> Bar:
    return Bar("accuracy of the harmonic mean in %", value, at_least=bar)


def _jade(value: float) -> Bar:
    return Bar("accuracy of JADE in %", value, at_least=95.0)


def live_blobs(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The accuracy of what the panel of the harmonic mean shows."""
    return (_harmonic(_accuracy(seen[3].embedding.coordinates[:, :6], data), 97.0),)


def live_circles(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The accuracy of what the panels of the harmonic mean and of JADE show."""
    joint, harmonic = (_accuracy(p.embedding.coordinates[:, :4], data) for p in seen[2:4])
    return _harmonic(harmonic, 95.0), _jade(joint)


def _table(run: Run, source: Source, k: int, neighbours: int, seeds: range) -> tuple[list[float], Figure]:
    cells = run.each("accuracy", seeds, partial(_accuracies, source, k, neighbours))
    mean, spread = np.mean(cells, axis=0), np.std(cells, axis=0)
    names = ("View 1 alone", "View 2 alone", "JADE", "Harmonic mean", "Arithmetic mean")
    rows = tuple((name, f"{m:.1f} ± {s:.1f}") for name, m, s in zip(names, mean, spread, strict=True))
    return mean.tolist(), tabled(f"Accuracy in %, {len(seeds)} data sets", ("Method", "accuracy"), rows)


def _accuracies(source: Source, k: int, neighbours: int, seed: int) -> list[float]:
    data = source.load(random_state=seed)
    return [_accuracy(V, data) for V in _vectors(data, k, neighbours)]


def _chance(source: Source, k: int, neighbours: int) -> tuple[float, float]:
    """Accuracy of the harmonic mean on shuffled labels."""
    data = source.load()
    V = _vectors(data, k, neighbours)[3]
    return by_chance(lambda labels: 100 * spectral_accuracy(V, labels, seeds=1).value, classes_of(data))


def _vectors(data: MultiView, k: int, neighbours: int) -> list[Array]:
    """The eigenvectors (M, k) of each view's graph, and of both together in three ways."""
    own = [single_laplacian(data, i, k, graph_neighbours=neighbours)[1] for i in range(2)]
    joint = [embed(data, id, epsilon=1.0, n_components=k, graph_neighbours=neighbours).coordinates for id in JOINT]
    return [*own, *joint]


def _accuracy(V: Array, data: MultiView) -> float:
    return 100 * spectral_accuracy(V, classes_of(data), seeds=1, n_init=20).value


def _views(source: Source, k: int, neighbours: int) -> list[Figure]:
    """The views with their true classes, and the first with the clusters that each method finds."""
    data = source.load()
    clouds = [cloud(f"View {i}", X, data.labels, coloured_by="true class") for i, X in enumerate(data.Xs, 1)]
    vectors = _vectors(data, k, neighbours)
    for name, V in (("of view 1 alone", vectors[0]), ("by JADE", vectors[2]), ("by the harmonic mean", vectors[3])):
        V = V / np.linalg.norm(V, axis=1, keepdims=True)
        clusters = kmeans_labels(V, k, 0, 20)
        clouds.append(cloud(f"Clusters {name}", data.Xs[0], clusters, coloured_by="cluster"))
    return clouds


BLOBS = Source(generator="make_blobs")
CIRCLES = Source(generator="make_circles")


def _panels(neighbours: int) -> tuple[ShownPanel, ...]:
    pins = {"graph_neighbours": neighbours}
    return (
        ShownPanel("single", "view1"),
        ShownPanel("single", "view2"),
        *(ShownPanel(id, pins=pins) for id in JOINT),
    )


BLOBS_TABLE = Experiment(
    id="eynard2012-table1-blobs",
    paper="eynard2012",
    figure="table 1 and figure 4, Blobs",
    title="Six clusters, two of which meet in each view",
    caption="Six Gaussian clusters; another pair overlaps in each view. Spectral clustering of each view's graph, and "
    "of both together in three ways.",
    look_for="Each view mixes one pair. The harmonic mean of both mixes none, JADE and the arithmetic mean a few "
    "samples.",
    source=BLOBS,
    panels=_panels(15),
    epsilon="median",
    colour="labels",
    measure=measure_blobs,
    live=live_blobs,
    quick_seconds=8.0,
)
CIRCLES_TABLE = Experiment(
    id="eynard2012-table1-circles",
    paper="eynard2012",
    figure="table 1 and figure 4, Circles",
    title="Four rings, two of which touch in each view",
    caption="Four noisy rings; another pair touches in each view.",
    look_for="The harmonic mean tells all rings apart; JADE and the arithmetic mean keep both touches.",
    source=CIRCLES,
    panels=_panels(10),
    epsilon="median",
    colour="labels",
    measure=measure_circles,
    live=live_circles,
    quick_seconds=4.0,
    why="JADE acts on the union of both graphs, so every false touch stays at half its weight; the harmonic mean acts "
    "on their intersection, where no touch is left.",
    knob="Compare JADE with the harmonic mean, and change α of the latter.",
    turns=tuple(Turn(f"α {alpha:g}", params={"harmonic_alpha": alpha}) for alpha in (0.01, 0.1, 1.0)),
)
