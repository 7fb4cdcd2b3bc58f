"""The room in and around layouts."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QLayout, QWidget

Laid = TypeVar("Laid", bound=QLayout)


def spaced(layout: Laid, *margins: int, spacing: int | None = None) -> Laid:
    """Give a layout its margins (left, top, right, bottom) and its spacing, both in pixels; returns it."""
    if margins:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    return layout


def show_in_place(widget: QWidget, *, possible: bool, at_hand: bool = True) -> None:
    """Show a widget that is possible here while it is at hand; else keep its room, so that nothing beside it moves."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(possible)
    widget.setSizePolicy(policy)
    widget.setVisible(possible and at_hand)
