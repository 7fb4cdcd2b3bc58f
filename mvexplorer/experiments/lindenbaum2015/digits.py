"""Figures 24 to 26 and table 1: clusters of handwritten digits, real and noisy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import accuracy, nmi
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.experiments.describing import title_of
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source, Turn
from mvexplorer.experiments.figures import Curves, Line, Pictures, Table
from mvexplorer.experiments.measures import by_chance, classes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from mvexplorer.engine.api.result import Embedding
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.experiments.repetitions import Run
    from mvexplorer.state.portable import Picture

FUSED = ("multiview", "kernel-sum", "kernel-product", "concatenation")
SMALL = "median/9"
"""ε of a third of the median distance."""
KEPT = 6
"""The first figure that the paper gives for the number of coordinates; the last is 20."""


def measure_uci(run: Run) -> Outcome:
    """NMI of k-means against the number of coordinates, at a small bandwidth and at the median."""
    ranks = run.choose("numbers of coordinates", [6, 12, 20], list(range(KEPT, 21, 2)))
    seeds = run.choose("runs of k-means", 2, 100)
    found = run.each("nmi", [SMALL, "median"], lambda epsilon: _uci_scores(run, epsilon, ranks, seeds))
    small, wide = (np.array(values) for values in found)  # (methods, ranks) each
    at = ranks.index(12)
    names = (*map(title_of, FUSED), *(f"{view} alone" for view in UCI.load().view_names))
    across = np.array(ranks, dtype=float)
    return Outcome(
        (
            Bar("NMI of multi-view at a third of the median distance", float(small[0, at]), at_least=0.8,
                null=_chance(run)),
            Bar("multi-view minus the next best there", float(small[0, at] - small[1:, at].max()), at_least=0.05),
            Bar("multi-view minus the best other at the median distance", float(wide[0, at] - wide[1:, at].max()),
                at_least=0.0),
        ),
        tuple(
            Curves(words, "coordinates", "NMI", limits=(0.0, 1.0),
                   lines=tuple(Line(name, across, values) for name, values in zip(names, each, strict=False)))
            for words, each in (("σ a third of the median distance", small), ("σ the median distance", wide))
        ),
    )  # fmt: skip


def _uci_scores(run: Run, epsilon: str, ranks: list[int], seeds: int) -> list[list[float]]:
    data, memo = UCI.load(), remember_once()
    asked: list[tuple[str, dict[str, Any]]] = [(id, {}) for id in FUSED]
    if epsilon == SMALL or run.full:
        asked += [("single", {"view": view}) for view in data.view_names]
    found = []
    for id, params in asked:
        e = embed(data, id, epsilon=epsilon, n_components=max(ranks), memo=memo, task=run.task, **params)
        found.append([_score(e, r, data, seeds, run) for r in ranks])
    return found


def _chance(run: Run) -> tuple[float, float]:
    """NMI of multi-view on shuffled labels."""
    data = UCI.load()
    e = embed(data, "multiview", epsilon=SMALL, n_components=12, task=run.task)
    return by_chance(lambda labels: nmi(e.coordinates, labels, seeds=1, task=run.task).value, classes_of(data), 9)


def _score(e: Embedding, r: int, data: MultiView, seeds: int, run: Run) -> float:
    """NMI of k-means on the first r coordinates of every view, or of the one map that there is."""
    blocks = e.view_coordinates or (e.coordinates,)
    Y = np.hstack([block[:, :r] for block in blocks])
    return nmi(Y, classes_of(data), seeds=seeds, n_init=5, task=run.task).value


NOISES = "View 1: Gaussian noise", "View 2: half of the pixels dropped"
TABLE = ("single", "kernel-product", "kernel-sum", "kernel-cca", "de-sa", "multiview")


def measure_noisy(run: Run) -> Outcome:
    """NMI and accuracy of k-means for two noisy versions of the digits 2 and 3."""
    seeds = run.seeds(2, 20)
    found = np.array(run.each("scores", seeds, _noisy_scores)).mean(axis=0).reshape(-1, 2)
    names = ("View 1 alone", "View 2 alone", *map(title_of, TABLE[1:]))
    rows = tuple((name, f"{a:.2f}", f"{100 * b:.1f} %") for name, (a, b) in zip(names, found, strict=True))
    data = NOISY.load()
    frames = [] if data.images is None else np.split(data.images[:20], 2, axis=2)
    pictures = (Pictures(title, some) for title, some in zip(NOISES, frames, strict=False))
    return Outcome(
        (
            Bar(
                "NMI of multi-view minus the better single view",
                float(found[-1, 0] - found[:2, 0].max()),
                at_least=0.05,
            ),
            Bar(
                "NMI of multi-view minus the next best of all", float(found[-1, 0] - found[:-1, 0].max()), at_least=0.0
            ),
        ),
        (Table("Noisy digits 2 and 3", ("Map", "NMI", "accuracy"), rows), *pictures),
    )


def _noisy_scores(seed: int) -> list[list[float]]:
    data, memo = NOISY.load(random_state=seed), remember_once()
    asked: list[tuple[str, dict[str, Any]]] = [("single", {"view": view}) for view in data.view_names]
    asked += [(id, {}) for id in TABLE[1:]]
    best = []
    for id, params in asked:
        tried = [embed(data, id, n_components=r, memo=memo, **params).coordinates for r in (5, 10)]
        best.append([float(x) for x in max(_k_means(Y, classes_of(data)) for Y in tried)])
    return best


def _k_means(Y: Array, labels: npt.NDArray[np.generic]) -> tuple[float, float]:
    return nmi(Y, labels, seeds=3, n_init=3).value, accuracy(Y, labels, seeds=3, n_init=3).value


def measure_kernels(run: Run) -> Outcome:
    """NMI of three kernels on the same features, alone and fused."""
    r = run.choose("numbers of coordinates", [4, 10, 20], list(range(4, 21, 2)))
    found = {id: _kernel_scores(run, id, r) for id in ("multiview", "kernel-sum", "kernel-product")}
    alone = {f"{kernel} alone": _kernel_scores(run, "single", r, kernel) for kernel in KERNELS}
    across, ours = np.array(r, dtype=float), float(np.mean(found["multiview"]))
    others = [float(np.mean(values)) for values in (found["kernel-sum"], *alone.values())]
    lines = [Line(title_of(id), across, np.array(values)) for id, values in found.items()]
    lines += [Line(name, across, np.array(values)) for name, values in alone.items()]
    return Outcome(
        (
            Bar("mean NMI of multi-view minus that of the kernel product",
                ours - float(np.mean(found["kernel-product"])), at_least=0.05),
            Bar("mean NMI of multi-view minus that of the best of the kernel sum and each kernel alone",
                ours - max(others), at_least=0.0),
        ),
        (Curves("Three kernels of the same features", "coordinates", "NMI", tuple(lines)),),
    )  # fmt: skip


KERNELS = ("gaussian", "laplacian", "correlation")


def _three_kernels() -> MultiView:
    """The same features three times, for three kernels."""
    uci = UCI.load()
    X = uci.Xs[uci.view_index("pix")]
    return MultiView(dict.fromkeys(KERNELS, X), labels=uci.labels, preprocess="zscore")


def _kernel_scores(run: Run, id: str, ranks: list[int], kernel: str | None = None) -> list[float]:
    data = _three_kernels()
    view: dict[str, Any] = {} if kernel is None else {"view": kernel}
    kernels = list(KERNELS)
    e = embed(data, id, epsilon="median/9", kernel=kernels, n_components=max(ranks), task=run.task, **view)
    return [_score(e, r, data, 2, run) for r in ranks]


def nmi_now(seen: Sequence[Picture]) -> list[float]:
    """NMI of what each panel shows, as its footer says; none until all are scored."""
    scores = [p.scores.nmi for p in seen if p.scores is not None and p.scores.nmi is not None]
    return [score.value for score in scores] if len(scores) == len(seen) else []


def live_uci(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """Multi-view against the other panels, at the bandwidth that they have."""
    *others, ours = nmi_now(seen) or [float("nan")]
    if not others:
        return ()
    return (
        Bar("NMI of multi-view", ours, at_least=0.8),
        Bar("multi-view minus the best other panel", ours - max(others), at_least=0.05),
    )


def live_noisy(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """Multi-view against each view, and against the sum."""
    if not (found := nmi_now(seen)):
        return ()
    first, second, fused, ours = found
    return (
        Bar("NMI of multi-view minus the better single view", ours - max(first, second), at_least=0.05),
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
    "each map, once with σ a third of the median distance and once the median.",
    look_for="At the small bandwidth multi-view finds the digits best; at the wide one the kernel sum does.",
    source=UCI,
    panels=(Shown("kernel-sum"), Shown("kernel-product"), Shown("concatenation"), Shown("multiview")),
    epsilon="median/9",
    colour="labels",
    measure=measure_uci,
    live=live_uci,
    quick_seconds=20.0,
    why="Which map clusters best is decided by the bandwidth: the coupled walk takes two steps in one, so at the "
    "median it has already mixed neighbouring digits, while the kernel sum has just connected them.",
    knob="Set ε of all views to median/9, then to median, and watch NMI in the panels' footers.",
    turns=(Turn("ε at the median", "median"), Turn("σ a third of it", SMALL)),
)
NOISY_DIGITS = Experiment(
    id="lindenbaum2015-table1",
    paper="lindenbaum2015",
    figure="table 1",
    title="Digits 2 and 3 under two kinds of noise",
    caption="Small digits, once with Gaussian noise and once with half of the pixels dropped; k-means on the first "
    "coordinates of each map, the best of two numbers of them.",
    look_for="The maps of both views are right more often than either view; multi-view most often.",
    source=NOISY,
    panels=(Shown("single", "noisy"), Shown("single", "masked"), Shown("kernel-sum"), Shown("multiview")),
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
    caption="The pixels of the UCI digits, seen through a Gaussian, a Laplacian and a correlation kernel.",
    look_for="Whether fusing kernels of the same features adds to the best of them.",
    source=Source(sample="uci-digits"),
    panels=tuple(Shown("single", "pix", pins={"kernel:pix": kernel}) for kernel in KERNELS),
    epsilon="median/9",
    colour="labels",
    measure=measure_kernels,
    quick_seconds=15.0,
    why="Three kernels of the same features share their noise, so coupling them has less to average away.",
    stands_for="the Isolet letters",
)
