"""Points painted into a picture by numpy: one renderer for 2-D and 3-D, with a map of which point is where.

No OpenGL: it works offscreen and on every remote desktop, and the id map gives exact hover in 3-D for free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.dots import Dots, Layer

Array = npt.NDArray[np.float64]
Colours = npt.NDArray[np.uint8]
Painted = tuple[npt.NDArray[np.int32], Points]
"""Per pixel: the front point's rank 0..n-1 in painting order, plus n where it covers at least half the pixel (-1: no
point); and the transparency Π(1 - α·coverage)."""

SMOOTH_LIMIT = 30_000
"""More points than this are drawn as dots without antialiasing: no visible difference, a tenth of the work."""


REACH = 1.3
"""How far the widest form, a diamond, reaches from its centre, in units of the radius of the disc as large as it."""


@dataclass(frozen=True)
class Raster:
    """A picture painted by `splat`, with a frame around it so that points at the edge are painted whole.

    `shape` is (height, width) without the `frame`, in pixels on all sides. `pixels` (t,) are the touched ones, counted
    along the rows of the framed picture; `owners` (t,) are the frontmost points there, and `opacity` (t,) is 0 to 255.
    `colours` (height + 2 frame, width + 2 frame) are premultiplied blue, green, red and opacity, in the byte order of
    Qt's native pixels. `below` is the layer under this one: where points are selected, all others.

    A picture of counts has the number of points `counts` (t,) at each touched pixel, and owners where that is 1. One
    that was painted from `dots` keeps them: another selection of them is painted without placing any. A layer below
    another one then leaves it to them what is at its pixels.
    """

    shape: tuple[int, int]
    frame: int
    pixels: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int32]
    opacity: npt.NDArray[np.uint32]
    colours: npt.NDArray[np.uint32]
    below: Raster | None = None
    counts: npt.NDArray[np.intp] | None = None
    dots: Dots | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays, and of those of the layers below it."""
        arrays = self.pixels, self.owners, self.opacity, self.colours, self.counts, self.below
        return sum(array.nbytes for array in arrays if array is not None)

    @property
    def largest_count(self) -> int:
        """Most points at one pixel of a layer, 0 where they are not counted."""
        return max((0 if p.counts is None else int(p.counts.max(initial=0)) for p in self.layers), default=0)

    def count_at(self, x: float, y: float) -> int:
        """Return the number of points at pixel (x, y), 0 where they are not counted."""
        pixel, total = int(y) * self.shape[1] + int(x), 0
        for layer in self.layers:
            place = int(np.searchsorted(layer.pixels, pixel))
            if layer.counts is not None and place < len(layer.pixels) and layer.pixels[place] == pixel:
                total += int(layer.counts[place])
        return total

    @property
    def layers(self) -> tuple[Raster, ...]:
        """This picture and what lies under it, in painting order."""
        return (self,) if self.below is None else (*self.below.layers, self)

    @cached_property
    def ids(self) -> npt.NDArray[np.int32]:
        """Index of the frontmost point of all layers at each pixel (h, w), -1 for none; computed on first use."""
        ids = np.full(self.colours.shape, -1, dtype=np.int32) if self.dots is None else self.dots.owners.copy()
        for layer in self.layers:
            ids.ravel()[layer.pixels] = layer.owners
        return self._cut(ids)

    @property
    def bgra(self) -> npt.NDArray[np.uint8]:
        """The picture (h, w, 4)."""
        return self._cut(self.colours.view(np.uint8).reshape(*self.colours.shape, 4))

    def _cut(self, framed: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return framed[self.frame : self.frame + self.shape[0], self.frame : self.frame + self.shape[1]]


@dataclass(frozen=True)
class Camera:
    """The view of a 3-D cloud: a rotation (3, 3), and the eye's distance in units of the cloud's half size."""

    rotation: Array
    distance: float = 4.5

    @staticmethod
    def default() -> Camera:
        """Slightly from above and from the side."""
        return Camera(_turn(1, -0.55) @ np.eye(3)).turned(0.0, 0.42)

    def turned(self, across: float, down: float) -> Camera:
        """The camera after a drag, in radians: across turns about the screen's vertical, down about its horizontal."""
        return Camera(_turn(0, down) @ _turn(1, across) @ self.rotation, self.distance)

    def project(self, points: Points) -> tuple[Points, Points]:
        """Screen positions (M, 2), y up, and nearness (M,): larger is nearer, 1 at the centre."""
        if points.shape[1] == 2:
            return points, np.ones(len(points), dtype=points.dtype)
        turned = (self.rotation.astype(points.dtype) @ points.T).T
        nearness = self.distance / np.maximum(self.distance - turned[:, 2], 0.1)
        return turned[:, :2] * nearness[:, None], nearness


@dataclass(frozen=True)
class Viewport:
    """The part of a picture that is shown: its centre and half its shorter side, in units of half the fitted frame."""

    across: float = 0.0
    up: float = 0.0
    size: float = 1.0

    @property
    def is_whole(self) -> bool:
        """True if the fitted frame is shown, neither zoomed nor moved."""
        return max(abs(self.across), abs(self.up), abs(self.size - 1.0)) < 1e-3


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.eye(3)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    rotation[i, i], rotation[i, j], rotation[j, i], rotation[j, j] = c, -s, s, c
    return rotation


def point_radius(size: float, n_points: int) -> float:
    """Radius in pixels of points of diameter `size`, smaller where there are very many."""
    return max(0.6, 0.5 * size * min(1.0, float((4000.0 / max(n_points, 1)) ** 0.18)))


def splat(
    xy: Points,
    rgb: Colours,
    alpha: Points | float,
    radius: Points | float,
    shape: tuple[int, int],
    depth: Points | None = None,
    markers: npt.NDArray[np.uint8] | None = None,
    *,
    smooth: bool = True,
    above: npt.NDArray[np.bool_] | None = None,
) -> Raster:
    """Paint points as antialiased discs, squares or diamonds, and very many of them as plain dots.

    Where points overlap, the frontmost gives the colour, and the opacity is 1 - Π(1 - α·coverage).

    `xy` (n, 2) are centres in pixels, y down, `rgb` (n, 3) their colours. A point with `alpha`, one or (n,), of 0 is
    omitted, also from the id map; dots have one opacity, the largest. `radius`, one or (n,), is in pixels, and `shape`
    (height, width). Points of a larger `depth` (n,), which is positive, are nearer and painted later; without it, later
    points lie on top. `markers` (n,) are 0 disc, 1 square, 2 diamond: for more classes than there are colours. Without
    `smooth` dots are painted: a tenth of the work. `above` (n,) tells which dots are a layer over all others, which are
    opaque and of one colour.
    """
    x, y = np.asarray(xy, dtype=np.float32).T
    opacity, reach = np.asarray(alpha, dtype=np.float32), np.asarray(radius, dtype=np.float32)
    largest = float(reach.max(initial=0.0))
    # A point is left out once its centre is as far beyond the edge as a point reaches; the frame holds those beyond.
    widest = REACH * largest + 1.0
    frame = int(2.0 * widest) + 2
    index = _order(x, y, opacity, widest, shape, depth)
    opacity, reach = (v[index] if v.ndim else v for v in (opacity, reach))
    x, y = x[index] + frame, y[index] + frame
    if not smooth or len(index) > SMOOTH_LIMIT:
        dots = Dots.placed(x, y, index, float(np.median(reach) if reach.size else 1.0), shape, frame)
        return dotted(dots, rgb, float(opacity.max(initial=0.0)), above)
    place, clear = _blank(shape, frame)
    if len(index):
        form = None if markers is None or not markers.any() else markers[index]
        place, clear = _discs(x, y, opacity, reach, form, place, clear)
    pixels = np.flatnonzero(place >= 0)
    front = place.take(pixels)
    owners = index.astype(np.int32).take(np.where(front < len(index), front, front - len(index)))
    cover = (255.5 - 255.0 * clear.take(pixels)).astype(np.uint32)
    return Raster(shape, frame, pixels, owners, cover, coloured(place.shape, pixels, owners, cover, rgb))


def dotted(dots: Dots, rgb: Colours, opacity: float, above: npt.NDArray[np.bool_] | None = None) -> Raster:
    """The picture of dots in colours (M, 3): those `above` (M,) over all others, which are opaque and of one colour."""
    if above is None:
        return _of_layer(dots, dots.all(opacity), rgb)
    others, layer = dots.parted(above, opacity)
    red, green, blue = rgb[np.argmin(above)].tolist()
    grey = others * np.uint32(255 << 24 | red << 16 | green << 8 | blue)
    none = np.array([], np.intp), np.array([], np.int32), np.array([], np.uint32)  # `dots` knows the owners
    return _of_layer(dots, layer, rgb, Raster(dots.shape, dots.frame, *none, grey, dots=dots))


def _of_layer(dots: Dots, layer: Layer, rgb: Colours, below: Raster | None = None) -> Raster:
    return Raster(dots.shape, dots.frame, *layer, coloured(dots.framed, *layer, rgb), below, dots=dots)


def recoloured(picture: Raster, rgb: Colours) -> Raster:
    """The same picture in other colours: positions are not recomputed."""
    p = picture
    below = None if p.below is None else recoloured(p.below, rgb)
    return replace(p, colours=coloured(p.colours.shape, p.pixels, p.owners, p.opacity, rgb), below=below)


def coloured(
    shape: tuple[int, ...],
    pixels: npt.NDArray[np.int64],
    owners: npt.NDArray[np.int32],
    opacity: npt.NDArray[np.uint32],
    rgb: Colours,
) -> npt.NDArray[np.uint32]:
    """A picture in its owners' colours times opacity / 255, rounded: two channels at a time in one 32-bit number."""
    red, green, blue = rgb.T.astype(np.uint32)
    outer = (red << 16 | blue).take(owners) * opacity + 0x800080
    outer = (outer + (outer >> 8 & 0xFF00FF)) >> 8 & 0xFF00FF
    inner = green.take(owners) * opacity + 0x80
    inner = inner + (inner >> 8) & 0xFF00
    colours = np.zeros(shape, dtype=np.uint32)
    colours.ravel()[pixels] = opacity << 24 | outer | inner
    return colours


_scratch = local()


def _blank(shape: tuple[int, int], frame: int) -> Painted:
    """An empty framed picture in a reused buffer: new memory pages cost more than painting a few thousand points."""
    h, w = shape[0] + 2 * frame, shape[1] + 2 * frame
    if getattr(_scratch, "size", 0) < h * w:
        _scratch.size = h * w
        _scratch.place, _scratch.clear = np.empty(h * w, dtype=np.int32), np.empty(h * w, dtype=np.float32)
    place, clear = (buffer[: h * w].reshape(h, w) for buffer in (_scratch.place, _scratch.clear))
    place.fill(-1)
    clear.fill(1.0)
    return place, clear


def _order(
    x: Points, y: Points, alpha: Points, margin: float, shape: tuple[int, int], depth: Points | None
) -> npt.NDArray[np.int64]:
    """Indices of the points that can be seen, in the order of painting."""
    h, w = shape
    index = np.flatnonzero((x > -margin) & (x < w + margin) & (y > -margin) & (y < h + margin) & (alpha > 0.0))
    if depth is None:
        return index
    # Positive floats sort like their bit patterns. With the index in the low bits, one sort is stable and ten times
    # as fast as a lexicographic one.
    front = np.asarray(depth, dtype=np.float32)[index]
    keys = front.view(np.uint32).astype(np.uint64) << np.uint64(32) | index.astype(np.uint64)
    keys.sort()
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _discs(
    x: Points,
    y: Points,
    alpha: Points,
    reach: Points,
    markers: npt.NDArray[np.uint8] | None,
    place: npt.NDArray[np.int32],
    clear: Points,
) -> Painted:
    """Paint antialiased points in painting order, in batches that fit the processor's cache."""
    dy, dx = _within((1.0 if markers is None else REACH) * float(reach.max()) + 0.5)
    offsets = (dy * place.shape[1] + dx).astype(np.int64)
    column, row = np.floor(x), np.floor(y)
    start = row.astype(np.int64) * place.shape[1] + column.astype(np.int64)
    fx, fy = x - column - 0.5, y - row - 0.5
    batch = 131_072  # point-pixel pairs processed in one batch
    at_once = max(1, batch // len(dx))
    rows = np.repeat(np.arange(at_once, dtype=np.int32), len(dx))
    for first in range(0, len(x), at_once):
        some = slice(first, first + at_once)
        distance = _distance(dx - fx[some, None], dy - fy[some, None], None if markers is None else markers[some])
        coverage = (reach[some, None] if reach.ndim else reach) + np.float32(0.5) - distance
        hit = np.flatnonzero(coverage > 0.02)
        coverage = coverage.take(hit)
        pixel = (start[some, None] + offsets).take(hit)
        which = rows.take(hit) + np.int32(first)
        # The front point wins, but cores (coverage >= 0.5) lie over rims.
        np.maximum.at(place.ravel(), pixel, which + (coverage >= 0.5) * np.int32(len(x)))
        veil = (alpha.take(which) if alpha.ndim else alpha) * np.minimum(coverage, np.float32(1.0))
        np.multiply.at(clear.ravel(), pixel, np.float32(1.0) - np.minimum(veil, np.float32(0.995)))
    return place, clear


@lru_cache(maxsize=32)
def _within(spread: float) -> tuple[Points, Points]:
    """Offsets down and across to the pixels that a disc of this radius can touch."""
    k = int(np.ceil(spread))
    dy, dx = np.mgrid[-k : k + 1, -k : k + 1].astype(np.float32)
    near = np.hypot(np.maximum(abs(dx) - 0.5, 0), np.maximum(abs(dy) - 0.5, 0)) < spread
    return dy[near], dx[near]


def _distance(across: Points, down: Points, markers: npt.NDArray[np.uint8] | None) -> Points:
    """Distance (n, offsets) from each point's centre in the metric of its form."""
    distance = np.sqrt(across * across + down * down)
    if markers is None:
        return distance
    across, down = np.abs(across), np.abs(down)
    # Scaled so that all three forms cover about the same area.
    distance = np.where(markers[:, None] == 1, np.float32(1.13) * np.maximum(across, down), distance)
    return np.where(markers[:, None] == 2, np.float32(0.8) * (across + down), distance)


def point_at(picture: Raster, x: float, y: float, reach: int = 5) -> int:
    """Index of the point nearest to pixel (x, y) within `reach` pixels, or -1."""
    h, w = picture.ids.shape
    left, top = max(0, int(x) - reach), max(0, int(y) - reach)
    window = picture.ids[top : min(h, int(y) + reach + 1), left : min(w, int(x) + reach + 1)]
    rows, columns = np.nonzero(window >= 0)
    if not len(rows):
        return -1
    distance = np.hypot(columns + left - x, rows + top - y)
    best = int(np.argmin(distance))
    return int(window[rows[best], columns[best]]) if distance[best] <= reach else -1
