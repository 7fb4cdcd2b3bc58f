"""Doubts about a connected graph: an outlier that takes a coordinate for itself, pieces that hang by a thread."""

import numpy as np
import pytest

from mvexplorer.datasets.generators import make_helix_a
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.spectral.diagnostics import walk_diagnostics


def codes(found):
    return [code for code, _ in found.warnings]


def blob(seed, n=150):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_an_outlier_is_named():
    X = np.vstack([blob(0), [[9.0, 0.0, 0.0]]])
    found = embed([X], "single", epsilon=2.0, n_components=4)
    assert codes(found) == ["outlier"]
    assert "sets one sample apart" in found.warnings[0][1]
    assert found.warnings[0][1].endswith("Try another ε.")  # of samples far away, the max-min rule's is too large
    alone = int(np.argmax(np.abs(found.coordinates[:, 0])))
    assert alone == 150


def test_two_outliers_together_are_counted():
    X = np.vstack([blob(1), [[9.0, 0.0, 0.0], [9.05, 0.0, 0.0]]])
    found = embed([X], "single", epsilon=2.0, n_components=4)
    assert "sets 2 samples apart" in dict(found.warnings)["outlier"]


def test_pieces_that_hang_by_a_thread():
    X = np.vstack([blob(2), blob(3) + np.array([10.0, 0.0, 0.0])])
    found = embed([X], "single", epsilon=1.5, n_components=5)
    assert 1e-9 < 1.0 - found.eigenvalues[1] < 1e-4
    assert codes(found) == ["nearly-disconnected"]
    assert "2 pieces" in found.warnings[0][1]


def test_many_small_gaps_are_no_pieces():
    """A long path has λ_k = cos(kπ/n): every gap is tiny, and none is a thousandth of the next."""
    values = np.cos(np.arange(12) * np.pi / 200)
    assert walk_diagnostics(values, np.cos(np.outer(np.linspace(0.0, np.pi, 200), np.arange(12)))) == ()
    torn = np.array([1.0, 1.0 - 1e-8, *values[1:]])
    (doubt,) = walk_diagnostics(torn, np.cos(np.outer(np.linspace(0.0, np.pi, 200), np.arange(13))))
    assert doubt == (
        "nearly-disconnected",
        "The graph nearly falls into 2 pieces at this ε: the leading coordinates only tell them apart.",
    )


@pytest.mark.parametrize("method", ["single", "kernel-sum", "multiview"])
def test_a_smooth_curve_raises_no_doubt(method):
    views = ("view1",) if method == "single" else None
    found = embed(make_helix_a(), method, views=views, epsilon=0.36, n_components=6)
    assert codes(found) == []


def test_the_torn_kernel_product_of_the_helix_does():
    assert codes(embed(make_helix_a(), "kernel-product", epsilon=0.36, n_components=6)) == ["nearly-disconnected"]


@pytest.mark.parametrize("t", [0, 1, 2])
def test_at_a_very_large_bandwidth_coordinates_have_the_directions_of_principal_components_and_other_spreads(t):
    X = blob(4, 300) * [3.0, 2.0, 1.0]
    found = embed([X], "single", epsilon=1e6, n_components=3, t=t)
    scores, sizes, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    cosines = np.abs(np.sum(found.coordinates / np.linalg.norm(found.coordinates, axis=0) * scores, axis=0))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-6)
    spreads = found.coordinates.std(axis=0)
    np.testing.assert_allclose(spreads / spreads[0], (sizes**2 / sizes[0] ** 2) ** t, rtol=1e-2)
    assert "has the directions of principal components, not their spreads" in dict(found.warnings)["flat"]
