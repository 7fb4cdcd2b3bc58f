"""Reduced bases against dense matrices: an answer between two anchors, and what the certificate says about it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.reduced import (
    CERTAIN,
    PLACES_IF_LINEAR,
    SEPARATE,
    Interval,
    Pencil,
    Projected,
    eigenpairs_of,
    interpolation_weights,
    interval_between,
    joint_basis,
    places_between,
)

R, CARRIED = 4, 10

Matrices = Callable[[float], Array]
"""The symmetric kernel at a part 0..1 of the way."""


def dense(K: Array, count: int) -> tuple[Array, Array]:
    """All of D⁻¹K by LAPACK: eigenvalues (count,), right eigenvectors of D-norm √Tr D."""
    d = K.sum(axis=1)
    values, vectors = np.linalg.eigh(K / np.sqrt(np.outer(d, d)))
    order = np.argsort(values)[::-1][:count]
    return values[order], vectors[:, order] * np.sqrt(d.sum() / d)[:, None]


def pencil(K: Array) -> Pencil:
    return Pencil(lambda V: K.astype(V.dtype) @ V, K.sum(axis=1).astype(np.float32))


def between(kernel: Matrices, count: int = R, *, two_sided: bool = False, n_places: int = 5) -> Interval:
    anchors = [dense(kernel(part), CARRIED + 1)[1][:, 1:].astype(np.float32) for part in (0.0, 1.0)]
    return interval_between(
        anchors, lambda part: pencil(kernel(part)), count, Task(), two_sided=two_sided, n_places=n_places
    )


def angle(found: Array, true: Array, K: Array) -> float:
    """The largest angle between two spaces, each with the constant, in the inner product of D."""
    root = np.sqrt(K.sum(axis=1))[:, None]
    Q, R_ = (np.linalg.qr(np.column_stack([np.ones(len(V)), V]) * root)[0] for V in (found, true))
    return float(np.arcsin(np.clip(np.linalg.norm(Q - R_ @ (R_.T @ Q), 2), 0.0, 1.0)))


def separate_ends(values: Array, count: int) -> list[int]:
    """Sizes of the spaces, without the trivial vector, that end at a gap of more than a hundredth."""
    return [j for j in range(1, count + 1) if values[j] - values[j + 1] > SEPARATE * max(values[j], SEPARATE)]


def gaussian(X: Array, log_low: float, ratio: float = np.sqrt(2.0)) -> Matrices:
    D = np.square(X[:, None] - X).sum(axis=2)
    return lambda part: np.exp(-D / (2.0 * np.exp(log_low + part * np.log(ratio))))


def blob(n: int, d: int, seed: int, noise: float = 0.0) -> Array:
    rng = np.random.default_rng(seed)
    t = rng.uniform(0.0, 2.0 * np.pi, n)
    X = np.column_stack([np.cos(t), 1.7 * np.sin(t), 0.4 * np.sin(2.0 * t)])
    return np.hstack([X, np.zeros((n, max(0, d - 3)))])[:, :d] + noise * rng.standard_normal((n, d))


def test_interpolation_is_exact_for_polynomials_and_at_its_places() -> None:
    for count in (3, 5):
        places = places_between(count)
        assert places[count // 2] == 0.5
        assert np.all((places > 0.0) & (places < 1.0))
        for part in (0.0, 0.123, 0.9, *places):
            weights = interpolation_weights(places, part)
            for power in range(count):
                assert_allclose(weights @ places**power, part**power, atol=1e-12)


def test_the_basis_is_orthonormal_and_spans_both_anchors_and_the_constant() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((60, 5)), rng.standard_normal((60, 5))
    second[:, 0] = first[:, 0] * 3.0  # a direction that both have
    B = joint_basis([first, second], two_sided=True)
    assert B.shape == (60, 2 + 9)
    assert_allclose(B.T @ B, np.eye(11), atol=2e-6)
    assert_allclose(B[:, 0], 1.0 / np.sqrt(60), rtol=1e-6)
    sides = np.repeat([1.0, -1.0], 30)
    for v in (*first.T, *second.T, sides):
        assert_allclose(B @ (B.T @ v), v, atol=2e-5)


def test_a_projected_pencil_has_the_pairs_of_the_dense_one_in_its_span() -> None:
    """On a basis of all vectors the small problem is the large one."""
    K = gaussian(blob(40, 3, 1), 0.0)(0.0)
    B = np.linalg.qr(np.column_stack([np.ones(40), np.random.default_rng(0).standard_normal((40, 39))]))[0]
    B *= np.sign(B[0, 0])
    d = K.sum(axis=1)
    gaps, Z = eigenpairs_of(Projected(B.T @ (np.diag(d) - K) @ B / d.sum(), B.T @ (d[:, None] * B) / d.sum()), 6)
    values, psi = dense(K, 7)
    assert_allclose(1.0 - gaps, values, atol=1e-10)
    signs = np.sign(np.sum((B @ Z) * psi, axis=0))
    assert_allclose(B @ Z * signs, psi, atol=1e-6)


@pytest.mark.parametrize(("low", "noise"), [(-2.5, 0.0), (-1.0, 0.05), (0.5, 0.0), (1.0, 0.2)])
def test_between_anchors_spaces_and_values_are_those_of_the_dense_walk(low: float, noise: float) -> None:
    kernel = gaussian(blob(300, 5, 2, noise), low)
    found = between(kernel)
    assert found.certified(2)
    for part in (0.0, 0.11, 0.37, 0.5, 0.81, 1.0):
        values, psi = found.solve(part, R)
        true_values, true = dense(kernel(part), R + 2)
        assert_allclose(values, true_values[: R + 1], atol=1e-3)
        assert_allclose(values, found.values(part, R), atol=1e-12)
        assert np.all(psi[:, 0] == 1.0)
        d = kernel(part).sum(axis=1)
        assert_allclose(d @ np.square(psi) / d.sum(), 1.0, atol=1e-3)
        for end in separate_ends(true_values, R):
            assert angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) <= CERTAIN


def test_two_eigenvalues_that_cross_between_the_anchors_are_both_there() -> None:
    """Two blocks that never touch but for a thread: the order of their own vectors turns round on the way."""
    one, other = gaussian(blob(120, 3, 3), -2.0), gaussian(blob(140, 3, 4), -0.5, 1.0 / np.sqrt(2.0))

    def kernel(part: float) -> Array:
        K = np.full((260, 260), 1e-4)
        K[:120, :120] += one(part)
        K[120:, 120:] += other(part)
        return K

    shares = [np.square(dense(kernel(part), 6)[1][:120, 4]).sum() / 260.0 for part in (0.0, 1.0)]
    assert shares[0] > 0.9 > 0.1 > shares[1]  # the fourth vector was the one block's, and is the other's
    found = between(kernel, 5)
    for part in np.linspace(0.0, 1.0, 9):
        true_values, true = dense(kernel(part), 7)
        values, psi = found.solve(part, 5)
        assert_allclose(values, true_values[:6], atol=1e-3)
        for end in separate_ends(true_values, 5):
            assert angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) <= CERTAIN


def test_a_vector_that_leaves_the_leading_ones_is_found_among_those_of_the_other_anchor() -> None:
    """A far sample decouples as ε shrinks: its own vector rises from nowhere to the first place."""
    X = blob(150, 3, 5)
    X[0] = [4.4, 0.0, 0.0]
    kernel = gaussian(X, 0.0, 1.0 / np.sqrt(2.0))
    found = between(kernel)
    for part in np.linspace(0.0, 1.0, 7):
        true_values, true = dense(kernel(part), R + 2)
        values, psi = found.solve(part, R)
        assert_allclose(values, true_values[: R + 1], atol=1e-3)
        for end in separate_ends(true_values, R):
            assert angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) <= CERTAIN


def test_a_graph_in_pieces_keeps_the_trivial_vector_and_its_indicators() -> None:
    X = np.vstack([blob(80, 3, 6), blob(90, 3, 7) + 100.0, blob(70, 3, 8) - 100.0])
    kernel = gaussian(X, -1.0)
    found = between(kernel, 5)
    for part in (0.2, 0.7):
        values, psi = found.solve(part, 5)
        assert_allclose(values[:3], 1.0, atol=2e-6)
        assert np.all(psi[:, 0] == 1.0)
        pieces = np.split(psi[:, 1:3], [80, 170])
        assert max(float(np.ptp(piece, axis=0).max()) for piece in pieces) < 1e-2
        true_values, true = dense(kernel(part), 7)
        for end in separate_ends(true_values, 5):
            assert angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) <= CERTAIN


def test_eigenvalues_within_a_millionth_of_one_are_resolved() -> None:
    """Two blobs joined by a thread: 1 - λ₁ is far below what D and A apart would leave of it."""
    X = np.vstack([blob(100, 3, 9), blob(100, 3, 10) + np.array([5.0, 0.0, 0.0])])
    kernel = gaussian(X, -1.2)
    found = between(kernel)
    for part in (0.1, 0.6):
        true = 1.0 - dense(kernel(part), 3)[0][1]
        assert 1e-9 < true < 1e-6
        assert abs((1.0 - found.values(part, R)[1]) - true) <= 0.2 * true


def test_multiplets_are_certified_as_the_space_they_span() -> None:
    """On an even ring eigenvalues come in pairs: one vector cannot be certified alone, the two can."""
    t = 2.0 * np.pi * np.arange(200) / 200
    kernel = gaussian(np.column_stack([np.cos(t), np.sin(t)]), -3.0)
    found = between(kernel)
    assert found.certified(1)
    assert found.certified(2)
    assert found.bounds.angles[0] == found.bounds.angles[1]
    values, psi = found.solve(0.4, R)
    assert_allclose(values[1], values[2], rtol=1e-5)
    assert angle(psi[:, 1:3], dense(kernel(0.4), 3)[1][:, 1:], kernel(0.4)) <= CERTAIN


def test_a_walk_between_two_sides_has_its_eigenvalue_minus_one() -> None:
    one, other = gaussian(blob(130, 3, 11, 0.05), -1.5), gaussian(blob(130, 3, 11, 0.1), -1.0)

    def kernel(part: float) -> Array:
        W = one(part) @ other(part)
        return np.block([[np.zeros_like(W), W], [W.T, np.zeros_like(W)]])

    found = between(kernel, two_sided=True)
    B = found.basis
    assert_allclose(B[:, 1] * np.sqrt(len(B)), np.repeat([1.0, -1.0], 130), atol=1e-5)
    for part in (0.3, 0.9):
        values, psi = found.solve(part, R)
        true_values, true = dense(kernel(part), R + 2)
        assert_allclose(values, true_values[: R + 1], atol=1e-3)
        for end in separate_ends(true_values, R):
            assert angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) <= CERTAIN


def test_three_places_are_exact_where_the_operator_is_linear() -> None:
    one, other = gaussian(blob(150, 3, 12, 0.05), -1.5)(0.0), gaussian(blob(150, 3, 13, 0.1), -1.0)(0.0)

    def kernel(part: float) -> Array:
        return (0.3 + 0.1 * part) * one + (0.7 - 0.1 * part) * other

    found = between(kernel, n_places=PLACES_IF_LINEAR)
    basis = found.basis.astype(np.float64)
    for part in (0.0, 0.21, 0.77):
        K = kernel(part)
        d = K.sum(axis=1)
        there = found.at(part)
        assert_allclose(there.laplacian, basis.T @ ((d[:, None] * basis) - K @ basis) / d.sum(), atol=1e-7)
        assert_allclose(there.degrees, basis.T @ (d[:, None] * basis) / d.sum(), atol=1e-7)


def test_where_the_anchors_know_too_little_nothing_is_certified() -> None:
    """Anchors six octaves apart: what lies between them is in no answer of theirs."""
    kernel = gaussian(blob(300, 5, 14, 0.3), -3.0, 2.0**6)
    found = between(kernel)
    true_values, true = dense(kernel(0.5), R + 2)
    _, psi = found.solve(0.5, R)
    worst = max(angle(psi[:, 1 : e + 1], true[:, 1 : e + 1], kernel(0.5)) for e in separate_ends(true_values, R))
    assert worst > CERTAIN
    assert not found.certified(2)


@pytest.mark.nightly
def test_certified_answers_are_as_near_as_the_certificate_says() -> None:
    """Over many intervals, narrow and wide: no certified space is further off than its bar."""
    checked, beyond = 0, 0
    for seed in range(4):
        X = blob(200, 6, 20 + seed, 0.05 + 0.05 * seed)
        for low in (-3.0, -2.0, -1.0, 0.0):
            for ratio in (np.sqrt(2.0), 2.0, 4.0):
                kernel = gaussian(X, low, ratio)
                found = between(kernel)
                for part in (0.25, 0.75):
                    true_values, true = dense(kernel(part), R + 2)
                    _, psi = found.solve(part, R)
                    for end in separate_ends(true_values, R):
                        if found.certified(end):
                            checked += 1
                            beyond += angle(psi[:, 1 : end + 1], true[:, 1 : end + 1], kernel(part)) > CERTAIN
    assert checked > 80
    assert beyond <= 0.01 * checked
