"""The share of a walk's steps that stay at their sample, against plain dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.core.notices import STEPS_STAY
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import view_kernel
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.pipeline.staying import ALONE
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY, notice_of_stays, share_that_stays

M = 150
WEIGHTS = "1,2,.5"
EPSILON = (0.02, 0.1, 0.05)


def views(count=3):
    rng = np.random.default_rng(4)
    t = rng.uniform(size=(M, 1))
    return [np.hstack([np.cos(4 * t + k), t * (k + 1)]) + 0.1 * rng.normal(size=(M, 2)) for k in range(count)]


def stages_of(Xs, method, kernel="gaussian", **params):
    data = as_multiview(Xs)
    used = 1 if method == "single" else len(Xs)
    made = plan(get_method(method), data, None, kernel, EPSILON[:used], params)
    return prepare(made, data, EmbedOptions(Task(), remember_once()))


def share(Xs, method, kernel="gaussian", **params):
    return share_that_stays(get_method(method), stages_of(Xs, method, kernel, **params))


def gaussian(X, epsilon):
    return np.exp(-np.square(X[:, None] - X[None]).sum(axis=2) / (2 * epsilon))


def nearest(X, epsilon, k):
    """The symmetric graph of k nearest neighbours, with itself, as Gaussian affinities."""
    D = np.square(X[:, None] - X[None]).sum(axis=2)
    near = np.sort(D, axis=1)[:, [k]] >= D
    return np.where(near | near.T, np.exp(-D / (2 * epsilon)), 0.0)


def walk_of(K, alpha):
    density = K.sum(axis=1) ** -alpha
    A = density[:, None] * K * density
    return A / A.sum(axis=1, keepdims=True)


def dense_share(kernels, method, alpha, eta=0.0, weights=(1.0, 1.0, 1.0)):
    """The same, by whole matrices: the walk between views as one matrix (L·M, L·M)."""
    L = len(kernels)
    w = np.array(weights[:L]) / np.mean(weights[:L])
    if method == "single":
        return np.diag(walk_of(kernels[0], alpha)).mean()
    if method == "kernel-sum":
        return np.diag(walk_of(sum(a * K for a, K in zip(w, kernels, strict=True)), alpha)).mean()
    if method == "kernel-product":
        return np.diag(walk_of(np.prod([K**a for a, K in zip(w, kernels, strict=True)], axis=0), alpha)).mean()
    if method == "alternating":
        return np.diag(walk_of(kernels[0], alpha) @ walk_of(kernels[1], alpha)).mean()
    blocks = [
        [w[k] * w[m] * (eta if k == m else (1 - eta) / (L - 1)) * kernels[k] @ kernels[m] for m in range(L)]
        for k in range(L)
    ]
    P = walk_of(np.block(blocks), alpha)
    return np.mean([sum(P[k * M + i, m * M + i] for m in range(L)) for k in range(L) for i in range(M)])


def settings(method, alpha, eta):
    params = {} if method == "de-sa" else {"alpha": alpha}
    return params | ({"eta": eta} if method == "multiview" else {})


CASES = [
    *((method, 0.0, 0.0, count) for method, count in (("single", 1), ("alternating", 2), ("de-sa", 2))),
    *((method, 1.0, 0.0, count) for method, count in (("single", 1), ("alternating", 2))),
    *((method, alpha, 0.0, 3) for method in ("kernel-sum", "kernel-product") for alpha in (0.0, 1.0)),
    *(("multiview", alpha, eta, count) for alpha in (0.0, 1.0) for eta in (0.0, 0.3, 1.0) for count in (2, 3)),
]


@pytest.mark.parametrize("kernel", ["gaussian", "knn-7", "first of neighbours"])
@pytest.mark.parametrize(("method", "alpha", "eta", "count"), CASES)
def test_the_share_is_that_of_the_dense_walk(method, alpha, eta, count, kernel):
    Xs = views(count)
    sparse = [kernel == "knn-7" or (kernel != "gaussian" and k == 0) for k in range(count)]
    kernels = [nearest(X, e, 7) if thin else gaussian(X, e) for X, e, thin in zip(Xs, EPSILON, sparse, strict=False)]
    named = tuple("knn-7" if thin else "gaussian" for thin in sparse)
    expected = dense_share(kernels, method, alpha, eta)
    assert share(Xs, method, named, **settings(method, alpha, eta)) == pytest.approx(expected, abs=1e-12)
    assert 0.01 < expected < 0.99


@pytest.mark.parametrize("kernel", ["gaussian", "knn-7"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize(("method", "eta"), [("kernel-sum", 0.0), ("kernel-product", 0.0), ("multiview", 0.3)])
def test_views_count_as_much_as_they_weigh(method, eta, alpha, kernel):
    kernels = [
        gaussian(X, e) if kernel == "gaussian" else nearest(X, e, 7) for X, e in zip(views(), EPSILON, strict=True)
    ]
    expected = dense_share(kernels, method, alpha, eta, (1.0, 2.0, 0.5))
    found = share(views(), method, kernel, view_weights=WEIGHTS, **settings(method, alpha, eta))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_concatenated_samples_have_one_kernel(alpha):
    both = np.hstack(views())
    found = share(views(), "concatenation", joint_epsilon=0.3, alpha=alpha)
    assert found == pytest.approx(np.diag(walk_of(gaussian(both, 0.3), alpha)).mean(), abs=1e-12)
    near = share(views(), "concatenation", "knn-7", joint_epsilon=0.3, alpha=alpha)
    assert near == pytest.approx(np.diag(walk_of(nearest(both, 0.3, 7), alpha)).mean(), abs=1e-12)


@pytest.mark.parametrize(("method", "eta"), [
    ("single", 0.0), ("kernel-sum", 0.0), ("kernel-product", 0.0), ("alternating", 0.0), ("multiview", 0.3)
])  # fmt: skip
def test_kernels_in_single_precision_have_the_share_of_what_they_store(method, eta, monkeypatch):
    for module in ("pipeline.view_kernel", "pipeline.joint_kernel"):
        monkeypatch.setattr(f"mvexplorer.engine.{module}.FLOAT32_SAMPLES", 50)
    Xs = views({"single": 1, "alternating": 2}.get(method, 3))
    rounded = [gaussian(X, e).astype(np.float32).astype(float) for X, e in zip(Xs, EPSILON, strict=False)]
    found = share(Xs, method, **settings(method, 1.0, eta))
    assert found == pytest.approx(dense_share(rounded, method, 1.0, eta), rel=1e-5)


@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product"])
def test_kernels_of_landmarks_have_the_share_of_their_own_walk(method):
    stages = stages_of(views()[:2], method, "landmarks-60")
    found, K = share_that_stays(get_method(method), stages), dense_landmarks(method, stages)
    assert found == pytest.approx(np.diag(walk_of(K, 0.0)).mean(), rel=1e-6)  # W is nearly singular


def dense_landmarks(method, stages):
    each = [as_array(view_kernel.dense_kernel_of(stages, i)) for i in range(stages.n_views)]
    if method != "kernel-product":
        return sum(each)
    marks = view_kernel.landmarks_of(stages, 0)
    C = np.prod([gaussian(X, e) for X, e in zip(views()[:2], EPSILON, strict=False)], axis=0)[:, marks]
    return C @ np.linalg.pinv(C[marks], rcond=1e-10, hermitian=True) @ C.T


@pytest.mark.parametrize("method", ["multiview", "de-sa", "alternating"])
def test_of_walks_between_kernels_of_landmarks_it_is_not_told(method):
    assert share(views(2), method, "landmarks-60") is None


@pytest.mark.parametrize("method", ["cca", "local-cca", "jade"])
def test_of_other_methods_it_is_not_told(method):
    assert share_that_stays(get_method(method), None) is None


def test_an_exact_answer_carries_it_and_a_draft_does_not():
    found = mvx.embed(views(1), "single", epsilon=EPSILON[0])
    expected = np.diag(walk_of(gaussian(views(1)[0], EPSILON[0]), 0.0)).mean()
    assert found.info[STEPS_THAT_STAY] == pytest.approx(expected, abs=1e-12)
    draft = mvx.embed(views(1), "single", epsilon=EPSILON[0], interactive=True)
    assert STEPS_THAT_STAY not in draft.info


@pytest.mark.nightly
def test_of_very_many_samples_with_landmarks_a_random_part_tells_it():
    X = np.random.default_rng(3).uniform(size=(4000, 1))
    stages = stages_of([X], "single", "landmarks-100")
    K = as_array(view_kernel.dense_kernel_of(stages, 0))
    found = share_that_stays(get_method("single"), stages)
    assert found == pytest.approx(np.mean(np.diag(K) / K.sum(axis=1)), rel=0.1)


# Other forms of the kernels -------------------------------------------------------------------------------------------

FORMS = {
    "without loops": {"self_loops": False},
    "doubly stochastic": {"normalisation": "doubly-stochastic"},
    "doubly stochastic with loops": {"normalisation": "doubly-stochastic", "self_loops": True},
}
"""Pictures with these parameters are told the share of their walk with its self-loops, not scaled."""
WIDE = (0.1, 0.3, 0.2)
"""ε at which kernels without self-loops can be made doubly stochastic."""


def own_kernels(kernel, Xs):
    """A kernel of each view by its text, densely."""
    if kernel == "precomputed":
        return Xs
    if kernel == "knn-25":
        return [nearest(X, e, 25) for X, e in zip(Xs, WIDE, strict=False)]
    if kernel == "self-tuning":
        return [self_tuning(X) for X in Xs]
    if kernel == "correlation":
        directions = [X - X.mean(axis=1, keepdims=True) for X in Xs]
        lengths = [np.linalg.norm(D, axis=1, keepdims=True) for D in directions]
        return [gaussian(D / n, e) for D, n, e in zip(directions, lengths, WIDE, strict=False)]
    if kernel == "laplacian":
        apart = [np.abs(X[:, None] - X[None]).sum(axis=2) for X in Xs]
        return [np.exp(-d / np.sqrt(e)) for d, e in zip(apart, WIDE, strict=False)]
    return [gaussian(X, e) for X, e in zip(Xs, WIDE, strict=False)]


def self_tuning(X):
    D = np.square(X[:, None] - X[None]).sum(axis=2)
    sigma = np.sqrt(np.sort(D, axis=1)[:, 7])
    return np.exp(-D / np.outer(sigma, sigma))


def given(count):
    """Positive semidefinite tables of affinities whose diagonals differ from sample to sample."""
    rng = np.random.default_rng(6)
    each = [gaussian(X, e) for X, e in zip(views(count), WIDE, strict=False)]
    own = [rng.uniform(0.5, 2.0, size=M) for _ in each]
    return [K + np.diag(d) for K, d in zip(each, own, strict=True)]


def in_form(Xs, method, kernel="gaussian", **params):
    """The share that an answer carries."""
    data = as_multiview(Xs)
    used = 1 if method == "single" else len(Xs)
    made = plan(get_method(method), data, None, kernel, WIDE[:used], params)
    stages = prepare(made, data, EmbedOptions(Task(), remember_once()))
    return decompose(get_method(method), stages).info[STEPS_THAT_STAY]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "knn-25", "self-tuning", "precomputed"])
@pytest.mark.parametrize(("method", "eta", "count"), [
    ("single", 0.0, 1), ("kernel-sum", 0.0, 3), ("kernel-product", 0.0, 3), ("alternating", 0.0, 2), ("de-sa", 0.0, 2),
    ("multiview", 0.0, 2), ("multiview", 0.3, 3), ("multiview", 1.0, 2),
])  # fmt: skip
def test_kernels_in_another_form_have_the_share_of_the_kernels_they_are_made_of(method, eta, count, kernel, form):
    Xs = given(count) if kernel == "precomputed" else views(count)
    expected = dense_share(own_kernels(kernel, Xs), method, 0.0, eta)
    params = FORMS[form] | ({"eta": eta} if method == "multiview" else {})
    found = in_form(Xs, method, kernel, **params)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kernel", ["gaussian", "knn-25", "precomputed"])
@pytest.mark.parametrize(("method", "eta", "count"), [
    ("single", 0.0, 1), ("kernel-sum", 0.0, 3), ("kernel-product", 0.0, 3), ("alternating", 0.0, 2),
    ("multiview", 0.0, 2), ("multiview", 0.3, 3),
])  # fmt: skip
def test_without_loops_it_is_normalised_by_density_with_them(method, eta, count, kernel):
    Xs = given(count) if kernel == "precomputed" else views(count)
    expected = dense_share(own_kernels(kernel, Xs), method, 1.0, eta)
    found = in_form(Xs, method, kernel, self_loops=False, **settings(method, 1.0, eta))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("method", "eta"), [("kernel-sum", 0.0), ("kernel-product", 0.0), ("multiview", 0.3)])
def test_in_another_form_views_count_as_much_as_they_weigh(method, eta, form):
    kernels = own_kernels("precomputed", given(3))
    expected = dense_share(kernels, method, 0.0, eta, (1.0, 2.0, 0.5))
    params = FORMS[form] | ({"eta": eta} if method == "multiview" else {})
    found = in_form(given(3), method, "precomputed", view_weights=WEIGHTS, **params)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_views_of_equal_volume_weigh_as_with_their_loops(method, form):
    kernels = own_kernels("gaussian", views())
    volumes = [1.0 / K.sum() for K in kernels]
    found = in_form(views(), method, view_weights="equal-volume", **FORMS[form])
    assert found == pytest.approx(dense_share(kernels, method, 0.0, 0.0, volumes), abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_concatenated_samples_in_another_form_have_the_share_of_one_kernel(form):
    both = np.hstack(views())
    for kernel, K in (("gaussian", gaussian(both, 0.5)), ("knn-25", nearest(both, 0.5, 25))):
        found = in_form(views(), "concatenation", kernel, joint_epsilon=0.5, **FORMS[form])
        assert found == pytest.approx(np.diag(walk_of(K, 0.0)).mean(), abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "multiview", "alternating"])
def test_stored_in_single_precision_kernels_in_another_form_lose_no_more(method, form, monkeypatch):
    for module in ("pipeline.view_kernel", "pipeline.joint_kernel"):
        monkeypatch.setattr(f"mvexplorer.engine.{module}.FLOAT32_SAMPLES", 50)
    Xs = views({"single": 1, "alternating": 2}.get(method, 3))
    found = in_form(Xs, method, **FORMS[form])
    assert found == pytest.approx(dense_share(own_kernels("gaussian", Xs), method, 0.0), rel=1e-5)


@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("method", ["single", "concatenation", "kernel-sum", "kernel-product", "multiview"])
def test_one_kernel_in_single_precision_serves_both_precisions(method, interactive, monkeypatch):
    for module in ("pipeline.view_kernel", "pipeline.joint_kernel"):
        monkeypatch.setattr(f"mvexplorer.engine.{module}.FLOAT32_SAMPLES", 50)
    monkeypatch.setattr("mvexplorer.engine.pipeline.solve.WORTH_BOTH", 100)
    for params in ({}, *FORMS.values()):
        Xs, task = views(1 if method == "single" else 3), Task()
        answer = mvx.embed(Xs, method, epsilon=0.5, task=task, interactive=interactive, **params)
        assert task.affinities == (3 if method in ("kernel-sum", "multiview") else 1)
        exact = mvx.embed(Xs, method, epsilon=0.5, **params)
        np.testing.assert_allclose(answer.eigenvalues, exact.eigenvalues, atol=1e-3)


@pytest.mark.parametrize("form", [{}, *FORMS.values()])
@pytest.mark.parametrize(("method", "count"), [
    ("single", 1), ("concatenation", 1), ("kernel-product", 1), ("kernel-sum", 3), ("multiview", 3),
])  # fmt: skip
def test_no_kernel_is_made_twice_for_an_exact_answer(method, count, form):
    task = Task()
    answer = mvx.embed(views(1 if method == "single" else 3), method, epsilon=0.2, task=task, **form)
    assert 0.0 < answer.info[STEPS_THAT_STAY] < 1.0
    assert task.affinities == count


# The notice -----------------------------------------------------------------------------------------------------------

LOOPS = Param("self_loops", "", None, "Whether a step may stay.", kind="flag")


def with_loops(method):
    """The method with the parameter that leaves self-loops out."""
    known = get_method(method)
    params = [param for param in known.params if param.name != LOOPS.name]
    return replace(known, params=(*params, LOOPS))


def told(method, share, kernel="gaussian", **params):
    made = stages_of(views(1 if method == "single" else 2), method, kernel)
    return dict(notice_of_stays(with_loops(method), made.with_params({**made.params, **params}), share))


@pytest.mark.parametrize("method", ["single", "concatenation", "kernel-sum", "kernel-product"])
def test_many_steps_that_stay_are_told_of_one_kernel(method):
    ((code, notice),) = told(method, 0.414).items()
    assert (code, notice, notice.level) == (STEPS_STAY, "41 % of the steps stay where they are.", "info")
    assert told(method, 0.999)[STEPS_STAY] == "More than 99 % of the steps stay where they are."
    assert told(method, 0.1)
    assert not told(method, 0.0999)
    assert not told(method, None)


@pytest.mark.parametrize("method", ["multiview", "de-sa", "alternating"])
def test_between_views_the_share_is_no_notice(method):
    assert not told(method, 0.9)


def test_it_is_silent_where_loops_cannot_be_left_out_or_are():
    assert told("single", 0.4, self_loops=None)
    assert told("single", 0.4, self_loops=True)
    assert not told("single", 0.4, self_loops=False)
    assert not told("single", 0.4, normalisation="doubly-stochastic")
    assert not told("single", 0.4, "landmarks-60")
    without = replace(get_method("single"), params=())
    assert not notice_of_stays(without, stages_of(views(1), "single"), 0.4)


def solved_with_loops(Xs):
    stages = stages_of(Xs, "kernel-sum").scaled(0.1)
    return decompose(with_loops("kernel-sum"), stages.with_params({LOOPS.name: None, **stages.params}))


def test_an_answer_carries_the_notice_last_and_a_view_alone_in_its_place():
    Xs = [np.arange(float(M))[:, None] * 1e4, views()[0]]
    codes = [code for code, _ in solved_with_loops(Xs).warnings]
    assert ALONE in codes
    assert STEPS_STAY not in codes
    close = solved_with_loops(views(2))
    assert close.info[STEPS_THAT_STAY] > 0.1
    assert close.warnings[-1][0] == STEPS_STAY
