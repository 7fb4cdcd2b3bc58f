"""The metric of a view: kernels and rules against plain dense algebra, what it refuses, what it leaves alone."""

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.approximation import approximation_error
from mvexplorer.engine.bandwidth.survey import evaluate_rules
from mvexplorer.engine.core import maps
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels import block_pass, nearest
from mvexplorer.engine.kernels.affinities import Kernel, kernels_of, parse_kernel
from mvexplorer.engine.kernels.metrics import METRICS, measured, parse_metrics
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import rearranged, solve, stages, three_passes
from mvexplorer.engine.pipeline.footprint import Size
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import distances_of, kernel_of, landmarks_of, magnitude_of, median_of
from mvexplorer.errors import DataError, ParameterError

M = 70
RNG = np.random.default_rng(11)
XS = [
    0.3 + np.cos(3.0 * RNG.random((M, 2)) @ RNG.standard_normal((2, 6))) + 0.3 * RNG.standard_normal((M, 6)),
    1.0 + RNG.standard_normal((M, 2)) @ RNG.standard_normal((2, 4)) + 0.3 * RNG.standard_normal((M, 4)),
]
EPSILON = (0.15, 0.25)
KERNELS = ("gaussian", "laplacian", "laplacian-l2", "self-tuning", "knn-9", "landmarks-25")
FUSIONS = ("single", "kernel-sum", "kernel-product", "concatenation", "multiview")
OTHERS = ("correlation", "cosine")


# Plain definitions ------------------------------------------------------------------------------------------------


def unit(X, metric):
    rows = []
    for x in X:
        moved = x - x.mean() if metric == "correlation" else x
        rows.append(moved / np.sqrt((moved**2).sum()) if metric != "euclidean" else x)
    return np.array(rows)


def squared(U):
    return np.array([[((u - v) ** 2).sum() for v in U] for u in U])


def affinities(U, text, epsilon):
    """A kernel of rows as its metric sees them, entry by entry."""
    D = squared(U)
    kth = {k: np.sort(D, axis=1)[:, k] for k in (7, 9)}
    if text == "laplacian":
        return np.array([[np.exp(-np.abs(u - v).sum() / np.sqrt(epsilon)) for v in U] for u in U])
    if text == "laplacian-l2":
        return np.exp(-np.sqrt(D / epsilon))
    if text == "self-tuning":
        return np.exp(-D / np.sqrt(np.outer(kth[7], kth[7])))
    K = np.exp(-D / (2 * epsilon))
    if text == "knn-9":
        return np.where(np.maximum.outer(kth[9], kth[9]) * (1 + 1e-12) >= D, K, 0.0)
    return nystrom(D, epsilon) if text == "landmarks-25" else K


def nystrom(D, epsilon):
    chosen = np.random.default_rng(0).permutation(len(D))[:25]
    C = np.exp(-D[:, chosen] / (2 * epsilon))
    return C @ np.linalg.pinv(C[chosen], rcond=1e-10, hermitian=True) @ C.T


def by_hand(method, text, metrics):
    Us = [unit(X, metric) for X, metric in zip(XS, metrics, strict=True)]
    if method == "concatenation":
        joined = np.hstack(Us)
        usual = text if text in ("knn-9", "landmarks-25") else "gaussian"
        return dense.fused(affinities(joined, usual, sum(EPSILON)))
    if method == "kernel-product" and text == "landmarks-25":  # one Nyström kernel of the joint Gaussian
        return dense.fused(nystrom(sum(squared(U) / e for U, e in zip(Us, EPSILON, strict=True)), 1.0))
    Ks = [affinities(U, text, e) for U, e in zip(Us, EPSILON, strict=True)]
    if method == "multiview":
        values, psi = dense.walk(dense.multiview_kernel(Ks))
        return dense.Solution([values] * 2, np.split(psi, 2))
    whole = {"single": lambda: Ks[0], "kernel-sum": lambda: Ks[0] + Ks[1], "kernel-product": lambda: Ks[0] * Ks[1]}
    return dense.fused(whole[method]())


