"""Joint approximate diagonalisation against commuting matrices, a plain loop, and a scan of all angles."""

import numpy as np
import pytest
from reporting import Reporting

from mvexplorer.datasets import make_touching_rolls
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods.shared.graphs import graph_of_weights, neighbour_weights
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.engine.spectral.jacobi import jacobi_angles, joint_diagonalise, round_robin


def off(matrices, V):
    """Criterion (3), straight from its definition."""
    total = 0.0
    for A in matrices:
        B = V.T @ A @ V
        total += sum(B[p, q] ** 2 for p in range(len(B)) for q in range(len(B)) if p != q)
    return total


def symmetric(n_matrices, n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n_matrices, n, n))
    return A + A.transpose(0, 2, 1)


def orthogonal(n, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]


def roll_laplacians(n_samples):
    """Dense normalised Laplacians of the touching rolls' 5-NN graphs with Gaussian weights."""
    stages = Stages(make_touching_rolls(n_samples=n_samples), (0, 1))
    weights = [neighbour_weights(distances_of(stages, i), 5, "gaussian", Task()) for i in range(2)]
    return [graph_of_weights(W, Task()).laplacian.toarray() for W in weights]


@pytest.mark.parametrize("n", [2, 4, 10, 64])
def test_in_a_round_robin_every_two_meet_once(n):
    rounds = round_robin(n)
    assert len(rounds) == n - 1
    for p, q in rounds:
        assert sorted([*p, *q]) == list(range(n))
    met = {frozenset(pair) for p, q in rounds for pair in zip(p.tolist(), q.tolist(), strict=True)}
    assert len(met) == n * (n - 1) // 2


@pytest.mark.parametrize("n_matrices", [1, 2, 5])
def test_the_angle_is_the_best_of_all_angles(n_matrices):
    scan = np.linspace(-np.pi / 4, np.pi / 4, 20001)
    cases = [symmetric(n_matrices, 2, seed) for seed in range(20)]
    cases.append(np.array([[[1.0, 0.3], [0.3, 1.0]]] * n_matrices))  # equal diagonals: a quarter turn is needed
    for A in cases:
        found = float(jacobi_angles(A, np.array([0]), np.array([1]))[0])
        c, s = np.cos(scan), np.sin(scan)
        rest = sum((c * s * (M[1, 1] - M[0, 0]) + (c * c - s * s) * M[0, 1]) ** 2 for M in A)
        best = rest[np.argmin(np.abs(scan - found))]
        assert best <= rest.min() + 1e-7
        V = np.array([[np.cos(found), -np.sin(found)], [np.sin(found), np.cos(found)]])
        assert off(A, V) <= 2 * rest.min() + 1e-12


@pytest.mark.validates("jade")
def test_the_angle_trap():
    """From the identity on Laplacians of constant diagonal the common form of the angle never moves; ours does."""
    laplacians = roll_laplacians(100)
    A = np.stack(laplacians)
    np.testing.assert_allclose(np.diagonal(A, axis1=1, axis2=2), 1.0, atol=1e-15)
    p, q = np.triu_indices(100, 1)
    difference, twice = A[:, p, p] - A[:, q, q], 2 * A[:, p, q]
    t_on, t_off = (difference**2 - twice**2).sum(axis=0), 2 * (difference * twice).sum(axis=0)
    assert np.abs(0.5 * np.arctan2(t_off, t_on + np.hypot(t_on, t_off))).max() <= 1e-12
    assert np.count_nonzero(np.abs(jacobi_angles(A, p, q)) > 0.7) == np.count_nonzero(t_on)
    start = off_fast(laplacians, np.eye(100))
    trapped = joint_diagonalise(laplacians, Task(), most_sweeps=15)
    assert trapped.off <= start / 10
    basis = np.linalg.eigh(sum(laplacians))[1]
    proper = joint_diagonalise([basis.T @ L @ basis for L in laplacians], Task(), 1e-5)
    from_identity = joint_diagonalise(laplacians, Task(), 1e-5)
    assert from_identity.off == pytest.approx(proper.off, rel=0.03)


def off_fast(matrices, V):
    rotated = [V.T @ A @ V for A in matrices]
    return sum(float(np.square(B - np.diag(np.diag(B))).sum()) for B in rotated)


