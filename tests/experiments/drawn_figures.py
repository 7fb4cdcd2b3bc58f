"""What a run of an experiment has drawn, and measures of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from mvexplorer.datasets.generators import GAP_ROLL_CUTS
from mvexplorer.datasets.surfaces import ROLL_TOUCHES
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.hidden_scores import ring_gap, ring_order
from mvexplorer.engine.metrics import silhouette
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.experiments.experiment import Experiment, ExperimentResult
from mvexplorer.experiments.lindenbaum2015.fig1 import EPSILON, WIDTH, mass_across, rows_to_1
from mvexplorer.experiments.measures import CLOSED, rank_correlation
from mvexplorer.wording import fraction


@dataclass(frozen=True)
class Drawn:
    """A figure with what a run of it draws."""

    experiment: Experiment
    outcome: ExperimentResult

    @cached_property
    def bodies(self):
        return {figure.title: figure.body for figure in self.outcome.figures}

    @cached_property
    def data(self):
        return self.experiment.source.load()

    def titled(self, words):
        """The title that begins so."""
        (title,) = [title for title in self.bodies if title.startswith(words)]
        return title

    def points(self, title):
        return self.bodies[title].points

    def colour(self, title):
        return self.bodies[title].colour

    def curves(self, title):
        """The curves of a plot by name, each (x, y)."""
        return {each.name: (each.x, each.y) for each in self.bodies[title].series}

    def heights(self, title):
        return {name: y for name, (_, y) in self.curves(title).items()}

    def marks(self, title):
        return {mark.words: mark.x for mark in self.bodies[title].marks}

    def rows(self, title):
        """The rows of a table by their first cell, as numbers."""
        return {row[0]: [number(cell) for cell in row[1:]] for row in self.bodies[title].rows}

    def bar(self, words):
        (value,) = [bar.value for bar in self.outcome.bars if words in bar.what]
        return value


def number(cell):
    return float(cell.split("±")[0].split("/")[0].strip(" %")) if cell[:1] in "0123456789." else np.nan


Claim = tuple[str, Callable[[Drawn], bool]]

# Parts of claims -----------------------------------------------------------------------------------------------------


def sizes(*shape, title=""):
    """Whether the drawn points, or the data's first view, have so many samples."""

    def check(drawn):
        return drawn.points(title).shape[0] == shape[0] if title else drawn.data.n_samples == shape[0]

    return check


def line_and_point(drawn):
    """Whether the kernel product lies in two parts: one of no extent, and one on a straight line."""
    points = drawn.points("Kernel product")
    points = points / np.abs(points).max()
    order = np.argsort(points[:, 0])
    place = int(np.argmax(np.diff(points[order, 0]))) + 1
    parts = sorted((points[order[:place]], points[order[place:]]), key=lambda part: np.ptp(part, axis=0).max())
    point, line = (np.linalg.svd(part - part.mean(axis=0), compute_uv=False) for part in parts)
    return point[0] < 1e-2 and line[1] < 1e-2 * line[0]


def rings(drawn):
    return [drawn.points(f"Multi-view, view {i}") for i in (1, 2)]


def in_order(drawn):
    return all(ring_order(Y, drawn.data.latent[a]).value > 0.98 for Y, a in zip(rings(drawn), "ab", strict=True))


def helix_gap(drawn, factor=1.0):
    if factor == 1.0:
        return max(ring_gap(Y).value for Y in rings(drawn))
    wide = embed(drawn.data, "multiview", epsilon=factor * drawn.experiment.epsilon)
    return max(ring_gap(Y).value for Y in wide.view_coordinates)