def check(embedding, solution, r):
    np.testing.assert_allclose(embedding.eigenvalues[: r + 1], solution.values[0][: r + 1], rtol=0, atol=1e-10)
    ours = np.vstack(embedding.decomposition.blocks)
    theirs = np.vstack(solution.blocks)
    for run in dense.clusters(solution.values[0], r + 1):
        spans = [np.linalg.qr(vectors[:, run])[0] for vectors in (ours, theirs)]
        cosines = np.linalg.svd(spans[0].T @ spans[1], compute_uv=False)
        np.testing.assert_allclose(cosines, 1.0, rtol=0, atol=1e-8)


# Against them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", OTHERS)
@pytest.mark.parametrize("text", KERNELS)
@pytest.mark.parametrize("method", FUSIONS)
def test_a_method_is_what_dense_algebra_makes_of_the_rows(method, text, metric):
    used = XS[:1] if method == "single" else XS
    embedding = mvx.embed(used, method, kernel=text, metric=metric, epsilon=EPSILON[: len(used)], n_components=5)
    check(embedding, by_hand(method, text, (metric, metric)), 5)
    placed = embedding.transform([X[:9] for X in used])
    np.testing.assert_allclose(placed, embedding.coordinates[:9], rtol=0, atol=1e-9)


@pytest.mark.parametrize("text", ["gaussian", "knn-9", "landmarks-25"])
@pytest.mark.parametrize("method", FUSIONS[1:])
def test_each_view_has_a_metric_of_its_own(method, text):
    metrics = ("cosine", "euclidean")
    embedding = mvx.embed(XS, method, kernel=text, metric=metrics, epsilon=EPSILON, n_components=4)
    assert [parse_kernel(kernel).metric for kernel in embedding.kernels] == list(metrics)
    check(embedding, by_hand(method, text, metrics), 4)
    placed = embedding.transform([X[:9] for X in XS])
    np.testing.assert_allclose(placed, embedding.coordinates[:9], rtol=0, atol=1e-9)


@pytest.mark.parametrize("metric", OTHERS)
def test_weighed_features_and_views_are_weighed_before_and_after_the_metric(metric):
    weights = np.linspace(0.5, 2.0, 6)
    data = MultiView(XS, preprocess=["zscore", "none"], feature_weights=[weights, None])
    prepared = [weights * (XS[0] - XS[0].mean(axis=0)) / XS[0].std(axis=0), XS[1]]
    embedding = mvx.embed(
        data, "concatenation", metric=metric, epsilon=EPSILON, view_weights=[3, 1], n_components=3, joint_epsilon=0.2
    )
    U = [unit(X, metric) for X in prepared]
    K = np.exp(-(1.5 * squared(U[0]) + 0.5 * squared(U[1])) / 0.4)
    check(embedding, dense.fused(K), 3)


def test_the_kernel_correlation_is_the_gaussian_with_that_metric_at_twice_the_bandwidth():
    old = mvx.embed(XS, "multiview", kernel="correlation", epsilon=[0.05, 0.2], n_components=4)
    new = mvx.embed(XS, "multiview", metric="correlation", epsilon=[0.1, 0.4], n_components=4)
    np.testing.assert_allclose(new.eigenvalues, old.eigenvalues, rtol=0, atol=1e-12)
    np.testing.assert_allclose(new.coordinates, old.coordinates, rtol=0, atol=1e-7)


@pytest.mark.parametrize("metric", OTHERS)
def test_rules_choose_in_units_of_the_metrics_squared_distance(metric):
    U = unit(XS[0], metric)
    D = squared(U)
    pairs = D[np.triu_indices(M, 1)]
    nearest_one = np.sort(D, axis=1)[:, 1]
    expected = {
        "median": np.median(pairs),
        "max-min": nearest_one.max(),
        "robust": 2 * min(np.quantile(nearest_one, 0.99), np.median(pairs)),
        "std": np.square(U - U.mean(axis=0)).sum(axis=1).mean(),
        "self-tuning": 0.5 * np.median(np.sort(D, axis=1)[:, 7]),
    }
    for rule, value in expected.items():
        found = mvx.select_epsilon([XS[0]], rule, metric=metric)[0]
        assert found == pytest.approx(value, rel=1e-12 if rule != "robust" else 1e-9)
        for kernel in ("gaussian", "knn-9", "landmarks-25", "laplacian-l2"):
            assert mvx.select_epsilon([XS[0]], rule, metric=metric, kernel=kernel)[0] >= found * (1 - 1e-12)
        in_survey = evaluate_rules(MultiView([XS[0]]), [rule], metric=metric)["view1"][rule]
        assert in_survey.epsilon == found
        assert in_survey.of_median == pytest.approx(found / np.median(pairs), rel=1e-12)


