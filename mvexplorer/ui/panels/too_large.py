"""The page for a computation too large for memory: its needs, and a button per alternative."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import TooLarge
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, retire, sentence


class TooLargePage(QScrollArea):
    """Replaces the picture in a panel's body; in a low one its buttons have one line each, and it scrolls."""

    memory_wanted = Signal()
    """The user wants to allow more memory."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._shown: tuple[object, ...] = ()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        self.setWidget(inner)
        self._column = spaced(QVBoxLayout(inner), 12, 2, 12, 2, spacing=4)
        self.words = Label(wraps=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addStretch(1)
        self._column.addWidget(self.words)
        self.buttons: list[Way] = []
        self._column.addStretch(1)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # all panels have one size, whatever they show

    def show_alternatives(self, problem: TooLarge) -> None:
        """Show the problem in a sentence, and one button per alternative."""
        alternatives = problem.alternatives
        if self._shown == (str(problem), alternatives):
            return
        self._shown = (str(problem), alternatives)
        lead = f"{problem.message} For all panels, each in:"
        self.words.setText(sentence(lead if alternatives else str(problem)))
        for button in self.buttons:
            self._column.removeWidget(button)
            retire(button)
        self.buttons = [
            Way(_capital(c.title), c.cost, partial(self._editor.compute_by, c.kernel, c.subsample))
            for c in alternatives
        ]
        self.buttons.append(Way("More memory …", "", self.memory_wanted.emit))
        for place, button in enumerate(self.buttons):
            self._column.insertWidget(2 + place, button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._fit()

    def _fit(self) -> None:
        """Shorten the buttons if they do not fit otherwise."""
        for low in (False, True):
            self.words.setStyleSheet(f"font-size: {theme.px(theme.SMALL_PX if low else theme.BASE_PX)}px;")
            for button in self.buttons:
                button.shorten(low)
            self._align()
            if self._column.totalHeightForWidth(self.width()) <= self.height():
                break

    def _align(self) -> None:
        """Give the buttons one width, that of the widest."""
        width = max((button.sizeHint().width() for button in self.buttons), default=0)
        for button in self.buttons:
            button.setMinimumWidth(min(width, max(0, self.width() - 24)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class Way(QPushButton):
    """An alternative to the computation, and below it, if there is room, its cost."""

    def __init__(self, title: str, cost: str, do: Callable[[], object]) -> None:
        super().__init__()
        self._title, self._cost = title, cost
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: do())
        self.shorten(False)

    def shorten(self, short: bool) -> None:
        """Leave what it takes to the tooltip."""
        self.setText(self._title if short or not self._cost else f"{self._title}\n{self._cost}")
        self.setToolTip(f"{self._title}: {self._cost}" if self._cost else "Allow computations more memory")


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"
