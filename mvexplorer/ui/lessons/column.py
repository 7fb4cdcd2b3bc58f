"""The column at the right of the window that teaches one lesson: its words, what it asks for, and its buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from mvexplorer.teaching.lesson import Lesson, LessonStep
from mvexplorer.teaching.run import LessonRun
from mvexplorer.ui.lessons.live_bar import LiveBar
from mvexplorer.ui.lessons.step_row import StepRow
from mvexplorer.ui.lessons.words import as_markup, as_read, place_words, question_before
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place, spaced
from mvexplorer.ui.widgets.plain_text import Label

WIDTH = 320
SHARE = 0.36
"""Most of the window's width that the column takes, at talk size as well."""
GOOD = "✓ That is it. Press Next to see why."
THINK = "Settle on one answer before you press Next: say it aloud, or write it down."


class LessonColumn(QWidget):
    """Shows what a run of a lesson says, and emits what its buttons are pressed for."""

    forward, backward, again, shown_how, left = Signal(), Signal(), Signal(), Signal(), Signal()

    def __init__(self, run: LessonRun) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Lesson")
        self._run = run
        self._shown: tuple[Lesson, int] | None = None
        column = spaced(QVBoxLayout(self), 0, 8, 0, 12, spacing=8)
        self._make_head(column)
        column.addWidget(self._make_words(), 1)
        self._make_foot(column)

    # Construction -------------------------------------------------------------------------------------------

    def _make_head(self, column: QVBoxLayout) -> None:
        row, inner = QHBoxLayout(), spaced(QVBoxLayout(), 16, 0, 16, 0, spacing=6)
        column.addLayout(row)
        column.addLayout(inner)
        row.setContentsMargins(16, 0, 8, 0)
        self.place, self.cross, self.steps = Label(role="muted"), QToolButton(), StepRow()
        theme.square(self.cross)
        self.cross.setToolTip("Leave the lesson; your own document comes back as it was")
        self.cross.setAccessibleName("Leave the lesson")
        self.cross.clicked.connect(self.left)
        row.addWidget(self.place, 1)
        row.addWidget(self.cross)
        self.title = Label(role="title", wraps=True)
        inner.addWidget(self.steps)
        inner.addWidget(self.title)

    def _make_words(self) -> QScrollArea:
        inner, self.area = QWidget(), QScrollArea()
        column = spaced(QVBoxLayout(inner), 16, 8, 16, 8, spacing=12)
        self.kind, self.prose, self.think = Label(role="headline"), Label(wraps=True), Label(THINK, "muted", wraps=True)
        self.ask, self.bar = Label(role="ask", wraps=True), LiveBar()
        self.reason, self.remember = Label(role="reason", wraps=True), Label(role="remember", wraps=True)
        for words in (self.prose, self.ask, self.reason):
            words.setTextFormat(Qt.TextFormat.RichText)
        for words in (self.ask, self.reason, self.remember):
            words.setIndent(0)  # a frame would indent them beyond their padding
        for part in (self.kind, self.prose, self.think, self.ask, self.bar, self.reason, self.remember):
            column.addWidget(part)
        column.addStretch(1)
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inner)
        return self.area

    def _make_foot(self, column: QVBoxLayout) -> None:
        helps, ways = QHBoxLayout(), QHBoxLayout()
        for row in (helps, ways):
            row.setContentsMargins(16, 0, 16, 0)
            row.setSpacing(8)
            column.addLayout(row)
        self.retry = _button("Try again", "Bring back where this step began", self.again)
        self.show_me = _button("Show me", "Do what is asked, as a hand would", self.shown_how)
        self.back = _button("Back", "The step before", self.backward)
        self.next = _button("Next", "The next step (Return)", self.forward)
        for button in (self.retry, self.show_me):
            helps.addWidget(button, 1)
        ways.addWidget(self.back)
        ways.addWidget(self.next, 1)

    # What is shown ------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the run as it is now."""
        lesson, step = self._run.lesson, self._run.step
        if lesson is None or step is None:
            self._shown = None
            return
        if self._shown != (lesson, self._run.place):
            self._shown = lesson, self._run.place
            self._show_step(lesson, step, self._run.place)
        self._show_progress()

    def _show_step(self, lesson: Lesson, step: LessonStep, place: int) -> None:
        last, asks = place == len(lesson.steps) - 1, bool(step.ask)
        self.place.setText(f"Lesson · {place_words(lesson, place)}")
        self.steps.show_place(place, len(lesson.steps))
        self.title.setText(lesson.title)
        self.kind.setText(step.kind)
        self.prose.setText(as_markup(step.prose))
        question = question_before(lesson, place)
        back = f"Look back at your prediction: {as_read(question)}" if question else ""
        think = THINK if step.kind == "Predict" else back
        self.think.setText(think)
        self.ask.setText(as_markup(step.ask))
        self.remember.setText(f"Remember: {lesson.idea}")
        for part, there in (
            (self.think, bool(think)),
            (self.ask, asks),
            (self.bar, asks),
            (self.remember, last),
        ):
            part.setVisible(there)
        for button in (self.retry, self.show_me):
            show_in_place(button, possible=True, at_hand=asks)
        self.back.setEnabled(place > 0)
        self.next.setText("Finish" if last else "Next")
        self.next.setToolTip("The list of lessons; your own document comes back" if last else "The next step (Return)")
        self.area.verticalScrollBar().setValue(0)
        words = (place_words(lesson, place), step.kind, step.prose, think, step.ask)
        self.setAccessibleDescription(as_read(". ".join(filter(None, words))))

    def _show_progress(self) -> None:
        measured, reason = self._run.measured, self._run.reason
        self.bar.show_measured(measured)
        met = measured is not None and measured.met
        problem = measured.problem if measured is not None else ""
        said = as_markup(GOOD if met else reason or problem)
        if said != self.reason.text():
            self.reason.setText(said)
            self.reason.set_role("good" if met else "reason")
            QTimer.singleShot(50, self, self._show_reason)  # once the column has made room
        self.reason.setVisible(bool(said))
        role = "primary" if self._run.solved else ""
        if role != self.next.property("role"):
            self.next.setProperty("role", role)
            self.next.style().unpolish(self.next)
            self.next.style().polish(self.next)

    def _show_reason(self) -> None:
        """Scroll to what was said last: at talk size it may lie below."""
        if self.reason.isVisible():
            self.area.ensureWidgetVisible(self.reason, 0, 8)

    def fit(self, window_width: int) -> None:
        """Take the room that the size of type asks for, and no more of the window than the pictures can spare."""
        self.setFixedWidth(min(theme.px(WIDTH), int(SHARE * window_width)))

    def apply_theme(self) -> None:
        """Use the current theme's colours and size of type."""
        self.cross.setIcon(theme.icon("x"))

    # Keys ---------------------------------------------------------------------------------------------------

    def take_keys(self) -> None:
        """Let keys go to the button that leads on."""
        self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def has_keys(self) -> bool:
        """Whether keys go to a part of the column."""
        focused = self.window().focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.next.click()
        else:
            super().keyPressEvent(event)


def _button(text: str, about: str, pressed: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(True)  # for Return
    button.setToolTip(about)
    button.clicked.connect(pressed)
    return button
