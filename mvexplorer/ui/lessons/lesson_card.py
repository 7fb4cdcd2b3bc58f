"""One lesson in the list: its number, its title, its length, what it teaches, and whether it is done."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout

from mvexplorer.teaching.lesson import Lesson
from mvexplorer.ui.lessons.words import length_words
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label

LEAST, HEIGHT = 280, 148


class LessonCard(QPushButton):
    """A button of one height; the arrow keys go to its neighbours, Return opens it."""

    stepped = Signal(int, int)
    """Columns and rows to the card that is to have the keys."""

    def __init__(self, number: int, lesson: Lesson, left: int, done: Collection[str]) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setAutoDefault(True)  # for Return
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.lesson = lesson
        column = spaced(QVBoxLayout(self), 16, 12, 16, 12, spacing=6)
        words = length_words(lesson, left, done)
        head, idea, length = Label(f"{number}  {lesson.title}"), Label(lesson.idea), Label(words)
        head.setProperty("role", "title")
        length.setProperty("role", "best" if lesson.id in done and not left else "muted")
        idea.setAlignment(Qt.AlignmentFlag.AlignTop)
        for label in (head, idea):
            label.setWordWrap(True)
        column.addWidget(head)
        column.addWidget(idea, 1)
        column.addWidget(length)
        for part in self.findChildren(QLabel):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(f"Lesson {number}: {lesson.title}, {words}")
        self.setAccessibleDescription(lesson.idea)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumWidth(theme.px(LEAST))
        self.setFixedHeight(theme.px(HEIGHT))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # it grows with the type
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, key = Qt.Key, Qt.Key(event.key())
        steps = {keys.Key_Left: (-1, 0), keys.Key_Right: (1, 0), keys.Key_Up: (0, -1), keys.Key_Down: (0, 1)}
        if key in steps:
            self.stepped.emit(*steps[key])
        else:
            super().keyPressEvent(event)
