"""Leading eigenpairs of the operators behind every method, which are known by their products only.

All operators here are symmetric with spectrum in [-1, 1] and come as functions ``apply(V)`` on blocks (n, m).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, Precision
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.block_lanczos import block_lanczos
from mvexplorer.engine.spectral.davidson import HIDDEN, Apply, Block, Stalled, block_davidson
from mvexplorer.engine.spectral.diagnostics import walk_diagnostics
from mvexplorer.engine.spectral.golub_kahan import block_golub_kahan
from mvexplorer.engine.spectral.inverse import crowded_eigenpairs
from mvexplorer.errors import ComputeError

DENSE_SIZE = 256
"""Up to this size the operator is applied to the identity and solved by LAPACK: exact, and a matter of milliseconds."""
DENSE_LIMIT = 3000
"""Up to this size LAPACK, in a few seconds, takes over where the iteration stalls: eigenvalues crowded at 1."""
MANY = 30
"""With more vectors than this ARPACK's own steps, which hold the interpreter lock, take longer than a frame."""
ANGLE_EXACT = 1e-9
"""Radians by which an eigenvector may be off at rest: as good as from a dense solver, whatever it started from."""
ANGLE_WARM = 1e-6
"""The same at the end of a drag, and for approximate kernels: eigenvalues err by its square, and so are exact."""
RESTARTS = 15


@dataclass(frozen=True)
class Decomposition:
    """Eigenvalues and right eigenvectors of a random walk, cut into its views.

    `eigenvalues` (k,) are signed, descending, the trivial 1 first. `blocks` are right eigenvectors ψ (M, k), ψ_0 = 1:
    one block per view, or a single one for fused kernels. `info` are named numbers worth showing (for example the true
    within-view probability), `warnings` (code, text) for the analyst. `block_eigenvalues` are each block's own (k,),
    where the views decouple. `bases` are right eigenvectors (n, m) of each operator solved, without the trivial one,
    and the further vectors that the solver carried: where the next step of a drag starts. `unsearched` counts the
    drafts in a row, this one included, that did not search beside their start; `exact` tells that it is no draft;
    `squared` that the operator that was solved has the squares as its eigenvalues; `in_single` is the least eigenvalue
    whose vector single precision resolves. `walks` are the eigenvalues (k,) of each operator solved, the trivial 1
    first, where `eigenvalues` are none of theirs. `place`, where the walk is known by its landmarks, gives the vectors
    (n, k) of samples given by all views (n, D_l), raw, and how many of them are too far from all known ones.
    """

    eigenvalues: Array
    blocks: tuple[Array, ...]
    info: dict[str, float] = field(default_factory=dict)
    warnings: tuple[tuple[str, str], ...] = ()
    block_eigenvalues: tuple[Array, ...] = ()
    bases: tuple[Array, ...] = field(default=(), repr=False)
    unsearched: int = 0
    exact: bool = True
    squared: bool = False
    in_single: float = 4e-4
    walks: tuple[Array, ...] = ()
    place: Callable[[Sequence[Array]], tuple[tuple[Array, ...], int]] | None = field(default=None, repr=False)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        arrays = self.eigenvalues, *self.blocks, *self.block_eigenvalues, *self.bases, *self.walks
        return sum(array.nbytes for array in arrays)

    def smallest(self, count: int | None = None) -> float:
        """The least modulus among the eigenvalues solved, or among the first `count` of each operator."""
        return min(float(np.abs(values[:count]).min()) for values in self.walks or (self.eigenvalues,))

    def values_of(self, block: int) -> Array:
        """Eigenvalues (k,) that belong to the vectors of `block`."""
        return self.block_eigenvalues[block] if self.block_eigenvalues else self.eigenvalues


@dataclass(frozen=True)
class Search:
    """Which eigenpairs to compute, and how.

    `k` counts those known as well. `start` are right eigenvectors (n, m) of a slightly different walk, without the
    trivial one. An eigenvector may be off by `angle` in radians: the leading `judged` ones, besides the trivial one; by
    default all. `sparse` tells that products are as cheap as the vectors they make: ARPACK, which works vector by
    vector, is quicker then. `precision` is the one worked in. With `look` a draft, too, searches for eigenvectors that
    the start lacks; `searched` tells that the start is the outcome of a search for this very walk, so that it lacks
    none. `table` makes the operator's matrix (n, n), where that takes less than its products with the identity.
    """

    k: int
    start: Array | None = None
    angle: float = ANGLE_EXACT
    sparse: bool = False
    precision: Precision = "float64"
    look: bool = False
    judged: int | None = None
    searched: bool = False
    table: Callable[[], Array] | None = None

    def rounded(self, degrees: Array) -> Array:
        """Row sums in the precision worked in: that of all vectors made from them."""
        return degrees.astype(self.precision, copy=False)


