"""Messages in the window: what happened, what it means, what to do; never in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TypeGuard

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import caption, line, sentence, tip

ICONS = {"info": ("info", "accent"), "warning": ("triangle-alert", "amber"), "error": ("octagon-alert", "red")}
"""Sign of each level: its form tells it apart as well as its colour."""

Action = tuple[str, Callable[[], object]]
"""A button's text and its action."""


class MessageLabel(QLabel):
    """A message and its advice: on one line, cut where the room ends, or whole."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__()
        full = 2000  # most characters of one line before it is cut to its room
        self._line = line(f"{text} {hint}".strip(), full)
        shown, advice = escape(sentence(text)), escape(sentence(hint))
        self._whole = f"<b>{shown}</b> {advice}" if hint else shown
        self.setMinimumWidth(120)
        self.setToolTip(tip(f"{text} {hint}".strip()))
        self.show_whole(False)

    def show_whole(self, whole: bool) -> None:
        """Show everything on as many lines as it takes, or one line."""
        self.setTextFormat(Qt.TextFormat.RichText if whole else Qt.TextFormat.PlainText)
        self.setWordWrap(whole)
        across = QSizePolicy.Policy.Preferred if whole else QSizePolicy.Policy.Ignored
        policy = QSizePolicy(across, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(whole)  # a fresh policy has none, and the words would be squeezed to one line
        self.setSizePolicy(policy)
        self._is_whole = whole
        if whole:
            self.setText(self._whole)
        else:
            self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._line, Qt.TextElideMode.ElideRight, max(40, self.width()))
        self.setText(shown)

    @property
    def length(self) -> int:
        """Pixels that one line of all words takes."""
        return self.fontMetrics().horizontalAdvance(self._line)

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self._is_whole else QSize(400, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_whole:
            self._fit()


class Banner(QWidget):
    """One message with optional buttons and a cross."""

    def __init__(
        self,
        level: str,
        text: str,
        hint: str = "",
        actions: Sequence[Action] = (),
        on_close: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setProperty("level", level)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.level = level
        self.text = f"{text} {hint}".strip()
        self.lasting = self.first = False
        self.cause = ""
        self._on_close = on_close
        self._behind, self._listed = -1, False
        row = spaced(QHBoxLayout(self), 12, 4, 4, 4, spacing=8)
        self.sign = QLabel()
        self.sign.setPixmap(theme.pixmap(*ICONS[level], theme.px(16)))
        row.addWidget(self.sign)
        self.words = MessageLabel(text, hint)
        names = {"info": "Note", "warning": "Warning", "error": "Error"}
        self.words.setAccessibleName(f"{names[level]}: {self.text}")
        row.addWidget(self.words, 1)
        self.buttons = [self._make_button(*each) for each in actions]
        self.button = self.buttons[0] if self.buttons else None
        for button in self.buttons:
            row.addWidget(button)
        self.others = QToolButton()
        self.others.setProperty("role", "small")
        self.others.hide()
        row.addWidget(self.others)
        self.cross = QToolButton()
        self.cross.setToolTip("Dismiss")
        self.cross.setAccessibleName("Dismiss message")
        self.cross.clicked.connect(self.dismiss)
        row.addWidget(self.cross)
        for each in (*self.buttons, self.others, self.cross):
            each.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.apply_theme()

    def offer_list(self, behind: int, listed: bool) -> None:
        """Show or hide the button that lists the messages `behind` this one, or shows the whole of this one."""
        self._behind, self._listed = behind, listed
        room = self.words.width() + (self.others.width() + 8 if self.others.isVisible() else 0)
        whole = behind < 0 or not (behind or listed or self.words.length > room)
        self.others.setVisible(not whole)
        text = "Show one line" if listed else f"{behind} more" if behind else "Whole text"
        plural = "s" if behind > 1 else ""
        self.others.setText(text)
        self.others.setToolTip(f"Show {behind} more message{plural}" if behind and not listed else text)
        self.others.setAccessibleName(self.others.toolTip())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.offer_list(self._behind, self._listed)

    @property
    def rank(self) -> int:
        """Place in the line: what came of an edit or failed, what helps a doubt, other offers, then the rest."""
        if self.level == "error" or self.first:
            return 0
        return 3 if not self.buttons else 1 if self.level == "warning" else 2

    def _make_button(self, text: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(caption(text))

        def clicked() -> None:
            self.dismiss()
            do()

        button.clicked.connect(clicked)
        return button

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours."""
        self.sign.setPixmap(theme.pixmap(*ICONS[self.level], theme.px(16)))
        self.cross.setIcon(theme.icon("x"))

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
    """The messages at the top of the window: one line, and a button that lists the others, each with its own buttons.

    A failure comes first, then what offers to do something, then the rest; each kind newest first. A repeated message
    is shown once, and so is what has the same cause.
    """

    LIMIT = 6
    """Most messages without an offer; older ones go."""

    def __init__(self, margin: int = 8) -> None:
        super().__init__()
        self.listed = False
        """Whether all messages are shown, each whole."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(margin, margin, margin, 0)  # when hidden, the widget takes no room
        self._column.setSpacing(4)
        self.hide()

    def texts(self) -> list[str]:
        """The messages, those behind the first one included."""
        return [banner.text for banner in self._shown()]

    def _shown(self) -> list[Banner]:
        # Not by the layout's items: Qt frees them, and Python would take what comes to their place for them.
        banners = self.findChildren(Banner, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return sorted((b for b in banners if self._column.indexOf(b) >= 0), key=self._column.indexOf)

    def show_message(
        self,
        level: str,
        text: str,
        hint: str = "",
        action: Action | None = None,
        more: Sequence[Action] = (),
        *,
        lasting: bool = False,
        first: bool = False,
        cause: str = "",
    ) -> Banner:
        """Show a message of level "info", "warning" or "error", with buttons.

        A `lasting` message is not about the present data: it stays when other data is opened. One that comes `first`
        stands before all offers. Messages of one `cause` replace one another, and `withdraw` takes them back.
        """
        for banner in self._shown():
            if banner.text == f"{text} {hint}".strip() or (cause and banner.cause == cause):
                banner.dismiss()
        actions = ([action] if action is not None else []) + list(more)
        new = Banner(level, text, hint, actions, self._settle)
        new.lasting, new.first, new.cause = lasting, first, cause
        new.others.clicked.connect(self.toggle_list)
        before = sum(banner.rank < new.rank for banner in self._shown())
        self._column.insertWidget(before, new)
        for old in [banner for banner in self._shown() if not banner.buttons][self.LIMIT :]:
            old.dismiss()
        self._settle()
        return new

    def holds(self, banner: Banner | None) -> TypeGuard[Banner]:
        """True if a message is still there."""
        return banner is not None and banner in self._shown()

    def forget(self, banner: Banner | None) -> None:
        """Dismiss a message that is no longer true; no effect if it is gone already."""
        if self.holds(banner):
            banner.dismiss()

    def withdraw(self, cause: str) -> None:
        """Dismiss the messages of a cause that is gone."""
        for banner in self._shown():
            if banner.cause == cause:
                banner.dismiss()

    def clear(self) -> None:
        """Dismiss all messages about the present data."""
        for banner in self._shown():
            if not banner.lasting:
                banner.dismiss()

    def toggle_list(self) -> None:
        """Show all messages, each whole, or one line."""
        self.listed = not self.listed
        self._settle()
        shown = self._shown()
        if shown:
            shown[0].others.setFocus()

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours."""
        for banner in self._shown():
            banner.apply_theme()

    def _settle(self) -> None:
        shown = self._shown()
        if not shown:
            self.listed = False
        for place, banner in enumerate(shown):
            banner.words.show_whole(self.listed)
            banner.setVisible(place == 0 or self.listed)
            banner.offer_list(len(shown) - 1 if place == 0 else -1, self.listed)
        self.setVisible(bool(shown))
