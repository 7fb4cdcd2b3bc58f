"""A field for a number that may be typed as text, and a row of a slider with its field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from mvexplorer.engine.params import Param
from mvexplorer.ui import numbers
from mvexplorer.ui.slider import Scale, Slider


class NumberField(QLineEdit):
    """Emits `entered(text)` on Return or when left with a changed text; Esc puts the old text back."""

    entered = Signal(str)

    def __init__(self, name: str, width: int = 76) -> None:
        super().__init__()
        self.setFixedWidth(width)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        self._shown = ""
        self.returnPressed.connect(self._enter)

    def show_text(self, text: str) -> None:
        """Show a value, unless somebody is typing."""
        if not (self.hasFocus() and self.isModified()):
            self._shown = text
            self.setText(text)
            self.setCursorPosition(0)
            self.set_wrong(False)

    def set_wrong(self, wrong: bool) -> None:
        """Outline in red what cannot be used."""
        if bool(self.property("wrong")) != wrong:
            self.setProperty("wrong", wrong)
            self.style().unpolish(self)
            self.style().polish(self)

    @property
    def _unsettled(self) -> bool:
        """Whether the field shows something else than the value in force."""
        return self.isModified() or bool(self.property("wrong"))

    def _enter(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.entered.emit(self.text())

    def begin(self, text: str) -> None:
        """Take over what was typed elsewhere, as the beginning of a number."""
        self.setFocus()
        self.setText(text)
        self.setModified(True)

    def event(self, event: QEvent) -> bool:
        # Esc takes back the typing first; the window's own Esc comes after that.
        if event.type() == QEvent.Type.ShortcutOverride and self._unsettled and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._enter()
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._unsettled:
            self.setModified(False)
            self.set_wrong(False)
            self.show_text(self._shown)
            return
        super().keyPressEvent(event)


class ParamRow(QWidget):
    """One shared parameter: its words, a slider where it has a range, and a field."""

    moved = Signal(str, object, bool)
    """Name, value, and whether the hand is still moving."""
    released = Signal()

    def __init__(self, param: Param, high: float) -> None:
        super().__init__()
        self.param = param
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QHBoxLayout()
        words = QLabel(param.label)
        words.setToolTip(f"{param.help}\n{param.source}".strip())
        self.field = NumberField(param.label)
        self.field.setToolTip(f"{param.range_text[0].upper()}{param.range_text[1:]}")
        self.field.entered.connect(lambda text: self.moved.emit(param.name, text, False))
        top.addWidget(words, 1)
        top.addWidget(self.field)
        column.addLayout(top)
        self.slider: Slider | None = None
        scale = _scale(param, high)
        if scale is not None:
            self.slider = Slider(scale, float(param.default or scale.low), param.label)
            self.slider.setToolTip(param.help)
            self.slider.moved.connect(lambda value: self.moved.emit(param.name, self._cast(value), True))
            self.slider.released.connect(self.released)
            self.slider.typed.connect(self.field.begin)
            self.slider.reset.connect(lambda: self.moved.emit(param.name, param.default, False))
            column.addWidget(self.slider)

    def _cast(self, value: float) -> float | int:
        return round(value) if self.param.kind == "int" else round(value, 4)

    def show_value(self, value: float | int | str | None, high: float) -> None:
        """Show the shared value."""
        self.field.show_text("Σ ε" if value is None else str(value) if isinstance(value, str) else f"{value:.4g}")
        if self.slider is not None and isinstance(value, int | float):
            scale = _scale(self.param, max(high, float(value)))
            if scale is not None and scale != self.slider.scale:
                self.slider.set_scale(scale)
            self.slider.set_value(float(value))
            self.slider.setAccessibleDescription(numbers.number(float(value)))


def _scale(param: Param, high: float) -> Scale | None:
    """The slider's axis; None for a parameter that has no natural range."""
    top = min(param.high, high)
    if param.low == float("-inf") or top == float("inf"):
        return None
    if param.kind == "int":
        return Scale(param.low, top, "int")
    return None if param.log else Scale(param.low, top, "linear")
