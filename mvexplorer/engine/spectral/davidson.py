"""Leading eigenpairs of a symmetric operator by block Davidson: warm starts pay, and products come in blocks.

The operator is given by its products with blocks (n, m) of vectors, in single or in double precision. Davidson (1975),
with the identity as preconditioner: the space grows by residuals, so that the more accurate a start of many vectors is,
the more work it saves. Lanczos can use only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task

Block: TypeAlias = Array
"""Vectors (n, m) in single or in double precision."""
Apply: TypeAlias = Callable[[Block], Block]

SPARE = 6
"""Vectors that a draft carries beyond those wanted: the smaller their eigenvalues, the faster it converges."""
SPARE_AT_REST = 12
"""The same for exact answers: each product costs more, but far fewer products are needed."""
RANDOM = 2
"""Random vectors added to a warm start, so that an eigenvector which the start lacks is not missed."""
HIDDEN = 1e-3
"""Radians. An answer asked for no better than this is a draft: soon replaced, so that searching for eigenvectors which
the start lacks is worth it only now and then."""
SHOWN, ANGLE_ROUGH = 3, 0.1
"""A draft is called rough where one of its first SHOWN vectors may be off by more than ANGLE_ROUGH (radians)."""
WIDTH = 24
"""Most vectors added to the space per product: a product with this many costs little more than with a third."""
SAME = 1e-6
"""Eigenvalues closer than this, relatively, count as equal: their individual eigenvectors are not determined."""
SAME_AMONG_JUDGED = 1e-2
"""The same where only some are judged: their span is shown, whichever way its axes are turned."""
ROUNDING = 50.0
"""A residual below so many units in the last place is rounding, and cannot fall any further."""
MOST_BLOCKS = 32
"""Products after which the iteration is given up."""
DRAFT_BLOCKS, DRAFT_MOST = 6, 24
"""After so many blocks a draft with a start is content with the span of what is drawn first, and after so many it ends
in any case: eigenvalues of nearly isolated samples crowd and never settle."""


class Stalled(Exception):
    """The iteration came to a halt away from the answer."""


@dataclass(frozen=True)
class RitzPairs:
    """Ritz values (m,), descending, and orthonormal vectors (n, m), of which the first `wanted` are answers."""

    values: Array
    vectors: Block
    wanted: int


def block_davidson(
    apply: Apply,
    locked: Block,
    k: int,
    task: Task,
    *,
    angle: float,
    start: Block | None = None,
    look: bool = False,
    judged: int | None = None,
    searched: bool = False,
) -> RitzPairs:
    """Compute the k algebraically largest eigenpairs, and the further pairs carried, besides those locked away.

    `apply` multiplies blocks (n, m), its spectrum in [-1, 1]; `locked` (n, p) are orthonormal eigenvectors, whose
    precision is the one worked in; 1 <= k <= (n - p) / 3. An answer may be off by `angle` in radians, of the leading
    `judged` pairs, by default all k; a draft with a start ends after DRAFT_MOST products in any case. `start` (n, m)
    are vectors near the answers; with `look` a draft, too, searches for eigenvectors that the start lacks; `searched`
    tells that the start comes from such a search already, so that it lacks none. `task` receives a warning where an
    answer is rough. Stalled after MOST_BLOCKS products or as soon as that many seem too few, or where nothing new is
    left to try.
    """
    draft = angle >= HIDDEN
    look, same = (look or not draft) and not searched, SAME if judged is None else SAME_AMONG_JUDGED
    judged = min(judged or k, k)
    unknown = RANDOM if start is not None and look else 0
    carried = k + unknown + (SPARE if draft else SPARE_AT_REST)
    if start is not None and searched:
        carried = min(carried, max(k + 1, start.shape[1]))
    space, before = _begin(apply, locked, carried, unknown, start), None
    trial = 10  # After this many products an answer within MOST_BLOCKS must be in prospect; else ARPACK is quicker.
    room = 12  # Most vectors kept, per eigenvector carried, before a thick restart.
    for block in range(1, MOST_BLOCKS + 1):
        ritz = space.ritz(carried)
        lack = estimated_angles(ritz.values, ritz.lengths, k, same)
        settled = _settled(lack, ritz, judged, angle) and (not look or _steady(before, ritz, k))
        if settled or (draft and start is not None and _will_do(ritz, k, block)):
            if draft and lack[:k][:SHOWN].max() > ANGLE_ROUGH:
                tell_rough(task)
            return RitzPairs(ritz.values, ritz.vectors, k)
        progress = _progress(lack[:k], angle)
        if not draft and block == trial and progress < trial / MOST_BLOCKS:
            raise Stalled
        task.progress(progress)
        if space.size + WIDTH > room * carried:
            space.shrink_to(ritz)
        # The further vectors only help those judged: work on them no harder than on those.
        lack[judged:] = np.minimum(lack[judged:], max(float(lack[:judged].max()), 0.2 * angle))
        if not space.grow(_directions(ritz, lack, angle)):
            if draft or np.all(ritz.lengths[:k] <= 20.0 * _rounding(locked)):
                return RitzPairs(ritz.values, ritz.vectors, k)
            raise Stalled
        before = ritz
    raise Stalled


def tell_rough(task: Task) -> None:
    """Say that a draft is far from settled."""
    task.warn("rough", "A rough draft: its axes may be off by more than the eye forgives. It is exact at rest.")


def _begin(apply: Apply, locked: Block, carried: int, unknown: int, start: Block | None) -> _Space:
    """The span of the start's best part and of random vectors, at least `unknown` of them beside a start."""
    space = _Space(apply, locked)
    given = np.empty((len(locked), 0)) if start is None else start
    if given.shape[1] > carried:  # two bases side by side
        space.grow(given.astype(locked.dtype))
        space.shrink_to(space.ritz(carried - unknown))
        given = given[:, :0]
    given = given[:, : carried - unknown]
    random = np.random.default_rng(0)
    while (lacking := carried - space.size) > 0:  # again where columns of the start depend on each other
        # In one product: two vectors by themselves take half as long as all of them.
        more = random.standard_normal((len(locked), lacking - given.shape[1]))
        if not space.grow(np.hstack([given, more]).astype(locked.dtype)):
            break
        given = given[:, :0]
    return space


