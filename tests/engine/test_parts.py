"""The parts below the methods: data, parameters, distances, kernels, alignment, scores, stages."""

import itertools
import math

import dense
import numpy as np
import pytest
from geometry import cross_view_distance, inner_view_distances, multi_view_distances
from sklearn import metrics as sk
from sklearn.manifold import trustworthiness

from mvexplorer.engine import metrics
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.engine.bandwidth.rules.growth import row_sum_curve
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Param, check_params
from mvexplorer.engine.core.preprocessing import preprocess_view
from mvexplorer.engine.kernels.affinities import check_epsilon, gaussian
from mvexplorer.engine.kernels.distances import check_size, median_squared_distance, off_diagonal, squared_distances
from mvexplorer.engine.pipeline.stages import Stages, nbytes
from mvexplorer.engine.spectral.alignment import align, fit_to_unit, turn_between
from mvexplorer.errors import DataError, MissingValuesError, ParameterError

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((300, 5)), RNG.standard_normal((40, 5))

# --- distances and kernels ---------------------------------------------------------------------------------------


def test_squared_distances():
    np.testing.assert_allclose(squared_distances(X), dense.squared(X), rtol=1e-11)
    np.testing.assert_allclose(squared_distances(X, Y), dense.squared(X, Y), rtol=1e-11)


def test_distances_far_from_the_origin():
    """Moved by 1e6 the data lose six digits, the distances between them no more than that."""
    far = X + 1e6
    np.testing.assert_allclose(squared_distances(far), dense.squared(far), rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("outlier", [1e4, 1e8, 1e12])
def test_distances_beside_an_outlier(outlier):
    """The neighbours of an ordinary sample stay where they are, however far away one other is."""
    spoilt = np.vstack([np.linspace(0, 1, 50)[:, None], [[outlier]]])
    np.testing.assert_allclose(squared_distances(spoilt), dense.squared(spoilt), rtol=1e-6)


def test_distances_of_duplicates_are_0():
    for scale, shift in itertools.product((1e-8, 1.0, 1e8), (0.0, 1.0, 1e6)):
        twins = np.vstack([X, X]) * scale + shift * scale
        D = squared_distances(twins)
        assert np.all(np.diagonal(D, 300) == 0)
        assert np.all(np.diagonal(squared_distances(twins, twins[::-1])[:, ::-1]) == 0)


def test_distances_are_symmetric_and_not_negative():
    D = squared_distances(RNG.standard_normal((700, 3)))
    np.testing.assert_array_equal(D, D.T)
    assert np.all(np.diag(D) == 0)
    assert D.min() == 0


def test_numbers_too_large_to_be_squared():
    for scale in (1e155, 1e200, 1e300):
        with pytest.raises(DataError, match="too large to be squared"):
            embed([scale * X], "single", epsilon=1.0)


def test_off_diagonal_and_median():
    D = squared_distances(X[:9])
    np.testing.assert_array_equal(off_diagonal(D), D[np.triu_indices(9, 1)])
    assert median_squared_distance(D) == np.median(D[np.triu_indices(9, 1)])
    assert median_squared_distance(np.zeros((5, 5))) == 1.0


def test_gaussian():
    """exp(-d² / 2ε), ε = σ²: at d = σ it is exp(-1/2)."""
    assert gaussian(np.array([[9.0]]), 9.0)[0, 0] == pytest.approx(math.exp(-0.5), rel=1e-15)
    np.testing.assert_allclose(gaussian(dense.squared(X, Y), 0.7), dense.gaussian(X, 0.7, Y), rtol=1e-13)
    extreme = gaussian(np.array([[0.0, 1e-300, 1.0, 1e300]]), 1e-300)
    np.testing.assert_allclose(extreme, [[1, math.exp(-0.5), 0, 0]], rtol=1e-14)


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), None, "wide", [1, 2]])
def test_check_epsilon(bad):
    with pytest.raises(ParameterError, match=r"of view “v”.*Give a number above 0"):
        check_epsilon(bad, "v")


def test_geometry():
    A, B = X[:20, :2], X[20:40, :2]
    np.testing.assert_allclose(inner_view_distances(A), dense.squared(A), atol=1e-12)
    np.testing.assert_allclose(multi_view_distances((A, B)), dense.squared(A) + dense.squared(B), atol=1e-12)
    assert cross_view_distance(A, B) == pytest.approx(((A - B) ** 2).sum())


