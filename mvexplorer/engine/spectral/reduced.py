"""Reduced bases: a walk's leading eigenpairs anywhere between two anchors, from small matrices.

Between two exact answers the operator is a smooth curve of matrices. Projected on the span of both answers it is k x k,
k about 40, and known after a few places have been computed: an answer in between then costs a millisecond, whatever the
number of samples. This is the certified reduced-basis method of model order reduction. What is projected is Δ = D - A
itself: where eigenvalues are near 1, D and A apart would lose it to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.eigenpairs import fix_signs

PLACES = 5
"""Places between two anchors at which the operator is projected; two or three let vectors turn unseen at small ε."""
PLACES_IF_LINEAR = 3
"""The same along a parameter in which the operator is linear: its middle is for the certificate."""
MIDDLE = 0.5
"""The place, as a part of the way from one anchor to the other, where the residual is looked at."""
CERTAIN = 0.05
"""Radians by which the space of drawn axes may be off where it is certified."""
CERTAIN_WITHOUT_GAP = 0.2
"""The same where no gap ends that space, so that only eigenvalues are determined; bounds are some five times larger
than errors."""
CERTAIN_VALUE = 1e-3
"""The same of eigenvalues."""
SEPARATE = 0.01
"""Eigenvalues that differ by more than this share of the larger one end a space told from the next vectors."""
NEGLIGIBLE = 1e-5
"""Directions of the joint span shorter than this, its vectors having length 1, are the rounding of single precision."""


@dataclass(frozen=True, eq=False)
class Pencil:
    """The symmetric pencil A ψ = λ D ψ of a walk D⁻¹A.

    `apply` multiplies blocks (n, m) with A; `degrees` (n,) are A's row sums. `two_sided` tells that every step leaves
    the first half of the rows for the second or back, so that -1 is an eigenvalue. `linear` names the parameters in
    which A and D are linear. `info` and `warnings` are those of a decomposition at this place. `kept` tells
    which of the states the rows are, where some have no neighbours and are left out; None where they are all.
    """

    apply: Apply
    degrees: Array
    n_blocks: int = 1
    two_sided: bool = False
    linear: tuple[str, ...] = ()
    info: Callable[[], dict[str, float]] = dict
    warnings: tuple[tuple[str, str], ...] = ()
    kept: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Projected:
    """A pencil on a basis B (n, k) whose first vector is constant, at one place.

    `laplacian` is Bᵀ(D - A)B and `degrees` BᵀDB, both (k, k) and divided by the trace of D.
    """

    laplacian: Array
    degrees: Array


@dataclass(frozen=True, eq=False)
class Bounds:
    """How far answers may be off.

    `angles` (r,) bounds, in radians, the angle of the space of the first 1, 2, ..., r vectors, or of a slightly larger
    one where these cannot be told from the next vectors. `values` (r,) bounds the error of the eigenvalues, without the
    trivial one. `ended` (r,) tells where such a space ends at a gap.
    """

    angles: Array
    values: Array
    ended: npt.NDArray[np.bool_]

    @staticmethod
    def none(count: int) -> Bounds:
        """Return what is known before anything is: nothing is certain."""
        return Bounds(np.full(count, np.inf), np.full(count, np.inf), np.zeros(count, dtype=bool))


@dataclass(frozen=True, eq=False)
class Interval:
    """The walk between two anchors, on a basis (n, k) common to all places there.

    `places` (p,) are parts of the way from the first to the second anchor, `laplacians` and `degrees` (p, k, k) the
    projections there. `signed` (k, r) are the first anchor's vectors there, whose signs others take. `bounds` tells how
    far answers may be off.
    """

    basis: Array
    places: Array
    laplacians: Array
    degrees: Array
    signed: Array
    bounds: Bounds

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.basis.nbytes + self.laplacians.nbytes + self.degrees.nbytes + self.signed.nbytes

    @property
    def count(self) -> int:
        """Number of vectors, besides the trivial one, that an answer can have."""
        return len(self.bounds.values)

    def certified(self, drawn: int) -> bool:
        """Whether the first `drawn` vectors are as good as exact, everywhere between the anchors."""
        last = min(drawn, self.count) - 1
        if self.bounds.ended[last]:
            return bool(self.bounds.angles[last] <= CERTAIN)
        return bool(self.bounds.angles[last] <= CERTAIN_WITHOUT_GAP) and self.values_certified(self.count)

    def values_certified(self, count: int) -> bool:
        """Whether the first `count` eigenvalues are as good as exact, everywhere between the anchors."""
        return bool(self.bounds.values[:count].max(initial=0.0) <= CERTAIN_VALUE)

    def at(self, fraction: float) -> Projected:
        """The pencil at a part of the way, interpolated."""
        weights = interpolation_weights(self.places, fraction)
        return Projected(np.tensordot(weights, self.laplacians, 1), np.tensordot(weights, self.degrees, 1))

    def solve(self, fraction: float, count: int) -> tuple[Array, Array]:
        """The trivial and the next `count` eigenpairs: values (count + 1,), right eigenvectors (n, count + 1)."""
        gaps, coordinates = eigenpairs_of(self.at(fraction), count)
        towards = np.einsum("ij,ij->j", coordinates[:, 1:], self.signed[:, :count])
        coordinates[:, 1:] *= np.where(towards < 0.0, -1.0, 1.0)
        # Each vector in one piece: what follows looks at them one by one.
        vectors = (coordinates.T.astype(self.basis.dtype) @ self.basis.T).astype(np.float64).T
        vectors[:, 0] = 1.0
        return 1.0 - gaps, vectors

    def values(self, fraction: float, count: int) -> Array:
        """The trivial and the next `count` eigenvalues (count + 1,)."""
        return 1.0 - eigenpairs_of(self.at(fraction), count)[0]


def places_between(count: int) -> Array:
    """Chebyshev's places on (0, 1), an odd number of them, so that the middle is one."""
    places = 0.5 - 0.5 * np.cos(np.pi * (2 * np.arange(count) + 1) / (2 * count))
    places[count // 2] = MIDDLE
    return places


def interpolation_weights(places: Array, fraction: float) -> Array:
    """Lagrange's weights (p,) of values at `places` for their polynomial's value at `fraction`."""
    apart = places[:, None] - places + np.eye(len(places))
    towards = np.where(np.eye(len(places), dtype=bool), 1.0, fraction - places)
    return np.asarray(np.prod(towards / apart, axis=1))


def joint_basis(anchors: Sequence[Array], *, two_sided: bool = False) -> Array:
    """An orthonormal basis (n, k), in single precision, of the constant and of the anchors' right eigenvectors (n, m).

    The first vector is the constant. With `two_sided` the one that tells the halves apart belongs to it, too: it is an
    eigenvector of every walk between them.
    """
    n = len(anchors[0])
    first = np.ones((n, 1))
    if two_sided:
        first = np.column_stack([first, np.repeat([1.0, -1.0], n // 2)])
    first /= np.sqrt(n)
    vectors = np.column_stack(anchors).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(float).tiny)
    vectors -= first @ (first.T @ vectors)
    # By the small matrix of products: vectors of many samples are long. Its root is good to single precision.
    squares, turns = np.linalg.eigh(vectors.T @ vectors)
    lengths = np.sqrt(np.maximum(squares, 0.0))
    kept = lengths > NEGLIGIBLE * lengths.max(initial=0.0)
    basis = vectors @ (turns[:, kept] / lengths[kept])
    basis -= first @ (first.T @ basis)
    # They are orthonormal but for rounding, which the root of their products takes out, far quicker than QR.
    basis = basis @ np.linalg.inv(np.linalg.cholesky(basis.T @ basis)).T
    return np.column_stack([first, basis]).astype(np.float32)


def projected(pencil: Pencil, basis: Array, task: Task) -> tuple[Projected, Array]:
    """A pencil on a basis (n, k), and (D - A)B (n, k), of which residuals are made."""
    task.checkpoint()
    task.products += 1
    weighted = pencil.degrees[:, None] * basis
    rest = weighted - pencil.apply(basis)
    whole = float(pencil.degrees.sum(dtype=np.float64))
    laplacian, degrees = (np.asarray(basis.T @ block, np.float64) / whole for block in (rest, weighted))
    return Projected(0.5 * (laplacian + laplacian.T), 0.5 * (degrees + degrees.T)), rest


def eigenpairs_of(pencil: Projected, count: int) -> tuple[Array, Array]:
    """The smallest eigenvalues 1 - λ (count + 1,) of a projected pencil, and coordinates (k, count + 1) of its vectors.

    The constant is the first, exactly; the others have coordinates z with zᵀ (BᵀDB) z / Tr D = 1, and are orthogonal to
    it in that sense.
    """
    H, N = pencil.degrees, pencil.laplacian
    constant = H[0, 0]
    across = H[0, 1:] / constant
    # The constant is taken out by hand: where the graph is in pieces other eigenvalues are 0 as well.
    within = H[1:, 1:] - constant * np.outer(across, across)
    root = np.linalg.inv(np.linalg.cholesky(within))
    gaps, turned = np.linalg.eigh(root @ N[1:, 1:] @ root.T)
    coordinates = np.zeros((len(H), count + 1))
    coordinates[0, 0] = 1.0 / np.sqrt(constant)
    coordinates[1:, 1:] = root.T @ turned[:, :count]
    coordinates[0, 1:] = -across @ coordinates[1:, 1:]
    return np.concatenate([[0.0], gaps[:count]]), coordinates


def interval_between(
    anchors: Sequence[Array],
    pencil_at: Callable[[float], Pencil],
    count: int,
    task: Task,
    *,
    two_sided: bool = False,
    n_places: int = PLACES,
) -> Interval:
    """Project a walk on the span of two anchors' right eigenvectors (n, m), without the trivial one.

    `pencil_at` makes the pencil at a fraction 0..1 of the way between them; `count` is an answer's number of vectors.
    """
    basis, places = joint_basis(anchors, two_sided=two_sided), places_between(n_places)
    each, bounds = [], Bounds.none(0)
    for i, place in enumerate(places):
        pencil = pencil_at(float(place))
        there, rest = projected(pencil, basis, task)
        each.append(there)
        if i == n_places // 2:
            bounds = residual_bounds(there, basis, rest, pencil.degrees, min(count, anchors[0].shape[1]))
    return interval_of(basis, anchors[0], places, each, bounds)


def interval_of(basis: Array, first: Array, places: Array, each: Sequence[Projected], bounds: Bounds) -> Interval:
    """Join what was projected at the places between two anchors, of which `first` (n, m) has the right eigenvectors.

    `bounds` are the residual's at the middle.
    """
    count = len(bounds.values)
    laplacians, degrees = np.stack([p.laplacian for p in each]), np.stack([p.degrees for p in each])
    misled = _misled_by_interpolation(places, laplacians, degrees, count)
    gaps, _ = eigenpairs_of(each[len(places) // 2], min(count + 1, basis.shape[1] - 1))
    angles, ended = _around(np.maximum(bounds.angles, misled.angles), ends_of_spaces(gaps[1:]))
    signed = basis.T @ fix_signs(first[:, :count])
    found = Bounds(angles, np.maximum(bounds.values, misled.values), ended)
    return Interval(basis, places, laplacians, degrees, signed, found)


def ends_of_spaces(gaps: Array) -> npt.NDArray[np.bool_]:
    """Which of the spaces of the first 1, 2, ... vectors (m - 1,) end at a gap; `gaps` (m,) are 1 - λ, ascending."""
    return np.asarray(np.diff(gaps) > SEPARATE * (1.0 - gaps[:-1]).clip(min=SEPARATE))


def _around(bounds: Array, ends: npt.NDArray[np.bool_]) -> tuple[Array, npt.NDArray[np.bool_]]:
    """For the first 1, 2, ..., r vectors the least bound of a space that has them all, and if such a one ends at a gap.

    The largest space looked at is the next that ends at a gap: what is drawn may be turned within it, not beyond.
    """
    least, out = np.inf, np.empty(len(bounds))
    for j in reversed(range(len(bounds))):
        least = bounds[j] if j < len(ends) and ends[j] else min(least, bounds[j])
        out[j] = least
    behind = np.logical_or.accumulate(np.pad(ends, (0, max(0, len(bounds) - len(ends))))[::-1])[::-1]
    return out, behind[: len(bounds)]


def residual_bounds(there: Projected, basis: Array, rest: Array, degrees: Array, count: int) -> Bounds:
    """How far what is found at a place may be from the walk's own: spaces by residual / gap, eigenvalues by its square.

    `rest` is (D - A)B (n, k), `degrees` (n,). The residual of ψ is (D - A)ψ - (1 - λ)Dψ, in the norm of D⁻¹.
    """
    most = min(count + 1, basis.shape[1] - 1)
    gaps, coordinates = eigenpairs_of(there, most)
    gaps, coordinates = gaps[1:], coordinates[:, 1:].astype(basis.dtype)
    residuals = rest @ coordinates - degrees[:, None] * (basis @ coordinates) * gaps.astype(basis.dtype)
    whole = float(degrees.sum(dtype=np.float64))
    squares = (np.square(residuals) / degrees[:, None]).sum(axis=0, dtype=np.float64) / whole
    unresolved = 1e-12  # A gap below this is none.
    spread = np.maximum(np.diff(gaps), unresolved)
    # What of a vector lies outside the first j: its residual, divided by how far its eigenvalue is from the next.
    beyond = np.maximum(gaps[1:, None] - gaps[:-1], unresolved)
    angles = np.sqrt(np.tril(squares[:-1] / np.square(beyond)).sum(axis=1))
    lengths = np.sqrt(squares)
    apart = np.minimum(np.append(spread, np.inf), np.insert(spread, 0, np.inf))
    errors = np.minimum(lengths, squares / apart)
    return replace(Bounds.none(count), angles=_padded(angles, count), values=errors[:count])


def _misled_by_interpolation(places: Array, laplacians: Array, degrees: Array, count: int) -> Bounds:
    """How far spaces and eigenvalues at the middle are from those that the other places predict for it."""
    middle = len(places) // 2
    others = np.arange(len(places)) != middle
    weights = interpolation_weights(places[others], float(places[middle]))
    true = Projected(laplacians[middle], degrees[middle])
    guess = Projected(np.tensordot(weights, laplacians[others], 1), np.tensordot(weights, degrees[others], 1))
    most = min(count + 1, len(true.degrees) - 1)
    gaps, coordinates = eigenpairs_of(true, most)
    try:
        guessed_gaps, guessed = eigenpairs_of(guess, most)
    except np.linalg.LinAlgError:  # no positive definite matrix comes of so few places
        return Bounds.none(count)
    cosines = coordinates[:, 1:].T @ true.degrees @ guessed[:, 1:]
    lengths = np.sqrt(np.einsum("ij,ij->j", guessed[:, 1:], true.degrees @ guessed[:, 1:]))
    cosines /= lengths
    angles = np.array([_largest_angle(cosines[:j, :j]) for j in range(1, most)])
    errors = np.abs(guessed_gaps - gaps)[1 : count + 1]
    return replace(Bounds.none(count), angles=_padded(angles, count), values=errors)


def _largest_angle(cosines: Array) -> float:
    """The largest angle between two spaces whose bases have these products."""
    least = np.linalg.svd(cosines, compute_uv=False)[-1]
    return float(np.arccos(np.clip(least, 0.0, 1.0)))


def _padded(known: Array, count: int) -> Array:
    return cast("Array", np.concatenate([known[:count], np.full(max(0, count - len(known)), np.inf)]))
