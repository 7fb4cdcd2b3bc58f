"""A slider on a meaningful axis: logarithmic, linear or whole numbers, with lettered marks on its track."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mvexplorer.ui.runtime.spoken import SpokenSlider
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme


@dataclass(frozen=True)
class Scale:
    """Maps values to a track: `kind` is "log", "linear" or "int" (whole numbers, spaced by log(1 + n))."""

    low: float
    high: float
    kind: str = "log"

    def fraction(self, value: float) -> float:
        """Position 0..1 of a value; beyond 0..1 for values outside the range."""
        if self.kind == "log":
            return log(max(value, 1e-300) / self.low) / log(self.high / self.low)
        if self.kind == "int":
            return log((1 + value) / (1 + self.low)) / log((1 + self.high) / (1 + self.low))
        return (value - self.low) / (self.high - self.low)

    def value(self, fraction: float) -> float:
        """Value at a position 0..1, clipped to the range."""
        f = min(max(fraction, 0.0), 1.0)
        if self.kind == "log":
            return self.low * exp(f * log(self.high / self.low))
        if self.kind == "int":
            return float(round((1 + self.low) * exp(f * log((1 + self.high) / (1 + self.low))) - 1))
        return self.low + f * (self.high - self.low)

    def stepped(self, value: float, steps: float) -> float:
        """The value after `steps` small steps: 5 % of itself, .01 of a range, or whole numbers."""
        if self.kind == "log":
            moved = value * float(1.05**steps)
        elif self.kind == "int":
            moved = value + (steps if abs(steps) >= 1 else (1 if steps > 0 else -1))
        else:
            moved = value + steps * 0.02 * (self.high - self.low)
        return min(max(moved, self.low), self.high)

    def leapt(self, value: float, octaves: int) -> float:
        """The value doubled or halved `octaves` times; on a linear axis moved by fifths of the range."""
        if self.kind == "linear":
            moved = value + octaves * 0.2 * (self.high - self.low)
        elif self.kind == "int":
            moved = max(2.0 * value, value + 1.0) if octaves > 0 else float(int(value / 2))
        else:
            moved = value * 2.0**octaves
        return min(max(moved, self.low), self.high)


@dataclass(frozen=True)
class Mark:
    """A lettered tick on the track, with what it means."""

    value: float
    letter: str
    text: str


class Slider(SpokenSlider, QWidget):
    """Emits `moved(value)` while it moves and `released()` at the end of a drag; `reset()` on a double click."""

    moved = Signal(float)
    released = Signal()
    reset = Signal()
    mark_clicked = Signal(str)
    typed = Signal(str)
    """A digit: the beginning of a number for the field beside the slider."""

    PAD = 9
    QUICK = "Where a line runs under the track exact answers are ready, and steps are quickest."

    def __init__(self, scale: Scale, value: float, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale, self._value = scale, value
        self._marks: tuple[Mark, ...] = ()
        self._quick: tuple[tuple[float, float], ...] = ()
        self._stretches: tuple[tuple[float, float, str], ...] = ()
        self._dragging = False
        self._known = True
        self._in_words: Callable[[float], str] = numbers.editable
        self._unit = 1.0
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(160, theme.px(34 if self._marks else 22))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    @property
    def value(self) -> float:
        """The value at the handle."""
        return self._value

    def set_value(self, value: float) -> None:
        """Move the handle without emitting signals."""
        if value != self._value:
            self._value = value
            self.speak()
            self.update()

    def set_known(self, known: bool) -> None:
        """Show the handle only if there is a value: without one, no place would be its own."""
        if known != self._known:
            self._known = known
            self.speak()
            self.update()

    def tell_by(self, in_words: Callable[[float], str], unit: float = 1.0) -> None:
        """Give screen readers the value in these words, and times this unit: where that of the track is not shown."""
        self._in_words, self._unit = in_words, unit
        self.speak()

    def spoken_value(self) -> str:
        """The value in words, as it stands beside the slider."""
        return self._in_words(self._value) if self._known else "not computed yet"

    def spoken_numbers(self) -> tuple[float, float, float] | None:
        """The value, the least and the most it can be, in the unit that is shown."""
        if not self._known:
            return None
        return self._unit * self._value, self._unit * self._scale.low, self._unit * self._scale.high

    def take_spoken(self, number: float) -> None:
        """Move to a number in the unit that is shown."""
        self._emit(min(max(number / self._unit, self._scale.low), self._scale.high))
        self.released.emit()

    def set_scale(self, scale: Scale) -> None:
        """Change the axis."""
        if scale != self._scale:
            self._scale = scale
            self.update()

    @property
    def scale(self) -> Scale:
        """The axis."""
        return self._scale

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Set the ticks on the track."""
        if marks == self._marks:
            return
        taller = bool(marks) != bool(self._marks)
        self._marks = marks
        if taller:
            self.updateGeometry()
        self.update()

    def set_quick(self, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline the ranges of values in which steps are quick."""
        joined: list[tuple[float, float]] = []
        for low, high in sorted(ranges):
            before = joined.pop() if joined and low <= joined[-1][1] else (low, high)
            joined.append((before[0], max(before[1], high)))
        if tuple(joined) != self._quick:
            self._quick = tuple(joined)
            self.update()

    def set_stretches(self, stretches: tuple[tuple[float, float, str], ...]) -> None:
        """Colour the track from one value to another by roles of the theme; without any it fills up to the handle."""
        if stretches != self._stretches:
            self._stretches = stretches
            self.update()

    # Painting -----------------------------------------------------------------------------------------------

    def x_of(self, value: float) -> float:
        """Horizontal position of a value on the track, in pixels."""
        fraction = min(max(self._scale.fraction(value), 0.0), 1.0)
        return self._pad + fraction * (self.width() - 2 * self._pad)

    @property
    def _pad(self) -> float:
        return self.PAD * theme.scale()

    def _track_y(self) -> float:
        return 11.0 * theme.scale()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y, x, pad, k = self._track_y(), self.x_of(self._value), self._pad, theme.scale()
        role = "accent" if self.isEnabled() else "hairline"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("hairline"))
        painter.drawRoundedRect(QRectF(pad, y - 1.5 * k, self.width() - 2 * pad, 3 * k), 1.5 * k, 1.5 * k)
        if not self._known:
            painter.end()
            return
        if self._stretches and self.isEnabled():
            self._paint_stretches(painter)
        else:
            painter.setBrush(t.color(role))
            painter.drawRoundedRect(QRectF(pad, y - 1.5 * k, x - pad, 3 * k), 1.5 * k, 1.5 * k)
        painter.setBrush(t.color(role))
        self._paint_quick(painter)
        self._paint_marks(painter)
        painter.setPen(QPen(t.color(role), 2.0 * k))
        painter.setBrush(t.color("surface"))
        radius = (6.5 if self._dragging or self.underMouse() else 5.5) * k
        painter.drawEllipse(QPointF(x, y), radius, radius)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(x, y), radius + 3 * k, radius + 3 * k)
        painter.end()

    def _paint_stretches(self, painter: QPainter) -> None:
        k, gap = theme.scale(), 1.0
        last = len(self._stretches) - 1
        for place, (low, high, role) in enumerate(self._stretches):  # the outer ones go on to the ends of the track
            left = self.x_of(self._scale.low if place == 0 else low)
            right = self.x_of(self._scale.high if place == last else high)
            painter.setBrush(theme.current().color(role))
            if right - left > gap:
                painter.drawRect(QRectF(left, self._track_y() - 1.5 * k, right - left - gap, 3 * k))

    def _paint_quick(self, painter: QPainter) -> None:
        if not self._quick:
            return
        painter.setOpacity(0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for low, high in self._quick:
            left, width = self.x_of(low), self.x_of(high) - self.x_of(low)
            painter.drawRect(QRectF(left, self._track_y() + 3 * theme.scale(), width, 2 * theme.scale()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(1.0)

    def _paint_marks(self, painter: QPainter) -> None:
        if not self._marks:
            return
        t, k, y = theme.current(), theme.scale(), self._track_y()
        font = theme.font(theme.px(10))
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QPen(t.color("muted"), 1.2 * k))
        last, lines = -100.0, []
        for mark in sorted(self._marks, key=lambda m: m.value):
            x, width = self.x_of(mark.value), metrics.horizontalAdvance(mark.letter)
            lines.append(QLineF(x, y + 4 * k, x, y + 8 * k))
            # A letter that would overlap moves right; a line joins it to its tick.
            spot = max(x - width / 2, last + 3 * k)
            lines.append(QLineF(x, y + 8 * k, spot + width / 2, y + 11 * k))
            painter.drawText(QPointF(spot, y + 20 * k), mark.letter)
            last = spot + width
        painter.drawLines(lines)

    def mark_near(self, x: float) -> Mark | None:
        """The tick within 6 pixels, of usual type, of a horizontal position."""
        near = min(self._marks, key=lambda m: abs(self.x_of(m.value) - x), default=None)
        return near if near is not None and abs(self.x_of(near.value) - x) <= 6 * theme.scale() else None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            mark = self.mark_near(event.pos().x()) if event.pos().y() > self._track_y() + 3 * theme.scale() else None
            if mark is not None:
                QToolTip.showText(event.globalPos(), mark.text, self)
                return True
            if self._quick:
                QToolTip.showText(event.globalPos(), "\n".join(filter(None, (self.toolTip(), self.QUICK))), self)
                return True
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _begins_number(event):
            event.accept()
            return True
        return super().event(event)

    # Gestures --------------------------------------------------------------------------------------------

    def _emit(self, value: float) -> None:
        if self._known and value != self._value:
            self.set_value(value)
            self.moved.emit(value)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        mark = (
            self.mark_near(event.position().x()) if event.position().y() > self._track_y() + 5 * theme.scale() else None
        )
        if mark is not None:
            self.mark_clicked.emit(mark.letter)
            return
        self._dragging = True
        self._follow(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._follow(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._dragging = False
            self.update()
            self.released.emit()

    def _follow(self, x: float) -> None:
        self._emit(self._scale.value((x - self._pad) / max(1.0, self.width() - 2 * self._pad)))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        self.reset.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        self._nudge(event.angleDelta().y() / 120.0, event.modifiers())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        small = {
            Qt.Key.Key_Right: 1.0,
            Qt.Key.Key_Up: 1.0,
            Qt.Key.Key_Left: -1.0,
            Qt.Key.Key_Down: -1.0,
        }.get(Qt.Key(event.key()))
        big = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}.get(Qt.Key(event.key()))
        if _begins_number(event):
            self.typed.emit(event.text())
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier or (small is None and big is None):
            super().keyPressEvent(event)
        elif small is not None:
            self._nudge(small, event.modifiers())
        else:
            self._emit(self._scale.leapt(self._value, big or 0))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.released.emit()
        super().keyReleaseEvent(event)

    def _nudge(self, steps: float, modifiers: Qt.KeyboardModifier) -> None:
        fine = 0.2 if modifiers & Qt.KeyboardModifier.ShiftModifier else 1.0
        self._emit(self._scale.stepped(self._value, steps * fine))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.update()
        super().leaveEvent(event)


def _begins_number(event: QKeyEvent) -> bool:
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    return plain and len(event.text()) == 1 and event.text() in "0123456789."
