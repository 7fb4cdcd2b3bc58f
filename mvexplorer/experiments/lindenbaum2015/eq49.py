"""Equation (49): steps within a view with weight η, from the coupled walk to each view's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.hidden_scores import ring_gap
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud, curve, plot
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

EPSILON = 0.6**2
SMALL, LARGE = 0.1, 0.99
"""The values of η for which the text says what the kernel does."""


def measure(run: Run) -> ExperimentResult:
    """Measure how near the map of (49) is to the coupled one and to each view's, and the rate of steps in a view."""
    data = SOURCE.load(n_samples=run.choose("samples", 600, 1000))
    etas = run.choose(
        "values of η", [0.0, SMALL, 0.5, 0.9, LARGE], [0.0, 0.05, SMALL, 0.25, 0.5, 0.75, 0.9, 0.95, LARGE]
    )
    alone = [embed(data, "single", view=v, epsilon=EPSILON, task=run.task).coordinates for v in data.view_names]
    by_eta = {eta: embed(data, "multiview", epsilon=EPSILON, eta=eta, task=run.task) for eta in etas}
    coupled = by_eta[0.0].view_coordinates
    to_coupled = [_nearness(e.view_coordinates, coupled) for e in by_eta.values()]
    to_alone = [_nearness(e.view_coordinates, alone) for e in by_eta.values()]
    gaps = [max(ring_gap(Y).value for Y in e.view_coordinates) for e in by_eta.values()]
    stays = [float(e.info["within_view_probability"]) for e in by_eta.values()]
    across, angle = np.array(etas), data.latent["a"]
    return ExperimentResult(
        (
            Bar(f"nearness of the maps at η = {SMALL:g} and at η = 0 (1: the same plane), the worse view",
                to_coupled[etas.index(SMALL)], at_least=0.99),
            _near_alone(to_alone[etas.index(LARGE)], f"η = {LARGE:g}"),
            Bar("largest distance of the probability to stay in a view from η",
                float(np.abs(np.subtract(stays, etas)).max()), at_most=0.01),
        ),
        (
            *(cloud(f"View 1 at η = {eta:g}", by_eta[eta].view_coordinates[0], angle, coloured_by="angle a")
              for eta in (0.0, 0.9, LARGE)),
            cloud("View 1 alone", alone[0], angle, coloured_by="angle a"),
            plot("Nearness to the other maps", "η", "cosine of the largest angle",
                   (curve("coupled, η = 0", across, np.array(to_coupled)),
                    curve("each view alone", across, np.array(to_alone)))),
            plot("Largest gap of the ring", "η", "radians", (curve("(49)", across, np.array(gaps)),)),
        ),
    )  # fmt: skip


def _near_alone(nearness: float, where: str) -> Bar:
    return Bar(f"nearness of the map at {where} to each view's own, the worse view", nearness, at_least=0.98)


def _nearness(some: Sequence[Array], others: Sequence[Array]) -> float:
    """The cosine of the largest angle between the planes that two maps (M, 2) of a view span; of the worst view."""
    cosines = []
    for pair in zip(some, others, strict=True):
        first, second = (np.linalg.qr(Y - Y.mean(axis=0))[0] for Y in pair)
        cosines.append(float(np.linalg.svd(first.T @ second, compute_uv=False)[-1]))
    return min(cosines)


def live(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The nearness to each view's own map of what the last panel shows."""
    first, second, _coupled, last = (picture.embedding for picture in seen)
    alone = [e.coordinates[:, :2] for e in (first, second)]
    return (_near_alone(_nearness([Y[:, :2] for Y in last.view_coordinates], alone), "this η"),)


SOURCE = Source(generator="make_helix_a")
EXPERIMENT = Experiment(
    id="lindenbaum2015-eq49",
    paper="lindenbaum2015",
    figure="equation (49)",
    title="Steps within a view: from the coupled walk to each view's own",
    caption="The helices of figure 8 with the generalised kernel: a step stays in its view with weight η, and goes to "
    "the other with weight 1 - η. Its map beside the coupled one (η = 0) and beside those of each view alone.",
    look_for="At small η the ring stays closed, as the coupled map has it. With growing η a gap opens, until at .99 "
    "each view has its own open curve.",
    source=SOURCE,
    panels=(
        ShownPanel("single", "view1"),
        ShownPanel("single", "view2"),
        ShownPanel("multiview"),
        ShownPanel("multiview", pins={"eta": LARGE}),
    ),
    epsilon=EPSILON,
    colour="latent:a",
    measure=measure,
    live=live,
    quick_seconds=1.0,
    knob="Turn η of the last panel. Beyond .99 a coordinate comes in between that only tells one view from the other.",
    turns=(
        Turn("η .1", params={"eta": SMALL}),
        Turn("η .9", params={"eta": 0.9}),
        Turn("η .99", params={"eta": LARGE}),
        Turn("η .999", params={"eta": 0.999}),
    ),
)
