"""Tooltips that name a key: always the one that its action has at present."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from mvexplorer.ui.widgets.plain_text import tip

_keys: dict[str, str] = {}
"""Action -> its first key, as it was chosen last."""


def keyed_tip(widget: QWidget, words: str, *actions: str) -> None:
    """Give a widget a tooltip, with the keys of the actions that do the same, now and after they are changed."""
    if actions:
        widget.setProperty("keyed", (words, *actions))
    _write(widget, words, actions)


def follow_keys(window: QWidget, keys: Mapping[str, str]) -> None:
    """Name these keys of the actions in the tooltips of a window, and in those of widgets made later."""
    _keys.update(keys)
    for widget in window.findChildren(QWidget):
        if (keyed := widget.property("keyed")) is not None:
            words, *actions = keyed
            _write(widget, words, tuple(actions))


def _write(widget: QWidget, words: str, actions: tuple[str, ...]) -> None:
    keys = ", ".join(key for action in actions if (key := _keys.get(action, "")))
    widget.setToolTip(tip(f"{words} ({keys})" if keys else words))
    widget.setAccessibleName(widget.accessibleName() or words)
