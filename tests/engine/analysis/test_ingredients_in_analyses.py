"""Null tests, stability, walks, spectra and answers between anchors with the ingredients of a walk."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form

import mvexplorer as mvx
from mvexplorer.engine.api.between import Projection, can_be_prepared, plan_between
from mvexplorer.engine.api.embedding import carry_out
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solution_of
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.rearranged import of_samples, shuffled
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.pipeline.steps_that_stay import share_that_stays
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.engine.spectral.davidson import SPARE

ALONE, N = 5, 60
FORMS = {
    "no loops": {"self_loops": False},
    "no loops, one alone": {"self_loops": False},
    "scaled": {"normalisation": "doubly-stochastic"},
    "scaled, loops, one alone": {"normalisation": "doubly-stochastic", "self_loops": True},
}
LOOPS_OUT, DENSITY = Form(loops=False), Form(loops=False, alpha=1.0)


def given(n_views, name="", n_samples=N):
    """Views, and an ε for each; one sample is alone where the name says so."""
    Xs, epsilon = dense.views(n_samples, n_views)
    for X in Xs:
        X[ALONE] += 1e3 * np.abs(X).max() if name.endswith("alone") else 0.0
    return mvx.MultiView(Xs), [4 * e for e in epsilon]


def left(name):
    """The samples that are drawn."""
    return np.delete(np.arange(N), ALONE) if name == "no loops, one alone" else np.arange(N)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("id", ["kernel-sum", "kernel-product", "multiview", "alternating", "laplacian-mean"])
def test_null_tests_and_stability(id, name):
    data, epsilon = given(2, name)
    options = {"epsilon": epsilon, "n_components": 2, **FORMS[name]}
    options |= {"graph": "kernel"} if id == "laplacian-mean" else {}
    bands = mvx.null_test(data, id, n=2, view="view2", **options).views
    assert np.isfinite(bands[0].eigenvalues).all()
    assert np.isfinite(bands[0].shuffled_eigenvalues).all()
    found = mvx.stability(data, id, n=3, **options)
    assert 0 < found.number < 2
    there = np.flatnonzero(np.isfinite(found.spread))
    assert np.isin(there, left(name)).all()
    assert len(there) > 0.9 * N


@pytest.mark.parametrize("id", ["kernel-product", "multiview"])
def test_without_one_of_three_views(id):
    """A sample alone in one view has no place in the whole, and one without that view."""
    Xs, epsilon = dense.views(N, 3)
    Xs[1][ALONE] += 1e3 * np.abs(Xs[1]).max()
    options = {"epsilon": [4 * e for e in epsilon], "n_components": 2, "self_loops": False}
    found = mvx.stability(mvx.MultiView(Xs), id, drop_views=True, **options)
    assert np.isfinite(np.delete(found.spread, ALONE)).all()
    assert np.isfinite(found.number)
    each = mvx.leave_one_view_out(mvx.MultiView(Xs), id, **options)
    assert np.isnan(each.whole.coordinates[ALONE]).all()
    missing = [bool(np.isnan(part.embedding.coordinates[ALONE]).all()) for part in each.without]
    assert missing == [True, False, True]
    for part in each.without:
        assert np.isfinite(np.delete(part.embedding.coordinates, ALONE, axis=0)).all()


@pytest.mark.parametrize("name", ["no loops", "scaled"])
def test_kernels_of_shuffled_views_and_parts_have_the_form_asked_for(name):
    """Also one on the way to that of the picture, or with its loops, where only the picture's own is remembered."""
    data, epsilon = given(2)
    planned = plan(get_method("kernel-sum"), data, None, "gaussian", epsilon, FORMS[name])
    stages = prepare(planned, data, EmbedOptions(Task(), remember_once()))
    rows = np.random.default_rng(0).permutation(N)
    K = plain.kernel("gaussian", data.Xs[0], epsilon[0])
    for some, seen in ((rows, shuffled(stages, 0, rows)), (np.arange(40), of_samples(stages, np.arange(40)))):
        kernel_of(stages, 0)
        whole = K[np.ix_(some, some)]
        np.testing.assert_allclose(kernel_of(seen.plain(), 0), whole, atol=1e-12)
        np.testing.assert_allclose(kernel_of(seen.unscaled(), 0), plain.formed(whole, LOOPS_OUT), atol=1e-12)
        own = plain.formed(whole, Form(loops=False, scaled=name == "scaled"))
        np.testing.assert_allclose(kernel_of(seen, 0), own, atol=1e-9)


def dense_share(id, kernels):
    """The mean probability that a step stays, by whole matrices; between the views at η 0."""
    first, second = (K / K.sum(axis=1, keepdims=True) for K in kernels)
    if id == "alternating":
        return np.diag(first @ second).mean()
    if id == "multiview":
        K = dense.multiview_kernel(kernels, 0.0)
        P = K / K.sum(axis=1, keepdims=True)
        n = len(kernels[0])
        return np.mean([np.diag(P[:n, n:]), np.diag(P[n:, :n])])
    K = sum(kernels) if id == "kernel-sum" else kernels[0] * kernels[1]
    return np.diag(K / K.sum(axis=1, keepdims=True)).mean()


