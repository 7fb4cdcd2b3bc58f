"""The names of a cloud's axes: directions have a meaning here, units do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from mvexplorer.ui.cloud.drawing import GROUND
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line, tip
from mvexplorer.wording import with_arrows

LONGEST = 24
"""Most characters of an axis' name."""


@dataclass(frozen=True)
class AxisName:
    """An axis of the corner tripod: where its arm ends, its name, where that begins, and the ground behind it."""

    tip: QPointF
    name: str
    spot: QPointF
    ground: QRectF


def place_names(names: tuple[str, ...], height: float, camera: Camera | None) -> tuple[QPointF, list[AxisName]]:
    """Where the arms of the corner tripod begin, and its axes, as far inside as their names need."""
    arm, base = float(theme.px(22.0)), QPointF(16.0, height - 14.0)
    axes = np.eye(3) @ camera.rotation.T if camera is not None else np.eye(3)[:2]
    if camera is not None:
        base = QPointF(theme.px(38.0), height - theme.px(34.0))
    metrics = _metrics()
    placed = []
    for direction, name in zip(axes, (line(name, LONGEST) for name in names), strict=False):
        tip = base + QPointF(arm * direction[0], -arm * direction[1])
        width = metrics.horizontalAdvance(name)
        away = QPointF(tip.x() - base.x(), tip.y() - base.y())
        if abs(away.x()) >= abs(away.y()):
            left = tip.x() + 4 if away.x() >= 0 else tip.x() - width - 4
            spot = QPointF(left, tip.y() + metrics.ascent() / 2 - 1)
        else:
            down = metrics.ascent() + 1 if away.y() > 0 else -4.0
            spot = QPointF(tip.x() - min(width / 2, 10.0), tip.y() + down)
        ground = QRectF(spot.x() - 2, spot.y() - metrics.ascent(), width + 4, metrics.height())
        placed.append(AxisName(tip, name, spot, ground))
    # All move together: a name that were moved alone would lie on another one.
    right = max(0.0, *(1.0 - place.ground.left() for place in placed))
    up = max(0.0, *(place.ground.bottom() - height for place in placed))
    moved = QPointF(right, -up)
    return base + moved, [AxisName(p.tip + moved, p.name, p.spot + moved, p.ground.translated(moved)) for p in placed]


@dataclass(frozen=True)
class NamesRoom:
    """The room that a flat picture (width, height) leaves the names of its axes: no point of the whole cloud is there.

    They stand on the left, or on a line below where that leaves a larger square for the cloud.
    """

    names: tuple[str, ...]
    width: float
    height: float

    @property
    def words(self) -> str:
        """The names on one line."""
        each = int(self.width / 2 - 2 * _metrics().horizontalAdvance(" → "))  # most pixels of a name
        shown = [_metrics().elidedText(line(name), Qt.TextElideMode.ElideMiddle, each) for name in self.names]
        return "   ".join(with_arrows(shown, 2))

    @property
    def _left(self) -> float:
        """The width of the corner, 0 where the picture is too low for it."""
        placed = place_names(self.names, self.height, None)[1]
        fits = min(place.ground.top() for place in placed) >= 0
        return max(place.ground.right() for place in placed) if fits else 0.0

    @property
    def _below(self) -> float:
        """The height of the line, 0 where the picture is too low for it."""
        height = _metrics().height() + 2.0
        return height if self.height >= 4 * height else 0.0

    @property
    def cloud(self) -> tuple[QRectF, str]:
        """The room of the cloud, in its middle where the names allow it; and where these stand, empty for nowhere."""
        whole = QRectF(0.0, 0.0, self.width, self.height)
        left, below = (self._left, self._below) if self.names else (0.0, 0.0)
        beside, above = (min(self.height, self.width - left), min(self.width, self.height - below))
        if left and beside >= (above if below else self.height):
            return whole.adjusted(max(0.0, 2 * left + beside - self.width), 0.0, 0.0, 0.0), "left"
        if below:
            return whole.adjusted(0.0, 0.0, 0.0, -max(0.0, 2 * below + above - self.height)), "below"
        return whole, ""


def draw_flat_axes(painter: QPainter, room: NamesRoom) -> None:
    """Draw the two arms with their names, or these on a line; nothing where there is no room, see `axes_tip`.

    The points of a picture that is zoomed lie over them.
    """
    where = room.cloud[1]
    painter.setFont(_font())
    painter.setPen(QPen(theme.current().color("muted"), 1.0))
    if where == "left":
        base, placed = place_names(room.names, room.height, None)
        painter.drawLines([QLineF(base, place.tip) for place in placed])
        for place in placed:
            painter.drawText(place.spot, place.name)
    elif where == "below":
        painter.drawText(QPointF(8.0, room.height - _metrics().descent() - 1.0), room.words)


def tripod_room(names: tuple[str, ...], height: int, camera: Camera) -> list[QRectF]:
    """Where a tripod stands, if there is room for it."""
    base, placed = place_names(names, height, camera) if names else (QPointF(), [])
    if not placed or min(place.ground.top() for place in placed) < 0:
        return []
    return [*(place.ground for place in placed), *(QRectF(base, place.tip).normalized() for place in placed)]


def draw_tripod(painter: QPainter, names: tuple[str, ...], height: int, camera: Camera) -> None:
    """Draw a small tripod in the corner of a 3-D cloud; a picture that is too low for it has none."""
    base, placed = place_names(names, height, camera) if names else (QPointF(), [])
    if not placed or min(place.ground.top() for place in placed) < 0:
        return
    painter.setFont(_font())
    ground, lines = theme.current().color("surface", GROUND), theme.current().color("muted")
    for pen in (QPen(ground, 5.0), QPen(lines, 1.0)):
        painter.setPen(pen)
        painter.drawLines([QLineF(base, place.tip) for place in placed])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    for place in placed:
        painter.drawRoundedRect(place.ground, 3.0, 3.0)
    painter.setPen(lines)
    for place in placed:
        painter.drawText(place.spot, place.name)


def axes_tip(names: tuple[str, ...], position: QPointF, height: int) -> str:
    """Explain the axes' names, where a position of a picture of this height is at them; empty elsewhere."""
    corner = 96, 64  # width and height of the corner in which the axes are named, in pixels
    if not names or position.x() > corner[0] or position.y() < height - corner[1]:
        return ""
    turned = (
        "\n≈: the picture is turned to match the one before, so that each axis mixes coordinates."
        if any(name.startswith("≈") for name in names)
        else ""
    )
    return tip(f"Drawn: coordinates {', '.join(names)} of the embedding; choose others by ⋯.{turned}")


def _font() -> QFont:
    return theme.font(theme.px(theme.SMALL_PX))


def _metrics() -> QFontMetricsF:
    return theme.metrics(_font())
