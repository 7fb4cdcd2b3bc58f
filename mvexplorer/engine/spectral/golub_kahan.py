"""Leading singular vectors where nothing is known of them: block Golub-Kahan-Lanczos from random vectors.

Golub, Luk, Overton: A block Lanczos method for computing the singular values and corresponding singular vectors of a
matrix (1981). B Bᵀ has the squares of B's singular values: what is small in B is below the rounding of single precision
there. Here both sides are kept orthonormal, and a step takes the same two products.
"""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.block_lanczos import MOST_VECTORS, Orthonormal, good_enough
from mvexplorer.engine.spectral.davidson import (
    ANGLE_ROUGH,
    HIDDEN,
    RANDOM,
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


def block_golub_kahan(
    forward: Apply, backward: Apply, known: tuple[Block, Block], k: int, task: Task, *, angle: float
) -> RitzPairs:
    """Compute the k largest singular values of B, some further ones, and their left vectors, besides those known.

    `forward` and `backward` multiply blocks by B (n, n) and Bᵀ; `known` are left and right singular vectors (n, p),
    whose precision is the one worked in; 1 <= k <= (n - p) / 3. An answer may be off by `angle` in radians; of a draft
    only the vectors that are drawn first are that good. After MOST_VECTORS steps what has been found is returned;
    Stalled where the space ends before that.
    """
    draft, width = angle >= HIDDEN, k + RANDOM
    left, right = (Orthonormal(vectors, MOST_VECTORS * width) for vectors in known)
    new, beyond = left.beside(np.random.default_rng(0).standard_normal((len(known[0]), width)).astype(known[0].dtype))
    # What is left of small values is smaller than what rounding leaves of large ones, and still falls.
    rounding = float(np.finfo(known[0].dtype).eps)
    projected = np.empty((0, 0))
    for step in range(1, MOST_VECTORS + 1):
        left.take(new)
        facing, _ = right.beside(backward(new))
        if not facing.size:
            raise Stalled
        right.take(facing)
        image = forward(facing)
        projected = _bordered(projected, beyond, (left.taken.T @ image).astype(np.float64))
        new, beyond = left.beside(image)
        if len(projected) < k + SPARE and new.size and step < MOST_VECTORS:
            continue
        turn, values, across = np.linalg.svd(projected, full_matrices=False)
        turn, values = turn[:, : k + SPARE], values[: k + SPARE]
        # Images leave the space by the last block only.
        lengths = np.linalg.norm(across[: k + SPARE, -facing.shape[1] :] @ beyond.T, axis=1)
        lack = estimated_angles(values, lengths, k, SAME)[:k]
        lack[lengths[:k] <= rounding] = 0.0
        if len(values) < k or (not new.size and not good_enough(lack, angle)):
            raise Stalled
        if good_enough(lack, angle):
            break
    if draft and lack[:SHOWN].max() > ANGLE_ROUGH:
        tell_rough(task)
    return RitzPairs(values, np.asarray(left.taken @ turn.astype(known[0].dtype)), k)


def _bordered(projected: Array, beyond: Array, columns: Array) -> Array:
    """Left^T B Right with a block more on both sides; `beyond` stands below the last block's columns."""
    out = np.zeros((len(columns), projected.shape[1] + columns.shape[1]))
    rows, before = projected.shape
    out[:rows, :before] = projected
    if before:
        out[rows:, before - beyond.shape[1] : before] = beyond
    out[:, before:] = columns
    return out
