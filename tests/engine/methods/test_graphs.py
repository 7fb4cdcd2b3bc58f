"""View graphs and their Laplacians against scikit-learn, scipy and loops; the bottom of a spectrum against LAPACK."""

import dense
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from sklearn.neighbors import kneighbors_graph

from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods.shared import graphs
from mvexplorer.engine.methods.shared.graphs import (
    graph_of_weights,
    neighbour_weights,
    smallest_eigenpairs,
    smallest_eigenpairs_of_laplacian,
    weighted_mean,
)
from mvexplorer.errors import ComputeError


def points(n_samples, seed=0):
    return dense.views(n_samples, 1, seed)[0][0]


def weights_of(X, k, edge_weights="self-tuning"):
    return neighbour_weights(dense.squared(X), k, edge_weights, Task())


@pytest.mark.parametrize("k", [1, 5, 10])
@pytest.mark.parametrize("n_samples", [30, 300])
def test_edges_are_those_of_scikit_learn(n_samples, k):
    X = points(n_samples)
    expected = kneighbors_graph(X, k).toarray()
    np.testing.assert_array_equal(weights_of(X, k).toarray() > 0, (expected + expected.T) > 0)


def naive_weights(X, k, edge_weights):
    n, D = len(X), dense.squared(X)
    others = [sorted((D[i, j], j) for j in range(n) if j != i) for i in range(n)]
    joined = {(i, j) for i in range(n) for _, j in others[i][:k]}
    joined |= {(j, i) for i, j in joined}
    W = np.zeros((n, n))
    mean = sum(D[i, j] for i, j in joined) / len(joined)
    for i, j in joined:
        scale = mean if edge_weights == "gaussian" else np.sqrt(others[i][6][0] * others[j][6][0])
        W[i, j] = np.exp(-D[i, j] / scale)
    return W


@pytest.mark.parametrize("edge_weights", ["self-tuning", "gaussian"])
def test_weights_by_loops(edge_weights):
    X = points(40)
    found = weights_of(X, 5, edge_weights).toarray()
    np.testing.assert_allclose(found, naive_weights(X, 5, edge_weights), rtol=1e-9, atol=0)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("sparse", [True, False])
def test_laplacian_is_that_of_scipy(sparse):
    W = weights_of(points(60), 6)
    W = W if sparse else W.toarray() + np.eye(60)  # a kernel has its diagonal
    graph = graph_of_weights(W, Task())
    L = graph.laplacian.toarray() if sparse else graph.laplacian
    expected = scipy_laplacian(W, normed=True)
    if not sparse:  # scipy forgets self-loops
        degrees = W.sum(axis=1)
        expected = np.eye(60) - W / np.sqrt(np.outer(degrees, degrees))
    np.testing.assert_allclose(L, expected.toarray() if sparse else expected, atol=1e-14)
    assert np.linalg.norm(graph.null_vector) == pytest.approx(1.0)
    np.testing.assert_allclose(L @ graph.null_vector, 0.0, atol=1e-14)


def test_twins_and_ties_are_neighbours_of_the_same_samples():
    grid = np.array([(i, j) for i in range(6) for j in range(6)], float)
    W = weights_of(np.vstack([grid, grid]) * 0.1, 4).toarray()
    first, second = W[:36], W[36:]
    np.testing.assert_allclose(first[:, :36] + np.eye(36), second[:, :36], atol=1e-12)
    interior = [7, 8, 9, 10, 13, 14]
    assert np.all((first[interior] > 0).sum(axis=1) == 1 + 2 * 4)  # a twin, and four neighbours with theirs


def test_all_samples_at_one_place_are_all_joined():
    W = neighbour_weights(np.zeros((5, 5)), 2, "gaussian", Task())
    np.testing.assert_array_equal(W.toarray(), 1 - np.eye(5))


def test_a_sample_beyond_reach_is_a_piece_of_its_own():
    X = np.vstack([points(30), [[1e9, 0.0]]])
    graph = graph_of_weights(weights_of(X, 6), Task())
    assert graph.pieces == 2
    values = np.linalg.eigvalsh(graph.laplacian.toarray())
    assert np.count_nonzero(values < 1e-12) == 2
    assert np.isfinite(graph.null_vector).all()


