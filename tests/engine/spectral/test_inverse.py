"""Eigenpairs that crowd at 1, against a dense solver; and pieces counted without one."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.bandwidth.rules.classes import CONNECTED, pieces
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral import eigenpairs
from mvexplorer.engine.spectral.davidson import Stalled
from mvexplorer.engine.spectral.eigenpairs import ANGLE_WARM, Search, diffusion_decomposition, top_eigenpairs
from mvexplorer.engine.spectral.inverse import crowded_eigenpairs, inverse_of_positive

K_ASKED = 8


def scattered(epsilon, n=400, seed=0):
    """A kernel on samples of which many are nearly alone, its row sums, and its symmetric walk."""
    X = np.random.default_rng(seed).standard_normal((n, 6))
    K = np.exp(-dense.squared(X) / (2 * epsilon))
    d = K.sum(axis=1)
    return K, d, K / np.sqrt(np.outer(d, d))


@pytest.mark.parametrize("epsilon", [0.3, 0.25, 0.2, 0.15])
def test_crowded_eigenpairs_against_a_dense_solver(epsilon):
    _, d, A = scattered(epsilon)
    known = np.sqrt(d / d.sum())[:, None]
    values, vectors = np.linalg.eigh(A)
    values, vectors = values[::-1], vectors[:, ::-1]
    assert values[3] > 0.99
    found, V = crowded_eigenpairs(A.copy(), known, K_ASKED, Task(), 1e-9)
    np.testing.assert_allclose(found[:K_ASKED], values[1 : K_ASKED + 1], atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-10)
    np.testing.assert_allclose(A @ V[:, :K_ASKED], V[:, :K_ASKED] * found[:K_ASKED], atol=1e-11)
    gap = values[K_ASKED] - values[K_ASKED + 1]
    if gap > 1e-9:
        outside = vectors[:, 1 : K_ASKED + 1] - V[:, :K_ASKED] @ (V[:, :K_ASKED].T @ vectors[:, 1 : K_ASKED + 1])
        assert np.linalg.norm(outside) < 1e-8 + 1e-14 / gap


def test_an_eigenvalue_that_comes_several_times():
    """Five pieces, each alike: 1 comes five times, and every other value as well."""
    _, d, A = scattered(0.3, n=80)
    whole, degrees = np.kron(np.eye(5), A), np.tile(d, 5)
    found, V = crowded_eigenpairs(whole.copy(), np.sqrt(degrees / degrees.sum())[:, None], K_ASKED, Task(), 1e-9)
    expected = np.linalg.eigvalsh(whole)[::-1][1 : K_ASKED + 1]
    np.testing.assert_allclose(found[:K_ASKED], expected, atol=1e-12)
    np.testing.assert_allclose(whole @ V[:, :K_ASKED], V[:, :K_ASKED] * found[:K_ASKED], atol=1e-11)


def test_an_operator_that_is_no_walk_is_refused():
    with pytest.raises(Stalled):
        crowded_eigenpairs(2.0 * np.eye(300), np.empty((300, 0)), 3, Task(), 1e-9)


@pytest.mark.parametrize("table", [True, False])
def test_no_full_decomposition_where_eigenvalues_crowd(table, monkeypatch):
    """A solver of all 400 eigenpairs takes fifteen times as long."""
    K, d, A = scattered(0.15)
    full, sizes = np.linalg.eigh, []
    expected = full(A)[0][::-1][:K_ASKED]
    monkeypatch.setattr(np.linalg, "eigh", lambda a: sizes.append(len(a)) or full(a))
    kernel = K if table else K.__matmul__
    found = diffusion_decomposition(kernel, d, Search(K_ASKED, angle=ANGLE_WARM), Task())
    np.testing.assert_allclose(found.eigenvalues, expected, atol=1e-12)
    assert max(sizes) < 300


def test_a_task_that_is_not_patient_ends_where_a_search_in_blocks_stalls():
    """Slower searches would follow, for a tenth of a minute and more; nobody waits for an anchor."""
    n, eigenvalues = 3100, 1.0 - 1e-9 * np.arange(3100)[:, None]
    task = Task()
    task.patient = False
    with pytest.raises(Stalled):
        top_eigenpairs(lambda V: eigenvalues * V, n, 4, task)
    assert task.products < 100


def test_values_that_crowd_at_0_are_left_to_others():
    A = np.diag(np.concatenate([[1.0, 0.5], np.full(398, 1e-14)]))
    values, _ = top_eigenpairs(A.__matmul__, 400, 5, Task())
    np.testing.assert_allclose(values, [1.0, 0.5, *[1e-14] * 3], atol=1e-13)
    assert eigenpairs.DENSE_SIZE < 400


@pytest.mark.parametrize("epsilon", [1.0, 0.1, 0.05, 0.02, 0.01])
def test_pieces_are_never_counted_too_many(epsilon):
    K, d, A = scattered(epsilon)
    truth = int(np.count_nonzero(np.linalg.eigvalsh(A) > 1.0 - CONNECTED))
    found = pieces(K, d)
    assert found <= truth
    assert found >= truth / 2 or truth < 10


@pytest.mark.parametrize("n", [1, 95, 300])
def test_the_inverse_of_a_positive_matrix(n):
    A = np.random.default_rng(n).standard_normal((n, n + 3))
    A = A @ A.T / n + 0.01 * np.eye(n)
    given = A.copy()
    found = inverse_of_positive(given, Task())
    assert found is given
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found, np.linalg.inv(A), atol=1e-10 * np.abs(found).max())


@pytest.mark.parametrize("gamma", [1e-2, 1e-5, 1e-8])
def test_it_loses_no_more_digits_than_an_elimination(gamma):
    """A kernel of low rank and little γ: the filter K (K + γI)⁻¹ against its eigenvalues."""
    X = np.random.default_rng(0).standard_normal((300, 3))
    K = np.exp(-dense.squared(X) / 4)
    values, vectors = np.linalg.eigh(K)
    values = np.maximum(values, 0.0)
    expected = (vectors * (values / (values + gamma))) @ vectors.T
    found = np.eye(300) - gamma * inverse_of_positive(K + gamma * np.eye(300), Task())
    by_elimination = np.eye(300) - gamma * np.linalg.inv(K + gamma * np.eye(300))
    assert np.abs(found - expected).max() <= 2.0 * np.abs(by_elimination - expected).max()


def test_a_matrix_that_is_not_positive_has_no_such_inverse():
    with pytest.raises(np.linalg.LinAlgError):
        inverse_of_positive(-np.eye(200), Task())
