"""Where other answers to the same question lie in a panel's drawing: their ghosts, and an ellipse for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.columns import CONSENSUS, drawn_columns
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.panel_result import PanelResult

Rows = npt.NDArray[np.intp]
Ghost = tuple[Rows, Array]

MOST_GHOSTS, MOST_ELLIPSES = 4_000, 300
"""More dots or ellipses would hide the picture, and hold up its painting."""


@dataclass(frozen=True, eq=False)
class Ghosts:
    """Where the answers put samples (n,): points (n, 2 or 3) scaled as those drawn."""

    rows: Rows
    points: Array


@dataclass(frozen=True, eq=False)
class Ellipses:
    """The spread of samples (n,) about where they are drawn: roots (n, d, d) of the mean squared displacement."""

    rows: Rows
    centres: Array
    roots: Array


def drawn_ghosts(panel: PanelState, shown: PanelResult, ghosts: Sequence[Ghost]) -> list[Ghost]:
    """The ghosts (rows, coordinates) on the axes that are drawn, in the scale and turn of the drawing."""
    drawn = shown.drawing.points
    if shown.result is None or drawn is None:
        return []
    embedding = shown.result.embedding
    axes = list(panel.axes[: panel.dims])
    real = np.nan_to_num(drawn_columns(embedding, panel.show, axes))
    inside = np.setdiff1d(np.arange(len(real)), (*shown.drawing.edge, *shown.drawing.unplaced))
    centre, scale = real.mean(axis=0), np.ptp(real, axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)

    def design(Y: Array) -> Array:
        return np.column_stack([(Y - centre) / scale, np.ones(len(Y))])

    # The drawing is an affine image of the coordinates: shifted, scaled, and turned onto the one before.
    way = np.linalg.lstsq(design(real[inside]), drawn[inside], rcond=None)[0]
    placed = [
        (rows, design(drawn_columns(_with(embedding, Y, panel.show), panel.show, axes)) @ way) for rows, Y in ghosts
    ]
    finite = [np.isfinite(points).all(axis=1) for _, points in placed]
    return [(rows[k], points[k]) for (rows, points), k in zip(placed, finite, strict=True)]


def _with(embedding: Embedding, Y: Array, show: str) -> Embedding:
    """The embedding with these coordinates in the place of its own; the mean of views is that of those there are."""
    widths = [block.shape[1] for block in embedding.view_coordinates]
    blocks = tuple(np.split(Y, np.cumsum(widths)[:-1], axis=1)) if widths else ()
    there = [block for block in blocks if np.isfinite(block).any()]
    if show == CONSENSUS and there and len(set(widths)) == 1:
        mean = np.mean(there, axis=0)
        blocks = tuple(block if np.isfinite(block).any() else mean for block in blocks)
    return replace(embedding, coordinates=Y, view_coordinates=blocks)


def thinned(ghosts: Sequence[Ghost]) -> Ghosts | None:
    """The ghosts of as many samples as may be drawn, evenly chosen; None without any."""
    total = sum(len(rows) for rows, _ in ghosts)
    if not total:
        return None
    step = max(1, -(-total // MOST_GHOSTS))
    kept = [(rows % step == 0) for rows, _ in ghosts]
    rows = np.concatenate([rows[k] for (rows, _), k in zip(ghosts, kept, strict=True)])
    points = np.concatenate([points[k] for (_, points), k in zip(ghosts, kept, strict=True)])
    return Ghosts(rows, points)


def ellipses(ghosts: Sequence[Ghost], drawn: Array) -> Ellipses | None:
    """The largest ellipses, of the samples that at least two answers hold; None without any."""
    count = np.zeros(len(drawn))
    moments = np.zeros((len(drawn), drawn.shape[1], drawn.shape[1]))
    for rows, points in ghosts:
        moved = points - drawn[rows]
        count[rows] += 1
        moments[rows] += moved[:, :, None] * moved[:, None, :]
    several = np.flatnonzero(count >= 2)
    if not len(several):
        return None
    values, vectors = np.linalg.eigh(moments[several] / count[several, None, None])
    roots = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None, :]
    largest = np.argsort(-values.sum(axis=1), kind="stable")[:MOST_ELLIPSES]
    return Ellipses(several[largest], drawn[several[largest]], roots[largest])
