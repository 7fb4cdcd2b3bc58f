"""The points of one panel and their picture: repainted after a change, in less detail while they move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.counts import count_picture, is_dense
from mvexplorer.ui.cloud.picture import SMOOTH_LIMIT, Camera, Colours, Raster, dotted, point_radius, recoloured, splat

RINGED = 20
"""A selection of at most so many points gets rings."""
MOVING_POINTS = 240_000
"""Most points, over all moving clouds, in one frame."""


@dataclass(frozen=True)
class PointStyle:
    """The look of the points of all panels: shared, so that recolouring is one assignment per panel."""

    rgb: Colours
    """(M, 3) uint8."""
    visible: npt.NDArray[np.bool_]
    """(M,) bool: False where the legend hides a class."""
    selected: npt.NDArray[np.bool_]
    """(M,) bool; all False means that nothing is selected."""
    size: float = 5.0
    opacity: float = 0.9
    markers: npt.NDArray[np.uint8] | None = None
    """(M,) uint8: discs, squares, diamonds; None where all are discs."""
    rest: tuple[int, int, int] = (196, 196, 196)
    """The colour of all other points where some are selected."""

    @cached_property
    def colours(self) -> Colours:
        """The colours painted (M, 3): with a selection, all other points have one."""
        if self.above is None:
            return self.rgb
        return np.where(self.selected[:, None], self.rgb, np.array(self.rest, dtype=np.uint8))

    @cached_property
    def ringed(self) -> Rows:
        """The selected points, if they are few enough to get rings."""
        chosen: Rows = np.flatnonzero(self.selected & self.visible)
        return chosen if len(chosen) <= RINGED else chosen[:0]

    @cached_property
    def above(self) -> npt.NDArray[np.bool_] | None:
        """The selected points (M,), which lie over all others; None where nothing is selected."""
        return self.selected if self.selected.any() else None

    @cached_property
    def alpha(self) -> Points | float:
        """The opacity of all points, or of each (M,): hidden ones are 0."""
        return self.opacity if self.visible.all() else np.where(self.visible, np.float32(self.opacity), np.float32(0.0))

    def layers(self) -> tuple[Points | float, ...]:
        """The same per layer: selected points lie over all others.

        The layer of the others is opaque, so that it is one even grey wherever points overlap.
        """
        if self.above is None:
            return (self.alpha,)
        others = (self.visible & ~self.selected).astype(np.float32)
        return others, np.float32(self.opacity) * (self.visible & self.selected)

    def places_alike(self, other: PointStyle) -> bool:
        """True if the same points are drawn in the same forms, so that no position has to be recomputed."""
        return self.size == other.size and _same(self.visible, other.visible) and _same(self.markers, other.markers)

    def layers_alike(self, other: PointStyle) -> bool:
        """True if the two have the same points in the same layers, so that they differ in colours at most."""
        return self.opacity == other.opacity and _same(self.selected, other.selected)


def _same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


@dataclass(frozen=True)
class View:
    """The visible part of the plane, y up, and its size in pixels."""

    left: float
    top: float
    width: float
    height: float
    shape: tuple[int, int]
    """(height, width) in device pixels."""
    ratio: float
    """Device pixels per widget pixel."""

    @property
    def plain(self) -> View:
        """The same view in widget pixels."""
        height, width = self.shape
        shape = max(1, round(height / self.ratio)), max(1, round(width / self.ratio))
        return replace(self, shape=shape, ratio=1.0)


class Cloud:
    """Points (M, 2 or 3), their look, their camera, and their picture."""

    def __init__(self) -> None:
        self.companions = 1
        """Number of clouds on screen, this one included: they move together and share one frame's budget."""
        self.clear()

    def clear(self) -> None:
        """Reset everything."""
        self.look: PointStyle | None = None
        self.camera = Camera.default()
        self._start: Points | None = None
        self._goal: Points | None = None
        self._progress = 1.0
        self.changed()

    def changed(self) -> None:
        """Mark the picture as out of date."""
        self._picture: Raster | None = None
        self._view: View | None = None
        self._painted_in: PointStyle | None = None
        self.exact = False

    @property
    def picture_bytes(self) -> int:
        """Bytes of the picture that is kept."""
        return 0 if self._picture is None else self._picture.nbytes

    # Points -------------------------------------------------------------------------------------------------

    @property
    def n_points(self) -> int:
        """The number of points, 0 without coordinates."""
        return 0 if self._goal is None else self._goal.shape[1]

    @property
    def dims(self) -> int:
        """2 or 3; 0 without coordinates."""
        return 0 if self._goal is None else len(self._goal)

    @property
    def points(self) -> Points:
        """Coordinates (M, 2 or 3) as they are now, perhaps in the middle of an animation."""
        return self._now(None).T

    @property
    def goal(self) -> Points | None:
        """Coordinates (2 or 3, M) at the end of an animation: the same array until others are shown."""
        return self._goal

    def show(self, points: Points | None) -> None:
        """Use these coordinates (M, 2 or 3) at once."""
        # One coordinate after the other, in single precision: half the memory, and whole cache lines in use.
        self._goal = None if points is None else np.ascontiguousarray(points.T, dtype=np.float32)
        self._start, self._progress = None, 1.0
        self.changed()

    def animate_to(self, points: Points) -> None:
        """Start animating from the present positions to these coordinates."""
        start = self._now(None)
        self.show(points)
        self._start, self._progress = start, 0.0

    def advance(self, fraction: float) -> bool:
        """Move on by a fraction of the way; False at the end."""
        self._progress = min(1.0, self._progress + fraction)
        if self._progress >= 1.0:
            self._start = None
        self.changed()
        return self._start is not None

    def _now(self, rows: Rows | None) -> Points:
        """Present coordinates (2 or 3, n) of the points `rows`, by default all."""
        assert self._goal is not None
        goal = self._goal if rows is None else self._goal.take(rows, axis=1)
        if self._start is None:
            return goal
        start = self._start if rows is None else self._start.take(rows, axis=1)
        return start + np.float32(1.0 - (1.0 - self._progress) ** 3) * (goal - start)

    # The picture --------------------------------------------------------------------------------------------

    def set_look(self, look: PointStyle) -> None:
        """Colours, visibility, selection, size."""
        former, self.look = self.look, look
        counts = self._picture is not None and self._picture.counts is not None  # counted anew, in less detail first
        dots = self._picture is not None and self._picture.dots is not None
        if former is None or counts or not look.places_alike(former) or not (dots or look.layers_alike(former)):
            self.changed()

    def positions(self, view: View, rows: Rows | None = None) -> tuple[Points, Points]:
        """Positions (n, 2) of the points `rows`, by default all, in device pixels, y down; and their nearness (n,)."""
        return self.place(view, self._now(rows))

    def place(self, view: View, points: Points) -> tuple[Points, Points]:
        """Positions (n, 2) and nearness (n,) of any points (d, n) that are scaled as those drawn."""
        flat, nearness = self.camera.project(points.T)
        height, width = view.shape
        x = (flat[:, 0] - np.float32(view.left)) * np.float32(width / view.width)
        y = (np.float32(view.top) - flat[:, 1]) * np.float32(height / view.height)
        return np.stack([x, y]).T, nearness

    def picture(self, view: View, *, moving: bool) -> Raster | None:
        """The points in a view; in less detail only if `moving`."""
        look = self.look
        if look is None or self._goal is None or len(look.rgb) != self.n_points:
            return None
        if self._picture is None or view != self._view or not (moving or self.exact):
            self.exact = not moving or self.fits_frame_budget(view.ratio)
            rows, smooth = (None, True) if self.exact else self._detail(view.ratio)
            self._picture, self._view = self._paint(view if smooth else view.plain, rows, smooth), view
        elif self._painted_in is not look:
            self._picture = self._restyled(self._picture)
        self._painted_in = look
        return self._picture

    def _restyled(self, picture: Raster) -> Raster:
        """The same points at the same places in the present look."""
        look = self.look
        assert look is not None
        if picture.dots is not None:
            return dotted(picture.dots, look.colours, look.opacity, look.above)
        return recoloured(picture, look.colours)

    def fits_frame_budget(self, ratio: float) -> bool:
        """True if all points can be painted in full in every frame of a movement."""
        if self.look is None:
            return True
        all_of_them = self.n_points <= MOVING_POINTS // self.companions
        dots = self.n_points > SMOOTH_LIMIT and ratio == 1.0
        return all_of_them and (dots or self._smooth_in_time(ratio))

    def _smooth_in_time(self, ratio: float) -> bool:
        assert self.look is not None
        radius = point_radius(self.look.size, self.n_points) * ratio + 0.5
        # Most pixels under antialiased points, over all moving clouds, in one frame: some 20 ms.
        smooth_pixels = 1_000_000
        return self.n_points * np.pi * radius**2 * self.companions <= smooth_pixels

    def _detail(self, ratio: float) -> tuple[Rows | None, bool]:
        """The points to show while they move (None: all), and whether they are antialiased."""
        most = MOVING_POINTS // self.companions
        return (None if self.n_points <= most else some_of(self.n_points, most)), self._smooth_in_time(ratio)

    def _paint(self, view: View, rows: Rows | None, smooth: bool) -> Raster:
        look = self.look
        assert look is not None
        xy, nearness = self.positions(view, rows)
        size = np.float32(point_radius(look.size, self.n_points) * view.ratio)
        if rows is not None:
            # A subset's points are enlarged up to this factor: the cloud looks as dense as before, but not coarse.
            growth = 1.5
            size *= np.float32(min(growth, (self.n_points / len(rows)) ** 0.5))
        deep = self.dims == 3
        radius: Points | float = size * nearness if deep else float(size)
        return painted(look, xy, radius, view.shape, nearness if deep else None, rows, smooth=smooth)


