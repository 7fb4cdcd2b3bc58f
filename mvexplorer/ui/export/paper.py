"""A tile's picture on paper: where samples lie on it, and what overlays of the window may ask of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.overlay import Overlay, on_canvas
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.cloud.rasteriser import Cloud, PointStyle
from mvexplorer.ui.export.sheet import Tile


class Paper:
    """The room `body` of a tile's picture on the sheet, in units from its upper left corner."""

    def __init__(self, tile: Tile, look: PointStyle, body: QRectF, companions: int) -> None:
        assert tile.points is not None
        self._body, self._frame, self._camera = body, tile.frame, tile.camera or Camera.default()
        # Half the side of the frame that a cloud is fitted into; the cloud reaches from -1 to 1.
        self._reach = 1.1 if tile.points.shape[1] == 2 else 1.43
        self.unit = min(body.width(), body.height()) / (2 * self._reach * tile.frame.size)
        self._points = tile.points
        self.cloud = Cloud()
        self.cloud.companions = companions
        self.cloud.set_look(look)
        self.cloud.show(tile.points)

    def width(self) -> int:
        """Units across."""
        return int(self._body.width())

    def height(self) -> int:
        """Units down."""
        return int(self._body.height())

    @property
    def centre(self) -> tuple[float, float]:
        """Where the middle of the cloud lies."""
        x, y = self._placed(np.zeros((1, self._points.shape[1])))[0][0]
        return float(x), float(y)

    def project(self) -> tuple[Points, Points, npt.NDArray[np.bool_]]:
        """All points: their places (M, 2), their nearness (M,), and whether they lie within the room."""
        xy, nearness = self._placed(self._points)
        return xy, nearness, on_canvas(xy, self)

    def place(self, points: Points) -> Points:
        """Places (n, 2) of any points that are scaled as those drawn."""
        return self._placed(points)[0]

    def positions_of(self, rows: Rows) -> Points:
        """Places (n, 2) of samples."""
        return self.place(self._points[rows])

    def reserved(self) -> list[QRectF]:
        """Nothing: words stand below the picture."""
        return []

    def _placed(self, points: Points) -> tuple[Points, Points]:
        flat, nearness = self._camera.project(points)
        across = flat[:, 0] - self._reach * self._frame.across
        up = flat[:, 1] - self._reach * self._frame.up
        middle = 0.5 * self._body.width(), 0.5 * self._body.height()
        return np.column_stack([middle[0] + self.unit * across, middle[1] - self.unit * up]), nearness

    def lay(self, overlay: Overlay, painter: QPainter) -> None:
        """Draw what lies on the picture in the window, within the room."""
        painter.save()
        painter.setClipRect(self._body)
        painter.translate(self._body.topLeft())
        overlay.paint(painter, self)
        painter.restore()
