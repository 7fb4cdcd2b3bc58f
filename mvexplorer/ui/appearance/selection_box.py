"""The present selection and its origin, the named selections, and the actions on them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.appearance.selection_list import SelectionList, add_combinations, add_others
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place, spaced
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, Name


class SelectionBox(QWidget):
    """The part of the right side about selections; signals carry a named selection, empty for the present one."""

    contents_wanted = Signal(str, str)
    """The user wants to know what is in it, compared with another one where that is named."""
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
        self.clear = QToolButton()
        self.clear.setToolTip("Select nothing (Esc)")
        self.clear.setAccessibleName("Select nothing")
        theme.square(self.clear, 18, 14)
        self.clear.clicked.connect(lambda: self._editor.select(()))
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.clear)
        head.addWidget(self.more)

    def _make_buttons(self, column: QVBoxLayout) -> None:
        self.buttons = QWidget()
        row = spaced(QHBoxLayout(self.buttons), 0, 0, 0, 0, spacing=4)
        column.addWidget(self.buttons)
        self.keep, self.describe, self.export = QPushButton("Save"), QPushButton("Describe"), QPushButton("Export …")
        keyed_tip(self.keep, "Give the selection a name", "Save selection")
        self.describe.setToolTip("See what sets the selected samples apart, name them, and list them")
        self.export.setToolTip("Write the selected samples as CSV: ids, label, columns, coordinates, features")
        self.keep.clicked.connect(self.keep_and_name)
        self.describe.clicked.connect(lambda: self.contents_wanted.emit("", ""))
        self.export.clicked.connect(lambda: self._editor.export_wanted.emit("selection"))
        for button in (self.keep, self.describe, self.export):
            button.setProperty("role", "narrow")
            button.setMinimumWidth(1)  # before its style is known it asks for more, which would widen the side for good
            row.addWidget(button)
        row.addStretch(1)

    def keep_and_name(self) -> None:
        """Keep the present selection, and have its name typed in the list where that is in sight."""
        if self._editor.keep_selection() and self.isVisible() and self.list.texts.n_rows():
            self.list.begin_rename(self.list.texts.n_rows() - 1)

    def menu(self) -> QMenu:
        """Make the menu of actions on the present selection and the named ones."""
        menu, state = QMenu(self), self._editor.state
        menu.setToolTipsVisible(True)
        embed, invert = menu.addAction("Re-embed selection …"), menu.addAction("Invert selection")
        embed.triggered.connect(lambda: self.part_wanted.emit(""))
        invert.triggered.connect(self._editor.invert_selection)
        for action in (embed, invert):
            action.setEnabled(bool(state.selection))
        others = state.selections.others_than(state.selection) if state.selection else ()
        add_others(menu, others, partial(self.contents_wanted.emit, ""))
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
        for widget in (self.buttons, self.clear):
            show_in_place(widget, possible=True, at_hand=chosen > 0)
        show_in_place(self.more, possible=True, at_hand=chosen > 0 or bool(state.selections.named))
        self.clear.setIcon(theme.icon("x"))
        self.more.setIcon(theme.icon("ellipsis"))
        self.list.show_named(state.selections.named, state.selection)