def painted(
    look: PointStyle,
    xy: Points,
    radius: Points | float,
    shape: tuple[int, int],
    depth: Points | None = None,
    rows: Rows | None = None,
    *,
    smooth: bool = True,
) -> Raster:
    """Paint points in the look of all M points, layer upon layer; the rest is as in `splat`.

    `rows` (n,) tells which of all points these are; by default all.
    """
    each = 1.0 if rows is None else len(look.rgb) / len(rows)
    if is_dense(xy, shape, each):
        return count_picture(look.colours, look.layers(), xy, shape, rows, each)
    rgb, markers = _of(look.colours, rows), look.markers if rows is None else None
    if not smooth or (look.above is not None and len(xy) > SMOOTH_LIMIT):  # all layers alike
        alpha, above = _of(look.alpha, rows), _of(look.above, rows)
        return _numbered(splat(xy, rgb, alpha, radius, shape, depth, smooth=False, above=above), rows)
    picture = None
    for alpha in look.layers():
        layer = splat(xy, rgb, _of(alpha, rows), radius, shape, depth, markers)
        picture = replace(_numbered(layer, rows), below=picture)
    assert picture is not None
    return picture


def _of(values: Any, rows: Rows | None) -> Any:
    """The values of some points, where each has its own."""
    return values[rows] if rows is not None and isinstance(values, np.ndarray) else values


def _numbered(picture: Raster, rows: Rows | None) -> Raster:
    """The picture of some points, which knows them by their numbers among all."""
    if rows is None:
        return picture
    below = None if picture.below is None else _numbered(picture.below, rows)
    dots = None if picture.dots is None else picture.dots.numbered(rows)
    return replace(picture, owners=rows.astype(np.int32).take(picture.owners), below=below, dots=dots)


@lru_cache(maxsize=4)
def some_of(n: int, most: int) -> Rows:
    """The same random `most` of n points at each call, in their order: moving points must not flicker."""
    return np.sort(np.random.default_rng(0).permutation(n)[:most])
