"""Figures 6.1 to 6.3: densities, and distances of a truncated representation, for samples of two squares."""

from __future__ import annotations

import itertools
from math import erf
from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods.shared import mgc
from mvexplorer.engine.methods.shared.mixture import Mixture, fit_mixture, unit_ball
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source
from mvexplorer.experiments.figures import Curves, Heat, Line

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.experiments.repetitions import Run

CELLS = 48
PAIRS = np.triu_indices(150, 1)
POWERS = range(-5, 6)
NU_MIN = 1e-3
"""The smallest density that the bound allows for."""


def measure_density(run: Run) -> Outcome:
    """The stationary density in closed form against that of the two squares, as a part of its maximum."""
    axis = np.linspace(-1, 5, CELLS)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    truth = 0.2 * _blurred(grid, 0.0) + 0.8 * _blurred(grid, 3.0)
    errors: list[float] = []
    first = truth
    for seed in run.seeds(5, 20):
        run.task.checkpoint()
        mixture = fit_mixture(SQUARES.load(random_state=seed).Xs[0], 4, random_state=seed)
        found = mgc.stationary_density(grid, mixture, 1.0)
        first = first if errors else found
        errors.append(float(np.abs(found - truth).max() / truth.max()))
    parts = (("Analytic density", truth), ("Closed form", first), ("Error", np.abs(first - truth)))
    return Outcome(
        (Bar("largest error as a part of the maximum", float(np.median(errors)), at_most=0.035),),
        tuple(Heat(name, values.reshape(CELLS, CELLS), "x₁", "x₂", axis, axis) for name, values in parts),
    )


def _blurred(grid: Array, corner: float) -> Array:
    """A unit square at (corner, corner) seen through a Gaussian at ε = 1: (6.2)."""
    error = np.vectorize(erf)
    found: Array = 0.25 * np.prod(error(corner + 1.0 - grid) - error(corner - grid), axis=1)
    return found


def measure_errors(run: Run) -> Outcome:
    """How the error of truncated distances shrinks with ε and with the order."""
    seeds = run.seeds(20, 60)
    by_epsilon = [_median(seeds, epsilon, 3) for epsilon in (1 / 8, 1 / 2, 2)]
    by_order = [_median(seeds, 0.5, order) for order in (1, 3, 8)]
    falls = [max(after / before for before, after in itertools.pairwise(errors)) for errors in (by_order, by_epsilon)]
    orders, powers = np.arange(1.0, 15.0), np.array(POWERS, dtype=float)
    X, mixture = _squares(0)
    over_epsilon = [_delta(X, mixture, 2.0**power, 3) for power in POWERS]
    over_order = [_delta(X, mixture, 1.0, int(order)) for order in orders]
    return Outcome(
        (
            Bar("median error after a step of the order over that before, the larger of two", falls[0], at_most=0.5),
            Bar("median error at ε 2 over that at 1/8", by_epsilon[2] / by_epsilon[0], at_most=0.25),
            Bar("median error after a step of ε over that before, the larger of two", falls[1], at_most=1.0),
        ),
        (
            _histograms("How often each error δ occurs, order 3", over_epsilon, "log₂ ε", powers),
            _histograms("How often each error δ occurs, ε = 1", over_order, "order of the Taylor series", orders),
            Curves("Median error, order 3", "ε", "median of δ", (Line("δ", 2.0**powers, _medians(over_epsilon)),),
                   log_across=True, log_up=True),
            Curves("Median error, ε = 1", "order of the Taylor series", "median of δ",
                   (Line("δ", orders, _medians(over_order)),), log_up=True),
        ),
    )  # fmt: skip


def _medians(errors: list[Array]) -> Array:
    return np.array([np.median(delta) for delta in errors])


def _histograms(title: str, errors: list[Array], across: str, x: Array) -> Heat:
    """The normalised histogram of log₁₀ δ, a column for each of several runs."""
    edges = np.linspace(-30.0, 0.0, 61)
    found = [np.histogram(np.log10(np.maximum(delta, 1e-30)), edges)[0] / len(delta) for delta in errors]
    return Heat(title, np.array(found).T, across, "log₁₀ δ", x, 0.5 * (edges[1:] + edges[:-1]))


