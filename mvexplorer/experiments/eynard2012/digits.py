"""Figures 7 and 8 on digits: distances between samples, as a matrix, as a classifier, and for choosing samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.analysis.point import farthest_points
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import roc_auc, roc_curve
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source, Turn
from mvexplorer.experiments.eynard2012.laplacians import heat_distances, joint_laplacian, single_laplacian
from mvexplorer.experiments.figures import Curves, Heat, Line, Pictures
from mvexplorer.experiments.measures import by_chance, classes_of

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.experiments.repetitions import Run

VIEWS = ("fou", "zer")
NAMES = ("Fourier coefficients alone", "Zernike moments alone", "joint")
EARLY, LATE = 5.0, 50.0
KEPT = 100
"""Eigenvectors of which distances are made."""


def measure_roc(run: Run) -> Outcome:
    """How well small heat distances tell that two digits are the same: AUC, at two times."""
    seeds = run.seeds(2, 10)
    early, late = np.mean(run.each("auc", seeds, _aucs), axis=0)
    data = _some(0)
    distances = [heat_distances(*pair, EARLY) for pair in _graphs(data)]
    labels = classes_of(data)
    lines = tuple(Line(name, *roc_curve(D, labels)) for name, D in zip(NAMES, distances, strict=True))
    order = np.argsort(labels, kind="stable")
    return Outcome(
        (
            Bar("joint AUC minus the better view's, t = 5", float(early[2] - early[:2].max()), at_least=0.06),
            Bar("joint AUC minus the better view's, t = 50", float(late[2] - late[:2].max()), at_least=0.0),
        ),
        (
            *(Heat(f"Distances, {name}", np.sqrt(D[np.ix_(order, order)]), "sample, by class", "sample, by class")
              for name, D in zip(NAMES, distances, strict=True)),
            Curves("ROC of distances, t = 5", "false positives", "true positives", lines),
        ),
    )  # fmt: skip


def measure_farthest(run: Run) -> Outcome:
    """How many classes the farthest samples cover, by the joint distance and by each view's."""
    seeds = run.seeds(2, 20)
    found = np.mean(run.each("classes", seeds, _covered), axis=0)
    steps = np.arange(1.0, found.shape[1] + 1)
    return Outcome(
        (Bar("classes of ten among the first 15 farthest samples, joint distance", float(found[2, 14]), at_least=8.0,
             null=by_chance(lambda labels: float(len(np.unique(labels[:15]))), classes_of(_some(0)))),),
        (Curves("Farthest point sampling", "samples chosen", "classes covered",
                tuple(Line(name, steps, row) for name, row in zip(NAMES, found, strict=True))), *_chosen()),
    )  # fmt: skip


def _chosen() -> tuple[Pictures, ...]:
    """The first 15 of the farthest samples by the joint distance, in order."""
    data = _some(0)
    values, vectors = joint_laplacian(data, KEPT)
    chosen = farthest_points(vectors * np.exp(-0.5 * EARLY * values), start=0, k=15)
    if data.images is None:
        return ()
    words = [str(label) for label in classes_of(data)[chosen]]
    return (Pictures("The first 15 farthest samples, joint distance", data.images[chosen], words),)


def _some(seed: int, each: int = 50) -> MultiView:
    """So many samples of each digit, two of the six views."""
    digits = UCI.load()
    rng = np.random.default_rng(seed)
    labels = classes_of(digits)
    rows = [rng.choice(np.flatnonzero(labels == c), each, replace=False) for c in np.unique(labels)]
    some = digits.take(np.concatenate(rows))
    Xs = {name: some.Xs[some.view_index(name)] for name in VIEWS}
    return MultiView(Xs, labels=some.labels, preprocess="zscore", images=some.images)


def _graphs(data: MultiView) -> list[tuple[Array, Array]]:
    return [*(single_laplacian(data, i, KEPT) for i in range(2)), joint_laplacian(data, KEPT)]


def _aucs(seed: int) -> list[list[float]]:
    data = _some(seed)
    graphs = _graphs(data)
    return [[roc_auc(heat_distances(*pair, t), classes_of(data)).value for pair in graphs] for t in (EARLY, LATE)]


def _covered(seed: int) -> list[list[float]]:
    data = _some(seed)
    labels = classes_of(data)
    found = []
    for values, vectors in _graphs(data):
        chosen = farthest_points(vectors * np.exp(-0.5 * EARLY * values), start=seed, k=30)
        found.append([float(len(np.unique(labels[chosen[: n + 1]]))) for n in range(30)])
    return found


UCI = Source(sample="uci-digits")
HEAT = {"heat_time": EARLY}
PANELS = (
    Shown("single", "fou"), Shown("single", "zer"), Shown("jade", pins=HEAT), Shown("harmonic-mean", pins=HEAT),
)  # fmt: skip
ROC = Experiment(
    id="eynard2012-fig8",
    paper="eynard2012",
    figure="figure 8",
    title="Heat distances tell digits apart",
    caption="50 of each digit, Fourier coefficients and Zernike moments; heat distances of each view's graph and of "
    "joint eigenvectors, and the ROC of “near means the same digit”.",
    look_for="The joint curve lies above both others at t = 5; at t = 50 it does not.",
    source=UCI,
    panels=PANELS,
    views=VIEWS,
    epsilon="median",
    colour="labels",
    measure=measure_roc,
    quick_seconds=8.0,
    why="The advantage is one of short times: at t = 50 only the few smoothest eigenvectors count, and joining the "
    "graphs has mixed those of neighbouring digits.",
    knob="Change the time of JADE from 5 to 50.",
    turns=(Turn("t = 5", params={"heat_time": EARLY}), Turn("t = 50", params={"heat_time": LATE})),
    stands_for="pictures of NUS-WIDE and Caltech-101",
)
FARTHEST = Experiment(
    id="eynard2012-fig7",
    paper="eynard2012",
    figure="figure 7",
    title="Farthest samples cover the classes",
    caption="The same digits; each next sample is the one farthest from all before it, by the joint heat distance.",
    look_for="After 15 samples nearly all ten digits have been met.",
    source=UCI,
    panels=PANELS,
    views=VIEWS,
    epsilon="median",
    colour="labels",
    measure=measure_farthest,
    quick_seconds=8.0,
    why="The farthest samples are the oddest ones first: outlying digits are chosen before some classes are met.",
    stands_for="pictures of NUS-WIDE and Caltech-101",
)
