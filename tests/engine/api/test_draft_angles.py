"""How true drafts are, over drags of many kinds: with anchors and without, of small and large steps, on any data."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import floor

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.api.preparing import solution_of
from mvexplorer.engine.core.task import Task

STEPS = {"5 %": 1.05, "20 %": 1.2, "x2": 2.0, "x5": 5.0}
METHODS = ("single", "kernel-sum", "multiview")
GAP = 0.01
"""Subspaces that end at a smaller gap, relative to the eigenvalue, are not determined."""
SHOWN = 3
VALUES_OFF = 1e-3


@cache
def digits(noise=0.0, size=400):
    data = mvx.load("uci-digits").take(np.arange(0, 2000, 2000 // size))
    random = np.random.default_rng(0)
    return [X + noise * X.std(axis=0) * random.standard_normal(X.shape) for X in data.Xs[:2]]


@cache
def pieces(size=400):
    """Four groups far apart, twice: eigenvalue 1 comes four times."""
    random = np.random.default_rng(1)
    apart = 1e3 * np.repeat([[0, 0], [1, 0], [0, 1], [1, 1]], size // 4, axis=0)
    return [apart + random.standard_normal((size, 2)) for _ in range(2)]


DATA = {"digits": digits, "noisy digits": lambda: digits(1.0), "a graph in pieces": pieces}


@dataclass(frozen=True)
class Drag:
    data: str
    method: str
    step: str
    anchored: bool
    seed: int


@dataclass(frozen=True)
class Off:
    """Radians by which the leading subspaces, and each drawn axis of its own, are off."""

    subspace: float
    axis: float


class Hand:
    """Drags all ε of some data by one method; exact answers are remembered."""

    def __init__(self, data, method):
        self.views = DATA[data]()[: 1 if method == "single" else 2]
        self.method, self.cache = method, StageCache()
        middle = 2.0 if data == "a graph in pieces" else np.array(select_epsilon(self.views, "median")) / 3.0
        self.middle = np.broadcast_to(middle, len(self.views))

    def at(self, octaves, start=(), interactive=False):
        epsilon = tuple(self.middle * 2.0**octaves)
        return embed(
            self.views, self.method, epsilon=epsilon, n_components=6, start=start, interactive=interactive,
            memo=self.cache.memo(Task()),
        )  # fmt: skip

    @cache  # noqa: B019  (as long as the test)
    def anchor(self, half_octaves):
        return solution_of(self.at(half_octaves / 2)).thinned(12)

    def angles(self, drag):
        """At each of a few steps up or down, from a random place two octaves around the middle: how far it is off."""
        random = np.random.default_rng(drag.seed)
        way = np.log2(STEPS[drag.step])
        here = random.uniform(-2.0, 2.0)
        former = [self.at(here)]
        for _ in range(3):
            here += way if here + way < 3.5 and (here - way < -3.5 or random.random() < 0.5) else -way
            around = [self.anchor(n) for n in (floor(2.0 * here), floor(2.0 * here) + 1)] if drag.anchored else []
            former.append(self.at(here, (*around, *former[-2:]), interactive=True))
            truth = exact(self, here)
            yield Off(worst_angle(former[-1].decomposition, truth), worst_axis(former[-1].decomposition, truth))


def exact(hand, octaves):
    """All eigenvalues and right eigenvectors by LAPACK, from the papers' formulas."""
    solve = {"single": dense.single, "kernel-sum": dense.kernel_sum, "multiview": dense.multiview}[hand.method]
    return solve(hand.views, tuple(hand.middle * 2.0**octaves))


def worst_angle(found, solution):
    """Radians between the leading subspaces that end at a gap; a right angle where values are off, gap or not."""
    worst, values = 0.0, solution.values[0]
    if np.abs(found.eigenvalues[: SHOWN + 1] - values[: SHOWN + 1]).max() > VALUES_OFF:
        return np.pi / 2.0
    for count in range(2, SHOWN + 2):
        if values[count - 1] - values[count] > GAP * abs(values[count - 1]):
            first, second = (
                np.linalg.qr(np.vstack([b[:, :count] for b in bs]))[0] for bs in (found.blocks, solution.blocks)
            )
            sines = np.linalg.svd(first - second @ (second.T @ first), compute_uv=False)
            worst = max(worst, float(np.arcsin(min(1.0, sines[0]))))
    return worst


def worst_axis(found, solution):
    """Radians between an axis that is drawn and the true one, where a gap on either side of it determines it."""
    worst, values = 0.0, solution.values[0]
    for i in range(1, SHOWN + 1):
        if min(values[i - 1] - values[i], values[i] - values[i + 1]) > GAP * abs(values[i]):
            first, second = (np.concatenate([b[:, i] for b in bs]) for bs in (found.blocks, solution.blocks))
            cosine = abs(first @ second) / (np.linalg.norm(first) * np.linalg.norm(second))
            worst = max(worst, float(np.arccos(min(1.0, cosine))))
    return worst


def worst_of(drags):
    hands, found = {}, {}
    for drag in drags:
        hand = hands.setdefault((drag.data, drag.method), Hand(drag.data, drag.method))
        each = list(hand.angles(drag))
        found[drag] = Off(max(off.subspace for off in each), max(off.axis for off in each))
    return found


@pytest.mark.parametrize("anchored", [True, False])
def test_drafts_are_true(anchored):
    drags = (Drag(data, method, step, anchored, 0) for data, method, step in zip(DATA, METHODS, STEPS, strict=False))
    worst = worst_of(drags).values()
    assert max(off.subspace for off in worst) <= 0.05
    assert max(off.axis for off in worst) <= 0.1


def test_a_draft_far_from_its_start_is_true_without_anchors():
    """At a fifth of ε the first vectors are hidden among crowded ones: more products are needed than usual."""
    (worst,) = worst_of([Drag("digits", "single", "x5", False, 1)]).values()
    assert worst.subspace <= 0.05


@pytest.mark.nightly
def test_of_many_drags_nearly_all_are_true():
    worst = worst_of(Drag(*kind) for kind in product(DATA, METHODS, STEPS, (True, False), range(3))).values()
    subspaces, axes = np.array([(off.subspace, off.axis) for off in worst]).T
    assert len(subspaces) >= 150
    assert np.mean(subspaces <= 0.05) >= 0.99
    assert subspaces.max() <= 0.2
    assert axes.max() <= 0.1
