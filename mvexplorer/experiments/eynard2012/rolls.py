"""Figures 1 to 3: a rolled sheet that touches itself, at another place in each view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mvexplorer.datasets.surfaces import ROLL_TOUCHES
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source
from mvexplorer.experiments.eynard2012.laplacians import heat_distances, joint_laplacian, single_laplacian
from mvexplorer.experiments.figures import FROM_THE_END, cloud
from mvexplorer.experiments.measures import by_chance, enough_coordinates, rank_correlation
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture

GRAPH: dict[str, Any] = {"graph_neighbours": 5, "edge_weights": "gaussian"}
TIME = 1000.0
KEPT = 100
"""Eigenvectors of which distances are made."""


def measure_eigenfunctions(run: Run) -> ExperimentResult:
    """Measure how well the first eigenvector that is not constant runs along the sheet, alone and jointly."""
    correlations = np.array(run.each("along the sheet", run.seeds(3, 10), _along))
    own, together = np.median(correlations[:, :2], axis=0), float(np.median(correlations[:, 2]))
    data = SOURCE.load()
    s = data.latent["s"]
    first, second = (single_laplacian(data, i, 6, **GRAPH)[1] for i in range(2))
    joint = joint_laplacian(data, 6, **GRAPH)[1]
    return ExperimentResult(
        (
            replace(_along_sheet(together), null=by_chance(partial(rank_correlation, joint[:, 1]), s)),
            Bar("that minus the better single view's", together - float(own.max()), at_least=0.0),
        ),
        (
            *(
                cloud(f"Flattened, {name}", V[:, 1:3], s, coloured_by="length along the sheet")
                for name, V in (("view 1 alone", first), ("view 2 alone", second), ("joint", joint))
            ),
            *(
                cloud(f"Eigenfunction 2, {name}", data.Xs[i], V[:, 1], coloured_by="eigenfunction", turn=FROM_THE_END)
                for name, i, V in (
                    ("view 1 alone", 0, first),
                    ("view 2 alone", 1, second),
                    ("joint, on view 1", 0, joint),
                    ("joint, on view 2", 1, joint),
                )
            ),
        ),
    )


def live_flattened(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the panel of JADE shows."""
    V = enough_coordinates(3, seen[2].embedding.coordinates)
    return (_along_sheet(max(rank_correlation(V[:, k], data.latent["s"]) for k in (1, 2))),)


def _along_sheet(value: float) -> Bar:
    return Bar("|Spearman| of the joint eigenvector and the length along the sheet", value, at_least=0.9)


def _along(seed: int) -> list[float]:
    data = SOURCE.load(random_state=seed)
    s = data.latent["s"]
    vectors = [single_laplacian(data, i, 4, **GRAPH)[1] for i in range(2)] + [joint_laplacian(data, 4, **GRAPH)[1]]
    return [max(rank_correlation(V[:, k], s) for k in (1, 2)) for V in vectors]


def measure_distances(run: Run) -> ExperimentResult:
    """The heat distance across a false touch over that of pairs as far apart on the sheet: alone and jointly."""
    ratios = np.array(run.each("short circuits", run.seeds(5, 20), _ratios))
    own, together = np.median(ratios, axis=0)
    data = SOURCE.load()
    return ExperimentResult(
        (
            *(
                Bar(
                    f"distance across the touch of view {i + 1}, joint over single",
                    float(together[i] / own[i]),
                    at_least=1.3,
                )
                for i in range(2)
            ),
            Bar("that by view 1 alone, over that of pairs as far apart", float(own[0]), at_most=0.5),
        ),
        tuple(_distances(data)),
    )


def _distances(data: MultiView) -> list[Figure]:
    """Distances from a sample at each view's touch, by that view and jointly, on its sheet."""
    joint, clouds = joint_laplacian(data, KEPT, **GRAPH), []
    for i, touch in enumerate(ROLL_TOUCHES):
        p = _nearest_to(data, *touch)
        for words, pair in (("alone", single_laplacian(data, i, KEPT, **GRAPH)), ("jointly", joint)):
            d = np.sqrt(heat_distances(*pair, TIME)[p])
            clouds.append(
                cloud(
                    f"View {i + 1}, {words}", data.Xs[i], d, coloured_by="distance from one sample", turn=FROM_THE_END
                )
            )
    return clouds


def _ratios(seed: int) -> list[list[float]]:
    data = SOURCE.load(random_state=seed)
    s, h = data.latent["s"], data.latent["h"]
    geodesic = np.hypot(s[:, None] - s, h[:, None] - h)
    joint = joint_laplacian(data, KEPT, **GRAPH)
    own = [_ratio(data, geodesic, *single_laplacian(data, i, KEPT, **GRAPH), *ROLL_TOUCHES[i]) for i in range(2)]
    return [own, [_ratio(data, geodesic, *joint, *touch) for touch in ROLL_TOUCHES]]


def _ratio(data: MultiView, geodesic: Array, values: Array, vectors: Array, theta: float, h: float) -> float:
    p, q = (_nearest_to(data, a, h) for a in (theta, theta + 2 * np.pi))
    alike = np.triu(np.abs(geodesic - geodesic[p, q]) <= 0.1 * geodesic[p, q], 1)
    d = np.sqrt(heat_distances(values, vectors, TIME))
    return float(d[p, q] / np.median(d[alike]))


def _nearest_to(data: MultiView, theta: float, h: float) -> int:
    return int(np.argmin(25 * (data.latent["theta"] - theta) ** 2 + (data.latent["h"] - h) ** 2))


SOURCE = Source(generator="make_touching_rolls")
PANELS = (
    ShownPanel("single", "roll1"),
    ShownPanel("single", "roll2"),
    ShownPanel("jade", pins=GRAPH),
    ShownPanel("harmonic-mean", pins=GRAPH),
)
FLATTENED = Experiment(
    id="eynard2012-fig2",
    paper="eynard2012",
    figure="figures 1 and 2",
    title="Flattening a sheet that touches itself",
    caption="A rolled sheet that touches itself at another place in each view; the first eigenvectors of each view's "
    "graph, and joint ones of both.",
    look_for="Whether the joint picture is the flat sheet: colours, the length along it, in order and not folded.",
    source=SOURCE,
    panels=PANELS,
    colour="latent:s",
    measure=measure_eigenfunctions,
    live=live_flattened,
    quick_seconds=5.0,
    why="Joint diagonalisation acts on the union of both graphs: each view's false touch stays in it, at half its "
    "weight, and the joint eigenvectors have both.",
    knob="Compare with the harmonic mean, which acts on the intersection.",
)
SHORT_CIRCUITS = Experiment(
    id="eynard2012-fig3",
    paper="eynard2012",
    figure="figure 3",
    title="Heat distances across a false touch",
    caption="The same sheets; heat diffusion distance after a time of 1,000, from 100 eigenvectors, between the two "
    "sides of each false touch, over that of pairs as far apart on the sheet.",
    look_for="By that measure the other side of a touch is two to five times as far jointly as in the view alone. The "
    "draw in the pictures shows it in view 2: from one sample at its touch the other side is among the nearest seventh "
    "alone, and farther than half of all samples jointly.",
    source=SOURCE,
    panels=PANELS,
    colour="latent:s",
    measure=measure_distances,
    quick_seconds=8.0,
)
