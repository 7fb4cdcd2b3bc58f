"""The program's own boxes: a question with verbs on its buttons, a value to type, words to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, caption, sentence


class Dialog(QDialog):
    """A headline, what it means, and buttons on the right, the one that Return presses last; Esc changes nothing."""

    def __init__(self, parent: QWidget, title: str, text: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setObjectName("dialog")
        self.setMinimumWidth(440)
        self.column = spaced(QVBoxLayout(self), 24, 24, 24, 16, spacing=8)
        head = Label(sentence(title), "headline", wraps=True)
        self.column.addWidget(head)
        if text:
            self.words = Label(sentence(text), wraps=True)
            self.column.addWidget(self.words)

    def add_button(self, text: str, do: Callable[[], object], *, default: bool = False) -> QPushButton:
        """Add a button; the `default` one is filled, and Return presses it."""
        button = QPushButton(caption(text))
        button.setAutoDefault(default)
        button.setDefault(default)
        button.setMinimumWidth(80)
        if default:
            button.setProperty("role", "primary")
        button.clicked.connect(lambda: do())
        self._buttons.addWidget(button)
        return button

    def add_buttons_row(self) -> None:
        """Close the dialog's column with the row that buttons are added to."""
        self.column.addSpacing(8)
        self._buttons = QHBoxLayout()
        self.column.addLayout(self._buttons)
        self._buttons.setSpacing(8)
        self._buttons.addStretch(1)


class Choice(Dialog):
    """A question; `answer` is the number of the button pressed, or None after Esc."""

    def __init__(self, parent: QWidget, title: str, text: str, choices: Sequence[str]) -> None:
        super().__init__(parent, title, text)
        self.answer: int | None = None
        self.add_buttons_row()
        self.add_button("Cancel", self.reject)
        for number in reversed(range(len(choices))):
            self.add_button(choices[number], partial(self._take, number), default=number == 0)

    def _take(self, number: int) -> None:
        self.answer = number
        self.accept()


class EntryDialog(Dialog):
    """Asks for a value; `refused` returns the objection to it, shown below the field, which stays open."""

    def __init__(
        self, parent: QWidget, title: str, text: str, value: str, verb: str, refused: Callable[[str], str]
    ) -> None:
        super().__init__(parent, title, text)
        self._refused = refused
        self.field = QLineEdit(value)
        self.field.setAccessibleName(title)
        self.field.selectAll()
        self.column.addWidget(self.field)
        self.problem = Label(role="error", wraps=True)
        self.problem.hide()
        self.column.addWidget(self.problem)
        self.add_buttons_row()
        self.add_button("Cancel", self.reject)
        self.add_button(verb, self._take, default=True)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take(self) -> None:
        problem = self._refused(self.field.text())
        self.problem.setText(sentence(problem))
        self.problem.setVisible(bool(problem))
        if not problem:
            self.accept()


def choose(parent: QWidget, title: str, text: str, choices: Sequence[str]) -> int | None:
    """Ask a question and wait: the number of the choice, the first being the default; None where nothing may change."""
    dialog = Choice(parent, title, text, choices)
    dialog.exec()
    return dialog.answer


def enter(
    parent: QWidget, title: str, text: str, value: str, verb: str, refused: Callable[[str], str] = lambda text: ""
) -> str | None:
    """Ask for a value and wait; None where it was cancelled. `refused` says in a sentence what is wrong with it."""
    dialog = EntryDialog(parent, title, text, value, verb, refused)
    return dialog.field.text() if dialog.exec() else None


def enter_number(
    parent: QWidget, title: str, text: str, value: float, verb: str, limits: tuple[float, float]
) -> float | None:
    """Ask for a number between two limits and wait; None where it was cancelled."""
    low, high = limits

    def refused(typed: str) -> str:
        number = _number(typed)
        return "" if number is not None and low <= number <= high else f"Give a number from {low:g} to {high:g}."

    typed = enter(parent, title, text, f"{value:g}", verb, refused)
    return None if typed is None else _number(typed)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def show_text(parent: QWidget, title: str, text: str) -> None:
    """Show words to read, without blocking the window."""
    dialog = Dialog(parent, title, text)
    dialog.add_buttons_row()
    dialog.add_button("Close", dialog.accept, default=True)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
