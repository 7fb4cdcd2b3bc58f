"""The meaning of the colours on pictures and in presentations: words with their markers, or a scale with its ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.marking import draw_marker, scale_gradient
from mvexplorer.ui.style.palettes import (
    colours_of,
    markers_of,
    scale_kind,
    scale_limits,
)
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.shortening import told_apart

# Lengths as multiples of the size of the type.
ROW = 5 / 3
"""From line to line with room to spare."""
GAP, SWATCH = 1.5, 1.25
TITLE = -1


@dataclass(frozen=True)
class KeyEntry:
    """Words of the key, and the left end of their line's middle; `place` is their class, or `TITLE`."""

    text: str
    place: int
    x: float
    y: float


def lay_in_rows(texts: Sequence[tuple[int, str]], width: float, font: QFont, gap: float = GAP) -> list[KeyEntry]:
    """Places and texts one after the other, in as many rows of a width as they take."""
    size, advance = font.pixelSize(), QFontMetricsF(font).horizontalAdvance
    entries, x, y = [], 0.0, 0.5 * ROW * size
    for place, text in texts:
        taken = advance(text) + (0.0 if place == TITLE else SWATCH * size)
        if x and x + taken > width:
            x, y = 0.0, y + ROW * size
        entries.append(KeyEntry(text, place, x, y))
        x += taken + gap * size
    return entries


def key_row_height(font: QFont) -> float:
    """The height of one row."""
    return ROW * font.pixelSize()


def lay_in_columns(names: Sequence[str], room: QSizeF, font: QFont) -> tuple[list[KeyEntry], float]:
    """Names below each other, in the fewest columns, and the width that they take.

    Lines come nearer to each other and names are cut, so that no two read the same, before another column begins;
    where no column is left, the last line says how many more there are.
    """
    size, advance = font.pixelSize(), QFontMetricsF(font).horizontalAdvance
    dense = 1.2  # from line to line without room to spare
    lines = max(1, int(room.height() / (dense * size)))
    narrowest = 6.0  # least width of a column
    most = max(1, int(room.width() / (narrowest * size)))
    columns = min(most, ceil(len(names) / lines))
    shown = len(names) if len(names) <= columns * lines else columns * lines - 1
    used = min(lines, ceil((shown + (shown < len(names))) / columns))
    pitch = min(ROW * size, room.height() / used)
    wide = room.width() / columns
    space = wide - (SWATCH + 0.5) * size
    texts = [told_apart(line(name, 120), names, i + 1, space, advance) for i, name in enumerate(names[:shown])]
    taken = min(wide, max((advance(text) for text in texts), default=0.0) + (SWATCH + 0.5) * size)
    entries = [KeyEntry(text, i, (i // used) * taken, (i % used + 0.5) * pitch) for i, text in enumerate(texts)]
    if shown < len(names):
        entries.append(KeyEntry(f"+ {len(names) - shown} more", TITLE, (columns - 1) * taken, (used - 0.5) * pitch))
    return entries, columns * taken


def paint_key(
    painter: QPainter,
    corner: QPointF,
    entries: Sequence[KeyEntry],
    colouring: Colouring,
    selection: tuple[int, ...] = (),
) -> None:
    """Paint the entries below a corner in the painter's font; numbers have their scale after the title."""
    t, font = theme.current(), painter.font()
    size, metrics = font.pixelSize(), QFontMetricsF(font)
    colors, markers = colours_of(colouring, t.name), markers_of(colouring, t.name)
    base = (metrics.ascent() - metrics.descent()) / 2
    radius = 5 / 12
    for entry in entries:
        spot = corner + QPointF(entry.x, entry.y)
        painter.setPen(t.color("muted" if entry.place == TITLE else "text"))
        if entry.place == TITLE:
            painter.drawText(spot + QPointF(0, base), entry.text)
            continue
        painter.drawText(spot + QPointF(SWATCH * size, base), entry.text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(*(int(c) for c in colors[entry.place])))
        draw_marker(painter, spot + QPointF(radius * size, 0), radius * size, int(markers[entry.place]))
    if not colouring.classes and entries:
        beside = metrics.horizontalAdvance(entries[0].text) + GAP * size
        _paint_scale(painter, corner + QPointF(beside, entries[0].y), colouring, selection)


def _paint_scale(painter: QPainter, spot: QPointF, colouring: Colouring, selection: tuple[int, ...]) -> None:
    t, metrics, size = theme.current(), QFontMetricsF(painter.font()), painter.font().pixelSize()
    low, high = ("0", "2π") if colouring.cyclic else (numbers.number(v) for v in scale_limits(colouring))
    base = QPointF(0, (metrics.ascent() - metrics.descent()) / 2)
    painter.setPen(t.color("muted"))
    painter.drawText(spot + base, low)
    left = spot.x() + metrics.horizontalAdvance(low) + 0.6 * size
    length, height = 40 / 3, 0.75
    bar = QRectF(left, spot.y() - height * size / 2, length * size, height * size)
    painter.setBrush(scale_gradient(scale_kind(colouring), t.name, bar.left(), bar.right()))
    painter.setPen(QPen(t.color("muted"), size / 15))  # pale ends would fade into the ground
    painter.drawRoundedRect(bar, size / 4, size / 4)
    chosen = colouring.values[list(selection)] if selection else np.empty(0)
    if np.isfinite(chosen).any():
        high += f"   selected {numbers.number(np.nanmin(chosen))} to {numbers.number(np.nanmax(chosen))}"
    painter.drawText(QPointF(bar.right() + 0.6 * size, spot.y()) + base, high)
