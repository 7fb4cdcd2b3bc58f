"""The room in and around layouts."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QLayout

Laid = TypeVar("Laid", bound=QLayout)


def spaced(layout: Laid, *margins: int, spacing: int | None = None) -> Laid:
    """Give a layout its margins (left, top, right, bottom) and its spacing, both in pixels; returns it."""
    if margins:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    return layout
