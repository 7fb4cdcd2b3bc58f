"""A number for every two of several things: a square of numbers and shades; a click chooses two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Figure, Matrix
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.shortening import told_apart

NAMES = 116
"""Most pixels of the names."""
SHORTEST, WIDEST = 11, 36
"""Pixels of a cell."""
DEEPEST = 0.5
"""The accent's part in the shade of 1: on a deeper one neither dark nor pale numbers can be read."""


class PairMatrix(Explained):
    """A row and a column for each panel or view, the diagonal empty; where there is no number, a dash."""

    chosen = Signal(int, int)
    """Those of a cell, by their places."""

    def __init__(
        self,
        name: str,
        scale: str,
        missing: str,
        words: Callable[[float], str] = numbers.fraction,
        darkest: float = 1.0,
    ) -> None:
        super().__init__()
        self._scale, self._missing, self._words_of, self._least_dark = scale, missing, words, darkest
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self._titles: tuple[str, ...] = ()
        self._matrix: Array | None = None
        self.pair: tuple[int, int] | None = None
        """The places of the panels that are compared."""

    def show_matrix(self, titles: Sequence[str], matrix: Array | None, pair: tuple[int, int] | None) -> None:
        """Show the numbers (P, P) of these, NaN where there is none; None while they are computed."""
        self._titles, self._matrix, self.pair = tuple(titles), matrix, pair
        words = self.meaning(*pair) if pair is not None else ""
        self.setAccessibleDescription(words)
        self.updateGeometry()
        self.update()

    def meaning(self, i: int, j: int) -> str:
        """Describe a cell."""
        if i == j or self._matrix is None:
            return self._titles[i]
        value = float(self._matrix[i, j])
        said = self._words_of(value) if isfinite(value) else self._missing
        return f"{self._titles[i]} and {self._titles[j]}: {said}"

    def figure(self) -> Figure | None:
        """The matrix for a file; None while it is computed."""
        if self._matrix is None:
            return None
        places = (np.arange(len(self._titles)) + 0.5) / max(1, len(self._titles))
        names = tuple(zip(places.tolist(), self._titles, strict=True))
        return Figure(self.accessibleName(), Matrix(self._matrix, self._scale, names=names))

    # Geometry -----------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        side = theme.px(WIDEST) * max(2, len(self._titles))
        return QSize(min(theme.px(NAMES) + side, theme.px(372)), theme.px(160))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(NAMES), theme.px(60))

    def _cell(self, i: int, j: int) -> QRectF:
        n = max(1, len(self._titles))
        left, wide = float(theme.px(NAMES)), min(float(theme.px(WIDEST)), (self.width() - theme.px(NAMES)) / n)
        head = float(theme.px(16))
        tallest = 28
        tall = min(max(float(SHORTEST), (self.height() - head) / n), float(theme.px(tallest)))
        return QRectF(left + j * wide, head + i * tall, wide, tall)

    def cell_at(self, place: QPoint | QPointF) -> tuple[int, int] | None:
        """The row and column under a position, those of the diagonal included."""
        n = len(self._titles)
        at = QPointF(place)
        cells = ((i, j) for i in range(n) for j in range(n))
        return next((cell for cell in cells if self._cell(*cell).contains(at)), None)

    def centre_of(self, i: int, j: int) -> QPoint:
        """The middle of a cell."""
        return self._cell(i, j).center().toPoint()

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        advance = painter.fontMetrics().horizontalAdvance
        names = [line(f"{i + 1}  {title}", 120) for i, title in enumerate(self._titles)]
        shades = np.zeros(0) if self._matrix is None else np.nan_to_num(self._matrix)
        darkest = float(shades.max(initial=self._least_dark))
        for i, name in enumerate(names):
            here = self.pair is not None and i in self.pair
            painter.setPen(theme.current().color("text" if here else "muted"))
            cell = self._cell(i, 0)
            room = QRectF(0, cell.top(), theme.px(NAMES) - 8, cell.height())
            shown = told_apart(name, names, i + 1, room.width(), advance)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
            above = self._cell(0, i)
            top = QRectF(above.left(), 0, above.width(), theme.px(16))
            painter.drawText(top, Qt.AlignmentFlag.AlignCenter, str(i + 1))
            for j in range(len(names)):
                if i != j:
                    self._paint_cell(painter, i, j, darkest)
        if self.pair is not None:
            self._paint_chosen(painter)
        if self.hasFocus():
            painter.setPen(QPen(theme.current().color("accent"), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_cell(self, painter: QPainter, i: int, j: int, darkest: float) -> None:
        box = self._cell(i, j).adjusted(0.5, 0.5, -0.5, -0.5)
        value = float("nan") if self._matrix is None else float(self._matrix[i, j])
        ground = mixed(theme.current().color("surface"), theme.current().color("accent"), DEEPEST * value / darkest)
        painter.setPen(QPen(theme.current().color("hairline"), 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 2, 2)
        if box.height() >= theme.px(SHORTEST):
            compared = isfinite(value)
            painter.setPen(ink_on(ground) if compared else theme.current().color("muted"))
            text = self._words_of(value) if compared else "…" if self._matrix is None else "–"
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_chosen(self, painter: QPainter) -> None:
        assert self.pair is not None
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.current().color("text"), 1.5))
        for i, j in (self.pair, self.pair[::-1]):
            painter.drawRoundedRect(self._cell(i, j).adjusted(1, 1, -1, -1), 2, 2)

    # Choosing -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None and cell[0] != cell[1]:
            self.chosen.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step, n = steps.get(Qt.Key(event.key())), len(self._titles)
        if step is None or self.pair is None or n < 2:
            super().keyPressEvent(event)
            return
        i, j = ((place + by) % n for place, by in zip(self.pair, step, strict=True))
        if i == j:  # the diagonal is stepped over
            i, j = (i + step[0]) % n, (j + step[1]) % n
        self.chosen.emit(i, j)

    def about(self, place: QPointF) -> str:
        """Describe a cell."""
        cell = self.cell_at(place)
        return "" if cell is None else self.meaning(*cell)


def mixed(low: QColor, high: QColor, share: float) -> QColor:
    """A colour between two, by a share from 0 to 1; the first where that is no number."""
    s = min(max(share, 0.0), 1.0) if isfinite(share) else 0.0
    parts = zip((low.red(), low.green(), low.blue()), (high.red(), high.green(), high.blue()), strict=True)
    return QColor(*(round(a + s * (b - a)) for a, b in parts))


def ink_on(ground: QColor) -> QColor:
    """The theme's colour for words that is read best on a ground."""
    inks = theme.current().color("text"), theme.current().color("on_accent")
    return max(inks, key=lambda ink: _contrast(ink, ground))


def _contrast(one: QColor, other: QColor) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: QColor) -> float:
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (color.redF(), color.greenF(), color.blueF())
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)
