"""Points painted into a picture by numpy: one renderer for 2-D and 3-D, with a map of which point is where.

No OpenGL: it works offscreen and on every remote desktop, and the id map gives exact hover in 3-D for free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SMOOTH_LIMIT = 30_000
"""Beyond this many points discs are drawn without antialiasing: nobody can see it, and it is ten times the work."""


@dataclass(frozen=True)
class Picture:
    """What `splat` painted.

    Parameters
    ----------
    bgra : array (h, w, 4), uint8, premultiplied
        In the byte order of a little-endian machine's native pixels.
    ids : array (h, w), int32
        Index of the frontmost point at each pixel, -1 for none.
    """

    bgra: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Camera:
    """Where a 3-D cloud is seen from: a rotation (3, 3), and the eye's distance in units of the cloud's half size."""

    rotation: Array
    distance: float = 4.5

    @staticmethod
    def default() -> Camera:
        """Slightly from above and from the side."""
        return Camera(_turn(1, -0.55) @ np.eye(3)).turned(0.0, 0.42)

    def turned(self, across: float, down: float) -> Camera:
        """The camera after a drag, in radians: across turns about the screen's vertical, down about its horizontal."""
        return Camera(_turn(0, down) @ _turn(1, across) @ self.rotation, self.distance)

    def project(self, points: Array) -> tuple[Array, Array]:
        """Screen positions (M, 2), y up, and nearness (M,): larger is nearer, 1 at the centre."""
        if points.shape[1] == 2:
            return points, np.ones(len(points))
        turned = points @ self.rotation.T
        nearness = self.distance / np.maximum(self.distance - turned[:, 2], 0.1)
        return turned[:, :2] * nearness[:, None], nearness


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.eye(3)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    rotation[i, i], rotation[i, j], rotation[j, i], rotation[j, j] = c, -s, s, c
    return rotation


def point_radius(size: float, n_points: int) -> float:
    """Radius in pixels of points of diameter `size`, smaller where there are very many."""
    return max(0.6, 0.5 * size * min(1.0, (4000.0 / max(n_points, 1)) ** 0.18))


def splat(
    xy: Array,
    rgb: npt.NDArray[np.uint8],
    alpha: Array,
    radius: Array | float,
    shape: tuple[int, int],
    depth: Array | None = None,
    forms: npt.NDArray[np.uint8] | None = None,
) -> Picture:
    """Paint points as antialiased discs, squares or diamonds.

    Parameters
    ----------
    xy : array (n, 2)
        Centres in pixels, y down.
    rgb : array (n, 3), uint8
    alpha : array (n,)
        Opacity; 0 leaves a point out, of the id map too.
    radius : float or array (n,)
        In pixels.
    shape : (height, width)
        Of the picture.
    depth : array (n,), optional
        Larger is nearer and painted later; without it, later points lie on top.
    forms : array (n,), optional
        0 disc, 1 square, 2 diamond: more classes than colours can carry.
    """
    h, w = shape
    reach = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(xy))
    margin = float(reach.max(initial=0.0)) + 1.0
    inside = (alpha > 0.0) & (xy[:, 0] > -margin) & (xy[:, 1] > -margin)
    inside &= (xy[:, 0] < w + margin) & (xy[:, 1] < h + margin)
    index = np.flatnonzero(inside)
    # Fainter points (those that are not selected) go first, so that what is selected is never buried.
    keys = (alpha[index],) if depth is None else (depth[index], alpha[index] > 0.5 * alpha.max(initial=0.0))
    index = index[np.lexsort(keys)]
    ids = np.full(h * w, -1, dtype=np.int32)
    bgra = np.zeros((h * w, 4), dtype=np.uint8)
    if len(index):
        if len(index) <= SMOOTH_LIMIT:
            form = None if forms is None or not forms.any() else forms[index]
            pixels, opacity = _discs(xy[index], index, alpha[index], reach[index], (h, w), ids, form)
        else:
            pixels, opacity = _blocks(xy[index], index, alpha[index], reach[index], (h, w), ids)
        owner = ids[pixels]
        bgra[pixels, :3] = rgb[owner, ::-1] * opacity[:, None] + 0.5
        bgra[pixels, 3] = 255.0 * opacity + 0.5
    return Picture(bgra.reshape(h, w, 4), ids.reshape(h, w))


