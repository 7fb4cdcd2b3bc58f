"""Figures 24 to 26 and table 1: clusters of handwritten digits, real and noisy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import accuracy, nmi
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.experiments.describing import title_of
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, pictured, plot, tabled
from mvexplorer.experiments.lindenbaum2015.rules import RULES
from mvexplorer.experiments.measures import classes_of, leading
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture

FUSED = ("multiview", "kernel-sum", "kernel-product", "concatenation")


def measure_uci(run: Run) -> ExperimentResult:
    """NMI of k-means against the number of coordinates, by max-min and by Algorithm 1."""
    fewest = 6  # the paper's first number of coordinates; the last is 20
    ranks = run.choose("numbers of coordinates", [6, 12, 20], list(range(fewest, 21, 2)))
    runs, data = run.choose("runs of k-means", 5, 100), UCI.load()
    maps = [(id, None) for id in FUSED] + [("single", view) for view in data.view_names]
    scores = _scores(run, data, maps, ranks, runs)
    names = (*map(title_of, FUSED), *(f"{view} alone" for view in data.view_names))
    return ExperimentResult(
        tuple(
            _better("the best other map", mean[0] - max(mean[1:]), words)
            for words, mean in zip(RULES.values(), scores.mean(axis=2), strict=True)
        ),
        _by_rule(ranks, names, scores),
    )


def _better(other: str, by: float, where: str) -> Bar:
    return Bar(f"mean NMI of multi-view minus {other}, {where}", float(by), at_least=0.0)


def _by_rule(ranks: list[int], names: Sequence[str], scores: Array) -> tuple[Figure, ...]:
    """Draw curves over the coordinates for each rule, and say which is best; scores (rules, names, ranks)."""
    rules = zip(RULES.values(), scores, scores.mean(axis=2).argmax(axis=1), strict=True)
    return tuple(
        _curves(f"Bandwidth by {words}: {names[best]} is best", ranks, names, each) for words, each, best in rules
    )


def _curves(title: str, ranks: list[int], names: Sequence[str], each: Array) -> Figure:
    """NMI (maps, ranks) over the number of coordinates."""
    across = np.array(ranks, dtype=float)
    lines = tuple(curve(name, across, values) for name, values in zip(names, each, strict=True))
    return plot(title, "coordinates", "NMI", lines, limits=(0.0, 1.0))


def _scores(
    run: Run,
    data: MultiView,
    maps: Sequence[tuple[str, str | None]],
    ranks: list[int],
    runs: int,
    kernel: list[str] | None = None,
) -> Array:
    """NMI (rules, maps, ranks), the mean of some runs of k-means; a map is a method, and a view where it has one."""
    memo = remember_once()

    def score(cell: tuple[str, str, str | None]) -> list[float]:
        rule, id, view = cell
        params: dict[str, Any] = {name: value for name, value in (("view", view), ("kernel", kernel)) if value}
        e = embed(data, id, epsilon=rule, n_components=max(ranks), memo=memo, task=run.task, **params)
        labels = classes_of(data)
        return [nmi(leading(e, r), labels, seeds=runs, task=run.task).value for r in ranks]

    cells = [(rule, id, view) for rule in RULES for id, view in maps]
    return np.array(run.each("nmi", cells, score)).reshape(len(RULES), len(maps), len(ranks))


TABLE = ("single", "kernel-product", "kernel-sum", "kernel-cca", "de-sa", "multiview")


def measure_noisy(run: Run) -> ExperimentResult:
    """NMI and accuracy of k-means for two noisy versions of the digits 2 and 3."""
    ranks = run.choose("numbers of coordinates", [5, 10], [5, 10, 15, 20])
    seeds, runs = run.seeds(2, 5), run.choose("runs of k-means", 9, 100)
    each = run.each("scores", seeds, partial(_noisy_scores, run.task, ranks, runs))
    scores = np.array(each).mean(axis=0).reshape(-1, 2)
    names = ("View 1 alone", "View 2 alone", *map(title_of, TABLE[1:]))
    rows = tuple((name, f"{a:.2f}", f"{100 * b:.1f} %") for name, (a, b) in zip(names, scores, strict=True))
    data = NOISY.load()
    frames = [] if data.images is None else np.split(data.images[:20], 2, axis=2)
    noises = "View 1: Gaussian noise", "View 2: half of the pixels dropped"
    pictures = (pictured(title, some) for title, some in zip(noises, frames, strict=False))
    ours, others = scores[-1, 0], scores[:-1, 0]
    return ExperimentResult(
        (
            Bar("NMI of multi-view minus the better single view", float(ours - others[:2].max()), at_least=0.0),
            Bar(
                "NMI of multi-view minus the best other map of both views", float(ours - others[2:].max()), at_least=0.0
            ),
        ),
        (tabled("Noisy digits 2 and 3", ("Map", "NMI", "accuracy"), rows), *pictures),
    )


def _noisy_scores(task: Task, ranks: list[int], runs: int, seed: int) -> list[list[float]]:
    """The best NMI of a few numbers of coordinates, and the accuracy there, for each map."""
    data, memo = NOISY.load(random_state=seed), remember_once()
    maps: list[tuple[str, dict[str, Any]]] = [("single", {"view": view}) for view in data.view_names]
    maps += [(id, {}) for id in TABLE[1:]]
    best = []
    for id, params in maps:
        own = {**params, "epsilon": "max-min", "memo": memo, "task": task}
        tried = [embed(data, id, n_components=r, **own).coordinates for r in ranks]
        best.append([float(x) for x in max(_k_means(Y, classes_of(data), runs, task) for Y in tried)])
    return best


def _k_means(Y: Array, labels: npt.NDArray[np.generic], runs: int, task: Task) -> tuple[float, float]:
    return nmi(Y, labels, seeds=runs, task=task).value, accuracy(Y, labels, seeds=runs).value


def measure_kernels(run: Run) -> ExperimentResult:
    """NMI of three kernels on the same features, alone and fused, by max-min and by Algorithm 1."""
    ranks = run.choose("numbers of coordinates", [4, 10, 20], list(range(4, 21, 2)))
    maps = [(id, None) for id in FUSED[:3]] + [("single", kernel) for kernel in KERNELS]
    scores = _scores(run, _three_kernels(), maps, ranks, run.choose("runs of k-means", 5, 20), list(KERNELS))
    names = (*map(title_of, FUSED[:3]), *(f"{kernel} alone" for kernel in KERNELS))
    ours, fused, product = scores.mean(axis=2).T[:3]
    return ExperimentResult(
        tuple(
            _better(other, ours[i] - rival[i], words)
            for i, words in enumerate(RULES.values())
            for other, rival in (("the kernel product", product), ("the kernel sum", fused))
        ),
        _by_rule(ranks, names, scores),
    )


KERNELS = ("gaussian", "laplacian", "correlation")


def _three_kernels() -> MultiView:
    """The same features three times, for three kernels."""
    uci = UCI.load()
    X = uci.Xs[uci.view_index("pix")]
    return MultiView(dict.fromkeys(KERNELS, X), labels=uci.labels, preprocess="zscore")


def nmi_now(seen: Sequence[Picture]) -> list[float]:
    """NMI of what each panel shows, as its footer says; none until all are scored."""
    scores = [p.scores.nmi for p in seen if p.scores is not None and p.scores.nmi is not None]
    return [score.value for score in scores] if len(scores) == len(seen) else []


def live_uci(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """Multi-view against the other panels, at the bandwidth that they have."""
    *others, ours = nmi_now(seen) or [float("nan")]
    if not others:
        return ()
    best = title_of(seen[int(np.argmax(others))].embedding.method)
    who = f"Multi-view is best, then {best}" if ours >= max(others) else f"{best} is best"
    return (Bar(f"{who}: NMI of multi-view minus that of the best other panel", ours - max(others), at_least=0.0),)


def live_noisy(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """Multi-view against each view, and against the sum."""
    if not (scores := nmi_now(seen)):
        return ()
    first, second, fused, ours = scores
    return (
        Bar("NMI of multi-view minus the better single view", ours - max(first, second), at_least=0.0),
        Bar("NMI of multi-view minus the kernel sum", ours - fused, at_least=0.0),
    )


UCI = Source(sample="uci-digits")
NOISY = Source(generator="make_noisy_digits")
HANDWRITTEN = Experiment(
    id="lindenbaum2015-fig24",
    paper="lindenbaum2015",
    figure="figure 24",
    title="Clusters of handwritten digits from six kinds of features",
    caption="2,000 digits of the UCI repository, six kinds of features, each z-scored; k-means on the coordinates of "
    "each map, at the bandwidths of the two rules that the text names.",
    look_for="At the ε of Algorithm 1, at most .09 of the median squared distance of a view, multi-view finds the "
    "digits best; at those of max-min, .4 to 1.5 of it, the kernel sum does.",
    source=UCI,
    panels=(
        ShownPanel("kernel-sum"),
        ShownPanel("kernel-product"),
        ShownPanel("concatenation"),
        ShownPanel("multiview"),
    ),
    epsilon="multiview",
    colour="labels",
    measure=measure_uci,
    live=live_uci,
    quick_seconds=20.0,
    why="Which map clusters best is decided by the bandwidth: the coupled walk takes two steps in one, so at the "
    "wide bandwidths of max-min it has already mixed neighbouring digits, while the kernel sum has just joined each.",
    knob="Change the rule of all views, and see above which panel is best; at a third of the median distance "
    "multi-view is better still.",
    turns=(
        Turn("ε by Algorithm 1", "multiview"),
        Turn("ε by max-min", "max-min"),
        Turn("σ a third of the median", "median/9"),
    ),
)
NOISY_DIGITS = Experiment(
    id="lindenbaum2015-table1",
    paper="lindenbaum2015",
    figure="table 1",
    title="Digits 2 and 3 under two kinds of noise",
    caption="Small digits, once with Gaussian noise and once with half of the pixels dropped; k-means on the first "
    "coordinates of each map, the best of two numbers of them.",
    look_for="Multi-view, kernel sum and kernel product are right more often than either view, and nearly alike; "
    "kernel CCA is right less often than either.",
    source=NOISY,
    panels=(
        ShownPanel("single", "noisy"),
        ShownPanel("single", "masked"),
        ShownPanel("kernel-sum"),
        ShownPanel("multiview"),
    ),
    colour="labels",
    measure=measure_noisy,
    live=live_noisy,
    quick_seconds=6.0,
    why="With 360 small digits instead of 40,000 large ones the order of the fusions changes from seed to seed.",
    stands_for="40,000 digits of infinite MNIST",
)
THREE_KERNELS = Experiment(
    id="lindenbaum2015-fig26",
    paper="lindenbaum2015",
    figure="figure 26",
    title="Three kernels of the same features",
    caption="The pixels of the UCI digits, seen through a Gaussian, a Laplacian and a correlation kernel, at the "
    "bandwidths of the two rules that the text names.",
    look_for="Whether fusing kernels of the same features adds to the best of them: by max-min the kernel product adds "
    "little, and multi-view takes away; by Algorithm 1 no fusion adds.",
    source=Source(sample="uci-digits"),
    panels=tuple(ShownPanel("single", "pix", pins={"kernel:pix": kernel}) for kernel in KERNELS),
    epsilon="multiview",
    colour="labels",
    measure=measure_kernels,
    quick_seconds=15.0,
    why="Three kernels of the same features share their noise, so coupling them has less to average away.",
    stands_for="the Isolet letters",
)
