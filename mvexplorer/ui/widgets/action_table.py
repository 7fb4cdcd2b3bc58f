"""Every action of the window in one table: the menus, the shortcuts and Ctrl+K all read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence

from mvexplorer.ui.widgets.plain_text import caption, tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMainWindow, QMenu


@dataclass(frozen=True)
class Act:
    """One action; an empty text is a separator, several shortcuts are separated by "|"."""

    menu: str
    text: str = ""
    keys: str = ""
    do: Callable[[], object] | None = None
    checked: Callable[[], bool] | None = None
    enabled: Callable[[], bool] | None = None
    label: Callable[[], str] | None = None


class ActionTable:
    """Builds the menus of a window from a table, and keeps ticks and greying right when a menu opens."""

    def __init__(self, window: QMainWindow, table: list[Act]) -> None:
        self.table = [a for a in table if a.text]
        self.actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for act in table:
            menu = self.menus.get(act.menu)
            if menu is None:
                menu = self.menus[act.menu] = window.menuBar().addMenu(f"&{act.menu}")
                menu.setToolTipsVisible(True)
                menu.aboutToShow.connect(self.refresh)
            if not act.text:
                menu.addSeparator()
                continue
            action = menu.addAction(act.text)
            if act.keys:
                action.setShortcuts([QKeySequence(k) for k in act.keys.split("|")])
            action.setCheckable(act.checked is not None)
            if act.do is not None:
                action.triggered.connect(lambda _=False, d=act.do: d())
            self.actions[act.text] = action
            window.addAction(action)  # a shortcut of a hidden menu bar is dead, and a presentation hides it
        self.refresh()

    def refresh(self) -> None:
        """Bring ticks, greying and changing texts up to date."""
        for act in self.table:
            action = self.actions[act.text]
            if act.checked is not None:
                action.setChecked(act.checked())
            if act.enabled is not None:
                action.setEnabled(act.enabled())
            if act.label is not None:
                action.setText(caption(act.label()))
                action.setToolTip(tip(act.label()))
