"""The picture of work in small: its panels as they were left, painted for a light and a dark window."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageReader, QPainter, QPen

from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.canvas import REACH, REACH_3D, EmbeddingCanvas
from mvexplorer.ui.cloud.drawing import as_image
from mvexplorer.ui.cloud.encoding import png
from mvexplorer.ui.cloud.picture import Colours, recoloured, splat
from mvexplorer.ui.cloud.rasteriser import View, some_of
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import in_other_theme

SIDES = QSize(320, 200)
"""Pixels of one of the two pictures: twice those on the start page, for screens with twice the dots."""
GAP = 8
MOST = 1200
"""Points of a panel that are painted: more would cover one another."""
RADIUS = 2.2


@dataclass(frozen=True)
class PanelInSmall:
    """The points of a panel in its cell of the picture: their places (n, 2) in pixels, and their colours (n, 3).

    They are coloured whether or not some are selected: work is known again by its colours, and whoever names a
    selection leaves it selected.
    """

    cell: tuple[int, int, int, int]
    xy: Points
    rgb: Colours


@dataclass(frozen=True)
class WorkPicture:
    """The panels of a window in one theme's colours; see `UnpaintedPicture`."""

    panels: tuple[PanelInSmall, ...]
    theme: str
    sides: QSize = SIDES

    def png(self) -> bytes:
        """Paint it twice, for a light window on the left and for a dark one on the right, without a ground."""
        sides, scale = self.sides, self.sides.width() / SIDES.width()
        both = QImage(2 * sides.width(), sides.height(), QImage.Format.Format_ARGB32_Premultiplied)
        both.fill(Qt.GlobalColor.transparent)
        painter = QPainter(both)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for panel in self.panels:
            left, top, width, height = panel.cell
            raster = splat(panel.xy, panel.rgb, 0.9, RADIUS * scale, (height, width))
            for place, name in enumerate(("light", "dark")):
                at = QPointF(left + place * sides.width(), top)
                other = recoloured(raster, in_other_theme(panel.rgb, self.theme)) if name != self.theme else raster
                painter.setPen(QPen(QColor(128, 136, 148, 80), 2.0 * scale))
                frame = QRectF(at.x() + scale, at.y() + scale, width - 2 * scale, height - 2 * scale)
                painter.drawRoundedRect(frame, 8 * scale, 8 * scale)
                painter.drawImage(at, as_image(other, 1.0))
        painter.end()
        return png(both)


def work_picture(grid: PanelGrid, sides: QSize = SIDES, without: Collection[str] = frozenset()) -> WorkPicture | None:
    """Take the points that the panels show, but those `without` any; None where they show nothing yet."""
    gap = round(GAP * sides.width() / SIDES.width())
    shown = {id: panel.canvas for id, panel in grid.panels.items() if id not in grid.hidden}
    columns = max(1, ceil(sqrt(len(shown))))
    width = (sides.width() - gap * (columns - 1)) // columns
    rows = max(1, ceil(len(shown) / columns))
    height = (sides.height() - gap * (rows - 1)) // rows
    places = ((i % columns * (width + gap), i // columns * (height + gap)) for i in range(len(shown)))
    cells = [(left, top, width, height) for left, top in places]
    panels = tuple(
        _empty(cell) if id in without else _in_small(canvas, cell)
        for (id, canvas), cell in zip(shown.items(), cells, strict=True)
    )
    return WorkPicture(panels, theme.current().name, sides) if any(len(panel.xy) for panel in panels) else None


def _empty(cell: tuple[int, int, int, int]) -> PanelInSmall:
    return PanelInSmall(cell, np.empty((0, 2), np.float32), np.empty((0, 3), np.uint8))


def _in_small(canvas: EmbeddingCanvas, cell: tuple[int, int, int, int]) -> PanelInSmall:
    cloud, look, (_, _, width, height) = canvas.cloud, canvas.cloud.look, cell
    if look is None or not cloud.n_points or len(look.rgb) != cloud.n_points:
        return _empty(cell)
    rows = some_of(cloud.n_points, MOST) if cloud.n_points > MOST else np.arange(cloud.n_points)
    rows = rows[look.visible[rows]]
    frame, reach = canvas.frame, REACH_3D if canvas.is_3d else REACH
    unit = 2 * reach * frame.size / min(width, height)
    left, top = reach * frame.across - unit * width / 2, reach * frame.up + unit * height / 2
    xy, nearness = cloud.positions(View(left, top, unit * width, unit * height, (height, width), 1.0), rows)
    order = np.lexsort((nearness, look.selected[rows]))  # what is selected lies over all others
    return PanelInSmall(cell, xy[order], look.rgb[rows[order]])


def read_picture(path: str, dark: bool) -> QImage:
    """The picture in a file for a light or a dark window; a null image where it is missing or broken."""
    reader = QImageReader(path)
    if reader.size() != QSize(2 * SIDES.width(), SIDES.height()):
        return QImage()
    return reader.read().copy(QRect(SIDES.width() if dark else 0, 0, SIDES.width(), SIDES.height()))
