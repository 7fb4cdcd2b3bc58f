"""The top of a presentation: the data's name, the bandwidth, η and t, and the meaning of the colours, at talk size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mvexplorer.state.commands import SCALE_RANGE
from mvexplorer.state.titles import data_title
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import (
    class_colours,
    class_markers,
    draw_marker,
    scale_colours,
    scale_kind,
    scale_limits,
)
from mvexplorer.ui.widgets.plain_text import Name, line
from mvexplorer.ui.widgets.slider import Scale, Slider

if TYPE_CHECKING:
    from mvexplorer.state.colouring import Colouring
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.model import DocumentState

CAPITAL = 0.727
"""Height of a capital letter, of the size of the type: that of the bundled font."""
READABLE = 1 / 50
"""Least height of a capital, of the height of the picture: read from a distance of six times that height, as in the
last row of a hall, it is as high as a line of print at arm's length."""
NAME = 16
"""Most characters of a class in the strip."""


def talk_scale(height: int) -> float:
    """How much larger type has to be for a window of this height to be readable from the last row."""
    return max(1.0, height * READABLE / CAPITAL / theme.BASE_PX)


class ColourKey(QWidget):
    """The meaning of the colours in lines as wide as the window: as many classes as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self._colouring: Colouring | None = None

    def show_colouring(self, colouring: Colouring | None) -> None:
        """Show the classes, or the scale."""
        self._colouring = colouring
        self.setVisible(colouring is not None)
        self.updateGeometry()
        self.update()
        words = ", ".join(line(c, NAME) for c in colouring.classes) if colouring is not None else ""
        self.setAccessibleName(f"Colours: {words or (colouring.title if colouring is not None else '')}")

    def sizeHint(self) -> QSize:
        return QSize(400, self._height(max(400, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self._height(max(400, self.width())))

    def _height(self, width: int) -> int:
        return theme.px(22) * (1 + max((row for row, _, _ in self._places(width)), default=0))

    def _places(self, width: int) -> list[tuple[int, float, str]]:
        """Row, left edge and text of each class."""
        if self._colouring is None:
            return []
        painter_font = theme.font(theme.px(theme.BASE_PX))
        metrics, places, row, left = theme.metrics(painter_font), [], 0, 0.0
        for name in self._colouring.classes:
            text = line(name, NAME)
            wide = metrics.horizontalAdvance(text) + theme.px(32)
            if left and left + wide > width:
                row, left = row + 1, 0.0
            places.append((row, left, text))
            left += wide
        return places

    def paintEvent(self, event: QPaintEvent) -> None:
        found = self._colouring
        if found is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.px(theme.BASE_PX)))
        if found.classes:
            self._paint_classes(painter, len(found.classes))
        else:
            self._paint_scale(painter, found)
        painter.end()

    def _paint_classes(self, painter: QPainter, n_classes: int) -> None:
        high, t = theme.px(22), theme.current()
        colours, forms = class_colours(n_classes, t.name), class_markers(n_classes)
        for (row, left, text), rgb, form in zip(self._places(self.width()), colours, forms, strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(*(int(c) for c in rgb)))
            draw_marker(painter, QPointF(left + theme.px(8), (row + 0.5) * high), theme.px(5), int(form))
            painter.setPen(theme.current().color("text"))
            box = QRectF(left + theme.px(18), row * high, self.width(), high)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_scale(self, painter: QPainter, found: Colouring) -> None:
        t, high = theme.current(), theme.px(22)
        low, most = (numbers.number(v) for v in scale_limits(found))
        low, most = ("0", "2π") if found.cyclic else (low, most)
        title = f"{line(found.title, NAME)}  {low}"
        left = painter.fontMetrics().horizontalAdvance(title) + theme.px(8)
        bar = QRectF(left, high * 0.25, theme.px(160), high * 0.5)
        gradient = QLinearGradient(bar.left(), 0, bar.right(), 0)
        table = scale_colours(scale_kind(found), t.name)
        for i in range(0, 256, 15):
            gradient.setColorAt(i / 255.0, QColor(*(int(c) for c in table[i])))
        painter.fillRect(bar, gradient)
        painter.setPen(t.color("text"))
        painter.drawText(QRectF(0, 0, left, high), Qt.AlignmentFlag.AlignVCenter, title)
        box = QRectF(bar.right() + theme.px(8), 0, self.width(), high)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, most)


class PresentationBar(QWidget):
    """The data's name, master ε, η and t, and the colours, for the last row of a lecture hall."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 8, 24, 8)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(16)
        self.title = Name()
        self.title.setProperty("role", "title")
        self._labels: dict[str, QLabel] = {}
        self.sliders: dict[str, Slider] = {}
        for name, scale, value, do in (
            ("ε ×", Scale(*SCALE_RANGE), 1.0, lambda v: editor.set_scale(v, interactive=True)),
            ("η", Scale(0.0, 1.0, "linear"), 0.0, lambda v: editor.set_param("eta", round(v, 3), interactive=True)),
            ("t", Scale(0.0, 64.0, "int"), 1.0, lambda v: editor.set_param("t", int(v), interactive=True)),
        ):
            label, slider = QLabel(name), Slider(scale, value, name)
            label.setProperty("role", "title")
            slider.moved.connect(do)
            slider.released.connect(editor.end_drag)
            row.addWidget(label)
            row.addWidget(slider, 2 if name == "ε ×" else 1)
            self._labels[name], self.sliders[name] = label, slider
        leave = QLabel("Esc leaves")
        leave.setProperty("role", "muted")
        row.addWidget(leave)
        self.key = ColourKey()
        meaning = QHBoxLayout()
        meaning.setSpacing(16)
        meaning.addWidget(self.title, 2)
        meaning.addWidget(self.key, 3)
        column.addLayout(row)
        column.addLayout(meaning)

    def show_state(self, state: DocumentState) -> None:
        """Show the shared values."""
        self.title.set_words(data_title(state.source))
        scale, eta, t = state.epsilon_scale, float(state.params.get("eta") or 0.0), int(state.params.get("t") or 0)
        for name, value, text, widest in (
            ("ε ×", scale, f"{scale:.3g}", "0.0000"), ("η", eta, f"{eta:.2f}", "0.00"), ("t", t, str(t), "00"),
        ):  # fmt: skip
            self.sliders[name].set_value(float(value))
            label = self._labels[name]
            label.setText(f"{name} {text}")
            # The numbers change in a drag: the sliders must not move with them.
            label.setMinimumWidth(round(theme.metrics(label.font()).horizontalAdvance(f"{name} {widest}")) + 4)

    def show_colouring(self, colouring: Colouring | None) -> None:
        """Show what the points are coloured by."""
        self.key.show_colouring(colouring)
