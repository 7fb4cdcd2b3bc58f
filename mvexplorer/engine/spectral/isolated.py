"""Samples without neighbours: left out of an eigenproblem, and back in its answer as what is no number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.eigenpairs import Decomposition, Search

Kept = npt.NDArray[np.bool_]
"""The states of a walk (n,) that have neighbours."""


def with_neighbours(degrees: Array, least: float = 0.0) -> Kept | None:
    """The states of row sums (n,) above `least` and above rounding of the largest; None where they are all."""
    negligible = 1e-12
    kept = np.asarray(degrees > max(least, negligible * float(degrees.max(initial=0.0))))
    return None if kept.all() else kept


def density_weights(degrees: Array, alpha: float, kept: Kept | None) -> Array:
    """The weights (n,) by which density normalisation multiplies a walk's states; 0 for those that are not kept."""
    if kept is None:
        return degrees**-alpha if alpha else np.ones_like(degrees)
    return np.where(kept, np.where(kept, degrees, 1.0) ** -alpha, 0.0).astype(degrees.dtype, copy=False)


def among(apply: Apply, kept: Kept) -> Apply:
    """The products of an operator (n, n) restricted to some of its states."""

    def restricted(V: Array) -> Array:
        whole = np.zeros((len(kept), *V.shape[1:]), V.dtype)
        whole[kept] = V
        return apply(whole)[kept]

    return restricted


def search_among(search: Search, kept: Kept | None) -> Search:
    """The same search, from the part of its start that concerns these states."""
    if kept is None or search.start is None or len(search.start) != len(kept):
        return search
    return replace(search, start=search.start[kept])


def spread_out(decomposition: Decomposition, kept: Kept | None) -> Decomposition:
    """The answer (m, k) for some states as one (n, k) for all, NaN for the others."""
    if kept is None:
        return decomposition
    blocks = tuple(on_all(block, kept, np.nan) for block in decomposition.blocks)
    return replace(decomposition, blocks=blocks, bases=tuple(on_all(B, kept, 0.0) for B in decomposition.bases))


def on_all(rows: Array, kept: Kept, otherwise: float) -> Array:
    """Rows (m, k) of the states kept among all (n, k)."""
    out = np.full((len(kept), *rows.shape[1:]), otherwise)
    out[kept] = rows
    return out
