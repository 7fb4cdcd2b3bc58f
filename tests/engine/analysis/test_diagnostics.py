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


def test_clusters_are_counted_and_are_no_alarm():
    X = np.vstack([blob(2), blob(3) + np.array([10.0, 0.0, 0.0])])
    found = embed([X], "single", epsilon=1.5, n_components=5)
    assert 1e-9 < 1.0 - found.eigenvalues[1] < 1e-4
    assert codes(found) == ["pieces"]
    notice = found.warnings[0][1]
    assert notice.level == "info"
    assert notice == ("In pieces of 150 and 150 samples: the first coordinates count pieces; a larger ε joins them.")


@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "multiview"])
@pytest.mark.parametrize("sizes", [(90, 60, 7), (70, 30, 20, 15, 12, 8, 6)])
def test_pieces_have_the_sizes_of_the_groups_they_come_from(method, sizes):
    groups = [np.array([50.0 * g, 0.0, 0.0]) + blob(g, n) for g, n in enumerate(sizes)]
    X = np.vstack(groups)
    views = [X] if method == "single" else [X, X + 0.1 * blob(9, len(X))]
    found = embed(views, method, epsilon=20.0, n_components=10)
    assert codes(found) == ["pieces"]
    told = "90, 60 and 7 samples: " if len(sizes) == 3 else "70, 30, 20, 15 and 12 samples and 2 more: "
    assert found.warnings[0][1].startswith(f"In pieces of {told}")


def test_where_more_eigenvalues_may_be_as_large_no_sizes_are_told():
    """Of four pieces three eigenvectors cannot tell the smallest: it could be a sample alone."""
    X = np.vstack([np.array([50.0 * g, 0.0, 0.0]) + blob(g, n) for g, n in enumerate((60, 30, 10, 3))])
    for method in ("single", "kernel-product"):
        found = embed([X] if method == "single" else [X, X], method, epsilon=20.0, n_components=2)
        assert codes(found) == ["disconnected"]
        assert "at least 3 unconnected pieces" in found.warnings[0][1]


def test_a_piece_that_is_no_cluster_is_an_alarm():
    X = np.vstack([blob(2), blob(3) + 50.0, blob(4, 3) - 50.0])
    ((code, notice),) = embed([X], "single", epsilon=20.0, n_components=6).warnings
    assert (code, notice.level) == ("disconnected", "warning")
    assert notice.startswith("Torn: in pieces of 150, 150 and 3 samples: ")


def test_a_walk_that_forgets_is_a_fact():
    found = embed([blob(1, 300)], "single", epsilon=60.0, n_components=3)
    assert 0.01 < found.eigenvalues[1] < 0.05
    ((code, notice),) = found.warnings
    assert (code, notice.level) == ("forgets", "info")
    assert notice.startswith("One step forgets nearly all (λ₁ 0.0")
    assert notice.endswith("what is drawn is nearly linear.")


def test_eigenvalues_near_1_along_a_curve_are_no_pieces():
    """A long path has λ_k = cos(kπ/n): its samples are mixtures of two ends."""
    for n, k in ((200, 12), (2000, 40)):
        values = np.cos(np.arange(k) * np.pi / n)
        assert values[1] > 0.999
        assert walk_diagnostics(values, np.cos(np.outer(np.linspace(0.0, np.pi, n), np.arange(k)))) == ()
    angle = np.linspace(0.0, 2 * np.pi, 300, endpoint=False)
    ring = np.column_stack([np.ones(300), np.cos(angle), np.sin(angle)])
    assert walk_diagnostics(np.array([1.0, 0.9998, 0.9998]), ring) == ()


@pytest.mark.parametrize("method", ["single", "kernel-sum", "multiview"])
def test_a_smooth_curve_raises_no_doubt(method):
    views = ("view1",) if method == "single" else None
    found = embed(make_helix_a(), method, views=views, epsilon=0.36, n_components=6)
    assert codes(found) == []


def test_the_torn_kernel_product_of_the_helix_does():
    ((code, notice),) = embed(make_helix_a(), "kernel-product", epsilon=0.36, n_components=6).warnings
    assert (code, notice.level) == ("pieces", "info")


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