@pytest.mark.parametrize("name", ["no loops", "scaled"])
@pytest.mark.parametrize("id", ["kernel-sum", "kernel-product", "multiview", "alternating"])
def test_the_share_of_steps_that_stay_is_that_with_loops_of_shuffled_views_and_parts(id, name):
    data, epsilon = given(2)
    params = FORMS[name] | ({"eta": 0.0} if id == "multiview" else {})
    method, rows, part = get_method(id), np.random.default_rng(0).permutation(N), np.arange(40)
    stages = prepare(plan(method, data, None, "gaussian", epsilon, params), data, EmbedOptions(Task(), remember_once()))
    each = plain.kernels(data.Xs, epsilon)
    kernel_of(stages, 0)  # remembered in the form of the picture
    assert share_that_stays(method, stages) == pytest.approx(dense_share(id, each), abs=1e-12)
    mixed = [each[0][np.ix_(rows, rows)], each[1]]
    assert share_that_stays(method, shuffled(stages, 0, rows)) == pytest.approx(dense_share(id, mixed), abs=1e-12)
    fewer = [K[np.ix_(part, part)] for K in each]
    assert share_that_stays(method, of_samples(stages, part)) == pytest.approx(dense_share(id, fewer), abs=1e-12)


def test_a_shuffled_view_is_that_of_the_kernel_without_its_loops():
    data, epsilon = given(2)
    options = {"epsilon": epsilon, "n_components": 3, "self_loops": False}
    band = mvx.null_test(data, "kernel-sum", n=2, view="view2", **options).views[0]
    real = plain.kernel_sum(data.Xs, epsilon, LOOPS_OUT)
    np.testing.assert_allclose(band.eigenvalues, real.values[1:4], atol=1e-9)
    assert np.abs(band.shuffled_eigenvalues - real.values[1:4]).max() > 0.01


def walk_matrix(A, form):
    """P among the states with affinity; 0 from and to the others."""
    kept = plain.has_affinity(A.sum(axis=1))
    q = np.where(kept, np.where(kept, A[:, kept].sum(axis=1), 1.0) ** -form.alpha, 0.0)
    A = q[:, None] * A * q
    sums = A.sum(axis=1, keepdims=True)
    return np.divide(A, sums, out=np.zeros_like(A), where=sums > 0)


def nearly_alone(n_views):
    """One sample has affinities in the first view, of next to nothing."""
    data, epsilon = given(n_views)
    Xs = [X.copy() for X in data.Xs]
    Xs[0][ALONE] = Xs[0][np.argmax(Xs[0][:, 0])]
    Xs[0][ALONE, 0] += np.sqrt(2 * 31 * epsilon[0])
    return mvx.MultiView(Xs), epsilon


@pytest.mark.parametrize("form", [LOOPS_OUT, DENSITY], ids=["α 0", "α 1"])
@pytest.mark.parametrize("make", [lambda n: given(n, "alone"), nearly_alone], ids=["alone", "nearly"])
@pytest.mark.parametrize(("id", "eta"), [("single", None), ("multiview", 0.3), ("multiview", 0.0)])
def test_steps_of_the_walk_are_those_among_samples_with_neighbours(id, eta, make, form):
    data, epsilon = make(1 if id == "single" else 2)
    params = {} if eta is None else {"eta": eta}
    e = mvx.embed(data, id, epsilon=epsilon, n_components=2, **params, **form.params)
    each = [plain.formed(K, form) for K in plain.kernels(data.Xs, epsilon)]
    P = walk_matrix(each[0] if eta is None else dense.multiview_kernel(each, eta), form)
    two = np.linalg.matrix_power(P, 2)
    for sample in (0, ALONE):
        rows = mvx.transition_probabilities(e, sample, t=2)
        expected = two[sample::N].reshape(len(each), len(each), N)
        np.testing.assert_allclose(rows, expected, atol=1e-12)
    if eta:
        inside = np.kron(np.eye(2), np.ones((N, N)))
        walking = P.sum(axis=1) > 0
        assert e.info["within_view_probability"] == pytest.approx((P * inside).sum(axis=1)[walking].mean(), abs=1e-9)


def test_alternating_walks_among_samples_with_neighbours_in_both_views():
    data, epsilon = nearly_alone(2)
    e = mvx.embed(data, "alternating", epsilon=epsilon, n_components=1, self_loops=False)
    kept = left("no loops, one alone")
    each = [plain.formed(K, LOOPS_OUT)[np.ix_(kept, kept)] for K in plain.kernels(data.Xs, epsilon)]
    first, second = (K / K.sum(axis=1, keepdims=True) for K in each)
    rows = mvx.transition_probabilities(e, 0)[0, 0]
    np.testing.assert_allclose(rows[kept], (first @ second)[0], atol=1e-12)
    assert rows[ALONE] == 0.0
    assert not mvx.transition_probabilities(e, ALONE).any()


