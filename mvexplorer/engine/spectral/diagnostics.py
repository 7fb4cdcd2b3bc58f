"""When to distrust a picture: what the spectrum of a random walk says about its graph, in sentences for the analyst."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array

Diagnostics = tuple[tuple[str, str], ...]
"""(code, sentence), the code short and stable."""

CONNECTED_GAP = 1e-9
"""Eigenvalues within this distance of 1 belong to further connected components."""
FEW = 5


def walk_diagnostics(values: Array, psi: Array) -> Diagnostics:
    """The warnings about a walk with eigenvalues (k,), 1 first, and right eigenvectors (n, k)."""
    if len(values) < 2:
        return ()
    if values[1] >= 1.0 - CONNECTED_GAP:
        return _in_pieces(values)
    return _flat(values) or _outliers(psi) or _by_a_thread(values)


def _in_pieces(values: Array) -> Diagnostics:
    pieces = int(np.count_nonzero(values >= 1.0 - CONNECTED_GAP))
    count = f"at least {pieces}" if pieces == len(values) else str(pieces)
    text = (
        f"The graph falls into {count} unconnected pieces at this ε: the leading coordinates only tell them apart. "
        "Enlarge ε to see the geometry inside."
    )
    return (("disconnected", text),)


def _flat(values: Array) -> Diagnostics:
    flat = 1e-3  # Below this λ₁ a walk forgets its origin in one step: the kernel is numerically of rank one.
    if np.abs(values[1:]).max() >= flat:
        return ()
    text = (
        f"At this ε all samples look nearly alike (λ₁ = {values[1]:.1e}): the kernel is numerically of rank one, and "
        "what is left has the directions of principal components, not their spreads. Lower ε to see more."
    )
    return (("flat", text),)


def _outliers(psi: Array) -> Diagnostics:
    """Outliers make a first coordinate whose fourth moment comes from a handful of samples."""
    squares = np.square(psi[:, 1])
    few = float(squares.sum()) ** 2 / float(squares @ squares)
    if not (few < FEW and len(psi) >= 10 * FEW):
        return ()
    count = max(1, round(few))
    what = "one sample" if count == 1 else f"{count} samples"
    text = f"The first coordinate only sets {what} apart from all others: outliers at this ε. Try another ε."
    return (("outlier", text),)


def _moments(y: Array) -> tuple[float, float]:
    """Sums of the squares and fourth powers of y (M,) about its mean."""
    squares = y - y.mean()
    np.square(squares, out=squares)
    return float(squares.sum()), float(squares @ squares)


def bearers(Y: Array) -> Array:
    """How many samples bear each coordinate of `Y` (M, r), about: one where one sample is apart from all others."""
    total, fourth = np.array([_moments(column) for column in Y.T]).reshape(-1, 2).T
    there = fourth > 0.0
    counts: Array = np.where(there, np.square(total) / np.where(there, fourth, 1.0), float(len(Y)))
    return counts


def taken_by_few(Y: Array) -> npt.NDArray[np.bool_]:
    """Which coordinates of `Y` (M, r) only set a few samples apart: fewer than five, or than one in a hundred."""
    few: npt.NDArray[np.bool_] = bearers(Y) < max(FEW, 0.01 * len(Y))
    return few if len(Y) >= 10 * FEW else np.zeros(Y.shape[1], dtype=bool)


def _by_a_thread(values: Array) -> Diagnostics:
    """Pieces held by a thread make 1 - λ_k jump by a factor above 1000; on a smooth manifold it grows by a few."""
    distance = 1.0 - values[1:]
    thread = 1e-3
    gaps = np.flatnonzero((distance[:-1] < thread * distance[1:]) & (distance[:-1] < thread))
    if not len(gaps):
        return ()
    pieces = int(gaps[-1]) + 2
    text = f"The graph nearly falls into {pieces} pieces at this ε: the leading coordinates only tell them apart."
    return (("nearly-disconnected", text),)


def vanished(blocks: Sequence[Array], t: object) -> Diagnostics:
    """The warning that a long walk has brought all coordinates (M, r) to 0."""
    gone = 1e-9
    if not t or not blocks or any(Y.max(initial=0.0) > gone or Y.min(initial=0.0) < -gone for Y in blocks):
        return ()
    return (("vanished", f"After t = {t} steps every coordinate has vanished: λᵗ is below {gone:g}. Lower t."),)
