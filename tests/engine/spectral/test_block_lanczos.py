"""Cold answers: block Lanczos against dense LAPACK, its traps, and the way from single to double precision."""

import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.pipeline import solve as solve_stage
from mvexplorer.engine.spectral import block_lanczos as module
from mvexplorer.engine.spectral.block_lanczos import block_lanczos
from tests.engine.spectral.test_davidson import angle, symmetric

N = 400


def solve(matrix, k, known=None, task=None, asked=1e-9):
    known = np.empty((len(matrix), 0), dtype=matrix.dtype) if known is None else known
    return block_lanczos(lambda V: matrix @ V, known, k, task or Task(), angle=asked)


@pytest.mark.parametrize("ratio", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_leading_pairs_of_a_geometric_spectrum(k, ratio):
    matrix, basis = symmetric(ratio ** np.arange(N))
    found = solve(matrix, k)
    assert found.values[:k] == pytest.approx(ratio ** np.arange(k), abs=1e-12)
    assert angle(found.vectors[:, :k], basis[:, :k]) < 1e-7
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(found.vectors.shape[1]), atol=1e-12)


@pytest.mark.parametrize("k", [4, 9, 13])
def test_a_draft_ends_after_so_many_products_whatever_its_width(k):
    """The last block is looked at, too: a draft that were given up there would begin again, vector by vector."""
    spectrum = 1.0 - 1e-6 * np.arange(1000)[:, None]  # crowded at 1, as at a small ε
    products, task = [], Task()
    found = block_lanczos(lambda V: products.append(1) or spectrum * V, np.empty((1000, 0)), k, task, angle=1e-2)
    assert found.vectors.shape[1] >= k
    assert len(products) == module.DRAFT_BLOCKS
    assert [code for code, _ in task.warnings] == ["rough"]


def test_an_answer_that_comes_with_the_last_product_is_taken(monkeypatch):
    matrix, basis = symmetric(0.95 ** np.arange(N))
    products = []
    block_lanczos(lambda V: products.append(1) or matrix @ V, np.empty((N, 0)), 9, Task(), angle=1e-7)
    monkeypatch.setattr(module, "GROWTH", 100.0)
    monkeypatch.setattr(module, "MOST_BLOCKS", len(products))
    found = solve(matrix, 9, asked=1e-7)
    assert angle(found.vectors[:, :9], basis[:, :9]) < 1e-6


def test_the_known_vectors_are_left_out():
    matrix, basis = symmetric(0.8 ** np.arange(N))
    found = solve(matrix, 4, known=np.ascontiguousarray(basis[:, :2]))
    assert found.values[:4] == pytest.approx(0.8 ** np.arange(2, 6), abs=1e-12)
    assert np.abs(found.vectors.T @ basis[:, :2]).max() < 1e-12


@pytest.mark.parametrize("pieces", [5, 12, 25, 60])
def test_eigenvalues_that_come_many_times_are_all_found(pieces):
    """As of a graph in pieces: of a multiplicity a Krylov space holds no more vectors than it began with."""
    spectrum = np.concatenate([np.ones(pieces), 0.9 * 0.9 ** np.arange(N - pieces)])
    matrix, basis = symmetric(spectrum)
    found = solve(matrix, 10, known=np.ascontiguousarray(basis[:, :1]))
    assert found.values[:10] == pytest.approx(spectrum[1:11], abs=1e-10)


def test_few_distinct_eigenvalues_end_the_space_early():
    matrix, _ = symmetric([0.9, 0.9, 0.9, 0.5, 0.5, -0.95, -0.99])
    assert solve(matrix, 6).values[:6] == pytest.approx([0.9, 0.9, 0.9, 0.5, 0.5, 0.0], abs=1e-10)


def test_an_eigenvector_on_one_sample_alone_is_found():
    """No part of the samples would show it."""
    spectrum = np.array([0.9 * 0.98**i for i in range(N)])
    spectrum[-1] = 0.95
    found = block_lanczos(lambda V: spectrum[:, None] * V, np.empty((N, 0)), 5, Task(), angle=1e-5)
    assert found.values[0] == pytest.approx(0.95, abs=1e-9)


def test_a_restart_loses_nothing(monkeypatch):
    matrix, basis = symmetric(0.99 ** np.arange(N))
    monkeypatch.setattr(module, "MOST_VECTORS", 4)
    found = solve(matrix, 5, asked=1e-6)
    assert found.values[:5] == pytest.approx(0.99 ** np.arange(5), abs=1e-10)
    assert angle(found.vectors[:, :5], basis[:, :5]) < 1e-5


