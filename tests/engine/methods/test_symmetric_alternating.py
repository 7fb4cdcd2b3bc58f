"""Alternating diffusion made symmetric: the mean of both orders of doubly stochastic kernels."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form

import mvexplorer as mvx
from mvexplorer.engine.api.between import can_be_prepared
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError


def median(X):
    return np.median(dense.squared(X)[np.triu_indices(len(X), 1)])


def both_orders(Xs, epsilon):
    """All eigenvalues, descending, and vectors of (W¹W² + W²W¹) / 2, by LAPACK."""
    first, second = (plain.formed(dense.gaussian(X, e), Form(False, True)) for X, e in zip(Xs, epsilon, strict=True))
    values, vectors = np.linalg.eigh(0.5 * (first @ second + second @ first))
    return values[::-1], vectors[:, ::-1] * np.sqrt(len(first))


def same_up_to_signs(ours, theirs, atol):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=0, atol=atol)


def explained(Y, target):
    """R² of some columns by the mean over ten nearest neighbours, the sample itself left out."""
    near = np.argsort(dense.squared(Y) + np.diag(np.full(len(Y), np.inf)), axis=1)[:, :10]
    missed = target - target[near].mean(axis=1)
    return 1 - np.square(missed).sum() / np.square(target - target.mean(axis=0)).sum()


@pytest.mark.validates("alternating")
@pytest.mark.parametrize("n_samples", [60, 300])
def test_symmetric_is_the_mean_of_both_orders(n_samples):
    Xs, epsilon = dense.views(n_samples, 2)
    epsilon = [4 * e for e in epsilon]
    e = mvx.embed(Xs, "alternating", epsilon=epsilon, n_components=4, symmetric=True)
    values, vectors = both_orders(Xs, epsilon)
    np.testing.assert_allclose(e.eigenvalues, values[:5], rtol=0, atol=1e-9)
    same_up_to_signs(e.coordinates, vectors[:, 1:5] * values[1:5], 1e-5)
    assert e.params["normalisation"] == "doubly-stochastic"


@pytest.mark.validates("alternating")
def test_the_common_angle_of_two_tori():
    data = mvx.datasets.make_tori(random_state=0)
    for factor in (0.05, 0.3):
        e = mvx.embed(data, "alternating", epsilon=[factor * median(X) for X in data.Xs], symmetric=True)
        z = data.latent["z"]
        assert explained(e.coordinates, np.column_stack([np.cos(z), np.sin(z)])) >= 0.98


def test_it_is_stronger_where_alternating_is_weak():
    """The shared variable at ε of the median squared distance: weaker in one order."""
    data = mvx.load("shared-latent")
    z = np.asarray(data.latent["z"])[:, None]
    given = {"epsilon": "median", "n_components": 2}
    one, both = (
        explained(mvx.embed(data, "alternating", symmetric=on, **given).coordinates, z) for on in (False, True)
    )
    assert both >= 0.8
    assert one <= both - 0.15


def test_order_of_views_does_not_matter():
    Xs, epsilon = dense.views(120, 2)
    epsilon = [4 * e for e in epsilon]
    e = mvx.embed(Xs, "alternating", epsilon=epsilon, symmetric=True)
    swapped = mvx.embed(Xs[::-1], "alternating", epsilon=epsilon[::-1], symmetric=True)
    np.testing.assert_allclose(swapped.eigenvalues, e.eigenvalues, rtol=0, atol=1e-10)
    same_up_to_signs(swapped.coordinates, e.coordinates, 1e-7)


def test_known_samples_of_both_orders_stay_in_place():
    Xs, epsilon = dense.views(120, 2)
    model = MultiViewEmbedding("alternating", epsilon=[4 * e for e in epsilon], method_params={"symmetric": True})
    Y = model.fit_transform(Xs)
    np.testing.assert_allclose(model.transform([X[:30] for X in Xs]), Y[:30], rtol=0, atol=1e-8 * np.abs(Y).max())


def test_rows_of_its_walk_are_those_of_the_matrix():
    Xs, epsilon = dense.views(60, 2)
    epsilon = [4 * e for e in epsilon]
    e = mvx.embed(Xs, "alternating", epsilon=epsilon, symmetric=True)
    first, second = (plain.formed(dense.gaussian(X, s), Form(False, True)) for X, s in zip(Xs, epsilon, strict=True))
    S = 0.5 * (first @ second + second @ first)
    for t in (1, 3):
        p = mvx.transition_probabilities(e, 7, t)
        np.testing.assert_allclose(np.asarray(p).reshape(-1), np.linalg.matrix_power(S, t)[7], rtol=0, atol=1e-9)


def test_only_symmetric_it_has_a_reduced_basis():
    Xs, _ = dense.views(60, 2)
    data = MultiView(Xs)
    for on in (False, True):
        assert can_be_prepared(plan(get_method("alternating"), data, params={"symmetric": on})) == on


def test_density_normalisation_is_refused_with_it():
    Xs, _ = dense.views(60, 2)
    with pytest.raises(ParameterError, match="α has no meaning"):
        mvx.embed(Xs, "alternating", symmetric=True, alpha=0.5)
