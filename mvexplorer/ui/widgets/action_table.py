"""Every action of the window in one table: the menus, the shortcuts and Ctrl+K all read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from mvexplorer.ui.widgets.keyed_tip import follow_keys
from mvexplorer.ui.widgets.plain_text import caption, tip


@dataclass(frozen=True)
class Act:
    """One action; an empty text is a separator, several shortcuts are separated by "|"."""

    menu: str
    """The menu's name, or ``File/Export`` for a menu in a menu."""
    text: str = ""
    keys: str = ""
    do: Callable[[], object] | None = None
    checked: Callable[[], bool] | None = None
    enabled: Callable[[], bool] | None = None
    label: Callable[[], str] | None = None
    """The menu's text, where it differs from the action's name."""
    words: str = ""
    """Other names that people type for it."""
    about: str = ""
    """What it is for, as the menu's tooltip."""
    in_menu: bool = True
    """False where Ctrl+K, the keys and the list of keys are enough."""
    shown: Callable[[], bool] | None = None
    """Where it is in the menu only at times: whether now."""


class ActionTable:
    """Builds the menus of a window from a table, and keeps ticks and greying right when a menu opens."""

    def __init__(self, window: QMainWindow, table: list[Act]) -> None:
        self._window = window
        self.table = [a for a in table if a.text]
        self.actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for act in table:
            menu = self.menus.get(act.menu) or self._add_menu(act.menu)
            if not act.text:
                menu.addSeparator()
                continue
            action = QAction(act.text, menu)
            if act.in_menu:
                menu.addAction(action)
            action.setCheckable(act.checked is not None)
            if act.do is not None:
                action.triggered.connect(lambda _=False, d=act.do: d())
            self.actions[act.text] = action
            window.addAction(action)  # a shortcut of a hidden menu bar is dead, and a presentation hides it
        self.set_keys({})
        self.refresh()

    def _add_menu(self, name: str) -> QMenu:
        above, _, title = name.rpartition("/")
        menu = self.menus[above].addMenu(title) if above else self._window.menuBar().addMenu(f"&{title}")
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self.refresh)
        self.menus[name] = menu
        return menu

    def set_keys(self, chosen: Mapping[str, str]) -> None:
        """Give each action the keys chosen for it, else its usual ones."""
        self._chosen, first_keys = dict(chosen), dict[str, str]()
        for act in self.table:
            keys = self.keys_of(act.text)
            first_keys[act.text] = keys.split("|")[0]
            self.actions[act.text].setShortcuts([QKeySequence(k) for k in keys.split("|")] if keys else [])
        follow_keys(self._window, first_keys)

    def keys_of(self, text: str) -> str:
        """The present keys of an action, several separated by "|"."""
        return self._chosen.get(text, next(act.keys for act in self.table if act.text == text))

    def holder(self, keys: str, besides: str) -> str:
        """The action, other than `besides`, that has these keys; empty if none has."""
        taken = ((act.text, self.keys_of(act.text).split("|")) for act in self.table if act.text != besides)
        return next((text for text, each in taken if keys in each), "")

    def refresh(self) -> None:
        """Bring ticks, greying and changing texts up to date."""
        for act in self.table:
            action = self.actions[act.text]
            if act.checked is not None:
                action.setChecked(act.checked())
            if act.enabled is not None:
                action.setEnabled(act.enabled())
            if act.shown is not None:
                self._show(act, shown=act.shown())
            if act.label is not None:
                action.setText(caption(act.label()))
                action.setToolTip(tip(act.about or act.label()))

    def _show(self, act: Act, *, shown: bool) -> None:
        """Put an action into its menu, or take it out; one that is only invisible would be disabled everywhere."""
        menu, action = self.menus[act.menu], self.actions[act.text]
        present = menu.actions()
        if shown and action not in present:
            later = self.table[self.table.index(act) + 1 :]
            following = [self.actions[each.text] for each in later if each.menu == act.menu]
            below = next((each for each in following if each in present), None)
            if below is None:
                menu.addAction(action)
            else:
                menu.insertAction(below, action)
        elif not shown and action in present:
            menu.removeAction(action)
