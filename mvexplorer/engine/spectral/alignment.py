"""Lay one embedding onto another: eigenvectors are only defined up to sign, rotation and scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import DataError

Alignment = Literal["none", "sign", "rigid", "similarity"]
FEWEST = 3
"""Samples that an alignment needs: two can always be laid onto two."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """One embedding laid onto another.

    `moved` and `reference` (M, d) are the one that was moved, and the one it was laid onto; columns that one of them
    lacks are 0. `residual` is ``sqrt(Σ |moved_i - reference_i|² / Σ |reference_i - mean|²)`` over the samples aligned
    by: 0 where they fit, 1 and more where the reference's mean would do as well.
    """

    moved: Array
    reference: Array
    residual: float

    @property
    def displacement(self) -> Array:
        """How far each sample (M,) lies from its place in the reference; NaN where it has none."""
        return cast("Array", np.linalg.norm(self.moved - self.reference, axis=1))


def lay_onto(
    moving: Array, reference: Array, how: Alignment = "rigid", rows: npt.NDArray[np.intp] | None = None
) -> Aligned:
    """Lay one embedding (M, d) onto another (M, d') of the same samples.

    Of the narrower one the missing columns count as 0; samples with a NaN are not aligned by. ``none`` leaves it;
    ``sign`` turns single axes round; ``rigid`` shifts, rotates and reflects (orthogonal Procrustes); ``similarity``
    scales as well, to the reference's size. `rows` (n,) are the samples to align by, by default all; the others follow,
    and decide only what these leave open. DataError where the embeddings are not of the same samples, or there are
    fewer than three samples to align by.

    Notes
    -----
    P. H. Schönemann, "A generalized solution of the orthogonal Procrustes problem" (1966).

    Examples
    --------
    >>> from mvexplorer.engine.spectral.alignment import lay_onto
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> laid = lay_onto(2.0 * square[:, ::-1] + 5.0, square, "similarity")
    >>> round(laid.residual, 12), round(lay_onto(2.0 * square, square, "rigid").residual, 12)
    (0.0, 1.0)
    """
    if len(moving) != len(reference):
        message = f"One picture has {len(moving):,} samples and the other {len(reference):,}."
        raise DataError(message, "Align pictures of the same samples.")
    width = max(moving.shape[1], reference.shape[1])
    A, B = (np.pad(Y, ((0, 0), (0, width - Y.shape[1]))) for Y in (moving, reference))
    finite = np.logical_and.reduce(np.isfinite(np.column_stack([A, B])), axis=1)
    chosen = finite if rows is None else finite & np.isin(np.arange(len(A)), rows)
    n = int(np.count_nonzero(chosen))
    if n < FEWEST and how != "none":
        count = {0: "No sample is", 1: "One sample is", 2: "Two samples are"}[n]
        raise DataError(f"{count} too few to align two pictures by.", "Choose at least three, or align by all samples.")
    moved = _laid(A, B, how, chosen, finite)
    spread = float(np.linalg.norm(B[chosen] - B[chosen].mean(axis=0))) if n else 0.0
    apart = float(np.linalg.norm(moved[chosen] - B[chosen]))
    return Aligned(moved, B, apart / spread if spread > 0.0 else float("inf" if apart > 0.0 else 0.0))


def _laid(A: Array, B: Array, how: Alignment, chosen: npt.NDArray[np.bool_], finite: npt.NDArray[np.bool_]) -> Array:
    if how == "none":
        return A
    if how == "sign":
        a, b = A[chosen] - A[chosen].mean(axis=0), B[chosen] - B[chosen].mean(axis=0)
        return A * np.where(np.einsum("ij,ij->j", a, b) < 0.0, -1.0, 1.0)
    return _procrustes(A, B, chosen, finite, scaled=how == "similarity")


def align(moving: Array, reference: Array, rows: npt.NDArray[np.bool_] | None = None) -> Array:
    """`moving` (M, d) centred, rotated or reflected, and scaled to the centre and size of `reference` (M, d).

    Orthogonal Procrustes. The size is matched by norms, not by least squares: that factor shrinks a picture
    towards a point as soon as the two have little in common. `rows` (M,) tells by which samples they are aligned, by
    default by all; the others follow.
    """
    chosen = np.ones(len(moving), dtype=bool) if rows is None or not rows.any() else rows
    return _procrustes(moving, reference, chosen, chosen, scaled=True)


def turn_between(moving: Array, aligned: Array) -> tuple[Array, float]:
    """The rotation or reflection (d, d) that takes `moving` (M, d) nearest to `aligned` (M, d), centres aside.

    Beside it the largest angle in radians between a column of one and the same column of the other, signs aside.
    """
    A, B = moving - moving.mean(axis=0), aligned - aligned.mean(axis=0)
    cross = A.T @ B
    U, _, Vt = np.linalg.svd(cross)
    lengths = np.sqrt(np.einsum("ij,ij->j", A, A) * np.einsum("ij,ij->j", B, B))
    cosines = np.abs(np.diag(cross)) / np.where(lengths > 0.0, lengths, 1.0)
    angle = np.arccos(np.clip(cosines[lengths > 0.0], 0.0, 1.0)).max(initial=0.0)
    return cast("Array", U @ Vt), float(angle)


def _procrustes(
    moving: Array, reference: Array, chosen: npt.NDArray[np.bool_], finite: npt.NDArray[np.bool_], *, scaled: bool
) -> Array:
    some = slice(None) if chosen.all() else chosen  # a mask copies, even where it takes all
    centre, mean = moving[some].mean(axis=0), reference[some].mean(axis=0)
    A, B = moving - centre, reference - mean
    cross = A[some].T @ B[some]
    if some is chosen:
        whole = A[finite].T @ B[finite]
        size = float(np.linalg.norm(whole))
        # Weight of all samples beside those aligned by: they decide what the chosen ones leave open, and nothing else.
        others = 1e-12
        cross = cross + whole * (others * float(np.linalg.norm(cross)) / size if size > 0.0 else 0.0)
    U, _, Vt = np.linalg.svd(cross)
    size = float(np.linalg.norm(A[some]))
    factor = float(np.linalg.norm(B[some])) / size if scaled and size > 0.0 else 1.0
    return cast("Array", factor * ((U @ Vt).T @ A.T).T + mean)  # columns stay as they lie in memory


def fit_to_unit(Y: Array) -> Array:
    """`Y` (M, d) moved and scaled, equally on all axes, so that its longest side spans -1..1."""
    if not np.isfinite(Y).all():
        Y = np.nan_to_num(Y)
    low, high = Y.min(axis=0), Y.max(axis=0)
    half = 0.5 * float((high - low).max())
    return cast("Array", (Y - 0.5 * (low + high)) / (half if half > 0.0 else 1.0))
