"""Very many points as dots without antialiasing: placed once in a view, painted again for every selection of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.ui.cloud.arrays import Points, Rows

Layer = tuple[npt.NDArray[np.intp], npt.NDArray[np.int32], npt.NDArray[np.uint32]]
"""The touched pixels, the frontmost point at each, and the opacity of each, 0 to 255."""
Places = npt.NDArray[np.unsignedinteger[Any]]
"""A number per pixel, in as few bytes as they take: passes over whole pictures are most of the work."""


@dataclass(frozen=True, eq=False)
class Dots:
    """The places of points' dots in a picture, whose `shape` and `frame` are those of the `Picture`.

    `index` (n,) are the points in sight, in the order of painting; `corners` (n,) are the pixels of their dots' upper
    left corners, counted along the rows; `widths` are the pixels of each row of a dot.
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
    def _front(self) -> Places:
        """The place in `index` of the frontmost of all points at each pixel, counted from 1; 0 for none."""
        return self._front_of(self.corners, np.arange(len(self.corners)))

    def _front_of(self, corners: Rows, places: Rows) -> Places:
        front = np.zeros(prod(self.framed), dtype=np.min_scalar_type(len(self.index)))
        front[corners] = places + 1  # of several at one pixel the last one stays
        return self._spread(front, np.maximum)

    @cached_property
    def _tally(self) -> npt.NDArray[np.uint16]:
        return self._tally_of(self.corners)

    def _tally_of(self, corners: Rows) -> npt.NDArray[np.uint16]:
        """Count these corners at each pixel."""
        tally = np.zeros(prod(self.framed), dtype=np.uint16)
        np.add.at(tally, corners, np.uint16(1))
        return tally

    @cached_property
    def owners(self) -> npt.NDArray[np.int32]:
        """The frontmost of all points at each pixel of the framed picture, -1 for none."""
        owners = np.append(self.index, -1).take(self._front.astype(np.intp) - 1)
        return owners.astype(np.int32).reshape(self.framed)

    def numbered(self, rows: Rows) -> Dots:
        """Return the same dots, renumbered as part of a larger set of points."""
        return replace(self, index=rows.take(self.index))

    def all(self, opacity: float) -> Layer:
        """All points."""
        return self._layer(self._front, self._tally, opacity)

    def parted(self, above: npt.NDArray[np.bool_], opacity: float) -> tuple[npt.NDArray[np.bool_], Layer]:
        """Mask the framed picture's pixels with points where `above` (M,) is False, and make the others' layer."""
        places = np.flatnonzero(above.take(self.index))
        corners = self.corners.take(places)
        tally = self._tally_of(corners)
        below = self._spread(self._tally > tally, np.logical_or).reshape(self.framed)
        return below, self._layer(self._front_of(corners, places), tally, opacity)

    def _layer(self, front: Places, tally: npt.NDArray[np.uint16], opacity: float) -> Layer:
        pixels = np.flatnonzero(front != 0)
        clear = 1.0 - min(float(np.float32(opacity)), 0.995)
        most = 1 + int(np.log(0.5 / 255.0) / np.log(clear))  # so many are opaque
        few = np.minimum(tally, np.uint16(most)).astype(np.min_scalar_type(most * sum(self.widths)))
        counts = self._spread(few, np.add).take(pixels)
        cover = 255.5 - 255.0 * clear ** np.arange(counts.max(initial=0) + 1)
        owners = self.index.take(front.take(pixels) - 1).astype(np.int32)
        return pixels, owners, cover.astype(np.uint32).take(counts)

    def _spread(self, flat: npt.NDArray[Any], combine: np.ufunc) -> npt.NDArray[Any]:
        """Combine each pixel's value into every pixel of the disc whose upper left corner it is; 0 is nothing.

        Each row width is built from the next narrower one, so that the number of whole-picture operations is about the
        disc's width plus height, not its number of pixels.
        """
        side, stride, done = len(self.widths), self.framed[1], set[int]()
        line: npt.NDArray[Any] | None = None
        whole: npt.NDArray[Any] | None = None
        for width in sorted(set(self.widths)):
            row = set(range((side - width) // 2, (side + width) // 2))
            line = _joined(line, flat, sorted(row - done), combine)
            whole = _joined(whole, line, [j * stride for j in range(side) if self.widths[j] == width], combine)
            done |= row
        assert whole is not None
        return whole


def _joined(
    onto: npt.NDArray[Any] | None, flat: npt.NDArray[Any], offsets: list[int], combine: np.ufunc
) -> npt.NDArray[Any]:
    """`flat` moved on by each of some ascending offsets, combined with `onto` in its place; all ends are empty."""
    n = len(flat)
    if onto is None:
        (first, second), offsets = (offsets * 2)[:2] if len(offsets) == 1 else offsets[:2], offsets[2:]
        onto = np.empty_like(flat)
        onto[:second] = 0
        if first == second:
            onto[first:] = flat[: n - first]
        else:
            combine(flat[second - first : n - first], flat[: n - second], out=onto[second:])
    for offset in offsets:
        combine(onto[offset:], flat[: n - offset], out=onto[offset:])
    return onto


def disc_rows(radius: float) -> tuple[int, ...]:
    """Widths in pixels of the rows of a disc."""
    side = max(1, round(2.0 * radius))
    away = np.arange(side) - 0.5 * (side - 1)
    inside = np.hypot(away[:, None], away) <= max(radius, 0.5)
    return tuple(int(n) for n in inside.sum(axis=1))
