"""Messages in the window: what happened, what it means, what to do; never in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import accumulate
from math import ceil
from typing import TypeGuard

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import caption, line, sentence, tip

ICONS = {"info": ("info", "accent"), "warning": ("triangle-alert", "amber"), "error": ("octagon-alert", "red")}
"""Sign of each level: its form tells it apart as well as its colour."""
GAP = 8
"""Pixels between the parts of a message."""
LEAST = 160
"""Pixels that the words keep beside their buttons."""

Action = tuple[str, Callable[[], object]]
"""A button's text and its action."""


class MessageLabel(QLabel):
    """A message and its advice, whole or in short: on one line, or on two of small type, cut where the room ends."""

    pressed = Signal()

    def __init__(self, text: str, hint: str) -> None:
        super().__init__()
        full = 2000  # most characters of the short form before it is cut to its room
        self._line = line(f"{text} {hint}".strip(), full)
        shown, advice = escape(sentence(text)), escape(sentence(hint))
        self._whole = f"<b>{shown}</b> {advice}" if hint else shown
        self.setMinimumWidth(120)
        self.setToolTip(tip(f"{text} {hint}".strip()))
        self.show_whole(False)

    def show_whole(self, whole: bool) -> None:
        """Show everything on as many lines as it takes, or the short form."""
        self.setTextFormat(Qt.TextFormat.RichText if whole else Qt.TextFormat.PlainText)
        self.setWordWrap(whole)
        across = QSizePolicy.Policy.Preferred if whole else QSizePolicy.Policy.Ignored
        policy = QSizePolicy(across, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(whole)  # a fresh policy has none, and the words would be squeezed to one line
        self.setSizePolicy(policy)
        self._is_whole = whole
        self.setCursor(Qt.CursorShape.ArrowCursor if whole else Qt.CursorShape.PointingHandCursor)
        if whole:
            self._use_small(False)
            self.setText(self._whole)
        else:
            self._fit()

    @property
    def one_line(self) -> int:
        """Pixels of the short form on one line."""
        return ceil(theme.metrics(theme.font(theme.px(theme.BASE_PX))).horizontalAdvance(self._line))

    def fits(self, room: int) -> bool:
        """Whether the short form says everything in so many pixels."""
        return self.one_line <= room or self._two_lines(room)[1]

    def _two_lines(self, room: int) -> tuple[str, bool]:
        """The words on two lines of small type, and whether nothing was cut."""
        font = theme.font(theme.px(theme.SMALL_PX))
        layout = QTextLayout(self._line, font)
        layout.beginLayout()
        first = layout.createLine()
        first.setLineWidth(room)
        layout.endLayout()
        begin, rest = self._line[: first.textLength()], self._line[first.textLength() :]
        last = QFontMetricsF(font).elidedText(rest, Qt.TextElideMode.ElideRight, room)
        return f"{begin.rstrip()}\n{last}".strip(), last == rest

    def _fit(self) -> None:
        room = max(40, self.width())
        one = self.one_line <= room
        self._use_small(not one)
        self.setText(self._line if one else self._two_lines(room)[0])

    def _use_small(self, small: bool) -> None:
        if small != bool(self.property("small")):
            self.setProperty("small", small)
            self.style().unpolish(self)
            self.style().polish(self)

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self._is_whole else QSize(400, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        if self._is_whole:
            return super().minimumSizeHint()
        return QSize(120, 2 * ceil(theme.metrics(theme.font(theme.px(theme.SMALL_PX))).height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_whole:
            self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._is_whole or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        else:
            self.pressed.emit()


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
        self._grid = QGridLayout(self)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setColumnStretch(1, 1)
        self.sign = QLabel()
        self._grid.addWidget(self.sign, 0, 0)
        self.words = MessageLabel(text, hint)
        names = {"info": "Note", "warning": "Warning", "error": "Error"}
        self.words.setAccessibleName(f"{names[level]}: {self.text}")
        self._grid.addWidget(self.words, 0, 1)
        self.buttons = [self._make_button(*each) for each in actions]
        self.button = self.buttons[0] if self.buttons else None
        self._beside = QWidget()
        self._button_grid = spaced(QGridLayout(self._beside), 0, 0, 0, 0, spacing=GAP)
        self._arranged: tuple[int, int, bool] | None = None
        self.others = QToolButton()
        self.others.setProperty("role", "small")
        self.others.hide()
        self._grid.addWidget(self.others, 0, 3)
        self.cross = QToolButton()
        self.cross.setToolTip("Dismiss")
        self.cross.setAccessibleName("Dismiss message")
        self.cross.clicked.connect(self.dismiss)
        self._grid.addWidget(self.cross, 0, 4)
        for each in (*self.buttons, self.others, self.cross):
            each.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.apply_theme()
        self._arrange(len(self.buttons), len(self.buttons))

    def offer_list(self, behind: int, listed: bool) -> None:
        """Take one line in front of so many messages `behind`, or be one of the list; -1: another one is in front."""
        self._behind, self._listed = behind, listed
        self.words.show_whole(listed)
        self.fit(self.width())

    def fit(self, width: int) -> None:
        """Share a width among words and buttons: the words keep room to be read, and all is in the list."""
        edge = 4 if self._listed else 1  # in one line it is as high as its buttons
        self._grid.setContentsMargins(12, edge, 4, edge)
        room = width - 16 - sum(_width(part) + GAP for part in (self.sign, self.cross))
        widths = [_width(button) + GAP for button in self.buttons]
        if self._listed:
            self._name_others("Show one line" if self._behind >= 0 else "")
            below = sum(widths) > (room - self._room_of_others()) / 2
            self._arrange(max(1, room // max(widths, default=1)), len(widths), below=below)
            return
        least = min(theme.px(LEAST), self.words.one_line)
        cut = not self.words.fits(max(least, room - sum(widths)))
        self._name_others(self._name_of_others(cut))
        count = sum(taken <= room - self._room_of_others() - least for taken in accumulate(widths))
        if count < len(widths) and not self._behind:
            self._name_others("All choices")
            count = sum(taken <= room - self._room_of_others() - least for taken in accumulate(widths))
        self._arrange(len(widths), count)

    def width_with(self, words: int) -> int:
        """The width in one line with all buttons, and with the words cut to so many pixels."""
        present = self.others.text()
        self.others.setText(self._name_of_others(words < self.words.one_line))
        parts = [_width(part) + GAP for part in (self.sign, *self.buttons, self.cross)]
        taken = 16 + sum(parts) + self._room_of_others() + min(words, self.words.one_line)
        self.others.setText(present)
        return taken

    def _name_of_others(self, cut: bool) -> str:
        return f"{self._behind} more" if self._behind > 0 else "Whole text" if cut else ""

    def _name_others(self, text: str) -> None:
        plural = "s" if self._behind > 1 else ""
        self.others.setText(text)
        self.others.setToolTip(f"Show {self._behind} more message{plural}" if text.endswith(" more") else text)
        self.others.setAccessibleName(self.others.toolTip())
        self.others.setVisible(bool(text))

    def _room_of_others(self) -> int:
        return _width(self.others) + GAP if self.others.text() else 0

    def _arrange(self, columns: int, count: int, *, below: bool = False) -> None:
        """Show the first buttons beside the words or below them, in so many columns."""
        if (columns, count, below) == self._arranged:
            return
        self._arranged = columns, count, below
        self._grid.removeWidget(self._beside)
        row, column, across = (1, 1, 3) if below else (0, 2, 1)
        self._grid.addWidget(self._beside, row, column, 1, across, Qt.AlignmentFlag.AlignLeft)
        for place, button in enumerate(self.buttons):
            self._button_grid.removeWidget(button)
            self._button_grid.addWidget(button, *divmod(place, columns))
            button.setVisible(place < count)
        self._beside.setVisible(count > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit(self.width())

    @property
    def rank(self) -> int:
        """Place in the line: what came of an edit or failed, what helps a doubt, other offers, then the rest."""
        if self.level == "error" or self.first:
            return 0
        return 3 if not self.buttons else 1 if self.level == "warning" else 2

    def _make_button(self, text: str, do: Callable[[], object]) -> QPushButton:
        widest = 240
        shown = theme.metrics(theme.font()).elidedText(line(text), Qt.TextElideMode.ElideMiddle, widest)
        button = QPushButton(caption(shown))
        if shown != text:
            button.setToolTip(tip(text))

        def clicked() -> None:
            self.dismiss()
            do()

        button.clicked.connect(clicked)
        return button

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours."""
        self.sign.setPixmap(theme.pixmap(*ICONS[self.level], theme.px(16)))
        self.cross.setIcon(theme.icon("x"))
        self.cross.setIconSize(QSize(theme.px(16), theme.px(16)))

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


def _width(widget: QWidget) -> int:
    """The width that a widget asks for once its style is known."""
    widget.ensurePolished()
    return widget.sizeHint().width()


class Banners(QWidget):
    """The messages of a page: one line, and a button that lists the others, each with its own buttons.

    A failure comes first, then what offers to do something, then the rest; each kind newest first. A repeated message
    is shown once, and so is what has the same cause.
    """

    LIMIT = 6
    """Most messages without an offer; older ones go."""
    settled = Signal()
    """Other messages are shown, or otherwise."""

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
        new.words.pressed.connect(self.toggle_list)
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
            (shown[0].others if shown[0].others.isVisible() else shown[0].cross).setFocus()

    def width_with(self, words: int) -> int:
        """The width of the message in front with its words cut to so many pixels; 0 where there is none."""
        margins = self._column.contentsMargins()
        return max((b.width_with(words) + margins.left() + margins.right() for b in self._shown()[:1]), default=0)

    def height_in(self, width: int) -> int:
        """The height of the messages on show in so many pixels of width."""
        margins = self._column.contentsMargins()
        for banner in self._shown():
            banner.fit(width - margins.left() - margins.right())
        self._column.invalidate()  # else it has the height of one line, where nothing else has changed
        return self._column.totalHeightForWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.height_in(self.width())  # how high a message is follows from the width that it is about to get

    def apply_theme(self) -> None:
        """Draw the signs in the theme's colours."""
        for banner in self._shown():
            banner.apply_theme()

    def _settle(self) -> None:
        shown = self._shown()
        if not shown:
            self.listed = False
        for place, banner in enumerate(shown):
            banner.setVisible(place == 0 or self.listed)
            banner.offer_list(len(shown) - 1 if place == 0 else -1, self.listed)
        self.height_in(self.width())
        self.setVisible(bool(shown))
        self.settled.emit()
