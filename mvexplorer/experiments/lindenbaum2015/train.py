"""Figures 15 to 20: a toy train, two cameras, and frames that are missing or spoilt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.hidden_scores import ring_gap, ring_order
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud, pictured, tabled
from mvexplorer.experiments.measures import against_chance, by_chance, closed_ring
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture


def measure_removed(run: Run) -> ExperimentResult:
    """The gap of the lap where frames are missing in one view: by each view, by the product, by both."""
    data, task = REMOVED.load(), run.task
    single = {
        view: embed(data, "single", view=view, epsilon="max-min", task=task).coordinates[:, :2]
        for view in data.view_names
    }
    product = embed(data, "kernel-product", epsilon="max-min", task=task).coordinates[:, :2]
    both = embed(data, "multiview", epsilon="max-min", task=task).view_coordinates
    return ExperimentResult(
        gaps(both, tuple(single.values()), product),
        (*_clouds(data, single, both, product), *_frames(data)),
    )


def measure_train_noise(run: Run) -> ExperimentResult:
    """The order of the clean frames along the lap, where ten frames of each view are noise."""
    data, task = NOISE.load(), run.task
    epsilon = twice_median_neighbour(data)
    single = {view: embed(data, "single", view=view, epsilon=epsilon, task=task) for view in data.view_names}
    both = embed(data, "multiview", epsilon=epsilon, task=task).view_coordinates
    product = embed(data, "kernel-product", epsilon=epsilon, task=task)
    clean, pictures = data.columns["frame"] == "clean", {view: e.coordinates[:, :2] for view, e in single.items()}
    chance = by_chance(lambda a: ring_order(both[0][clean, :2], a).value, data.latent["a"][clean])
    return ExperimentResult(
        against_chance(orders(data, both, product, tuple(single.values())), chance),
        (*_clouds(data, pictures, both, product.coordinates[:, :2]), *_frames(data)),
    )


def gaps(both: Sequence[Array], single: Sequence[Array], product: Array) -> tuple[Bar, ...]:
    """The claims where frames are missing."""
    return (
        closed_ring(max(ring_gap(Y[:, :2]).value for Y in both)),
        Bar("the smaller one of the single views", min(ring_gap(Y[:, :2]).value for Y in single), at_least=1.2),
        Bar("that of the kernel product", ring_gap(product[:, :2]).value, at_least=1.5),
    )


def orders(data: MultiView, both: Sequence[Array], product: Embedding, single: Sequence[Embedding]) -> tuple[Bar, ...]:
    """The claims where frames are noise: others than multi-view cut them off, one piece for each eigenvalue 1."""
    clean, a = data.columns["frame"] == "clean", data.latent["a"]
    return (
        Bar(
            "order of the clean frames along the ring by multi-view, the worse view",
            min(ring_order(Y[clean, :2], a[clean]).value for Y in both),
            at_least=0.95,
        ),
        Bar("pieces into which the kernel product falls, as far as they are counted", _pieces(product), at_least=2.0),
        Bar("pieces into which each camera alone falls, the smaller number", min(map(_pieces, single)), at_least=2.0),
    )


def _pieces(e: Embedding) -> float:
    return float((e.eigenvalues > 1.0 - 1e-9).sum())


def live_removed(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The gaps of what the panels show."""
    first, second, product, both = (picture.embedding for picture in seen)
    return gaps(both.view_coordinates, (first.coordinates, second.coordinates), product.coordinates)


