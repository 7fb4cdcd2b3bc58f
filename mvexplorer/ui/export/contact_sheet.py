"""All snapshots as one picture: the panels of each in small, with its number, name, note and first scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPen

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels
from mvexplorer.state.document.snapshots import Snapshot
from mvexplorer.state.document.titles import state_title
from mvexplorer.ui.cloud.drawing import draw_picture
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.cloud.picture import Camera, point_radius
from mvexplorer.ui.cloud.rasteriser import painted
from mvexplorer.ui.export.paper import Paper
from mvexplorer.ui.export.sheet import Sheet, Tile, make_sheet
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.wording import counted

CELL = QSize(372, 318)
"""Room of a snapshot on the page, in units."""
BODY = QRectF(12, 38, 348, 226)
"""The place of its panels there."""
GAP, MARGIN, HEAD, FOOT = 12, 24, 60, 24
TITLE, SCORE = 17, 16
"""Heights of a small panel's title and score."""
INK = 2.0
"""Pixels per unit of the small pictures, in any format: as vectors, hundreds of panels would be no file to open."""
MOST_PIXELS = 50e6
"""Of a PNG: with hundreds of snapshots it has fewer pixels per unit."""


@dataclass(frozen=True, eq=False)
class PanelOnSheet:
    """A panel of a snapshot in small."""

    title: str
    score: str
    problem: str
    place: QRectF
    """Its place in a cell, in units."""
    picture: QImage | None


@dataclass(frozen=True, eq=False)
class SnapshotCell:
    """A snapshot on a contact sheet; without panels, the reason why."""

    number: int
    name: str
    note: str
    panels: tuple[PanelOnSheet, ...]
    problem: str
    caption: str

    @property
    def record(self) -> dict[str, Any]:
        """The snapshot as plain data, for the file's record."""
        shown = {"problem": self.problem} if self.problem else {"caption": self.caption}
        return {"number": self.number, "name": self.name, "note": self.note, **shown}


def cameras_of(snapshot: Snapshot) -> dict[str, Camera]:
    """The cameras of a snapshot, by panel."""
    return {id: Camera(np.array(rotation)) for id, rotation in snapshot.staging.cameras.items()}


def snapshot_sheet(snapshot: Snapshot, panels: ComputedPanels) -> Sheet:
    """A snapshot as the usual picture of the panels it shows, under its name."""
    state = panels.state.model_copy(update={"panels": panels.state.shown})
    result, title = panels.results.__getitem__, f"{snapshot.name} · {state_title(state)}"
    return make_sheet(state, panels.data, result, title, panels.colouring, cameras_of(snapshot))


def cell_of(each: SnapshotPanels) -> SnapshotCell:
    """Paint the panels of a snapshot in small, so that the pictures themselves can be forgotten."""
    words = each.number, each.snapshot.name, each.snapshot.note
    if each.panels is None:
        return SnapshotCell(*words, (), each.problem, "")
    sheet = snapshot_sheet(each.snapshot, each.panels)
    panels = tuple(_in_small(tile, sheet, place) for tile, place in zip(sheet.tiles, _places(sheet), strict=True))
    return SnapshotCell(*words, panels, "", sheet.record["caption"])