def top_eigenpairs(apply: Apply, n: int, k: int, task: Task) -> tuple[Array, Array]:
    """The k largest eigenpairs of a symmetric operator on (n, m) blocks with spectrum in [-1, 1], none known.

    Returns eigenvalues (k,), descending, and orthonormal eigenvectors (n, k).
    """
    values, vectors = _search(apply, np.empty((n, 0)), Search(k), task)
    return values[:k], vectors[:, :k]


def leading_eigenpairs(apply: Apply, locked: Block, search: Search, task: Task) -> tuple[Array, Block]:
    """Compute the k algebraically largest eigenpairs, the locked one first, and what else was found on the way.

    `apply` multiplies blocks (n, m), its spectrum in [-1, 1]; `locked` (n,) is the eigenvector of eigenvalue 1, any
    length, returned exactly; its precision, single or double, is the one worked in. `start` of the search, 1 <= k <= n,
    holds vectors near the eigenvectors of this symmetric operator. Eigenvalues (m,) descend, the first k being those
    asked for; eigenvectors (n, m) are orthonormal.
    """
    first = (locked / np.linalg.norm(locked))[:, None]
    if search.k == 1:
        return np.ones(1), first
    values, vectors = _search(apply, first, replace(search, k=search.k - 1), task)
    return np.concatenate([[1.0], values]), np.column_stack([first, vectors])


def _search(apply: Apply, locked: Block, search: Search, task: Task) -> tuple[Array, Block]:
    n, k = len(locked), search.k

    def counted(V: Array) -> Array:
        task.checkpoint()
        task.products += 1
        return apply(V.astype(locked.dtype, copy=False))

    if n <= DENSE_SIZE or k > (n - locked.shape[1]) // 3:
        return _dense(counted, locked, k, task)
    if not (search.sparse and k <= MANY and (search.start is None or search.angle < HIDDEN)):
        try:
            pairs = (
                block_lanczos(counted, locked, k, task, angle=search.angle)
                if search.start is None
                else block_davidson(
                    counted,
                    locked,
                    k,
                    task,
                    angle=search.angle,
                    start=search.start,
                    look=search.look,
                    judged=search.judged,
                    searched=search.searched,
                )
            )
            return pairs.values, pairs.vectors
        except Stalled:
            task.checkpoint()
            if not task.patient and n > DENSE_LIMIT:
                raise
    if search.table is not None and n <= DENSE_LIMIT:
        with suppress(Stalled):
            return crowded_eigenpairs(search.table(), locked.astype(np.float64), k, task, search.angle)
    return (_dense if k > MANY and n <= DENSE_LIMIT else _lanczos)(counted, locked, k, task)


def eigenpairs_beside(apply: Apply, known: Array, search: Search, task: Task) -> tuple[Array, Array, Array]:
    """Compute the k largest eigenpairs of an operator orthogonal to some of its eigenvectors, `known` (n, p).

    `apply` multiplies blocks (n, m), its spectrum in [-1, 1]. Returns eigenvalues (k,), descending, orthonormal
    eigenvectors (n, k), and a basis (n, m) of them and of what else the solver carried.
    """
    values, vectors = _search(apply, known.astype(search.precision, copy=False), search, task)
    basis = np.array(vectors, dtype=np.float64)  # LAPACK's are a part of all vectors
    return values[: search.k], basis[:, : search.k], basis


def operator_matrix(apply: Apply, n: int) -> Array:
    """The operator as an array (n, n)."""
    matrix = np.empty((n, n))
    for start in range(0, n, DENSE_SIZE):
        columns = slice(start, start + DENSE_SIZE)
        matrix[:, columns] = apply(np.eye(n, min(DENSE_SIZE, n - start), -start))
    return matrix


