"""When to distrust a picture: what the spectrum of a random walk says about its graph, in sentences for the analyst."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import FORGETS, PIECES, doubt
from mvexplorer.wording import listed, number

Diagnostics = tuple[tuple[str, str], ...]
"""(code, sentence), the code short and stable."""

DISCONNECTED = "disconnected"
CONNECTED_GAP = 1e-9
"""Eigenvalues within this distance of 1 belong to further connected components."""
TORN = 0.999
"""Eigenvalues above this belong to pieces that hardly any step leaves."""
FEW = 5
"""Samples below which a piece is no cluster."""


def walk_diagnostics(values: Array, psi: Array, copies: int = 1) -> Diagnostics:
    """The notices about a walk with eigenvalues (k,), 1 first, and right eigenvectors (n, k).

    Its states are the samples, or `copies` of them, one after the other. Clusters and a walk that forgets are facts,
    no doubts.
    """
    if len(values) < 2:
        return ()
    apart = int(np.count_nonzero(values >= 1.0 - CONNECTED_GAP))
    if apart > 1:
        return _in_pieces(values, psi, apart, copies) or _unconnected(values)
    nearly = int(np.count_nonzero(values > TORN))
    return _flat(values) or _outliers(psi) or _in_pieces(values, psi, nearly, copies) or _forgets(values)


def _in_pieces(values: Array, psi: Array, count: int, copies: int) -> Diagnostics:
    # Where eigenvalues that were not computed may be as large, pieces are not told from groups of them.
    sizes = _pieces(psi, count, copies) if count < len(values) else np.zeros(0, dtype=np.int64)
    if not len(sizes):
        return ()
    most = 5  # sizes in a sentence
    named = listed([f"{size:,}" for size in sizes[:most]])
    more = f" and {len(sizes) - most} more" if len(sizes) > most else ""
    text = f"n pieces of {named} samples{more}: the first coordinates count pieces; a larger ε joins them."
    return ((DISCONNECTED, f"Torn: i{text}"),) if sizes[-1] < FEW else ((PIECES, doubt(PIECES, f"I{text}")),)


def _pieces(psi: Array, count: int, copies: int) -> npt.NDArray[np.int64]:
    """The samples in each of `count` pieces, descending; none where the vectors (n, k) do not tell pieces apart.

    The rows that lie farthest out are the pieces' corners, all others mixtures of them: the inner simplex algorithm of
    Weber and Galliat (2002). Along a curve most are no corner's own.
    """
    none = np.zeros(0, dtype=np.int64)
    if not 2 <= count <= min(psi.shape[1], len(psi)):
        return none
    rows = psi[:, :count].astype(np.float64)
    corners = [int(np.argmax(np.square(rows).sum(axis=1)))]
    left = rows - rows[corners]
    for _ in range(count - 1):
        lengths = np.square(left).sum(axis=1)
        corners.append(int(np.argmax(lengths)))
        if not lengths[corners[-1]] > 0.0:
            return none
        way = left[corners[-1]] / np.sqrt(lengths[corners[-1]])
        left = left - np.outer(left @ way, way)
    try:
        shares = np.linalg.solve(rows[corners].T, rows.T).T
    except np.linalg.LinAlgError:
        return none
    nearest, mixed = shares.argmax(axis=1), 0.05  # of a sample, on the mean, at most, where these are pieces
    if not 0.5 * np.abs(shares - np.eye(count)[nearest]).sum(axis=1).mean() < mixed:
        return none
    states = np.bincount(nearest, minlength=count)
    return np.sort(-(-states // copies))[::-1]


def _unconnected(values: Array) -> Diagnostics:
    pieces = int(np.count_nonzero(values >= 1.0 - CONNECTED_GAP))
    count = f"at least {pieces}" if pieces == len(values) else str(pieces)
    text = (
        f"The graph falls into {count} unconnected pieces at this ε: the leading coordinates only separate them. "
        "Enlarge ε to see the geometry inside."
    )
    return ((DISCONNECTED, text),)


def _flat(values: Array) -> Diagnostics:
    flat = 1e-3  # Below this λ₁ a walk forgets its origin in one step: the kernel is numerically of rank one.
    if np.abs(values[1:]).max() >= flat:
        return ()
    text = (
        f"At this ε all samples look nearly alike (λ₁ = {values[1]:.1e}): the kernel is numerically of rank one, and "
        "what is left has the directions of principal components, not their spreads. Lower ε to see more."
    )
    return (("flat", text),)


def _forgets(values: Array) -> Diagnostics:
    nearly_all = 0.05
    first = float(np.abs(values[1:]).max())
    if first >= nearly_all:
        return ()
    text = f"One step forgets nearly all (λ₁ {number(first, 1)}): what is drawn is nearly linear."
    return ((FORGETS, doubt(FORGETS, text)),)


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


def vanished(blocks: Sequence[Array], t: object) -> Diagnostics:
    """The warning that a long walk has brought all coordinates (M, r) to 0; NaN, where there are none, do not count."""
    gone = 1e-9
    ends = [(np.fmin.reduce(Y, axis=None, initial=0.0), np.fmax.reduce(Y, axis=None, initial=0.0)) for Y in blocks]
    if not t or not blocks or any(low < -gone or high > gone for low, high in ends):
        return ()
    return (("vanished", f"After t = {t} steps every coordinate has vanished: λᵗ is below {gone:g}. Lower t."),)
