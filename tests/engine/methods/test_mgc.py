"""The closed forms of diffusion representations, held to quadrature, to the printed formulas and to the bars.

Printed formulas are evaluated naively: matrix inverses, loops over samples and Gaussians, Kronecker products.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mvexplorer.datasets.clusters import make_two_squares
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods.shared import mgc
from mvexplorer.engine.methods.shared.mixture import Mixture, fit_mixture, unit_ball


def some_mixture(m, n=3, tied=False, seed=0, size=0.6):
    rng = np.random.default_rng(seed)
    roots = size * rng.normal(size=(n, m, m))
    covariances = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(m)
    if tied:
        covariances = np.broadcast_to(covariances[0], (n, m, m))
    return Mixture(rng.dirichlet(3 * np.ones(n)), rng.normal(size=(n, m)), covariances, tied)


def g(x, mean, covariance):
    return multivariate_normal(mean, covariance).pdf(x)


# --- (3.3)-(3.6) against quadrature -----------------------------------------------------------------------------


def quadrature(points, mixture, epsilon):
    """k, ν, W and d² between the points by summing (2.5), (2.3), (2.4) over a fine grid of r and of y."""
    m = mixture.means.shape[1]
    axis, h = np.linspace(-9, 9, 181, retstep=True)
    grid = np.stack(np.meshgrid(*[axis] * m, indexing="ij"), axis=-1)
    parts = zip(mixture.weights, mixture.means, mixture.covariances, strict=True)
    q = sum(a * g(grid, theta, S) for a, theta, S in parts).reshape(grid.shape[:-1])
    near = np.exp(-((axis[:, None] - axis) ** 2) / epsilon) / np.sqrt(np.pi * epsilon)

    def blur(f):
        """∫ g(r; ·, ε/2) f(r) dr, axis by axis."""
        for k in range(m):
            f = np.moveaxis(np.tensordot(near, f, axes=(1, k)), 0, k) * h
        return f

    at = [g(grid, x, epsilon / 2 * np.eye(m)).reshape(q.shape) for x in points]
    rows = [blur(a * q) for a in at]  # k(x, y) on the grid of y
    k = np.array([[(a * b * q).sum() * h**m for b in at] for a in at])
    nu = np.array([row.sum() * h**m for row in rows])
    W = np.array([[(r * s).sum() * h**m for s in rows] for r in rows])
    d2 = np.array(
        [[((r / u - s / v) ** 2).sum() * h**m for s, v in zip(rows, nu, strict=True)]
         for r, u in zip(rows, nu, strict=True)]
    )  # fmt: skip
    return k, nu, W, d2


@pytest.mark.validates("mgc")
@pytest.mark.parametrize("epsilon", [0.3, 1.7])
@pytest.mark.parametrize("m", [1, 2])
def test_closed_forms_against_quadrature(m, epsilon):
    mixture, points = some_mixture(m), np.random.default_rng(1).normal(size=(4, m))
    k, nu, W, d2 = quadrature(points, mixture, epsilon)
    ours = mgc.stationary_density(points, mixture, epsilon)
    np.testing.assert_allclose(mgc.affinities(points, points, mixture, epsilon), k, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours, nu, rtol=0, atol=1e-9)
    products = mgc.inner_products(points, points, mixture, epsilon)
    np.testing.assert_allclose(products * np.outer(ours, ours), W, rtol=0, atol=1e-9)
    np.testing.assert_allclose(mgc.diffusion_distances(points, mixture, epsilon), d2, rtol=0, atol=1e-9)
    assert k.min() > 1e-6
    assert W.min() > 1e-6


# --- against the printed formulas -------------------------------------------------------------------------------


def printed(x, mixture, epsilon):
    """c_j(x) and D_j of theorem 3.1, and h_j(x) of section 4, as printed."""
    eye = np.eye(len(x))
    centres, spreads, heights = [], [], []
    for a, theta, S in zip(mixture.weights, mixture.means, mixture.covariances, strict=True):
        inner = np.linalg.inv(epsilon * eye + 4 * S)
        D = np.linalg.inv(eye / epsilon + inner)
        centres.append(D @ (x / epsilon + inner @ (2 * theta - x)))
        spreads.append(D)
        heights.append(a * g(x, theta, epsilon / 2 * eye + S))
    return centres, spreads, np.array(heights)


@pytest.mark.parametrize("m", [1, 3, 6])
def test_printed_kernel_and_products(m):
    mixture, epsilon = some_mixture(m), 0.6
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(5, m)), rng.normal(size=(4, m))
    k, W = np.empty((5, 4)), np.empty((5, 4))
    for i, x in enumerate(X):
        c_x, D, h_x = printed(x, mixture, epsilon)
        for j, z in enumerate(Z):
            c_z, _, h_z = printed(z, mixture, epsilon)
            k[i, j] = sum(h * g(z, c, S) for h, c, S in zip(h_x, c_x, D, strict=True))
            W[i, j] = sum(
                h_x[s] * h_z[t] * g(c_x[s], c_z[t], D[s] + D[t]) for s in range(3) for t in range(3)
            )  # fmt: skip
        assert mgc.stationary_density(x[None], mixture, epsilon)[0] == pytest.approx(h_x.sum(), rel=1e-10)
    scale = np.outer(mgc.stationary_density(X, mixture, epsilon), mgc.stationary_density(Z, mixture, epsilon))
    np.testing.assert_allclose(mgc.affinities(X, Z, mixture, epsilon), k, rtol=1e-9)
    np.testing.assert_allclose(mgc.inner_products(X, Z, mixture, epsilon) * scale, W, rtol=1e-9)


def kronecker_features(x, order):
    """φ up to degree l by the paper's recursion, with its weight: block i+1 is block i ⊗ x / sqrt(i+1)."""
    blocks = [np.ones(1)]
    for i in range(order):
        blocks.append(np.kron(blocks[-1], x) / math.sqrt(i + 1))
    return np.concatenate(blocks)


