"""Doubly stochastic kernels and walks without self-loops: what they promise on data, and drafts of them."""

from functools import cache

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

import mvexplorer as mvx
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of, scaling_of_view

SCALED = Form(loops=False, scaled=True)
WITHOUT = {"self_loops": False}
BALANCED = {"normalisation": "doubly-stochastic"}


def stages_of(X, epsilon, text="gaussian", **params):
    return Stages(MultiView([X]), (0,), (epsilon,), params, kernels=[parse_kernel(text)])


def made(X, epsilon, text="gaussian"):
    """The doubly stochastic kernel without its diagonal, as the engine makes it."""
    return kernel_of(stages_of(X, epsilon, text, self_loops=False, **BALANCED), 0)


@cache
def ring():
    """Angles, and points of a ring in 2,000 dimensions, clean and with noise of another size at every sample."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 300)
    clean = np.zeros((300, 2000))
    clean[:, :2] = np.column_stack([np.cos(angle), np.sin(angle)])
    noise = rng.standard_normal(clean.shape)
    length = rng.uniform(0.05, 2, (300, 1))
    return angle, clean, clean + length * noise / np.linalg.norm(noise, axis=1, keepdims=True)


def explained(Y, angle):
    """R² of (cos, sin) by the mean over ten nearest neighbours, the sample itself left out."""
    target = np.column_stack([np.cos(angle), np.sin(angle)])
    D = dense.squared(Y) + np.diag(np.full(len(Y), np.inf))
    near = np.argsort(D, axis=1)[:, :10]
    missed = target - target[near].mean(axis=1)
    return 1 - np.square(missed).sum() / np.square(target - target.mean(axis=0)).sum()


def test_noise_that_differs_from_sample_to_sample_is_taken_out():
    angle, clean, noisy = ring()
    theirs = plain.formed(dense.gaussian(clean, 0.15), SCALED)
    ours = made(noisy, 0.15)
    assert np.linalg.norm(ours - theirs) <= 0.30 * np.linalg.norm(theirs)
    whole, seen = (K / K.sum(axis=1, keepdims=True) for K in (dense.gaussian(X, 0.15) for X in (clean, noisy)))
    assert np.linalg.norm(seen - whole) > np.linalg.norm(whole)
    pictures = [embed([noisy], "single", epsilon=0.15, n_components=2, **p).coordinates for p in (BALANCED, {})]
    assert explained(pictures[0], angle) >= 0.98
    assert explained(pictures[1], angle) <= 0.75


@pytest.mark.parametrize("text", ["gaussian", "knn-30", "self-tuning", "laplacian"])
def test_rows_and_columns_sum_to_one(text):
    Xs, epsilon = dense.views(120, 1)
    W = made(Xs[0], 4 * epsilon[0], text)
    W = W if isinstance(W, np.ndarray) else W.toarray()
    np.testing.assert_allclose(W.sum(axis=1), 1, rtol=0, atol=1e-9)
    np.testing.assert_allclose(W.sum(axis=0), 1, rtol=0, atol=1e-9)
    assert np.array_equal(np.diag(W), np.zeros(120))


def test_factors_of_samples_are_absorbed_and_their_order_has_no_effect():
    (X,), epsilon = dense.views(90, 1)
    K = dense.gaussian(X, 4 * epsilon[0])
    rng = np.random.default_rng(0)
    c, order = rng.uniform(0.2, 5, 90), rng.permutation(90)
    W = made(K, np.nan, "precomputed")
    np.testing.assert_allclose(made(c[:, None] * K * c, np.nan, "precomputed"), W, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        made(K[np.ix_(order, order)], np.nan, "precomputed"), W[np.ix_(order, order)], atol=1e-10
    )
    e = embed([X], "single", epsilon=4 * epsilon[0], n_components=3, **BALANCED)
    moved = embed([X[order]], "single", epsilon=4 * epsilon[0], n_components=3, **BALANCED)
    np.testing.assert_allclose(moved.coordinates, e.coordinates[order], atol=1e-10)
    x = scaling_of_view(stages_of(X, 4 * epsilon[0], **WITHOUT, **BALANCED), 0).factors
    np.testing.assert_allclose(x, plain.scaling(plain.formed(K, Form(loops=False))), rtol=1e-9)


def test_on_clean_data_it_is_the_walk_that_halves_density():
    """A circle on which samples lie three times as dense on one side: α = ½, and neither 0 nor 1."""
    u = np.arange(800) / 800
    angle = 2 * np.pi * u + 0.8 * np.sin(2 * np.pi * u)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    given = {"epsilon": 0.004, "n_components": 2, "t": 0}
    plane = np.linalg.qr(embed([X], "single", **given, **BALANCED).coordinates)[0]
    off = {}
    for alpha in (0.0, 0.5, 1.0):
        other = np.linalg.qr(embed([X], "single", **given, alpha=alpha).coordinates)[0]
        off[alpha] = float(np.arcsin(np.linalg.norm(other - plane @ (plane.T @ other), 2)))
    assert off[0.5] <= 0.03
    assert min(off[0.0], off[1.0]) > 0.2


@cache
def digits(every=4):
    return mvx.load("uci-digits").take(np.arange(0, 2000, every))


def nmi(e, labels, seeds=3):
    each = [KMeans(10, n_init=5, random_state=seed).fit_predict(e.coordinates) for seed in range(seeds)]
    return float(np.mean([normalized_mutual_info_score(labels, found) for found in each]))


def test_doubly_stochastic_views_are_heard_alike_in_a_sum():
    """UCI digits, every fourth, six views at a third of the median distance: the plain sum reaches .73."""
    e = embed(digits(), "kernel-sum", epsilon="median/9", n_components=12, t=1, **BALANCED)
    assert nmi(e, digits().labels, 2) >= 0.85


@pytest.mark.nightly
def test_all_digits():
    data = digits(1)
    given = {"epsilon": "median/9", "n_components": 12, "t": 1, **BALANCED}
    assert nmi(embed(data, "kernel-sum", **given), data.labels) == pytest.approx(0.868, abs=0.01)
    assert nmi(embed(data, "multiview", **given), data.labels) == pytest.approx(0.887, abs=0.01)
    # The plain iteration scales the product in no 1,500 products; Newton's method does, and the answer is doubted.
    product = dict(embed(data, "kernel-product", **given).warnings)
    assert {"slow-scaling", "taken-step"} <= set(product)


# Drafts -----------------------------------------------------------------------------------------------------------


def largest_angle(draft, exact, count=3):
    """Between the leading spaces up to the next gap behind `count`, by samples with neighbours."""
    there = np.isfinite(np.vstack(exact.decomposition.blocks)[:, 0])
    values = exact.eigenvalues
    end = next(j for j in range(count, len(values) - 1) if values[j] - values[j + 1] > 0.02 * values[j])
    planes = [np.linalg.qr(np.vstack(e.decomposition.blocks)[there][:, : end + 1])[0] for e in (draft, exact)]
    return float(np.arcsin(min(1.0, np.linalg.norm(planes[0] - planes[1] @ (planes[1].T @ planes[0]), 2))))


@pytest.mark.parametrize("form", [WITHOUT, BALANCED], ids=["no loops", "scaled"])
@pytest.mark.parametrize(
    ("id", "n_views", "params"),
    [
        ("single", 1, {}),
        ("kernel-sum", 2, {}),
        ("kernel-product", 2, {}),
        ("multiview", 2, {}),
        ("multiview", 3, {"eta": 0.3}),
        ("de-sa", 2, {}),
        ("alternating", 2, {}),
    ],
)
def test_drafts_are_true_to_a_fiftieth_of_a_radian(id, n_views, params, form):
    Xs, epsilon = dense.views(600, n_views)
    if form is WITHOUT:
        for X in Xs:
            X[17] += 1e3 * np.abs(X).max()
    given = {"n_components": 8, **params, **form}
    before = embed(Xs, id, epsilon=[4 * e for e in epsilon], **given)
    there = [4.2 * e for e in epsilon]
    exact = embed(Xs, id, epsilon=there, **given)
    for draft in (
        embed(Xs, id, epsilon=there, interactive=True, start=[before], **given),
        embed(Xs, id, epsilon=there, interactive=True, **given),
    ):
        np.testing.assert_array_equal(np.isnan(draft.coordinates), np.isnan(exact.coordinates))
        assert np.isnan(draft.coordinates[17]).all() == (form is WITHOUT)
        assert largest_angle(draft, exact) <= 0.02
        np.testing.assert_allclose(draft.eigenvalues[:4], exact.eigenvalues[:4], atol=1e-3)
