"""A strip of fixed height above the panels: the six steps, the next one in words, and room for the message."""

from __future__ import annotations

from functools import cache, partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QIcon, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from mvexplorer.state.bench.next_steps import NextSteps, WorkStep
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import caption, line, tip
from mvexplorer.ui.window.start.reading_line import ReadingLine

SIGNS = {"done": ("check", "accent"), "open": ("circle", "muted"), "doubt": ("triangle-alert", "amber")}
"""Sign of each state: its form tells it apart as well as its colour."""
STATES = {"done": "done", "open": "to do", "doubt": "in doubt"}
"""The states in words."""
EDGE, GAP = 8, 2
"""Pixels beside the steps, and between them."""


class StepButton(QToolButton):
    """One step: its sign, and its words where there is room; a press leads to where it is done."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.setProperty("role", "step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.step: WorkStep | None = None

    def show_step(self, step: WorkStep, *, is_next: bool) -> None:
        """Show how a step stands."""
        self.step, self.is_next = step, is_next
        next_ = "The next step. " if is_next else ""
        about = f"{self._number}. {step.title}: {STATES[step.state]}. {next_}{step.sentence}"
        self.setToolTip(tip(about))
        self.setAccessibleName(line(about, 600))
        if is_next != self.property("next"):
            self.setProperty("next", is_next)
            self.style().unpolish(self)
            self.style().polish(self)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the sign in the theme's colours and size."""
        if self.step is not None:
            self.setIcon(_sign(self.step.state, theme.current().name))
        self.setIconSize(QSize(theme.px(14), theme.px(14)))

    def show_words(self, words: bool) -> None:
        """Show the title beside the sign, or the sign alone; the next step always says what its button does."""
        if self.step is None:
            return
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if words or self.is_next else Qt.ToolButtonStyle.ToolButtonIconOnly)
        says = self.step.button if self.is_next else self.step.title
        self.setText(caption(f"{self._number}  {says}", 32))


@cache
def _sign(state: str, _: str) -> QIcon:
    """The sign of a state in each theme: done is done, whether there is more to do or not."""
    sign = QIcon(theme.icon(*SIGNS[state]))
    sign.addPixmap(theme.pixmap(*SIGNS[state], 32), QIcon.Mode.Disabled)
    return sign


class StepStrip(QWidget):
    """The steps on the left, or how far files are read; the message lies over the rest, so that nothing moves."""

    chosen = Signal(WorkStep)
    """A step was pressed."""
    moved = Signal()
    """The room for the message is another."""

    def __init__(self, steps: NextSteps, reading: ReadingLine) -> None:
        super().__init__()
        self.setAccessibleName("Steps")
        self._steps, self.reading = steps, reading
        self._with_steps, self._with_message = False, False
        row = spaced(QHBoxLayout(self), EDGE, 0, EDGE, 0, spacing=EDGE)
        self._left = QWidget()
        inner = spaced(QHBoxLayout(self._left), 0, 0, 0, 0, spacing=GAP)
        self.buttons = [StepButton(number + 1) for number in range(6)]
        for button in self.buttons:
            inner.addWidget(button)
            button.clicked.connect(partial(self._lead, button))
        row.addWidget(self._left, 0, Qt.AlignmentFlag.AlignLeft)
        row.addWidget(reading, 1)
        self._slot = QWidget()
        self._slot.installEventFilter(self)
        row.addWidget(self._slot, 1)
        reading.toggled.connect(self._fit)
        steps.changed.connect(self.show_steps)
        self.apply_theme()

    def _lead(self, button: StepButton) -> None:
        if button.step is not None:
            self.chosen.emit(button.step)

    def show_steps(self) -> None:
        """Show how the steps stand."""
        for button, step in zip(self.buttons, self._steps.steps, strict=False):
            button.show_step(step, is_next=step == self._steps.next)
        self._fit()

    def make_room(self, *, steps: bool, message: bool) -> None:
        """Show the steps or not, and leave room for a message or not."""
        if (steps, message) != (self._with_steps, self._with_message):
            self._with_steps, self._with_message = steps, message
            self._fit()

    def apply_theme(self) -> None:
        """Take the theme's colours and size of type."""
        self.setFixedHeight(theme.px(28) + 6)
        for button in self.buttons:
            button.apply_theme()
        self._fit()

    def slot_in(self, parent: QWidget) -> QRect:
        """The room for the message, in the coordinates of a widget around."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
        left = self._slot.x() if self._with_message else 0
        return QRect(self.mapTo(parent, QPoint(left, 0)), QSize(self.width() - left, self.height()))

    def _fit(self) -> None:
        """Show all words where they and the message have room, else those of the next step."""
        reading = not self.reading.isHidden()
        self._left.setVisible(self._with_steps and not reading)
        self._slot.setVisible(self._with_message)
        most = 16777215  # Qt's largest widget width
        self.reading.setMaximumWidth(theme.px(260) if self._with_message else most)
        if not self._left.underMouse():  # what is about to be pressed stays where it is
            self._show_words()
        self.moved.emit()

    def _show_words(self) -> None:
        least = theme.px(520) if self._with_message else 0  # pixels for the message
        for words in (True, False):
            for button in self.buttons:
                button.show_words(words)
                button.ensurePolished()
            wide = sum(button.sizeHint().width() + GAP for button in self.buttons) - GAP
            self._left.setFixedWidth(wide)
            if wide + 3 * EDGE <= self.width() - least:
                return

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._slot and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.moved.emit()
        return False

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.moved.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.moved.emit()
