"""Messages in the window: what happened, what it means, what to do; never in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TypeGuard

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import caption, sentence

ICONS = {"info": ("info", "accent"), "warning": ("triangle-alert", "amber"), "error": ("circle-alert", "red")}


Action = tuple[str, Callable[[], object]]
"""What a button says, and what it does."""


class Banner(QWidget):
    """One message with optional buttons and a cross."""

    def __init__(
        self,
        level: str,
        text: str,
        hint: str = "",
        action: Action | None = None,
        on_close: Callable[[], None] | None = None,
        more: Sequence[Action] = (),
    ) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setProperty("level", level)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = f"{text} {hint}".strip()
        self.lasting = False
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(8)
        name, role = ICONS[level]
        sign = QLabel()
        sign.setPixmap(theme.pixmap(name, role))
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        shown, advice = escape(sentence(text)), escape(sentence(hint))
        words = QLabel()
        words.setTextFormat(Qt.TextFormat.RichText)
        words.setText(f"<b>{shown}</b> {advice}" if hint else shown)
        words.setWordWrap(True)
        words.setMinimumWidth(120)
        words.setAccessibleName(self.text)
        row.addWidget(words, 1)
        self.buttons = [self._make_button(*each) for each in ([action] if action is not None else []) + list(more)]
        self.button = self.buttons[0] if self.buttons else None
        for button in self.buttons:
            row.addWidget(button)
        cross = QToolButton()
        cross.setIcon(theme.icon("x"))
        cross.setToolTip("Dismiss")
        cross.setAccessibleName("Dismiss message")
        cross.clicked.connect(self.dismiss)
        row.addWidget(cross, 0, Qt.AlignmentFlag.AlignTop)
        self._on_close = on_close

    def _make_button(self, text: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(caption(text))

        def clicked() -> None:
            self.dismiss()
            do()

        button.clicked.connect(clicked)
        return button

    def dismiss(self) -> None:
        """Close the message."""
        # Keep the parent: else Python owns the banner and may destroy it while its button's handler runs.
        self.hide()
        parent = self.parentWidget()
        layout = parent.layout() if parent is not None else None
        if layout is not None:
            layout.removeWidget(self)
        self.deleteLater()
        if self._on_close is not None:
            self._on_close()


class Banners(QWidget):
    """The messages at the top of the window, newest first; a repeated one is shown once."""

    LIMIT = 3

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 0)  # when hidden, the widget takes no room
        self._column.setSpacing(4)
        self.hide()

    def texts(self) -> list[str]:
        """The messages shown."""
        return [banner.text for banner in self._shown()]

    def _shown(self) -> list[Banner]:
        items = (self._column.itemAt(i) for i in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [w for w in widgets if isinstance(w, Banner)]

    def show_message(
        self, level: str, text: str, hint: str = "", action: Action | None = None, more: Sequence[Action] = (),
        *, lasting: bool = False,
    ) -> Banner:  # fmt: skip
        """Show a message of level "info", "warning" or "error", with buttons.

        A `lasting` message is not about the present data: it stays when other data is opened.
        """
        for banner in self._shown():
            if banner.text == f"{text} {hint}".strip():
                banner.dismiss()
        made = Banner(level, text, hint, action, self._settle, more)
        made.lasting = lasting
        self._column.insertWidget(0, made)
        for old in self._shown()[self.LIMIT :]:
            old.dismiss()
        self.show()
        return made

    def holds(self, banner: Banner | None) -> TypeGuard[Banner]:
        """Whether a message is still shown."""
        return banner is not None and banner in self._shown()

    def forget(self, banner: Banner | None) -> None:
        """Dismiss a message that is no longer true; no effect if it is gone already."""
        if self.holds(banner):
            banner.dismiss()

    def clear(self) -> None:
        """Dismiss all messages about the present data."""
        for banner in self._shown():
            if not banner.lasting:
                banner.dismiss()

    def _settle(self) -> None:
        self.setVisible(bool(self._shown()))