def test_all_rules_work_with_a_metric_or_say_why_not():
    data = MultiView(XS, labels=(XS[0][:, 0] > np.median(XS[0][:, 0])).astype(int))
    for kernel in ("gaussian", "knn-9"):
        survey = evaluate_rules(data, [rule.id for rule in mvx.bandwidth_rules()], metric="cosine", kernel=kernel)
        refused = {rule for rules in survey.values() for rule, value in rules.items() if value.epsilon is None}
        assert refused == {"manifold"}


def test_rules_of_many_samples_look_at_a_part_as_the_whole_is_prepared(monkeypatch):
    monkeypatch.setattr(stages, "MANY_SAMPLES", 40)
    data = MultiView([XS[0]], preprocess="zscore")
    known = Stages(data, (0,), kernels=[parse_kernel("gaussian@correlation")], memo=remember_once())
    part = known.subsample()
    assert part.n_samples == 40
    U = unit((XS[0] - XS[0].mean(axis=0)) / XS[0].std(axis=0), "correlation")
    there = [np.abs(U - u).max(axis=1).min() for u in part.points(0)]
    assert max(there) < 1e-12
    D = squared(part.points(0))
    assert median_of(known, 0) == pytest.approx(np.median(D[np.triu_indices(40, 1)]), rel=1e-12)


def test_regimes_are_judged_with_the_metric():
    far = XS[0] * np.geomspace(1.0, 1e4, M)[:, None]  # lengths alone would leave samples alone
    plain, cosine = (mvx.regimes([far], 0.05, metric=metric)[0] for metric in ("euclidean", "cosine"))
    assert (plain.regime, cosine.regime != "isolated") == ("isolated", True)
    np.testing.assert_allclose(cosine.facts.of_median, mvx.regimes([XS[0]], 0.05, metric="cosine")[0].facts.of_median)


# Other ways through the engine ------------------------------------------------------------------------------------


@pytest.fixture
def passes(monkeypatch):
    monkeypatch.setattr(block_pass, "PASS_ENTRIES", 16 * 25)
    monkeypatch.setattr(three_passes, "SPAN", 33)
    monkeypatch.setattr(solve, "_goes_in_passes", lambda stages: True)


@pytest.mark.parametrize("metric", OTHERS)
@pytest.mark.parametrize("method", FUSIONS)
def test_passes_over_files_give_the_same(method, metric, passes, tmp_path):
    used = XS[: 1 if method == "single" else 2]
    for i, X in enumerate(used):
        np.save(tmp_path / f"{i}.npy", X)
    files = [np.load(tmp_path / f"{i}.npy", mmap_mode="r") for i in range(len(used))]
    embedding = mvx.embed(
        files, method, kernel="landmarks-25", metric=metric, epsilon=EPSILON[: len(used)], n_components=4
    )
    wanted = by_hand(method, "landmarks-25", (metric, metric))
    np.testing.assert_allclose(embedding.eigenvalues, wanted.values[0][:5], rtol=0, atol=1e-8)
    np.testing.assert_allclose(embedding.transform([X[:7] for X in used]), embedding.coordinates[:7], rtol=0, atol=1e-9)


def test_a_flat_row_in_a_file_is_named_before_any_pass(passes, tmp_path, monkeypatch):
    monkeypatch.setattr(maps, "BLOCK_BYTES", 8 * 6 * 10)
    bad = XS[0].copy()
    bad[53] = 0.0
    np.save(tmp_path / "0.npy", bad)
    data = MultiView([np.load(tmp_path / "0.npy", mmap_mode="r")], sample_ids=[f"P-{i}" for i in range(M)])
    with pytest.raises(DataError, match=r"One sample of view “view1” has 0 in every feature.* cosine .*: P-53"):
        mvx.embed(data, "single", kernel="landmarks-25", metric="cosine", epsilon=0.1)


def test_a_random_part_is_placed_by_the_same_metric_and_checked_as_a_whole():
    embedding = mvx.embed(XS, "kernel-sum", metric="correlation", epsilon=EPSILON, subsample=40, n_components=2)
    placed = embedding.transform([X[:9] for X in XS])
    np.testing.assert_allclose(placed, embedding.coordinates[:9], rtol=0, atol=1e-9)
    bad = XS[0].copy()
    bad[[3, 50]] = 2.0
    for subsample in (20, 40, 60, None):
        with pytest.raises(DataError, match=r"2 samples of view “view1” have the same value.*: 3 and 50"):
            mvx.embed([bad, XS[1]], "kernel-sum", metric="correlation", epsilon=EPSILON, subsample=subsample)


