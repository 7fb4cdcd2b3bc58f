"""Figures 22 and 23: two coupled circles, clustered by each map, over the noise and over both bandwidths."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.metrics import accuracy
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.experiments.describing import title_of
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source, Turn
from mvexplorer.experiments.figures import Curves, Heat, Line
from mvexplorer.experiments.measures import by_chance, classes_of, leading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.experiments.repetitions import Run
    from mvexplorer.state.portable import Picture

METHODS = ("multiview", "kernel-sum", "kernel-product", "concatenation", "kernel-cca", "de-sa")
RULES = {"multiview": "Algorithm 1", "max-min": "max-min"}
MAPS = ("kernel-sum", "kernel-product", "multiview")


def measure_noise(run: Run) -> Outcome:
    """Accuracy of k-means on one coordinate against the variance of the noise, by Algorithm 1 and by max-min."""
    variances = run.choose(
        "variances of the noise", [0.03, 0.06, 0.1, 0.2], [0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6]
    )
    seeds = run.seeds(3, 200)
    methods = METHODS[: run.choose("maps of both views", 5, len(METHODS))]
    cells = [(rule, variance, seed) for rule in RULES for variance in variances for seed in seeds]
    found = np.array(run.each("accuracy", cells, partial(_accuracies, methods)))
    mean = found.reshape(len(RULES), len(variances), len(seeds), -1).mean(axis=2)
    ours, single, product = mean[0, :, 0], mean[0, :, -2:].mean(axis=1), mean[0, :, METHODS.index("concatenation")]
    names = (*map(title_of, methods), "view 1 alone", "view 2 alone")
    across, chance = np.array(variances), _chance(variances[0], seeds[0])
    return Outcome(
        (
            Bar("accuracy of multi-view at variance .03, Algorithm 1", float(ours[0]), at_least=0.97, null=chance),
            Bar("the same at variance .06", float(ours[1]), at_least=0.88, null=chance),
            Bar("multi-view minus the mean single view at .03 and .06, the smaller", float((ours - single)[:2].min()),
                at_least=0.02),
            Bar("multi-view minus the kernel product of joined views, variance .1", float(ours[2] - product[2]),
                at_least=0.0),
            Bar("accuracy of multi-view at variance .1 by the printed rule max-min", float(mean[1, 2, 0]),
                at_least=0.9, null=chance),
        ),
        tuple(
            Curves(f"Bandwidth by {words}", "variance of the noise", "accuracy",
                   tuple(Line(name, across, mean[i, :, k]) for k, name in enumerate(names)), limits=(0.5, 1.0))
            for i, words in enumerate(RULES.values())
        ),
    )  # fmt: skip


def _chance(variance: float, seed: int) -> tuple[float, float]:
    """Accuracy of multi-view on shuffled labels."""
    data = SOURCE.load(random_state=seed, variance=variance)
    Y = embed(data, "multiview", epsilon=select_epsilon(data, "multiview"), n_components=1).coordinates
    return by_chance(lambda labels: accuracy(Y, labels, seeds=1).value, classes_of(data))


def _accuracies(methods: tuple[str, ...], cell: tuple[str, float, int]) -> list[float]:
    rule, variance, seed = cell
    data = SOURCE.load(random_state=seed, variance=variance)
    epsilon, memo = select_epsilon(data, rule), remember_once()
    found = [_accuracy(data, id, epsilon, memo) for id in methods]
    return found + [_accuracy(data, "single", epsilon, memo, view=view) for view in data.view_names]


def _accuracy(data: MultiView, method: str, epsilon: Any, memo: Any = None, **params: Any) -> float:
    # de Sa's first vector is the constant one.
    r = 2 if method == "de-sa" else 1
    Y = embed(data, method, epsilon=epsilon, n_components=r, memo=memo, **params).coordinates
    return accuracy(Y, classes_of(data), seeds=1, n_init=10).value


def measure_bandwidths(run: Run) -> Outcome:
    """Accuracy over a grid of both bandwidths: where each map separates the circles, and where only one does."""
    sigmas = np.geomspace(0.05, 1.6, run.choose("values of each σ", 7, 16))
    seeds, size = run.seeds(1, 20), run.choose("samples", 300, 1600)
    cells = [(float(a), float(b), seed, size) for a in sigmas for b in sigmas for seed in seeds]
    found = np.array(run.each("grid", cells, _on_grid)).reshape(len(sigmas), len(sigmas), len(seeds), -1).mean(axis=2)
    right = found >= 0.95
    ours, product = right[..., MAPS.index("multiview")], right[..., MAPS.index("kernel-product")]
    side = np.log10(sigmas)
    return Outcome(
        (
            Bar("part of the grid on which a map separates the circles, the smallest of three",
                float(right.mean(axis=(0, 1)).min()), at_least=0.05),
            Bar("the same, the largest of three", float(right.mean(axis=(0, 1)).max()), at_most=0.8),
            Bar("part of the grid on which multi-view does and the kernel product does not",
                float((ours & ~product).mean()), at_least=0.02),
            Bar("part on which the product does and multi-view does not", float((product & ~ours).mean()),
                at_least=0.02),
        ),
        tuple(Heat(f"Accuracy of {title_of(id)}", found[..., k], "log₁₀ σ₂", "log₁₀ σ₁", side, side)
              for k, id in enumerate(MAPS)),
    )  # fmt: skip


def _on_grid(cell: tuple[float, float, int, int]) -> list[float]:
    first, second, seed, size = cell
    data = SOURCE.load(random_state=seed, variance=0.16**2, n_samples=size)
    memo = remember_once()
    return [_accuracy(data, id, (first**2, second**2), memo) for id in MAPS]


def live_noise(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same on the one data set that the panels show."""
    found = [accuracy(leading(p.embedding, 1), classes_of(data), seeds=1, n_init=10).value for p in seen[:3]]
    first, second, ours = found
    return (
        Bar("accuracy of multi-view at variance .06", ours, at_least=0.88),
        Bar("multi-view minus the mean single view", ours - 0.5 * (first + second), at_least=0.02),
    )