@pytest.mark.parametrize("n_pieces", [1, 2, 7])
@pytest.mark.parametrize("sparse", [True, False])
def test_pieces(n_pieces, sparse):
    rng = np.random.default_rng(n_pieces)
    piece = rng.integers(0, n_pieces, 400)
    piece[:n_pieces] = range(n_pieces)
    W = np.where((piece[:, None] == piece) & (rng.random((400, 400)) < 0.2), 1.0, 0.0)
    W = W + W.T + np.eye(400)
    assert connected_components(W, directed=False)[0] == n_pieces
    assert graph_of_weights(csr_array(W) if sparse else W, Task()).pieces == n_pieces


def test_a_path_is_one_piece():
    W = np.eye(600) + np.eye(600, k=1) + np.eye(600, k=-1)
    assert graph_of_weights(W, Task()).pieces == 1
    assert graph_of_weights(np.eye(600), Task()).pieces == 600


def test_weighted_mean_of_sparse_and_dense():
    first, second = (weights_of(points(30, seed), 4) for seed in range(2))
    expected = (2 * first.toarray() + second.toarray()) / 3
    for matrices in ([first, second], [first.toarray(), second], [first.toarray(), second.toarray()]):
        mean = weighted_mean(matrices, np.array([2.0, 1.0]))
        np.testing.assert_allclose(mean if isinstance(mean, np.ndarray) else mean.toarray(), expected, atol=1e-15)


# --- the bottom of a spectrum -----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 40, 120, 500])
@pytest.mark.parametrize("sparse", [True, False])
def test_bottom_eigenpairs_against_lapack(sparse, k):
    L = graph_of_weights(weights_of(points(500), 8), Task()).laplacian
    L = L if sparse else L.toarray()
    values, vectors = smallest_eigenpairs_of_laplacian(L, k, Task())
    expected = np.linalg.eigvalsh(L.toarray() if sparse else L)[:k]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() <= 1e-11


def test_a_start_saves_filters():
    L = graph_of_weights(weights_of(points(2000), 8), Task()).laplacian
    cold, warm = Task(), Task()
    _, vectors = smallest_eigenpairs(lambda V: L @ V, 2000, 6, 2.0, cold)
    _, again = smallest_eigenpairs(lambda V: L @ V, 2000, 6, 2.0, warm, start=vectors)
    assert warm.products < cold.products / 5
    np.testing.assert_allclose(np.abs((vectors * again).sum(axis=0)), 1.0, atol=1e-9)


@pytest.mark.parametrize("pieces", [3, 20])
def test_every_null_vector_of_a_graph_in_pieces_is_found(pieces):
    X = points(600) + 1e6 * (np.arange(600) % pieces)[:, None]
    graph = graph_of_weights(weights_of(X, 8), Task())
    values, _ = smallest_eigenpairs_of_laplacian(graph.laplacian, pieces + 2, Task())
    assert graph.pieces == pieces
    assert np.count_nonzero(values < 1e-10) == pieces


def test_what_does_not_converge_goes_to_lapack_or_says_so(monkeypatch):
    L = graph_of_weights(weights_of(points(400), 8), Task()).laplacian
    monkeypatch.setattr(graphs, "MOST_FILTERS", 1)
    values, _ = smallest_eigenpairs_of_laplacian(L, 4, Task())
    np.testing.assert_allclose(values, np.linalg.eigvalsh(L.toarray())[:4], atol=1e-12)
    monkeypatch.setattr(graphs, "DENSE_LIMIT", 0)
    with pytest.raises(ComputeError, match=r"The 4 smoothest vectors .* did not converge. Ask for fewer"):
        smallest_eigenpairs_of_laplacian(L, 4, Task())


@pytest.mark.parametrize("sparse", [True, False])
def test_cancelled_work_stops(sparse):
    L = graph_of_weights(weights_of(points(400), 8), Task()).laplacian
    task = Task()
    task.cancel()
    for k in (4, 40):
        with pytest.raises(Cancelled):
            smallest_eigenpairs_of_laplacian(L if sparse else L.toarray(), k, task)
    with pytest.raises(Cancelled):
        neighbour_weights(dense.squared(points(40)), 3, "gaussian", task)
    with pytest.raises(Cancelled):
        graphs.count_pieces(np.eye(3), task)