def live_train_noise(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The order and the pieces of what the panels show."""
    first, second, product, both = (picture.embedding for picture in seen)
    return orders(data, both.view_coordinates, product, (first, second))


def measure_rule(run: Run) -> ExperimentResult:
    """The σ that the max-min rule gives with and without the noise frames."""
    clean = np.sqrt(select_epsilon(Source(generator="make_toy_train", keywords={"case": "clean"}).load(), "max-min"))
    noisy = np.sqrt(select_epsilon(NOISE.load(), "max-min"))
    rows = tuple((f"Camera {i}", f"{a:.2f}", f"{b:.1f}") for i, a, b in zip((1, 2), clean, noisy, strict=True))
    return ExperimentResult(
        (
            Bar(
                "σ with noise frames over σ without, the smaller of two views",
                float((noisy / clean).min()),
                at_most=2.0,
            ),
        ),
        (tabled("σ by the rule max-min", ("", "clean frames", "with ten noise frames"), rows),),
    )


def twice_median_neighbour(data: MultiView) -> tuple[float, ...]:
    """ε of each view for σ = 2 x the median distance to the nearest neighbour."""
    out = []
    for i in range(data.n_views):
        D = distances_of(Stages(data, (i,)), 0) + np.diag(np.full(data.n_samples, np.inf))
        out.append(4 * float(np.median(np.sqrt(D.min(axis=1)))) ** 2)
    return tuple(out)


def _clouds(data: MultiView, single: dict[str, Array], both: tuple[Array, ...], product: Array) -> list[Figure]:
    pictures = [(f"Multi-view, camera {i}", Y[:, :2]) for i, Y in enumerate(both, 1)]
    pictures += [(f"Camera {i} alone", Y) for i, Y in enumerate(single.values(), 1)]
    pictures.append(("Kernel product", product))
    return [cloud(title, Y, data.latent["a"], cyclic=True, coloured_by="place along the lap") for title, Y in pictures]


def _frames(data: MultiView) -> list[Figure]:
    """Some frames of both cameras, side by side, with any that are noise."""
    if data.images is None:
        return []
    some = np.linspace(0, data.n_samples - 1, 12).astype(int)
    if "frame" in data.columns:
        some = np.sort([*some[::2], *np.flatnonzero(data.columns["frame"] != "clean")[::4]])
    return [pictured("Frames of both cameras", data.images[some], [f"frame {i + 1}" for i in some])]


REMOVED = Source(generator="make_toy_train", keywords={"case": "removed"})
NOISE = Source(generator="make_toy_train", keywords={"case": "noise"})
PANELS = (
    ShownPanel("single", "camera1"),
    ShownPanel("single", "camera2"),
    ShownPanel("kernel-product"),
    ShownPanel("multiview"),
)

FRAMES_REMOVED = Experiment(
    id="lindenbaum2015-fig16",
    paper="lindenbaum2015",
    figure="figures 15-17",
    title="A lap with frames missing in each camera",
    caption="One lap of a toy train, rendered for two cameras; twenty frames are missing in each, at different places.",
    look_for="A bow from each camera alone, a closed ring from both. The kernel product is a line and a point.",
    source=REMOVED,
    panels=PANELS,
    colour="latent:a",
    measure=measure_removed,
    live=live_removed,
    quick_seconds=0.5,
    stands_for="the authors' film of a toy train",
)
NOISE_FRAMES = Experiment(
    id="lindenbaum2015-fig19",
    paper="lindenbaum2015",
    figure="figures 18-20",
    title="A lap with noise frames in each camera",
    caption="The same lap with ten frames of pure noise in each camera; σ is twice the median distance to the nearest "
    "neighbour, because the max-min rule is destroyed by such frames.",
    look_for="Both coupled maps are rings in the order of the lap. Each camera alone, and the kernel product, spend "
    "their first coordinates on cutting noise frames off: all clean frames are one dot.",
    source=NOISE,
    panels=PANELS,
    epsilon=10.0,
    colour="latent:a",
    measure=measure_train_noise,
    live=live_train_noise,
    quick_seconds=0.5,
    knob="Give both views the rule max-min: ε grows a thousandfold, and every picture is lost.",
    turns=(Turn("ε of the figure", 10.0), Turn("ε by max-min", "max-min")),
    stands_for="the authors' film of a toy train",
)
RULE = Experiment(
    id="lindenbaum2015-eq24",
    paper="lindenbaum2015",
    figure="equation (24)",
    kind="ours",
    title="The max-min rule and a few noise frames",
    caption="σ by the max-min rule, on the clean lap and on that with ten noise frames. The text does not say that the "
    "rule withstands them.",
    look_for="Whether a few outliers change the bandwidth.",
    source=NOISE,
    panels=PANELS,
    colour="latent:a",
    measure=measure_rule,
    live=live_train_noise,
    quick_seconds=0.2,
    why="The rule takes the most isolated sample's distance for all: ten frames of noise make σ nearly sixty times "
    "as wide, and every picture is lost.",
    knob="Set σ to twice the median distance to the nearest neighbour, as the figures do.",
    turns=(Turn("ε by max-min", "max-min"), Turn("σ twice the nearest", 10.0)),
)
