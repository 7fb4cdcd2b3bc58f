"""What the colours mean: a row per class, or a scale."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import draw_marker, scale_gradient, scale_kind, scale_limits
from mvexplorer.ui.widgets.plain_text import LINE, Label, Name, line, tip
from mvexplorer.ui.widgets.shortening import told_apart
from mvexplorer.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.state.colouring import Colouring
    from mvexplorer.ui.widgets.curve_plot import CurveLook


NAME, MARKER = 22, 14
"""Where a class's name begins, and the width of a curve's marker, in pixels."""


class LegendRow(QWidget):
    """A class: swatch, name, count. Click isolates it, Ctrl+click toggles it, double click shows all."""

    clicked = Signal(str, bool)
    doubled = Signal()
    picked = Signal(str, str)
    """The samples of the class are to be selected; how they are combined with those that are."""

    def __init__(
        self, name: str, count: int, color: QColor, form: int, names: Sequence[str] = (), number: int = 1
    ) -> None:
        super().__init__()
        self.name = name
        self.written = ""
        """The name as drawn: cut where there is no room, so that no other class's reads the same."""
        self._names, self._number = names, number
        self._fitted = -1, 0.0
        """The room and the size of type that the name was cut for."""
        self._form = form
        self._color, self._count, self.on = color, count, True
        self._selected: int | None = None
        self.setFixedHeight(theme.px(20))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_selected(None)

    def set_selected(self, selected: int | None) -> None:
        """How many of the class are selected; None where nothing is selected at all."""
        self._selected = selected
        size = counted(self._count, "sample") + ("" if selected is None else f", {selected:,} of them selected")
        size = size if self._count else "no sample has this colour"  # those of a selection that others cover
        gestures = "Click isolates, Ctrl+click toggles, double click shows all, Alt+click selects."
        self.setToolTip(tip(f"{line(self.name, 4 * LINE)}: {size}. {gestures}"))
        self.setAccessibleName(f"Class {line(self.name)}, {size}")
        self.update()

    @property
    def count_text(self) -> str:
        """The class's size, and before it how many are selected where any sample is."""
        if not self._count:
            return "none"
        return f"{self._count:,}" if self._selected is None else f"{self._selected:,} / {self._count:,}"

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
        if self.hasFocus():
            painter.setPen(QPen(t.color("accent"), 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.setOpacity(1.0 if self.on else 0.35)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._color)
        centre = theme.px(10)
        draw_marker(painter, QPointF(centre, centre), theme.px(5), self._form)
        self._paint_words(painter, t)
        painter.end()

    def _paint_words(self, painter: QPainter, t: theme.Theme) -> None:
        small = theme.font(theme.px(theme.SMALL_PX), bold=bool(self._selected))
        taken = max(40.0, QFontMetricsF(small).horizontalAdvance(self.count_text) + 14)
        left = theme.px(NAME)
        room = self.width() - left - taken
        painter.setFont(theme.font(theme.px(theme.BASE_PX)))
        painter.setPen(t.color("text"))
        if self._fitted != (int(room), theme.scale()):
            self._fitted = int(room), theme.scale()
            name, width = line(self.name, 4 * LINE), painter.fontMetrics().horizontalAdvance
            self.written = told_apart(name, self._names, self._number, room, width)
        painter.drawText(QRectF(left, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, self.written)
        painter.setFont(small)
        painter.setPen(t.color("text" if self._selected else "muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(0, 0, self.width() - 6, self.height()), right, self.count_text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            return  # its menu follows
        more = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.picked.emit(self.name, "add" if more else "replace")
        else:
            self.clicked.emit(self.name, more)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(event.globalPos())

    def menu(self) -> QMenu:
        """The ways to select the samples of the class."""
        menu = QMenu(self)
        for words, how in (
            ("Select the class\tAlt+click", "replace"), ("Add it to what is selected", "add"),
            ("Take it away from what is selected", "subtract"), ("Of what is selected, only it", "intersect"),
        ):  # fmt: skip
            menu.addAction(words).triggered.connect(partial(self.picked.emit, self.name, how))
        return menu

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
        self._dot.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row.addWidget(self._dot)
        row.addWidget(self._name)
        row.addStretch(1)

    def show_key(self, name: str, about: str, look: CurveLook, *, bold: bool = False) -> None:
        """Show a curve's name, tooltip, colour and marker."""
        self._name.set_words(name)
        self._name.setToolTip(tip(about))
        self._name.setStyleSheet("Name { font-weight: 600; }" if bold else "")
        self._dot.setText(look.glyph)
        self._dot.setFixedWidth(theme.px(MARKER))  # markers differ in width, and names stand in a column
        self._dot.setStyleSheet(f"Label {{ color: {look.color}; }}")

    def text(self) -> str:
        """The text shown, for tests and screen readers."""
        return f"{self._dot.text()} {self._name.accessibleName()}"


class ScaleBar(QWidget):
    """The colour scale of numbers with its limits, and a tick below it for every selected value."""

    def __init__(self, colouring: Colouring) -> None:
        super().__init__()
        self._kind = scale_kind(colouring)
        self._limits = scale_limits(colouring)
        self._places: npt.NDArray[np.float64] = np.empty(0)
        self.selected_text = ""
        self.setFixedHeight(theme.px(40))
        self.set_selected(np.empty(0))

    def set_selected(self, values: npt.NDArray[np.float64]) -> None:
        """Mark these values, those of the selected samples."""
        low, high = self._limits
        finite = values[np.isfinite(values)]
        self._places = np.unique(np.round(1000 * np.clip((finite - low) / (high - low), 0.0, 1.0))) / 1000
        about = f"Colour scale from {numbers.number(low)} to {numbers.number(high)}"
        self.selected_text = ""
        if len(finite):
            self.selected_text = f"{numbers.number(float(finite.min()))} – {numbers.number(float(finite.max()))}"
            about += f", selected {self.selected_text}"
        self.setAccessibleName(about)
        self.setToolTip(about)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(t.color("muted"), 1.0))  # pale ends would fade into the ground
        painter.setBrush(scale_gradient(self._kind, t.name, 0, self.width()))
        painter.drawRoundedRect(QRectF(0.5, 2.5, self.width() - 1, 10), 3, 3)
        painter.setPen(QPen(t.color("text"), 1.0))
        for x in np.unique(np.round(1.0 + self._places * (self.width() - 3))):
            painter.drawLine(QPointF(x + 0.5, 15), QPointF(x + 0.5, 19))
        self._paint_limits(painter, t)
        painter.end()

    def _paint_limits(self, painter: QPainter, t: theme.Theme) -> None:
        painter.setPen(t.color("muted"))
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        low, high = ("0", "2π") if self._kind == "cyclic" else (numbers.number(v) for v in self._limits)
        box = QRectF(0, 20, self.width(), theme.px(18))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight, high)
        if self.selected_text:
            painter.setPen(t.color("text"))
            painter.setFont(theme.font(theme.px(theme.SMALL_PX), bold=True))
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, self.selected_text)
        elif self._kind == "diverging":
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, "0")
