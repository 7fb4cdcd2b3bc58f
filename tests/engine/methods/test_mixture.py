"""Gaussian mixtures held to scikit-learn and scipy, and to what a worker thread and an analyst expect of them."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods.shared import mixture as mx
from mvexplorer.errors import DataError


def clouds(n=400, seed=0):
    """Three clouds of unequal size and shape in the plane."""
    rng = np.random.default_rng(seed)
    shapes = ([[1.0, 0.3], [0.0, 0.4]], [[0.3, 0.0], [0.2, 0.3]], [[0.5, -0.4], [0.1, 0.2]])
    sizes, centres = (n // 2, n // 3, n - n // 2 - n // 3), ((0, 0), (4, 1), (1, 5))
    parts = [rng.standard_normal((k, 2)) @ A + c for k, A, c in zip(sizes, shapes, centres, strict=True)]
    return rng.permutation(np.vstack(parts))


def sklearn_mixture(tied, **params):
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(3, covariance_type="tied" if tied else "full", **params)


@pytest.mark.parametrize("tied", [False, True])
def test_a_step_is_that_of_scikit_learn(tied):
    from sklearn.exceptions import ConvergenceWarning

    X, floor = clouds(), 1e-3
    rng = np.random.default_rng(1)
    start = mx.maximise(X, rng.dirichlet(np.ones(3), len(X)), tied, floor)
    terms = mx.log_terms(X, start)
    ours = mx.maximise(X, np.exp(terms - mx.log_sum(terms)[:, None]), tied, floor)
    precisions = np.linalg.inv(start.covariances)
    theirs = sklearn_mixture(
        tied, max_iter=1, reg_covar=floor, weights_init=start.weights, means_init=start.means,
        precisions_init=precisions[0] if tied else precisions,
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X)
    np.testing.assert_allclose(ours.weights, theirs.weights_, rtol=1e-10)
    np.testing.assert_allclose(ours.means, theirs.means_, rtol=1e-10)
    covariances = np.broadcast_to(theirs.covariances_, (3, 2, 2))
    np.testing.assert_allclose(ours.covariances, covariances, rtol=1e-9, atol=1e-12)
    assert mx.log_sum(terms).mean() == pytest.approx(theirs.lower_bound_, rel=1e-10)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_as_likely_as_the_best_of_scikit_learn(seed, tied):
    X = clouds(seed=seed)
    theirs = sklearn_mixture(tied, n_init=5, tol=1e-7, max_iter=1000, random_state=0).fit(X)
    ours = mx.fit_mixture(X, 3, tied=tied, random_state=seed)
    assert mx.log_sum(mx.log_terms(X, ours)).mean() >= theirs.score(X) - 1e-4
    assert ours.weights.sum() == pytest.approx(1.0)
    assert ours.tied == tied
    assert tied == bool(np.ptp(ours.covariances, axis=0).max() == 0.0)


def test_log_terms_against_scipy():
    mixture = mx.fit_mixture(clouds(), 3)
    X = np.random.default_rng(2).normal(0, 3, (20, 2))
    for smoothing in (0.0, 0.7):
        expected = [
            a * multivariate_normal(c, S + smoothing * np.eye(2)).pdf(X)
            for a, c, S in zip(mixture.weights, mixture.means, mixture.covariances, strict=True)
        ]
        np.testing.assert_allclose(np.exp(mx.log_terms(X, mixture, smoothing)), np.transpose(expected), rtol=1e-10)


def test_the_order_of_samples_has_no_effect():
    X = clouds()
    first = mx.fit_mixture(X, 3)
    second = mx.fit_mixture(np.random.default_rng(3).permutation(X), 3)
    for part in ("weights", "means", "covariances"):
        np.testing.assert_array_equal(getattr(first, part), getattr(second, part))


@pytest.mark.parametrize(("values", "columns"), [(2, 9), (3, 1), (2, 40)])
def test_lexicographic_order(values, columns):
    X = np.random.default_rng(4).integers(0, values, (60, columns)).astype(float)
    X = np.hstack([np.zeros((60, 5)), X])
    ordered = X[mx.lexicographic_order(X)]
    assert [tuple(row) for row in ordered] == sorted(tuple(row) for row in X)


@pytest.mark.parametrize("places", [1, 2, 3])
def test_no_more_gaussians_than_places(places):
    X = np.repeat(np.random.default_rng(5).normal(size=(places, 2)), 10, axis=0)
    mixture = mx.fit_mixture(X, 5)
    assert mixture.n_components == places
    np.testing.assert_allclose(mixture.weights, 1 / places)
    assert np.isfinite(mx.log_terms(X, mixture)).all()


@pytest.mark.parametrize("n", [1, 3, 4])
def test_as_many_gaussians_as_samples(n):
    X = np.random.default_rng(6).normal(size=(4, 3))
    mixture = mx.fit_mixture(X, n)
    assert mixture.n_components == n
    assert np.isfinite(mx.log_terms(X, mixture)).all()


def test_it_stops_between_two_steps():
    class Impatient(Task):
        calls = 0

        def checkpoint(self):
            self.calls += 1
            if self.calls == 60:
                self.cancel()
            super().checkpoint()

    task = Impatient()
    complete = Impatient()
    complete.calls = 1000
    mx.fit_mixture(clouds(), 6, task=complete)
    assert complete.calls > 1100
    with pytest.raises(Cancelled):
        mx.fit_mixture(clouds(), 6, task=task)
    assert task.calls == 60


# --- the unit ball ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_features", "m"), [(5, 2), (300, 3), (2, 4)])
def test_unit_ball_against_an_svd(n_features, m):
    X = np.random.default_rng(7).normal(size=(80, n_features)) * 0.9 ** np.arange(n_features) + 3
    ball = mx.unit_ball(X, m, Task())
    centred = X - X.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    m = min(m, n_features)
    expected = centred @ axes[:m].T
    placed = ball.place(X)
    assert placed.shape == (80, m)
    assert np.linalg.norm(placed, axis=1).max() == pytest.approx(1.0)
    assert ball.radius == pytest.approx(np.linalg.norm(expected, axis=1).max())
    np.testing.assert_allclose(np.abs(placed) * ball.radius, np.abs(expected), rtol=1e-6, atol=1e-7)
    assert ball.share == pytest.approx((sizes[:m] ** 2).sum() / (sizes**2).sum())
    assert ball.epsilon(2.0) == pytest.approx(2.0 / ball.radius**2)


def test_unit_ball_of_less():
    rng = np.random.default_rng(8)
    plane = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 6))
    assert mx.unit_ball(plane, 4, Task()).axes.shape == (6, 2)
    padded = np.column_stack([plane, np.full(30, 1e6)])
    np.testing.assert_allclose(
        np.abs(mx.unit_ball(padded, 2, Task()).place(padded)), np.abs(mx.unit_ball(plane, 2, Task()).place(plane)),
        atol=1e-9,
    )  # fmt: skip
    point = np.full((30, 3), 0.7)
    assert np.any(point - point.mean(axis=0))  # a mean is rounded
    ball = mx.unit_ball(point, 2, Task())
    assert ball.axes.shape == (3, 1)
    assert np.abs(ball.place(point)).max() < 1e-15


def test_numbers_too_large_are_refused():
    with pytest.raises(DataError, match=r"too large to be squared. Rescale the view, or z-score it"):
        mx.unit_ball(np.array([[1e200], [-1e200], [0.0]]), 1, Task())
