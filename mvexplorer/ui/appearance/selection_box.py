"""The present selection and its origin, the named selections, and the actions on them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.appearance.selection_list import SelectionList, add_combinations
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place, spaced
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, Name


class SelectionBox(QWidget):
    """The part of the right side about selections; signals carry a named selection, empty for the present one."""

    contents_wanted = Signal(str)
    """The user wants to know what is in it."""
    part_wanted = Signal(str)
    """The user wants to embed its samples alone."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=4)
        self._make_head(column)
        self.count = Label(wraps=True)
        column.addWidget(self.count)
        self.origin = Name(role="muted")
        column.addWidget(self.origin)
        self._make_buttons(column)
        self.list = SelectionList(editor)
        self.list.hide()
        self.list.contents_wanted.connect(self.contents_wanted)
        self.list.part_wanted.connect(self.part_wanted)
        column.addWidget(self.list)

    def _make_head(self, column: QVBoxLayout) -> None:
        head = QHBoxLayout()
        column.addLayout(head)
        title = Label("Selection", "section")
        self.more = QToolButton()
        self.more.setToolTip("What can be done with selections")
        self.more.setAccessibleName("What can be done with selections")
        theme.square(self.more, 18, 14)
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.more)

    def _make_buttons(self, column: QVBoxLayout) -> None:
        self.buttons = QWidget()
        row = spaced(QHBoxLayout(self.buttons), 0, 0, 0, 0, spacing=4)
        column.addWidget(self.buttons)
        self.keep, self.invert, self.clear = QPushButton("Save"), QPushButton("Invert"), QPushButton("Clear")
        keyed_tip(self.keep, "Give the selection a name", "Save selection")
        keyed_tip(self.invert, "Select the others instead", "Invert selection")
        self.clear.setToolTip("Select nothing (Esc)")
        self.keep.clicked.connect(self.keep_and_name)
        self.invert.clicked.connect(self._editor.invert_selection)
        self.clear.clicked.connect(lambda: self._editor.select(()))
        for button in (self.keep, self.invert, self.clear):
            button.setMinimumWidth(1)  # before its style is known it asks for more, which would widen the side for good
            row.addWidget(button)
        row.addStretch(1)

    def keep_and_name(self) -> None:
        """Keep the present selection, and have its name typed in the list."""
        if self._editor.keep_selection() and self.list.texts.n_rows():
            self.list.begin_rename(self.list.texts.n_rows() - 1)

    def menu(self) -> QMenu:
        """Make the menu of actions on the present selection and the named ones."""
        menu, state = QMenu(self), self._editor.state
        menu.setToolTipsVisible(True)
        for words, do in (("Describe selection …", self.contents_wanted), ("Re-embed selection …", self.part_wanted)):
            action = menu.addAction(words)
            action.setEnabled(bool(state.selection))
            action.triggered.connect(lambda _=False, d=do: d.emit(""))
        menu.addSeparator()
        colour = menu.addAction("Colour by selections")
        colour.setToolTip("Those further down the list lie on top; all other samples are grey")
        colour.setEnabled(bool(state.selections.named))
        colour.triggered.connect(lambda: self._editor.colour_by("selections"))
        combine, names = menu.addMenu("Combine the marked"), self.list.chosen()
        combine.setToolTipsVisible(True)
        add_combinations(combine, self._editor, names)
        combine.setEnabled(len(names) > 1)
        return menu

    def show_state(self, state: DocumentState, total: int) -> None:
        """Show the selection, out of `total` samples, and the named selections."""
        chosen = len(state.selection)
        self.count.setText(f"{chosen:,} of {total:,} selected" if chosen else f"none of {total:,}: drag a lasso")
        self.origin.set_words(state.selections.origin)
        self.origin.setVisible(bool(state.selections.origin))
        show_in_place(self.buttons, possible=True, at_hand=chosen > 0)
        show_in_place(self.more, possible=True, at_hand=chosen > 0 or bool(state.selections.named))
        self.more.setIcon(theme.icon("ellipsis"))
        self.list.show_named(state.selections.named)
