"""Widgets that paint themselves, as screen readers get them: their role, and their value in words and as a number."""

from __future__ import annotations

from functools import cache
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleValueChangeEvent, QAccessibleValueInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import VoidPtr

NOTHING = VoidPtr(0)
"""Qt's null pointer: where it is handed Python's None, it takes that for an object of its own, and crashes."""


class Spoken:
    """Mixed into a widget of ours: to Qt, which knows only its own widgets, it would be a blank."""

    spoken_role = QAccessible.Role.Chart

    def spoken_value(self) -> str:
        """The value in words, as it is seen; empty where there is none."""
        return ""


class SpokenSlider(Spoken):
    """Has a number as well, which a reader may set; all are in the unit of the words, not in that of a track."""

    spoken_role = QAccessible.Role.Slider

    def spoken_numbers(self) -> tuple[float, float, float] | None:
        """The value, the least and the most it can be; None where there is no value yet."""
        raise NotImplementedError

    def take_spoken(self, number: float) -> None:
        """Move to a number, as the hand would."""
        raise NotImplementedError

    def speak(self) -> None:
        """Let readers know that the value has changed."""
        if QAccessible.isActive() and isinstance(self, QWidget) and (numbers := self.spoken_numbers()) is not None:
            QAccessible.updateAccessibility(QAccessibleValueChangeEvent(self, numbers[0]))


class _Voice(QAccessibleWidget):
    def __init__(self, widget: Any) -> None:
        super().__init__(widget, widget.spoken_role)
        self._widget: Spoken = widget
        self._number = _Number(widget) if isinstance(widget, SpokenSlider) else None

    def text(self, kind: QAccessible.Text) -> str:
        value = self._widget.spoken_value() if kind == QAccessible.Text.Value else ""
        return value or super().text(kind)

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        number = self._number
        if kind == QAccessible.InterfaceType.ValueInterface and number is not None and number.known:
            return number
        ours = super().interface_cast(kind)
        return NOTHING if ours is None else ours


class _Number(QAccessibleValueInterface):
    def __init__(self, slider: SpokenSlider) -> None:
        super().__init__()
        self._slider = slider

    @property
    def known(self) -> bool:
        return self._slider.spoken_numbers() is not None

    def _part(self, place: int) -> float:
        numbers = self._slider.spoken_numbers()
        return 0.0 if numbers is None else numbers[place]

    def currentValue(self) -> float:
        return self._part(0)

    def minimumValue(self) -> float:
        return self._part(1)

    def maximumValue(self) -> float:
        return self._part(2)

    def minimumStepSize(self) -> float:
        return 0.0  # a step is a share of the value

    def setCurrentValue(self, value: Any) -> None:
        self._slider.take_spoken(float(value))


def _voice_of(key: str, thing: QObject | None) -> QAccessibleInterface | None:
    return _Voice(thing) if isinstance(thing, Spoken) else None


@cache
def let_widgets_speak() -> None:
    """Give screen readers what our widgets say of themselves."""
    QAccessible.installFactory(_voice_of)