@pytest.mark.parametrize("asked", [1e-2, 1e-4, 1e-6])
def test_the_answer_is_as_good_as_asked(asked):
    matrix, basis = symmetric(0.93 ** np.arange(N))
    found = solve(matrix, 8, asked=asked)
    for j in range(3 if asked > 1e-3 else 8):
        assert angle(found.vectors[:, j : j + 1], basis[:, j : j + 1]) < 2.0 * asked


def test_single_precision_comes_as_near_as_it_can():
    matrix, basis = symmetric(0.7 ** np.arange(N))
    found = solve(matrix.astype(np.float32), 5, asked=1e-4)
    assert found.vectors.dtype == np.float32
    assert found.values[:5] == pytest.approx(0.7 ** np.arange(5), abs=2e-6)
    assert angle(found.vectors[:, :5].astype(float), basis[:, :5]) < 1e-3


def test_it_stops_between_two_products():
    matrix, _ = symmetric(0.99 ** np.arange(N))
    task, products = Task(), []

    def apply(V):
        products.append(1)
        if len(products) == 4:
            task.cancel()
        return matrix @ V

    with pytest.raises(Cancelled):
        block_lanczos(apply, np.empty((N, 0)), 5, task, angle=1e-9)
    assert len(products) <= 5


# Cold pictures against dense double precision -------------------------------------------------------------------


@pytest.fixture
def both(monkeypatch):
    """Few samples, too, are solved in both precisions."""
    monkeypatch.setattr(solve_stage, "WORTH_BOTH", 0)


def noisy_circles(n=320, n_views=2, noise=0.1):
    random = np.random.default_rng(0)
    t = 2 * np.pi * random.random(n)
    ring = np.column_stack([np.cos(t), np.sin(t), 0.5 * np.sin(2 * t)])
    return [ring @ random.standard_normal((3, 6)) + noise * random.standard_normal((n, 6)) for _ in range(n_views)]


def dense_spectrum(Xs, epsilon, method):
    """Eigenvalues and right eigenvectors, from the definition alone."""
    K = [np.exp(-np.square(X[:, None] - X[None]).sum(-1) / (2 * epsilon)) for X in Xs]
    n = len(K[0])
    if method == "multiview":
        W = K[0] @ K[1]
        A = np.block([[np.zeros((n, n)), W], [W.T, np.zeros((n, n))]])
    else:
        A = {"single": K[0], "kernel-sum": sum(K), "kernel-product": K[0] * K[-1]}[method]
    scale = 1.0 / np.sqrt(A.sum(axis=1))
    values, vectors = np.linalg.eigh(A * scale[:, None] * scale)
    return values[::-1], vectors[:, ::-1] * scale[:, None]


@pytest.mark.parametrize("epsilon", [0.2, 2.0])
@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "multiview"])
def test_cold_answers_and_first_pictures_agree_with_dense_double_precision(method, epsilon, both):
    Xs = noisy_circles(n_views=1 if method == "single" else 2)
    values, vectors = dense_spectrum(Xs, epsilon, method)
    task = Task()
    exact = embed(Xs, method, epsilon=epsilon, n_components=6, task=task)
    assert exact.eigenvalues == pytest.approx(values[:7], abs=1e-9)
    psi = np.vstack(exact.decomposition.blocks)
    first = np.vstack(embed(Xs, method, epsilon=epsilon, n_components=6, interactive=True).decomposition.blocks)
    for j in range(1, 7):
        if values[j] - values[j + 1] > 0.01 * values[j]:
            assert angle(psi[:, 1 : j + 1], vectors[:, 1 : j + 1]) < 1e-5
            assert angle(first[:, 1 : j + 1], vectors[:, 1 : j + 1]) < (0.01 if j <= 3 else 0.1)


def test_what_decouples_is_not_lost_on_the_way_through_single_precision(both):
    """Many groups far apart: eigenvalue 1 comes as often."""
    random = np.random.default_rng(0)
    X = np.repeat(100.0 * random.standard_normal((9, 3)), 40, axis=0) + random.standard_normal((360, 3))
    found = embed([X], "single", epsilon=1.0, n_components=10)
    assert np.count_nonzero(found.eigenvalues > 1.0 - 1e-9) == 9
    assert found.eigenvalues == pytest.approx(dense_spectrum([X], 1.0, "single")[0][:11], abs=1e-9)
