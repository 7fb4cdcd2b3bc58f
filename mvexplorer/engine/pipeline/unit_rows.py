"""Unit rows: every sample's coordinates scaled to length 1, so that only its direction from the origin counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import row_blocks
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.errors import ParameterError

NAME = "unit_rows"
UNIT_ROWS = Param(
    NAME,
    "",
    False,
    "Scale each sample's r coordinates to length 1, so that clusters are told by their direction: often better for "
    "k-means. Distances near the origin are lost, a trajectory becomes an arc of a sphere, and r matters for what is "
    "drawn. de Sa has them by definition.",
    kind="flag",
    title="Unit rows",
    source="Ng, Jordan, Weiss: On spectral clustering (2002)",
    affects="coordinates",
)

NO_DIRECTION = "no-direction"
"""Samples without a direction, which unit rows leave out."""
RELATIVE_TO_LONGEST = 1e-12
"""Rows that are no longer than this part of the longest one are rounding, and have no direction."""


def with_unit_rows(method: Method) -> Method:
    """The method with the parameter, unless it shows coordinates as they came."""
    return method if method.shows_given else replace(method, params=(*method.params, UNIT_ROWS))


def scales_rows(method: Method, params: Mapping[str, Value]) -> bool:
    """True if the rows of the method's coordinates are scaled, and are not of length 1 by definition."""
    return bool(params.get(NAME)) and not method.has_unit_rows


def check_coordinates(method: Method, params: Mapping[str, Value], count: int) -> None:
    """Refuse unit rows of fewer than two coordinates: each would be 1 or -1."""
    if scales_rows(method, params) and count < 2:
        raise ParameterError(
            "Unit rows need at least two coordinates: a single one would be 1 or −1 for every sample.",
            "Ask for r of 2 or more, lower δ where it leaves fewer, or turn unit rows off.",
        )


def coordinate_blocks(
    method: Method, decomposition: Decomposition, params: Mapping[str, Value], longest: Sequence[float] | None = None
) -> tuple[Array, ...]:
    """A method's coordinates, one array (M, r) per block, each with unit rows where they are asked for.

    `longest` are the lengths of the longest row of each block where `decomposition` has only some of the samples, or
    new ones. Samples without a direction are NaN.
    """
    blocks = method.coordinates(decomposition, params)
    if not scales_rows(method, params):
        return blocks
    check_coordinates(method, params, min(Y.shape[1] for Y in blocks))
    each = [None] * len(blocks) if longest is None else longest
    return tuple(_scaled(Y, most) for Y, most in zip(blocks, each, strict=True))


def longest_rows(method: Method, decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[float, ...] | None:
    """The length of the longest row of each block, read in parts; None where rows are not scaled."""
    if not scales_rows(method, params):
        return None
    parts = (_part(decomposition, rows) for rows in row_blocks(decomposition.blocks[0]))
    each = [[_longest(_lengths(Y)) for Y in method.coordinates(part, params)] for part in parts]
    return tuple(np.max(each, axis=0).tolist())


def tell_no_direction(
    method: Method, decomposition: Decomposition, params: Mapping[str, Value], blocks: Sequence[Array]
) -> Diagnostics:
    """The warning that some samples have no direction; those that have no coordinates anyway are not counted."""
    if not scales_rows(method, params):
        return ()
    count = int(np.count_nonzero(_without_direction(method, decomposition, params, blocks)))
    if not count:
        return ()
    subject = "1 sample has" if count == 1 else f"{count:,} samples have"
    where = " in a view" if len(blocks) > 1 else ""
    text = f"{subject} no direction{where}: all coordinates there are 0, or rounding, and unit rows leave them out."
    return ((NO_DIRECTION, text),)


def _without_direction(
    method: Method, decomposition: Decomposition, params: Mapping[str, Value], blocks: Sequence[Array]
) -> Array:
    """Whether each sample (M,) lost its coordinates in a block by scaling."""
    lost = np.zeros(len(blocks[0]), dtype=bool)
    for i, Y in enumerate(blocks):
        rows = np.flatnonzero(np.isnan(Y[:, 0]))
        if len(rows):
            there = np.isfinite(method.coordinates(_part(decomposition, rows), params)[i]).all(axis=1)
            lost[rows[there]] = True
    return lost


def _part(decomposition: Decomposition, rows: slice | npt.NDArray[np.intp]) -> Decomposition:
    return replace(decomposition, blocks=tuple(block[rows] for block in decomposition.blocks))


def _scaled(Y: Array, longest: float | None) -> Array:
    """Y (M, r) with rows of length 1, NaN where one is no longer than rounding beside the longest."""
    lengths = _lengths(Y)
    least = RELATIVE_TO_LONGEST * (_longest(lengths) if longest is None else longest)
    has_direction = lengths > least
    scale = np.where(has_direction, lengths, np.nan)
    return Y / scale[:, None]


def _lengths(Y: Array) -> Array:
    """The lengths (M,) of the rows of Y (M, r), also where their squares are out of the range of numbers."""
    with np.errstate(over="ignore", under="ignore"):
        lengths: Array = np.sqrt(np.einsum("ij,ij->i", Y, Y))
    in_range = np.fmin.reduce(lengths, initial=np.inf) > 1e-100 and np.fmax.reduce(lengths, initial=0.0) < np.inf
    if in_range:
        return lengths
    peaks = np.abs(Y).max(axis=1, initial=0.0)
    unit = Y / np.where(peaks > 0.0, peaks, 1.0)[:, None]
    return cast("Array", peaks * np.sqrt(np.einsum("ij,ij->i", unit, unit)))


def _longest(lengths: Array) -> float:
    """The longest of some rows; 0 where none has a length."""
    return float(np.fmax.reduce(lengths, initial=0.0))