def measure_bound(run: Run) -> Outcome:
    """The worst error of any pair against the bound (5.18)."""
    X, mixture = _squares(0)
    orders = run.choose("orders of the series", tuple(range(1, 9)), tuple(range(1, 15)))
    worst, bound = np.zeros((2, len(POWERS), len(orders)))
    for row, power in enumerate(POWERS):
        run.task.progress(row / len(POWERS))
        norms = mgc.largest_norms(mixture, 2.0**power)
        for column, order in enumerate(orders):
            worst[row, column] = _delta(X, mixture, 2.0**power, order).max()
            bound[row, column] = mgc.paper_bound(norms, mixture, 2.0**power, order, NU_MIN)
    above = float((worst - bound).max())
    across, up = np.array(orders, dtype=float), np.array(POWERS, dtype=float)
    return Outcome(
        (
            Bar("largest excess of the error over the bound", above, at_most=1e-15),
            Bar("log₁₀ of the error: rises from one ε to the next", float((np.diff(worst.max(axis=1)) > 0).sum()),
                at_most=1.0),
        ),
        tuple(
            Heat(title, np.log10(np.maximum(values, 1e-30)), "order", "log₂ ε", across, up)
            for title, values in (
                ("log₁₀ of the worst error", worst), ("log₁₀ of the bound", bound),
                ("log₁₀ of the bound minus the error", bound - worst),
            )
        ),
    )  # fmt: skip


def _squares(seed: int) -> tuple[Array, Mixture]:
    """150 of 3,000 points of the two squares in the unit ball, and the tied mixture of two of them all."""
    X = SQUARES.load(n_samples=3000, random_state=seed).Xs[0]
    placed = unit_ball(X, 2, Task()).place(X)
    chosen = np.random.default_rng(seed).choice(3000, 150, replace=False)
    return placed[chosen], fit_mixture(placed, 2, tied=True)


def _delta(X: Array, mixture: Mixture, epsilon: float, order: int) -> Array:
    """|d - |f_l(x) - f_l(z)||² of all pairs: (6.3) without its square of the norm."""
    d = np.sqrt(mgc.diffusion_distances(X, mixture, epsilon)[PAIRS])
    F = mgc.representation(X, mixture, epsilon, order)
    found: Array = (d - np.linalg.norm(F[PAIRS[0]] - F[PAIRS[1]], axis=1)) ** 2
    return found


def _median(seeds: range, epsilon: float, order: int) -> float:
    return float(np.median([np.median(_delta(*_squares(seed), epsilon, order)) for seed in seeds]))


SQUARES = Source(generator="make_two_squares")
PANELS = Shown("mgc"), Shown("diffusion-representation"), Shown("single")
DENSITY = Experiment(
    id="salhov2015-fig6.1",
    paper="salhov2015",
    figure="figure 6.1",
    title="The stationary density in closed form",
    caption="2,000 samples of two squares, four Gaussians as their density; the stationary density of the "
    "measure-based walk on a grid, against the analytic one.",
    look_for="An error of a few per cent, at the edges of the squares.",
    source=SQUARES,
    panels=PANELS,
    epsilon=1.0,
    measure=measure_density,
    quick_seconds=3.0,
)
ERRORS = Experiment(
    id="salhov2015-fig6.2",
    paper="salhov2015",
    figure="figure 6.2",
    title="Truncated representations keep distances",
    caption="The error of diffusion distances from a truncated Taylor series, over the bandwidth and over its order.",
    look_for="Both curves fall steadily.",
    source=SQUARES,
    panels=PANELS,
    epsilon=1.0,
    measure=measure_errors,
    quick_seconds=5.0,
)
BOUND = Experiment(
    id="salhov2015-fig6.3",
    paper="salhov2015",
    figure="figure 6.3",
    title="The bound on the error holds",
    caption="The worst error of any of 11,175 pairs, and the bound (5.18), over the bandwidth and the order.",
    look_for="The bound lies above the error everywhere.",
    source=SQUARES,
    panels=PANELS,
    epsilon=1.0,
    measure=measure_bound,
    quick_seconds=4.0,
)
