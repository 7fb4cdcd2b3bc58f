"""Words of other people's making (names of views, features, samples, files): text, on one line, of bounded length.

Qt takes “<” for markup in labels and tips and “&” for a key in buttons and menus; whatever shows a name goes through
one of these.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QMenu, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QResizeEvent

LINE, WORD, MESSAGE = 60, 100, 600
"""Most characters of a name, of one word of a sentence, and of a message."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
"""Line ends, control characters, and marks that turn the direction of what stands around them."""
_LONG = re.compile(rf"\S{{{WORD + 1},}}")


def line(text: str, limit: int = LINE) -> str:
    """A name on one line; one that is too long loses its middle, one of blanks alone stands in quotes."""
    seen = _UNSEEN.sub(" ", text)
    if text and not seen.strip():
        return f"“{seen[:8]}”"
    return _elided(seen, limit)


def sentence(text: str, limit: int = MESSAGE) -> str:
    """A message, its lines kept, without a word too long to be wrapped."""
    lines = (_UNSEEN.sub(" ", part) for part in text.splitlines())
    return _elided("\n".join(_LONG.sub(lambda found: _elided(found[0], WORD), part) for part in lines), limit)


def markup(text: str, limit: int = LINE) -> str:
    """A name as part of rich text."""
    return escape(line(text, limit))


def caption(text: str, limit: int = LINE) -> str:
    """A name in a menu or on a button."""
    return line(text, limit).replace("&", "&&")


def tip(text: str) -> str:
    """A message as a tip, or wherever else Qt guesses whether it is markup."""
    shown = sentence(text)
    return f"<span>{escape(shown).replace(chr(10), '<br>')}</span>" if "<" in shown or "&lt;" in shown else shown


def add_action(menu: QMenu, text: str) -> QAction:
    """A menu's line that holds names; its tip is the whole of it, which Qt would make of the text by itself."""
    action = menu.addAction(caption(text))
    action.setToolTip(tip(text))
    return action


def _elided(text: str, limit: int) -> str:
    keep = limit // 2
    return text if len(text) <= limit else f"{text[: limit - keep - 1]}…{text[-keep:]}"


class Label(QLabel):
    """A label that shows its text as it is."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


if TYPE_CHECKING:

    class _Worded(QWidget):
        """What `_Fitted` is mixed into: a second Qt class among the bases cannot be at run time."""

        def setText(self, text: str, /) -> None: ...

else:
    _Worded = object


class _Fitted(_Worded):
    """Shows a name as far as there is room, the middle left out; the whole of it is the tip."""

    LEAST = 40
    BESIDE = 0
    """Pixels that are not for the text."""
    _words = ""

    def set_words(self, words: str) -> None:
        """Show this name."""
        self._words = line(words, 4 * LINE)
        self.setAccessibleName(self._words)
        self.setToolTip(tip(words))
        self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        room = max(self.LEAST, self.width()) - self.BESIDE
        self.setText(self._shown(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)))

    def _shown(self, words: str) -> str:
        return words

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._words) + self.BESIDE + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class Name(_Fitted, Label):
    """A name on a label."""


class NameCheck(_Fitted, QCheckBox):
    """A name beside a box to tick."""

    BESIDE = 26

    def _shown(self, words: str) -> str:
        return words.replace("&", "&&")


class NameBox(QComboBox):
    """A choice among names, no wider than it should be; `name` is the one chosen, as it is."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)
        self.setMaximumWidth(width)

    @property
    def name(self) -> str:
        """The name chosen; empty where there is none."""
        return str(self.currentData() or "")

    def choose(self, name: str) -> None:
        """Choose a name, if it is offered."""
        index = self.findData(name)
        if index >= 0:
            self.setCurrentIndex(index)

    def offer(self, names: list[str]) -> None:
        """Offer these names, without telling anybody; the one chosen stays if it can."""
        if [self.itemData(i) for i in range(self.count())] == names:
            return
        present = self.name
        self.blockSignals(True)
        self.clear()
        for name in names:
            self.addItem(line(name), name)
        self.choose(present)
        self.blockSignals(False)


def retire(widget: QWidget) -> None:
    """Take a widget out of use: it tells nothing any more, and goes when the event loop gets to it."""
    for each in (widget, *widget.findChildren(QWidget)):
        each.blockSignals(True)
    widget.hide()
    widget.deleteLater()