# --- alignment -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
def test_align_undoes_a_rigid_motion(d):
    reference = X[:50, :d]
    turn = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    for mirror in (1, -1):
        turn[:, 0] *= mirror
        moved = 7.3 * reference @ turn + 4.0
        np.testing.assert_allclose(align(moved, reference), reference, atol=1e-12)


def test_align_keeps_the_size_of_unlike_pictures():
    reference, other = X[:50, :2], np.random.default_rng(9).standard_normal((50, 2))
    aligned = align(other, reference)
    centred = [Z - Z.mean(axis=0) for Z in (aligned, reference)]
    assert np.linalg.norm(centred[0]) == pytest.approx(np.linalg.norm(centred[1]))
    np.testing.assert_allclose(aligned.mean(axis=0), reference.mean(axis=0), atol=1e-12)
    assert np.isfinite(align(np.ones((50, 2)), reference)).all()
    assert np.isfinite(align(reference, np.ones((50, 2)))).all()


def test_fit_to_unit():
    fitted = fit_to_unit(np.array([[0.0, 5.0], [4.0, 6.0]]))
    np.testing.assert_allclose(fitted, [[-1, -0.25], [1, 0.25]])
    assert np.isfinite(fit_to_unit(np.array([[np.nan, 1.0], [2.0, 3.0]]))).all()
    np.testing.assert_array_equal(fit_to_unit(np.ones((3, 2))), np.zeros((3, 2)))


def test_the_angle_between_two_pictures_of_the_same_points():
    square = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    for angle in (0.0, 0.3, 1.0):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        assert turn_between(square, square @ turn)[1] == pytest.approx(angle, abs=1e-7)
    assert turn_between(square, -square)[1] == pytest.approx(0, abs=1e-7)


# --- scores ---------------------------------------------------------------------------------------------------------


def blobs(n=120, k=3, spread=1.2):
    labels = np.arange(n) % k
    return labels[:, None] * [3.0, 1.0] + spread * np.random.default_rng(1).standard_normal((n, 2)), labels


def test_nmi_and_accuracy():
    Z, labels = blobs()
    clusters = [metrics.kmeans_labels(Z, 3, seed) for seed in range(4)]
    expected = [sk.normalized_mutual_info_score(labels, c) for c in clusters]
    score = metrics.nmi(Z, labels, seeds=4)
    assert (score.value, score.spread) == pytest.approx((np.mean(expected), np.std(expected)))
    best = [max(np.mean(np.array(p)[c] == labels) for p in itertools.permutations(range(3))) for c in clusters]
    score = metrics.accuracy(Z, labels, seeds=4)
    assert (score.value, score.spread) == pytest.approx((np.mean(best), np.std(best)))
    assert metrics.nmi(Z, np.array(["a", "b", "c"])[labels], seeds=4).value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (3, 3), (10, 7), (40, 2)])
def test_mutual_information_is_that_of_scikit_learn(monkeypatch, sizes):
    """At any agreement of classes and clusters, none and full included."""
    random = np.random.default_rng(sum(sizes))
    for agreement in (0.0, 0.3, 0.9, 1.0):
        classes, other = (np.append(random.integers(0, size, 200), np.arange(size)) for size in sizes)
        classes, other = classes[:200], other[-200:]
        clusters = np.where(random.random(200) < agreement, classes, other)
        if len(np.unique(classes)) < 2:
            classes = np.append(classes[1:], 1)
        monkeypatch.setattr(metrics, "_clustered", lambda *_, clusters=clusters: clusters)
        expected = sk.normalized_mutual_info_score(classes, clusters)
        assert metrics.nmi(np.zeros((200, 1)), classes, seeds=1).value == pytest.approx(expected, abs=1e-12)


def test_distinct_points_are_counted_once_for_all_seeds(monkeypatch):
    Z, labels = blobs()
    counted, unique = [], np.unique
    monkeypatch.setattr(np, "unique", lambda *a, **k: counted.append(k.get("axis")) or unique(*a, **k))
    metrics.nmi(Z, labels, seeds=5)
    assert counted.count(0) == 1


