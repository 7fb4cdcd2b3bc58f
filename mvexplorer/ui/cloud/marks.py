"""The overlays of every picture: the kept sample's ring, and the samples' pictures where they fit."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from mvexplorer.ui.cloud.overlay import Canvas, on_canvas
from mvexplorer.ui.cloud.rasteriser import some_of
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.sample_card import image_thumbnail

SIDE = 26
"""Pixels of a picture of a sample."""


class KeptMark:
    """A double ring around the kept sample, in every picture."""

    def __init__(self) -> None:
        self.sample = -1

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw it in widget pixels."""
        if not 0 <= self.sample < canvas.cloud.n_points:
            return
        place = canvas.positions_of(np.array([self.sample]))
        if not on_canvas(place, canvas)[0]:
            return
        x, y = place[0].tolist()
        now, radius = theme.current(), theme.px(8)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for wide, role in ((4.5, "surface"), (2.0, "accent")):
            painter.setPen(QPen(now.color(role), wide * theme.scale()))
            painter.drawEllipse(QPointF(x, y), radius, radius)


class Thumbnails:
    """The samples' own pictures at their places; none overlap, so that more come as one zooms."""

    def __init__(self) -> None:
        self.images: npt.NDArray[np.uint8] | None = None
        self._pictures: dict[int, QPixmap] = {}

    def use(self, images: npt.NDArray[np.uint8] | None) -> bool:
        """Draw these pictures, one for each sample, or None; True if they differ from the former ones."""
        changed = images is not self.images
        if changed:
            self.images, self._pictures = images, {}
        return changed

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw those for which there is room, in the frames of their colours."""
        look, n = canvas.cloud.look, canvas.cloud.n_points
        if self.images is None or look is None or not len(self.images) == n == len(look.rgb):
            return
        side = theme.px(SIDE)
        rows = np.flatnonzero(look.visible)
        looked_at = 3000  # samples for which room is looked for: a random part of more
        rows = rows if len(rows) <= looked_at else rows[some_of(len(rows), looked_at)]
        rows = rows[priorities(len(rows))]
        places = canvas.positions_of(rows)
        apart = 4  # pixels at least between two
        chosen = without_overlap(places, side + theme.px(apart), (canvas.width(), canvas.height()))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        most = 480  # most pictures in all panels together: some 5 ms of a frame
        for i in chosen[: max(1, most // canvas.cloud.companions)]:
            self._draw(painter, int(rows[i]), QPointF(*places[i].tolist()), side, look.colours[rows[i]])

    def _draw(self, painter: QPainter, row: int, at: QPointF, side: int, rgb: npt.NDArray[np.uint8]) -> None:
        assert self.images is not None
        picture = self._pictures.get(row)
        if picture is None:
            picture = self._pictures[row] = image_thumbnail(self.images[row], 2 * SIDE)
        tall = side * picture.height() / picture.width() if picture.width() else side
        wide, tall = (side, tall) if tall <= side else (side * side / tall, side)
        frame = QRectF(at.x() - wide / 2, at.y() - tall / 2, wide, tall)
        painter.drawPixmap(frame, picture, QRectF(picture.rect()))
        painter.setPen(QPen(QColor(*(int(c) for c in rgb)), 1.5 * theme.scale()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)


@lru_cache(maxsize=4)
def priorities(n: int) -> npt.NDArray[np.intp]:
    """The order in which samples get room: random, but always the same, so that pictures do not flicker."""
    return np.random.default_rng(1).permutation(n)


def without_overlap(places: npt.NDArray[np.floating], apart: float, shape: tuple[int, int]) -> list[int]:
    """Indices of places (n, 2), the earlier first, of which no two are nearer than `apart` in both directions."""
    x, y = np.asarray(places, dtype=np.float64).T
    inside = np.flatnonzero((x >= 0) & (y >= 0) & (x < shape[0]) & (y < shape[1]))
    column, row = (x[inside] / apart).astype(np.int64), (y[inside] / apart).astype(np.int64)
    cells = column * (1 << 20) + row
    _, first = np.unique(cells, return_index=True)  # no cell has room for two
    taken: dict[tuple[int, int], tuple[float, float]] = {}
    chosen = []
    for i in np.sort(first).tolist():
        cell, at = (int(column[i]), int(row[i])), (float(x[inside[i]]), float(y[inside[i]]))
        around = (taken.get((cell[0] + a, cell[1] + b)) for a in (-1, 0, 1) for b in (-1, 0, 1))
        if all(o is None or abs(o[0] - at[0]) >= apart or abs(o[1] - at[1]) >= apart for o in around):
            taken[cell] = at
            chosen.append(int(inside[i]))
    return chosen
