"""Walks without self-loops and doubly stochastic kernels against plain dense algebra, by every method with them."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.methods import methods

R = 5
LOOPS_OUT, DENSITY = Form(loops=False), Form(loops=False, alpha=1.0)
SCALED, SCALED_WITH_LOOPS = Form(loops=False, scaled=True), Form(scaled=True)
FORMS = {"no loops": LOOPS_OUT, "no loops, α 1": DENSITY, "scaled": SCALED, "scaled, loops": SCALED_WITH_LOOPS}
WEIGHTS = (1.0, 2.0, 0.5)
WALKS = {
    "single": ("single", plain.single, 1, None, {}),
    "concatenation": ("concatenation", plain.concatenation, 3, WEIGHTS, {}),
    "product": ("kernel-product", plain.kernel_product, 2, None, {}),
    "product, weighed": ("kernel-product", plain.kernel_product, 3, WEIGHTS, {}),
    "sum": ("kernel-sum", plain.kernel_sum, 2, None, {}),
    "sum, weighed": ("kernel-sum", plain.kernel_sum, 3, WEIGHTS, {}),
    "two views": ("multiview", plain.multiview, 2, None, {"eta": 0.0}),
    "two views, η": ("multiview", plain.multiview, 2, None, {"eta": 0.3}),
    "three views": ("multiview", plain.multiview, 3, WEIGHTS, {"eta": 0.0}),
    "three views, η": ("multiview", plain.multiview, 3, WEIGHTS, {"eta": 0.3}),
    "views apart": ("multiview", plain.multiview, 2, None, {"eta": 1.0}),
    "de Sa": ("de-sa", plain.de_sa, 2, None, {}),
    "turns": ("alternating", plain.alternating, 2, None, {}),
}
"""Method, plain reference, views, weights, parameters of both."""
KERNELS = ("laplacian", "knn-10", "self-tuning", "precomputed")
MEANS = ("laplacian-mean", "squared-mean", "harmonic-mean")
FAMILY = ("jade", *MEANS, "co-regularized", "low-rank")


def samples(n_views, n_samples=60, seed=0):
    return dense.views(n_samples, n_views, seed)


def same_vectors(ours, theirs, values, tolerance, count=R + 1):
    """Equal up to a rotation within equal eigenvalues, the constant apart; NaN at the same rows."""
    there = np.isfinite(theirs[:, 0])
    np.testing.assert_array_equal(np.isfinite(ours).all(axis=1), there)
    np.testing.assert_array_equal(np.isnan(ours).any(axis=1), ~there)
    np.testing.assert_array_equal(ours[there, 0], 1.0)
    compared = 0
    for run in dense.clusters(np.concatenate([[2.0], values[1:]]), count):
        a, b = ours[there][:, run], theirs[there][:, run]
        U, _, Vt = np.linalg.svd(b.T @ a)
        np.testing.assert_allclose(a, b @ (U @ Vt), rtol=0, atol=tolerance * np.abs(b).max())
        compared += len(run)
    assert compared >= count - 2


def agree(answer, expected, tolerance=1e-10, count=R + 1):
    """Eigenvalues and vectors of an embedding at t = 0 are those of a reference."""
    decomposition = answer.decomposition
    if not expected.own:
        np.testing.assert_allclose(answer.eigenvalues, expected.values[:count], rtol=0, atol=1e-10)
    every = np.vstack(decomposition.blocks) if not expected.own else None
    if every is not None:  # views share their eigenvectors: one sign for all
        return same_vectors(every, np.vstack(expected.blocks), expected.values, tolerance, count)
    for i, (ours, theirs) in enumerate(zip(decomposition.blocks, expected.blocks, strict=True)):
        np.testing.assert_allclose(decomposition.values_of(i), expected.own[i][:count], rtol=0, atol=1e-10)
        same_vectors(ours, theirs, expected.own[i], tolerance, count)
    return None


def solved(case, form, n_samples=60, text="gaussian", seed=0, data=None, r=R):
    """The engine's answer, and the reference's."""
    id, reference, n_views, weights, params = WALKS[case]
    Xs, epsilon = samples(n_views, n_samples, seed) if data is None else data
    given = {**params, **form.params, **({} if weights is None else {"view_weights": weights})}
    answer = embed(Xs, id, epsilon=epsilon, kernel=text, n_components=r, **given)
    return answer, reference(Xs, epsilon, form, weights, text, **params)


def real_ones(values, count):
    """Places of real, simple eigenvalues of a walk that is not symmetric."""
    apart = [np.abs(np.abs(np.delete(values, k)) - np.abs(values[k])).min() > 1e-5 for k in range(count)]
    return [k for k in range(count) if apart[k]]


def turns_agree(answer, expected, tolerance=1e-10, count=R + 1):
    np.testing.assert_allclose(np.abs(answer.eigenvalues), np.abs(expected.values[:count]), rtol=0, atol=1e-10)
    ours, theirs = answer.decomposition.blocks[0], expected.blocks[0]
    there = np.isfinite(theirs[:, 0].real)
    np.testing.assert_array_equal(np.isnan(ours).any(axis=1), ~there)
    compared = real_ones(expected.values, count)
    assert len(compared) >= 2
    for k in compared:
        a, b = ours[there, k], theirs[there, k].real
        assert answer.eigenvalues[k] == pytest.approx(expected.values[k].real, abs=1e-10)
        np.testing.assert_allclose(a, b * np.sign(a @ b), rtol=0, atol=tolerance * np.abs(b).max())


# Every method, every form -----------------------------------------------------------------------------------------


@pytest.mark.validates("single", "concatenation", "kernel-product", "kernel-sum", "multiview", "alternating")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("case", WALKS)
def test_walks_are_those_of_plain_algebra(case, form):
    if case == "de Sa" and form.alpha:
        form = LOOPS_OUT
    answer, expected = solved(case, form)
    (turns_agree if case == "turns" else agree)(answer, expected)


@pytest.mark.parametrize("form", [DENSITY, SCALED], ids=["no loops, α 1", "scaled"])
@pytest.mark.parametrize("text", KERNELS)
@pytest.mark.parametrize("case", ["single", "product", "sum", "two views", "three views, η", "turns"])
def test_every_kind_of_kernel(case, text, form):
    n_views = WALKS[case][2]
    Xs, epsilon = samples(n_views)
    epsilon = tuple(4 * e for e in epsilon)
    if text == "precomputed":
        Xs = plain.kernels(Xs, epsilon)
    if text == "knn-10" and case == "product" and form.scaled:
        text = "knn-30"  # those of few have none in 2,000 products
    answer, expected = solved(case, form, text=text, data=(Xs, epsilon))
    (turns_agree if case == "turns" else agree)(answer, expected)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_concatenated_neighbours(form):
    Xs, epsilon = samples(2)
    given = {"kernel": "knn-10", "n_components": R, **form.params}
    answer = embed(Xs, "concatenation", epsilon=epsilon, **given)
    agree(answer, plain.fused(plain.formed(plain.joint_neighbours(Xs, epsilon, 10), form), form))


@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
@pytest.mark.parametrize("case", ["product", "two views", "three views, η", "turns"])
def test_more_samples_than_are_solved_densely(case, form):
    """The iteration orders eigenvalues by value where negative ones are large."""
    answer, expected = solved(case, form, n_samples=300)
    (turns_agree if case == "turns" else agree)(answer, expected, tolerance=1e-8)


@pytest.mark.validates("de-sa")
@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
def test_coordinates_of_de_sa_are_rows_of_length_one(form):
    answer, expected = solved("de Sa", form)
    assert np.diff(expected.values[:R]).max() < -1e-5
    for ours, block in zip(answer.view_coordinates, expected.blocks, strict=True):
        theirs = plain.on_the_sphere(block, R)
        theirs = theirs * np.sign((ours * theirs).sum(axis=0))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


def test_powers_keep_the_sign_of_eigenvalues():
    """Two samples that see only each other have the eigenvalue -1; here five times a cube of a negative one."""
    X = np.array([[0.0], [0.1], [1.0], [1.13], [2.5]])
    e = embed([X], "single", epsilon=0.1, n_components=3, t=3, self_loops=False)
    expected = plain.single([X], (0.1,), LOOPS_OUT)
    assert expected.values[3] < -0.5
    np.testing.assert_allclose(e.eigenvalues, expected.values[:4], atol=1e-10)
    theirs = expected.values[1:4] ** 3 * expected.blocks[0][:, 1:4]
    theirs = theirs * np.sign((e.coordinates * theirs).sum(axis=0))
    np.testing.assert_allclose(e.coordinates, theirs, atol=1e-9)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_eta_is_the_probability_to_stay_in_a_view_that_is_doubly_stochastic(eta, weights):
    Xs, epsilon = samples(3)
    given = {} if weights is None else {"view_weights": weights}
    e = embed(Xs, "multiview", epsilon=epsilon, eta=eta, normalisation="doubly-stochastic", **given)
    if weights is None:
        assert e.info["within_view_probability"] == pytest.approx(eta, abs=1e-9)


# The papers' values -----------------------------------------------------------------------------------------------


WITH_INGREDIENTS = tuple(m.id for m in methods() if any(p.name == "self_loops" for p in m.params))


def test_which_methods_have_ingredients():
    ids = ("single", "concatenation", "kernel-product", "kernel-sum", "multiview", "de-sa", "alternating", *FAMILY)
    assert set(WITH_INGREDIENTS) == set(ids)


@pytest.mark.parametrize("id", WITH_INGREDIENTS)
def test_the_papers_values_are_the_defaults_bit_for_bit(id):
    Xs, epsilon = samples(1 if id == "single" else 2, 30)
    given = {"graph": "kernel"} if id in FAMILY else {}
    default = embed(Xs, id, epsilon=epsilon, n_components=3, **given)
    spelt = embed(Xs, id, epsilon=epsilon, n_components=3, self_loops=True, normalisation="walk", **given)
    np.testing.assert_array_equal(default.coordinates, spelt.coordinates)
    np.testing.assert_array_equal(default.eigenvalues, spelt.eigenvalues)
    other = embed(Xs, id, epsilon=epsilon, n_components=3, self_loops=False, **given)
    assert np.abs(other.eigenvalues - default.eigenvalues).max() > 1e-3


@pytest.mark.parametrize("case", ["single", "sum, weighed", "two views", "three views, η", "turns"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_reference_gives_the_papers_values_too(case, alpha):
    answer, expected = solved(case, Form(alpha=alpha))
    (turns_agree if case == "turns" else agree)(answer, expected)


# Laplacians -------------------------------------------------------------------------------------------------------


def relative(id, form, Xs, epsilon, weights=None, text="gaussian", **params):
    given = form.params if weights is None else {**form.params, "view_weights": weights}
    return embed(Xs, id, epsilon=epsilon, kernel=text, graph="kernel", n_components=4, **given, **params)


def in_span(basis, vectors, tolerance):
    Q = np.linalg.qr(basis)[0]
    np.testing.assert_allclose(vectors - Q @ (Q.T @ vectors), 0, atol=tolerance)


FAMILY_FORMS = {"no loops": LOOPS_OUT, "scaled": SCALED, "scaled, loops": SCALED_WITH_LOOPS}


@pytest.mark.validates(*MEANS)
@pytest.mark.parametrize("form", FAMILY_FORMS.values(), ids=FAMILY_FORMS)
@pytest.mark.parametrize("weights", [None, "1,2,0.5"])
@pytest.mark.parametrize("text", ["gaussian", "knn-10"])
@pytest.mark.parametrize("id", MEANS)
def test_means_of_laplacians(id, text, weights, form):
    Xs, epsilon = samples(3)
    e = relative(id, form, Xs, epsilon, weights, text)
    Ls, kept = plain.laplacians(Xs, epsilon, form, text)
    given = None if weights is None else [float(w) for w in weights.split(",")]
    matrix, unit = plain.laplacian_mean(Ls, given, id)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    shift = int(form.scaled)  # the constant is left out
    # The root of a squared 0 is good to the root of rounding.
    loose = 1e-7 if id == "squared-mean" else 1e-10
    expected = unit(np.maximum(values, 0.0))[:5]
    np.testing.assert_allclose(e.eigenvalues[:5], expected, rtol=0, atol=loose)
    np.testing.assert_allclose(e.eigenvalues[1:5], expected[1:], rtol=0, atol=1e-9)
    assert kept.all()
    assert np.diff(values[: 6 + shift]).min() > 1e-5
    theirs = vectors[:, shift : shift + 4]
    theirs = theirs * np.sign((e.coordinates * theirs).sum(axis=0))
    np.testing.assert_allclose(e.coordinates, theirs, rtol=0, atol=1e-9)
    if form.scaled:
        np.testing.assert_allclose(e.coordinates.sum(axis=0), 0, atol=1e-9)


@pytest.mark.validates("jade")
@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
@pytest.mark.parametrize("weights", [None, "1,2"])
def test_jade_by_single_rotations(weights, form):
    Xs, epsilon = samples(2, 20)
    epsilon = tuple(4 * e for e in epsilon)
    given = None if weights is None else [1.0, 2.0]
    Ls, _ = plain.laplacians(Xs, epsilon, form)
    values, vectors, off = plain.jacobi(Ls, given)
    e = relative("jade", form, Xs, epsilon, weights)
    V, shift = e.decomposition.blocks[0], int(form.scaled)
    np.testing.assert_allclose(e.eigenvalues[:5], values[:5], rtol=0, atol=3e-4)
    overlap = np.abs((V[:, :5] * vectors[:, :5]).sum(axis=0))
    np.testing.assert_allclose(overlap, 1, atol=1e-3)
    share = off / sum(w * np.square(L).sum() for w, L in zip(plain.mean_one(given, 2), Ls, strict=True))
    assert e.info["off_diagonal_share"] == pytest.approx(share, rel=1e-3)
    np.testing.assert_array_equal(e.coordinates, V[:, shift : shift + 4])
    if form.scaled:  # all Laplacians share the constant
        assert e.eigenvalues[0] == pytest.approx(0, abs=1e-9)
        np.testing.assert_allclose(V[:, 0], 20**-0.5, atol=1e-6)
        assert "joint-first" not in dict(e.warnings)


@pytest.mark.validates("co-regularized")
@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
def test_co_regularised_bases_are_at_rest(form):
    """V_l = bottom of L_l - λVVᵀ and V = top of Σ ω V_lV_lᵀ at once; with the constant among V where all share it."""
    Xs, epsilon = samples(2)
    e = relative("co-regularized", form, Xs, epsilon, "1,2", coregularization=0.1)
    Ls, _ = plain.laplacians(Xs, epsilon, form)
    r = 4 + int(form.scaled)
    V = e.decomposition.blocks[0][:, :r]
    own = [np.linalg.eigh(L - 0.1 * V @ V.T)[1][:, :r] for L in Ls]
    top = np.linalg.eigh(own[0] @ own[0].T + 2 * own[1] @ own[1].T)[1][:, -r:]
    in_span(top, V, 1e-6)
    mean = (Ls[0] + 2 * Ls[1]) / 3
    np.testing.assert_allclose(V.T @ mean @ V, np.diag(e.eigenvalues[:r]), atol=1e-9)
    np.testing.assert_array_equal(e.coordinates, V[:, r - 4 :])
    if form.scaled:
        in_span(V, np.ones((60, 1)) / 60**0.5, 1e-9)


@pytest.mark.validates("low-rank")
@pytest.mark.parametrize("form", [LOOPS_OUT, SCALED], ids=["no loops", "scaled"])
def test_linked_factors_are_at_rest(form):
    Xs, epsilon = samples(2)
    e = relative("low-rank", form, Xs, epsilon, "1,2")
    Ls, _ = plain.laplacians(Xs, epsilon, form)
    r = 4 + int(form.scaled)
    V = e.decomposition.blocks[0][:, :r]
    in_span(plain.linked_factors(Ls, [1.0, 2.0], r), V, 1e-5)
    np.testing.assert_allclose(V.T @ ((Ls[0] + 2 * Ls[1]) / 3) @ V, np.diag(e.eigenvalues[:r]), atol=1e-9)


@pytest.mark.parametrize("id", FAMILY)
def test_a_graph_of_neighbours_has_no_loops_whatever_is_asked(id):
    Xs, epsilon = samples(2, 30)
    default, asked = (embed(Xs, id, epsilon=epsilon, n_components=3, **p) for p in ({}, {"self_loops": False}))
    np.testing.assert_array_equal(default.coordinates, asked.coordinates)
