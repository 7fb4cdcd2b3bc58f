"""A figure for a paper or a slide: panels with short titles in a grid, in lengths and type of print."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import ceil, sqrt
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from mvexplorer.errors import DataError
from mvexplorer.state.export.figure_target import LEAST_TYPE, FigureTarget
from mvexplorer.ui.cloud.counts import DENSE
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.cloud.marks import KeptMark
from mvexplorer.ui.cloud.picture import Viewport
from mvexplorer.ui.export.figure_sheet import letter
from mvexplorer.ui.export.render import BODY, WIDTH, WRAP, paint_cloud
from mvexplorer.ui.export.sheet import Sheet, Tile
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.colour_key import TITLE, KeyEntry, key_row_height, lay_in_rows, paint_key
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.shortening import shortened

POINT = 10
"""Units of a figure to the point: type and lengths in whole units are exact enough for print."""
INCH = 72 * POINT
MM = INCH / 25.4
ASPECT = BODY / (WIDTH - 12)
"""Height of a picture by its width, as on a sheet."""
SMALL = 0.8
"""Smaller type, for axes, scores, legend and caption, by that of titles."""


class FigureLayout:
    """A sheet laid out for a target, in tenths of a point; DataError where it does not fit there.

    `looks` is the theme that it is painted in, whatever the window wears; the sheet must have been made in it.
    """

    units = INCH

    def __init__(
        self,
        sheet: Sheet,
        target: FigureTarget,
        type_size: float | None = None,
        *,
        letters: bool = False,
        looks: theme.Theme = theme.PRINT,
    ) -> None:
        points = target.checked_type(type_size)
        self.sheet, self._target, self._letters, self._looks = sheet, target, letters, looks
        self._type, self._small = round(points * POINT), round(max(LEAST_TYPE, SMALL * points) * POINT)
        self._edge = round(0.2 * self._type if target.height is None else 1.5 * self._type)
        self._width = round(target.width * MM)
        self._inner = self._width - 2 * self._edge
        self._key = self._key_entries()
        self._key_height = self._key[-1].y + 0.6 * key_row_height(self._font()) if self._key else 0.0
        self._caption, self._caption_height = self._caption_lines()
        self._arrange()

    # Sizes ------------------------------------------------------------------------------------------------------

    def _font(self, *, large: bool = False, bold: bool = False) -> QFont:
        return theme.font(self._type if large else self._small, bold=bold, family=theme.bundled_family())

    def _arrange(self) -> None:
        """Choose columns: wide enough for titles, and on a slide those that make pictures largest."""
        n = max(1, len(self.sheet.tiles))
        least = 13 * self._type  # width of a column in which most titles are whole
        most = max(1, min(n, (self._inner + self._type) // (least + self._type)))
        height = self._target.height
        if height is None:
            self._set_columns(min(most, self.sheet.columns or ceil(sqrt(n))), None)
            below = self._top(self._rows) - self._gap + self._foot_gap + self._key_height + self._caption_height
            # Whole points: Qt cuts pages to them.
            self.size = QSize(self._width, POINT * ceil((below + self._edge) / POINT))
            return
        self.size = QSize(self._width, round(height * MM))
        tried = [(self._set_columns(columns, self.size.height()), columns) for columns in range(1, most + 1)]
        side, columns = max(tried)
        if side < 3 * self._type:
            raise DataError(
                f"{n} panels do not fit on a slide in type of {self._type / POINT:g} pt.",
                "Show fewer panels, or take smaller type.",
            )
        self._set_columns(columns, self.size.height())

    def _set_columns(self, columns: int, height: int | None) -> float:
        """Lay the panels in so many columns; returns the shorter side of a picture."""
        self._columns, self._rows = columns, ceil(max(1, len(self.sheet.tiles)) / columns)
        self._across = (self._inner - (columns - 1) * self._type) / columns
        self._n_scores = self._fitting_scores()
        self._lines = 1 if all(self._on_one_line(tile) for tile in self.sheet.tiles) else 2
        self._head, self._foot = 1.5 * self._type, self._lines * 1.35 * self._small
        self._gap, self._foot_gap = 0.6 * self._type, 0.7 * self._small
        self._body = self._across * ASPECT
        if height is not None:
            beside = self._rows * (self._head + self._foot + self._gap) - self._gap + self._foot_gap
            free = height - 2 * self._edge - beside - self._key_height - self._caption_height
            self._body = min(self._across, free / self._rows)
        return min(self._across, self._body)

    def _top(self, row: int) -> float:
        return self._edge + row * (self._head + self._body + self._foot + self._gap)

    def _on_one_line(self, tile: Tile) -> bool:
        """Whether axes and scores fit beside each other below a picture."""
        if not tile.frame.is_whole or (tile.points is not None and len(tile.points) >= DENSE):
            return False  # more is said there
        advance = QFontMetricsF(self._font()).horizontalAdvance
        words = "   ".join(tile.axis_words)
        return advance(words) + 2 * self._small + advance(self._scores(tile)) <= self._across

    def _fitting_scores(self) -> int:
        """How many scores fit into a line below every picture: all show the same ones."""
        advance = QFontMetricsF(self._font()).horizontalAdvance
        each = [_score_words(tile) for tile in self.sheet.tiles]
        most = max((len(texts) for texts in each), default=0)
        fits = (k for k in range(most, 0, -1) if all(advance("   ".join(t[:k])) <= self._across for t in each))
        return next(fits, 0)

    def _scores(self, tile: Tile) -> str:
        return "   ".join(_score_words(tile)[: self._n_scores])

    def _key_entries(self) -> list[KeyEntry]:
        """The legend's words in rows: no counts, which the caption has."""
        colouring = self.sheet.colouring
        if colouring is None:
            return []
        metrics, longest = QFontMetricsF(self._font()), 32
        scale = 0 if colouring.classes else 24 * self._small  # room of the scale and its ends
        title = metrics.elidedText(line(colouring.title), Qt.TextElideMode.ElideMiddle, self._inner - scale)
        room = self._inner - 2 * self._small
        names = [metrics.elidedText(line(n, longest), Qt.TextElideMode.ElideMiddle, room) for n in colouring.classes]
        return lay_in_rows([(TITLE, title), *enumerate(names)], self._inner, self._font(), gap=1.0)

    def _caption_lines(self) -> tuple[str, float]:
        """A caption's words, none longer than a line, and the height that they take."""
        if not self.sheet.caption:
            return "", 0.0
        longest = int(self._inner / self._small)
        rows = self.sheet.caption.splitlines()
        words = "\n".join(" ".join(line(word, longest) for word in row.split(" ")) for row in rows)
        room = QRectF(0, 0, self._inner, 400_000)
        return words, QFontMetricsF(self._font()).boundingRect(room, WRAP, words).height() + self._small

    # Painting ---------------------------------------------------------------------------------------------------

    def write(self, path: str | Path, dpi: float | None = None) -> None:
        """Write it as PNG, SVG or PDF by the file's ending; PNG has so many pixels to the inch."""
        scale = (dpi or self._target.dpi) / INCH
        paint = partial(self.paint, Path(path).suffix.lower() != ".png", scale)
        write_painted(Path(path), "Figures", self.sheet.title, self.size, paint, scale, self.sheet.record, units=INCH)

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it: as vectors, or at `scale` pixels per unit."""
        with theme.worn(self._looks):
            painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), self._looks.color("window"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for i, tile in enumerate(self.sheet.tiles):
                x = self._edge + (i % self._columns) * (self._across + self._type)
                self._paint_panel(painter, QPointF(x, self._top(i // self._columns)), i, tile, vector, scale)
            below = self.size.height() - self._edge - self._caption_height
            if self.sheet.colouring is not None:
                corner = QPointF(self._edge, below - self._key_height)
                painter.setFont(self._font())
                paint_key(painter, corner, self._key, self.sheet.colouring)
            painter.setFont(self._font())
            painter.setPen(self._looks.color("text"))
            room = QRectF(self._edge, below + 0.5 * self._small, self._inner, self._caption_height)
            painter.drawText(room, WRAP, self._caption)

    def _paint_panel(
        self, painter: QPainter, corner: QPointF, place: int, tile: Tile, vector: bool, scale: float
    ) -> None:
        self._paint_title(painter, corner + QPointF(0, self._type), place)
        body = QRectF(corner.x(), corner.y() + self._head, self._across, self._body)
        if not vector:  # on whole pixels, so that dots stay sharp
            body.moveTo(round(body.x() * scale) / scale, round(body.y() * scale) / scale)
        painter.setFont(self._font())
        if tile.points is None:
            painter.setPen(self._looks.color("muted"))
            longest = 160  # most characters of a reason, which the caption has whole
            painter.drawText(body, Qt.AlignmentFlag.AlignCenter | WRAP, line(tile.problem, longest))
            return
        words = self._paint_cloud(painter, body, tile, vector, scale)
        painter.setFont(self._font())
        painter.setPen(self._looks.color("muted"))
        metrics, scores = QFontMetricsF(painter.font()), self._scores(tile)
        below = corner.x(), body.bottom() + self._small
        painter.drawText(
            QPointF(*below), metrics.elidedText("   ".join(words), Qt.TextElideMode.ElideRight, self._across)
        )
        beside = self._across - metrics.horizontalAdvance(scores)
        spot = QPointF(beside, 0) if self._lines == 1 else QPointF(0, 1.35 * self._small)
        painter.drawText(QPointF(*below) + spot, scores)

    def _paint_title(self, painter: QPainter, spot: QPointF, place: int) -> None:
        """Write a panel's letter and title, cut so that it stands for no other panel."""
        painter.setPen(self._looks.color("text"))
        room = self._across
        if self._letters:
            painter.setFont(self._font(large=True, bold=True))
            painter.drawText(spot, letter(place))
            beside = QFontMetricsF(painter.font()).horizontalAdvance(letter(place)) + 0.5 * self._type
            spot, room = spot + QPointF(beside, 0), room - beside
        painter.setFont(self._font(large=True))
        titles = [line(tile.title, 200) for tile in self.sheet.tiles]
        others = [title for i, title in enumerate(titles) if i != place]
        advance = QFontMetricsF(painter.font()).horizontalAdvance
        painter.drawText(spot, shortened(titles[place], others, place + 1, room, advance))

    def _paint_cloud(self, painter: QPainter, body: QRectF, tile: Tile, vector: bool, scale: float) -> list[str]:
        """Paint the points; returns the words for what is drawn.

        What lies on them grows with the type, as in the window, and the points with the picture.
        """
        unit = self._small / theme.SMALL_PX
        room = QRectF(0, 0, body.width() / unit, body.height() / unit)
        grown = min(1.0, sqrt(min(room.width(), room.height()) / BODY))
        style = replace(self.sheet.style, size=grown * self.sheet.style.size)
        own = None if tile.style is None else replace(tile.style, size=grown * tile.style.size)
        tile = replace(tile, style=own, frame=self._frame(tile, min(room.width(), room.height())))
        painter.save()
        painter.translate(body.topLeft())
        painter.scale(unit, unit)
        words = paint_cloud(painter, room, tile, replace(self.sheet, style=style), vector, scale * unit)
        painter.restore()
        return words

    def _frame(self, tile: Tile, side: float) -> Viewport:
        """The part of the picture that is seen: with room at the edge for a ring, which small pictures lack."""
        ringed = any(isinstance(overlay, KeptMark) and overlay.sample >= 0 for overlay in self.sheet.overlays)
        if not (ringed and tile.frame.is_whole):
            return tile.frame
        reach, ring = 1.1, 11.0  # of the frame around a cloud, and of the ring around its sample
        return Viewport(size=max(1.0, 1.0 / (reach * (1.0 - 2 * ring / max(side, 4 * ring)))))


def _score_words(tile: Tile) -> list[str]:
    return [] if tile.scores is None else [text for text, *_ in score_texts(tile.scores).values()]
