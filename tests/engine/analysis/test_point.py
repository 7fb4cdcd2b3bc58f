"""What one sample is to all others, against matrices of all pairs."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from itertools import combinations, product

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.analysis.point import (
    cross_view_terms,
    distance_kind,
    farthest_points,
    nearest_to,
    probabilities_from,
    squared_from,
    view_distances,
)
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels import operators
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.methods import methods
from mvexplorer.engine.pipeline import view_kernel
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.errors import ParameterError

TIGHT = 1e-10
WALKS = ["single", "concatenation", "kernel-product", "kernel-sum", "multiview", "de-sa", "alternating"]


def made(method="multiview", n=40, n_views=3, **options):
    Xs, epsilon = dense.views(n, n_views)
    return Xs, epsilon, mvx.embed(Xs, method, epsilon=epsilon, **{"n_components": 3, **options})


def stochastic(K, alpha=0.0):
    K = K / np.outer(K.sum(axis=1), K.sum(axis=1)) ** alpha
    return K / K.sum(axis=1, keepdims=True)


def walk_of(method, Xs, epsilon, eta=0.0, alpha=0.0):
    """The transition matrix, entry by entry from the papers."""
    each = [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    if method == "alternating":
        return stochastic(each[0], alpha) @ stochastic(each[1], alpha)
    K = {
        "single": lambda: each[0],
        "kernel-sum": lambda: sum(each),
        "kernel-product": lambda: np.prod(each, axis=0),
        "concatenation": lambda: dense.gaussian(np.hstack(Xs), sum(epsilon)),
        "multiview": lambda: dense.multiview_kernel(each, eta),
        "de-sa": lambda: dense.multiview_kernel(each[:2]),
    }[method]()
    return stochastic(K, alpha)


@pytest.mark.parametrize("method", WALKS)
@pytest.mark.parametrize("t", [1, 3])
def test_rows_of_powers_of_p(method, t):
    Xs, epsilon, found = made(method, n_views=2)
    p = mvx.transition_probabilities(found, 7, t)
    power = np.linalg.matrix_power(walk_of(method, Xs, epsilon), t)
    blocks = len(power) // 40
    theirs = power.reshape(blocks, 40, blocks, 40)[:, 7]
    assert p.shape == theirs.shape
    assert np.abs(p - theirs).max() <= TIGHT


@pytest.mark.parametrize(("eta", "alpha"), [(0.0, 0.0), (0.3, 0.0), (0.3, 0.5), (1.0, 0.0)])
def test_rows_of_the_walk_through_three_views(eta, alpha):
    Xs, epsilon, found = made(eta=eta, alpha=alpha)
    power = np.linalg.matrix_power(walk_of("multiview", Xs, epsilon, eta, alpha), 2)
    p = mvx.transition_probabilities(found, found.sample_ids[11], 2)
    assert np.abs(p - power.reshape(3, 40, 3, 40)[:, 11]).max() <= TIGHT
    assert np.allclose(p.sum(axis=(1, 2)), 1.0)


@pytest.mark.parametrize("kernel", ["knn-8", "landmarks-25"])
@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_rows_of_walks_whose_kernels_are_no_arrays(method, kernel):
    _, _, found = made(method, kernel=kernel)
    stages = found.known.stages().with_memo(remember_once())
    each = [as_array(kernel_of(stages, i)) for i in range(3)]
    power = np.linalg.matrix_power(stochastic(sum(each) if method == "kernel-sum" else dense.multiview_kernel(each)), 2)
    blocks = len(power) // 40
    p = mvx.transition_probabilities(found, 7, 2)
    assert np.abs(p - power.reshape(blocks, 40, blocks, 40)[:, 7]).max() <= TIGHT


@pytest.mark.parametrize("method", ["single", "multiview"])
def test_a_walk_from_one_view_or_from_all_alike(method):
    _, _, found = made(method)
    p = mvx.transition_probabilities(found, 7, 3)
    assert np.abs(probabilities_from(found, 7, 3) - p.mean(axis=0)).max() <= TIGHT
    for view, row in zip(found.views, p, strict=False):
        assert np.abs(probabilities_from(found, 7, 3, view) - row).max() <= TIGHT


def test_methods_that_walk_are_those_of_the_help():
    assert {m.id for m in methods() if m.walk is not None} == set(WALKS)
    assert {distance_kind(m) for m in ("single", "multiview", "local-cca")} == {"diffusion"}
    assert (distance_kind("jade"), distance_kind("pca"), distance_kind("kernel-cca")) == (
        "heat",
        "coordinates",
        "coordinates",
    )


@pytest.mark.parametrize(("eta", "n_views"), [(0.3, 2), (0.0, 3)])
def test_distances_are_those_between_rows_of_powers_of_p(eta, n_views):
    n = 24
    Xs, epsilon = dense.views(n, n_views)
    found = mvx.embed(Xs, "multiview", epsilon=epsilon, n_components=n - 2, eta=eta, t=2)
    K = dense.multiview_kernel([dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)], eta)
    values, psi = dense.walk(K)
    kept = slice(1, n - 1)
    blocks = [values[kept] ** 2 * part[:, kept] for part in np.split(psi, n_views)]
    ours = mvx.distances_from(found, 5)
    inner = np.stack([squared_from(Y, 5) for Y in blocks])
    assert np.abs(ours.inner - inner).max() <= TIGHT * max(1.0, inner.max())  # (18), cut after r
    assert np.abs(ours.squared - inner.sum(axis=0)).max() <= TIGHT * max(1.0, inner.max())  # (22)
    cross = [[np.square(A[5] - B[5]).sum() for B in blocks] for A in blocks]
    assert np.abs(ours.cross - cross).max() <= TIGHT * max(1.0, np.max(cross))  # (30)
    terms = cross_view_terms(found.view_coordinates)
    assert np.isclose(terms[5], ours.cross[np.triu_indices(n_views, 1)].sum())
    assert np.isclose(terms.sum(), sum(np.square(A - B).sum() for i, A in enumerate(blocks) for B in blocks[:i]))


@pytest.mark.parametrize("n_views", [2, 3])
def test_terms_of_single_views_do_not_depend_on_the_signs_of_eigenvectors(n_views):
    """(55) by dense walks: the signs that give the least distance, of all there are."""
    n, r, t = 24, 4, 2
    Xs, epsilon = dense.views(n, n_views)
    walks = [dense.walk(dense.gaussian(X, e)) for X, e in zip(Xs, epsilon, strict=True)]
    exact = [values[1 : r + 1] ** t * psi[:, 1 : r + 1] for values, psi in walks]
    wanted = np.zeros(n)
    for A, B in combinations(exact, 2):
        flips = [np.array(signs) for signs in product((1.0, -1.0), repeat=r)]
        wanted += np.square(A - B * min(flips, key=lambda s: np.square(A - B * s).sum())).sum(axis=1)
    found = [
        mvx.embed({"one": X}, "single", epsilon=e, n_components=r, t=t).coordinates
        for X, e in zip(Xs, epsilon, strict=True)
    ]  # fmt: skip
    for seed in range(3):
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n_views, r))
        flipped = [Y * s for Y, s in zip(found, signs, strict=True)]
        terms = cross_view_terms(flipped, aligned=True)
        assert np.abs(terms - wanted).max() <= TIGHT * wanted.max()


def test_all_coordinates_give_the_distance_between_rows():
    """(16): with every coordinate there is, to rounding, without any truncation."""
    n = 20
    Xs, epsilon = dense.views(n, 1)
    found = mvx.embed(Xs, "single", epsilon=epsilon, n_components=n - 2, t=1)
    K = dense.gaussian(Xs[0], epsilon[0])
    P, d = stochastic(K), K.sum(axis=1)
    values, psi = dense.walk(K)
    rows = np.square(P - P[3]) @ (d.sum() / d)  # ψ_0 = 1: weights Tr D / D
    last = values[-1] ** 2 * np.square(psi[:, -1] - psi[3, -1])  # a panel shows M - 2 coordinates at most
    assert np.abs(mvx.distances_from(found, 3).squared + last - rows).max() <= TIGHT * rows.max()
    powers = mvx.distances_from(found, 3, t=4).squared
    kept = values[1:-1] ** 4 * psi[:, 1:-1]
    assert np.abs(powers - squared_from(kept, 3)).max() <= TIGHT


def test_heat_distances():
    Xs, _, found = made("laplacian-mean", graph="kernel", heat_time=2.0)
    values, v = found.eigenvalues[:3], found.decomposition.blocks[0][:, :3]
    theirs = (np.exp(-2.0 * values) * np.square(v - v[4])).sum(axis=1)
    ours = mvx.distances_from(found, 4)
    assert ours.kind == "heat"
    assert np.abs(ours.squared - theirs).max() <= TIGHT
    assert len(Xs[0]) == len(theirs)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "correlation", "precomputed"])
def test_distances_in_a_view(kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4)) + 1e4
    X = dense.gaussian(X, 2.0) if kernel == "precomputed" else X
    stages = Stages(mvx.MultiView([X]), [0], kernels=[parse_kernel(kernel)])
    ours = view_distances(stages, 0, 9)
    theirs = {
        "gaussian": lambda: np.square(X - X[9]).sum(axis=1),
        "laplacian": lambda: np.square(np.abs(X - X[9]).sum(axis=1)),
        "correlation": lambda: 1.0 - np.corrcoef(X)[9],
        "precomputed": lambda: np.diag(X) + X[9, 9] - 2 * X[9],
    }[kernel]()
    scale = ours[1] / theirs[1] if kernel == "correlation" else 1.0  # up to the factor in its exponent
    np.testing.assert_allclose(ours, scale * theirs, rtol=1e-7, atol=1e-9)
    assert list(nearest_to(ours, 9, 3)) == [j for j in np.argsort(theirs) if j != 9][:3]


def test_farthest_points_against_a_loop():
    Y = np.random.default_rng(2).normal(size=(50, 3))
    picked = [17]
    for _ in range(9):
        picked.append(max(range(50), key=lambda j: min(np.linalg.norm(Y[j] - Y[i]) for i in picked)))
    assert farthest_points(Y, 17, 10).tolist() == picked
    assert farthest_points(Y, 17, 4).tolist() == picked[:4]  # k grows: the first stay
    assert farthest_points(np.zeros((5, 2)), 1, 3).tolist() == [1]
    for wrong in (lambda: farthest_points(Y, 50, 3), lambda: farthest_points(Y, 0, 0)):
        with pytest.raises(ParameterError):
            wrong()


def test_a_part_that_was_solved_on():
    Xs, epsilon = dense.views(60, 2)
    found = mvx.embed(Xs, "multiview", epsilon=epsilon, subsample=30)
    inside = [i for i in range(60) if _has_probabilities(found, i)]
    assert len(inside) == 30
    p = mvx.transition_probabilities(found, inside[4], 2)
    part = [X[inside] for X in Xs]
    power = np.linalg.matrix_power(walk_of("multiview", part, epsilon), 2).reshape(2, 30, 2, 30)[:, 4]
    assert np.abs(p[:, :, inside] - power).max() <= TIGHT
    assert p.shape == (2, 2, 60)


def _has_probabilities(found, i):
    with suppress(ParameterError):
        return mvx.transition_probabilities(found, i) is not None
    with pytest.raises(ParameterError, match="placed afterwards"):
        mvx.transition_probabilities(found, i)
    return False


def test_what_cannot_be_told_is_said():
    _, _, pca = made("pca")
    _, _, walk = made()
    for wrong, words in (
        (lambda: mvx.transition_probabilities(pca, 0), "no walk"),
        (lambda: mvx.transition_probabilities(walk, 40), "no sample number 40"),
        (lambda: mvx.distances_from(walk, "nobody"), "no sample “nobody”"),
        (lambda: mvx.transition_probabilities(walk, 0, 0), "no number of steps"),
        (lambda: mvx.distances_from(pca, 0, t=2), "no diffusion time"),
    ):
        with pytest.raises(ParameterError, match=words):
            wrong()
    assert mvx.distances_from(pca, 0).kind == "coordinates"


def test_rows_make_no_matrix_of_all_pairs():
    """With the kernels at hand no further one is evaluated, and nothing as large is held."""
    n = 1500
    data, memo, task = mvx.datasets.make_helix_a(n_samples=n), remember_once(), Task()
    found = mvx.embed(data, "multiview", epsilon=0.36, memo=memo)
    tracemalloc.start()
    try:
        p = mvx.transition_probabilities(found, 3, 2, task=task, memo=memo)
        mvx.distances_from(found, 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert task.affinities == 0
    assert peak < n * n  # an eighth of a matrix
    assert p.shape == (2, 2, n)


def products_of(monkeypatch):
    """The vectors of each product with a stored kernel that is made from now on, and its precision."""
    made, times = [], operators.Float32Kernel.times

    def counted(kernel, V, task):
        made.append((1 if V.ndim == 1 else V.shape[1], kernel.dtype))
        return times(kernel, V, task)

    monkeypatch.setattr(operators.Float32Kernel, "times", counted)
    return made


def test_a_step_of_the_walk_through_views_costs_rows_and_few_products(monkeypatch):
    """Of large kernels one step is a product for each view, with the rows of the others, as precise as they are held.

    Each further one is two products for each view; row sums are made once, for all samples that are asked about.
    """
    n, n_views = 600, 3
    monkeypatch.setattr(view_kernel, "FLOAT32_SAMPLES", 500)
    Xs, epsilon = dense.views(n, n_views)
    memo, task = remember_once(), Task()
    found = mvx.embed(Xs, "multiview", epsilon=epsilon, n_components=1, memo=memo)
    made = products_of(monkeypatch)
    tracemalloc.start()
    try:
        one = mvx.transition_probabilities(found, 7, 1, memo=memo, task=task)
        assert made == [(n_views - 1, np.float32)] * n_views
        three = mvx.transition_probabilities(found, 7, 3, memo=memo, task=task)
        assert len(made) == 2 * n_views + 2 * n_views + 2 * 2 * n_views
        made.clear()
        mvx.transition_probabilities(found, 8, 2, memo=memo, task=task)
        assert made == [(n_views - 1, np.float32)] * n_views + [(n_views, np.float32)] * 2 * n_views
        made.clear()
        alike = probabilities_from(found, 7, 3, memo=memo, task=task)
        assert made == [(n_views - 1, np.float32)] * n_views + [(1, np.float32)] * 2 * 2 * n_views
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert task.affinities == 0
    assert peak < 32 * 8 * n * n_views  # rows, not M x M
    kernels = [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    step = stochastic(dense.multiview_kernel(kernels))
    row = step.reshape(n_views, n, -1)[:, 7]
    assert np.allclose(one.reshape(n_views, -1), row, rtol=1e-4, atol=1e-8)
    assert np.allclose(three.reshape(n_views, -1), row @ step @ step, rtol=1e-4, atol=1e-8)
    assert np.allclose(alike, three.mean(axis=0), rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_with_few_vectors_are_products(dtype):
    rng = np.random.default_rng(3)
    K = rng.random((701, 653), dtype=np.float32)
    V = rng.normal(size=(653, 3)).astype(dtype)
    ours = operators.times(K, V)
    assert ours.dtype == dtype
    assert np.allclose(
        ours, K.astype(np.float64) @ V.astype(np.float64), rtol=0, atol=1e-11 if dtype == np.float64 else 1e-3
    )
