"""The questions of the import page, all in sight: each a sentence with the buttons that settle it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.state.bench.import_questions import ImportQuestion
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.banner import ICONS
from mvexplorer.ui.widgets.plain_text import Label, caption, sentence


class QuestionRow(QWidget):
    """One question; `taken` carries the offer whose button was pressed."""

    taken = Signal(object)

    def __init__(self, question: ImportQuestion) -> None:
        super().__init__()
        self.question = question
        self.setObjectName("banner")
        self.setProperty("level", question.level)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = spaced(QHBoxLayout(self), 12, 4, 8, 4, spacing=8)
        self._sign = QLabel()
        self.words = Label(sentence(f"{question.text} {question.hint}".strip(), 2000), wraps=True)
        self.words.setMinimumWidth(120)
        row.addWidget(self._sign)
        row.addWidget(self.words, 1)
        self.buttons = [QPushButton(caption(offer.title)) for offer in question.offers]
        for button, offer in zip(self.buttons, question.offers, strict=True):
            button.setAutoDefault(True)  # Return presses it
            button.clicked.connect(partial(self.taken.emit, offer))
            row.addWidget(button)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the sign in the theme's colours."""
        self._sign.setPixmap(theme.pixmap(*ICONS[self.question.level], theme.px(16)))


class Questions(QScrollArea):
    """All of them, as high as they need up to a few; nothing where there are none."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Questions about the files")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows: list[QuestionRow] = []
        self.hide()

    @property
    def texts(self) -> list[str]:
        """Their words, from top to bottom."""
        return [row.words.text() for row in self.rows]

    def show_questions(self, questions: Sequence[ImportQuestion]) -> None:
        """Show these instead of the former ones."""
        if list(questions) == [row.question for row in self.rows]:
            return
        inside = QWidget()
        column = spaced(QVBoxLayout(inside), 0, 0, 0, 0, spacing=4)
        self.rows = [QuestionRow(question) for question in questions]
        for row in self.rows:
            row.taken.connect(self.taken)
            column.addWidget(row)
        former = self.takeWidget()
        if former is not None:
            former.deleteLater()  # in its turn: one of its buttons may be what is pressed
        self.setWidget(inside)
        self.setVisible(bool(self.rows))
        self._fit()

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours and size."""
        for row in self.rows:
            row.apply_theme()
        self._fit()

    def _fit(self) -> None:
        inside = self.widget()
        column = inside.layout() if inside is not None else None
        if inside is None or column is None:
            return
        inside.ensurePolished()
        whole = column.heightForWidth(self.viewport().width())
        most = 160  # pixels; more questions scroll
        self.setFixedHeight(max(1, min(whole, theme.px(most))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()
