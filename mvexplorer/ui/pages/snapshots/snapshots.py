"""The snapshots over the window, a way to keep one more, and the note of one."""

from __future__ import annotations

from functools import partial
from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.snapshots import LONGEST_NOTE
from mvexplorer.ui.pages.snapshots.snapshot_list import CARD, SnapshotList
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, add_action, line

PURPOSE = (
    "Keep a state that is worth showing again: its parameters, pictures and cameras come back by one click, and in a "
    "presentation (F11) by the keys 1 to 9 and the page keys."
)
HINT = "Return goes there · F2 renames · Del deletes · Space marks A, B"


class SnapshotPane(QWidget):
    """Follows the document while it is shown."""

    left = Signal()
    """The panels are to be seen."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._document, self._editor, self._walk = workbench.document, workbench.editor, workbench.walk
        column = spaced(QVBoxLayout(self), 12, 12, 12, 12, spacing=8)
        row = QHBoxLayout()
        column.addLayout(row)
        self.hint, self.keep = Label(HINT, "muted"), QPushButton("Keep this state")
        self.all = QPushButton("All ▾")
        self.all.setToolTip("Write all snapshots at once, or compare two")
        self.all.clicked.connect(lambda: self.menu().popup(self.all.mapToGlobal(self.all.rect().bottomLeft())))
        row.addWidget(self.hint)
        row.addStretch(1)
        row.addWidget(self.all)
        row.addWidget(self.keep)
        self.purpose = Label(PURPOSE, "muted", wraps=True)
        self.purpose.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.purpose.setContentsMargins(64, 0, 64, 0)
        column.addWidget(self.purpose, 1)
        self.list, self.note = SnapshotList(workbench), Field()
        column.addWidget(self.list, 1)
        column.addWidget(self.note)
        keyed_tip(self.keep, "Keep this state as a snapshot", "Keep this state")
        self.keep.setAutoDefault(True)  # for Return
        self.keep.clicked.connect(self._walk.keep)
        self.note.setMaxLength(LONGEST_NOTE)
        self.note.setPlaceholderText("Note of this snapshot")
        self.note.setAccessibleName("Note of the snapshot")
        self.note.editingFinished.connect(self._write_note)
        self._noted = ""
        """The snapshot whose note is in the field."""
        self.list.at_hand.connect(lambda _: self._show_note())
        self._walk.changed.connect(self._follow)
        self._document.changed.connect(lambda change: self._follow() if self._differs() else None)
        self.refresh()

    def sizeHint(self) -> QSize:
        across, most = 3, 2  # cards in a row, and rows in sight at once
        rows = min(most, max(1, ceil(len(self._document.state.snapshots.kept) / across)))
        return QSize(across * CARD.width() + 44, rows * CARD.height() + 112)

    def _differs(self) -> bool:
        return self._document.state.snapshots.kept is not self.list.snapshots.kept

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self.list.at = ""  # the keys begin at the card where the user stands
        self.refresh()
        super().showEvent(event)

    def apply_theme(self) -> None:
        """Use the theme's colours, and its size of type."""
        self.list.doItemsLayout()

    def refresh(self) -> None:
        """Show the snapshots, or what they are for."""
        kept = self._document.state.snapshots.kept
        self.list.show_kept(kept, self._walk.at)
        for widget in (self.hint, self.all, self.list, self.note):
            widget.setVisible(bool(kept))
        self.purpose.setVisible(not kept)
        self.setFocusProxy(self.list if kept else self.keep)
        self._show_note()

    def menu(self) -> QMenu:
        """Make the menu of what is done with all snapshots."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, name in (("Contact sheet …", "contact sheet"), ("Figures of all …", "figures of snapshots")):
            menu.addAction(words).triggered.connect(partial(self._editor.export_wanted.emit, name))
        menu.addSeparator()
        pair = self._walk.pair
        for words, how in (("Wipe", "wipe"), ("Morph", "morph")):
            between = "" if pair is None else f" between {line(pair[0], 24)} and {line(pair[1], 24)}"
            compare = add_action(menu, f"{words}{between}")
            compare.setEnabled(pair is not None)
            compare.triggered.connect(partial(self._compare, how))
        return menu

    def _compare(self, how: str) -> None:
        """Compare two snapshots, out of this pane's way."""
        self.left.emit()
        self._editor.attempt(partial(self._walk.compare, how))

    def _show_note(self) -> None:
        chosen = self.list.chosen
        if self.note.isModified() and chosen is not None and chosen.name == self._noted:
            return  # it is being typed
        self._noted = "" if chosen is None else chosen.name
        note = "" if chosen is None else chosen.note
        if note != self.note.text():  # else Return would move the cursor
            self.note.setText(note)
            self.note.setCursorPosition(0)

    def _write_note(self) -> None:
        if self.note.isModified() and self._noted:
            self.note.setModified(False)
            self._editor.annotate_snapshot(self._noted, self.note.text())