@pytest.mark.validates("diffusion-representation")
@pytest.mark.parametrize("order", [0, 1, 4])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_representation_against_kronecker_products(m, order):
    """Inner products of f_l, (5.3)-(5.4), are those of the paper's repeated monomials."""
    mixture, epsilon = some_mixture(m, tied=True), 0.8
    X = np.random.default_rng(3).normal(size=(6, m))
    expected = []
    for x in X:
        centres, (D, *_), h = printed(x, mixture, epsilon)
        values, axes = np.linalg.eigh(2 * D)
        hats = [axes @ np.diag(values**-0.5) @ axes.T @ c for c in centres]
        F = np.array([np.exp(-(c @ c) / 2) * kronecker_features(c, order) for c in hats])
        expected.append((2 * np.pi) ** (-m / 4) * np.linalg.det(2 * D) ** -0.25 / h.sum() * h @ F)
    ours = mgc.representation(X, mixture, epsilon, order)
    assert ours.shape == (6, mgc.n_features(m, order))
    np.testing.assert_allclose(ours @ ours.T, np.array(expected) @ np.transpose(expected), rtol=1e-9)


def test_symmetric_multi_indices():
    indices = mgc.multi_indices(2, 14)
    assert len(indices) == mgc.n_features(2, 14) == 120
    assert sum(2**i for i in range(15)) == 32767  # entries of the printed recursion
    assert len(set(map(tuple, indices))) == 120
    assert np.all(np.diff(indices.sum(axis=1)) >= 0)
    assert indices.sum(axis=1).max() == 14


def test_a_representation_needs_one_covariance():
    with pytest.raises(ValueError, match="one covariance"):
        mgc.representation(np.zeros((1, 2)), some_mixture(2), 1.0, 2)


def test_far_away_and_extreme_bandwidths():
    mixture = some_mixture(2, tied=True)
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1e8, -1e8]])
    for epsilon in (1e-30, 1e-6, 1.0, 1e30):
        for out in (
            mgc.memberships(X, mixture, epsilon), mgc.inner_products(X, X, mixture, epsilon),
            mgc.representation(X, mixture, epsilon, 14), mgc.largest_norms(mixture, epsilon),
            mgc.midpoint_density(X, X, mixture, epsilon),
        ):  # fmt: skip
            assert np.isfinite(out).all()
    np.testing.assert_allclose(mgc.memberships(X, mixture, 1.0).sum(axis=1), 1.0)


# --- bounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [1.0, 0.3])
def test_trust_region_against_a_search(radius):
    angle = np.linspace(0, 2 * np.pi, 100_001)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)])
    rng = np.random.default_rng(4)
    cases = [(rng.normal(size=(2, 2)), rng.normal(size=2)) for _ in range(5)]
    # The hard case: b has no part along the top direction, or there is no b, or no top direction.
    cases += [(np.diag([2.0, 1.0]), np.array([0.0, 0.3])), (np.diag([2.0, 1.0]), np.zeros(2))]
    cases += [(np.eye(2), np.zeros(2)), (np.eye(2), np.array([1.0, 2.0])), (np.zeros((2, 2)), np.ones(2))]
    for A, b in cases:
        found = np.square(A @ circle + b[:, None]).sum(axis=0).max()
        assert mgc.trust_region(A, b, radius) == pytest.approx(found, rel=1e-8)