def _dense(apply: Apply, locked: Array, k: int, task: Task) -> tuple[Array, Array]:
    matrix = operator_matrix(apply, len(locked))
    task.checkpoint()
    matrix = 0.5 * (matrix + matrix.T)
    # Known vectors are moved to the bottom of the spectrum, so that they cannot mix with others of eigenvalue 1.
    matrix -= 3.0 * (locked @ locked.T)
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def _lanczos(apply: Apply, first: Array, k: int, task: Task) -> tuple[Array, Array]:
    """ARPACK on A + I with the known pair, `first` (n, 1) or (n, 0), deflated to 0.

    Its tolerance is relative to the eigenvalue: on A itself it stalls at tiny ones, on A + I it does not.
    From one start vector it sees one vector per eigenvalue. Where eigenvalues come several times (a graph in pieces,
    an evenly sampled ring) the others show up in a second run from another start, with everything found deflated.
    """
    with IMPORTS:
        from scipy.sparse.linalg import ArpackError, ArpackNoConvergence

    given, locked, values = first.shape[1], first, np.empty(0)

    def largest(count: int, tolerance: float, start: Array) -> tuple[Array, Array]:
        """The largest eigenpairs besides the known ones."""
        among = np.concatenate([np.ones(given), values])
        return _arpack(apply, locked, among, count, tolerance, start, task)

    try:
        tol = 1e-8  # Residual of ARPACK's eigenvectors, relative to the eigenvalue.
        more, vectors = largest(k, tol, _random(len(first), 0))
        tol_probe = 1e-4  # The residual of a probe: is there another eigenvalue as large as those found?
        same_eigenvalue = 1e-10
        while True:
            values, locked = np.concatenate([values, more]), np.column_stack([locked, vectors])
            last = np.sort(values)[-k]
            more, vectors = largest(1, tol_probe, _random(len(first), len(values)))
            if more[0] > last - 2.0 * tol_probe:  # too near to tell
                more, vectors = largest(1, tol, vectors[:, 0])
            if more[0] <= last + same_eigenvalue:
                break
    except ArpackError as error:
        # Nearly isolated samples: eigenvalues crowd at 1, or the start vector lies in an invariant subspace.
        if len(first) <= DENSE_LIMIT:
            with suppress(Stalled):
                return crowded_eigenpairs(operator_matrix(apply, len(first)), first, k, task, ANGLE_EXACT)
            return _dense(apply, first, k, task)
        converged = len(values) or (len(error.eigenvalues) if isinstance(error, ArpackNoConvergence) else 0)
        raise ComputeError(
            f"Only {converged} of {k} eigenvectors converged: nearly all samples are isolated at this ε.",
            "Enlarge ε, or use fewer samples or views.",
        ) from None
    order = np.argsort(values, kind="stable")[::-1][:k]
    return values[order], np.linalg.qr(locked[:, [*range(given), *(order + given)]])[0][:, given:]


