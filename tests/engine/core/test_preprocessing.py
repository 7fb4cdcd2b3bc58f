"""Each preprocessing against scikit-learn and a formula, for known and new samples, dense and sparse."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from sklearn.decomposition import PCA
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

import mvexplorer as mvx
from mvexplorer.engine.core import preprocessing
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.preprocessing import PREPROCESS, learn_treatment, preprocess_view
from mvexplorer.errors import DataError

RNG = np.random.default_rng(5)
TALL = RNG.standard_normal((60, 7)) @ RNG.standard_normal((7, 7)) + 3.0
WIDE = RNG.standard_normal((15, 80)) * np.linspace(1.0, 4.0, 80)
NEW = RNG.standard_normal((5, 7)) + 3.0
THEIRS = {
    "centre": StandardScaler(with_std=False), "zscore": StandardScaler(), "unit": MinMaxScaler(),
    "log1p": FunctionTransformer(np.log1p), "pca:1": PCA(1), "pca:3": PCA(3), "pca:7": PCA(7),
}  # fmt: skip


@pytest.mark.parametrize("how", THEIRS)
def test_as_scikit_learn_does(how):
    known, new = (np.abs(TALL), np.abs(NEW)) if how == "log1p" else (TALL, NEW)
    theirs = THEIRS[how].fit(known)
    ours = learn_treatment(how, known)
    np.testing.assert_allclose(ours.apply(known), theirs.transform(known), rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.apply(new), theirs.transform(new), rtol=0, atol=1e-10)


@pytest.mark.parametrize("count", [1, 4, 15])
def test_components_of_a_wide_table(count):
    theirs = PCA(count, svd_solver="full").fit_transform(WIDE)
    np.testing.assert_allclose(preprocess_view(WIDE, f"pca:{count}"), theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("shape", [(200, 8), (8, 200)])
def test_weak_components_are_exact(shape):
    """Variances of 1e-18 of the largest, which the products of features do not resolve."""
    sizes = 10.0 ** -np.arange(0, 8)
    left, right = (np.linalg.qr(RNG.standard_normal((n, 8)))[0] for n in shape)
    X = (left * sizes) @ right.T
    X = X - X.mean(axis=0)
    ours, theirs = preprocess_view(X, "pca:6"), np.linalg.svd(X, full_matrices=False)
    expected = theirs[0][:, :6] * theirs[1][:6]
    np.testing.assert_allclose(np.abs(ours), np.abs(expected), rtol=1e-6, atol=1e-15)


def test_components_by_their_definition():
    """Uncorrelated, of the largest variances there are, each axis with a positive largest entry."""
    treatment = learn_treatment("pca:3", TALL)
    Y = treatment.apply(TALL)
    covariance = np.cov(Y.T)
    largest = np.linalg.eigvalsh(np.cov(TALL.T))[::-1][:3]
    np.testing.assert_allclose(covariance, np.diag(largest), rtol=0, atol=1e-10 * largest[0])
    axes = treatment.axes
    assert (axes[np.abs(axes).argmax(axis=0), range(3)] > 0).all()
    np.testing.assert_allclose(preprocess_view(1e160 * TALL, "pca:3") / 1e160, Y, atol=1e-9)
    flipped = preprocess_view(TALL[::-1], "pca:3")[::-1]
    np.testing.assert_allclose(flipped, Y, atol=1e-10)


def test_unit_range_by_its_formula():
    X = np.column_stack([TALL, np.full(60, 1e6), np.full(60, 0.1)])
    Y = preprocess_view(X, "unit")
    low, high = TALL.min(axis=0), TALL.max(axis=0)
    np.testing.assert_allclose(Y[:, :7], (TALL - low) / (high - low), rtol=0, atol=1e-12)
    assert (Y[:, 7:] == 0.0).all()
    assert (Y.min(), Y.max()) == (0.0, 1.0)


def test_components_beyond_the_rank_are_0():
    flat = np.outer(np.arange(9.0), [1.0, 2.0, 3.0])
    Y = preprocess_view(flat, "pca:3")
    assert (Y[:, 1:] == 0.0).all()
    assert (preprocess_view(np.ones((5, 4)), "pca:2") == 0.0).all()


@pytest.mark.parametrize(("X", "how", "words"), [
    (TALL, "pca:8", "View “a” has no 8 principal components: it has 60 samples and 7 features. Ask for at most 7."),
    (WIDE, "pca:16", "it has 15 samples and 80 features. Ask for at most 15."),
    (TALL - 100.0, "log1p", r"View “a” holds negative numbers \(the least is -1\d\d\), which log1p is not for"),
    (TALL, "pca:0", "Preprocessing 'pca:0' is not known"),
    (TALL, "pca:x", "Use one of none, centre, zscore, unit, log1p or pca:K"),
])  # fmt: skip
def test_refused(X, how, words):
    with pytest.raises(DataError, match=words):
        MultiView({"a": X}, preprocess=how)
    data = MultiView({"a": X})
    with pytest.raises(DataError, match=words):
        data.replace(preprocess=how)


def test_negative_new_samples_are_refused():
    found = mvx.embed(MultiView([np.abs(TALL)], preprocess="log1p"), "single")
    with pytest.raises(DataError, match="negative numbers"):
        found.transform([-np.abs(NEW)])


@pytest.mark.parametrize("how", ["unit", "log1p", "pca:3", "zscore"])
def test_embedding_and_extension(how):
    """A preprocessed view gives what its features, preprocessed by hand, do; new ones follow the known."""
    Xs = [np.abs(TALL), np.abs(TALL @ TALL.T[:, :9])]
    data = MultiView(
        Xs, preprocess=[how, "none"], feature_weights=[np.arange(1.0, 4.0) if how == "pca:3" else None, None]
    )
    by_hand = learn_treatment(how, Xs[0])
    weight = np.arange(1.0, 4.0) if how == "pca:3" else 1.0
    for method in ("multiview", "pca", "concatenation"):
        found = mvx.embed(data, method, epsilon="median")
        expected = mvx.embed([by_hand.apply(Xs[0]) * weight, Xs[1]], method, epsilon="median")
        np.testing.assert_allclose(found.coordinates, expected.coordinates, atol=1e-9)
        new = [X[:4] + 0.5 for X in Xs]
        theirs = expected.transform([by_hand.apply(new[0]) * weight, new[1]])
        np.testing.assert_allclose(found.transform(new), theirs, atol=1e-9)


def test_a_random_part_may_be_smaller_than_the_components():
    X = RNG.standard_normal((40, 30))
    data = MultiView([X], preprocess="pca:20")
    part = data.take(range(10))
    assert part.preprocess == ("pca:20",)
    assert part.width(0) == 20
    assert np.isfinite(mvx.embed(data, "single", subsample=10, epsilon="median").coordinates).all()


def test_keys_and_names():
    data = MultiView({"a": TALL}, feature_names=[list("abcdefg")])
    keys = {data.replace(preprocess=how).view_key(0) for how in (*PREPROCESS, "pca:2", "pca:3") if how != "log1p"}
    assert len(keys) == 6
    assert MultiView({"a": TALL}).view_key(0) == data.view_key(0)
    reduced = data.replace(preprocess="pca:2")
    assert [reduced.prepared_title(0, k) for k in range(2)] == ["PC 1", "PC 2"]
    assert reduced.feature_title(0, 1) == "b"
    weighted = data.replace(feature_weights=[np.ones(7)])
    assert weighted.replace(preprocess="unit").feature_weights[0] is not None
    assert weighted.replace(preprocess="pca:2").feature_weights == (None,)


def test_a_copy_shares_the_numbers():
    """A change of preprocessing copies, checks and hashes nothing again."""
    data = MultiView([RNG.standard_normal((1000, 1000))])
    data.view_key(0)
    tracemalloc.start()
    changed = data.replace(preprocess="zscore")
    changed.view_key(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert changed.Xs[0] is data.Xs[0]
    assert peak < 0.1 * data.Xs[0].nbytes
    assert pickle.loads(pickle.dumps(changed)).preprocess == ("zscore",)


def test_constants_are_learnt_once(monkeypatch):
    """However many blocks of new samples are placed by them."""
    learnt = []
    monkeypatch.setattr("mvexplorer.engine.pipeline.stages.learn_treatment",
                        lambda how, X: learnt.append(how) or learn_treatment(how, X))  # fmt: skip
    monkeypatch.setattr("mvexplorer.engine.api.subsample.BLOCK_ENTRIES", 1)
    mvx.embed(MultiView([RNG.standard_normal((300, 6))], preprocess="pca:3"), "single", subsample=50, epsilon="median")
    assert learnt == ["pca:3"]


# Sparse views ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
@pytest.mark.parametrize("shape", [(120, 40), (40, 120)])
def test_a_sparse_view_is_reduced_exactly(shape, kind):
    X = scipy.sparse.random_array(shape, density=0.1, rng=RNG)
    expected = preprocess_view(X.toarray(), "pca:6")
    data = MultiView({"s": getattr(scipy.sparse, kind)(X), "d": X.toarray()[:, :5]}, preprocess=["pca:6", "zscore"])
    np.testing.assert_allclose(data.Xs[0], expected, rtol=0, atol=1e-10)
    assert data.preprocess == ("none", "zscore")
    assert data.feature_names == (tuple(f"PC {k}" for k in range(1, 7)), None)


@pytest.mark.parametrize("shape", [(150, 90), (90, 150)])
def test_a_large_sparse_view_is_reduced_by_iteration(shape, monkeypatch):
    monkeypatch.setattr(preprocessing, "DENSE_SIDE", 50)
    X = scipy.sparse.random_array(shape, density=0.1, rng=RNG, format="csr")
    expected = preprocess_view(X.toarray(), "pca:5")
    np.testing.assert_allclose(MultiView([X], preprocess="pca:5").Xs[0], expected, rtol=0, atol=1e-10)


def test_a_sparse_view_is_never_filled_in():
    X = scipy.sparse.random_array((5000, 20000), density=1e-4, rng=RNG, format="csr")
    tracemalloc.start()
    made = MultiView([X], preprocess="pca:3")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made.Xs[0].shape == (5000, 3)
    assert peak < 0.05 * 8 * X.shape[0] * X.shape[1]


@pytest.mark.parametrize(("how", "words"), [
    (None, r'View “view1” is sparse: \d+ of 40 x 20 numbers are not 0. Reduce it exactly by preprocess="pca:20"'),
    ("zscore", "is sparse"), ("pca:21", "has no 21 principal components"),
])  # fmt: skip
def test_a_sparse_view_needs_components(how, words):
    X = scipy.sparse.random_array((40, 20), density=0.2, rng=RNG)
    with pytest.raises(DataError, match=words):
        MultiView([X], preprocess=how)


def test_an_estimator_preprocesses():
    X = np.abs(TALL)
    model = mvx.MultiViewEmbedding("single", epsilon="median", preprocess="pca:3").fit(X)
    expected = mvx.embed([preprocess_view(X, "pca:3")], "single", epsilon="median")
    np.testing.assert_allclose(model.coordinates_, expected.coordinates, atol=1e-10)
    np.testing.assert_allclose(model.transform(X[:3]), model.coordinates_[:3], atol=1e-9)
