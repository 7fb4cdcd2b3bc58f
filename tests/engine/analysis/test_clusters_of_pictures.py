"""Clusters of pictures and their table against the classes, beside scikit-learn and every assignment there is."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

import mvexplorer as mvx
from mvexplorer.errors import DataError, ParameterError


def blobs(n: int = 60) -> np.ndarray:
    random = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    return centres[np.arange(n) % 3] + random.normal(scale=0.3, size=(n, 2))


def test_k_means_finds_blobs_and_numbers_them_by_size():
    Y = np.concatenate([blobs(), blobs()[2::3]])
    found = mvx.clusters(Y, 3)
    assert np.bincount(found).tolist() == [40, 20, 20]
    assert found[2] == 0
    assert found[0] == 1  # of two alike, the one with the first sample
    assert (found == mvx.clusters(Y, 3)).all()


def with_gaps(Y: np.ndarray) -> np.ndarray:
    """The same coordinates, of which two samples have none."""
    Y = Y.copy()
    Y[[1, 4]] = np.nan
    return Y


def test_density_peaks_find_groups_of_any_shape_and_density():
    random = np.random.default_rng(3)
    dense, wide = random.normal(scale=0.2, size=(150, 2)), random.normal([9.0, 0.0], 1.0, (60, 2))
    t = random.uniform(0.0, np.pi, 90)
    arc = np.column_stack([5.0 * np.cos(t), 8.0 + 5.0 * np.sin(t)]) + random.normal(scale=0.1, size=(90, 2))
    Y, truth = np.concatenate([dense, wide, arc]), np.repeat([0, 2, 1], [150, 60, 90])
    found = mvx.clusters(Y, 3, "density")
    np.testing.assert_array_equal(found, truth)
    shuffled = random.permutation(300)
    assert adjusted_rand_score(mvx.clusters(Y[shuffled], 3, "density"), truth[shuffled]) == 1.0


def test_density_peaks_of_few_different_points_are_as_many_as_differ():
    Y = np.repeat([[0.0, 0.0], [1.0, 0.0]], [30, 20], axis=0)
    assert np.bincount(mvx.clusters(Y[::-1], 5, "density")).tolist() == [30, 20]
    assert np.bincount(mvx.clusters(Y, 5, "density")).tolist() == [30, 20]
    assert set(mvx.clusters(np.ones((9, 2)), 3, "density").tolist()) == {0}


def test_each_follows_its_nearest_denser_sample_as_all_distances_say():
    Y = np.random.default_rng(8).normal(size=(120, 3))
    distances = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    density = np.sort(distances, axis=1)[:, 1:11].mean(axis=1)
    rank = np.argsort(np.argsort(density, kind="stable"))
    masked = np.where(rank[None, :] < rank[:, None], distances, np.inf)
    reach = np.where(rank == 0, distances.max(axis=1), masked.min(axis=1))
    centres = np.argsort(-reach * (1 - rank / 120))[:4]
    labels = np.full(120, -1)
    labels[centres] = range(4)
    for i in np.argsort(rank):
        labels[i] = labels[masked[i].argmin()] if labels[i] < 0 else labels[i]
    assert adjusted_rand_score(mvx.clusters(Y, 4, "density"), labels) == 1.0


@pytest.mark.parametrize("how", ["kmeans", "spectral", "density"])
def test_samples_without_a_place_are_in_no_cluster(how):
    Y = blobs()
    found = mvx.clusters(np.column_stack([with_gaps(Y), np.full(60, np.nan)]), 3, how)
    there = np.delete(np.arange(60), [1, 4])
    assert found[[1, 4]].tolist() == [-1, -1]
    np.testing.assert_array_equal(found[there], mvx.clusters(Y[there], 3, how))
    classes = np.array(["a", "b", "c"])[np.arange(60) % 3]
    counts = mvx.contingency(classes, found)
    assert (counts.table.sum(), counts.accuracy) == (58, 1.0)


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("n", [200, 700])
def test_spectral_clustering_is_scikit_learns_on_two_moons(n):
    Y, truth = make_moons(n, noise=0.05, random_state=0)
    found = mvx.clusters(Y, 2, "spectral")
    known = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=11, random_state=0).fit_predict(Y)
    assert adjusted_rand_score(found, known) == 1.0
    assert adjusted_rand_score(found, truth) > 0.98
    assert adjusted_rand_score(mvx.clusters(Y, 2), truth) < 0.6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e200, 1e-200])
@pytest.mark.parametrize("how", ["kmeans", "spectral"])
def test_clusters_do_not_depend_on_units(how, unit):
    Y = make_moons(60, noise=0.05, random_state=0)[0]
    np.testing.assert_array_equal(mvx.clusters(unit * Y, 2, how), mvx.clusters(Y, 2, how))


def test_separate_components_and_equal_points_are_no_fault():
    far = np.concatenate([blobs(30), blobs(30) + 1e4])
    assert adjusted_rand_score(mvx.clusters(far, 2, "spectral"), np.repeat([0, 1], 30)) == 1.0
    same = np.zeros((12, 2))
    assert set(mvx.clusters(same, 3)) == {0}
    assert len(set(mvx.clusters(same, 12, "spectral"))) <= 12


@pytest.mark.parametrize("k", [2, 4, 5])
def test_the_table_is_scikit_learns_and_the_assignment_the_best_of_all(k):
    random = np.random.default_rng(k)
    labels, found = random.choice(["a", "b10", "b9", "c"], 80), random.integers(0, k, 80)
    ours = mvx.contingency(labels, found)
    assert ours.classes == ("a", "b9", "b10", "c")
    assert (ours.table[[0, 2, 1, 3]] == contingency_matrix(labels, found)).all()
    wide = np.zeros((4, max(4, k)), dtype=int)
    wide[:, :k] = ours.table
    best = max(sum(wide[c, p[c]] for c in range(4)) for p in permutations(range(wide.shape[1]), 4))
    assert ours.accuracy == best / 80
    assert sorted(ours.order) == list(range(k))
    assert sum(cluster is None for cluster in ours.cluster_of) == max(0, 4 - k)


def test_samples_without_a_label_are_left_out():
    found = mvx.contingency(np.array(["a", None, "b", ""], dtype=object), [0, 1, 1, 0])
    assert found.table.sum() == 2
    assert found.accuracy == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mvx.clusters(blobs(6), 7), "6 samples cannot make 7 clusters"),
        (lambda: mvx.clusters(blobs(6), 1), "cannot make 1 clusters"),
        (lambda: mvx.clusters(blobs(6), 2, "magic"), "no way to cluster called “magic”"),
        (lambda: mvx.clusters(np.full((6, 2), np.nan), 2), "No sample has a place in this picture"),
        (lambda: mvx.clusters(with_gaps(blobs(6)), 5), "4 samples cannot make 5 clusters"),
        (lambda: mvx.contingency(["a", None], [-1, 0]), "No sample has a label"),
        (lambda: mvx.contingency(["a"], [0, 1]), "1 labels for 2 samples"),
        (lambda: mvx.contingency([None, None], [0, 1]), "No sample has a label"),
    ],
)
def test_what_cannot_be_clustered_is_said(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