def _places(sheet: Sheet) -> list[QRectF]:
    """Divide a cell's room among its panels, as the window does."""
    n, gap = max(1, len(sheet.tiles)), 4.0
    columns = ceil(sqrt(n))
    rows = ceil(n / columns)
    width, height = (BODY.width() - gap * (columns - 1)) / columns, (BODY.height() - gap * (rows - 1)) / rows
    return [
        QRectF(BODY.left() + i % columns * (width + gap), BODY.top() + i // columns * (height + gap), width, height)
        for i in range(len(sheet.tiles))
    ]


def _in_small(tile: Tile, sheet: Sheet, place: QRectF) -> PanelOnSheet:
    texts = [] if tile.scores is None else [words for words, _, _ in score_texts(tile.scores).values()]
    score = "   ".join(texts[:2])
    if QFontMetricsF(_font(10)).horizontalAdvance(score) > place.width() - 12:
        score = texts[0]
    room = QRectF(0, 0, place.width() - 4, place.height() - TITLE - (SCORE if score else 4))
    if tile.points is None or room.height() < 12:
        return PanelOnSheet(tile.title, score, tile.problem, place, None)
    image = QImage((room.size() * INK).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(INK)
    image.fill(Qt.GlobalColor.transparent)
    look = tile.style or sheet.style
    paper = Paper(tile, look, room, len(sheet.tiles))
    xy, nearness, _ = paper.project()
    smaller = max(0.45, min(1.0, sqrt(room.height() / BODY.height())))  # points in a small panel, as the panel itself
    radius = smaller * point_radius(look.size, len(xy)) * nearness
    depth = nearness if tile.points.shape[1] == 3 else None
    raster = painted(look, xy * INK, radius * INK, (image.height(), image.width()), depth)
    painter = QPainter(image)
    draw_picture(painter, QPointF(0, 0), raster, INK)
    painter.end()
    return PanelOnSheet(tile.title, score, tile.problem, place, image)


@dataclass(frozen=True, eq=False)
class ContactSheet:
    """Cells on a page that is about as wide as high."""

    title: str
    cells: Sequence[SnapshotCell]

    @property
    def columns(self) -> int:
        """Cells beside each other."""
        return max(1, round(sqrt(1.15 * len(self.cells)))) if len(self.cells) > 3 else max(1, len(self.cells))

    @property
    def size(self) -> QSize:
        """The page's size in units."""
        rows, columns = ceil(len(self.cells) / self.columns), self.columns
        across = columns * CELL.width() + (columns - 1) * GAP + 2 * MARGIN
        return QSize(across, HEAD + rows * (CELL.height() + GAP) - GAP + FOOT)

    def write(self, path: Path) -> None:
        """Write it as PNG, SVG or PDF by the file's ending."""
        size = self.size
        scale = min(2.0, sqrt(MOST_PIXELS / (size.width() * size.height())))
        record = {"title": self.title, "snapshots": [cell.record for cell in self.cells]}
        write_painted(path, "Contact sheets", self.title, size, self.paint, scale, record)

    def paint(self, painter: QPainter) -> None:
        """Paint it, in units."""
        t, size = theme.current(), self.size
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), t.color("window"))
        n = counted(len(self.cells), "snapshot")
        beside = QFontMetricsF(_font(12)).horizontalAdvance(n)
        room = QRectF(MARGIN + 2, 12, size.width() - 2 * MARGIN - beside - 20, 32)
        _write(painter, room, self.title, _font(19, bold=True), "text")
        at = QRectF(size.width() - MARGIN - beside - 4, 16, beside + 2, 28)
        _write(painter, at, n, _font(12), "muted")
        for i, cell in enumerate(self.cells):
            x = MARGIN + i % self.columns * (CELL.width() + GAP)
            y = HEAD + i // self.columns * (CELL.height() + GAP)
            painter.save()
            painter.translate(x, y)
            _paint_cell(painter, cell)
            painter.restore()


def _font(px: int, *, bold: bool = False) -> QFont:
    return theme.font(px, bold=bold, family=theme.bundled_family())


def _write(painter: QPainter, room: QRectF, text: str, font: QFont, role: str) -> None:
    """Write one line, as far as the room goes."""
    painter.setFont(font)
    painter.setPen(theme.current().color(role))
    short = QFontMetricsF(font).elidedText(line(text, 200), Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)


def _paint_cell(painter: QPainter, cell: SnapshotCell) -> None:
    t = theme.current()
    painter.setPen(QPen(t.color("hairline"), 1.0))
    painter.setBrush(t.color("surface"))
    painter.drawRoundedRect(QRectF(0.5, 0.5, CELL.width() - 1, CELL.height() - 1), 6, 6)
    number = f"{cell.number}"
    wide = QFontMetricsF(_font(14, bold=True)).horizontalAdvance(number) + 8
    _write(painter, QRectF(BODY.left(), 8, wide, 24), number, _font(14, bold=True), "accent")
    name = QRectF(BODY.left() + wide, 8, BODY.width() - wide, 24)
    _write(painter, name, cell.name, _font(14, bold=True), "text")
    for panel in cell.panels:
        _paint_panel(painter, panel)
    if cell.problem:
        painter.setPen(t.color("red"))
        painter.setFont(_font(12))
        painter.drawText(BODY.adjusted(20, 0, -20, 0), _WRAPPED, line(cell.problem, 240))
    _write_note(painter, cell.note)


_WRAPPED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap


def _paint_panel(painter: QPainter, panel: PanelOnSheet) -> None:
    t, place = theme.current(), panel.place
    painter.setPen(QPen(t.color("hairline"), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    inside = place.adjusted(6, 1, -6, 0)
    _write(painter, QRectF(inside.left(), inside.top(), inside.width(), TITLE), panel.title, _font(10), "text")
    if panel.picture is not None:
        painter.drawImage(QPointF(place.left() + 2, place.top() + TITLE), panel.picture)
    elif panel.problem:
        painter.setPen(t.color("red"))
        painter.setFont(_font(10))
        painter.drawText(inside.adjusted(0, TITLE, 0, -SCORE), _WRAPPED, line(panel.problem, 120))
    low = QRectF(inside.left(), place.bottom() - SCORE - 1, inside.width(), SCORE)
    _write(painter, low, panel.score, _font(10), "muted")


def _write_note(painter: QPainter, note: str) -> None:
    """Write the first two lines of a note below the panels."""
    font, words = _font(12), line(note, 2000)
    metrics, room = QFontMetricsF(font), BODY.width()
    first = words
    while metrics.horizontalAdvance(first) > room and " " in first:
        first = first.rpartition(" ")[0]
    for i, text in enumerate((first, words[len(first) :].strip())):
        _write(painter, QRectF(BODY.left(), BODY.bottom() + 6 + 19 * i, room, 19), text, font, "muted")
