"""Notes on a picture: where each text stands, and the arrow from it to its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from textwrap import wrap

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QPolygonF

from mvexplorer.state.document.notes.note import LONGEST_TEXT
from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.class_names import corners
from mvexplorer.ui.cloud.overlay import Canvas
from mvexplorer.ui.cloud.rasteriser import some_of
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line

ACROSS = 28
"""Characters at which a note wraps."""
MARGIN = 3.0
"""Pixels between a note and the picture's edge."""
HEAD, HALF = 9.0, 3.8
"""Length of an arrow's head, and half its width."""


@dataclass(frozen=True)
class NoteBox:
    """A note as it stands on a picture."""

    number: int
    lines: tuple[str, ...]
    rect: QRectF
    target: QPointF
    radius: float
    """Of the point at the target: the arrow ends at its rim."""

    @property
    def arrow(self) -> QLineF | None:
        """From the text's edge to the target; None where the text lies on it."""
        middle = self.rect.center()
        way = QLineF(self.target, middle)
        if self.rect.contains(self.target) or way.length() == 0.0:
            return None
        across, down = abs(way.dx()) / self.rect.width(), abs(way.dy()) / self.rect.height()
        inside = 0.5 / max(across, down)  # of the way, from the middle to the edge
        start = way.pointAt(1.0 - inside)
        gap = self.radius + 2.0
        end = way.pointAt(min(1.0 - inside, gap / way.length()))
        return QLineF(start, end)


def note_lines(text: str) -> tuple[str, ...]:
    """A note's text as it is written."""
    return tuple(wrap(line(text, LONGEST_TEXT), ACROSS)) or (" ",)


def note_size(lines: Sequence[str]) -> QSizeF:
    """The ground that a note needs."""
    metrics = theme.metrics(_font())
    wide = max(metrics.horizontalAdvance(each) for each in lines)
    return QSizeF(wide + 2 * theme.px(7), len(lines) * metrics.height() + 2 * theme.px(4))


def clear_of_target(away: QPointF, size: QSizeF, radius: float) -> QPointF:
    """Where a text stands from its target: farther than wished where larger type left no room for the arrow."""
    distance = hypot(away.x(), away.y())
    unit = away / distance if distance else QPointF(0.0, -1.0)
    inside = 0.5 / max(abs(unit.x()) / size.width(), abs(unit.y()) / size.height())
    return unit * max(distance, inside + radius + 2 * HEAD * theme.scale())


def kept_inside(centre: QPointF, size: QSizeF, canvas: Canvas) -> QRectF:
    """A text's ground about a centre, moved into the picture; one that is too large begins at its edge."""
    room = canvas.width() - MARGIN - size.width(), canvas.height() - MARGIN - size.height()
    left, top = centre.x() - size.width() / 2, centre.y() - size.height() / 2
    return QRectF(QPointF(max(MARGIN, min(left, room[0])), max(MARGIN, min(top, room[1]))), size)


def offset_of(rect: QRectF, target: QPointF, canvas: Canvas) -> tuple[float, float]:
    """Where a text stands from its target, as fractions of the picture."""
    away = rect.center() - target
    return away.x() / max(1, canvas.width()), away.y() / max(1, canvas.height())


def free_place(size: QSizeF, target: QPointF, places: Points, taken: Sequence[QRectF], canvas: Canvas) -> QRectF:
    """Where a new text covers the fewest of the points (n, 2) and no other text, near its target."""
    looked_at, steps = 4000, 9  # points, a random part of more; and places that are tried in each direction
    points = places[some_of(len(places), looked_at)]
    best, least = kept_inside(target, size, canvas), np.inf
    rim, across = HEAD * theme.scale(), hypot(canvas.width(), canvas.height())
    taken = [*taken, *canvas.reserved()]
    for x in np.linspace(0, canvas.width(), steps):
        for y in np.linspace(0, canvas.height(), steps):
            rect = kept_inside(QPointF(x, y), size, canvas)
            near, far = (rect.adjusted(-by, -by, by, by) for by in (rim, 3 * rim))
            left, top, right, bottom = corners(near)
            covered = float(np.all((points >= [left, top]) & (points <= [right, bottom]), axis=1).mean())
            away = hypot(rect.center().x() - target.x(), rect.center().y() - target.y())
            cost = covered + 0.12 * away / across + 0.06 * far.contains(target)  # an arrow needs room for its line
            cost += 10.0 * (near.contains(target) or any(near.intersects(each) for each in taken))
            if cost < least:
                best, least = rect, cost
    return best


def draw_arrow(painter: QPainter, box: NoteBox) -> None:
    """Draw the arrow of a note, with a rim that keeps it apart from points."""
    if (arrow := box.arrow) is None or arrow.length() < 1.0:
        return
    t, scale = theme.current(), theme.scale()
    unit = QPointF(arrow.dx(), arrow.dy()) / arrow.length()
    across = QPointF(-unit.y(), unit.x())
    back = arrow.p2() - unit * (HEAD * scale)
    half = across * (HALF * scale)
    head = QPolygonF([arrow.p2(), back + half, back - half])
    neck = arrow.p2() - unit * min(arrow.length(), 0.9 * HEAD * scale)
    for role, width in (("surface", 3.6), ("text", 1.4)):
        pen = QPen(t.color(role), width * scale)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawLine(QLineF(arrow.p1(), neck))
        painter.setPen(pen if role == "surface" else Qt.PenStyle.NoPen)
        painter.setBrush(t.color(role))
        painter.drawPolygon(head)


def draw_text(painter: QPainter, box: NoteBox, *, at_hand: bool) -> None:
    """Write a note on its ground; a frame shows that keys go to it."""
    t = theme.current()
    painter.setPen(QPen(t.color("accent"), 2.0 * theme.scale()) if at_hand else QPen(t.color("muted"), 1.0))
    painter.setBrush(t.color("raised"))
    painter.drawRoundedRect(box.rect, 4.0, 4.0)
    painter.setFont(_font())
    painter.setPen(t.color("text"))
    metrics = theme.metrics(_font())
    spot = box.rect.topLeft() + QPointF(theme.px(7), theme.px(4) + metrics.ascent())
    for k, words in enumerate(box.lines):
        painter.drawText(spot + QPointF(0.0, k * metrics.height()), words)


def _font() -> QFont:
    return theme.font(theme.px(12), family=theme.bundled_family())