def test_largest_norms_against_a_search():
    mixture, epsilon = some_mixture(2, tied=True), 0.4
    angle = np.linspace(0, 2 * np.pi, 20_001)
    best = np.zeros(3)
    centres = np.array([printed(x, mixture, epsilon)[0] for x in np.stack([np.cos(angle), np.sin(angle)], 1)[::20]])
    D = printed(np.zeros(2), mixture, epsilon)[1][0]
    for j in range(3):
        c = centres[:, j]
        best[j] = np.einsum("ij,jk,ik->i", c, np.linalg.inv(2 * D), c).max()
    np.testing.assert_allclose(mgc.largest_norms(mixture, epsilon), best, rtol=1e-4)


def test_remainders_against_sums():
    for x in (0.01, 0.8, 7.0, 60.0):
        for order in (0, 3, 14):
            # Σ_{j>l} e^-x x^j / j!, summed where it does not cancel.
            tail = sum(math.exp(j * math.log(x) - x - math.lgamma(j + 1)) for j in range(order + 1, 400))
            lagrange, exact = mgc.remainders(np.array([x]), order)
            assert exact[0] == pytest.approx(tail, rel=1e-10)
            assert lagrange[0] == pytest.approx(x ** (order + 1) / math.factorial(order + 1), rel=1e-10)
            assert exact[0] <= lagrange[0]


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
@pytest.mark.parametrize("order", [0, 2, 6])
def test_truncation_error_and_its_bound(order, epsilon):
    """|f - f_l| is that of 40 further orders, and within the sharp bound all over the ball."""
    mixture = some_mixture(2, tied=True, size=0.2)
    X = np.random.default_rng(5).normal(size=(300, 2))
    X /= np.linalg.norm(X, axis=1).max()
    rows = mgc.representation(X, mixture, epsilon, order)
    full = mgc.representation(X, mixture, epsilon, 60)
    errors = mgc.truncation_errors(X, rows, mixture, epsilon)
    np.testing.assert_allclose(errors, np.linalg.norm(full[:, rows.shape[1] :], axis=1), atol=1e-7)
    norms = mgc.largest_norms(mixture, epsilon)
    assert errors.max() ** 2 <= mgc.sharp_bound(norms, mixture, epsilon, order) * (1 + 1e-9)
    assert errors.max() > 1e-4


# --- the bars ---------------------------------------------------------------------------------------------------


PAIRS = np.triu_indices(150, 1)


@cache
def squares(seed=0):
    """150 of 3000 points of the two squares in the unit ball, and the tied mixture of 2 of them all."""
    X = make_two_squares(n_samples=3000, random_state=seed).Xs[0]
    placed = unit_ball(X, 2, Task()).place(X)
    chosen = np.random.default_rng(seed).choice(3000, 150, replace=False)
    return placed[chosen], fit_mixture(placed, 2, tied=True)


@cache
def distances(epsilon, seed=0):
    X, mixture = squares(seed)
    return np.sqrt(mgc.diffusion_distances(X, mixture, epsilon)[PAIRS])


def delta(epsilon, order, seed=0):
    """|d - |f_l(x) - f_l(z)||² of all pairs: (6.3) without its square of the norm."""
    X, mixture = squares(seed)
    F = mgc.representation(X, mixture, epsilon, order)
    return (distances(epsilon, seed) - np.linalg.norm(F[PAIRS[0]] - F[PAIRS[1]], axis=1)) ** 2


def test_eta_as_printed():
    _, mixture = squares()
    norms, D = mgc.largest_norms(mixture, 0.5), printed(np.zeros(2), mixture, 0.5)[1][0]
    tails = [1 - math.exp(-x) * sum(x**j / math.factorial(j) for j in range(3)) for x in norms]
    eta = (2 * np.pi) ** -1 * np.linalg.det(2 * D) ** -0.5 / 1e-6 * sum(tails)
    assert mgc.paper_bound(norms, mixture, 0.5, 2, 1e-3) == pytest.approx(eta, rel=1e-8)


@pytest.mark.parametrize("tolerance", [0.5, 0.05, 1e-3])
@pytest.mark.parametrize("epsilon", [1 / 8, 0.5, 2.0])
def test_the_chosen_order_keeps_the_tolerance(epsilon, tolerance):
    _, mixture = squares()
    norms = mgc.largest_norms(mixture, epsilon)
    order = mgc.chosen_order(norms, mixture, epsilon, tolerance, 100)
    assert np.sqrt(delta(epsilon, order).max()) <= tolerance
    assert 4 * mgc.sharp_bound(norms, mixture, epsilon, order) <= tolerance**2
    assert order == 1 or 4 * mgc.sharp_bound(norms, mixture, epsilon, order - 1) > tolerance**2
    assert mgc.chosen_order(norms, mixture, epsilon, 1e-9, 5) == 5
