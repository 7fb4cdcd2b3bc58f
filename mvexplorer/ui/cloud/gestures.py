"""The meaning of held keys in a gesture."""

from __future__ import annotations

from PySide6.QtCore import Qt


def operation_of(modifiers: Qt.KeyboardModifier) -> str:
    """Return how newly selected samples join the selection while these keys are held."""
    shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
    control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
    return {(False, False): "replace", (True, False): "add", (False, True): "subtract", (True, True): "intersect"}[
        shift, control
    ]
