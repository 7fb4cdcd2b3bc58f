"""A figure or a check of a page: its title, its controls, the answer as a picture and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QGraphicsOpacityEffect,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.figures import Figure
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, ShortBox, line, sentence, tip


class CheckCard(QWidget):
    """Until there is an answer the body says what it will be; the words below it say what it is.

    Without a title it has no head: what it is about is said beside it.
    """

    def __init__(self, title: str, about: str, controls: Sequence[QWidget], body: QWidget, least: int) -> None:
        super().__init__()
        self.setMinimumWidth(least)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=4)
        self.head = Name()
        self.head.set_words(title)
        self.head.setToolTip(tip(about))
        self.head.setStyleSheet("Name { font-weight: 600; }")
        self.head.setFixedHeight(theme.px(18))
        if not title:
            self.head.hide()
        column.addWidget(self.head)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        for control in controls:
            row.addWidget(control)
        row.addStretch(1)
        column.addWidget(self._make_stack(body), 1)
        self.words = Label(role="muted", wraps=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words.setFixedHeight(theme.px(32))  # two lines
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        column.addWidget(self.words)

    def _make_stack(self, body: QWidget) -> QWidget:
        self._body, whole = body, QWidget()
        whole.setMinimumHeight(theme.px(40))  # however long the words: what does not fit is in the tooltip
        self._stack = QStackedLayout(whole)
        self.empty = Label(role="muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.empty.setWordWrap(True)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(body)
        self._faint = QGraphicsOpacityEffect(whole)
        self._faint.setOpacity(0.35)  # an answer to a former question
        self._faint.setEnabled(False)
        whole.setGraphicsEffect(self._faint)
        return whole

    def hasHeightForWidth(self) -> bool:
        return False  # a card is as high as the page, however long its words

    def apply_theme(self) -> None:
        """Use the current theme's colours, where the card has some of its own."""

    def figures(self) -> tuple[Figure, ...]:
        """The figures that the card draws, for files."""
        return ()

    @property
    def answered(self) -> bool:
        """True if the answer is on show."""
        return self._stack.currentWidget() is self._body

    def show_empty(self, text: str) -> None:
        """Say what the answer will be, or why there is none."""
        self.empty.setText(sentence(text))
        self.empty.setToolTip(tip(text))
        self.say("")
        self._faint.setEnabled(False)
        self._stack.setCurrentWidget(self.empty)

    def show_answer(self, words: str, *, outdated: bool = False) -> None:
        """Show the answer, faint where it is one to a former question."""
        self.say(f"For earlier settings. {words}" if outdated else words)
        if self._faint.isEnabled() != outdated:
            self._faint.setEnabled(outdated)
        self._stack.setCurrentWidget(self._body)

    def say(self, words: str) -> None:
        """Say something below the answer; the tooltip has all of it."""
        self.words.setText(sentence(words))
        self.words.setToolTip(tip(words))


class ChoiceBox(ShortBox):
    """A short choice among titles; `value` is what the chosen one stands for."""

    def __init__(self, name: str, choices: Mapping[str, str], width: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaximumWidth(theme.px(width))
        self.offer(choices)

    def offer(self, choices: Mapping[str, str]) -> None:
        """Offer these values under their titles, without a signal."""
        if {str(self.itemData(i)): self.itemText(i) for i in range(self.count())} == dict(choices):
            return
        present = self.value
        self.blockSignals(True)
        self.clear()
        for value, title in choices.items():
            self.addItem(line(title), value)
        self.setCurrentIndex(max(0, self.findData(present)))
        self.blockSignals(False)

    @property
    def value(self) -> str:
        """The chosen value."""
        return str(self.currentData() or "")

    def show_value(self, value: str) -> None:
        """Show a value without a signal; the first where it is not offered."""
        self.blockSignals(True)
        self.setCurrentIndex(max(0, self.findData(value)))
        self.blockSignals(False)


def scrolled(widget: QWidget, *, sideways: bool = False) -> QScrollArea:
    """The widget in an area that scrolls only downwards, or only sideways."""
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    (area.setVerticalScrollBarPolicy if sideways else area.setHorizontalScrollBarPolicy)(off)
    area.setMinimumSize(QSize(1, 1))
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
