"""The whole legend on a picture, in as many rows as it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import (
    class_colours,
    class_markers,
    draw_marker,
    scale_colours,
    scale_kind,
    scale_limits,
)
from mvexplorer.ui.widgets.plain_text import line

if TYPE_CHECKING:
    from mvexplorer.state.colouring import Colouring

ROW, GAP, SWATCH = 20.0, 18.0, 15.0
NAME = 32
"""Most characters of a class's name."""
BAR = 160.0


@dataclass(frozen=True)
class LegendEntry:
    """A word of the legend and where it begins; `place` is its class, -1 for the title."""

    text: str
    place: int
    x: float
    y: float


def legend_entries(colouring: Colouring | None, selection: tuple[int, ...], width: float) -> list[LegendEntry]:
    """Where the title and every class stand in rows of a width; counts are of the selected and of all samples."""
    if colouring is None:
        return []
    metrics = QFontMetricsF(theme.font(12, family=theme.bundled_family()))
    title = line(colouring.title)
    found, x, y = [LegendEntry(title, -1, 0.0, 0.0)], metrics.horizontalAdvance(title) + GAP, 0.0
    codes = colouring.values[list(selection)] if colouring.classes else np.empty(0, dtype=int)
    chosen = np.bincount(codes, minlength=len(colouring.classes)) if selection else None
    for i, (name, count) in enumerate(zip(colouring.classes, colouring.counts, strict=True)):
        counted = f"{count:,}" if chosen is None else f"{chosen[i]:,} of {count:,}"
        text = f"{line(name, NAME)} ({counted})"
        taken = SWATCH + metrics.horizontalAdvance(text)
        if x + taken > width:
            x, y = 0.0, y + ROW
        found.append(LegendEntry(text, i, x, y))
        x += taken + GAP
    return found


def paint_legend(
    painter: QPainter, corner: QPointF, entries: list[LegendEntry], colouring: Colouring, selection: tuple[int, ...]
) -> None:
    """Paint the entries below a corner."""
    t = theme.current()
    painter.setFont(theme.font(12, family=theme.bundled_family()))
    colors, markers = class_colours(len(colouring.classes), t.name), class_markers(len(colouring.classes))
    for entry in entries:
        spot = corner + QPointF(entry.x, entry.y + 13)
        painter.setPen(t.color("muted" if entry.place < 0 else "text"))
        if entry.place >= 0:
            painter.drawText(spot + QPointF(SWATCH, 0), entry.text)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(*(int(c) for c in colors[entry.place])))
            draw_marker(painter, spot + QPointF(5, -4), 5, int(markers[entry.place]))
        else:
            painter.drawText(spot, entry.text)
    if not colouring.classes:
        words = QFontMetricsF(painter.font()).horizontalAdvance(entries[0].text)
        _paint_scale(painter, corner + QPointF(words + GAP, 13), colouring, selection)


def _paint_scale(painter: QPainter, spot: QPointF, colouring: Colouring, selection: tuple[int, ...]) -> None:
    t, metrics = theme.current(), QFontMetricsF(painter.font())
    low, high = ("0", "2π") if colouring.cyclic else (numbers.number(v) for v in scale_limits(colouring))
    painter.drawText(spot, low)
    x, y = spot.x() + metrics.horizontalAdvance(low) + 8, spot.y()
    gradient = QLinearGradient(x, 0, x + BAR, 0)
    table = scale_colours(scale_kind(colouring), t.name)
    for i in range(0, 256, 15):
        gradient.setColorAt(i / 255.0, QColor(*(int(c) for c in table[i])))
    painter.setBrush(gradient)
    painter.setPen(QPen(t.color("muted"), 0.8))
    painter.drawRoundedRect(QRectF(x, y - 9, BAR, 9), 3, 3)
    chosen = colouring.values[list(selection)] if selection else np.empty(0)
    if np.isfinite(chosen).any():
        high += f"   selected {numbers.number(np.nanmin(chosen))} to {numbers.number(np.nanmax(chosen))}"
    painter.drawText(QPointF(x + BAR + 8, y), high)
