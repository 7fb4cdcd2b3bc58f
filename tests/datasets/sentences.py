"""The sentences with which samples open, and what has to hold of their panels, as they open, for each to be true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mvexplorer as mvx
from mvexplorer import metrics
from mvexplorer.datasets.generators import GAP_ROLL_CUTS
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.experiments.bandwidth.manifold import mean_square_error
from mvexplorer.experiments.lindenbaum2015.fig1 import mass_across
from mvexplorer.experiments.yair2016.pendulums import energy
from mvexplorer.state.bench.headless import ComputedPanels

JOINT = ("kernel-sum", "kernel-product", "de-sa", "multiview")


@dataclass
class Opened:
    """A sample as it opens."""

    panels: ComputedPanels

    def of(self, method: str, view: str | None = None) -> Embedding:
        """The picture of a panel."""
        state = self.panels.state
        panel = next(p for p in state.panels if p.method == method and view in (None, p.view))
        return self.panels.results[panel.id].result.embedding

    def drawn(self, method: str, view: str | None = None):
        """The two coordinates on its axes."""
        state = self.panels.state
        panel = next(p for p in state.panels if p.method == method and view in (None, p.view))
        return drawn_columns(self.of(method, view), panel.show, panel.axes[:2])

    @property
    def data(self) -> mvx.MultiView:
        return self.panels.data

    @property
    def views(self) -> tuple[str, ...]:
        return self.panels.state.enabled

    def scores(self, score) -> dict[str, float]:
        """A score of what each single view and each joint method draws or computes, by name."""
        singles = {view: score(self, "single", view) for view in self.views}
        shown = {panel.method for panel in self.panels.state.panels}
        return singles | {method: score(self, method, None) for method in JOINT if method in shown}

    def again(self, factor: float, method: str = "single", **more) -> Embedding:
        """A picture at so many times the ε."""
        here = self.of(method, more.get("view"))
        epsilon = {view: factor * value for view, value in zip(here.views, here.epsilon, strict=True)}
        return mvx.embed(self.data, method, views=list(here.views), epsilon=epsilon, n_components=12, **more)


def knn(opened, method, view):
    return metrics.knn_accuracy(opened.of(method, view).coordinates, opened.data.labels).value


def nmi(opened, method, view):
    return metrics.nmi(opened.of(method, view).coordinates, opened.data.labels).value


def opening(opened, method, view):
    return metrics.ring_gap(opened.drawn(method, view)).value


def order(name):
    return lambda opened, method, view: (
        metrics.first_spearman(opened.drawn(method, view), opened.data.latent[name]).value
    )


def ring(name):
    return lambda opened, method, view: (
        metrics.knn_resultant(opened.drawn(method, view), opened.data.latent[name]).value
    )


def two_of_six(opened):
    each = opened.scores(knn)
    assert max(each[view] for view in opened.views) <= 0.96
    assert each["kernel-product"] == each["multiview"] == 1.0
    for view in opened.views:  # which two: they are told apart no better than chance
        labels, Y = opened.data.labels, opened.of("single", view).coordinates
        pairs = {
            (a, b): metrics.knn_accuracy(Y[np.isin(labels, [a, b])], labels[np.isin(labels, [a, b])]).value
            for a in np.unique(labels)
            for b in np.unique(labels)
            if a < b
        }
        confused = [pair for pair, rate in pairs.items() if rate < 0.97]
        assert len(confused) == 1


def crossing_rings(opened):
    each = opened.scores(nmi)
    assert max(each[view] for view in opened.views) < 0.85
    assert each["kernel-sum"] == each["kernel-product"] == 1.0


def two_rings(opened):
    def first(opened, method, view):
        return metrics.accuracy(opened.again(1.0, method, **({"view": view} if view else {})).coordinates[:, :1],
                                opened.data.labels, seeds=1, n_init=10).value  # fmt: skip

    each = opened.scores(first)
    assert min(each[view] for view in opened.views) < 0.9
    assert all(each[method] == 1.0 for method in ("kernel-sum", "kernel-product", "multiview"))


def gaps_crossed(opened):
    u = opened.data.latent["u"]
    views = [np.exp(-np.square(X[:, None] - X[None]).sum(axis=2) / (2 * 2.25)) for X in opened.data.Xs]
    walks = [K / K.sum(axis=1, keepdims=True) for K in views]
    hops = [K / K.sum(axis=1, keepdims=True) for K in (views[0] @ views[1], views[1] @ views[0])]
    assert max(mass_across(P, u, cut) for P, cut in zip(walks, GAP_ROLL_CUTS, strict=True)) <= 1e-6
    assert min(mass_across(P, u, cut) for P in hops for cut in GAP_ROLL_CUTS) >= 0.01
    assert opened.of("multiview").epsilon == (2.25, 2.25)


def fastest(opened):
    def left(opened, method, view):
        return float(np.abs(opened.of(method, view).eigenvalues[1:9]).sum())

    each = opened.scores(left)
    assert each["multiview"] <= 0.6 * min(value for name, value in each.items() if name not in ("multiview", "de-sa"))


def closed_by_both(opened):
    each = opened.scores(opening)
    assert min(each[view] for view in opened.views) > 1.2
    assert each["kernel-product"] > 1.2
    assert max(each[method] for method in ("kernel-sum", "multiview")) < 0.3


def both_best(opened):
    each = opened.scores(knn)
    assert min(each[method] for method in JOINT) > max(each[view] for view in opened.views) + 0.05


def weighted_roll(opened):
    theta, h = opened.data.latent["theta"], opened.data.latent["h"]
    clean = mvx.embed([np.column_stack([6 * theta * np.cos(theta), h, 6 * theta * np.sin(theta)])], "single",
                      epsilon="log-sum").coordinates  # fmt: skip
    (X,) = opened.data.Xs
    scaling = manifold_scaling(X, dimension=2)
    weights = scaling.weights * X.std(axis=0)
    assert weights[10:].mean() < 0.3 * weights[:10].mean()
    weighted = mvx.embed([scaling.scale(X)], "single", epsilon=scaling.epsilon).coordinates
    assert order("theta")(opened, "single", None) < 0.3
    assert mean_square_error(clean, weighted) < 0.5 * mean_square_error(clean, opened.of("single").coordinates[:, :2])


def own_pendulums(opened):
    assert order("u3")(opened, "single", "left") > 0.95
    assert order("u4")(opened, "single", "right") > 0.95
    found = mvx.embed(opened.data, "local-cca", epsilon="median", n_components=2).coordinates
    assert metrics.first_spearman(found, opened.data.latent["u1"]).value > 0.9
    assert energy(found[:, 0]) > 0.8


def twice_round(opened):
    angle = opened.data.latent["angle"]
    here, raised = opened.drawn("single"), opened.again(8.0).coordinates[:, :2]
    doubled = 2.0 * angle % (2.0 * np.pi)
    assert metrics.ring_order(here, angle).value > 0.99
    assert metrics.ring_order(raised, angle).value < 0.1
    assert metrics.ring_order(raised, doubled).value > 0.99


def agreeing_rolls(opened):
    alone = [opened.of("single", view).coordinates for view in opened.views]
    together = opened.of("multiview").view_coordinates
    first, second = (mvx.agreement(list(pair), 15).matrix[0, 1] for pair in (alone, together))
    assert second < first - 0.01


def mushroom(opened):
    icons = ("mario", "turtle", "flower")
    assert ring("mushroom")(opened, "multiview", None) > 0.98
    assert max(ring(icon)(opened, "multiview", None) for icon in icons) < 0.5
    for view in opened.views[:2]:
        assert max(ring(icon)(opened, "single", view) for icon in icons) > 0.55


def sonograms(opened):
    def separated(data):
        Y = mvx.embed(data, "kernel-sum", epsilon="median", n_components=3).coordinates
        return metrics.knn_accuracy(Y, data.labels).value

    assert separated(opened.data) < 0.8
    assert separated(mvx.load("seismic-events", sonograms="seismic-events")) > 0.95
    loud = np.sqrt(sum(np.square(X).mean(axis=1) for X in opened.data.Xs))
    first = np.abs(opened.of("kernel-sum").coordinates[:, 0])
    assert set(np.argsort(first)[-3:]) <= set(np.argsort(loud)[-6:])


def common_variable(opened):
    assert order("e")(opened, "single", "view1") > 0.9
    assert order("h")(opened, "single", "view2") > 0.9
    found = mvx.embed(opened.data, "kernel-cca", epsilon="median").coordinates
    assert metrics.knn_r2(found, opened.data.latent["z"]).value > 0.95
    found = mvx.embed(opened.data, "local-cca").coordinates
    assert metrics.first_spearman(found, opened.data.latent["z"]).value > 0.9


def shared_ring(opened):
    alone = {name: [ring(name)(opened, "single", view) for view in opened.views] for name in "zeh"}
    assert max(alone["z"]) < 0.9
    assert alone["e"][0] > 0.7
    assert alone["h"][1] > 0.7
    for method in ("kernel-sum", "multiview"):
        assert ring("z")(opened, method, None) > 0.98
        assert max(ring(own)(opened, method, None) for own in "eh") < 0.5


def spiral(opened):
    (here,) = opened.of("single").epsilon
    words = [mvx.regimes(opened.data, factor * here)[0].regime for factor in (1e-3, 1.0, 16.0)]
    assert words == ["isolated", "local", "wide"]
    assert knn(opened, "single", None) == 1.0
    apart = metrics.knn_accuracy(opened.again(1e-3).coordinates, opened.data.labels).value
    assert apart < 0.95


def touching(opened):
    theta = opened.data.latent["theta"]
    for view in opened.views:
        raised = opened.again(10.0, view=view).coordinates[:, :2]
        assert order("theta")(opened, "single", view) > 0.9
        assert metrics.first_spearman(raised, theta).value < 0.5
    assert order("theta")(opened, "kernel-product", None) > 0.98
    assert max(order("theta")(opened, method, None) for method in ("kernel-sum", "multiview")) < 0.8


def two_squares(opened):
    labels = opened.data.labels
    assert 0.9 < opened.of("single").eigenvalues[1] < 0.9999
    small = opened.again(0.1)
    assert small.eigenvalues[1] > 0.99999
    inside = [small.coordinates[labels == label, 0] for label in np.unique(labels)]
    assert max(np.ptp(each) for each in inside) < 1e-3 * abs(inside[0].mean() - inside[1].mean())


def six_and_nine(opened):
    labels, Y = opened.data.labels.astype(str), opened.of("single", "fou").coordinates
    digits = "0123456789"
    pairs = {
        a + b: metrics.knn_accuracy(Y[np.isin(labels, [a, b])], labels[np.isin(labels, [a, b])]).value
        for a in digits
        for b in digits
        if a < b
    }
    assert pairs.pop("69") < 0.55
    assert min(pairs.values()) > 0.8


SENTENCES: dict[str, tuple[str, Callable[[Opened], None]]] = {
    "blobs": (
        "Each view lays two of the six clusters on one another. Only both views together tell all six apart.",
        two_of_six,
    ),
    "circles": (
        "Two of the four rings cross in each view, and not the same two. See which methods keep all four apart.",
        crossing_rings,
    ),
    "coupled-circles": (
        "Each view breaks the two rings along another axis. See which methods keep the inner and the outer one apart.",
        two_rings,
    ),
    "gap-rolls": (
        "Each roll is torn at another place. Multi-view diffusion crosses both gaps, because the other roll is whole "
        "there.",
        gaps_crossed,
    ),
    "gaussian-mixture": (
        "Six centres, noise in both views. Open Spectrum: the eigenvalues of multi-view diffusion decay fastest.",
        fastest,
    ),
    "helix-a": (
        "Each view cuts the ring open at another place. Drag ε: only methods that use both views bring it together.",
        closed_by_both,
    ),
    "helix-b": (
        "Each view alone is a line. Where a link in one view is enough, the ends join to a ring: not in the kernel "
        "product.",
        closed_by_both,
    ),
    "noisy-digits": (
        "One view is noisy, the other lost half its pixels. Compare the scores: both views together tell 2 from 3 "
        "best.",
        both_best,
    ),
    "noisy-swiss-roll": (
        "Half of the columns are noise: one bandwidth joins the turns of the roll. Feature weights take the noise "
        "away.",
        weighted_roll,
    ),
    "pendulums": (
        "Each film alone follows its own pendulum. The coupled pair, coloured by u1, is what local CCA finds: add it.",
        own_pendulums,
    ),
    "rotated-digit": (
        "A 6, turned once round, makes a ring. Raise ε: upside down it resembles itself, and the ring is run through "
        "twice.",
        twice_round,
    ),
    "rotated-rolls": (
        "Compare the two views' pictures with each other: under multi-view diffusion they agree more than alone.",
        agreeing_rolls,
    ),
    "rotating-icons": (
        "Only the mushroom is in all three films: see which methods find its angle. Hover a point for its frames.",
        mushroom,
    ),
    "seismic-events": (
        "Sample by sample only large events stand out. Data > Waveforms to sonograms separates the classes.",
        sonograms,
    ),
    "shared-latent": (
        "Each sheet varies most by a variable of its own. See which methods find z, the one that both share.",
        common_variable,
    ),
    "tori": (
        "Each doughnut alone mixes two angles. See which methods draw the ring of z, the angle that both share.",
        shared_ring,
    ),
    "spiral-classes": (
        "Drag ε: if it is small, every point is a class of its own; if it is large, the turns of the spiral join.",
        spiral,
    ),
    "touching-rolls": (
        "Raise ε: the turns of each roll run into one another, and some methods follow a bulge that only one view has.",
        touching,
    ),
    "toy-train": (
        "Each camera misses a part of the lap and shows a bow; both together close the loop. Hover a point for its "
        "frames.",
        closed_by_both,
    ),
    "two-squares": (
        "Drag ε: see where the two squares fall apart, and what that does to the first coordinate.",
        two_squares,
    ),
    "uci-digits": ("Fourier features alone confuse 6 with 9.", six_and_nine),
}
"""Sample -> its sentence, and what raises an AssertionError where it is not true."""
