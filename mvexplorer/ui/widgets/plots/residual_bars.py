"""One bar a coordinate: how much of it the earlier ones leave untold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import fraction
from mvexplorer.ui.widgets.plots.explained import Explained

FOOT = 18
"""Pixels below all bars for their names."""
GAP = 6
"""Pixels between two bars."""


class ResidualBars(Explained):
    """Bars from 0 to 1; those of harmonics are hollow."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.values: tuple[float, ...] = ()
        self.names: tuple[str, ...] = ()
        self.harmonics: frozenset[int] = frozenset()
        self.drawn: frozenset[int] = frozenset()
        self.setAccessibleName(name)
        self.setMinimumSize(120, 60)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_bars(
        self, names: Sequence[str], values: Sequence[float], harmonics: Sequence[int], drawn: Sequence[int]
    ) -> None:
        """Show a value for each coordinate; the earlier ones determine `harmonics`, and `drawn` are the axes."""
        self.names, self.values = tuple(names), tuple(values)
        self.harmonics, self.drawn = frozenset(harmonics), frozenset(drawn)
        self.setAccessibleDescription("; ".join(self._about(i) for i in range(len(self.values))))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, 90)

    def _about(self, i: int) -> str:
        harmonic = ": a harmonic" if i in self.harmonics else ""
        on_show = ", drawn" if i in self.drawn else ""
        return f"{self.names[i]} r {fraction(self.values[i])}{harmonic}{on_show}"

    def _step(self) -> float:
        widest = 40  # most pixels of a bar
        return min(float(theme.px(widest) + GAP), self.width() / max(1, len(self.values)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        base = self.height() - theme.px(FOOT)
        painter.setPen(QPen(theme.current().color("hairline"), 1))
        painter.drawLine(0, base, int(self._step() * len(self.values)), base)
        for i in range(len(self.values)):
            self._paint_bar(painter, i, base)

    def _paint_bar(self, painter: QPainter, i: int, base: int) -> None:
        t, step, value = theme.current(), self._step(), self.values[i]
        left, width = i * step + 0.5 * GAP, step - GAP
        share = float(np.clip(np.nan_to_num(value), 0.0, 1.0))
        head = 16  # for the number above the highest bar
        height = share * (base - theme.px(head))
        role = "amber" if i in self.harmonics else "accent"
        painter.setPen(QPen(t.color(role), 1.4))
        painter.setBrush(t.color(role, 40 if i in self.harmonics else 200))
        painter.drawRect(QRectF(left, base - height, width, height))
        painter.setPen(t.color("muted"))
        centre = Qt.AlignmentFlag.AlignHCenter
        above = QRectF(left - GAP, base - height - theme.px(head), width + 2 * GAP, theme.px(head))
        room = 24  # pixels that a bar's number needs; where they lack, only harmonics have theirs
        if step >= theme.px(room) or i in self.harmonics:
            painter.drawText(above, centre | Qt.AlignmentFlag.AlignBottom, fraction(value) if value == value else "–")
        painter.setPen(t.color("text" if i in self.drawn else "muted"))
        painter.setFont(theme.font(theme.px(theme.SMALL_PX), bold=i in self.drawn))
        below = QRectF(left - GAP, base, width + 2 * GAP, theme.px(FOOT))
        painter.drawText(below, centre | Qt.AlignmentFlag.AlignVCenter, self.names[i])
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))

    def about(self, place: QPointF) -> str:
        """Describe a bar."""
        i = int(place.x() // self._step()) if self.values else -1
        return self._about(i) if 0 <= i < len(self.values) else ""