def test_knn_accuracy():
    Z, labels = blobs()
    D = dense.squared(Z) + np.diag(np.full(len(Z), np.inf))
    right = 0
    for i, row in enumerate(D):
        nearest = labels[np.argsort(row)[:5]]
        votes = [(np.sum(nearest == c) - 1e-6 * np.flatnonzero(nearest == c).sum(), c) for c in set(nearest.tolist())]
        right += max(votes)[1] == labels[i]
    assert metrics.knn_accuracy(Z, labels).value == pytest.approx(right / len(Z))
    line = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1]])
    assert metrics.knn_accuracy(line, [0, 0, 0, 1, 1, 1], n_neighbors=2).value == 1.0
    assert metrics.knn_accuracy(line, [0, 1, 0, 1, 0, 1], n_neighbors=1).value == 0.0


def test_other_scores():
    Z, labels = blobs()
    assert metrics.silhouette(Z, labels).value == pytest.approx(sk.silhouette_score(Z, labels))
    assert metrics.calinski_harabasz(Z, labels).value == pytest.approx(sk.calinski_harabasz_score(Z, labels))
    assert metrics.trustworthiness(Z[:, :1], Z).value == pytest.approx(trustworthiness(Z, Z[:, :1]))


def test_scores_refuse():
    Z, labels = blobs()
    for score in (metrics.nmi, metrics.accuracy, metrics.knn_accuracy, metrics.silhouette, metrics.calinski_harabasz):
        with pytest.raises(DataError, match="There is only one class"):
            score(Z, np.zeros(len(Z)))
    with pytest.raises(DataError, match="120 neighbours cannot be found among 120 samples"):
        metrics.knn_accuracy(Z, labels, n_neighbors=120)


def test_fewer_places_than_classes():
    """A graph in pieces puts its samples on few places, with rounding around them."""
    labels = np.arange(60) % 6
    places = np.array([[0.0, 0], [1, 0], [0, 1]])[labels % 3]
    noisy = places + 1e-16 * np.random.default_rng(0).standard_normal(places.shape)
    for Z in (places, noisy, np.zeros((60, 2))):
        assert 0 <= metrics.nmi(Z, labels, seeds=2).value <= 1
        assert 0 < metrics.accuracy(Z, labels, seeds=2).value <= 0.5


# --- data ------------------------------------------------------------------------------------------------------------


def test_multiview_is_frozen_and_copied():
    given = X.copy()
    data = MultiView([given, X[:, :2]])
    given[:] = 0
    np.testing.assert_array_equal(data.Xs[0], X)
    assert data.view_names == ("view1", "view2")
    assert data.sample_ids[:2] == ("0", "1")
    assert (data.n_samples, data.n_views, len(data)) == (300, 2, 300)
    with pytest.raises(ValueError, match="read-only"):
        data.Xs[0][0, 0] = 1
    with pytest.raises(AttributeError):
        data.Xs = ()


def test_multiview_keys_follow_the_content():
    data = MultiView([X, X, X[:, :2]], preprocess=["none", "zscore", "none"])
    assert len({data.view_key(i) for i in range(3)}) == 3
    again = MultiView([X.copy()])
    assert again.view_key(0) == data.view_key(0)
    assert again.fingerprint == MultiView([X]).fingerprint
    assert again.fingerprint != MultiView([X], labels=np.zeros(300)).fingerprint


def test_multiview_take():
    labels, images = np.arange(300), np.zeros((300, 2, 3), np.uint8)
    more = {"columns": {"c": labels}, "latent": {"a": labels}, "preprocess": "centre"}
    data = MultiView([X], labels=labels, images=images, **more)
    for rows in (np.array([5, 2, 9]), np.isin(labels, [5, 2, 9])):
        part = data.take(rows)
        kept = np.flatnonzero(rows) if rows.dtype == bool else rows
        np.testing.assert_array_equal(part.Xs[0], X[kept])
        np.testing.assert_array_equal(part.labels, kept)
        np.testing.assert_array_equal(part.columns["c"], part.latent["a"])
        assert part.sample_ids == tuple(str(i) for i in kept)
        assert part.preprocess == ("centre",)
        assert part.images.shape == (3, 2, 3)