SOURCE = Source(generator="make_coupled_circles")
TWO = {"n_components": 2}
"""Coordinates in the window: the first, which is clustered, and one more to draw."""
NOISE = Experiment(
    id="lindenbaum2015-fig22",
    paper="lindenbaum2015",
    figure="figure 22",
    title="Two circles under growing noise",
    caption="Two concentric circles, bent in another way in each view; k-means on the first coordinate of each map. "
    "Once with the bandwidth of Algorithm 1, once with the max-min rule that the text names.",
    look_for="With Algorithm 1 multi-view is above each view and the kernel sum while the noise is small; the kernel "
    "products and kernel CCA keep the circles apart for longer. With max-min most maps are lost at once.",
    source=Source(generator="make_coupled_circles", keywords={"variance": 0.06}),
    panels=(
        Shown("single", "view1", pins=TWO),
        Shown("single", "view2", pins=TWO),
        Shown("multiview", pins=TWO),
        Shown("kernel-sum", pins=TWO),
    ),
    epsilon="multiview",
    colour="labels",
    measure=measure_noise,
    live=live_noise,
    quick_seconds=12.0,
    why="The rule max-min, as printed, takes the most isolated sample's distance for all: from variance .1 on that is "
    "so wide that multi-view, the sum and the single views are at chance. With Algorithm 1 multi-view is better than "
    "each view, as the text says, but not than the kernel product: one step must be near in both views at once.",
    knob="Change the rule of both views between Algorithm 1 and max-min.",
    turns=(Turn("ε by Algorithm 1", "multiview"), Turn("ε by max-min", "max-min")),
)
BANDWIDTHS = Experiment(
    id="lindenbaum2015-fig23",
    paper="lindenbaum2015",
    figure="figure 23",
    title="Which bandwidths separate the circles",
    caption="The coupled circles with noise of s.d. .16, clustered for every pair of bandwidths.",
    look_for="Each map is right on another part of the grid, and at chance elsewhere: the bandwidths decide.",
    source=Source(generator="make_coupled_circles", keywords={"variance": 0.16**2}),
    panels=(Shown("single", "view1", pins=TWO), *(Shown(id, pins=TWO) for id in MAPS)),
    epsilon="multiview",
    colour="labels",
    measure=measure_bandwidths,
    quick_seconds=10.0,
    knob="Open a sweep of ε over both views.",
    turns=(Turn("Sweep of ε", page="sweep"),),
)
