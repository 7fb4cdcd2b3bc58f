"""Very many points as a picture of their density: how many samples lie at each pixel, on a logarithmic scale.

Dots would cover each other. Zoomed in until fewer are in sight, the picture shows the samples themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.picture import Colours, Raster, coloured

DENSE = 200_000
"""So many samples are counted at each pixel, as long as ..."""
FEW = 40_000
"""... so many of them are in sight."""
FAINTEST = 0.35
"""Opacity of a pixel with one sample; that with most of them is opaque."""


def in_sight(xy: Points, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Mask the points (n, 2), in pixels, that lie within a picture of (height, width)."""
    x, y = xy.T
    inside: npt.NDArray[np.bool_] = (x >= 0) & (x < shape[1]) & (y >= 0) & (y < shape[0])
    return inside


def is_dense(xy: Points, shape: tuple[int, int], each: float = 1.0) -> bool:
    """True if too many points are in sight for dots; each of those given may stand for several."""
    return len(xy) * each >= DENSE and int(np.count_nonzero(in_sight(xy, shape))) * each >= FEW


def count_picture(
    colours: Colours,
    layers: Sequence[Points | float],
    xy: Points,
    shape: tuple[int, int],
    rows: npt.NDArray[np.intp] | None = None,
    each: float = 1.0,
) -> Raster:
    """Paint how many of the points `xy` (n, 2) lie at each pixel, in the mean of their colours, layer upon layer.

    `colours` (M, 3) are those of all points; each layer is their opacity, one or (M,), and leaves out those with 0.
    `rows` (n,) tells which of all points the places, in pixels, y down, belong to, by default all; each stands for
    `each` points.
    """
    colours = colours if rows is None else colours[rows]
    inside, placed = in_sight(xy, shape), []
    for alpha in layers:
        shown = alpha if rows is None or isinstance(alpha, float) else alpha[rows]
        which = np.flatnonzero(inside if isinstance(shown, float) else inside & (shown > 0.0))
        place = xy[which, 1].astype(np.intp) * shape[1] + xy[which, 0].astype(np.intp)
        placed.append((place, colours[which], which if rows is None else rows[which]))
    every = [np.bincount(place, minlength=shape[0] * shape[1]) for place, _, _ in placed]
    most, picture = max(2, *(int(counts.max()) for counts in every)), None
    for (place, rgb, index), counts in zip(placed, every, strict=True):
        pixels = np.flatnonzero(counts)
        there, last = counts[pixels], np.empty(len(counts), dtype=np.int32)
        last[place] = index
        # The pointer finds a sample where it is the only one.
        owners = np.where((there == 1) & (each == 1.0), last[pixels], -1).astype(np.int32)
        opacity = (255.0 * (FAINTEST + (1.0 - FAINTEST) * np.log(there) / np.log(most)) + 0.5).astype(np.uint32)
        painted = coloured(
            shape, pixels, np.arange(len(pixels), dtype=np.int32), opacity, _mean_colours(place, rgb, counts)[pixels]
        )
        picture = Raster(shape, 0, pixels, owners, opacity, painted, picture, np.rint(there * each).astype(np.intp))
    assert picture is not None  # there is a layer
    return picture


def _mean_colours(
    place: npt.NDArray[np.intp], rgb: npt.NDArray[np.uint8], counts: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint8]:
    """The mean colour of the points at each pixel (n, 3)."""
    out = np.zeros((len(counts), 3), dtype=np.uint8)
    if len(rgb) and bool((rgb == rgb[0]).all()):
        out[:] = rgb[0]
        return out
    for channel in range(3):
        total = np.bincount(place, weights=rgb[:, channel], minlength=len(counts))
        out[:, channel] = (total / np.maximum(counts, 1) + 0.5).astype(np.uint8)
    return out
