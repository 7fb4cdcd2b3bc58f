"""What a picture keeps of a view's neighbourhoods: against scikit-learn, sorts and explicit sets."""

import time

import numpy as np
import pytest
from sklearn.manifold import trustworthiness as reference

import mvexplorer as mvx
from mvexplorer.engine.analysis.neighbourhood import continuity, trustworthiness
from mvexplorer.engine.kernels.nearest import nearest, ranks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 6))
Y = X[:, :2] + 0.2 * RNG.normal(size=(150, 2))
TIED = RNG.integers(0, 3, size=(60, 2)).astype(float)


@pytest.mark.parametrize("k", [1, 5, 30, 74])
def test_trustworthiness_is_that_of_scikit_learn_and_continuity_its_mirror(k):
    assert trustworthiness(Y, X, k) == pytest.approx(reference(X, Y, n_neighbors=k), abs=1e-12)
    assert continuity(Y, X, k) == pytest.approx(reference(Y, X, n_neighbors=k), abs=1e-12)
    assert mvx.metrics.continuity(Y, X, n_neighbors=k).value == continuity(Y, X, k)


@pytest.mark.parametrize("points", [X[:40], TIED, np.zeros((20, 2))], ids=["apart", "tied", "at one place"])
def test_ranks_are_the_places_among_the_sorted_others(points):
    n = len(points)
    assert ranks(points, nearest(points, n - 1)).tolist() == [list(range(1, n))] * n


def test_a_picture_with_ties_is_true_to_itself():
    assert trustworthiness(TIED, TIED, 5) == continuity(TIED, TIED, 5) == 1.0
    assert mvx.neighbourhood_preservation(TIED, TIED, 5).min() == 1.0


def test_preservation_is_the_share_of_common_neighbours():
    sets = [[set(row) for row in nearest(Z, 9).tolist()] for Z in (Y, X)]
    wanted = [len(a & b) / 9 for a, b in zip(*sets, strict=True)]
    np.testing.assert_allclose(mvx.neighbourhood_preservation(Y, X, 9), wanted, atol=1e-12)


def test_samples_without_a_place_are_left_out():
    holed = Y.copy()
    holed[3] = np.nan
    kept = mvx.neighbourhood_preservation(holed, X, 9)
    assert np.flatnonzero(np.isnan(kept)).tolist() == [3]
    assert trustworthiness(holed, X, 9) == trustworthiness(np.delete(Y, 3, 0), np.delete(X, 3, 0), 9)


def test_too_many_neighbours_are_told():
    with pytest.raises(mvx.errors.DataError, match="10 neighbours are too many for 20 samples"):
        trustworthiness(X[:20], Y[:20], 10)
    with pytest.raises(mvx.errors.DataError, match="20 neighbours cannot be found among 20 samples"):
        mvx.neighbourhood_preservation(X[:20], Y[:20], 20)


@pytest.mark.timing
def test_5000_samples_take_a_second_or_two():
    wide = RNG.normal(size=(5000, 40))
    start = time.thread_time()
    trustworthiness(wide[:, :4], wide)
    assert time.thread_time() - start < 2.0  # 0.6, alone on the machine
