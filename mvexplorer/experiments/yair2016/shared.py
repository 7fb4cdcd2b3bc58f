"""An experiment of our own: data on which the second view provably matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud
from mvexplorer.experiments.measures import by_chance, rank_correlation
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture


def measure(run: Run) -> ExperimentResult:
    """Measure how well the first coordinate orders the shared variable, and how well without a true second view."""
    correlations = np.array(run.each("rank correlation", run.seeds(2, 9), _correlations))
    ours, torn, full, mahalanobis, alone = np.median(correlations, axis=0)
    data = SOURCE.load()
    return ExperimentResult(
        (
            replace(
                local_cca_claim(float(ours)),
                null=by_chance(partial(rank_correlation, _maps(data, 0)["Local CCA"][:, 0]), data.latent["z"]),
            ),
            Bar("the same with the second view's rows shuffled", float(torn), at_most=0.75),
            Bar("the same with every direction kept", float(full), at_most=0.75),
            Bar("the same by the first view's own metric", float(mahalanobis), at_most=0.75),
            control(float(alone)),
        ),
        _clouds(data),
    )


def local_cca_claim(ours: float) -> Bar:
    """The claim about local CCA."""
    return Bar("|Spearman| of local CCA's first coordinate and the shared variable", ours, at_least=0.88)


def control(alone: float) -> Bar:
    """The limit that a single view must not reach."""
    return Bar("the better single view", alone, at_most=0.75)


def live(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the panels show."""
    first, second, ours = (rank_correlation(p.embedding.coordinates[:, 0], data.latent["z"]) for p in seen)
    return local_cca_claim(ours), control(max(first, second))


def _correlations(seed: int) -> list[float]:
    data = SOURCE.load(random_state=seed)
    *by_cca, first, second = (rank_correlation(Y[:, 0], data.latent["z"]) for Y in _maps(data, seed).values())
    return [*by_cca, max(first, second)]


def _maps(data: MultiView, seed: int) -> dict[str, Array]:
    """Coordinates by local CCA, by its controls, and by each view alone."""
    embeddings = {
        "Local CCA": embed(data, "local-cca"),
        "Second view shuffled": embed(_torn(data, seed), "local-cca"),
        "Every direction kept": embed(data, "local-cca", directions=3, ridge=0.0),
        "The first view's own metric": embed(data, "local-cca", local_metric="mahalanobis"),
    }
    for i, view in enumerate(data.view_names, 1):
        embeddings[f"View {i} alone"] = embed(data, "single", view=view, epsilon="median")
    return {title: e.coordinates[:, :2] for title, e in embeddings.items()}


def _clouds(data: MultiView) -> tuple[Figure, ...]:
    z = data.latent["z"]
    return tuple(cloud(title, Y, z, coloured_by="the shared variable") for title, Y in _maps(data, 0).items())


def _torn(data: MultiView, seed: int) -> MultiView:
    order = np.random.default_rng(seed).permutation(data.n_samples)
    assert data.bursts is not None
    return data.replace(Xs=[data.Xs[0], data.Xs[1][order]], bursts=[data.bursts[0], data.bursts[1][order]])


SOURCE = Source(generator="make_shared_latent")
EXPERIMENT = Experiment(
    id="yair2016-shared",
    paper=None,
    figure="in place of a missing control",
    kind="ours",
    title="A shared variable that only both views together show",
    caption="One variable is seen in both views, each of which also sees one of its own; bursts of neighbours at every "
    "sample. Beside local CCA: the second view shuffled, every direction kept, and each view alone.",
    look_for="The colours, the shared variable, run along the first axis of local CCA, and of no other picture.",
    source=SOURCE,
    panels=(ShownPanel("single", "view1"), ShownPanel("single", "view2"), ShownPanel("local-cca")),
    epsilon="median",
    colour="latent:z",
    measure=measure,
    live=live,
    quick_seconds=6.0,
    knob="Give local CCA three directions and ridge 0: the second view has no effect any more.",
    turns=(
        Turn("One direction, ridge .01", params={"directions": 1, "ridge": 0.01}),
        Turn("Three, ridge 0", params={"directions": 3, "ridge": 0.0}),
    ),
)
