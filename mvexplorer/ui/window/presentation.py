"""The slim strip of a presentation: the bandwidth, η and t at one and a half times the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from mvexplorer.state.commands import SCALE_RANGE
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.slider import Scale, Slider

if TYPE_CHECKING:
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.model import DocumentState


class PresentationBar(QWidget):
    """Master ε, η and t for the last row of a lecture hall."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 10, 24, 10)
        row.setSpacing(14)
        self._labels: dict[str, QLabel] = {}
        self.sliders: dict[str, Slider] = {}
        for name, scale, value, do in (
            ("ε ×", Scale(*SCALE_RANGE), 1.0, lambda v: editor.set_scale(v, interactive=True)),
            ("η", Scale(0.0, 1.0, "linear"), 0.0, lambda v: editor.set_param("eta", round(v, 3), interactive=True)),
            ("t", Scale(0.0, 64.0, "int"), 1.0, lambda v: editor.set_param("t", int(v), interactive=True)),
        ):
            label, slider = QLabel(name), Slider(scale, value, name)
            label.setFont(theme.font(int(1.5 * theme.BASE_PX), bold=True))
            label.setStyleSheet(f"font-size: {int(1.5 * theme.BASE_PX)}px; font-weight: 600;")
            label.setMinimumWidth(110)
            slider.moved.connect(do)
            slider.released.connect(editor.end_drag)
            row.addWidget(label)
            row.addWidget(slider, 2 if name == "ε ×" else 1)
            self._labels[name], self.sliders[name] = label, slider
        leave = QLabel("Esc leaves")
        leave.setProperty("role", "muted")
        row.addWidget(leave)

    def show_state(self, state: DocumentState) -> None:
        """Show the shared values."""
        scale, eta, t = state.epsilon_scale, float(state.params.get("eta") or 0.0), int(state.params.get("t") or 0)
        for name, value, text in (("ε ×", scale, f"{scale:.3g}"), ("η", eta, f"{eta:.2f}"), ("t", t, str(t))):
            self.sliders[name].set_value(float(value))
            self._labels[name].setText(f"{name} {text}")
