"""The top of a presentation: the data's name, the bandwidth, η and t, and the meaning of the colours, at talk size."""

from __future__ import annotations

from math import ceil, inf

from PySide6.QtCore import QPointF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mvexplorer.state.document.commands import SCALE_RANGE
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.colour_key import (
    SWATCH,
    TITLE,
    KeyEntry,
    key_row_height,
    lay_in_columns,
    lay_in_rows,
    paint_key,
)
from mvexplorer.ui.widgets.plain_text import Label, Name, distinct_names, line
from mvexplorer.ui.widgets.slider import Scale, Slider

READABLE = 1 / 50
"""Least height of a capital, of the height of the picture: read from a distance of six times that height, as in the
last row of a hall, it is as high as a line of print at arm's length."""
NAME = 16
"""Most characters of a class in the strip."""
EDGE = 16
"""Pixels around the colours at the side."""


def talk_scale(height: int) -> float:
    """Return the factor on the type for a window of this height to be readable from the last row."""
    capital = 0.727  # height of a capital letter, of the size of the type: that of the bundled font
    return max(1.0, height * READABLE / capital / theme.BASE_PX)


def _font() -> QFont:
    return theme.font(theme.px(theme.BASE_PX))


class ColourKey(QWidget):
    """The meaning of the colours: in one line, or, upright, below each other at the side of the panels."""

    def __init__(self, upright: bool = False) -> None:
        super().__init__()
        self.upright = upright
        self._colouring: Colouring | None = None
        if upright:
            self.setObjectName("points")
            self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        else:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_colouring(self, colouring: Colouring | None) -> None:
        """Show the classes, or the scale."""
        self._colouring = colouring
        self.updateGeometry()
        self.update()
        words = ", ".join(line(c, NAME) for c in colouring.classes) if colouring is not None else ""
        self.setAccessibleName(f"Colours: {words or (colouring.title if colouring is not None else '')}")

    def sizeHint(self) -> QSize:
        return QSize(400, ceil(key_row_height(_font())))

    def entries(self, room: QSizeF) -> tuple[list[KeyEntry], float]:
        """Place the entries of the key; return them and the width that they take."""
        if self._colouring is None:
            return [], 0.0
        if self.upright:
            return lay_in_columns(self._colouring.classes, room, _font())
        names = distinct_names(list(self._colouring.classes), NAME)
        entries = lay_in_rows(list(enumerate(names)) or [(TITLE, line(self._colouring.title, NAME))], inf, _font())
        last = entries[-1]
        return entries, last.x + SWATCH * _font().pixelSize() + theme.metrics(_font()).horizontalAdvance(last.text)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._colouring is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(_font())
        edge = EDGE if self.upright else 0
        room = QSizeF(self.width() - 2 * edge, self.height() - 2 * edge)
        paint_key(painter, QPointF(edge, edge), self.entries(room)[0], self._colouring)
        painter.end()


class PresentationBar(QWidget):
    """The data's name, master ε, η and t, and the colours, for the last row of a lecture hall."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = spaced(QVBoxLayout(self), 24, 8, 24, 8, spacing=4)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(16)
        self.title = Name(role="title")
        self._labels: dict[str, QLabel] = {}
        self.sliders: dict[str, Slider] = {}
        # The sliders' names for screen readers, beside their letters.
        about = {"ε ×": "factor on every linked bandwidth", "η": "within-view weight", "t": "diffusion time"}
        for name, scale, value, do in (
            ("ε ×", Scale(*SCALE_RANGE), 1.0, lambda v: editor.set_scale(v, interactive=True)),
            ("η", Scale(0.0, 1.0, "linear"), 0.0, lambda v: editor.set_param("eta", round(v, 3), interactive=True)),
            ("t", Scale(0.0, 64.0, "int"), 1.0, lambda v: editor.set_param("t", int(v), interactive=True)),
        ):
            label, slider = QLabel(name), Slider(scale, value, f"{name}, {about[name]}")
            label.setProperty("role", "title")
            slider.moved.connect(do)
            slider.released.connect(editor.end_drag)
            row.addWidget(label)
            row.addWidget(slider, 2 if name == "ε ×" else 1)
            self._labels[name], self.sliders[name] = label, slider
        self.snapshot = Name(role="muted")
        """At which snapshot the talk stands."""
        self.snapshot.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.snapshot.hide()
        row.addWidget(self.snapshot)
        leave = Label("Esc leaves", "muted")
        row.addWidget(leave)
        self.key, self.side_key = ColourKey(), ColourKey(upright=True)
        self.side_key.hide()
        self._colouring: Colouring | None = None
        meaning = QHBoxLayout()
        column.addLayout(meaning)
        meaning.setSpacing(16)
        meaning.addWidget(self.title, 2)
        meaning.addWidget(self.key, 3)

    def show_state(self, state: DocumentState) -> None:
        """Show the shared values."""
        self.title.set_words(state_title(state))
        self.snapshot.setFixedWidth(theme.px(160))  # from snapshot to snapshot the sliders stay where they are
        scale, eta, t = state.epsilon_scale, float(state.params.get("eta") or 0.0), int(state.params.get("t") or 0)
        for name, value, text, widest in (
            ("ε ×", scale, numbers.factor(scale), "0.0000"),
            ("η", eta, f"{eta:.2f}", "0.00"),
            ("t", t, str(t), "00"),
        ):
            self.sliders[name].set_value(float(value))
            label = self._labels[name]
            label.setText(f"{name} {text}")
            # The numbers change in a drag: the sliders must not move with them.
            label.setMinimumWidth(round(theme.metrics(label.font()).horizontalAdvance(f"{name} {widest}")) + 4)

    def show_snapshot(self, words: str) -> None:
        """Show at which snapshot the talk stands; nothing where there is none."""
        self.snapshot.set_words(words)
        self.snapshot.setVisible(bool(words))

    def show_quick(self, along: str, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline where a drag is quick, as the sliders on the left do."""
        self.sliders["ε ×"].set_quick(ranges if along == "epsilon_scale" else ())
        self.sliders["η"].set_quick(ranges if along == "eta" else ())

    def show_colouring(self, colouring: Colouring | None) -> None:
        """Show what the points are coloured by: beside the title where that takes one line, else beside the panels."""
        self._colouring = colouring
        for key in (self.key, self.side_key):
            key.show_colouring(colouring)
        self._share()

    def _share(self) -> None:
        colouring = self._colouring
        line_share = 0.6  # most of the window's width that the colours take beside the title
        crowded = (
            colouring is not None
            and bool(colouring.classes)
            and self.key.entries(QSizeF())[1] > line_share * self.width()
        )
        self.key.setVisible(colouring is not None and not crowded)
        self.side_key.setVisible(crowded and self.isVisible())
        if crowded:
            high = self.window().height() - self.sizeHint().height() - 2 * EDGE
            side_share = 0.25  # most of the window's width that they take at the side of the panels
            taken = self.side_key.entries(QSizeF(side_share * self.width() - 2 * EDGE, high))[1]
            self.side_key.setFixedWidth(ceil(taken) + 2 * EDGE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.side_key.hide()
