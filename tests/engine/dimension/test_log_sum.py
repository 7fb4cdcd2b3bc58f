"""The growth of the kernel sum against naive sums, complex-step derivatives and closed forms, and its bars."""

import cmath
import math

import dense
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import i0e, i1e
from scipy.stats import spearmanr

from mvexplorer.datasets import make_noisy_swiss_roll
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.dimension import log_sum as module
from mvexplorer.engine.dimension.log_sum import growth_curve, log_sum_at, log_sum_range, steepest
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.errors import DataError, ParameterError


def naive_slope(D, t):
    """d log S / d t at t = log ε, by a complex step: no formula of the derivative, no cancellation."""
    step = 1e-30j
    total = sum(cmath.exp(-r / (2 * cmath.exp(t + step))) for r in D.ravel())
    return (cmath.log(total)).imag / step.imag


def dense_slope(D, t):
    """(3.12) / 2 on the whole matrix."""
    K = np.exp(-D / (2 * np.exp(t)))
    return (D * K).sum() / (2 * np.exp(t) * K.sum())


def gaussian_cloud(n_samples=40, n_features=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n_samples, n_features))


def two_scales():
    """Tight clusters far apart: log S is steep inside a cluster, flat between, steep again among clusters."""
    rng = np.random.default_rng(2)
    centres = 1e4 * rng.standard_normal((12, 3))
    return (centres[:, None, :] + rng.standard_normal((12, 15, 3))).reshape(-1, 3)


def two_scales_reversed():
    """Clusters of three dimensions far apart in six: the steepest place is at the larger of the two scales."""
    rng = np.random.default_rng(3)
    centres = 1e4 * rng.standard_normal((12, 6))
    return (centres[:, None, :] + rng.standard_normal((12, 15, 3)) @ np.eye(3, 6)).reshape(-1, 6)


def clean_roll(n_samples, seed):
    latent = make_noisy_swiss_roll(n_samples=n_samples, random_state=seed).latent
    theta, h = latent["theta"], latent["h"]
    return np.column_stack((6 * theta * np.cos(theta), h, 6 * theta * np.sin(theta))), theta


# --- the curve --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [2, 7, 300])
def test_asymptotes(n_samples):
    """log S goes from log N to 2 log N (Algorithm 3.1)."""
    D = squared_distances(gaussian_cloud(n_samples))
    pairs = D[np.triu_indices(n_samples, 1)]
    tiny, huge = 1e-3 * pairs.min(), 1e12 * pairs.max()
    for log_sums in (
        growth_curve(D, [tiny, huge])[0],
        [log_sum_at(pairs, n_samples, e, Task())[0] for e in (tiny, huge)],
    ):
        np.testing.assert_allclose(log_sums, [math.log(n_samples), 2 * math.log(n_samples)], rtol=0, atol=1e-8)


@pytest.mark.parametrize("t", [-4.0, -1.0, 0.3, 2.0, 6.0])
def test_growth_against_derivatives(t):
    X = np.vstack([gaussian_cloud(25), gaussian_cloud(5)])  # with duplicates
    D = dense.squared(X)
    found = log_sum_at(D[np.triu_indices(30, 1)], 30, math.exp(t), Task())
    assert found.log_sum == pytest.approx(math.log(np.exp(-D / (2 * math.exp(t))).sum()), abs=1e-13)
    assert found.slope == pytest.approx(naive_slope(D, t), rel=1e-12)
    bend = (naive_slope(D, t + 1e-5) - naive_slope(D, t - 1e-5)) / 2e-5
    assert found.bend == pytest.approx(bend, abs=1e-8)


def test_growth_in_many_blocks(monkeypatch):
    pairs = squared_distances(gaussian_cloud(60))[np.triu_indices(60, 1)]
    expected = log_sum_at(pairs, 60, 0.7, Task())
    monkeypatch.setattr(module, "BLOCK_PAIRS", 101)
    np.testing.assert_allclose(log_sum_at(pairs, 60, 0.7, Task()), expected, rtol=1e-13)


@pytest.mark.parametrize("X", [gaussian_cloud(50), two_scales(), np.repeat(gaussian_cloud(20), 3, axis=0)])
def test_growth_curve_against_naive_sums(X):
    D = dense.squared(X)
    epsilon = np.geomspace(1e-3, 1e9, 45)
    log_sums, slopes = growth_curve(D, epsilon)
    np.testing.assert_allclose(log_sums, [np.log(np.exp(-D / (2 * e)).sum()) for e in epsilon], rtol=0, atol=1e-4)
    np.testing.assert_allclose(slopes, [dense_slope(D, np.log(e)) for e in epsilon], rtol=0, atol=2e-4)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("epsilon", [0.02, 0.1, 1.0, 30.0])
