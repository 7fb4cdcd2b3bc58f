"""Pictures for papers, the README and servers: the comparison of methods as PNG or SVG."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from mvexplorer.state.drawing import bandwidth_text
from mvexplorer.state.panel_result import best_scores
from mvexplorer.state.titles import panel_title, parameter_line
from mvexplorer.ui.cloud.canvas import as_image
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.cloud.picture import Camera, point_radius, splat
from mvexplorer.ui.panels.header import pin_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import (
    class_colours,
    class_markers,
    draw_marker,
    point_colours,
    point_markers,
    scale_colours,
    scale_kind,
    scale_limits,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.compute.runner import Scores
    from mvexplorer.engine.core.multiview import Array, MultiView
    from mvexplorer.state.colouring import Colouring
    from mvexplorer.state.workbench import Workbench

CELL = QSize(400, 360)
MARGIN, HEAD, FOOT = 24, 74, 40
MAX_LEGEND = 12


@dataclass(frozen=True)
class Tile:
    """One embedding in a picture: points (M, 2 or 3) within -1..1, and the texts around it."""

    title: str
    points: Array | None
    axis_names: tuple[str, ...]
    footer: str
    scores: Scores | None = None
    problem: str = ""
    camera: Camera | None = None


@dataclass(frozen=True)
class Sheet:
    """A whole picture."""

    title: str
    subtitle: str
    tiles: tuple[Tile, ...]
    data: MultiView
    colouring: Colouring | None
    size: float = 5.0
    opacity: float = 0.9


def write_picture(sheet: Sheet, path: str | Path, scale: float = 2.0) -> None:
    """Write a sheet as PNG (at `scale` pixels per unit) or SVG, by the file's ending.

    Raises
    ------
    DataError
        Another ending, or a file that cannot be written.
    """
    size = _sheet_size(sheet)
    vector = Path(path).suffix.lower() == ".svg"
    write_painted(Path(path), "Pictures", sheet.title, size, partial(_paint, sheet, size, vector, scale), scale)


def _columns(sheet: Sheet) -> int:
    return max(1, ceil(sqrt(len(sheet.tiles))))


def _sheet_size(sheet: Sheet) -> QSize:
    columns = _columns(sheet)
    rows = max(1, ceil(len(sheet.tiles) / columns))
    return QSize(columns * CELL.width() + 2 * MARGIN, HEAD + rows * CELL.height() + FOOT)


def _paint(sheet: Sheet, size: QSize, vector: bool, scale: float, painter: QPainter) -> None:
    t = theme.current()
    family = theme.bundled_family()
    if vector:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), t.color("window"))
    else:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(21, bold=True, family=family))
    painter.drawText(QPointF(MARGIN + 6, 34), sheet.title)
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(12, family=family))
    painter.drawText(QPointF(MARGIN + 6, 56), sheet.subtitle)
    best = best_scores({i: tile.scores for i, tile in enumerate(sheet.tiles) if tile.scores is not None})
    columns = _columns(sheet)
    for i, tile in enumerate(sheet.tiles):
        x = MARGIN + (i % columns) * CELL.width()
        y = HEAD + (i // columns) * CELL.height()
        cell = QRectF(x + 6, y + 6, CELL.width() - 12, CELL.height() - 12)
        _paint_tile(painter, cell, tile, sheet, best.get(i, frozenset()), vector, scale)
    _paint_legend(painter, sheet, size)


def _paint_tile(
    painter: QPainter, cell: QRectF, tile: Tile, sheet: Sheet, best: frozenset[str], vector: bool, scale: float
) -> None:
    t, family = theme.current(), theme.bundled_family()
    painter.setPen(QPen(t.color("hairline"), 1.0))
    painter.setBrush(t.color("surface"))
    painter.drawRoundedRect(cell, 6, 6)
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(14, bold=True, family=family))
    painter.drawText(QPointF(cell.left() + 14, cell.top() + 25), tile.title)
    body = QRectF(cell.left() + 1, cell.top() + 36, cell.width() - 2, cell.height() - 66)
    if tile.points is None:
        painter.setPen(t.color("red"))
        painter.setFont(theme.font(12, family=family))
        painter.drawText(
            body.adjusted(24, 0, -24, 0), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, tile.problem
        )
    else:
        _paint_points(painter, body, tile, sheet, vector, scale)
    _paint_footer(painter, cell, tile, best)


def _paint_points(painter: QPainter, body: QRectF, tile: Tile, sheet: Sheet, vector: bool, scale: float) -> None:
    assert tile.points is not None
    t = theme.current()
    camera = tile.camera or Camera.default()
    flat, nearness = camera.project(tile.points)
    reach = 1.1 if tile.points.shape[1] == 2 else 1.3
    unit = min(body.width(), body.height()) / (2 * reach)
    xy = np.column_stack([body.width() / 2 + unit * flat[:, 0], body.height() / 2 - unit * flat[:, 1]])
    rgb = point_colours(sheet.colouring, len(flat), t.name)
    radius = point_radius(sheet.size, len(flat)) * nearness
    markers = point_markers(sheet.colouring)
    if vector:
        painter.setPen(Qt.PenStyle.NoPen)
        for i in np.argsort(nearness, kind="stable"):
            color = QColor(*(int(c) for c in rgb[i]))
            color.setAlphaF(sheet.opacity)
            painter.setBrush(color)
            draw_marker(painter, body.topLeft() + QPointF(*xy[i]), radius[i], 0 if markers is None else int(markers[i]))
    else:
        shape = (int(body.height() * scale), int(body.width() * scale))
        depth = nearness if tile.points.shape[1] == 3 else None
        alpha = np.full(len(flat), sheet.opacity)
        picture = splat(xy * scale, rgb, alpha, radius * scale, shape, depth, markers)
        painter.drawImage(body.topLeft(), as_image(picture, scale))
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(11, family=theme.bundled_family()))
    painter.drawText(QPointF(body.left() + 13, body.bottom() - 2), "   ".join(tile.axis_names))


def _paint_footer(painter: QPainter, cell: QRectF, tile: Tile, best: frozenset[str]) -> None:
    t, family = theme.current(), theme.bundled_family()
    x, y = cell.left() + 14, cell.bottom() - 11
    if tile.scores is not None:
        for key, name in (("nmi", "NMI"), ("knn", "k-NN")):
            painter.setFont(theme.font(12, bold=key in best, family=family))
            painter.setPen(t.color("text" if key in best else "muted"))
            text = f"{name} {numbers.score(getattr(tile.scores, key))}"
            painter.drawText(QPointF(x, y), text)
            x += QFontMetricsF(painter.font()).horizontalAdvance(text) + 16
    painter.setFont(theme.font(11, family=family))
    painter.setPen(t.color("muted"))
    room = QRectF(x, y - 14, cell.right() - 12 - x, 18)
    text = painter.fontMetrics().elidedText(tile.footer, Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_legend(painter: QPainter, sheet: Sheet, size: QSize) -> None:
    t, colouring = theme.current(), sheet.colouring
    if colouring is None:
        return
    painter.setFont(theme.font(12, family=theme.bundled_family()))
    metrics = QFontMetricsF(painter.font())
    x, y = MARGIN + 6.0, size.height() - 18.0
    painter.setPen(t.color("muted"))
    painter.drawText(QPointF(x, y), colouring.title)
    x += metrics.horizontalAdvance(colouring.title) + 14
    if not colouring.classes:
        low, high = ("0", "2π") if colouring.cyclic else (numbers.number(v) for v in scale_limits(colouring))
        painter.drawText(QPointF(x, y), low)
        x += metrics.horizontalAdvance(low) + 8
        gradient = QLinearGradient(x, 0, x + 160, 0)
        table = scale_colours(scale_kind(colouring), t.name)
        for i in range(0, 256, 15):
            gradient.setColorAt(i / 255.0, QColor(*(int(c) for c in table[i])))
        painter.setBrush(gradient)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(x, y - 9, 160, 9), 3, 3)
        painter.setPen(t.color("muted"))
        painter.drawText(QPointF(x + 168, y), high)
        return
    colors, markers = class_colours(len(colouring.classes), t.name), class_markers(len(colouring.classes))
    for i, (name, rgb) in enumerate(zip(colouring.classes[:MAX_LEGEND], colors, strict=False)):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(*(int(c) for c in rgb)))
        draw_marker(painter, QPointF(x + 5, y - 4), 5, int(markers[i]))
        painter.setPen(t.color("text"))
        painter.drawText(QPointF(x + 15, y), name)
        x += 30 + metrics.horizontalAdvance(name)
        if i == MAX_LEGEND - 1 and len(colouring.classes) > MAX_LEGEND:
            painter.drawText(QPointF(x, y), f"and {len(colouring.classes) - MAX_LEGEND} more")


# From panels --------------------------------------------------------------------------------------------------


def sheet_of(workbench: Workbench, title: str, colouring: Colouring | None, cameras: Mapping[str, Camera]) -> Sheet:
    """The panels of a workbench as a sheet, each as its camera sees it."""
    state, data, controller = workbench.document.state, workbench.document.data, workbench.controller
    assert data is not None
    tiles = []
    for panel in state.panels:
        found = controller.result(panel.id)
        epsilon = bandwidth_text(found.result.embedding) if found.result is not None else ""
        pins = " ".join(f"{pin_text(k, v)} pinned" for k, v in panel.pins.items())
        problem = f"{found.error.message} {found.error.hint}" if found.error else "not computed"
        camera = cameras.get(panel.id)  # new data is shown in several steps
        footer = f"{epsilon}  {pins}".strip()
        name = panel_title(state, panel)
        tiles.append(Tile(name, found.drawn, found.axis_names, footer, found.scores, problem, camera))
    subtitle = parameter_line(data, state.params)
    return Sheet(title, subtitle, tuple(tiles), data, colouring, state.point_size, state.opacity)
