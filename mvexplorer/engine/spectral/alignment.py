"""Lay one embedding onto another: eigenvectors are only defined up to sign, rotation and scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array


def align(moving: Array, reference: Array) -> Array:
    """`moving` (M, d) centred, rotated or reflected, and scaled to the centre and size of `reference` (M, d).

    Orthogonal Procrustes. The size is matched by norms, not by least squares: that factor shrinks a picture
    towards a point as soon as the two have little in common.
    """
    mean = reference.mean(axis=0)
    A, B = moving - moving.mean(axis=0), reference - mean
    U, _, Vt = np.linalg.svd(A.T @ B)
    size = float(np.linalg.norm(A))
    factor = float(np.linalg.norm(B)) / size if size > 0.0 else 1.0
    return cast("Array", factor * (A @ (U @ Vt)) + mean)


def fit_to_unit(Y: Array) -> Array:
    """`Y` (M, d) moved and scaled, equally on all axes, so that its longest side spans -1..1."""
    if not np.isfinite(Y).all():
        Y = np.nan_to_num(Y)
    low, high = Y.min(axis=0), Y.max(axis=0)
    half = 0.5 * float((high - low).max())
    return cast("Array", (Y - 0.5 * (low + high)) / (half if half > 0.0 else 1.0))


def rotation_angle(moving: Array, aligned: Array) -> float:
    """Largest angle in radians between a column of `moving` (M, d) and the same column of `aligned`, signs aside."""
    A, B = moving - moving.mean(axis=0), aligned - aligned.mean(axis=0)
    lengths = np.linalg.norm(A, axis=0) * np.linalg.norm(B, axis=0)
    cosines = np.abs(np.einsum("ij,ij->j", A, B)) / np.where(lengths > 0.0, lengths, 1.0)
    return float(np.arccos(np.clip(cosines[lengths > 0.0], 0.0, 1.0)).max(initial=0.0))
