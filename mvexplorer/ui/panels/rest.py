"""The panels that a document has beyond those shown: a button that lists them, and a menu to bring one in."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton

from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_title, panel_titles
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.widgets.plain_text import add_action


class RestOfPanels(QToolButton):
    """Says how many panels are not shown; its menu brings one in, in the place of the focused panel.

    The menu is part of the menu bar as well.
    """

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._state = DocumentState()
        self.list = QMenu("Panels not shown", self)
        self.list.setToolTipsVisible(True)
        self.list.aboutToShow.connect(self._fill)
        self.setProperty("role", "small")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip("A window shows twelve panels at once. List the others, to bring one in")
        self.setAccessibleName(self.toolTip())
        self.clicked.connect(lambda: self.list.popup(self.mapToGlobal(self.rect().topLeft())))
        self.show_state(self._state)

    def show_state(self, state: DocumentState) -> None:
        """Show how many panels are not shown; nothing where all are."""
        self._state, count = state, len(state.rest)
        self.setText(f"{count} more panel{'s' if count != 1 else ''} ▾")
        self.setVisible(count > 0)
        self.list.menuAction().setVisible(count > 0)

    def _fill(self) -> None:
        self.list.clear()
        if not self._state.rest:
            return
        state, titles = self._state, panel_titles(self._state)
        goes = state.find_panel(self._editor.focused or "")
        goes = goes if goes in state.shown else state.shown[-1]
        head = add_action(self.list, f"In place of “{panel_title(state, goes)}”")
        head.setEnabled(False)
        for panel in state.rest:
            action = add_action(self.list, titles[panel.id])
            action.triggered.connect(partial(self._editor.bring_in, panel.id))