@dataclass(frozen=True)
class _Ritz:
    values: Array
    vectors: Block
    images: Block
    residuals: Block
    lengths: Array


class _Space:
    """An orthonormal basis V and its image A V, away from the known vectors."""

    def __init__(self, apply: Apply, locked: Block) -> None:
        self._apply, self._known = apply, locked
        # Kept as the blocks that were added: joining them would double the memory.
        self._basis: list[Block] = []
        self._images: list[Block] = []
        self._projected = np.empty((0, 0))

    @property
    def size(self) -> int:
        return len(self._projected)

    def grow(self, block: Block) -> bool:
        """Add to the space what `block` has that is new; False where it has nothing."""
        new = orthonormal(block, [self._known, *self._basis])
        if not new.shape[1]:
            return False
        self._take(new, self._apply(new))
        return True

    def _take(self, new: Block, image: Block) -> None:
        self._basis.append(new)
        self._images.append(image)
        across = np.vstack([(old.T @ image).astype(np.float64) for old in self._basis])
        n, m = self.size, new.shape[1]
        projected = np.empty((n + m, n + m))
        projected[:n, :n] = self._projected
        projected[:, n:], projected[n:, :n] = across, across[:n].T
        self._projected = projected

    def shrink_to(self, ritz: _Ritz) -> None:
        """Thick restart."""
        self._basis, self._images, self._projected = [], [], np.empty((0, 0))
        self._take(ritz.vectors, ritz.images)

    def ritz(self, count: int) -> _Ritz:
        """The `count` largest Ritz pairs."""
        values, turn = np.linalg.eigh(0.5 * (self._projected + self._projected.T))
        values, turn = values[::-1][:count], turn[:, ::-1][:, :count].astype(self._known.dtype)
        vectors, images = _combined(self._basis, turn), _combined(self._images, turn)
        residuals = images - vectors * values.astype(images.dtype)
        return _Ritz(values, vectors, images, residuals, _lengths(residuals))


def _combined(blocks: list[Block], turn: Array) -> Block:
    """[V_1, V_2, ...] `turn` without joining the blocks V_i (n, m_i); `turn` is (Σ m_i, k)."""
    ends = np.cumsum([V.shape[1] for V in blocks])
    out = blocks[0] @ turn[: ends[0]]
    for V, start, end in zip(blocks[1:], ends, ends[1:], strict=False):
        out += V @ turn[start:end]
    return out


