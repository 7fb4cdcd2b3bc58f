"""For a computation too large for memory: what it needs, and a button per alternative."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from mvexplorer.ui.widgets.plain_text import Label, retire, sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from mvexplorer.engine.api.cost import Alternative
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.panel_result import TooLarge


class TooLargePage(QWidget):
    """Replaces the picture in a panel's body."""

    memory_wanted = Signal()
    """The user wants to allow more memory."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._shown: tuple[object, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 8, 16, 8)
        self._column.setSpacing(6)
        self.words = Label()
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addStretch(1)
        self._column.addWidget(self.words)
        self.buttons: list[QPushButton] = []
        self._column.addStretch(1)

    def show_alternatives(self, problem: TooLarge) -> None:
        """Show the problem in a sentence, and one button per alternative."""
        alternatives = problem.alternatives
        if self._shown == (str(problem), alternatives):
            return
        self._shown = (str(problem), alternatives)
        self.words.setText(sentence(f"{problem.message} For all panels:" if alternatives else str(problem)))
        for button in self.buttons:
            self._column.removeWidget(button)
            retire(button)
        self.buttons = [
            _button(_words(c), partial(self._editor.compute_by, c.kernel, c.subsample)) for c in alternatives
        ]
        self.buttons.append(_button("More memory …", self.memory_wanted.emit))
        for place, button in enumerate(self.buttons):
            self._column.insertWidget(2 + place, button, 0, Qt.AlignmentFlag.AlignHCenter)


def _words(choice: Alternative) -> str:
    return f"{choice.title[0].upper()}{choice.title[1:]}\n{choice.cost}"


def _button(words: str, do: Callable[[], object]) -> QPushButton:
    button = QPushButton(words)
    button.clicked.connect(lambda: do())
    return button