def test_a_drag_drafts_with_the_metric_on_a_part(monkeypatch):
    monkeypatch.setattr("mvexplorer.engine.api.plan.MANY_TO_DRAG", 60)
    for kernel in ("gaussian", "landmarks-25"):
        given = {"kernel": kernel, "metric": "cosine", "epsilon": EPSILON, "n_components": 2}
        exact = mvx.embed(XS, "kernel-sum", **given)
        draft = mvx.embed(XS, "kernel-sum", interactive=True, start=[exact], **given)
        assert "random_part" in draft.info
        assert draft.kernels == ("gaussian@cosine",) * 2
        plain = mvx.embed(XS, "kernel-sum", metric="cosine", epsilon=EPSILON, n_components=2)
        np.testing.assert_allclose(draft.eigenvalues, plain.eigenvalues, atol=0.01)


def test_the_error_of_an_approximation_is_told_against_gaussians_with_the_metric():
    assert approximation_error(XS, "kernel-sum", kernel=f"landmarks-{M}", metric="cosine", epsilon=EPSILON).angle < 1e-6
    assert approximation_error(XS, "kernel-sum", kernel="landmarks-5", metric="cosine", epsilon=EPSILON).angle > 1e-6


def test_rearranged_views_keep_their_metric():
    data, order = MultiView(XS), np.random.default_rng(1).permutation(M)
    kernels = [parse_kernel("self-tuning@cosine"), parse_kernel("knn-9@correlation")]
    known = Stages(data, (0, 1), EPSILON, kernels=kernels, memo=remember_once())
    moved = rearranged.shuffled(known, 0, order)
    U = unit(XS[0], "cosine")
    np.testing.assert_allclose(moved.points(0), U[order], atol=1e-15)
    np.testing.assert_allclose(distances_of(moved, 0), squared(U[order]), atol=1e-14)
    np.testing.assert_allclose(kernel_of(moved, 0), affinities(U[order], "self-tuning", 1.0), atol=1e-12)
    rows = np.arange(0, M, 2)
    part = rearranged.of_samples(known, rows)
    np.testing.assert_allclose(part.points(1), unit(XS[1], "correlation")[rows], atol=1e-15)
    np.testing.assert_allclose(magnitude_of(part, 0), magnitude_of(known, 0))


def test_null_tests_stability_and_spectra_take_a_metric():
    data = MultiView(XS, labels=np.arange(M) % 2)
    given = {"metric": "cosine", "epsilon": EPSILON}
    assert [band.view for band in mvx.null_test(data, "kernel-sum", n=2, score="knn", **given).views] == [
        "view1", "view2",
    ]  # fmt: skip
    plain, cosine = (
        mvx.stability(data, "kernel-sum", n=2, **{**given, "metric": m}).number for m in ("euclidean", "cosine")
    )
    assert plain != cosine
    spectrum = mvx.spectrum(data, "kernel-sum", [1.0], n_components=3, **given)
    exact = mvx.embed(data, "kernel-sum", n_components=3, **given)
    np.testing.assert_allclose(spectrum.eigenvalues[0], exact.eigenvalues, atol=1e-6)


def test_the_estimator_has_a_metric_as_a_parameter():
    model = mvx.MultiViewEmbedding("kernel-sum", epsilon=0.3, metric="correlation", n_components=2)
    assert model.get_params()["metric"] == "correlation"
    expected = mvx.embed(XS, "kernel-sum", epsilon=0.3, metric="correlation", n_components=2)
    np.testing.assert_array_equal(model.fit_transform(XS), expected.coordinates)


def test_neighbours_by_the_metric_are_those_of_unit_rows():
    K = kernel_of(Stages(MultiView(XS), (0,), (0.1,), kernels=[parse_kernel("knn-9@cosine")]), 0).toarray()
    for i, others in enumerate(nearest.nearest(unit(XS[0], "cosine"), 9)):
        assert set(others) <= set(np.flatnonzero(K[i]))


