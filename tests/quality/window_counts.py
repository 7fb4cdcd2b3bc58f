"""Counts what a window shows at once, on helix A at 1440 x 900: menu entries, tabs, controls; prints them as JSON.

A menu's entries are counted as they are seen once it and the menus in it are opened. A control is a visible button,
slider, choice or field, the program's own kinds included; the parts of one control are one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QScrollBar,
    QTabBar,
    QWidget,
)

from mvexplorer.state.session.settings import updated
from mvexplorer.ui.offscreen import application, no_display_settings, wait_until_idle
from mvexplorer.ui.widgets.slider import Slider
from mvexplorer.ui.window.main_window import MainWindow

CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QAbstractSpinBox, QLineEdit, Slider)


def leaves(menu: QMenu) -> list[str]:
    """The entries of a menu and of those in it."""
    menu.aboutToShow.emit()
    texts: list[str] = []
    for action in menu.actions():
        if action.isVisible() and not action.isSeparator():
            texts += leaves(action.menu()) if action.menu() else [action.text()]
    return texts


def controls(window: QWidget) -> Iterator[QWidget]:
    """The visible controls; scroll bars, and the parts of fields and choices, are none."""
    for widget in window.findChildren(QWidget):
        within = isinstance(widget.parentWidget(), (QComboBox, QAbstractSpinBox, QLineEdit, QTabBar))
        if isinstance(widget, CONTROLS) and widget.isVisible() and not within and not isinstance(widget, QScrollBar):
            yield widget


def counts(window: MainWindow) -> dict[str, list[str]]:
    """All that is counted, by name."""
    tabs = window.bottom.tabs
    return {
        "entries": [text for action in window.menuBar().actions() if action.menu() for text in leaves(action.menu())],
        "tabs": [tabs.tabText(i) for i in range(tabs.count())],
        "controls": [widget.accessibleName() or type(widget).__name__ for widget in controls(window)],
    }


def main() -> None:
    """Open helix A and print the counts."""
    application("light", exported=True)
    window = MainWindow(updated(no_display_settings(), {"theme": "light"}), keep_settings=False)
    window.resize(1440, 900)
    window.show()
    window.library.open_source(("helix-a",))
    wait_until_idle(window)
    print(json.dumps(counts(window), ensure_ascii=False, indent=1))
    window.discard()


if __name__ == "__main__":
    main()
