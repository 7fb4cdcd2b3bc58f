"""Block Golub-Kahan against dense LAPACK, in single precision, for which it is there, and in double."""

import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.spectral.davidson import Stalled
from mvexplorer.engine.spectral.eigenpairs import Search, singular_vectors
from mvexplorer.engine.spectral.golub_kahan import block_golub_kahan
from tests.engine.spectral.test_davidson import angle

N = 400


def matrix_of(values, dtype="float64"):
    """A matrix of these singular values, and its left and right singular vectors."""
    random = np.random.default_rng(0)
    left, right = (np.linalg.qr(random.standard_normal((N, N)))[0] for _ in range(2))
    return ((left * values) @ right.T).astype(dtype), left, right


def solve(matrix, known, k, asked, task=None):
    sides = tuple(vectors.astype(matrix.dtype) for vectors in known)
    return block_golub_kahan(lambda V: matrix @ V, lambda U: matrix.T @ U, sides, k, task or Task(), angle=asked)


@pytest.mark.parametrize("ratio", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_leading_vectors_of_a_geometric_spectrum(k, ratio):
    values = ratio ** np.arange(N)
    matrix, left, right = matrix_of(values)
    found = solve(matrix, (left[:, :1], right[:, :1]), k, 1e-9)
    assert found.values[:k] == pytest.approx(values[1 : k + 1], abs=1e-12)
    assert angle(found.vectors[:, :k], left[:, 1 : k + 1]) < 1e-7
    assert np.abs(found.vectors.T @ left[:, :1]).max() < 1e-12


def test_single_precision_resolves_what_it_loses_of_the_squares():
    values = np.concatenate([[1.0], 1e-3 * 0.5 ** np.arange(N - 1)])
    matrix, left, right = matrix_of(values, "float32")
    found = solve(matrix, (left[:, :1], right[:, :1]), 4, 5e-3)
    assert found.vectors.dtype == np.float32
    assert found.values[:3] == pytest.approx(values[1:4], rel=1e-3)
    assert angle(found.vectors[:, :3].astype(float), left[:, 1:4]) < 5e-3


@pytest.mark.parametrize("pieces", [3, 12])
def test_values_that_come_many_times_are_all_found(pieces):
    values = np.concatenate([np.ones(pieces), 0.5 * 0.9 ** np.arange(N - pieces)])
    matrix, left, right = matrix_of(values)
    found = solve(matrix, (left[:, :1], right[:, :1]), pieces, 1e-6)
    assert found.values[: pieces - 1] == pytest.approx(1.0)


def test_a_rough_draft_says_so():
    matrix, left, right = matrix_of(1.0 - 1e-6 * np.arange(N))
    task = Task()
    solve(matrix, (left[:, :1], right[:, :1]), 4, 5e-3, task)
    assert [code for code, _ in task.warnings] == ["rough"]


def test_nothing_beside_what_is_known_is_left_to_others():
    ones = np.full((N, 1), N**-0.5)
    with pytest.raises(Stalled):
        solve(np.full((N, N), 1.0 / N, dtype=np.float32), (ones, ones), 4, 5e-3)


def test_it_stops_between_products():
    values = 0.9 ** np.arange(N)
    matrix, left, right = matrix_of(values, "float32")
    task = Task()
    task.cancel()
    search = Search(5, precision="float32")
    with pytest.raises(Cancelled):
        singular_vectors(
            lambda V: matrix @ V, lambda U: matrix.T @ U, (left[:, 0] ** 2, right[:, 0] ** 2), search, task
        )


@pytest.mark.parametrize("method", ["multiview", "de-sa"])
def test_a_first_picture_of_small_values_is_right_without_double_precision(method):
    random = np.random.default_rng(0)
    Xs = [random.standard_normal((600, 30)) * np.r_[[6.0, 5.0, 3.0], np.ones(27)] for _ in range(2)]
    Xs[1][:, :3] = Xs[0][:, :3]
    epsilon = [100.0, 100.0]
    draft, exact = (embed(MultiView(Xs), method, epsilon=epsilon, n_components=6, interactive=i) for i in (True, False))
    values = exact.eigenvalues
    assert 2e-5 < values[3] < 2e-2
    assert not draft.decomposition.exact
    for j in range(1, 4):
        if values[j] - values[j + 1] > 0.01 * values[j]:
            A, B = (np.vstack(e.decomposition.blocks)[:, 1 : j + 1] for e in (draft, exact))
            assert angle(A, B) < 0.01