def test_a_metric_does_not_depend_on_the_size_of_the_numbers():
    for factor in (1e-200, 1e200):
        np.testing.assert_allclose(measured(factor * XS[0], "correlation", "a"), unit(XS[0], "correlation"), atol=1e-14)


# Words and refusals -----------------------------------------------------------------------------------------------


def test_a_kernels_text_carries_its_metric():
    for text in ("gaussian", "gaussian@cosine", "knn-12@correlation", "laplacian-l2@cosine", "landmarks-77@cosine"):
        assert parse_kernel(text).text == text
    assert parse_kernel(" KNN-30@Correlation ").text == "knn@correlation"
    assert parse_kernel("gaussian@euclidean").text == "gaussian"
    assert parse_kernel("correlation@euclidean").text == "correlation"


@pytest.mark.parametrize(
    "given",
    [
        {"metric": {"view1": "correlation"}}, {"metric": ["correlation", "euclidean"]},
        {"metric": "view1:correlation"}, {"metric": "view1:Correlation,view2:euclidean"},
        {"kernel": "view1:gaussian@correlation"}, {"kernel": ["gaussian@correlation", "gaussian"]},
        {"kernel": "view1:gaussian@correlation", "metric": "view1:correlation"},
    ],
)  # fmt: skip
def test_the_forms_of_a_metric(given):
    assert mvx.embed(XS, "kernel-sum", epsilon=1.0, **given).kernels == ("gaussian@correlation", "gaussian")
    kernels = kernels_of(given.get("kernel", "gaussian"), given.get("metric", "euclidean"), ("view1", "view2"))
    assert [kernel.text for kernel in kernels] == ["gaussian@correlation", "gaussian"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"metric": "manhattan"}, "There is no metric “manhattan”. Metrics: euclidean, correlation, cosine."),
        ({"metric": {"view2": "l1"}}, "There is no metric “l1” of view “view2”."),
        ({"kernel": "gaussian@l1"}, "There is no metric “l1”."),
        ({"kernel": "gauss@cosine"}, "There is no kernel “gauss”."),
        ({"metric": "c:cosine"}, "A metric is given for view “c”. The views are view1, view2."),
        ({"metric": ["cosine"] * 3}, "There are 3 metrics for 2 views. Give one for each of view1, view2"),
        ({"metric": 3}, "There is no metric “3”."),
        ({"kernel": "gaussian@cosine", "metric": "correlation"},
         "View “view1” is given two metrics: cosine with its kernel, and correlation. Give one of them."),
        ({"kernel": "correlation", "metric": "cosine"},
         "The kernel correlation of view “view1” cannot have the metric cosine: it has distances of its own. "
         "Choose the kernel gaussian for that metric, or leave the metric at euclidean."),
        ({"kernel": "view2:precomputed", "metric": "cosine"}, "The kernel precomputed of view “view2” cannot have"),
        ({"kernel": "correlation@correlation"}, "The kernel correlation cannot have the metric correlation"),
    ],
)  # fmt: skip
def test_what_is_no_metric_is_refused(given, sentence):
    with pytest.raises(ParameterError) as refused:
        mvx.embed(XS, "kernel-sum", epsilon=1.0, **given)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("width", [1, 2])
def test_correlations_of_too_few_features_are_refused(width):
    count = "one feature" if width == 1 else "2 features"
    with pytest.raises(DataError) as refused:
        mvx.embed([XS[0][:, :width]], "single", epsilon=1.0, metric="correlation")
    assert str(refused.value) == (
        f"View “view1” has {count}: the metric correlation needs at least 3. "
        "Choose the metric euclidean or cosine for it."
    )
    assert mvx.embed([XS[0][:, :width]], "single", epsilon=0.1, metric="cosine").kernels == ("gaussian@cosine",)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_without_a_direction_are_named(kernel):
    X = XS[0].copy()
    X[[4, 9]] = 0.0
    X[[20, 30]] = 0.1
    data = MultiView([X], sample_ids=[f"P-{i}" for i in range(M)])
    with pytest.raises(DataError) as refused:
        mvx.embed(data, "single", kernel=kernel, metric="correlation", epsilon="median")
    assert str(refused.value) == (
        "4 samples of view “view1” have the same value in every feature, which the metric correlation cannot "
        "compare: P-4, P-9, P-20, …. Drop these samples, or choose the metric euclidean for this view."
    )
    with pytest.raises(DataError, match=r"2 samples of view “view1” have 0 in every feature.*: P-4 and P-9"):
        mvx.select_epsilon(data, metric="cosine", kernel=kernel)


