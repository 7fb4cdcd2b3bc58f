"""Samples without neighbours, twins, pairs, what is refused, and new samples, with the ingredients of a walk."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form

from mvexplorer.engine.analysis.point import transition_probabilities
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import footprint, view_kernel
from mvexplorer.engine.pipeline.twins import twins_of
from mvexplorer.errors import ComputeError, DataError, ParameterError

LOOPS_OUT, DENSITY = Form(loops=False), Form(loops=False, alpha=1.0)
SCALED, SCALED_WITH_LOOPS = Form(loops=False, scaled=True), Form(scaled=True)
REFERENCES = {
    "single": plain.single,
    "concatenation": plain.concatenation,
    "kernel-product": plain.kernel_product,
    "kernel-sum": plain.kernel_sum,
    "multiview": plain.multiview,
    "de-sa": plain.de_sa,
    "alternating": plain.alternating,
}
MEANS = ("laplacian-mean", "squared-mean", "harmonic-mean")
FAMILY = ("jade", *MEANS, "co-regularized", "low-rank")
ALONE = 5


def samples(n_views=2, n_samples=60, apart=(), in_views=None):
    """Views and an ε for each; the samples `apart` are far from all others, and from each other, in some views."""
    Xs, epsilon = dense.views(n_samples, n_views)
    for i, X in enumerate(Xs):
        for k in apart if in_views is None or i in in_views else ():
            X[k] += 1e3 * (1 + k) * np.abs(X).max()
    return Xs, tuple(4 * e for e in epsilon)


def vectors_agree(answer, expected, count, tolerance=1e-10):
    """Eigenvalues, and eigenvectors up to rotation within equal eigenvalues; NaN at the same samples of each view."""
    values = np.abs(expected.values)
    moduli = np.abs(answer.eigenvalues) if np.iscomplexobj(values) or answer.method == "alternating" else None
    ours = answer.eigenvalues if moduli is None else moduli
    np.testing.assert_allclose(ours, (expected.values if moduli is None else values)[:count], rtol=0, atol=1e-10)
    a, b = np.vstack(answer.decomposition.blocks), np.vstack(expected.blocks)
    np.testing.assert_array_equal(np.isnan(a).any(axis=1), np.isnan(b).any(axis=1))
    there = np.isfinite(a[:, 0])
    np.testing.assert_array_equal(a[there, 0], 1.0)
    for run in dense.clusters(np.concatenate([[2.0], expected.values.real[1:]]), count):
        x, y = a[there][:, run], b[there][:, run]
        if np.iscomplexobj(y) and np.abs(y.imag).max() > 0:
            continue
        U, _, Vt = np.linalg.svd(y.real.T @ x)
        if len(run) == 1 or answer.method != "alternating":
            np.testing.assert_allclose(x, y.real @ (U @ Vt), rtol=0, atol=tolerance * np.abs(y).max())


# Samples without neighbours ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [LOOPS_OUT, DENSITY], ids=["α 0", "α 1"])
@pytest.mark.parametrize("in_views", [None, (0,)], ids=["all views", "one view"])
@pytest.mark.parametrize("id", REFERENCES)
def test_a_sample_without_neighbours_is_left_out_and_counted(id, in_views, form):
    if id == "de-sa" and form.alpha:
        form = LOOPS_OUT
    Xs, epsilon = samples(1 if id == "single" else 2, apart=(ALONE,), in_views=in_views)
    e = embed(Xs, id, epsilon=epsilon, n_components=4, **form.params)
    expected = REFERENCES[id](Xs, epsilon, form)
    vectors_agree(e, expected, 5)
    joined = id == "kernel-sum" and in_views is not None  # by the other view
    rows = np.flatnonzero(np.isnan(e.coordinates).any(axis=1)).tolist()
    assert rows == ([] if joined else [ALONE])
    notice = dict(e.warnings).get("no-neighbours")
    if joined:
        assert notice is None
        return
    assert np.isnan(e.coordinates[ALONE]).all()
    where = ""
    if e.view_coordinates:
        where = " in view1 and view2" if in_views is None else " in view1"
        there = [bool(np.isfinite(Y[ALONE]).all()) for Y in e.view_coordinates]
        assert there == [False, in_views is not None]
    text = f"1 sample has no neighbours{where} at this ε: it is left out. Enlarge ε, or keep the self-loops."
    assert notice == text


@pytest.mark.parametrize("eta", [0.3, 1.0])
@pytest.mark.parametrize("n_views", [2, 3])
def test_a_node_without_neighbours_is_missing_in_its_view_and_in_the_consensus(n_views, eta):
    Xs, epsilon = samples(n_views, apart=(ALONE, 9), in_views=(1,))
    e = embed(Xs, "multiview", epsilon=epsilon, eta=eta, n_components=4, self_loops=False)
    for i, Y in enumerate(e.view_coordinates):
        assert np.flatnonzero(np.isnan(Y).any(axis=1)).tolist() == ([ALONE, 9] if i == 1 else [])
    assert np.isnan(e.coordinates[[ALONE, 9]]).all()
    assert np.isfinite(np.delete(e.coordinates, [ALONE, 9], axis=0)).all()
    assert dict(e.warnings)["no-neighbours"].startswith("2 samples have no neighbours in view2 at this ε: they are")
    if eta < 1.0:
        vectors_agree(e, plain.multiview(Xs, epsilon, LOOPS_OUT, eta=eta), 5)
    placed = e.transform(Xs)
    np.testing.assert_allclose(placed, e.coordinates, atol=1e-8 * np.nanmax(np.abs(e.coordinates)))


@pytest.mark.parametrize("id", ["single", "multiview", "alternating"])
def test_next_to_nothing_is_no_affinity(id):
    """A row sum of 1e-13 of the largest, which is not 0; others lose that neighbour, too."""
    Xs, epsilon = samples(1 if id == "single" else 2)
    nearest = np.sort(dense.squared(Xs[0])[ALONE])[1]
    for X in Xs:
        X[ALONE] = X[np.argmax(X[:, 0])]
        X[ALONE, 0] += np.sqrt(2 * 31 * epsilon[0]) if X is Xs[0] else 0.0
    K = plain.formed(plain.kernel("gaussian", Xs[0], epsilon[0]), LOOPS_OUT)
    share = K[ALONE].sum() / K.sum(axis=1).max()
    assert 0 < share < 1e-12
    assert nearest > 0
    r = 1 if id == "alternating" else 4
    e = embed(Xs, id, epsilon=epsilon, n_components=r, self_loops=False)
    vectors_agree(e, REFERENCES[id](Xs, epsilon, LOOPS_OUT), r + 1)
    assert np.isnan(e.coordinates[ALONE]).all()
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8 * np.nanmax(np.abs(e.coordinates)))


def test_alternating_leaves_out_until_no_sample_is_empty_in_either_view():
    """a sees only b in the first view, b nobody in the second: both go, and with them c, whom only a joins there."""
    rng = np.random.default_rng(0)
    first, second = rng.uniform(size=(2, 40, 2))
    a, b, c = 0, 1, 2
    first[[a, b]] = [[50.0, 0.0], [50.1, 0.0]]
    second[b] = [-90.0, 0.0]
    second[[a, c]] = [[70.0, 0.0], [70.1, 0.0]]
    epsilon = (0.05, 0.05)
    e = embed([first, second], "alternating", epsilon=epsilon, n_components=4, self_loops=False)
    assert np.flatnonzero(np.isnan(e.coordinates).any(axis=1)).tolist() == [a, b, c]
    vectors_agree(e, plain.alternating([first, second], epsilon, LOOPS_OUT), 5)
    assert dict(e.warnings)["no-neighbours"].startswith("3 samples have no neighbours at this ε: they are left out.")


def test_a_sum_in_single_precision_has_the_least_affinity_of_each_view(monkeypatch):
    """Only next neighbours are joined, by next to nothing; 2^-60 joins all others, once in each view."""
    monkeypatch.setattr(view_kernel, "FLOAT32_SAMPLES", 20)
    X = np.zeros((40, 70))  # of so many features distances are in single precision, too
    X[:, 0] = np.arange(40.0)
    X[ALONE, 0] = -50.0
    e = embed([X, X + 1.0, X + 2.0], "kernel-sum", epsilon=1 / 32, n_components=2, self_loops=False)
    assert np.flatnonzero(np.isnan(e.coordinates).any(axis=1)).tolist() == [ALONE]
    assert not transition_probabilities(e, ALONE).any()
    assert transition_probabilities(e, 20)[0, 0, [19, 21]] == pytest.approx([0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize("weights", [None, "1,2"])
@pytest.mark.parametrize("in_views", [None, (0,)], ids=["all views", "one view"])
@pytest.mark.parametrize("id", MEANS)
def test_means_leave_out_only_samples_empty_in_every_view(id, in_views, weights):
    Xs, epsilon = samples(apart=(ALONE,), in_views=in_views)
    given = {} if weights is None else {"view_weights": weights}
    e = embed(Xs, id, epsilon=epsilon, graph="kernel", n_components=4, self_loops=False, **given)
    Ls, kept = plain.laplacians(Xs, epsilon, LOOPS_OUT)
    assert kept.sum() == (59 if in_views is None else 60)
    matrix, unit = plain.laplacian_mean(Ls, None if weights is None else [1.0, 2.0], id)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    np.testing.assert_allclose(e.eigenvalues[1:5], unit(values[1:5]), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(np.isnan(e.coordinates).any(axis=1), ~kept)
    ours, theirs = e.coordinates[kept], vectors[:, :4]
    assert np.diff(values[:5]).min() > 1e-5
    np.testing.assert_allclose(ours, theirs * np.sign((ours * theirs).sum(axis=0)), rtol=0, atol=1e-8)
    assert ("no-neighbours" in dict(e.warnings)) == (in_views is None)


@pytest.mark.parametrize("id", ["jade", "co-regularized", "low-rank"])
def test_other_joint_vectors_are_those_of_the_samples_that_are_left(id):
    Xs, epsilon = samples(n_samples=30, apart=(ALONE,))
    given = {"epsilon": epsilon, "graph": "kernel", "n_components": 3, "self_loops": False}
    whole = embed(Xs, id, **given)
    left = embed([np.delete(X, ALONE, axis=0) for X in Xs], id, **given)
    assert np.isnan(whole.coordinates[ALONE]).all()
    np.testing.assert_allclose(np.delete(whole.coordinates, ALONE, axis=0), left.coordinates, atol=1e-7)
    np.testing.assert_allclose(whole.eigenvalues, left.eigenvalues, atol=1e-8)


# Twins, pairs, constant rows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED, SCALED_WITH_LOOPS], ids=["no loops", "scaled", "scaled, loops"])
@pytest.mark.parametrize("id", REFERENCES)
def test_twins_and_constant_rows_are_samples_like_others(id, form):
    """The affinity 1 of twins is no self-loop; of three twins either."""
    Xs, epsilon = samples(1 if id == "single" else 2, 50)
    for X in Xs:
        X[[7, 9]] = X[3]
        X[11] = X.mean()
    r = 2 if id == "alternating" else 4  # further eigenvalues are complex
    e = embed(Xs, id, epsilon=epsilon, n_components=r, **form.params)
    vectors_agree(e, REFERENCES[id](Xs, epsilon, form), r + 1)
    np.testing.assert_allclose(e.coordinates[7], e.coordinates[3], atol=1e-9)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8 * np.abs(e.coordinates).max())


@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
def test_two_samples_that_see_only_each_other_have_the_eigenvalue_minus_one(form):
    X = np.array([[0.0], [0.4], [1.1], [1.5], [2.0], [100.0], [100.3], [200.0], [200.7]])
    e = embed([X], "single", epsilon=0.5, n_components=7, t=0, **form.params)
    np.testing.assert_allclose(e.eigenvalues[[1, 2, 7]], [1.0, 1.0, -1.0], rtol=0, atol=1e-12)
    vectors_agree(e, plain.single([X], (0.5,), form), 8)
    last = e.coordinates[:, -1]
    np.testing.assert_allclose(last[:5], 0, atol=1e-10)
    np.testing.assert_allclose(last[[5, 7]], -last[[6, 8]], atol=1e-10)


# New samples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["gaussian", "knn-20", "self-tuning", "laplacian", "precomputed"])
@pytest.mark.parametrize("form", [DENSITY, SCALED], ids=["α 1", "scaled"])
@pytest.mark.parametrize("id", ["single", "kernel-product", "kernel-sum", "multiview", "alternating"])
def test_fitted_rows_are_placed_where_they_are(id, form, text):
    Xs, epsilon = samples(1 if id == "single" else 2)
    for X in Xs:
        X[7] = X[3]
    if text == "precomputed":
        Xs = plain.kernels(Xs, epsilon)
    e = embed(Xs, id, epsilon=epsilon, kernel=text, n_components=2, **form.params)
    placed = e.transform(Xs)
    np.testing.assert_allclose(placed, e.coordinates, atol=1e-8 * np.abs(e.coordinates).max())
    np.testing.assert_allclose(e.transform([X[20:23] for X in Xs]), e.coordinates[20:23], atol=1e-7)


@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_fitted_rows_of_several_views_are_placed_where_they_are(eta, form, n_views):
    Xs, epsilon = samples(n_views)
    e = embed(Xs, "multiview", epsilon=epsilon, eta=eta, n_components=3, **form.params)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8 * np.abs(e.coordinates).max())


@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
def test_a_new_sample_at_a_known_one_leaves_out_exactly_the_first(form):
    """Of three known twins one; beside them none, however near."""
    (X,), epsilon = samples(1)
    X[[7, 9]] = X[3]
    e = embed([X], "single", epsilon=epsilon, n_components=3, t=0, **form.params)
    K = plain.formed(plain.kernel("gaussian", X, epsilon[0]), LOOPS_OUT)
    x = plain.scaling(K) if form.scaled else np.ones(len(K))
    new = np.array([X[3], X[3] + 1e-9])
    rows = dense.gaussian(new, epsilon[0], X) * x
    rows[0, 3] = 0.0
    expected = (rows / rows.sum(axis=1, keepdims=True)) @ e.coordinates / e.eigenvalues[1:]
    np.testing.assert_allclose(e.transform([new]), expected, atol=1e-9)
    assert np.abs(expected[0] - expected[1]).max() > 1e-3


@pytest.mark.parametrize("seen", ["cosine", "correlation", "correlation kernel", "column of weight 0"])
def test_a_new_sample_at_distance_0_from_a_known_one_is_this_one(seen):
    """Three times another sample, where directions count; one that differs in a column of weight 0."""
    rng = np.random.default_rng(4)
    Xs = [rng.uniform(1.0, 2.0, size=(40, 4)), rng.uniform(1.0, 2.0, size=(40, 5))]
    kernel = {"kernel": "correlation"} if seen == "correlation kernel" else {}
    given = {"metric": seen} if seen in ("cosine", "correlation") else kernel
    weights = [np.arange(X.shape[1]) > 0 for X in Xs] if seen == "column of weight 0" else None
    data = MultiView(Xs, feature_weights=weights)
    e = embed(data, "kernel-sum", epsilon=0.05, n_components=3, t=0, self_loops=False, **given)
    new = [X[10:13].copy() for X in Xs]
    for X in new:
        X *= 1.0 if weights else 3.0
        X[:, 0] += 0.5 if weights else 0.0
    np.testing.assert_allclose(e.transform(new), e.coordinates[10:13], atol=1e-9)
    beside = [new[0], Xs[1][20:23]]  # the same in one view only
    assert np.abs(e.transform(beside) - e.coordinates[10:13]).max() > 1e-3
    stages = e.known.stages()
    assert twins_of(stages, new).tolist() == [10, 11, 12]
    assert twins_of(stages, beside).tolist() == [-1] * 3
    assert twins_of(stages, [X[20:23] for X in Xs]).tolist() == [20, 21, 22]
    assert twins_of(stages, [X + 1e-6 * rng.normal(size=X.shape) for X in new]).tolist() == [-1] * 3


def test_in_two_views_only_a_sample_equal_in_both_is_a_known_one():
    Xs, epsilon = samples(2)
    e = embed(Xs, "kernel-product", epsilon=epsilon, n_components=3, t=0, self_loops=False)
    new = [Xs[0][:1], Xs[1][1:2]]
    rows = dense.gaussian(new[0], epsilon[0], Xs[0]) * dense.gaussian(new[1], epsilon[1], Xs[1])
    expected = rows @ e.coordinates / rows.sum(axis=1, keepdims=True) / e.eigenvalues[1:]
    np.testing.assert_allclose(e.transform(new), expected, atol=1e-9)


@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
@pytest.mark.parametrize("id", REFERENCES)
def test_new_samples_far_from_all_are_still_refused(id, form):
    Xs, epsilon = samples(1 if id == "single" else 2)
    e = embed(Xs, id, epsilon=epsilon, n_components=2, **form.params)
    far = [np.vstack([X[:2], X[:1] + 1e6]) for X in Xs]
    with pytest.raises(DataError, match=r"1 new sample is too far from all known ones to be placed at this ε\."):
        e.transform(far)


@pytest.mark.parametrize("id", ["single", "multiview"])
def test_samples_without_neighbours_in_a_random_part_stay_missing(id):
    Xs, epsilon = samples(1 if id == "single" else 2, 80)
    part = embed(Xs, id, epsilon=epsilon, subsample=60, n_components=3, self_loops=False)
    rows = part.known.data.Xs[0]
    alone = int(np.flatnonzero((Xs[0] == rows[0]).all(axis=1))[0])
    for X in Xs:
        X[alone] += 1e4
    e = embed(Xs, id, epsilon=epsilon, subsample=60, n_components=3, self_loops=False)
    assert np.flatnonzero(np.isnan(e.coordinates).any(axis=1)).tolist() == [alone]
    assert "unplaced" not in dict(e.warnings)


# Refused ----------------------------------------------------------------------------------------------------------

NO_SCALING = r"Enlarge ε, keep the self-loops \(self_loops=true\), or take normalisation=walk\."
WITHOUT_EPSILON = NO_SCALING.replace("Enlarge ε", "Choose another kernel")


@pytest.mark.parametrize("id", [*REFERENCES, *FAMILY])
def test_no_scaling_with_samples_without_neighbours(id):
    Xs, epsilon = samples(1 if id == "single" else 2, apart=(ALONE, 9), in_views=(0,))
    given = {"epsilon": epsilon, "n_components": 3, "normalisation": "doubly-stochastic"}
    given |= {"graph": "kernel"} if id in FAMILY else {}
    text = rf"2 samples have no neighbours: no scaling makes this kernel doubly stochastic\. {NO_SCALING}"
    with pytest.raises(ComputeError, match=text):
        embed(Xs, id, **given)
    assert np.isfinite(embed(Xs, id, **given, self_loops=True).coordinates).all()


@pytest.mark.parametrize("id", [*REFERENCES, *FAMILY])
def test_too_few_samples_with_neighbours_are_refused(id):
    n_views = 1 if id == "single" else 2
    X = np.concatenate([np.arange(12) * 100.0, 1200 + np.arange(4) * 0.1])[:, None]
    given = {"graph": "kernel"} if id in FAMILY else {}
    text = (
        r"Only (4|8) samples have neighbours at this ε; r = \d+ coordinates need (6|9|10)\. "
        r"Enlarge ε, or keep the self-loops \(self_loops=true\)\."
    )
    r = 4 if id not in ("multiview", "de-sa") else 8
    with pytest.raises(ComputeError, match=text):
        embed([X] * n_views, id, epsilon=1.0, n_components=r, self_loops=False, **given)
    assert embed([X] * n_views, id, epsilon=1.0, n_components=2, self_loops=False, **given).coordinates.shape[0] == 16


def test_a_kernel_without_total_support_is_refused():
    """A star: its rim wants all of its centre."""
    K = 4.0 * np.eye(20)
    K[0, 1:] = K[1:, 0] = 0.5
    with pytest.raises(
        ComputeError, match=rf"^No scaling made this kernel doubly stochastic in 2,000 p.*{WITHOUT_EPSILON}"
    ):
        embed([K], "single", kernel="precomputed", n_components=2, normalisation="doubly-stochastic")


@pytest.mark.parametrize("id", ["single", "concatenation", "kernel-product", "kernel-sum", "multiview", "alternating"])
def test_alpha_has_no_meaning_where_kernels_are_doubly_stochastic(id):
    Xs, epsilon = samples(1 if id == "single" else 2)
    for loops in (None, True, False):
        text = r"α has no meaning where the kernel is doubly stochastic.*Set α to 0, or take normalisation=walk\."
        with pytest.raises(ParameterError, match=text):
            embed(Xs, id, epsilon=epsilon, alpha=0.5, normalisation="doubly-stochastic", self_loops=loops)


@pytest.mark.parametrize("id", REFERENCES)
def test_landmarks_keep_their_loops(id):
    Xs, epsilon = samples(1 if id == "single" else 2)
    given = {"epsilon": epsilon, "kernel": "landmarks-40", "n_components": 3}
    title = get_method(id).title
    for normalisation in ("walk", "doubly-stochastic"):
        text = rf"{title} by landmarks keeps its self-loops.*Leave self_loops out, or choose the Gaussian or"
        with pytest.raises(ParameterError, match=text):
            embed(Xs, id, **given, self_loops=False, normalisation=normalisation)
    e = embed(Xs, id, **given, normalisation="doubly-stochastic")
    every = embed(Xs, id, **given | {"kernel": "landmarks-60"}, normalisation="doubly-stochastic")
    assert np.isfinite(e.coordinates).all()
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-6 * np.abs(e.coordinates).max())
    # With all samples as landmarks the kernel is the Gaussian, to the root of rounding.
    expected = REFERENCES[id](Xs, epsilon, SCALED_WITH_LOOPS).values.real[: len(every.eigenvalues)]
    np.testing.assert_allclose(every.eigenvalues, expected, atol=1e-4)


def test_passes_over_many_samples_refuse_to_scale(monkeypatch):
    Xs, epsilon = samples(2, 200)
    monkeypatch.setattr(footprint, "KEPT_SHARE", 8 * 200 * 20 / DEFAULT_MEMORY)
    given = {"epsilon": epsilon, "kernel": "landmarks-40", "n_components": 3}
    assert np.isfinite(embed(MultiView(Xs), "multiview", **given).coordinates).all()
    text = r"Doubly stochastic kernels of so many samples.*Take normalisation=walk, fewer landmarks, a random part, or"
    with pytest.raises(ParameterError, match=text):
        embed(MultiView(Xs), "multiview", **given, normalisation="doubly-stochastic")


def test_ingredients_without_effect_say_so():
    Xs, epsilon = dense.views(60, 3)
    scaled = embed(Xs, "kernel-sum", epsilon=epsilon, normalisation="doubly-stochastic", view_weights="equal-volume")
    alike = embed(Xs, "kernel-sum", epsilon=epsilon, normalisation="doubly-stochastic")
    np.testing.assert_allclose(scaled.eigenvalues, alike.eigenvalues, rtol=0, atol=1e-12)
    assert "Doubly stochastic kernels have equal volume already: all view weights are equal." in map(
        str, dict(scaled.warnings).values()
    )
    graph = embed(Xs, "laplacian-mean", self_loops=False)
    assert np.array_equal(graph.coordinates, embed(Xs, "laplacian-mean").coordinates)
    assert str(dict(graph.warnings)["no-effect"]).startswith("The graph knn has no self-loops and keeps its weights:")


def outlying_views():
    """Two views of 300 samples on a ring, of which four are far from all others."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 300)
    noise = [0.1 * rng.standard_normal((300, 1)) for _ in range(3)]
    Xs = [
        np.column_stack([np.cos(angle), np.sin(angle), noise[0]]),
        np.column_stack([np.cos(angle), np.sin(2 * angle), *noise[1:]]),
    ]
    for X in Xs:
        X[:4] += 3.0 * rng.standard_normal((4, X.shape[1]))
    return Xs


