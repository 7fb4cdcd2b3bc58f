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
        self.is_next = False

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

    def say(self, words: str) -> None:
        """Show these words beside the sign, or the sign alone."""
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly)
        self.setText(caption(f"{self._number}  {words}", 32))
        self.ensurePolished()


def _keep_button() -> QToolButton:
    """The other answer to scales in doubt, beside the one that evens them out."""
    button = QToolButton()
    button.setText("Keep these scales")
    button.setProperty("role", "answer")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    about = "The scales are meant as they are: take this step for done. Another preprocessing or other data asks again."
    button.setToolTip(tip(about))
    button.setAccessibleName(line(f"Keep these scales. {about}", 600))
    button.hide()
    return button


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
    scales_kept = Signal()
    """The scales in doubt are meant as they are."""
    moved = Signal()
    """The room for the message is another."""

    def __init__(self, steps: NextSteps, reading: ReadingLine) -> None:
        super().__init__()
        self.setAccessibleName("Steps")
        self._steps, self.reading = steps, reading
        self._with_steps, self._message = False, 0
        row = spaced(QHBoxLayout(self), EDGE, 0, EDGE, 0, spacing=EDGE)
        self._left = QWidget()
        inner = spaced(QHBoxLayout(self._left), 0, 0, 0, 0, spacing=GAP)
        self.buttons = [StepButton(number + 1) for number in range(6)]
        for button in self.buttons:
            inner.addWidget(button)
            button.clicked.connect(partial(self._lead, button))
        self.keep = _keep_button()
        self.keep.clicked.connect(self.scales_kept)
        inner.insertWidget(2, self.keep)
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
        self.keep.setEnabled(self._asks_scales())
        self._fit()

    def _asks_scales(self) -> bool:
        return self._steps.next is not None and self._steps.next.leads == "scale"

    def make_room(self, *, steps: bool, message: int) -> None:
        """Show the steps or not, and leave at least so many pixels for a message, 0 without one."""
        if (steps, message) != (self._with_steps, self._message):
            self._with_steps, self._message = steps, message
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
        left = self._slot.x() if self._message else 0
        return QRect(self.mapTo(parent, QPoint(left, 0)), QSize(self.width() - left, self.height()))

    def _fit(self) -> None:
        """Show the words that have room beside the message, while nothing is about to be pressed."""
        reading = not self.reading.isHidden()
        self._left.setVisible(self._with_steps and not reading)
        self._slot.setVisible(self._message > 0)
        most = 16777215  # Qt's largest widget width
        self.reading.setMaximumWidth(theme.px(260) if self._message else most)
        if not self._left.underMouse():  # what is about to be pressed stays where it is
            self._show_words()
        self.moved.emit()

    def _show_words(self) -> None:
        """Show the next step's words always, then those of what is left to do, at last those of what is done.

        The message's words give way first: it is whole on a press.
        """
        room = self.width() - 3 * EDGE
        bare = min(self._message, theme.px(300))  # pixels of a message that hides its buttons as well
        steps = [(button, button.step) for button in self.buttons if button.step is not None]
        self.keep.setVisible(self._asks_scales())
        self.keep.ensurePolished()
        for button, step in steps:
            button.say(step.button if button.is_next else "")
        for button, step in steps:
            if button.is_next and self._taken() > room - bare:
                button.say(step.title)
        for button, step in sorted(steps, key=lambda each: each[1].state == "done"):
            if not button.is_next:
                button.say(step.title)
                if self._taken() > room - self._message:
                    button.say("")
                    break
        self._left.setFixedWidth(self._taken())

    def _taken(self) -> int:
        parts = [*self.buttons, *([] if self.keep.isHidden() else [self.keep])]
        return sum(part.sizeHint().width() + GAP for part in parts) - GAP

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
