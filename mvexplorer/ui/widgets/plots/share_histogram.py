"""A histogram of shares from 0 to 1 over the samples; a stretch of it can be brushed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Curves, Series
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.wording import counted

LEFT = 40
"""Pixels for the counts."""


class ShareHistogram(Explained):
    """Bars that are taken by press, drag and release; the arrow keys move the stretch, with Shift one end of it."""

    brushed = Signal(int, int)
    """The first and the last bar of the stretch that was chosen."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setMinimumSize(QSize(140, 60))
        self.words = ""
        """The name of the axis."""
        self._counts: npt.NDArray[np.intp] = np.zeros(1, dtype=np.intp)
        self._chosen = self._counts
        self._centres = np.zeros(1)
        self.stretch: tuple[int, int] | None = None
        """The first and the last bar that are brushed."""
        self._anchor: int | None = None

    def show_values(self, values: Array, parts: int, selected: npt.NDArray[np.intp]) -> None:
        """Show shares that are multiples of 1 / `parts`, those of the selected samples in colour; NaN is left out."""
        most_bars = 40  # with more possible shares than this, several share a bar
        bars = parts + 1 if parts < most_bars else most_bars
        self._centres = np.linspace(0.0, 1.0, bars)
        places = np.rint(np.nan_to_num(values, nan=-1.0) * (bars - 1)).astype(np.intp)
        finite = np.isfinite(values)
        self._counts = np.bincount(places[finite], minlength=bars)
        chosen = selected[finite[selected]]
        self._chosen = np.bincount(places[chosen], minlength=bars)
        self.update()

    def curves(self) -> Curves:
        """The bars for a figure."""
        series = [Series("all samples", self._centres, self._counts.astype(float), "bars", best=False)]
        if self._chosen.any():
            series.append(Series("selected", self._centres, self._chosen.astype(float), "bars", best=True))
        return Curves(self.words, "samples", tuple(series))

    def show_stretch(self, ends: tuple[float, float] | None) -> None:
        """Mark the bars from one share to another as brushed."""
        if self._anchor is None:
            last = len(self._centres) - 1
            self.stretch = None if ends is None else (round(ends[0] * last), round(ends[1] * last))
            self.update()

    def spoken_value(self) -> str:
        """The shares from which to which bars are brushed."""
        shares = [] if self.stretch is None else [numbers.fraction(float(self._centres[bar])) for bar in self.stretch]
        return " to ".join(shares)

    def ends(self, first: int, last: int) -> tuple[float, float]:
        """The least and the largest share that lie in some bars."""
        half = 0.5 / (len(self._centres) - 1)
        return float(self._centres[first]) - 0.999 * half, float(self._centres[last]) + 0.999 * half

    def bar(self, place: int) -> QRectF:
        """Return a bar's place, at full height."""
        wide = max(1.0, self.width() - theme.px(LEFT) - 8) / len(self._counts)
        above, below = 8, 36  # pixels above the tallest bar, and for the shares and their name
        top, high = theme.px(above), max(1.0, float(self.height() - theme.px(below) - theme.px(above)))
        return QRectF(theme.px(LEFT) + place * wide, top, wide, high)

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme.current(), QPainter(self)
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        if self.stretch is not None:
            box = self.bar(self.stretch[0]).united(self.bar(self.stretch[1]))
            painter.fillRect(box, t.color("soft"))
        top = max(1, int(self._counts.max()))
        painter.setPen(Qt.PenStyle.NoPen)
        for place, (count, chosen) in enumerate(zip(self._counts.tolist(), self._chosen.tolist(), strict=True)):
            self._paint_bar(painter, place, count / top, t.color("muted", 110))
            self._paint_bar(painter, place, chosen / top, t.color("accent"))
        self._paint_axes(painter, top)
        if self.hasFocus():
            painter.setPen(QPen(t.color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _paint_bar(self, painter: QPainter, place: int, part: float, color: QColor) -> None:
        box = self.bar(place).adjusted(0.5, 0, -0.5, 0)
        if part > 0.0:
            box.setTop(box.bottom() - max(1.0, part * box.height()))
            painter.fillRect(box, color)

    def _paint_axes(self, painter: QPainter, top: int) -> None:
        t = theme.current()
        first, last = self.bar(0), self.bar(len(self._counts) - 1)
        painter.setPen(QPen(t.color("hairline"), 1))
        painter.drawLine(first.bottomLeft(), last.bottomRight())
        painter.setPen(t.color("muted"))
        line = painter.fontMetrics().height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for y, text in ((first.top(), f"{top:,}"), (first.bottom(), "0")):
            painter.drawText(QRectF(0, y - line / 2, first.left() - 6, line), right, text)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            x = first.center().x() + share * (last.center().x() - first.center().x())
            text = numbers.fraction(share)
            painter.drawText(QRectF(x - 30, first.bottom() + 3, 60, line), Qt.AlignmentFlag.AlignHCenter, text)
        below = QRectF(first.left(), first.bottom() + line + 4, last.right() - first.left(), line + 2)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, self.words)

    # Brushing -----------------------------------------------------------------------------------------------

    def bar_at(self, x: float) -> int:
        """The bar at a horizontal position, the first or last beyond the ends."""
        place = int((x - theme.px(LEFT)) / self.bar(0).width())
        return min(max(0, place), len(self._counts) - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._anchor = self.bar_at(event.position().x())
            self._stretch_to(self._anchor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._anchor is not None:
            self._stretch_to(self.bar_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._anchor is not None and self.stretch is not None:
            self._anchor = None
            self.brushed.emit(*self.stretch)

    def _stretch_to(self, place: int) -> None:
        assert self._anchor is not None
        self.stretch = min(self._anchor, place), max(self._anchor, place)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        last = len(self._counts) - 1
        first, end = self.stretch or (last - step, last - step)
        first = min(max(0, first + step), last)
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            end = min(max(0, end + step), last)
        self.brushed.emit(min(first, end), end)

    def about(self, place: QPointF) -> str:
        """Count the samples of a bar."""
        bar = self.bar_at(place.x())
        count, chosen = int(self._counts[bar]), int(self._chosen[bar])
        also = f", {chosen:,} of them selected" if chosen else ""
        return f"{numbers.fraction(float(self._centres[bar]))}: {counted(count, 'sample')}{also}"