def test_growth_on_a_ring_and_a_torus(epsilon, d):
    """Evenly sampled, S = N² (e^(-1/ε) I0(1/ε))^d, whose slope goes to d/2 at small ε: (3.9)."""
    angle = 2 * np.pi * np.arange(64) / 64
    ring = np.column_stack((np.cos(angle), np.sin(angle)))
    X = ring if d == 1 else np.hstack([np.repeat(ring, 64, axis=0), np.tile(ring, (64, 1))])
    pairs = squared_distances(X)[np.triu_indices(len(X), 1)]
    found = log_sum_at(pairs, len(X), epsilon, Task())
    assert found.log_sum == pytest.approx(2 * math.log(len(X)) + d * math.log(i0e(1 / epsilon)), abs=1e-11)
    assert found.slope == pytest.approx(d / epsilon * (1 - i1e(1 / epsilon) / i0e(1 / epsilon)), rel=1e-10)
    if epsilon == 0.02:
        assert 2 * found.slope == pytest.approx(d, rel=0.02)


# --- the range --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("r", [1.0, 7.3])
def test_range_of_two_points(r):
    """S = 2 + 2 exp(-a), a = r / 2ε: the slope is a / (1 + e^a), largest where e^a (a - 1) = 1."""
    a = brentq(lambda a: math.exp(a) * (a - 1) - 1, 1, 2, xtol=1e-15)
    top = a / (1 + math.exp(a))
    ends = [brentq(lambda a: a / (1 + math.exp(a)) - 0.7 * top, *at, xtol=1e-15) for at in ((a, 9), (1e-3, a))]
    found = log_sum_range(np.array([[0.0, r], [r, 0.0]]))
    expected = [r / (2 * ends[0]), r / (2 * ends[1]), r / (2 * a), top]
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    np.testing.assert_allclose(found[:2], expected[:2], rtol=1e-12)
    assert found.dimension == 2 * found.slope


@pytest.mark.validates("rule:log-sum")
@pytest.mark.parametrize(
    "X",
    [gaussian_cloud(60), gaussian_cloud(80, 1), two_scales(), two_scales_reversed(),
     np.repeat(gaussian_cloud(20), 3, axis=0), clean_roll(150, 0)[0]],
)  # fmt: skip
def test_range_against_its_definition(X):
    """On a fine grid: the largest slope, and the connected piece around it with at least .7 of it."""
    D = dense.squared(X)
    found = log_sum_range(D)
    t = np.log(found.steepest) + np.arange(-24.0, 24.0, 0.01)
    slopes = np.array([dense_slope(D, s) for s in t])
    assert found.slope == pytest.approx(slopes.max(), rel=1e-5)
    assert found.slope >= slopes.max() * (1 - 1e-13)
    low, top, high = np.log((found.epsilon_0, found.steepest, found.epsilon_1))
    assert abs(top - t[slopes.argmax()]) <= 0.011
    inside = (t > low) & (t < high)
    assert np.all(slopes[inside] >= 0.7 * found.slope)
    assert dense_slope(D, low) == pytest.approx(0.7 * found.slope, rel=1e-11)
    assert dense_slope(D, high) == pytest.approx(0.7 * found.slope, rel=1e-11)
    assert max(dense_slope(D, low - 0.02), dense_slope(D, high + 0.02)) < 0.7 * found.slope


@pytest.mark.parametrize(("X", "near"), [(two_scales(), 1.0), (two_scales_reversed(), 1e8)])
def test_range_keeps_to_one_scale(X, near):
    """The slope has two humps, at ε about 1 and 1e8; the range is that of the higher one and does not reach across."""
    found = log_sum_range(squared_distances(X))
    slopes = growth_curve(squared_distances(X), np.geomspace(1e-2, 1e12, 300))[1]
    level = 0.7 * found.slope
    assert np.count_nonzero((slopes[1:] >= level) & (slopes[:-1] < level)) == 2
    assert near / 100 < found.epsilon_0 < found.epsilon_1 < near * 100


@pytest.mark.parametrize("factor", [3.0, 1e-3, 1e120, 1e-146])
def test_scale_equivariance(factor):
    """ε_0(3X) = 9 ε_0(X): the unit is nowhere in the method."""
    for X in (gaussian_cloud(100), two_scales(), clean_roll(300, 1)[0]):
        once, scaled = log_sum_range(squared_distances(X)), log_sum_range(squared_distances(factor * X))
        np.testing.assert_allclose(np.array(scaled[:3]) / factor / factor, once[:3], rtol=1e-10)
        assert scaled.slope == pytest.approx(once.slope, rel=1e-12)


