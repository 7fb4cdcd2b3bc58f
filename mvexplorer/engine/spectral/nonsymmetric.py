"""Leading eigenpairs of walks that are not symmetric, such as the product of two.

Drafts are found by projection, exact answers by Arnoldi.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.davidson import (
    ANGLE_ROUGH,
    DRAFT_BLOCKS,
    HIDDEN,
    RANDOM,
    SAME,
    SAME_AMONG_JUDGED,
    SHOWN,
    SPARE,
    Apply,
    Block,
    estimated_angles,
    orthonormal,
    tell_rough,
)
from mvexplorer.engine.spectral.eigenpairs import (
    DENSE_LIMIT,
    DENSE_SIZE,
    MANY,
    RESTARTS,
    Search,
    fix_signs,
    operator_matrix,
)
from mvexplorer.errors import ComputeError


def general_eigenpairs(apply: Apply, like: Block, search: Search, task: Task) -> tuple[Array, Array, int, Array]:
    """Compute the k eigenpairs of largest modulus of a row-stochastic operator on (n, m) blocks, symmetric or not.

    `like` (n,) has the operator's size and precision. Eigenvalues (k,) descend in modulus, the trivial 1 first; signed
    where real, the modulus for both of a complex pair. Eigenvectors (n, k) have root mean square 1, ψ_0 = 1; the real
    and the imaginary part for a complex pair. The third answer counts the complex ones; the fourth (n, m) holds all
    that were found, for a next step to start from.
    """
    n, k = len(like), search.k

    def counted(V: Array) -> Array:
        task.checkpoint()
        task.products += 1
        return apply(V.astype(like.dtype, copy=False))

    pairs: tuple[Any, Any] | None = None
    # One more than asked for, so that a complex pair is not cut in two.
    if n <= DENSE_SIZE or k > n // 3 or (k > MANY and n <= DENSE_LIMIT):
        pairs = np.linalg.eig(operator_matrix(counted, n))
    elif search.start is not None and len(search.start) == n and search.angle >= HIDDEN:
        beside = np.random.default_rng(0).standard_normal((n, RANDOM)) if search.look else np.empty((n, 0))
        start = np.column_stack([np.ones(n), search.start, beside]).astype(like.dtype)
        pairs = _projected(counted, start, search, task)
    values, vectors = _arnoldi(counted, n, k + 1 + SPARE, task) if pairs is None else pairs
    shown, parts, twisted = real_pairs(values, vectors, min(k + SPARE, n - 1))
    return shown[:k], parts[:, :k], int(np.count_nonzero(twisted[:k])), parts[:, 1:]


def _projected(apply: Apply, start: Block, search: Search, task: Task) -> tuple[Array, Array] | None:
    """A draft: eigenpairs within the start (n, m) and the residuals added to it; None where nothing is left to add.

    The eigenvectors of a nearly symmetric walk are nearly orthogonal, so that residual over gap estimates their error.
    """
    V = images = start[:, :0]
    for block in range(1, DRAFT_BLOCKS + 1):
        new = orthonormal(start, [V])
        if not new.shape[1]:
            return None
        V, images = np.column_stack([V, new]), np.column_stack([images, apply(new)])
        values, turn = np.linalg.eig((V.T @ images).astype(np.float64))
        order = np.argsort(-np.abs(values), kind="stable")[: search.k + SPARE]
        values, turn = values[order], turn[:, order]
        residuals = (images @ turn) - (V @ turn) * values
        same = SAME if search.judged is None else SAME_AMONG_JUDGED
        turned = estimated_angles(np.abs(values), np.linalg.norm(residuals, axis=0), search.k, same)[: search.k]
        judged = turned if search.judged is None else turned[: search.judged + 1]
        settled = bool(np.all(judged <= search.angle)) and not search.look
        if settled or block == DRAFT_BLOCKS:
            if turned[1:][:SHOWN].max(initial=0.0) > ANGLE_ROUGH:
                tell_rough(task)
            return values, V @ turn
        start = np.column_stack([residuals.real, residuals.imag]).astype(V.dtype)
    return None


def _arnoldi(apply: Apply, n: int, k: int, task: Task) -> tuple[Array, Array]:
    with IMPORTS:
        from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

    def product(v: Array) -> Array:
        out = apply(v.reshape(-1, 1)).ravel()
        task.progress(1.0 - 1.0 / (1.0 + task.products / (24.0 * k)))
        return out

    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(n)
    try:
        pairs: tuple[Array, Array] = eigs(
            operator, k=k, which="LM", tol=1e-10, v0=start, ncv=min(n, max(2 * k + 8, 24)), maxiter=RESTARTS
        )
        return pairs
    except ArpackError as error:  # it gives up at once where nearly all eigenvalues are 0
        if n <= DENSE_LIMIT:
            dense: tuple[Array, Array] = np.linalg.eig(operator_matrix(apply, n))
            return dense
        found_some = len(error.eigenvalues) if isinstance(error, ArpackNoConvergence) else 0
        raise ComputeError(
            f"Only {found_some} of {k} eigenvectors converged: nearly all samples are isolated at this ε.",
            "Enlarge ε, or use fewer samples.",
        ) from None


def real_pairs(
    values: npt.NDArray[Any], vectors: npt.NDArray[Any], k: int
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """The k eigenpairs of largest modulus in real numbers, as `general_eigenpairs` has them, and which are complex."""
    # The moduli of a pair differ by rounding. Rounded off, they tie, and the positive imaginary part comes first.
    order = np.lexsort((-values.imag, -values.real, -np.round(np.abs(values), 12)))
    values, vectors = values[order], vectors[:, order]
    complex_ones = np.abs(values.imag) > 1e-9
    parts = np.where(complex_ones & (values.imag < 0.0), vectors.imag, vectors.real)[:, :k]
    parts = fix_signs(parts / np.maximum(np.sqrt(np.mean(parts**2, axis=0)), np.finfo(float).tiny))
    shown = np.where(complex_ones, np.abs(values), values.real)[:k]
    shown[0], parts[:, 0] = 1.0, 1.0
    return shown, parts, complex_ones[:k]
