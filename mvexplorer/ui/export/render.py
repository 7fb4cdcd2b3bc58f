"""Pictures for papers, the README and servers: the panels of a document as PNG, SVG or PDF."""

from __future__ import annotations

from functools import partial
from math import ceil, sqrt
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from mvexplorer.state.pictures.panel_result import best_scores
from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.counts import is_dense
from mvexplorer.ui.cloud.density import scale_words
from mvexplorer.ui.cloud.drawing import GROUND, draw_hollows, draw_picture, draw_rings, draw_ticks
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.cloud.picture import point_radius
from mvexplorer.ui.cloud.rasteriser import PointStyle, painted
from mvexplorer.ui.export.legend import legend_entries, legend_font
from mvexplorer.ui.export.paper import Paper
from mvexplorer.ui.export.sheet import Sheet, Tile
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.marking import draw_marker
from mvexplorer.ui.widgets.colour_key import key_row_height, paint_key
from mvexplorer.ui.widgets.plain_text import line

WIDTH, BODY = 400, 294
"""Width of a tile, and height of its picture."""
MARGIN, FOOT = 24, 24
TITLE, SCORES = 36, 28
"""Heights of a tile's title and scores."""
WRAP = Qt.TextFlag.TextWordWrap
PAD = 14
NAME = 48
"""Most characters of a word above the pictures: a longer one would not fit beside the margins of a single tile."""


def write_picture(sheet: Sheet, path: str | Path, scale: float = 2.0, dpi: float | None = None) -> None:
    """Write a sheet as PNG, SVG or PDF by the file's ending; DataError for another one, or where it cannot be written.

    PNG has `scale` pixels per unit, of which `dpi` are an inch.
    """
    size = sheet_size(sheet)
    vector = Path(path).suffix.lower() != ".png"
    paint = partial(paint_sheet, sheet, size, vector, scale)
    write_painted(Path(path), "Pictures", sheet.title, size, paint, scale, sheet.record, dpi)


class SheetLayout:
    """A sheet laid out as panels are, with its size."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet, self.size = sheet, sheet_size(sheet)

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it: as vectors, or at `scale` pixels per unit."""
        paint_sheet(self._sheet, self.size, vector, scale, painter)


def _columns(sheet: Sheet) -> int:
    return sheet.columns or max(1, ceil(sqrt(len(sheet.tiles))))


def _details_height(sheet: Sheet) -> int:
    """The room that the longest of the tiles' details needs."""
    metrics = QFontMetricsF(_small())
    texts = [text for tile in sheet.tiles for text in ("\n".join((tile.details, *map(_warned, tile.warnings))),)]
    room = QRectF(0, 0, WIDTH - 12 - 2 * PAD, 4000)
    return ceil(max((metrics.boundingRect(room, WRAP, text).height() for text in texts), default=0.0)) + 8


def _legend_width(sheet: Sheet) -> int:
    return _columns(sheet) * WIDTH - 12


def _title(sheet: Sheet) -> tuple[str, QRectF]:
    """The heading, no word longer than a line, and where it stands: on as many lines as it needs."""
    metrics, wide, longest = QFontMetricsF(_large()), _legend_width(sheet), 300
    each = line(sheet.title, longest).split(" ")
    words = " ".join(metrics.elidedText(word, Qt.TextElideMode.ElideMiddle, wide) for word in each)
    room = QRectF(MARGIN + 6, 34 - metrics.ascent(), wide, 4000)
    return words, metrics.boundingRect(room, WRAP, words).adjusted(0, 0, 1, 1)


def _subtitle(sheet: Sheet) -> tuple[str, QRectF]:
    """The data and the parameters, and where they stand: on as many lines as they need."""
    words = " ".join(line(word, NAME) for word in sheet.subtitle.split(" "))
    metrics = QFontMetricsF(theme.font(12, family=theme.bundled_family()))
    least = 44.0
    room = QRectF(MARGIN + 6, max(least, _title(sheet)[1].bottom() + 2), _legend_width(sheet), 4000)
    return words, metrics.boundingRect(room, WRAP, words).adjusted(0, 0, 1, 1)


def _head_height(sheet: Sheet) -> int:
    least = 74
    return max(least, ceil(_subtitle(sheet)[1].bottom()) + 12)


def sheet_size(sheet: Sheet) -> QSize:
    """The size of a sheet in units: pixels at 96 dpi."""
    columns = _columns(sheet)
    rows = max(1, ceil(len(sheet.tiles) / columns))
    entries = legend_entries(sheet.colouring, sheet.selection, _legend_width(sheet))
    legend = ceil(entries[-1].y + key_row_height(legend_font()) / 2) if entries else 0
    width = columns * WIDTH + 2 * MARGIN
    below = legend + FOOT + caption_height(sheet.caption, width)
    return QSize(width, _head_height(sheet) + rows * _tile_height(sheet) + below)