Painted = tuple[npt.NDArray[np.int64], Array]


def _discs(
    xy: Array,
    index: npt.NDArray[np.int64],
    alpha: Array,
    reach: Array,
    shape: tuple[int, int],
    ids: npt.NDArray[np.int32],
    forms: npt.NDArray[np.uint8] | None = None,
) -> Painted:
    """Fill `ids`, and return the touched pixels with their opacity: 1 - Π(1 - α·coverage) over all discs there."""
    h, w = shape
    k = int(np.ceil((1.0 if forms is None else 1.25) * float(reach.max()) + 0.5))
    dy, dx = np.mgrid[-k : k + 1, -k : k + 1]
    spread = 1.0 if forms is None else 1.3
    near = np.hypot(np.maximum(np.abs(dx) - 1, 0), np.maximum(np.abs(dy) - 1, 0)) < spread * reach.max() + 0.5
    dx, dy = dx[near], dy[near]
    base = np.floor(xy)
    fraction = xy - base - 0.5
    across, down = dx - fraction[:, :1], dy - fraction[:, 1:]
    distance = np.hypot(across, down)
    if forms is not None:
        across, down = np.abs(across), np.abs(down)
        # Scaled so that all three forms cover about the same area.
        distance = np.where(forms[:, None] == 1, 1.13 * np.maximum(across, down), distance)
        distance = np.where(forms[:, None] == 2, 0.8 * (across + down), distance)
    coverage = np.clip(reach[:, None] + 0.5 - distance, 0.0, 1.0)
    column = base[:, :1].astype(np.int64) + dx
    row = base[:, 1:].astype(np.int64) + dy
    hit = (coverage > 0.02) & (column >= 0) & (column < w) & (row >= 0) & (row < h)
    pixel = (row * w + column)[hit]
    coverage, which = coverage[hit], np.broadcast_to(np.arange(len(xy))[:, None], hit.shape)[hit]
    # A repeated index keeps the last value: points come back to front, so the frontmost wins; cores over rims.
    ids[pixel] = index[which]
    core = coverage >= 0.5
    ids[pixel[core]] = index[which[core]]
    log_clear = np.bincount(pixel, np.log1p(-np.minimum(alpha[which] * coverage, 0.995)), minlength=len(ids))
    touched = np.flatnonzero(ids >= 0)
    return touched, 1.0 - np.exp(log_clear[touched])


def _blocks(
    xy: Array,
    index: npt.NDArray[np.int64],
    alpha: Array,
    reach: Array,
    shape: tuple[int, int],
    ids: npt.NDArray[np.int32],
) -> Painted:
    """The same without antialiasing, as small plus signs or squares: a few whole-array writes for any number."""
    h, w = shape
    offsets = [(0, 0), (1, 0), (0, 1), (1, 1)] if float(np.median(reach)) > 0.8 else [(0, 0)]
    column, row = np.floor(xy).astype(np.int64).T
    counts = np.zeros(len(ids))
    for dx, dy in offsets:
        x, y = column + dx, row + dy
        hit = (x >= 0) & (x < w) & (y >= 0) & (y < h)
        pixel = y[hit] * w + x[hit]
        ids[pixel] = index[hit]
        counts += np.bincount(pixel, np.log1p(-np.minimum(alpha[hit], 0.995)), minlength=len(ids))
    touched = np.flatnonzero(ids >= 0)
    return touched, 1.0 - np.exp(counts[touched])


def point_at(picture: Picture, x: float, y: float, reach: int = 5) -> int:
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
