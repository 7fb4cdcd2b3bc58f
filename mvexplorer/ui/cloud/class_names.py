"""Names of classes at their centres: none lies on another, and larger classes come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_places, colours_of
from mvexplorer.ui.widgets.plain_text import distinct_names

LONGEST_NAME = 24
"""Most characters of a class's name on a picture."""
MOST_NAMES = 60
"""Most classes that are named: there is no room for more."""
_ACROSS, _DOWN = (0.0, -0.6, 0.6, -1.1, 1.1), (0.0, -1.0, 1.0, -2.0, 2.0)
SHIFTS = np.array(sorted(product(_ACROSS, _DOWN), key=lambda by: 3 * abs(by[0]) + abs(by[1])))
"""Where a name may stand beside its centre, in its own widths and heights: the first free place is taken."""


@dataclass(frozen=True, eq=False)
class ClassGroup:
    """A class that is named on pictures."""

    code: int
    name: str
    rows: Rows


@dataclass(frozen=True)
class PlacedName:
    """A class's name and its ground."""

    name: str
    code: int
    rect: QRectF


def class_groups(colouring: Colouring | None) -> tuple[ClassGroup, ...]:
    """The classes of a colouring with their samples, the largest first; the rest of selections has no name."""
    if colouring is None or not colouring.classes:
        return ()
    names, places = distinct_names(list(colouring.classes), LONGEST_NAME), class_places(colouring)
    order = np.argsort(colouring.values, kind="stable")
    bounds = np.searchsorted(colouring.values[order], np.arange(len(names) + 1))
    groups = (ClassGroup(k, name, order[bounds[k] : bounds[k + 1]]) for k, name in enumerate(names) if places[k] >= 0)
    return tuple(sorted((each for each in groups if len(each.rows)), key=lambda each: -len(each.rows)))[:MOST_NAMES]


def name_sizes(names: Sequence[str]) -> list[QSizeF]:
    """The grounds that names of classes need."""
    metrics = theme.metrics(_font())
    height, beside = metrics.height() + theme.px(1), theme.px(8)
    return [QSizeF(metrics.horizontalAdvance(name) + beside, height) for name in names]


def room_for_names(
    sizes: Sequence[QSizeF], centres: Points, room: QRectF, taken: Sequence[QRectF] = ()
) -> list[QRectF | None]:
    """Grounds of names of these sizes, at or beside their centres (n, 2) and on no other one; None without room."""
    edges = np.array([corners(each) for each in taken]).reshape(-1, 4)
    placed: list[QRectF | None] = []
    for size, centre in zip(sizes, np.asarray(centres, dtype=np.float64), strict=True):
        extent = np.array([size.width(), size.height()])
        low = centre + SHIFTS * (extent + 1.0) - extent / 2
        free = _inside(low, low + extent, room) & ~_overlaps(low, low + extent, edges)
        if not free.any():
            placed.append(None)
            continue
        corner = low[free.argmax()]
        placed.append(QRectF(QPointF(*corner.tolist()), size))
        edges = np.vstack([edges, [*corner, *(corner + extent)]])
    return placed


def corners(rect: QRectF) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a rectangle."""
    return rect.left(), rect.top(), rect.right(), rect.bottom()


def _inside(low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], room: QRectF) -> npt.NDArray[np.bool_]:
    left, top, right, bottom = corners(room)
    inside: npt.NDArray[np.bool_] = np.all((low >= [left, top]) & (high <= [right, bottom]), axis=1)
    return inside


def _overlaps(
    low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Mask the rectangles from `low` to `high` (n, 2) that share area with any of those with these `edges` (k, 4)."""
    apart = np.any((high[:, None] <= edges[None, :, :2]) | (low[:, None] >= edges[None, :, 2:]), axis=2)
    overlaps: npt.NDArray[np.bool_] = ~np.all(apart, axis=1)
    return overlaps


def draw_names(painter: QPainter, placed: Sequence[PlacedName], colouring: Colouring) -> None:
    """Write names of classes in their colours, dark or light enough to be read, each on a ground."""
    t, opacity = theme.current(), 225  # of 255
    colours = colours_of(colouring, t.name)
    painter.setFont(_font())
    painter.setBrush(t.color("surface", opacity))
    for each in placed:
        colour = QColor(*colours[each.code].tolist())
        painter.setPen(QPen(colour, 1.0))
        painter.drawRoundedRect(each.rect, 3.0, 3.0)
        painter.setPen(legible(colour.name(), t.surface, t.text))
        painter.drawText(each.rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, each.name)


@lru_cache(maxsize=64)
def legible(name: str, on: str, letters: str) -> QColor:
    """A colour mixed with that of text until it has a contrast of 4.5 to the ground; all as #rrggbb."""
    colour, ground, text = QColor(name), QColor(on), QColor(letters)
    enough, mixed = 4.5, colour
    for part in np.linspace(0.0, 1.0, 11):
        pairs = ((colour.redF(), text.redF()), (colour.greenF(), text.greenF()), (colour.blueF(), text.blueF()))
        mixed = QColor.fromRgbF(*(float((1 - part) * a + part * b) for a, b in pairs))
        dark, light = sorted((_luminance(mixed), _luminance(ground)))
        if (light + 0.05) / (dark + 0.05) >= enough:
            break
    return mixed


def _luminance(colour: QColor) -> float:
    """How bright a colour is to the eye, as WCAG defines it."""
    parts = colour.redF(), colour.greenF(), colour.blueF()
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def _font() -> QFont:
    return theme.font(theme.px(theme.SMALL_PX), bold=True, family=theme.bundled_family())