def caption_height(caption: str, width: int) -> int:
    """The height that a caption needs below a picture of this width."""
    return ceil(_caption(caption, width)[1].bottom()) + FOOT if caption else 0


def _caption(caption: str, width: int) -> tuple[str, QRectF]:
    """A caption's words, no word longer than a line, and where they stand below the picture."""
    words = "\n".join(" ".join(line(word, NAME) for word in row.split(" ")) for row in caption.splitlines())
    room = QRectF(MARGIN + 6, 16, width - 2 * (MARGIN + 6), 40000)
    return words, QFontMetricsF(_caption_font()).boundingRect(room, WRAP, words).adjusted(0, 0, 1, 1)


def _caption_font() -> QFont:
    return theme.font(12, family=theme.bundled_family())


def paint_caption(painter: QPainter, caption: str, width: int, top: float) -> None:
    """Write a caption across a picture of this width, below `top`, on a ground of its own."""
    if caption:
        t = theme.current()
        painter.fillRect(QRectF(0, top, width, caption_height(caption, width)), t.color("window"))
        painter.setPen(t.color("text"))
        painter.setFont(_caption_font())
        words, box = _caption(caption, width)
        painter.drawText(box.translated(0, top), WRAP, words)


def _tile_height(sheet: Sheet) -> int:
    return TITLE + BODY + SCORES + _details_height(sheet) + 12


def _large() -> QFont:
    return theme.font(21, bold=True, family=theme.bundled_family())


def _small() -> QFont:
    return theme.font(theme.SMALL_PX, family=theme.bundled_family())


def _warned(text: str) -> str:
    return f"⚠ {text}"


def paint_sheet(sheet: Sheet, size: QSize, vector: bool, scale: float, painter: QPainter) -> None:
    """Paint a sheet: as vectors, or at `scale` pixels per unit."""
    t = theme.current()
    family = theme.bundled_family()
    if vector:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), t.color("window"))
    else:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(t.color("text"))
    painter.setFont(_large())
    heading, place = _title(sheet)
    painter.drawText(place, WRAP, heading)
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(12, family=family))
    words, box = _subtitle(sheet)
    painter.drawText(box, WRAP, words)
    best = best_scores({i: tile.scores for i, tile in enumerate(sheet.tiles) if tile.scores is not None})
    columns, height, head = _columns(sheet), _tile_height(sheet), _head_height(sheet)
    for i, tile in enumerate(sheet.tiles):
        x, y = MARGIN + (i % columns) * WIDTH, head + (i // columns) * height
        cell = QRectF(x + 6, y + 6, WIDTH - 12, height - 12)
        _paint_tile(painter, cell, tile, sheet, best.get(i, frozenset()), vector, scale)
    if sheet.colouring is not None:
        entries = legend_entries(sheet.colouring, sheet.selection, _legend_width(sheet))
        below = head + ceil(len(sheet.tiles) / columns) * height + 8
        painter.setFont(legend_font())
        paint_key(painter, QPointF(MARGIN + 6, below), entries, sheet.colouring, sheet.selection)
    top = size.height() - caption_height(sheet.caption, size.width())
    paint_caption(painter, sheet.caption, size.width(), top)


def _paint_tile(
    painter: QPainter, cell: QRectF, tile: Tile, sheet: Sheet, best: frozenset[str], vector: bool, scale: float
) -> None:
    t, family = theme.current(), theme.bundled_family()
    painter.setPen(QPen(t.color("hairline"), 1.0))
    painter.setBrush(t.color("surface"))
    painter.drawRoundedRect(cell, 6, 6)
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(14, bold=True, family=family))
    painter.drawText(QPointF(cell.left() + 14, cell.top() + 25), _fitted(painter, tile.title, cell))
    body = QRectF(cell.left() + 1, cell.top() + TITLE, cell.width() - 2, BODY)
    if tile.points is None:
        painter.setPen(t.color("red"))
        painter.setFont(theme.font(12, family=family))
        painter.drawText(
            body.adjusted(24, 0, -24, 0), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, tile.problem
        )
    else:
        paint_points(painter, body, tile, sheet, vector, scale)
    _paint_scores(painter, body.bottom() + 18, cell, tile, best)
    _paint_details(painter, body.bottom() + SCORES, cell, tile)


def _fitted(painter: QPainter, text: str, cell: QRectF) -> str:
    return painter.fontMetrics().elidedText(line(text, 200), Qt.TextElideMode.ElideMiddle, int(cell.width() - 2 * PAD))


