"""Two strips of points below each other: the values of one feature in a selection and in others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import number
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.plots.wrapped import lines_of, paint_lines
from mvexplorer.wording import counted, in_percent

Values = npt.NDArray[np.float64]
SMALL = 18
"""Pixels of a line of small type."""


class TwoStrips(Explained):
    """Points of numbers with their means, or bars of the shares of a class; the name above is whole."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.names = "", ("selection", "rest")
        self.groups: tuple[Values, Values] | None = None
        self.shares = False
        self.setAccessibleName("Values in the selection and in the others")
        self.setMinimumSize(theme.px(200), theme.px(150))

    def show_groups(self, title: str, names: tuple[str, str], groups: tuple[Values, Values], *, shares: bool) -> None:
        """Show the numbers of both groups or, with `shares`, the one share of each; NaN has been left out."""
        self.title, self.names = line(title, 4 * LINE), (line(names[0], 40), line(names[1], 40))
        self.groups, self.shares = groups, shares
        self.setAccessibleDescription(f"{self.title}: {self._words(0)}; {self._words(1)}")
        self.update()

    def show_nothing(self) -> None:
        """Show that no row is looked at."""
        self.groups = None
        self.setAccessibleDescription("")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(190))

    def _words(self, k: int, room: float | None = None) -> str:
        """The name of a group and its mean or share; in too little room, in pixels, the name loses its middle."""
        assert self.groups is not None
        values, name = self.groups[k], self.names[k]
        mean = f": mean {number(float(values.mean()))} of {counted(len(values), 'sample')}"
        rest = f" {in_percent(float(values[0]))}" if self.shares else mean
        if room is not None:
            metrics = theme.metrics(theme.font(theme.px(theme.SMALL_PX)))
            name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(room - metrics.horizontalAdvance(rest)))
        return f"{name}{rest}"

    def about(self, place: QPointF) -> str:
        """Describe the group under a position."""
        if self.groups is None:
            return ""
        return self._words(0 if place.y() < self._bands()[1].top() else 1)

    def _title_lines(self) -> tuple[str, ...]:
        return lines_of(self.title, theme.px(theme.BASE_PX), self.width() - 2, bold=True)

    def _bands(self) -> tuple[QRectF, QRectF]:
        """The rectangles of both groups, without their names."""
        small = theme.px(SMALL)
        top = small * len(self._title_lines()) + 4.0
        foot = 4.0 if self.shares else small
        each = max(2.0 * small, (self.height() - top - foot) / 2.0)
        high = min(each - small, theme.px(70.0))
        first = QRectF(6.0, top + small, self.width() - 12.0, high)
        return first, first.translated(0.0, high + small)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, t = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.groups is None:
            return
        painter.setFont(theme.font(theme.px(theme.BASE_PX), bold=True))
        painter.setPen(t.color("text"))
        lines = self._title_lines()
        paint_lines(painter, lines, QRectF(0.0, 0.0, self.width(), theme.px(SMALL) * len(lines)))
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        bands = self._bands()
        for k, band in enumerate(bands):
            painter.setPen(t.color("muted"))
            name = QRectF(band.left(), band.top() - theme.px(SMALL), band.width(), theme.px(SMALL))
            painter.drawText(name, Qt.AlignmentFlag.AlignVCenter, self._words(k, name.width()))
            (self._paint_share if self.shares else self._paint_points)(painter, k, band)
        if not self.shares:
            self._paint_axis(painter, bands[1])

    def _paint_share(self, painter: QPainter, k: int, band: QRectF) -> None:
        assert self.groups is not None
        t, bar = theme.current(), QRectF(band.left(), band.top() + 2.0, band.width(), min(band.height() - 4.0, 14.0))
        painter.fillRect(bar, t.color("soft"))
        bar.setWidth(band.width() * float(self.groups[k][0]))
        painter.fillRect(bar, t.color("muted" if k else "accent"))

    def _limits(self) -> tuple[float, float]:
        assert self.groups is not None
        values = np.concatenate(self.groups)
        low, high = float(values.min()), float(values.max())
        return (low, high) if high > low else (low - 0.5, low + 0.5)

    def _paint_points(self, painter: QPainter, k: int, band: QRectF) -> None:
        assert self.groups is not None
        t, values, (low, high) = theme.current(), self.groups[k], self._limits()
        most = 2000  # points that are painted of each group: among more none is seen alone
        shown = values[:: max(1, -(-len(values) // most))]
        x = band.left() + (shown / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * band.width()
        golden = 0.618034  # places the points of neighbours far apart, the same ones at every look
        y = band.top() + 3.0 + (np.arange(len(shown)) * golden) % 1.0 * (band.height() - 6.0)
        painter.fillRect(band, t.color("soft", 110))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("muted" if k else "accent", 150))
        radius = theme.px(2.0)
        for at, height in zip(x.tolist(), y.tolist(), strict=True):
            painter.drawEllipse(QPointF(at, height), radius, radius)
        mean = band.left() + (float(values.mean()) / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * band.width()
        painter.setPen(QPen(t.color("text"), 2.0))
        painter.drawLine(QPointF(mean, band.top()), QPointF(mean, band.bottom()))

    def _paint_axis(self, painter: QPainter, band: QRectF) -> None:
        low, high = self._limits()
        painter.setPen(theme.current().color("muted"))
        foot = QRectF(band.left(), band.bottom() + 1.0, band.width(), theme.px(SMALL))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, number(low))
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number(high))
