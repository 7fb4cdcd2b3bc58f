"""The matrices behind a picture against dense formulas."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import mvexplorer as mvx
from mvexplorer.engine.analysis.panel_matrices import (
    graph_of_view,
    image_of,
    local_metric_distances,
    metric_at,
    own_degrees,
    stages_of,
)
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.errors import ParameterError

RNG = np.random.default_rng(2)
DATA = mvx.MultiView([RNG.normal(size=(36, 3)), RNG.normal(size=(36, 4))], view_names=["one", "two"])


def stages(method, **params):
    chosen = get_method(method)
    made = plan(chosen, DATA, epsilon=2.0, params={"n_components": 2, **params})
    found = mvx.embed(DATA, method, epsilon=2.0, n_components=2, **params)
    return stages_of(made, DATA, found, Task(), remember_once()), chosen


def kernels():
    each = [np.square(X[:, None] - X[None]).sum(axis=2) for X in DATA.Xs]
    return [np.exp(-D / 4.0) for D in each]


def test_a_views_kernel_and_walk_are_the_dense_ones_in_any_order():
    known, method = stages("multiview")
    order = RNG.permutation(36)
    K = kernels()[1]
    np.testing.assert_allclose(image_of(known, method, "kernel", "two").values, K, atol=1e-12)
    P = (K / K.sum(axis=1, keepdims=True))[np.ix_(order, order)]
    np.testing.assert_allclose(image_of(known, method, "transition", "two", order).values, P, atol=1e-12)
    D = -4.0 * np.log(K)
    np.testing.assert_allclose(image_of(known, method, "distances", "two").values, D, atol=1e-9)


@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_the_multi_view_operator_has_a_block_for_every_two_views(eta):
    known, method = stages("multiview", eta=eta)
    one, two = kernels()
    K = np.block([[eta * one @ one, (1 - eta) * one @ two], [(1 - eta) * two @ one, eta * two @ two]])
    found = image_of(known, method, "kernel", "")
    assert found.n_blocks == 2
    np.testing.assert_allclose(found.values, K, atol=1e-10)
    P = K / K.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(image_of(known, method, "transition", "").values, P, atol=1e-12)
    np.testing.assert_allclose(own_degrees(known, method).ravel(), K.sum(axis=1), atol=1e-10)


def test_a_graph_of_neighbours_is_that_of_the_laplacian():
    known, method = stages("laplacian-mean", graph_neighbours=4)
    W = graph_of_view(known, method, 0).toarray()
    np.testing.assert_allclose(image_of(known, method, "kernel", "one").values, W, atol=1e-14)
    assert np.count_nonzero(W, axis=1).min() >= 4
    facts = mvx.degrees_and_components(graph_of_view(known, method, 0))
    np.testing.assert_allclose(facts.degrees, W.sum(axis=1))


@pytest.mark.parametrize(
    ("method", "kind", "view", "words"),
    [
        ("laplacian-mean", "transition", "", "no random walk"), ("alternating", "kernel", "", "no kernel of its own"),
        ("cca", "kernel", "one", "no kernel"), ("multiview", "kernel", "three", "not made of three"),
        ("multiview", "distances", "", "no matrix of its own"),
    ],
)  # fmt: skip
def test_a_matrix_that_there_is_not_is_refused_in_words(method, kind, view, words):
    with pytest.raises(ParameterError, match=words):
        image_of(*stages(method), kind, view)


def test_the_metric_of_local_cca_gives_its_distances():
    known, _ = stages("local-cca", neighbours=9, neighbourhood="knn")
    D, X = local_metric_distances(known), known.view(0)
    for sample in (0, 17):
        apart = X[sample] - X
        expected = np.einsum("ij,jk,ik->i", apart, metric_at(known, sample), apart)
        np.testing.assert_allclose(D[sample], expected, atol=1e-9)
    mean = np.mean([metric_at(known, i) for i in range(36)], axis=0)
    np.testing.assert_allclose(metric_at(known, None), mean, atol=1e-12)


# Of results, without a plan ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "holds"), [("kernel-sum", True), ("jade", False), ("laplacian-mean", False)])
def test_a_result_knows_the_matrices_of_its_views(method, holds):
    dense = {} if holds else {"graph": "kernel"}
    found = mvx.embed(DATA, method, epsilon=2.0, n_components=2, **dense)
    assert (found.known is not None) == holds
    given = {} if holds else {"data": DATA}
    one, two = kernels()
    np.testing.assert_allclose(mvx.matrix_of(found, "kernel", "two", **given).values, two, atol=1e-12)
    order = RNG.permutation(36)
    P = (one / one.sum(axis=1, keepdims=True))[np.ix_(order, order)]
    np.testing.assert_allclose(mvx.matrix_of(found, "transition", "one", order=order, **given).values, P, atol=1e-12)
    graph = mvx.graph_of(found, "one", **given)
    np.testing.assert_allclose(graph.degrees, one.sum(axis=1), atol=1e-10)
    Y = found.coordinates
    D = np.square(Y[:, None] - Y[None]).sum(axis=2)
    np.testing.assert_allclose(mvx.matrix_of(found, "distances").values, D, atol=1e-9)


def test_a_result_that_was_solved_on_a_part_has_the_matrices_of_that_part():
    found = mvx.embed(DATA, "kernel-sum", epsilon=2.0, n_components=2, subsample=20)
    assert mvx.matrix_of(found, "kernel", "one").values.shape == (20, 20)


@pytest.mark.parametrize("view", ["one", "two"])
def test_the_graph_of_a_view_falls_into_the_pieces_that_scipy_counts(view):
    far = mvx.MultiView([np.vstack([X, X + 100.0, X[:5] - 100.0]) for X in DATA.Xs], view_names=["one", "two"])
    found = mvx.graph_of(mvx.embed(far, "kernel-sum", epsilon=20.0, n_components=2), view)
    X = far.Xs[far.view_index(view)]
    K = np.exp(-np.square(X[:, None] - X[None]).sum(axis=2) / 40.0)
    count, pieces = connected_components(K >= 1e-3, directed=False)
    assert count > 1
    assert found.sizes.tolist() == sorted(np.bincount(pieces).tolist(), reverse=True)
    assert len({*zip(pieces.tolist(), found.component.tolist(), strict=True)}) == count


def test_what_a_result_has_no_matrix_of_is_told():
    found = mvx.embed(DATA, "jade", epsilon=2.0, n_components=2)
    with pytest.raises(ParameterError, match=r"does not hold its samples\. Give data="):
        mvx.matrix_of(found, "kernel", "one")
    with pytest.raises(ParameterError, match="no random walk on the samples"):
        mvx.matrix_of(found, "kernel", data=DATA)
    with pytest.raises(ParameterError, match=r"There is no matrix called “weights”\. Give one of kernel,"):
        mvx.matrix_of(found, "weights")
    with pytest.raises(ParameterError, match="not made of three"):
        mvx.graph_of(found, "three", data=DATA)
    with pytest.raises(ParameterError, match=r"views have no kernel\. Choose a method with a bandwidth"):
        mvx.graph_of(mvx.embed(DATA, "pca", n_components=2), "one", data=DATA)
