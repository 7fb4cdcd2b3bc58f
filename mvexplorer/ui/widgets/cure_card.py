"""A popup at a sign: what is doubtful, and one button for each cure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from mvexplorer.ui.widgets.plain_text import Label, caption, sentence, tip

Cure = tuple[str, str, Callable[[], object]]
"""The button's text, its tooltip, and its action."""


class CureCard(QFrame):
    """A popup at a sign: the reasons, and one button for each cure. Esc or a click elsewhere closes it."""

    def __init__(self, sign: QWidget, reasons: str, offered: Sequence[Cure], role: str = "amber") -> None:
        super().__init__(sign.window(), Qt.WindowType.Popup)
        self.setObjectName("methodCard")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Doubts and cures")
        self._sign = sign
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        self.words = Label(sentence(reasons), role, wraps=True)
        column.addWidget(self.words)
        self.buttons = [self._button(*cure) for cure in offered]
        for button in self.buttons:
            column.addWidget(button)

    def _button(self, words: str, why: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(caption(words))
        button.setToolTip(tip(why))
        button.clicked.connect(lambda: (self.close(), do()))
        return button

    def open(self) -> None:
        """Show the card above the sign, or below where the window begins, with the first button in focus."""
        width = 320
        self.setFixedWidth(width)
        self.ensurePolished()
        height = self._column.totalHeightForWidth(width)
        self.resize(width, height)
        screen = self._sign.screen().availableGeometry()
        gap = 4
        corner = self._sign.mapToGlobal(QPoint(0, -height - gap))
        x = min(max(corner.x(), screen.left() + 8), screen.right() - width - 8)
        if corner.y() < self._sign.window().mapToGlobal(QPoint(0, 0)).y():
            corner = self._sign.mapToGlobal(QPoint(0, self._sign.height() + gap))
        self.move(x, min(max(corner.y(), screen.top() + 8), screen.bottom() - height - 8))
        self.show()
        (self.buttons[0] if self.buttons else self).setFocus()
