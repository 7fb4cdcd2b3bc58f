"""Leading eigenpairs of a symmetric operator where nothing is known of them: block Lanczos from random vectors.

Golub, Underwood: The block Lanczos method for computing eigenvalues (1977). Where there is no start, a product serves
best if all of it is new: Ritz vectors are made once, at the end, and until then only the small projected matrix is
solved. The block is wider than the number of pairs wanted, so that no multiplicity up to that number can hide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.davidson import (
    ANGLE_ROUGH,
    HIDDEN,
    RANDOM,
    ROUNDING,
    SAME,
    SHOWN,
    SPARE,
    Apply,
    Block,
    RitzPairs,
    Stalled,
    estimated_angles,
    tell_rough,
)

MOST_VECTORS = 20
"""Vectors of the space, per eigenvector carried, before a thick restart."""
MOST_BLOCKS = 80
"""Products after which the iteration is given up; a draft ends after DRAFT_BLOCKS."""
DRAFT_BLOCKS = 24
GROWTH = 1.15
"""The projected matrix is solved again when it has grown by this factor: each time takes its third power."""


def block_lanczos(apply: Apply, locked: Block, k: int, task: Task, *, angle: float) -> RitzPairs:
    """Compute the k algebraically largest eigenpairs, and some further ones, besides those locked away.

    `apply` multiplies blocks (n, m), its spectrum in [-1, 1]; `locked` (n, p) are orthonormal eigenvectors, whose
    precision is the one worked in; 1 <= k <= (n - p) / 3. An answer may be off by `angle` in radians; of a draft only
    the vectors that are drawn first are that good. `task` receives a warning where an answer is rough. Stalled after
    MOST_BLOCKS products, or as soon as that many seem too few.
    """
    draft, random = angle >= HIDDEN, np.random.default_rng(0)
    space = _Krylov(locked, k + SPARE, k + RANDOM)
    space.begin(random.standard_normal((len(locked), k + RANDOM)).astype(locked.dtype))
    single, rounding = locked.dtype == np.float32, ROUNDING * float(np.finfo(locked.dtype).eps)
    solved, most = 0, DRAFT_BLOCKS if draft else MOST_BLOCKS
    trial, prospect = 40, 0.1  # After this many products so much of the way must be done; else ARPACK is quicker.
    # Single precision cannot tell such small eigenvalues; Ritz values show after so many blocks whether they are.
    unresolved, sure = 4e-4, 4
    for block in range(1, most + 1):
        space.advance(apply)
        ripe = space.size >= max(k + SPARE, GROWTH * solved) or block == most
        if space.goes_on and not (ripe or space.full):
            continue
        ritz, solved = space.ritz(k + SPARE), space.size
        lack = estimated_angles(ritz.values, ritz.lengths, k, SAME)[:k]
        lack[ritz.lengths[:k] <= rounding] = 0.0
        hopeless = single and ritz.values[:k][:SHOWN][-1] < unresolved and block >= sure
        if hopeless or good_enough(lack, angle) or not space.goes_on or (draft and block == most):
            if draft and lack[:SHOWN].max() > ANGLE_ROUGH:
                tell_rough(task)
            return RitzPairs(ritz.values, space.vectors(ritz), k)
        progress = abs(float(np.log(max(lack.max(), angle)) / np.log(angle)))
        if block >= trial and not draft and progress < prospect:
            raise Stalled
        task.progress(progress)
        if space.full:
            space.shrink_to(ritz)
            solved = 0
    raise Stalled


def good_enough(lack: Array, angle: float) -> bool:
    """True if all are within `angle` or, for a draft, those drawn first are and no other is far off."""
    if angle < HIDDEN:
        return bool(np.all(lack <= angle))
    return bool(np.all(lack[:SHOWN] <= angle) and np.all(lack <= ANGLE_ROUGH))


@dataclass(frozen=True)
class _Ritz:
    """Ritz values (m,), the lengths of their residuals, and the vectors in terms of the space (size, m)."""

    values: Array
    lengths: Array
    turn: Array


class Orthonormal:
    """Orthonormal vectors: the known ones, then blocks; there is room for `room` vectors besides the known ones."""

    def __init__(self, known: Block, room: int) -> None:
        n, self._first = known.shape
        # Vectors lie one after the other, so that the space is one matrix at any size.
        self._all = np.empty((self._first + room, n), dtype=known.dtype).T
        self._all[:, : self._first] = known
        self._end = self._first

    @property
    def taken(self) -> Block:
        """The vectors (n, m) taken so far, without the known ones."""
        return self._all[:, self._first : self._end]

    def take(self, new: Block) -> None:
        """Add a block of what `beside` returned."""
        self._all[:, self._end : self._end + new.shape[1]] = new
        self._end += new.shape[1]

    def forget(self) -> None:
        """Drop all but the known vectors."""
        self._end = self._first

    def beside(self, block: Block) -> tuple[Block, Array]:
        """Orthonormal columns Q (n, <= m) for what `block` (n, m) has outside the space, and Q^T `block`."""
        against, rest = self._all[:, : self._end], block
        rounding = ROUNDING * float(np.finfo(block.dtype).eps)
        least = rounding**2 * float(np.einsum("ij,ij->", block, block))
        for _ in range(2):  # rounding leaves a little of the space in what is new: as much as matters, once
            rest = rest - against @ (against.T @ rest)
            weights, turn = np.linalg.eigh((rest.T @ rest).astype(np.float64))
            kept = weights > max(least, rounding * float(weights.max(initial=0.0)))
            rest = rest @ (turn[:, kept] / np.sqrt(weights[kept])).astype(block.dtype)
        return rest, (rest.T @ block).astype(np.float64)


class _Krylov:
    """A space of blocks, each what the operator adds to those before it."""

    def __init__(self, locked: Block, carried: int, width: int) -> None:
        self._most = min(len(locked), MOST_VECTORS * carried)
        self._vectors = Orthonormal(locked, self._most + width)
        self._projected = np.empty((0, 0))
        self._next = locked[:, :0]
        self._beyond = np.empty((0, 0))

    @property
    def size(self) -> int:
        """Number of vectors of which the operator's images are known."""
        return len(self._projected)

    @property
    def full(self) -> bool:
        """True if there is no room for the next block."""
        return bool(self.size + self._next.shape[1] > self._most)

    @property
    def goes_on(self) -> bool:
        """True if images leave the space."""
        return bool(self._next.size)

    def begin(self, block: Block) -> None:
        self._next, _ = self._vectors.beside(block)

    def advance(self, apply: Apply) -> None:
        """Take the next block in, and its image apart: into what the space has and what is new."""
        new = self._next
        self._vectors.take(new)
        image = apply(new)
        across = (self._vectors.taken.T @ image).astype(np.float64)
        n, m = self.size, new.shape[1]
        projected = np.empty((n + m, n + m))
        projected[:n, :n] = self._projected
        projected[:, n:], projected[n:, :n] = across, across[:n].T
        self._projected = projected
        self._next, self._beyond = self._vectors.beside(image)

    def ritz(self, count: int) -> _Ritz:
        """The `count` largest Ritz pairs."""
        values, turn = np.linalg.eigh(0.5 * (self._projected + self._projected.T))
        values, turn = values[::-1][:count], turn[:, ::-1][:, :count]
        # Images leave the space by the last block only.
        lengths = np.linalg.norm(self._beyond @ turn[self.size - self._beyond.shape[1] :], axis=0)
        return _Ritz(values, lengths, turn)

    def vectors(self, ritz: _Ritz) -> Block:
        """The Ritz vectors (n, m)."""
        return np.asarray(self._vectors.taken @ ritz.turn.astype(self._next.dtype))

    def shrink_to(self, ritz: _Ritz) -> None:
        """Thick restart: the Ritz vectors stay, and the next block with them."""
        kept = self.vectors(ritz)
        self._vectors.forget()
        self._vectors.take(kept)
        self._projected = np.diag(ritz.values)
