"""Figures 22 and 23: two coupled circles, clustered by each map, over the noise and over both bandwidths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import accuracy
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.experiments.describing import title_of
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, heat_map, plot
from mvexplorer.experiments.lindenbaum2015.rules import RULES
from mvexplorer.experiments.measures import classes_of, leading
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

MAPS = ("kernel-sum", "kernel-product", "multiview")


def measure_noise(run: Run) -> ExperimentResult:
    """Accuracy of k-means on one coordinate against the variance of the noise, by max-min and by Algorithm 1."""
    variances = run.choose(
        "variances of the noise", [0.03, 0.06, 0.1, 0.2], [0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6]
    )
    seeds, size = run.seeds(8, 10), run.choose("samples", 700, 1600)
    every_method = ("multiview", "concatenation", "kernel-sum", "kernel-product", "kernel-cca", "de-sa")
    methods = every_method[: run.choose("maps of both views", 3, len(every_method))]
    cells = [(rule, variance, seed) for rule in RULES for variance in variances for seed in seeds]
    rates = np.array(run.each("accuracy", cells, partial(_accuracies, run.task, methods, size)))
    mean = rates.reshape(len(RULES), len(variances), len(seeds), -1).mean(axis=2)
    names = (*map(title_of, methods), "view 1 alone", "view 2 alone")
    across, overall = np.array(variances), mean.mean(axis=1)  # (rules, maps), over all noise
    ours, product, single = overall[:, 0], overall[:, every_method.index("concatenation")], overall[:, -2:].max(axis=1)
    bars = [
        _better(other, float(ours[i] - rival[i]), words)
        for i, words in enumerate(RULES.values())
        for other, rival in (("better single view", single), ("kernel product of joined views", product))
    ]
    return ExperimentResult(
        tuple(bars),
        tuple(
            plot(
                f"Bandwidth by {words}",
                "variance of the noise",
                "accuracy",
                tuple(curve(name, across, mean[i, :, k]) for k, name in enumerate(names)),
                limits=(0.5, 1.0),
            )
            for i, words in enumerate(RULES.values())
        ),
    )


def _better(other: str, by: float, where: str) -> Bar:
    return Bar(f"accuracy of multi-view minus the {other}, {where}", by, at_least=0.0)


def _accuracies(task: Task, methods: tuple[str, ...], size: int, cell: tuple[str, float, int]) -> list[float]:
    rule, variance, seed = cell
    data = SOURCE.load(random_state=seed, variance=variance, n_samples=size)
    epsilon, memo = select_epsilon(data, rule, task=task), remember_once()
    rates = [_accuracy(data, id, epsilon, memo=memo, task=task) for id in methods]
    return rates + [_accuracy(data, "single", epsilon, memo=memo, task=task, view=view) for view in data.view_names]


def _accuracy(data: MultiView, method: str, epsilon: Any, **how: Any) -> float:
    # de Sa's first vector is the constant one.
    r = 2 if method == "de-sa" else 1
    Y = embed(data, method, epsilon=epsilon, n_components=r, **how).coordinates
    return accuracy(Y, classes_of(data), seeds=1, n_init=10).value


def measure_bandwidths(run: Run) -> ExperimentResult:
    """Accuracy over a grid of both bandwidths: on which part of it each map separates the circles."""
    sigmas = np.geomspace(0.05, 1.6, run.choose("values of each σ", 7, 12))
    seeds, size = run.seeds(1, 2), run.choose("samples", 300, 1600)
    cells = [(float(a), float(b), seed, size) for a in sigmas for b in sigmas for seed in seeds]
    each = np.array(run.each("grid", cells, partial(_on_grid, run.task)))
    rates = each.reshape(len(sigmas), len(sigmas), len(seeds), -1).mean(axis=2)
    right = (rates >= 0.95).mean(axis=(0, 1))
    side = np.log10(sigmas)
    return ExperimentResult(
        (
            Bar(
                "part of the grid on which a map separates the circles, the smallest of three",
                float(right.min()),
                at_least=0.05,
            ),
            Bar("the same, the largest of three", float(right.max()), at_most=0.8),
        ),
        tuple(
            heat_map(f"Accuracy of {title_of(id)}", rates[..., k], "log₁₀ σ₂", "log₁₀ σ₁", side, side)
            for k, id in enumerate(MAPS)
        ),
    )


def _on_grid(task: Task, cell: tuple[float, float, int, int]) -> list[float]:
    first, second, seed, size = cell
    data = SOURCE.load(random_state=seed, variance=0.16**2, n_samples=size)
    memo = remember_once()
    return [_accuracy(data, id, (first**2, second**2), memo=memo, task=task) for id in MAPS]


def live_noise(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same on the one data set that the panels show."""
    rates = [accuracy(leading(p.embedding, 1), classes_of(data), seeds=1, n_init=10).value for p in seen]
    first, second, product, ours = rates
    return (
        _better("better single view", ours - max(first, second), "variance .06"),
        _better("kernel product of joined views", ours - product, "variance .06"),
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
    "Once with the max-min rule, which the text names for this figure, once with its Algorithm 1. "
    "In full 10 data sets of each noise, the paper has 200.",
    look_for="With Algorithm 1 multi-view is above each view while the noise is small; concatenation, the kernel "
    "product of joined views, keeps the circles apart for longer. With max-min every map is at chance from variance .1 "
    "on, at .06 all but concatenation.",
    source=Source(generator="make_coupled_circles", keywords={"variance": 0.06}),
    panels=(
        ShownPanel("single", "view1", pins=TWO),
        ShownPanel("single", "view2", pins=TWO),
        ShownPanel("concatenation", pins=TWO),
        ShownPanel("multiview", pins=TWO),
    ),
    epsilon="multiview",
    colour="labels",
    measure=measure_noise,
    live=live_noise,
    quick_seconds=16.0,
    why="The rule max-min, as printed, takes the most isolated sample's distance for all: from variance .1 on that is "
    "so wide that multi-view and the single views are at chance. With Algorithm 1 multi-view is better than each view, "
    "as the text says. By neither rule it is clearly better than the kernel product, whose steps must be near in both "
    "views at once: for multi-view a step that is near in one of them is enough.",
    knob="Change the rule of both views between Algorithm 1 and max-min.",
    turns=(Turn("ε by Algorithm 1", "multiview"), Turn("ε by max-min", "max-min")),
)
BANDWIDTHS = Experiment(
    id="lindenbaum2015-fig23",
    paper="lindenbaum2015",
    figure="figure 23",
    title="Which bandwidths separate the circles",
    caption="The coupled circles with noise of s.d. .16, clustered for every pair of bandwidths. In full "
    "the mean of 2 data sets, the paper has 20.",
    look_for="Each map is right on a part of the grid, and at chance elsewhere: the bandwidths decide.",
    source=Source(generator="make_coupled_circles", keywords={"variance": 0.16**2}),
    panels=(ShownPanel("single", "view1", pins=TWO), *(ShownPanel(id, pins=TWO) for id in MAPS)),
    epsilon="multiview",
    colour="labels",
    measure=measure_bandwidths,
    quick_seconds=10.0,
    knob="Sweep both ε at once, and see NMI of each map rise and fall.",
    turns=(Turn("Sweep NMI over both ε", page="sweep", sweep="nmi"),),
)
