"""The graph of neighbours in a picture: against scikit-learn's, with samples that coincide or have no place."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.neighbors import kneighbors_graph

import mvexplorer as mvx

PICTURE = mvx.embed(mvx.datasets.make_coupled_circles(n_samples=60), "multiview", n_components=3)
MODES = pytest.mark.parametrize("mode", ["connectivity", "distance"])


def drawn(coordinates):
    """The picture, with its samples elsewhere."""
    return replace(PICTURE, coordinates=np.asarray(coordinates, dtype=float))


@MODES
@pytest.mark.parametrize("k", [1, 15, 59])
def test_it_is_that_of_scikit_learn_in_all_coordinates_of_all_views(k, mode):
    graph, wanted = mvx.neighbour_graph(PICTURE, k, mode=mode), kneighbors_graph(PICTURE.coordinates, k, mode=mode)
    assert issparse(graph)
    assert (type(graph), graph.format, graph.shape, graph.nnz) == (type(wanted), "csr", (60, 60), 60 * k)
    assert (graph != wanted).nnz == 0
    assert graph.diagonal().tolist() == [0.0] * 60
    assert PICTURE.coordinates.shape == (60, 6)


def test_fifteen_neighbours_at_one_each_are_usual():
    assert (mvx.neighbour_graph(PICTURE) != kneighbors_graph(PICTURE.coordinates, 15)).nnz == 0


@MODES
def test_samples_without_a_place_have_no_neighbours_and_are_none(mode):
    holed, gone = PICTURE.coordinates.copy(), [0, 7, 59]
    holed[gone] = np.nan
    holed[:, 4] = np.nan  # a coordinate that no sample has
    kept = np.delete(np.arange(60), gone)
    graph = mvx.neighbour_graph(drawn(holed), 5, mode=mode)
    wanted = kneighbors_graph(PICTURE.coordinates[np.ix_(kept, [0, 1, 2, 3, 5])], 5, mode=mode)
    assert graph.shape == (60, 60)
    assert (graph[kept][:, kept] != wanted).nnz == 0
    assert np.flatnonzero(np.diff(graph.indptr) == 0).tolist() == gone
    assert not set(gone) & set(graph.indices.tolist())


def test_samples_at_one_place_are_each_others_neighbours_at_a_stored_distance_of_nothing():
    graph = mvx.neighbour_graph(drawn([[0.0], [5.0], [0.0], [0.0], [6.0]]), 2, mode="distance")
    assert np.sort(graph.data.reshape(5, 2)).tolist() == [[0.0, 0.0], [1.0, 5.0], [0.0, 0.0], [0.0, 0.0], [1.0, 6.0]]
    assert [set(graph.indices[graph.indptr[i] : graph.indptr[i + 1]]) for i in (0, 2, 3)] == [{2, 3}, {0, 3}, {0, 2}]
    assert graph.nnz == 10


@MODES
def test_no_sample_is_its_own_neighbour_however_many_coincide(mode):
    graph = mvx.neighbour_graph(drawn(np.zeros((30, 2))), 4, mode=mode)
    rows = np.repeat(np.arange(30), 4)
    assert graph.nnz == 120
    assert not (rows == graph.indices).any()


@pytest.mark.parametrize(
    ("k", "error", "words"),
    [
        (0, mvx.errors.DataError, "0 neighbours cannot be found among 60 samples. Ask for at least one."),
        (60, mvx.errors.DataError, "60 neighbours cannot be found among 60 samples. Ask for fewer neighbours."),
        (2.5, mvx.errors.ParameterError, "The number of neighbours is 2.5, not a whole number. Give one such as 15."),
        ("15", mvx.errors.ParameterError, "The number of neighbours is '15', not a whole number. Give one such as 15."),
    ],
)
def test_a_number_of_neighbours_that_cannot_be_is_told(k, error, words):
    with pytest.raises(error) as raised:
        mvx.neighbour_graph(PICTURE, k)
    assert str(raised.value) == words


def test_a_mode_that_is_none_is_told():
    with pytest.raises(mvx.errors.ParameterError, match=r"There is no mode “weight”. Give connectivity or distance."):
        mvx.neighbour_graph(PICTURE, 5, mode="weight")
