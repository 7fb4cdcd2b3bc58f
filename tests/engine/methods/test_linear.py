"""PCA and CCA against scikit-learn and closed forms."""

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA
from sklearn.decomposition import PCA

import mvexplorer.engine.methods.linear  # noqa: F401 - registers pca and cca
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError


def two_views(n_samples, dx=6, dy=5, seed=0):
    """Two common variables of different strength, in features of different scale and far from 0."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_samples, 2))
    out = []
    for d in (dx, dy):
        own = rng.standard_normal((n_samples, d))
        mixed = np.hstack([z + [[0.3, 0.9]] * rng.standard_normal((n_samples, 2)), own])
        out.append(mixed @ rng.standard_normal((d + 2, d)) * np.geomspace(1, 5, d) + 100.0)
    return out


# --- principal components -------------------------------------------------------------------------------------


@pytest.mark.validates("pca")
@pytest.mark.parametrize("preprocess", ["none", "zscore"])
@pytest.mark.parametrize(("n_samples", "dx", "dy"), [(400, 6, 5), (30, 40, 25), (12, 6, 5)])
def test_pca_against_scikit_learn(n_samples, dx, dy, preprocess):
    Xs, new = two_views(n_samples, dx, dy), two_views(7, dx, dy, seed=1)
    e = embed(MultiView(Xs, preprocess=preprocess), "pca", n_components=4)
    mean, scale = np.hstack(Xs).mean(axis=0), np.hstack(Xs).std(axis=0) if preprocess == "zscore" else 1.0
    reference = PCA(n_components=4, svd_solver="full").fit((np.hstack(Xs) - mean) / scale)
    expected = reference.transform((np.hstack(Xs) - mean) / scale)
    signs = np.sign((e.coordinates * expected).sum(axis=0))
    size = np.abs(expected).max()
    np.testing.assert_allclose(e.coordinates, signs * expected, rtol=0, atol=1e-10 * size)
    np.testing.assert_allclose(e.eigenvalues, reference.explained_variance_, rtol=1e-10)
    assert e.info["explained_variance"] == pytest.approx(reference.explained_variance_ratio_.sum(), rel=1e-10)
    placed = reference.transform((np.hstack(new) - mean) / scale)
    np.testing.assert_allclose(e.transform(new), signs * placed, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-10 * size)
    assert e.view_coordinates == ()


def test_pca_of_one_view_and_of_three():
    Xs = [*two_views(50), np.random.default_rng(2).standard_normal((50, 2))]
    for count in (1, 3):
        expected = PCA(n_components=2).fit(np.hstack(Xs[:count])).explained_variance_
        np.testing.assert_allclose(embed(Xs[:count], "pca").eigenvalues, expected, rtol=1e-10)


@pytest.mark.parametrize("n_samples", [6, 40])
def test_coordinates_that_do_not_exist_are_zero_aloud(n_samples):
    X = np.random.default_rng(3).standard_normal((n_samples, 2))
    e = embed([X, X[:, :1]], "pca", n_components=4)
    assert np.count_nonzero(e.eigenvalues) == 2
    assert not e.coordinates[:, 2:].any()
    assert dict(e.warnings)["rank"].startswith("Only 2 of the 4 coordinates vary, the others are 0")
    np.testing.assert_allclose(e.transform([X, X[:, :1]]), e.coordinates, atol=1e-12)
    e = embed([X, X[:, :1]], "cca", n_components=4)
    assert [Y.any(axis=0).tolist() for Y in e.view_coordinates][1] == [True, False, False, False]
    assert dict(e.warnings)["rank"].startswith("Only 1 of the 4 coordinates vary")
    assert "rank" not in dict(embed([X, X[:, :1]], "cca", n_components=1).warnings)


# --- canonical correlations -----------------------------------------------------------------------------------


@pytest.mark.validates("cca")
@pytest.mark.parametrize("ridge", [0.0, 0.01, 0.5])
def test_cca_solves_the_generalised_eigenproblem(ridge):
    X, Y = two_views(300)
    S = np.cov(X.T, Y.T)
    xx, xy, yy = S[:6, :6], S[:6, 6:], S[6:, 6:]
    inverse_xx, inverse_yy = (
        np.linalg.inv(C + ridge * np.linalg.eigvalsh(C)[-1] * np.eye(len(C))) for C in (xx, yy)
    )  # fmt: skip
    values, P = np.linalg.eig(inverse_xx @ xy @ inverse_yy @ xy.T)
    order = np.argsort(-values.real)[:3]
    e = embed([X, Y], "cca", n_components=3, ridge=ridge)
    np.testing.assert_allclose(e.eigenvalues, values.real[order], rtol=1e-9)
    for Y_, expected in zip(e.view_coordinates[0].T, ((X - X.mean(axis=0)) @ P.real[:, order]).T, strict=True):
        assert abs(np.corrcoef(Y_, expected)[0, 1]) == pytest.approx(1.0, abs=1e-10)
    first, second = e.view_coordinates
    correlations = [np.corrcoef(a, b)[0, 1] for a, b in zip(first.T, second.T, strict=True)]
    assert min(correlations) > 0  # one sign for both of a pair
    if ridge == 0.0:
        np.testing.assert_allclose(correlations, np.sqrt(e.eigenvalues), rtol=1e-9)
        np.testing.assert_allclose(np.cov(first.T), np.eye(3), atol=1e-9)
        np.testing.assert_allclose(np.cov(second.T), np.eye(3), atol=1e-9)


def test_cca_against_scikit_learn():
    X, Y = two_views(500)
    reference = CCA(n_components=2, max_iter=10_000, tol=1e-14).fit(X, Y)
    e = embed([X, Y], "cca", ridge=0.0)
    new = two_views(20, seed=1)
    for ours, theirs in (
        (e.view_coordinates, reference.transform(X, Y)),
        (np.split(e.transform(new), 2, axis=1), reference.transform(*new)),
    ):
        for a, b in zip(np.hstack(ours).T, np.hstack(theirs).T, strict=True):
            assert abs(np.corrcoef(a, b)[0, 1]) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("preprocess", ["none", "zscore"])
@pytest.mark.parametrize(("n_samples", "dx", "dy"), [(100, 6, 5), (20, 40, 5), (20, 40, 30)])
def test_cca_places_the_known_samples_where_they_are(n_samples, dx, dy, preprocess):
    Xs = two_views(n_samples, dx, dy)
    e = embed(MultiView(Xs, preprocess=preprocess), "cca", n_components=3)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-9)
    half = e.transform([0.5 * (X[:-1] + X[1:]) for X in Xs])  # linear
    np.testing.assert_allclose(half, 0.5 * (e.coordinates[:-1] + e.coordinates[1:]), rtol=0, atol=1e-9)


def test_more_features_than_samples_correlate_perfectly_aloud():
    rng = np.random.default_rng(4)
    Xs = [rng.standard_normal((20, 30)), rng.standard_normal((20, 25))]
    e = embed(Xs, "cca", ridge=0.0)
    np.testing.assert_allclose(e.eigenvalues, 1.0)
    text = dict(e.warnings)["full-rank"]
    assert text.startswith("With 20 samples in 30 dimensions every canonical correlation is 1")
    assert "full-rank" not in dict(embed(Xs, "cca", ridge=0.1).warnings)
    assert "full-rank" not in dict(embed([X[:, :4] for X in Xs], "cca", ridge=0.0).warnings)


@pytest.mark.parametrize("method", ["pca", "cca"])
def test_no_matrix_of_all_pairs_for_few_features(method, monkeypatch):
    sizes = []
    for name in ("eigh", "svd"):
        solve = getattr(np.linalg, name)
        monkeypatch.setattr(
            np.linalg, name, lambda A, *a, solve=solve, **k: (sizes.append(A.shape), solve(A, *a, **k))[1]
        )
    embed(two_views(3000), method)
    assert sizes
    assert max(max(shape) for shape in sizes) <= 11


@pytest.mark.parametrize("method", ["pca", "cca"])
def test_numbers_too_large(method):
    with pytest.raises(DataError, match="too large to be squared"):
        embed([1e200 * X for X in two_views(20)], method)