@pytest.mark.parametrize(
    ("Xs", "options", "match"),
    [
        ([], {}, "There is no view"),
        ([X, X[:5]], {}, "different numbers of rows: view1 has 300, view2 has 5. Row i must be the same sample"),
        ([X[:2]], {}, "The data has 2 samples. At least 3"),
        ([X[:1]], {}, "The data has 1 sample. At least 3"),
        ([X[:0]], {}, "The data has 0 samples"),
        ([X[:, :0]], {}, r"has shape \(300, 0\)"),
        ([X[None]], {}, "has shape"),
        (X, {}, "A single table is given where a list of views belongs"),
        ([[["a", "b"]] * 4], {}, "“view1” holds text where numbers belong"),
        ([X, X], {"view_names": ["a"]}, "2 views but 1 view names"),
        ([X, X], {"view_names": ["a", "a"]}, "Two views have the same name"),
        ([X], {"labels": [1, 2]}, "labels have shape"),
        ([X], {"sample_ids": ["a"]}, "sample ids have shape"),
        ([X], {"columns": {"c": [1]}}, "column c have shape"),
        ([X], {"images": np.zeros((2, 3, 3))}, "images have shape"),
        ([X], {"preprocess": "scale"}, "Preprocessing 'scale' is not known"),
        ([X], {"preprocess": ["none", "none"]}, "is not known for 1 views"),
    ],
)
def test_multiview_refuses(Xs, options, match):
    with pytest.raises(DataError, match=match) as caught:
        MultiView(Xs, **options)
    assert caught.value.hint


def test_missing_values_name_their_rows():
    A, B = X.copy(), X.copy()
    A[3, 1], A[7, 0], B[3, 0] = np.nan, np.inf, -np.inf
    with pytest.raises(MissingValuesError, match=r"2 of 300 rows .* in a \(2\), b \(1\)") as caught:
        MultiView({"a": A, "b": B})
    assert caught.value.rows == (3, 7)