def orthonormal(block: Block, against: Sequence[Block]) -> Block:
    """Orthonormal columns (n, <= m) that span what `block` (n, m) adds to orthonormal ones, `against` (n, p) each.

    Twice, and revealing the rank: a Cholesky factor would make noise of dependent columns and give it full length,
    from which Ritz values above the whole spectrum arise. Stathopoulos, Wu (2002), SVQB.
    """
    floor = _rounding(block)
    # A direction of a block weaker than this part of the strongest depends on the others, and is left out.
    dependent = 1e-3
    for _ in range(2):
        before = _lengths(block)
        block = reduce(np.subtract, [A @ (A.T @ block) for A in against], block)
        length = _lengths(block)
        new = length > floor * before
        if not new.any():
            return block[:, :0]
        block = block[:, new] / length[new].astype(block.dtype)
        weights, turn = np.linalg.eigh((block.T @ block).astype(np.float64))
        kept = weights > dependent * weights[-1]
        block = block @ (turn[:, kept] / np.sqrt(weights[kept])).astype(block.dtype)
    return block


def _rounding(block: Block) -> float:
    return ROUNDING * float(np.finfo(block.dtype).eps)


def _lengths(block: Block) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", block, block)), dtype=np.float64)


def estimated_angles(values: Array, lengths: Array, k: int, same: float) -> Array:
    """Angles (m,) between Ritz vectors and the truth, from their descending values and the lengths of their residuals.

    What lies outside the space turns a vector by its residual over the distance to the values outside. Vectors
    within it turn each other as well, but only by way of the outside: a product of two such angles. Values closer than
    `same`, relatively, count as equal.
    """
    least = same * np.maximum(np.abs(values), np.finfo(float).tiny)
    outside = values[-1] if len(values) > k else values[-1] - max(abs(float(values[-1])), SAME)
    turned = lengths / np.maximum(values - outside, least)
    gaps = np.maximum(np.abs(values[:, None] - values[None, :]), least[:, None])
    mutual = np.minimum(turned, 1.0)[None, :] * lengths[:, None] / gaps
    np.fill_diagonal(mutual, 0.0)
    return np.asarray(np.minimum(np.maximum(turned, mutual.max(axis=1)), 1.0))


def _settled(lack: Array, ritz: _Ritz, k: int, angle: float) -> bool:
    """True if the first k are within `angle`, or as near as rounding lets them come."""
    return bool(np.all((lack[:k] <= angle) | (ritz.lengths[:k] <= _rounding(ritz.vectors))))


def _will_do(ritz: _Ritz, k: int, block: int) -> bool:
    """True if a draft ends unsettled: it has taken long, and the span of what is drawn first is right."""
    if block < DRAFT_BLOCKS:
        return False
    lack = estimated_angles(ritz.values, ritz.lengths, k, SAME_AMONG_JUDGED)
    angle_span = 0.05  # Radians by which the span of what is drawn first may be off.
    return block >= DRAFT_MOST or float(lack[:k][:SHOWN].max()) <= angle_span


def _steady(before: _Ritz | None, ritz: _Ritz, k: int) -> bool:
    """True if the spare values have stopped rising towards the last wanted one.

    An eigenvector that the start lacked enters by the random vectors, as a spare value that rises from block to block.
    """
    if before is None or len(before.values) != len(ritz.values):
        return False
    last, spare = ritz.values[k - 1], ritz.values[k:]
    room = np.maximum(last - spare, 1e-3 * abs(last))
    return bool(np.all(spare - before.values[k:] <= 0.1 * room))


def _directions(ritz: _Ritz, lack: Array, angle: float) -> Block:
    """The WIDTH directions along which most is missing: the dominant ones of the residuals, weighted by angles."""
    weight = np.where(lack > 0.1 * angle, lack, 0.0) / np.maximum(ritz.lengths, np.finfo(np.float32).tiny)
    weighted = ritz.residuals * weight.astype(ritz.residuals.dtype)
    strength, turn = np.linalg.eigh((weighted.T @ weighted).astype(np.float64))
    chosen = np.flatnonzero(strength > 1e-12 * strength[-1])[::-1][:WIDTH]
    return np.asarray(weighted @ (turn[:, chosen] / np.sqrt(strength[chosen])).astype(weighted.dtype))


def _progress(lack: Array, angle: float) -> float:
    """How much of the way from 1 rad to `angle` the worst vector has come."""
    return abs(float(np.log(max(lack.max(), angle)) / np.log(angle)))
