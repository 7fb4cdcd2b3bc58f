"""Names, bars and numbers, one below the other: a click chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.explained import PartsToChoose
from mvexplorer.ui.widgets.shortening import told_apart

ROW = 18
"""Pixels of a row's height."""


@dataclass(frozen=True)
class HorizontalBar:
    """One row; a click chooses its `key` unless that is empty, `length` is that of the bar, from 0 to 1."""

    key: str
    name: str
    number: str
    length: float
    about: str = ""


class Bars(PartsToChoose):
    """`chosen` and `pointed` carry the key of a row; `pointed` is empty where the pointer is on none."""

    BACK, ON = Qt.Key.Key_Up, Qt.Key.Key_Down
    chosen = Signal(str)
    pointed = Signal(str)

    def __init__(self, name: str, share: float) -> None:
        super().__init__(name)
        self.bars: tuple[HorizontalBar, ...] = ()
        self._share = share
        """Part of the width that names take."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, bars: Sequence[HorizontalBar]) -> None:
        """Show these rows."""
        if tuple(bars) != self.bars:
            self.bars, self._at = tuple(bars), -1
            self.setAccessibleDescription("; ".join(f"{bar.name} {bar.number}" for bar in self.bars))
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, theme.px(ROW) * len(self.bars))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def place_of(self, i: int) -> QPointF:
        """The middle of the i-th row."""
        return QPointF(self.width() / 2, (i + 0.5) * theme.px(ROW))

    def count(self) -> int:
        """The number of rows."""
        return len(self.bars)

    def part_at(self, place: QPointF) -> int:
        """The row under a position."""
        i = int(place.y() // theme.px(ROW))
        return i if 0 <= i < len(self.bars) else -1

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, now = QPainter(self), theme.current()
        row, between = theme.px(ROW), theme.px(6)
        number = max((self.fontMetrics().horizontalAdvance(bar.number) for bar in self.bars), default=0) + 2
        name = int(self._share * self.width())
        room = max(8, self.width() - name - number - 2 * between)
        left, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        words = self.words(name)
        for i, bar in enumerate(self.bars):
            top = i * row
            if i == self._at and bar.key:
                painter.fillRect(QRectF(0, top, self.width(), row), now.color("soft"))
            painter.setPen(now.color("text" if bar.key else "muted"))
            painter.drawText(QRectF(0, top, name, row), left, words[i])
            length = room * min(max(bar.length, 0.0), 1.0)
            painter.fillRect(QRectF(name + between, top + 5, length, row - 10), now.color("accent", 200))
            painter.drawText(QRectF(self.width() - number, top, number, row), right, bar.number)

    def words(self, room: int) -> list[str]:
        """The names in so many pixels, so that those of no two rows read the same."""
        names = [line(bar.name, 4 * LINE) for bar in self.bars]
        those = [name for name, bar in zip(names, self.bars, strict=True) if bar.key]  # not that of all others
        wide = self.fontMetrics().horizontalAdvance
        return [told_apart(name, those, number, room, wide) for number, name in enumerate(names, start=1)]

    def point(self, part: int) -> None:
        """Tell which row is pointed at."""
        key = self.bars[part].key if part >= 0 else ""
        self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
        self.pointed.emit(key)

    def choose(self, part: int) -> None:
        """Choose a row that has a key."""
        if self.bars[part].key:
            self.chosen.emit(self.bars[part].key)

    def about(self, place: QPointF) -> str:
        """Describe a row."""
        return self.bars[i].about if (i := self.part_at(place)) >= 0 else ""