@pytest.mark.parametrize("n_matrices", [1, 2, 6])
@pytest.mark.parametrize("n", [2, 3, 31, 33, 150])
def test_exactly_commuting_matrices(n, n_matrices):
    Q, values = orthogonal(n), np.random.default_rng(1).uniform(0, 2, (n_matrices, n))
    matrices = [Q @ np.diag(v) @ Q.T for v in values]
    found = joint_diagonalise(matrices, Task())
    assert found.converged
    assert found.sweeps <= 8
    assert off_fast(matrices, found.vectors) < 1e-12 * n_matrices * n**2
    np.testing.assert_allclose(np.abs(Q.T @ found.vectors).max(axis=0), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.sort(found.diagonals, axis=1), np.sort(values, axis=1), atol=1e-10)


def loop_jacobi(matrices, sweeps):
    """Cyclic Jacobi as it is written down: one rotation after another, row by row."""
    A, n = [M.copy() for M in matrices], len(matrices[0])
    V = np.eye(n)
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                on = sum((M[p, p] - M[q, q]) ** 2 - 4 * M[p, q] ** 2 for M in A)
                cross = sum(4 * (M[p, p] - M[q, q]) * M[p, q] for M in A)
                theta = 0.25 * np.arctan2(cross, on)
                R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
                for M in A:
                    M[[p, q]] = R.T @ M[[p, q]]
                    M[:, [p, q]] = M[:, [p, q]] @ R
                V[:, [p, q]] = V[:, [p, q]] @ R
    return V


def nearly_commuting(n_matrices, n):
    """Diagonal in one basis but for a thousandth: the minimum of `off` is one."""
    Q, rng = orthogonal(n), np.random.default_rng(2)
    return [Q @ np.diag(rng.uniform(0, 2, n)) @ Q.T + 1e-3 * noise for noise in symmetric(n_matrices, n)]


@pytest.mark.parametrize("n", [5, 20, 40])
def test_against_a_plain_loop(n):
    """The same basis by another order of rotations."""
    matrices = nearly_commuting(3, n)
    found, V = joint_diagonalise(matrices, Task(), 1e-12), loop_jacobi(matrices, 12)
    assert found.off == pytest.approx(off(matrices, V), rel=1e-9)
    assert found.off == pytest.approx(off(matrices, found.vectors), rel=1e-9)
    np.testing.assert_allclose(np.sort(np.abs(V.T @ found.vectors), axis=0)[-1], 1.0, atol=1e-8)


@pytest.mark.parametrize("n", [12, 33])
def test_a_stationary_point(n):
    """Σ (a_pp - a_qq) a_pq = 0 for all pairs, the basis orthogonal, the diagonals those of the rotated matrices."""
    matrices = symmetric(3, n)  # far from commuting
    found = joint_diagonalise(matrices, Task(), 1e-15, 1000)
    V = found.vectors
    np.testing.assert_allclose(V.T @ V, np.eye(n), atol=1e-12)
    rotated = np.stack([V.T @ A @ V for A in matrices])
    diagonals = np.diagonal(rotated, axis1=1, axis2=2)
    np.testing.assert_allclose(found.diagonals, diagonals, atol=1e-11)
    gradient = ((diagonals[:, :, None] - diagonals[:, None, :]) * rotated).sum(axis=0)
    assert np.abs(gradient).max() <= 1e-7 * np.square(matrices).sum() / n


def test_zero_matrices_are_diagonal():
    found = joint_diagonalise([np.zeros((4, 4))] * 2, Task())
    assert (found.off, found.sweeps, found.converged) == (0.0, 0, True)
    np.testing.assert_array_equal(found.vectors, np.eye(4))


def test_the_matrices_given_stay_as_they_are():
    matrices = symmetric(2, 40)
    before = matrices.copy()
    assert not joint_diagonalise(list(matrices), Task(), most_sweeps=2).converged
    np.testing.assert_array_equal(matrices, before)


def test_it_stops_between_two_rounds_and_tells_every_sweep():
    class Impatient(Task):
        def checkpoint(self):
            if self.products >= 100:
                self.cancel()
            super().checkpoint()

    task = Impatient()
    with pytest.raises(Cancelled):
        joint_diagonalise(symmetric(2, 200), task)
    assert task.products == 100
    reporting = Reporting()
    found = joint_diagonalise(nearly_commuting(2, 30), reporting)
    assert len(reporting.reported) == found.sweeps
    assert all(0.0 <= f <= 1.0 for f in reporting.reported)
    assert reporting.reported[-1] == 1.0