def test_new_samples_without_a_direction_are_told_by_their_row():
    embedding = mvx.embed(XS, "kernel-sum", metric="cosine", epsilon=EPSILON)
    new = [X[:4].copy() for X in XS]
    new[1][2] = 0.0
    with pytest.raises(DataError, match=r"One sample of view “view2” has 0 in every feature.*: row 3"):
        embedding.transform(new)


def test_many_samples_are_checked_as_a_whole_before_a_rule_looks_at_a_part(monkeypatch):
    monkeypatch.setattr(stages, "MANY_SAMPLES", 20)
    X = XS[0].copy()
    X[33] = 0.0
    with pytest.raises(DataError, match=r"One sample .* 33"):
        mvx.select_epsilon([X], "median", metric="cosine")


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("manifold", "Feature weights need Euclidean distances, and view “view1” has the metric cosine."),
        ("std(scaling=features)", "The rule std(scaling=features) needs Euclidean distances, and view “view1” has "
                                  "the metric cosine."),
    ],
)  # fmt: skip
def test_rules_that_weigh_features_need_the_euclidean_metric(rule, sentence):
    with pytest.raises((DataError, ParameterError)) as refused:
        mvx.embed([XS[0]], "single", epsilon=rule, metric="cosine")
    assert str(refused.value).startswith(sentence)


# Left alone -------------------------------------------------------------------------------------------------------


def test_the_euclidean_metric_changes_neither_keys_nor_numbers():
    keys = []

    def memo(key, compute):
        keys.append(key)
        return compute()

    plain = mvx.embed(XS, "concatenation", kernel="knn-9", epsilon=EPSILON, memo=memo)
    ours = mvx.embed(XS, "concatenation", kernel="knn-9", metric="euclidean", epsilon=EPSILON)
    np.testing.assert_array_equal(plain.coordinates, ours.coordinates)
    assert "points" not in {key.stage for key in keys}
    assert next(key.settings for key in keys if key.stage == "joint-neighbours") == (9, 1.0, 1.0)
    known = Stages(MultiView(XS), (0,), memo=remember_once())
    assert known.points(0) is known.view(0)
    assert known.distance_key(0) == (known.view_key(0), "euclidean")
    assert Kernel(parse_kernel("knn-9").kind, 9).text == "knn-9"


@pytest.mark.parametrize("method", ["pca", "cca", "local-cca", "mgc"])
def test_methods_that_work_on_features_do_not_see_the_metric(method):
    plain, other = (mvx.embed(XS, method, epsilon=1.0, metric=m, n_components=2) for m in ("euclidean", "cosine"))
    np.testing.assert_array_equal(plain.coordinates, other.coordinates)
    assert plain.kernels == other.kernels


def test_the_rows_a_metric_makes_are_counted_in_memory():
    at = [get_method("kernel-sum").held(Size(1000, (300, 300), [parse_kernel(f"gaussian@{m}")] * 2)) for m in METRICS]
    assert at[1].total - at[0].total == pytest.approx(8 * 1000 * 600)
    assert at[1] == at[2]


def test_metrics_are_parsed_for_all_views():
    assert parse_metrics("cosine", ["a", "b"]) == ("cosine", "cosine")
    assert parse_metrics({"b": "cosine"}, ["a", "b"]) == ("euclidean", "cosine")


def test_landmarks_are_those_of_the_euclidean_metric():
    each = [Stages(MultiView(XS), (0,), kernels=[parse_kernel(f"landmarks-25@{m}")]) for m in METRICS]
    assert {tuple(landmarks_of(one, 0)) for one in each} == {tuple(landmarks_of(each[0], 0))}


def test_views_of_one_direction_are_told_to_be_flat():
    ray = np.outer(2.0 ** np.arange(30), [1.0, 2.0, 4.0])
    with pytest.raises(DataError, match="All samples of view “view1” are the same point"):
        mvx.embed([ray], "single", epsilon="median", metric="cosine")
    task = Task()
    mvx.embed([ray], "single", epsilon=1.0, metric="cosine", task=task)
    assert "All samples are the same point in view “view1”: it says nothing of the samples." in [
        text for _, text in task.warnings
    ]