@pytest.mark.parametrize("method", ["kernel-sum", "multiview", "single"])
def test_drafts_of_kernels_scaled_slowly_are_those_of_exact_ones(method):
    """Outliers have factors so large that neither a rough scaling nor single precision would do."""
    Xs, answers = outlying_views(), []
    for epsilon in np.geomspace(0.8, 0.47, 4):
        shared = {"epsilon": epsilon, "n_components": 4, "normalisation": "doubly-stochastic"}
        draft = embed(Xs, method, interactive=True, start=answers[-2:], **shared)
        answers.append(draft)
        np.testing.assert_allclose(draft.eigenvalues, embed(Xs, method, **shared).eigenvalues, rtol=0, atol=5e-3)


@pytest.mark.parametrize("method", ["laplacian-mean", "squared-mean", "harmonic-mean", "jade"])
def test_the_constant_is_left_out_of_graphs_in_pieces(method):
    rng = np.random.default_rng(1)
    pieces = np.repeat([0.0, 40.0, 90.0], 20)
    Xs = [np.column_stack([pieces, np.zeros(60)]) + rng.standard_normal((60, 2)) for _ in range(2)]
    shared = {"epsilon": 4.0, "n_components": 3, "graph": "kernel", "normalisation": "doubly-stochastic"}
    answer = embed(Xs, method, **shared)
    assert np.abs(answer.coordinates.mean(axis=0)).max() <= 1e-6
    levels = answer.coordinates[:, :2].reshape(3, 20, 2)
    assert np.ptp(levels, axis=1).max() <= 1e-6
