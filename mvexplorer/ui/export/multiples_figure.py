"""Small multiples as one figure: values above the columns, names beside the rows, and once what they share."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from mvexplorer.state.document.multiples_grid import MultiplesGrid
from mvexplorer.ui.export.legend import legend_entries, legend_font
from mvexplorer.ui.export.render import MARGIN, WRAP, caption_height, paint_caption, paint_points
from mvexplorer.ui.export.sheet import Sheet, Tile
from mvexplorer.ui.pages.tune.sweep_words import at_text, axis_label
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.colour_key import key_row_height, paint_key
from mvexplorer.ui.widgets.plain_text import line

TILE, GAP = QSize(176, 152), 8
"""A picture with its score below, and the room between two."""
EDGE = MARGIN + 6
"""Where words begin: where the caption does."""
ALIGN = Qt.AlignmentFlag


def _font(px: int, *, bold: bool = False) -> QFont:
    return theme.font(px, bold=bold, family=theme.bundled_family())


class MultiplesLayout:
    """A sheet of small multiples with a tile for each picture, row after row, laid out as its grid.

    `score` is the id of the one below each, the first where it is empty.
    """

    def __init__(self, sheet: Sheet, grid: MultiplesGrid, score: str = "") -> None:
        self._score = score
        smaller = 0.7  # size of points, of that in panels
        self._style = replace(sheet.style, size=sheet.style.size * smaller)
        self._sheet, self._wide = replace(sheet, style=self._style), len(grid.columns)
        self.columns = [at_text(grid.across, value) for value in grid.columns]
        self.rows = (
            [line(t, 80) for t in grid.titles]
            if grid.down is None
            else [at_text(grid.down, value) for value in grid.rows]
        )
        self.across = axis_label(grid.across)
        self.down = () if grid.down is None else (line(grid.titles[0], 80), axis_label(grid.down))
        """Above the rows' names: the panel that is changed, and what their values are of."""
        self.axes = [self._axes_of(i) for i in range(len(self.rows))]
        self.warnings = list(dict.fromkeys(text for tile in sheet.tiles for text in tile.warnings))
        self._lay_out()

    def _axes_of(self, row: int) -> str:
        """The coordinates drawn in a row: of its first picture that has some."""
        tiles = self._sheet.tiles[row * self._wide : (row + 1) * self._wide]
        return "   ".join(next((tile.axis_words for tile in tiles if tile.axis_names), ()))

    def _lay_out(self) -> None:
        """Find where everything stands."""
        advances = (
            QFontMetricsF(_font(px)).horizontalAdvance(text)
            for px, texts in ((12, self.rows), (10, self.axes), (12, self.down))
            for text in texts
        )
        # Between the least and the most room for the names of rows.
        self._left = EDGE + ceil(min(max(*advances, 56), 160)) + 12
        least = 520  # width of a figure at least, so that its words have room
        width = max(least, self._left + self._wide * (TILE.width() + GAP) - GAP + EDGE)
        self._told = [self._block(self._sheet.subtitle, 12, 44, width)]
        self._top = ceil(self._told[0][1].bottom()) + 52
        below = self._top + len(self.rows) * (TILE.height() + GAP) + 8
        entries = legend_entries(self._sheet.colouring, self._sheet.selection, width - 2 * EDGE)
        self._legend = entries, below
        below += ceil(entries[-1].y + key_row_height(legend_font()) / 2) + 4 if entries else 0
        for i, text in enumerate(self.warnings, start=1):
            self._told.append(self._block(f"⚠{i}  {text}", 11, below + 4, width))
            below = ceil(self._told[-1][1].bottom())
        self._bottom = below
        self.size = QSize(width, below + 4 + caption_height(self._sheet.caption, width))

    def _block(self, text: str, px: int, top: float, width: int) -> tuple[str, QRectF]:
        """Words across the figure, and where they stand."""
        words = " ".join(line(word, 48) for word in text.split(" "))
        room = QRectF(EDGE, top, width - 2 * EDGE, 4000)
        return words, QFontMetricsF(_font(px)).boundingRect(room, WRAP, words).adjusted(0, 0, 1, 1)

    # Painting -----------------------------------------------------------------------------------------------

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it: as vectors, or at `scale` pixels per unit."""
        t, sheet = theme.current(), self._sheet
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), t.color("window"))
        self._write(painter, QRectF(EDGE, 12, self.size.width() - 2 * EDGE, 30), sheet.title, 18, bold=True)
        for i, (words, box) in enumerate(self._told):
            painter.setPen(t.color("amber" if i else "muted"))
            painter.setFont(_font(11 if i else 12))
            painter.drawText(box, WRAP, words)
        self._paint_names(painter)
        for i, tile in enumerate(sheet.tiles):
            self._paint_tile(painter, tile, self._cell(*divmod(i, self._wide)), vector, scale)
        entries, below = self._legend
        if sheet.colouring is not None:
            painter.setFont(legend_font())
            paint_key(painter, QPointF(EDGE, below), entries, sheet.colouring, sheet.selection)
        paint_caption(painter, sheet.caption, self.size.width(), self._bottom + 4)

    def _cell(self, row: int, column: int) -> QRectF:
        x = self._left + column * (TILE.width() + GAP)
        return QRectF(x, self._top + row * (TILE.height() + GAP), TILE.width(), TILE.height())

    def _paint_names(self, painter: QPainter) -> None:
        """Write the axes' titles, the values above the columns, and the rows' names."""
        whole = self._cell(0, 0).united(self._cell(0, self._wide - 1))
        self._write(
            painter, QRectF(whole.left(), self._top - 44, whole.width(), 18), self.across, 12, ALIGN.AlignCenter
        )
        for column, words in enumerate(self.columns):
            cell = self._cell(0, column)
            self._write(painter, QRectF(cell.left(), self._top - 24, cell.width(), 18), words, 12, ALIGN.AlignCenter)
        wide = self._left - EDGE - 12
        side = ALIGN.AlignRight | ALIGN.AlignVCenter
        for words, up in zip(self.down, (44, 24), strict=False):
            self._write(painter, QRectF(EDGE, self._top - up, wide, 18), words, 12, side)
        for row, (words, axes) in enumerate(zip(self.rows, self.axes, strict=True)):
            middle = self._cell(row, 0).center().y()
            self._write(painter, QRectF(EDGE, middle - 20, wide, 20), words, 12, side)
            self._write(painter, QRectF(EDGE, middle, wide, 18), axes, 10, side, role="muted")

    def _write(
        self,
        painter: QPainter,
        room: QRectF,
        text: str,
        px: int,
        align: Qt.AlignmentFlag = ALIGN.AlignLeft,
        *,
        bold: bool = False,
        role: str = "text",
    ) -> None:
        painter.setPen(theme.current().color(role))
        painter.setFont(_font(px, bold=bold))
        middle = Qt.TextElideMode.ElideMiddle
        painter.drawText(room, align, painter.fontMetrics().elidedText(line(text, 200), middle, int(room.width())))

    def _paint_tile(self, painter: QPainter, tile: Tile, cell: QRectF, vector: bool, scale: float) -> None:
        t = theme.current()
        painter.setPen(QPen(t.color("hairline"), 1.0))
        painter.setBrush(t.color("surface"))
        painter.drawRoundedRect(cell, 4, 4)
        if tile.points is None:
            painter.setPen(t.color("red"))
            painter.setFont(_font(10))
            painter.drawText(cell.adjusted(8, 4, -8, -4), ALIGN.AlignCenter | WRAP, tile.problem)
            return
        below = 18  # for the score
        body = cell.adjusted(1, 1, -1, -below)
        paint_points(painter, body, replace(tile, axis_names=()), self._sheet, vector, scale)
        texts = score_texts(tile.scores) if tile.scores else {}
        score = texts[self._score][0] if self._score in texts else next((text for text, *_ in texts.values()), "")
        signs = " ".join(f"⚠{self.warnings.index(text) + 1}" for text in tile.warnings)
        foot = QRectF(cell.left() + 8, cell.bottom() - below, cell.width() - 16, below - 2)
        self._write(painter, foot, score, 10, ALIGN.AlignLeft | ALIGN.AlignVCenter, role="muted")
        self._write(painter, foot, signs, 10, ALIGN.AlignRight | ALIGN.AlignVCenter, role="amber")