def helix(printed, wide):
    return (
        ("A ring in the order of the angle for each view", in_order),
        (f"whose largest gap is {printed} rad", lambda d: fraction(helix_gap(d)) == printed),
        ("closed, as no gap is wider than .50", lambda d: helix_gap(d) <= CLOSED == 0.5),
        ("The kernel product is a line and a point.", line_and_point),
        ("at a quarter of it the ring of multi-view is still closed", lambda d: helix_gap(d, 0.25) <= CLOSED),
        (f"at 4 ε it is open by {wide} rad", lambda d: fraction(helix_gap(d, 4.0)) == wide and float(wide) > CLOSED),
    )


def crosses(title, cut):
    """The probability of a step from the sample to the other side of a cut, as it is drawn."""

    def mass(drawn):
        u = drawn.data.latent["u"]
        return float(drawn.colour(title)[(u > GAP_ROLL_CUTS[cut]) & (u < GAP_ROLL_CUTS[cut] + WIDTH)].sum())

    return mass


def alone_at_4_epsilon(drawn):
    """One over the probability of a crossing step in each view alone."""
    stages = Stages(drawn.data, (0, 1), (4 * EPSILON, 4 * EPSILON))
    kernels = (rows_to_1(np.asarray(kernel_of(stages, i))) for i in (0, 1))
    return [1 / mass_across(P, drawn.data.latent["u"], c) for P, c in zip(kernels, GAP_ROLL_CUTS, strict=True)]


def lowest(ours, lines):
    return all((lines[ours] <= y + 1e-12).all() for name, y in lines.items() if name != ours)


def energy_at(drawn, title, hertz):
    """The part of the drawn spectrum within a bin of these frequencies."""
    x, y = drawn.curves(title)["leading coordinate"]
    return float(sum(y[np.abs(x - one) < 0.3].sum() for one in hertz))


def turns_energy(drawn, turns):
    return float(drawn.heights("Leading coordinate of tensor CCA")["every direction"][turns])


def apart(drawn, title):
    return silhouette(drawn.points(title), drawn.colour(title)).value


def groups(Y):
    """How many parts the points make that are farther apart than a hundredth of their extent."""
    near = np.linalg.norm(Y[:, None] - Y, axis=2) < 0.01 * np.ptp(Y, axis=0).max()
    left, count = np.ones(len(Y), bool), 0
    while left.any():
        part = np.zeros(len(Y), bool)
        part[np.argmax(left)] = True
        while (grown := near[part].any(axis=0)).sum() > part.sum():
            part = grown
        left, count = left & ~part, count + 1
    return count


def height_at(x, y, place):
    return float(np.interp(np.log(place), np.log(x), y))


def along(drawn, title, axis=0, latent=None):
    colour = drawn.colour(title) if latent is None else drawn.data.latent[latent]
    return rank_correlation(drawn.points(title)[:, axis], colour)


def nearer(drawn, view, how):
    """The share of samples that are drawn nearer than the other side of a touch."""
    theta, h = ROLL_TOUCHES[view]
    across = 25 * (drawn.data.latent["theta"] - theta - 2 * np.pi) ** 2 + (drawn.data.latent["h"] - h) ** 2
    d = drawn.colour(f"View {view + 1}, {how}")
    return float((d < d[np.argmin(across)]).mean())


def mixed_pairs(drawn, title, truth="View 1"):
    """How many pairs of true classes share a cluster, in which each has at least an eighth of its samples."""
    classes, clusters, pairs = drawn.colour(truth), drawn.colour(title), set()
    for cluster in np.unique(clusters):
        shares = [np.mean(clusters[classes == c] == cluster) for c in np.unique(classes)]
        pairs |= {frozenset(pair) for pair in combinations(np.flatnonzero(np.array(shares) >= 0.125).tolist(), 2)}
    return len(pairs)


def near_diagonal(drawn, title, low, high):
    """The median relative error of pairs whose true distance is between these."""
    true, d = drawn.curves(title)["pairs"]
    some = (true > low) & (true <= high)
    return float(np.median(np.abs(d - true)[some] / true[some]))


def falling(values):
    return bool((np.diff(values) <= 1e-12).all())
