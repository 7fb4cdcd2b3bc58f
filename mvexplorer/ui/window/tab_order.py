"""The order of the keyboard focus: by Tab as the window is read, and nowhere by itself."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget


def move_focus(window: QWidget, forward: bool) -> None:
    """Focus the next widget of a window, or the former one.

    Qt asks for the same when it hides or disables the widget with the focus. Nobody meant another widget then, least
    of all a panel, which the next key would change: the window itself gets the keys.
    """
    present = window.focusWidget()
    if present is not None and present is not window and not (present.isVisibleTo(window) and present.isEnabled()):
        window.setFocus(Qt.FocusReason.OtherFocusReason)
        return
    order = list(reading_order(window))
    if not order:
        return
    step = 1 if forward else -1
    place = order.index(present) + step if present in order else min(0, step)
    target, reason = order[place % len(order)], Qt.FocusReason.TabFocusReason
    if forward:
        target.setFocus(reason)
    else:
        reason = Qt.FocusReason.BacktabFocusReason
        target.setFocus(reason)
        # The buttons of a panel are there while it has the keys: coming from behind, the last of them is next.
        behind = list(reading_order(window))
        if present in behind and (last := behind[behind.index(present) - 1]) is not target:
            target = last
            target.setFocus(reason)
    _scroll_to(target)


def reading_order(parent: QWidget) -> Iterator[QWidget]:
    """The widgets within `parent` that Tab reaches, line by line, each before what it contains."""
    children = (child for child in parent.children() if isinstance(child, QWidget))
    for child in _by_lines([c for c in children if c.isVisible() and not c.isWindow()]):
        reached = child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.focusProxy() is None
        if reached and child.isEnabled():
            yield child
        yield from reading_order(child)


def _by_lines(widgets: list[QWidget]) -> Iterator[QWidget]:
    """Siblings from top to bottom; one whose middle is above the end of a line's first stands on that line."""
    lines: list[list[QWidget]] = []
    for widget in sorted(widgets, key=lambda w: w.y()):
        if lines and widget.geometry().center().y() <= lines[-1][0].geometry().bottom():
            lines[-1].append(widget)
        else:
            lines.append([widget])
    for line in lines:
        yield from sorted(line, key=lambda w: w.x())


def _scroll_to(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget, 0, 8)
        parent = parent.parentWidget()
