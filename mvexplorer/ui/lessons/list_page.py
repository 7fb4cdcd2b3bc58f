"""The list of lessons, in the order in which they are taught, in place of the panels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.state.session.settings import Settings
from mvexplorer.teaching.lesson import Lesson
from mvexplorer.ui.lessons.lesson_card import LEAST, LessonCard
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name
from mvexplorer.wording import counted

GAP, MARGIN = 8, 24
LEAD = "Each teaches one idea in a few minutes: what you see, predict, do, and why. Your own document waits meanwhile."


class LessonList(QWidget):
    """A card for each lesson, as many across as there is room for; the next that is not done has the keys."""

    chosen = Signal(str)
    """The id of the lesson to begin."""
    help_wanted = Signal()
    left = Signal()

    def __init__(self, lessons: Sequence[Lesson], settings: Settings, finished: Lesson | None = None) -> None:
        super().__init__()
        self.setAccessibleName("Lessons")
        self._across = 0
        done, left = settings.lessons_done, settings.lesson_steps
        self.cards = [
            LessonCard(number, lesson, min(left.get(lesson.id, 0), len(lesson.steps) - 1), done)
            for number, lesson in enumerate(lessons, 1)
        ]
        start = 0 if finished is None else lessons.index(finished)
        ahead = [*self.cards[start:], *self.cards[:start]]
        self.first = next((card for card in ahead if card.lesson.id not in done), self.cards[0])
        column = spaced(QVBoxLayout(self), MARGIN, 16, 0, 0, spacing=16)
        count = sum(lesson.id in done for lesson in lessons)
        self._make_head(column, f"{count} of {counted(len(lessons), 'lesson')} done. " if count else "")
        inner = QWidget()
        self._grid = spaced(QGridLayout(inner), 0, 0, MARGIN, MARGIN, spacing=GAP)
        for card in self.cards:
            card.clicked.connect(partial(self.chosen.emit, card.lesson.id))
            card.stepped.connect(partial(self._step, card))
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inner)
        column.addWidget(self.area, 1)

    def _make_head(self, column: QVBoxLayout, progress: str) -> None:
        row, words = QHBoxLayout(), QVBoxLayout()
        column.addLayout(row)
        row.addLayout(words, 1)
        row.setContentsMargins(0, 0, MARGIN, 0)
        row.setSpacing(GAP)
        words.setSpacing(0)
        title, lead = Label("Lessons", "headline"), Name(role="muted")
        lead.set_words(f"{progress}{LEAD}")
        words.addWidget(title)
        words.addWidget(lead)
        about, back = QPushButton("How lessons work"), QPushButton("Back")
        about.clicked.connect(self.help_wanted)
        back.setToolTip("Back to where you were (Esc)")
        back.clicked.connect(self.left)
        row.addWidget(about)
        row.addWidget(back)

    def apply_theme(self) -> None:
        """Cards are drawn by the style sheet; they may have grown."""
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        room = self.width() - 2 * MARGIN - 10
        across = max(1, (room + GAP) // (theme.px(LEAST) + GAP))
        if across == self._across:
            return
        for column in range(self._across + 1):
            self._grid.setColumnStretch(column, 0)
        for row in range(len(self.cards) + 1):
            self._grid.setRowStretch(row, 0)
        self._across = across
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, *divmod(place, across))
            self._grid.setColumnStretch(place % across, 1)
        self._grid.setRowStretch(-(-len(self.cards) // across), 1)

    def take_keys(self) -> None:
        """Let keys go to the next lesson that is not done."""
        self._focus(self.first)

    def _step(self, card: LessonCard, dx: int, dy: int) -> None:
        place = self.cards.index(card) + dx + dy * self._across
        if 0 <= place < len(self.cards):
            self._focus(self.cards[place])

    def _focus(self, card: LessonCard) -> None:
        card.setFocus(Qt.FocusReason.OtherFocusReason)
        self.area.ensureWidgetVisible(card, 0, GAP)