def paint_points(painter: QPainter, body: QRectF, tile: Tile, sheet: Sheet, vector: bool, scale: float) -> None:
    """Paint a tile's points, what lies on them in the window, and what is drawn."""
    names = paint_cloud(painter, body, tile, sheet, vector, scale)
    _paint_axes(painter, QPointF(body.left() + PAD - 1, body.bottom() - 2), "   ".join(names))


def paint_cloud(painter: QPainter, body: QRectF, tile: Tile, sheet: Sheet, vector: bool, scale: float) -> list[str]:
    """Paint a tile's points and what lies on them; returns the words for what is drawn."""
    look = tile.style or sheet.style
    paper = Paper(tile, look, body, len(sheet.tiles))
    xy, nearness, inside = paper.project()
    radius = point_radius(look.size, len(xy)) * nearness
    shape = (int(body.height() * scale), int(body.width() * scale))
    dense = is_dense(xy * scale, shape)
    if vector and not dense:
        behind = np.argsort(nearness, kind="stable")
        _paint_markers(painter, body.topLeft(), look, xy, radius, behind[inside[behind]])
    else:
        depth = nearness if paper.cloud.dims == 3 else None
        picture = painted(look, xy * scale, radius * scale, shape, depth)
        draw_picture(painter, body.topLeft(), picture, scale)
    few, edge = look.ringed[inside[look.ringed]], np.array(tile.edge, dtype=np.intp)
    edge = edge[inside[edge]]
    draw_ticks(painter, body.topLeft() + QPointF(*paper.centre), xy[edge] + (body.left(), body.top()))
    hollow = np.array([i for i in tile.unplaced if inside[i] and look.visible[i]], dtype=np.intp)
    draw_hollows(painter, xy[hollow] + (body.left(), body.top()), radius[hollow])
    for overlay in (*tile.overlays, *sheet.overlays):
        paper.lay(overlay, painter)
    draw_rings(painter, xy[few] + (body.left(), body.top()), radius[few])
    for words in tile.annotations:
        paper.lay(words, painter)
    names = [*tile.axis_words, *([" to ".join(scale_words(picture))] if dense else [])]
    if not (tile.frame.is_whole or inside.all()):
        names.append(f"zoomed: {inside.sum():,} of {len(inside):,} samples in sight")
    return names


def _paint_axes(painter: QPainter, spot: QPointF, words: str) -> None:
    """Write what is drawn on a ground of its own: a zoomed picture has points there."""
    painter.setFont(_small())
    ground = QFontMetricsF(painter.font()).boundingRect(words).translated(spot).adjusted(-3, 0, 3, 0)
    painter.fillRect(ground, theme.current().color("surface", GROUND))
    painter.setPen(theme.current().color("muted"))
    painter.drawText(spot, words)


def _paint_markers(
    painter: QPainter, corner: QPointF, look: PointStyle, xy: Points, radius: Points, behind: Rows
) -> None:
    """Paint some points of all (M, 2) one by one: the layers of the look from the bottom, each in the order given."""
    painter.setPen(Qt.PenStyle.NoPen)
    forms = np.zeros(len(xy), np.uint8) if look.markers is None else look.markers
    for layer in look.layers():
        alpha = np.broadcast_to(layer, len(xy))
        for i in behind[alpha[behind] > 0.0]:
            color = QColor(*(int(c) for c in look.colours[i]))
            color.setAlphaF(float(alpha[i]))
            painter.setBrush(color)
            draw_marker(painter, corner + QPointF(*xy[i]), radius[i], int(forms[i]))


def _paint_scores(painter: QPainter, y: float, cell: QRectF, tile: Tile, best: frozenset[str]) -> None:
    t, x = theme.current(), cell.left() + PAD
    for key, (text, *_) in ({} if tile.scores is None else score_texts(tile.scores)).items():
        painter.setFont(theme.font(12, bold=key in best, family=theme.bundled_family()))
        painter.setPen(t.color("text" if key in best else "muted"))
        painter.drawText(QPointF(x, y), text)
        x += QFontMetricsF(painter.font()).horizontalAdvance(text) + 16


def _paint_details(painter: QPainter, y: float, cell: QRectF, tile: Tile) -> None:
    t = theme.current()
    painter.setFont(_small())
    room = QRectF(cell.left() + PAD, y, cell.width() - 2 * PAD, cell.bottom() - y)
    metrics = QFontMetricsF(painter.font())
    for text, role in ((tile.details, "muted"), *((_warned(w), "amber") for w in tile.warnings)):
        if text:
            painter.setPen(t.color(role))
            painter.drawText(room, WRAP, text)
            room.setTop(room.top() + metrics.boundingRect(room, WRAP, text).height())
