"""What the colours mean: a row per class, or a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QLinearGradient, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import draw_marker, scale_colours, scale_kind, scale_limits
from mvexplorer.ui.widgets.plain_text import Label, Name, line, tip

if TYPE_CHECKING:
    from mvexplorer.state.colouring import Colouring


class LegendRow(QWidget):
    """A class: swatch, name, count. Click isolates it, Ctrl+click toggles it, double click shows all."""

    clicked = Signal(str, bool)
    doubled = Signal()

    def __init__(self, name: str, count: int, color: QColor, form: int) -> None:
        super().__init__()
        self.name = name
        self._form = form
        self._color, self._count, self.on = color, count, True
        self.setFixedHeight(20)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip(f"{name}: {count} samples. Click isolates, Ctrl+click toggles, double click shows all."))
        self.setAccessibleName(f"Class {line(name)}, {count} samples")

    def set_on(self, on: bool) -> None:
        """Whether the class is shown."""
        self.on = on
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.color("soft"))
            painter.drawRoundedRect(self.rect(), 4, 4)
        painter.setOpacity(1.0 if self.on else 0.35)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._color)
        draw_marker(painter, QPointF(10, 10), 5, self._form)
        painter.setFont(theme.font())
        painter.setPen(t.color("text"))
        room = self.width() - 22 - 46
        name = painter.fontMetrics().elidedText(line(self.name), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(22, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font(theme.SMALL_PX))
        painter.setPen(t.color("muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(0, 0, self.width() - 6, self.height()), right, str(self._count))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit(self.name, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.doubled.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            self.clicked.emit(self.name, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        else:
            super().keyPressEvent(event)


class Key(QWidget):
    """A curve's colour and name in the legend of a plot."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 2, 0)
        row.setSpacing(4)
        self._dot, self._name = Label("●"), Name()
        row.addWidget(self._dot)
        row.addWidget(self._name)
        row.addStretch(1)

    def show_key(self, name: str, about: str, color: QColor) -> None:
        """Show a curve's name, tooltip and colour."""
        self._name.set_words(name)
        self._name.setToolTip(tip(about))
        self._dot.setStyleSheet(f"color: {color.name()};")

    def text(self) -> str:
        """The text shown, for tests and screen readers."""
        return f"● {self._name.accessibleName()}"


class ScaleBar(QWidget):
    """The colour scale of numbers with its limits."""

    def __init__(self, colouring: Colouring) -> None:
        super().__init__()
        self._kind = scale_kind(colouring)
        self._limits = scale_limits(colouring)
        self.setFixedHeight(34)
        self.setAccessibleName(f"Colour scale from {self._limits[0]:.3g} to {self._limits[1]:.3g}")

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        table = scale_colours(self._kind, t.name)
        for i in range(0, 256, 15):
            gradient.setColorAt(i / 255.0, QColor(*(int(c) for c in table[i])))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(QRectF(0, 2, self.width(), 10), 3, 3)
        painter.setPen(t.color("muted"))
        painter.setFont(theme.font(theme.SMALL_PX))
        low, high = (numbers.number(v) for v in self._limits)
        if self._kind == "cyclic":
            low, high = "0", "2π"
        box = QRectF(0, 14, self.width(), 18)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight, high)
        if self._kind == "diverging":
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, "0")
        painter.end()