def _random(n: int, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(n)


def _arpack(
    apply: Apply, locked: Array, known_values: Array, k: int, tolerance: float, start: Array, task: Task
) -> tuple[Array, Array]:
    """The k largest eigenpairs besides the known ones (n, m), which are moved to the bottom of the spectrum."""
    with IMPORTS:
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    n, budget = len(locked), 12.0 * k
    weights = known_values + 1.0

    def shifted(v: Array) -> Array:
        v = v.ravel()
        out = apply(v[:, None]).ravel() + v - locked @ (weights * (locked.T @ v))
        task.progress(1.0 - 1.0 / (1.0 + task.products / budget))
        return out

    operator = LinearOperator((n, n), matvec=shifted, dtype=np.float64)
    size, restarts = max(2 * k + 8, 24), RESTARTS
    try:
        values, vectors = eigsh(operator, k=k, which="LA", tol=tolerance, v0=start, ncv=min(n, size), maxiter=restarts)
    except ArpackNoConvergence:
        if n <= DENSE_LIMIT:
            raise
        # A larger space converges where a small one would be restarted for ever.
        size, restarts = max(4 * k, 160), 4 * RESTARTS
        values, vectors = eigsh(operator, k=k, which="LA", tol=tolerance, v0=start, ncv=min(n, size), maxiter=restarts)
    return values - 1.0, vectors


def fix_signs(vectors: Array) -> Array:
    """Each column with the sign that makes its entry of largest modulus positive."""
    top = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(top < 0.0, -1.0, 1.0)


def right_eigenvectors(vectors: Array, degrees: Array) -> Array:
    """ψ = D^-1/2 π, scaled so that ψ_0 = 1 (factor sqrt(Tr D)), from orthonormal π (n, k); signs of ψ fixed."""
    psi = fix_signs(vectors * np.sqrt(degrees.sum() / degrees)[:, None])
    psi[:, 0] = 1.0
    return psi


def density_normalised(apply_kernel: Apply, degrees: Array, alpha: float) -> tuple[Apply, Array]:
    """The operator Q^-α K Q^-α and its row sums (n,); Q the row sums of K. Coifman, Lafon (2006), section 3.4."""
    if alpha == 0.0:
        return apply_kernel, degrees
    weight = (degrees**-alpha)[:, None]

    def apply(V: Array) -> Array:
        return weight * apply_kernel(weight * V)

    return apply, apply(np.ones_like(weight)).ravel()


def walk_eigenpairs(apply: Apply, degrees: Array, search: Search, task: Task) -> tuple[Array, Array, Array]:
    """Compute leading eigenpairs of a walk from its symmetric form, whose known vector is the root of `degrees` (n,).

    Eigenvalues are (k,), eigenvectors (n, k) orthonormal, of the symmetric form. The basis (n, m) has right
    eigenvectors without the trivial one, and further vectors carried: where a next step may start.
    """
    root, k = np.sqrt(search.rounded(degrees)), search.k
    if search.start is not None:
        fits = len(search.start) == len(root)
        start, judged = (search.start * root[:, None], search.judged) if fits else (None, None)
        search = replace(search, start=start, judged=judged)
    values, vectors = leading_eigenpairs(apply, root, search, task)
    return values[:k], *_with_basis(vectors, root, k)


def _with_basis(vectors: Block, root: Array, k: int) -> tuple[Array, Array]:
    vectors = vectors.astype(np.float64, copy=False)
    return vectors[:, :k], vectors[:, 1:] * (np.linalg.norm(root) / root)[:, None]


def singular_vectors(
    forward: Apply, backward: Apply, degrees: tuple[Array, Array], search: Search, task: Task
) -> tuple[Array, Array, float]:
    """Compute leading left singular vectors of a walk between two sides, from its symmetric form B and Bᵀ.

    `degrees` (n,) of the left and the right side are the squares of the known vectors. Returned are the vectors (n, k)
    and the basis (n, m) as by `walk_eigenpairs`, and the least singular value whose vector single precision resolves.
    """
    roots = [np.sqrt(search.rounded(each)) for each in degrees]
    n, wanted = len(roots[0]), search.k - 1
    squares_lost = search.precision == "float32" and search.start is None and not search.sparse
    if squares_lost and n > DENSE_SIZE and 0 < wanted <= n // 3:
        known, there = ((root / np.linalg.norm(root))[:, None] for root in roots)

        def counted(V: Array) -> Array:
            task.checkpoint()
            task.products += 1
            return backward(V)

        with suppress(Stalled):
            pairs = block_golub_kahan(forward, counted, (known, there), wanted, task, angle=search.angle)
            return *_with_basis(np.column_stack([known, pairs.vectors]), roots[0], search.k), 2e-5
    _, left, basis = walk_eigenpairs(lambda U: forward(backward(U)), degrees[0], search, task)
    return left, basis, 2e-2


def diffusion_decomposition(
    kernel: Apply | Array, degrees: Array, search: Search, task: Task, alpha: float = 0.0, copies: int = 1
) -> Decomposition:
    """Decompose the random walk D^-1 K of one symmetric kernel through D^-1/2 K D^-1/2.

    `kernel` is K (M, M), or its products with blocks (M, m); `degrees` (M,) are its row sums. `alpha` is the density
    normalisation: 0 leaves K as it is. Its states are `copies` of the samples.
    """
    apply = partial(np.matmul, kernel) if isinstance(kernel, np.ndarray) else kernel
    apply_kernel, degrees = density_normalised(apply, search.rounded(degrees), alpha)
    scale = 1.0 / np.sqrt(degrees)[:, None]
    if isinstance(kernel, np.ndarray) and alpha == 0.0:
        search = replace(search, table=lambda: scale * kernel * scale.T)
    values, vectors, basis = walk_eigenpairs(lambda V: scale * apply_kernel(scale * V), degrees, search, task)
    psi = right_eigenvectors(vectors, degrees)
    return Decomposition(values, (psi,), warnings=walk_diagnostics(values, psi, copies), bases=(basis,))
