"""The check list of the import page: a card for each thing that is checked, with its state and what settles it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.io.reading.check_list import ImportCheck, Remark
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, caption, sentence, tip

SIGNS = {
    "fine": ("circle-check", "green"),
    "proposal": ("info", "accent"),
    "decide": ("triangle-alert", "amber"),
    "blocks": ("octagon-alert", "red"),
    "unknown": ("circle", "muted"),
}
"""Sign of each state: its form tells it apart as well as its colour."""
STATES = {
    "fine": "fine",
    "proposal": "proposal applied",
    "decide": "you decide",
    "blocks": "cannot be opened",
    "unknown": "not known yet",
}


class RemarkRow(QWidget):
    """One sentence with its ways out; `taken` carries the offer that was pressed.

    Ways of which one is applied are a choice among them, others are buttons.
    """

    taken = Signal(object)

    def __init__(self, remark: Remark) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=4)
        self.words = Label(sentence(remark.text, 2000), wraps=True)
        self.words.setMinimumWidth(120)
        sentence_and_button = spaced(QHBoxLayout(), spacing=8)
        sentence_and_button.addWidget(self.words, 1)
        column.addLayout(sentence_and_button)
        kind = QPushButton if remark.chosen is None else QRadioButton
        self.buttons: list[QAbstractButton] = [kind(caption(offer.title)) for offer in remark.offers]
        for button, offer in zip(self.buttons, remark.offers, strict=True):
            button.setToolTip(tip(offer.title))
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            if isinstance(button, QPushButton):
                button.setAutoDefault(True)  # Return presses it
            else:
                button.setChecked(offer == remark.chosen)
            button.clicked.connect(partial(self.taken.emit, offer))
        if len(self.buttons) == 1:
            sentence_and_button.addWidget(self.buttons[0])
        else:
            self._lay_out(column)

    def _lay_out(self, column: QVBoxLayout) -> None:
        """Put the ways out beside each other, as many as a row has room for."""
        room, row, left = theme.px(432), QHBoxLayout(), 0
        for button in self.buttons:
            width = button.sizeHint().width() + 8
            if width > left:
                row, left = spaced(QHBoxLayout(), spacing=8), room
                column.addLayout(row)
                row.addStretch(1)
            row.insertWidget(row.count() - 1, button)
            left -= width


class ImportCard(QWidget):
    """One thing that is checked: sign, title and state, and below them its sentences."""

    def __init__(self, check: ImportCheck, menus: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self.check = check
        self.kind = "blocks" if check.blocks else check.state
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = spaced(QVBoxLayout(self), 12, 8, 12, 8, spacing=4)
        head = QHBoxLayout()
        head.setSpacing(8)
        column.addLayout(head)
        self._sign = QLabel()
        title = Label(sentence(check.title), "section")
        self.state = Label(STATES[self.kind], "muted")
        self.rows = [RemarkRow(remark) for remark in check.remarks]
        quiet = check.state in ("fine", "unknown") and len(self.rows) == 1 and not self.rows[0].buttons and not menus
        beside = self.rows[0] if quiet else self.state
        title.setMinimumWidth(theme.px(84) if quiet else 0)  # pixels: sentences stand below each other
        for widget in (self._sign, title, beside):
            head.addWidget(widget, int(widget is beside and quiet))
        self.state.setVisible(not quiet)
        if not quiet:
            head.addStretch(1)
        if len(menus) > 1:  # the head has room for one
            head = spaced(QHBoxLayout(), spacing=8)
            column.addLayout(head)
            head.addStretch(1)
        for menu in menus:
            head.addWidget(menu)
        for row in self.rows if not quiet else ():
            column.addWidget(row)
        self.setAccessibleName(f"{sentence(check.title)}: {STATES[self.kind]}")
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the sign in the theme's colours."""
        self._sign.setPixmap(theme.pixmap(*SIGNS[self.kind], theme.px(16)))


class ImportChecks(QScrollArea):
    """All cards, one below the other, and below them what else was assumed."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Check list")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cards: list[ImportCard] = []
        self.notes = Label(role="muted", wraps=True)
        self.notes.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._inside = QWidget()
        self._column = spaced(QVBoxLayout(self._inside), 0, 0, 0, 0, spacing=6)
        self._column.addWidget(self.notes)
        self._column.addStretch(1)
        self.setWidget(self._inside)

    @property
    def rows(self) -> list[RemarkRow]:
        """Their sentences, from top to bottom."""
        return [row for card in self.cards for row in card.rows]

    @property
    def texts(self) -> list[str]:
        """The words of these."""
        return [row.words.text() for row in self.rows]

    def show_checks(self, checks: Sequence[ImportCheck], notes: str, menus: Sequence[QWidget] = ()) -> None:
        """Show these instead of the former ones; `menus` belong to the card of the pairing."""
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        if list(checks) == [card.check for card in self.cards]:
            return
        for menu in self.findChildren(QComboBox):
            menu.hide()
            menu.setParent(self.parentWidget())  # they outlive the card
        for former in self.cards:
            self._column.removeWidget(former)
            former.hide()
            former.deleteLater()  # in its turn: one of its buttons may be what is pressed
        self.cards = [ImportCard(check, menus if check.name == "pairing" else ()) for check in checks]
        for place, card in enumerate(self.cards):
            for row in card.rows:
                row.taken.connect(self.taken)
            self._column.insertWidget(place, card)

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours and size."""
        for card in self.cards:
            card.apply_theme()
