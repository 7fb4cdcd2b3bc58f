"""Names, bars and numbers, one below the other: a click chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line, tip

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


class Bars(QWidget):
    """`chosen` and `pointed` carry the key of a row; `pointed` is empty where the pointer is on none."""

    chosen = Signal(str)
    pointed = Signal(str)

    def __init__(self, name: str, share: float) -> None:
        super().__init__()
        self.bars: tuple[HorizontalBar, ...] = ()
        self._share = share
        """Part of the width that names take."""
        self._at = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
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

    def _under(self, position: QPointF) -> int:
        i = int(position.y() // theme.px(ROW))
        return i if 0 <= i < len(self.bars) else -1

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, now = QPainter(self), theme.current()
        row, between = theme.px(ROW), theme.px(6)
        number = max((self.fontMetrics().horizontalAdvance(bar.number) for bar in self.bars), default=0) + 2
        name = int(self._share * self.width())
        room = max(8, self.width() - name - number - 2 * between)
        left, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        for i, bar in enumerate(self.bars):
            top = i * row
            if i == self._at and bar.key:
                painter.fillRect(QRectF(0, top, self.width(), row), now.color("soft"))
            painter.setPen(now.color("text" if bar.key else "muted"))
            words = self.fontMetrics().elidedText(line(bar.name), Qt.TextElideMode.ElideMiddle, name)
            painter.drawText(QRectF(0, top, name, row), left, words)
            length = room * min(max(bar.length, 0.0), 1.0)
            painter.fillRect(QRectF(name + between, top + 5, length, row - 10), now.color("accent", 200))
            painter.drawText(QRectF(self.width() - number, top, number, row), right, bar.number)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._under(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(-1)

    def _point(self, i: int) -> None:
        if i != self._at:
            self._at = i
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if i >= 0 and self.bars[i].key else Qt.CursorShape.ArrowCursor
            )
            self.pointed.emit(self.bars[i].key if i >= 0 else "")
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._under(event.position()))

    def _choose(self, i: int) -> None:
        if 0 <= i < len(self.bars) and self.bars[i].key:
            self.chosen.emit(self.bars[i].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is not None and self.bars:
            self._point(min(max(self._at + step, 0), len(self.bars) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self._at)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            i = self._under(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip(self.bars[i].about) if i >= 0 else "", self)
            return True
        return super().event(event)