@pytest.mark.parametrize(("step", "width"), [(0.11, 0.02), (0.031, 0.02), (0.05, 0.05), (0.2, 0.007)])
def test_the_grid_does_not_matter(step, width, monkeypatch):
    X = [gaussian_cloud(100), two_scales(), clean_roll(300, 1)[0]]
    expected = [log_sum_range(squared_distances(x)) for x in X]
    monkeypatch.setattr(module, "STEP", step)
    monkeypatch.setattr(module, "BIN", width)
    np.testing.assert_allclose([log_sum_range(squared_distances(x)) for x in X], expected, rtol=1e-9)


def test_order_and_position_do_not_matter():
    X = gaussian_cloud(70)
    moved = X[np.random.default_rng(1).permutation(70)] @ np.linalg.qr(gaussian_cloud(3, 3, 5))[0] + 100
    np.testing.assert_allclose(
        log_sum_range(squared_distances(moved)), log_sum_range(squared_distances(X)), rtol=1e-7
    )  # fmt: skip


def test_few_exponentials(monkeypatch):
    """The scan costs an exponential per bin, and the three roots a few passes over all pairs each."""
    passes = []
    monkeypatch.setattr(module, "log_sum_at", lambda *args: passes.append(args) or log_sum_at(*args))
    log_sum_range(squared_distances(gaussian_cloud(200)))
    assert 0 < len(passes) <= 24
    passes.clear()
    growth_curve(squared_distances(gaussian_cloud(200)), np.geomspace(1e-3, 1e3, 1000))
    assert not passes


def test_steepest_with_less_precision():
    """The largest slope is stationary: with ε right to 1e-4 it is right to about 1e-8."""
    pairs = squared_distances(gaussian_cloud(200))[np.triu_indices(200, 1)]
    exact, rough = (steepest(pairs, 200, Task(), precision) for precision in (1e-13, 1e-4))
    assert rough[0] == pytest.approx(exact[0], rel=1e-3)
    assert rough[1].slope == pytest.approx(exact[1].slope, rel=1e-7)
    assert abs(exact[1].bend) < 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_samples", [500, 1000])
def test_clean_roll_unrolls(n_samples, seed):
    """At ε_0 the first coordinate of the clean roll follows its angle."""
    X, theta = clean_roll(n_samples, seed)
    Y = embed([X], "single", epsilon=log_sum_range(squared_distances(X)).epsilon_0, n_components=1).coordinates
    assert abs(spearmanr(Y[:, 0], theta).statistic) >= 0.97


# --- bad input, and the task -------------------------------------------------------------------------------------


@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_all_samples_equal(constant):
    D = squared_distances(np.full((30, 3), constant))
    for call in (log_sum_range, lambda D: growth_curve(D, [1.0])):
        with pytest.raises(DataError, match=r"All samples are the same point.*Leave the view out"):
            call(D)


def test_duplicates_and_far_outliers():
    X = gaussian_cloud(30)
    for points in (np.repeat(X, 4, axis=0), np.vstack([X, 1e150 * np.ones((1, 3))]), np.vstack([X, X[0] + 1e-160])):
        found = log_sum_range(squared_distances(points))
        assert 0 < found.epsilon_0 < found.steepest < found.epsilon_1 < np.inf


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_bandwidths_are_checked(epsilon):
    with pytest.raises(ParameterError, match=r"The bandwidth ε is.*Give a number above 0"):
        growth_curve(squared_distances(gaussian_cloud()), [1.0, epsilon])


def test_progress_and_cancelling():
    D, seen = squared_distances(gaussian_cloud(150)), []
    log_sum_range(D, Task(seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    task = Task(lambda fraction: task.cancel())
    with pytest.raises(Cancelled):
        log_sum_range(D, task)


def test_every_block_can_be_the_last(monkeypatch):
    """A pass over all pairs, their binning and the scan stop within one block of pairs."""
    pairs = squared_distances(gaussian_cloud(60))[np.triu_indices(60, 1)]
    monkeypatch.setattr(module, "BLOCK_PAIRS", 100)
    cancelled = Task()
    cancelled.cancel()
    bins = module.binned(pairs, Task())
    calls = (
        lambda task: log_sum_at(pairs, 60, 1.0, task),
        lambda task: module.binned(pairs, task),
        lambda task: module._scan(bins, 60, len(pairs), task),
    )
    for call in calls:
        with pytest.raises(Cancelled):
            call(cancelled)
