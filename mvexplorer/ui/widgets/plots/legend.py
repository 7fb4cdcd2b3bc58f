"""The meaning of colours: of curves, and of numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.style.marking import scale_gradient
from mvexplorer.ui.style.palettes import scale_kind, scale_limits
from mvexplorer.ui.widgets.plain_text import Label, Name, tip
from mvexplorer.ui.widgets.plots.looks import CurveLook


class LegendKey(QWidget):
    """A curve's colour and name in the legend of a plot."""

    def __init__(self) -> None:
        super().__init__()
        row = spaced(QHBoxLayout(self), 0, 0, 2, 0, spacing=4)
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
        self._dot.setFixedWidth(theme.px(14))  # markers differ in width, and names stand in a column
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
