"""Joint approximate diagonalisation of symmetric matrices by Jacobi rotations.

Cardoso, Souloumiac: Jacobi angles for simultaneous diagonalization (1996), in the real case, which has one angle in
closed form. Rotations of disjoint pairs commute, so that n/2 of them are one step for numpy; large matrices are cut
into blocks, whose rotations are gathered and applied to the rest as one product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task

Indices: TypeAlias = npt.NDArray[np.intp]

TOLERANCE = 1e-8
"""The iteration ends when a sweep lowers `off` by less than this, relatively. Angles are no criterion: they never
vanish where matrices disagree."""
MOST_SWEEPS = 100


class JointBasis(NamedTuple):
    """An orthogonal basis in which all matrices are as diagonal as can be.

    `vectors` (n, n) are V, orthogonal, one vector per column; `diagonals` (m, n) are diag(Vᵀ A_l V); `off` is ``Σ_l |Vᵀ
    A_l V - diag|²``, the criterion. `converged` tells that the last sweep changed nothing any more.
    """

    vectors: Array
    diagonals: Array
    off: float
    sweeps: int
    converged: bool


def joint_diagonalise(
    matrices: Sequence[Array], task: Task, tolerance: float = TOLERANCE, most_sweeps: int = MOST_SWEEPS
) -> JointBasis:
    """Find the basis that minimises (3) of the joint diagonalisation paper, from that in which `matrices` are given.

    They are symmetric (n, n). It ends where one sweep lowers the criterion by a smaller part than `tolerance`, or after
    `most_sweeps`.
    """
    n = len(matrices[0])
    # Larger matrices are rotated in tiles of about this size: larger tiles would cost more than the products saved.
    tile = 32
    n_tiles = -(-n // tile)
    half = -(-n // (2 * n_tiles))
    # Rows and columns of zeros make the last tile as large as the others; they are never rotated.
    A = [np.pad(M, (0, 2 * half * n_tiles - n)) for M in matrices]
    basis = np.eye(len(A[0]))
    # Below this part of Σ|A_l|² `off` is rounding; commuting matrices would be swept for ever without this limit.
    commuting = 1e-26
    limit = commuting * sum(float(np.square(M).sum()) for M in A)
    off, sweeps = _off(A), 0
    converged = off <= limit
    while not converged and sweeps < most_sweeps:
        basis = _sweep(A, basis, n_tiles, task)
        sweeps, former, off = sweeps + 1, off, _off(A)
        decrease = max(0.0, 1.0 - off / former)
        converged = off <= limit or decrease <= tolerance
        task.progress(float(np.log(max(decrease, tolerance)) / np.log(tolerance)))
    diagonals = np.stack([np.diag(M)[:n] for M in A])
    return JointBasis(np.ascontiguousarray(basis[:n, :n].T), diagonals, off, sweeps, converged)


def jacobi_angles(A: Array, p: Indices, q: Indices) -> Array:
    """Angles (..., h) of the rotations of p_i, q_i that make A (..., m, n, n) as diagonal as can be, ``|θ| <= π/4``.

    θ = ¼ atan2(t_off, t_on). The form ½ atan2(t_off, t_on + √(t_on² + t_off²)) is the same but where t_off = 0 and
    t_on < 0: on matrices of constant diagonal, like normalised Laplacians, it stays at 0 for ever.
    """
    difference, twice = A[..., p, p] - A[..., q, q], 2.0 * A[..., p, q]
    t_on = (difference**2 - twice**2).sum(axis=-2)
    t_off = 2.0 * (difference * twice).sum(axis=-2)
    return cast("Array", 0.25 * np.arctan2(t_off, t_on))


def round_robin(n: int) -> list[tuple[Indices, Indices]]:
    """n - 1 rounds of n / 2 disjoint pairs in which every two of 0..n-1 meet once; n even."""
    places, turn = np.arange(n), _turn(n)
    rounds = []
    for _ in range(n - 1):
        rounds.append((places[0::2], places[1::2]))
        places = places[turn]
    return rounds


def _turn(n: int) -> Indices:
    """Where the players of a round-robin tournament come from for the next round; places 2i and 2i + 1 meet."""
    top, bottom = np.arange(n).reshape(-1, 2).T
    if n == 2:
        return np.arange(2)
    following = np.concatenate([top[:1], bottom[:1], top[1:-1]]), np.concatenate([bottom[1:], top[-1:]])
    return np.stack(following, axis=1).ravel()


def _off(A: Sequence[Array]) -> float:
    """Σ of the squared entries off the diagonal, summed as such: a difference of sums cancels."""
    total = 0.0
    for M in A:
        M = M.copy()
        np.fill_diagonal(M, 0.0)
        total += float(np.einsum("ij,ij->", M, M))
    return total


def _sweep(A: list[Array], basis: Array, n_tiles: int, task: Task) -> Array:
    """Rotate every pair at least once; changes A in place, returns the new basis (n, n), one vector per row."""
    size = len(basis) // n_tiles
    rounds = round_robin(size)
    halves = np.arange(len(basis)).reshape(2 * n_tiles, -1)
    turn, own = halves[_turn(2 * n_tiles)].ravel(), np.arange(n_tiles)
    for _ in range(2 * n_tiles - 1):
        tiles = np.stack([M.reshape(n_tiles, size, n_tiles, size)[own, :, own] for M in A], axis=1)
        rotation = _rotate(tiles, rounds, task)
        for i, M in enumerate(A):
            # M is symmetric: Rᵀ (Rᵀ M)ᵀ is Rᵀ M R.
            A[i] = _rows(_rows(M, rotation).T, rotation)[np.ix_(turn, turn)]
            task.checkpoint()
        basis = _rows(basis, rotation)[turn]
    return basis


def _rotate(tiles: Array, rounds: Sequence[tuple[Indices, Indices]], task: Task) -> Array:
    """Rotate within tiles (g, m, s, s), in place, all of them at once; returns the product of rotations (g, s, s)."""
    rotation = np.tile(np.eye(tiles.shape[-1]), (len(tiles), 1, 1))
    for p, q in rounds:
        task.checkpoint()
        task.products += 1
        angle = jacobi_angles(tiles, p, q)
        c, s = np.cos(angle)[:, None, :], np.sin(angle)[:, None, :]
        _mix(tiles.swapaxes(-1, -2), p, q, c[..., None], s[..., None])
        _mix(tiles, p, q, c[..., None], s[..., None])
        _mix(rotation.swapaxes(-1, -2), p, q, c[:, 0, :, None], s[:, 0, :, None])
    return rotation


def _mix(A: Array, p: Indices, q: Indices, c: Array, s: Array) -> None:
    """Rows p ← c p + s q and q ← c q - s p of A (..., n, n), in place."""
    first, second = A[..., p, :], A[..., q, :]
    A[..., p, :] = c * first + s * second
    A[..., q, :] = c * second - s * first


def _rows(M: Array, rotation: Array) -> Array:
    """Rᵀ M (n, n) for R of rotations (g, s, s) along its diagonal."""
    parts = np.matmul(rotation.swapaxes(1, 2), M.reshape(len(rotation), -1, M.shape[1]))
    return cast("Array", parts.reshape(M.shape))
