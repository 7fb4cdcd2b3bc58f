"""Very many points as dots without antialiasing: placed once in a view, painted again for every selection of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mvexplorer.ui.cloud.arrays import Points, Rows

Layer = tuple[npt.NDArray[np.intp], npt.NDArray[np.int32], npt.NDArray[np.uint32]]
"""The touched pixels, the frontmost point at each, and the opacity of each, 0 to 255."""
TALLY = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False)
class Dots:
    """Where the dots of points are in a picture.

    Parameters
    ----------
    shape : (height, width)
        Of the picture, without its frame.
    frame : int
        Pixels around it on all sides.
    widths : tuple of int
        Pixels of each row of a dot.
    index : array (n,)
        The points in sight, in the order of painting.
    corners : array (n,)
        The pixel of the upper left corner of each, counted along the rows.
    """

    shape: tuple[int, int]
    frame: int
    widths: tuple[int, ...]
    index: Rows
    corners: Rows

    @staticmethod
    def placed(x: Points, y: Points, index: Rows, radius: float, shape: tuple[int, int], frame: int) -> Dots:
        """The dots of points at x, y (n,) in the framed picture, all of one radius."""
        widths = disc_rows(radius)
        corner, stride = np.float32(0.5 * (len(widths) - 1)), shape[1] + 2 * frame
        corners = np.floor(y - corner).astype(np.intp) * stride + np.floor(x - corner).astype(np.intp)
        return Dots(shape, frame, widths, index, corners)

    @property
    def framed(self) -> tuple[int, int]:
        """Height and width with the frame."""
        return self.shape[0] + 2 * self.frame, self.shape[1] + 2 * self.frame

    @cached_property
    def _front(self) -> npt.NDArray[np.int32]:
        """The place in `index` of the frontmost of all points at each pixel, -1 for none."""
        return self._front_of(self.corners, np.arange(len(self.corners), dtype=np.int32))

    def _front_of(self, corners: Rows, ranks: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        place = np.full(prod(self.framed), -1, dtype=np.int32)
        place[corners] = ranks  # of several at one pixel the last one stays
        return self._spread(place, np.maximum, -1)

    def all(self, opacity: float) -> Layer:
        """All points."""
        return self._layer(self._front, self.corners, opacity)

    def those(self, shown: npt.NDArray[np.bool_], opacity: float) -> Layer:
        """The points of which `shown` (M,) is True."""
        ranks = np.flatnonzero(shown.take(self.index))
        corners = self.corners.take(ranks)
        return self._layer(self._front_of(corners, ranks.astype(np.int32)), corners, opacity)

    def _layer(self, front: npt.NDArray[np.int32], corners: Rows, opacity: float) -> Layer:
        tally = np.zeros(len(front), dtype=np.uint16)
        np.add.at(tally, corners, np.uint16(1))
        most = TALLY // sum(self.widths)  # the sum over a whole dot fits the type
        tally = self._spread(np.minimum(tally, np.uint16(most)), np.add, 0)
        pixels = np.flatnonzero(front >= 0)
        counts = tally.take(pixels)
        clear = (1.0 - min(float(np.float32(opacity)), 0.995)) ** np.arange(counts.max(initial=0) + 1)
        cover = (255.5 - 255.0 * clear).astype(np.uint32).take(counts)
        return pixels, self.index.astype(np.int32).take(front.take(pixels)), cover

    def under(self, above: npt.NDArray[np.bool_]) -> Layer:
        """The points of which `above` (M,) is False, opaque; that of the others will lie over it.

        Where one of those is in front it is named the owner, as the layer above has it there anyway.
        """
        mask = np.zeros(prod(self.framed), dtype=np.uint8)
        mask[self.corners.compress(~above.take(self.index))] = 1
        pixels = np.flatnonzero(self._spread(mask, np.maximum, 0).view(np.bool_))
        owners = self.index.astype(np.int32).take(self._front.take(pixels))
        return pixels, owners, np.full(len(pixels), 255, dtype=np.uint32)

    def _spread(self, flat: npt.NDArray[Any], combine: np.ufunc, empty: int) -> npt.NDArray[Any]:
        """Combine each pixel's value into every pixel of the disc whose upper left corner it is.

        Each row width is built from the next narrower one, so that the number of whole-picture operations is about the
        disc's width plus height, not its number of pixels.
        """
        side, done = len(self.widths), set[int]()
        line, whole = np.full_like(flat, empty), np.full_like(flat, empty)
        for width in sorted(set(self.widths)):
            row = set(range((side - width) // 2, (side + width) // 2))
            for offset in row - done:
                combine(line[offset:], flat[: len(flat) - offset], out=line[offset:])
            done |= row
            for offset in (j * self.framed[1] for j in range(side) if self.widths[j] == width):
                combine(whole[offset:], line[: len(flat) - offset], out=whole[offset:])
        return whole


def disc_rows(radius: float) -> tuple[int, ...]:
    """Widths in pixels of the rows of a disc."""
    side = max(1, round(2.0 * radius))
    away = np.arange(side) - 0.5 * (side - 1)
    inside = np.hypot(away[:, None], away) <= max(radius, 0.5)
    return tuple(int(n) for n in inside.sum(axis=1))