def test_preprocess():
    Z = np.column_stack([X, np.full(300, 1e5 + 0.1)])
    np.testing.assert_array_equal(preprocess_view(Z, "none"), Z)
    np.testing.assert_allclose(preprocess_view(Z, "centre"), Z - Z.mean(axis=0), atol=1e-9)
    scored = preprocess_view(Z, "zscore")
    np.testing.assert_allclose(scored[:, :5], (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-12)
    assert np.all(scored[:, 5] == 0)
    np.testing.assert_allclose(preprocess_view(Z[:4], "zscore", Z), scored[:4])


# --- parameters ------------------------------------------------------------------------------------------------------

PARAM = Param("within_view_weight", "η", 0.5, "help", low=0.0, high=1.0)
COUNT = Param("count", "", 3, "help", kind="int", low=1)
MODE = Param("mode", "", "a", "help", kind="choice", choices=("a", "b"))
FREE = Param("free", "γ", None, "help")


def test_check_params():
    values = check_params((PARAM, COUNT, MODE, FREE), {"count": "4", "mode": "b", "free": ""}, "X")
    assert values == {"within_view_weight": 0.5, "count": 4, "mode": "b", "free": None}
    assert isinstance(values["count"], int)
    with pytest.raises(ParameterError, match=r"X has no parameter called a, z. Its parameters: count"):
        check_params((COUNT,), {"z": 1, "a": 2}, "X")


@pytest.mark.parametrize(
    ("param", "bad", "hint"),
    [
        (PARAM, 1.01, "from 0 to 1"),
        (PARAM, -0.01, "from 0 to 1"),
        (PARAM, float("nan"), "from 0 to 1"),
        (PARAM, "much", "from 0 to 1"),
        (PARAM, None, "has no value"),
        (PARAM, "", "not a number"),
        (PARAM, 10**400, "not a number"),
        (COUNT, 0, "a whole number of at least 1"),
        (COUNT, 2.5, "a whole number of at least 1"),
        (COUNT, float("inf"), "a whole number of at least 1"),
        (MODE, "c", "one of a, b"),
        (FREE, "x", "Give a number"),
    ],
)
def test_param_refuses(param, bad, hint):
    with pytest.raises(ParameterError, match=hint):
        param.check(bad)


# --- stages and the scikit-learn form -------------------------------------------------------------------------------


def test_stages_recompute_only_what_changed():
    """t costs a scaling, η keeps the kernels, one view's ε costs one kernel."""
    kept, computed = {}, []

    def memo(key, compute):
        if key not in kept:
            kept[key] = compute()
            if key.stage != "draft":  # the exact answer once more, where drags look for it
                computed.append(key.stage)
        return kept[key]

    def new(**params):
        computed.clear()
        embed(data, "multiview", memo=memo, **params)
        return sorted(computed)

    data = MultiView([X[:60], X[:60, :3] + 1, X[:60, :2] - 1])
    first = new(epsilon=[1, 2, 3])
    usual = ["typical-distance"] * 3  # of a few samples: whether an ε may be so wide that the view is flat
    own = *["alone"] * 3, "decomposition", *["kernel"] * 3, *usual, *["view"] * 3  # and no distances
    assert first == [*own, "walk degrees"]
    assert new(epsilon=[1, 2, 3], t=5) == []
    assert new(epsilon=[1, 2, 3], delta=0.1) == []
    assert new(epsilon=[1, 2, 3], eta=0.5) == ["decomposition", "walk degrees"]
    assert new(epsilon=[1, 1.2, 3]) == ["alone", "decomposition", "kernel", "walk degrees"]
    assert new(epsilon=[1, 2, 3], n_components=4) == ["decomposition"]
    assert new(epsilon=[1, 2, 3]) == []


def test_nbytes_counts_arrays_inside_results():
    curve = row_sum_curve(Stages(MultiView([X]), (0,)), 0)
    assert nbytes(curve) == sum(part.nbytes for part in curve) >= 61 * 300 * 8
    assert nbytes(np.zeros(10)) == 80
    assert nbytes(1.0) > 0


def test_multi_view_embedding():
    Xs, epsilon = dense.views(40, 2)
    model = MultiViewEmbedding("multiview", epsilon=epsilon, n_components=3, eta=0.2)
    with pytest.raises(ParameterError, match=r"has not been fitted. Call fit first"):
        model.transform(Xs)
    expected = embed(Xs, "multiview", epsilon=epsilon, n_components=3, eta=0.2)
    np.testing.assert_array_equal(model.fit_transform(Xs), expected.coordinates)
    np.testing.assert_array_equal(model.transform(Xs), expected.transform(Xs))
    assert model.get_params().items() >= {"method": "multiview", "n_components": 3, "eta": 0.2}.items()
    assert model.get_params()["epsilon"] is epsilon
    assert model.set_params(method="kernel-sum", eta=0.3).get_params()["eta"] == 0.3
    assert model.method == "kernel-sum"
    other = MultiViewEmbedding(**MultiViewEmbedding("de-sa", epsilon=epsilon).get_params()).fit(Xs)
    np.testing.assert_array_equal(other.coordinates_, embed(Xs, "de-sa", epsilon=epsilon).coordinates)


def test_too_many_samples_are_refused_before_memory_is_taken():
    check_size(16_384)
    with pytest.raises(DataError, match=r"50,000 samples need 37 GB.*Keep at most 16,384"):
        check_size(50_000)
    with pytest.raises(DataError, match="16,385 samples"):
        embed(MultiView([np.arange(16_385.0)[:, None]] * 2), "kernel-cca", epsilon=1.0)


@pytest.mark.parametrize("size", [1e300, 1.0, 1e-300])
def test_zscores_of_very_large_and_very_small_numbers(size):
    X = size * np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [1.5, 5.0]])
    column = np.array([1.0, 2.0, 4.0, 1.5])
    expected = np.column_stack([(column - column.mean()) / column.std(), np.zeros(4)])
    assert preprocess_view(X, "zscore") == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_new_samples_are_zscored_by_the_known_ones():
    known, new = np.array([[1.0], [2.0], [6.0]]), np.array([[9.0]])
    assert preprocess_view(new, "zscore", known) == pytest.approx((9.0 - 3.0) / known.std())


def test_what_a_rule_and_a_method_share_is_computed_once(monkeypatch):
    import mvexplorer.engine.kernels.affinities as kernels

    calls = []
    real = kernels.squared_distances
    monkeypatch.setattr(kernels, "squared_distances", lambda *a, **k: calls.append(1) or real(*a, **k))
    embed([np.arange(30.0)[:, None], np.arange(30.0)[:, None] ** 2], "multiview", epsilon="median")
    assert len(calls) == 2