@pytest.mark.parametrize("make", [lambda: given(2, "alone"), lambda: nearly_alone(2)], ids=["alone", "nearly"])
def test_alternating_coordinates_are_eigenvectors_of_the_probabilities_told(make):
    data, epsilon = make()
    e = mvx.embed(data, "alternating", epsilon=epsilon, n_components=1, self_loops=False)
    P = np.array([mvx.transition_probabilities(e, sample)[0, 0] for sample in range(N)])
    kept = left("no loops, one alone")
    P, psi = P[np.ix_(kept, kept)], e.decomposition.blocks[0][kept]
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(P @ psi[:, 1], e.eigenvalues[1] * psi[:, 1], atol=1e-10)


@pytest.mark.parametrize("name", FORMS)
def test_spectra_and_facts(name):
    data, epsilon = given(2, name)
    options = {"n_components": 3, **FORMS[name]}
    over = mvx.spectrum(data, "kernel-sum", [0.7, 1.0, 1.4], epsilon=epsilon, **options)
    for factor, values in zip((0.7, 1.0, 1.4), over.eigenvalues, strict=True):
        exact = mvx.embed(data, "kernel-sum", epsilon=[factor * e for e in epsilon], **options)
        np.testing.assert_allclose(values, exact.eigenvalues, atol=1e-3)
    e = mvx.embed(data, "multiview", epsilon=epsilon, **options)
    assert mvx.spectrum_facts(e).r == 3
    assert np.isfinite(e.eigenvalues).all()
    facts = mvx.graph_of(e, "view1")
    assert facts.sizes.sum() == N
    assert (facts.degrees[ALONE] == 0.0) == (name == "no loops, one alone")
    spread = mvx.farthest_points(e.coordinates, start=0, k=8)
    assert len(set(spread.tolist())) == 8
    assert np.isin(spread, left(name)).all()


@pytest.mark.parametrize("params", [FORMS["no loops"], FORMS["scaled"]], ids=["no loops", "scaled"])
@pytest.mark.parametrize("id", ["single", "kernel-product", "multiview"])
def test_answers_between_anchors_are_those_of_the_method(id, params):
    n_views = 1 if id == "single" else 2
    Xs, epsilon = dense.views(320, n_views)
    data = mvx.MultiView(Xs)
    ends = tuple(
        plan(get_method(id), data, None, "gaussian", [f * e for e in epsilon], {"n_components": 6, **params})
        for f in (8.0, 8.0 * 2**0.5)
    )
    assert can_be_prepared(ends[0])
    solved = [carry_out(end, data, EmbedOptions(Task(), remember_once())) for end in ends]
    work = Projection(*ends, data, tuple(solution_of(answer).thinned(6 + SPARE) for answer in solved))
    while (part := work.next_fraction) is not None:
        work.compute(part, EmbedOptions(Task(), remember_once(), interactive=True))
    between = work.result()
    for part in (0.31, 0.8):
        there = plan_between(*ends, part)
        found, true = between.answer(there, part), carry_out(there, data, EmbedOptions(Task(), remember_once()))
        np.testing.assert_allclose(found.eigenvalues, true.eigenvalues, atol=1e-3)
        end = next(j for j in range(2, 6) if true.eigenvalues[j] - true.eigenvalues[j + 1] > 0.01)
        planes = [np.linalg.qr(np.vstack(e.decomposition.blocks)[:, : end + 1])[0] for e in (found, true)]
        assert np.linalg.norm(planes[0] - planes[1] @ (planes[1].T @ planes[0]), 2) <= 0.05


def test_distances_in_a_picture_are_missing_only_where_a_sample_has_no_place():
    data, epsilon = given(2, "alone")
    e = mvx.embed(data, "kernel-sum", epsilon=epsilon, n_components=2, self_loops=False)
    Y = e.coordinates
    found = mvx.matrix_of(e, "distances").values
    np.testing.assert_allclose(found, np.square(Y[:, None] - Y[None]).sum(axis=2), atol=1e-9)
    assert np.flatnonzero(np.isnan(found).all(axis=1)).tolist() == [ALONE]
    assert np.isnan(found).sum() == 2 * N - 1


def test_samples_without_a_place_are_never_the_farthest():
    rng = np.random.default_rng(3)
    Y = rng.normal(size=(30, 3))
    Y[[4, 7]] = np.nan
    there = np.delete(np.arange(30), [4, 7])
    chosen = [0]
    while len(chosen) < len(there):
        away = np.linalg.norm(Y[there][:, None] - Y[chosen][None], axis=2).min(axis=1)
        chosen.append(int(there[np.argmax(away)]))
    assert mvx.farthest_points(Y, start=0, k=30).tolist() == chosen
