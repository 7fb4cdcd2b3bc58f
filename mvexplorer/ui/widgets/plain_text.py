"""User-supplied names (of views, features, samples, files) as plain text on one line, of bounded length.

Qt takes “<” for markup in labels and tips and “&” for a key in buttons and menus; every widget that shows a name uses
one of these.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.shortening import told_apart
from mvexplorer.wording import LINE as LINE
from mvexplorer.wording import UNSEEN, middle_cut
from mvexplorer.wording import line as line

WORD, MESSAGE = 100, 600
"""Most characters of a word, and of a message."""
_LONG = re.compile(rf"\S{{{WORD + 1},}}")


def distinct_names(names: list[str], limit: int) -> list[str]:
    """Cut names to `limit` characters, each with its place in front where two would look the same."""
    short = [line(name, limit) for name in names]
    return [f"{i}. {name}" if short.count(name) > 1 else name for i, name in enumerate(short, start=1)]


def sentence(text: str, limit: int = MESSAGE) -> str:
    """A message with its line breaks, but without words too long to wrap."""
    lines = (UNSEEN.sub(" ", part) for part in text.splitlines())
    return middle_cut("\n".join(_LONG.sub(lambda match: middle_cut(match[0], WORD), part) for part in lines), limit)


def markup(text: str, limit: int = LINE) -> str:
    """A name as part of rich text."""
    return escape(line(text, limit))


def caption(text: str, limit: int = LINE) -> str:
    """A name in a menu or on a button."""
    return line(text, limit).replace("&", "&&")


def tip(text: str) -> str:
    """A message for a tooltip, or any text that Qt might take for markup."""
    shown = sentence(text)
    return f"<span>{escape(shown).replace(chr(10), '<br>')}</span>" if "<" in shown or "&lt;" in shown else shown


def add_action(menu: QMenu, text: str) -> QAction:
    """Add a menu entry that holds names; its tooltip is the full text, not Qt's default, the shortened one."""
    action = menu.addAction(caption(text))
    action.setToolTip(tip(text))
    return action


class Label(QLabel):
    """A label that shows its text as it is, as the style sheet draws its role."""

    def __init__(self, text: str = "", role: str = "", *, wraps: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self.setText(text)
        if role:
            self.setProperty("role", role)

    def set_role(self, role: str) -> None:
        """Draw it in another role."""
        if role != self.property("role"):
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)


if TYPE_CHECKING:

    class _Worded(QWidget):
        """The type `_Fitted` is mixed into: at run time a class cannot have two Qt bases."""

        def setText(self, text: str, /) -> None: ...

else:
    _Worded = object


class _Fitted(_Worded):
    """Shows a name, its middle cut where there is no room; the tooltip has all of it."""

    LEAST = 40
    CUT = Qt.TextElideMode.ElideMiddle
    BESIDE = 0
    """Pixels not available for the text, at the usual type."""
    _words = ""
    _among: tuple[str, ...] = ()

    def set_among(self, names: tuple[str, ...]) -> None:
        """Cut the name to what tells it from the others of these names, which are listed with it."""
        if names != self._among:
            self._among = names
            self._fit()

    def set_words(self, words: str) -> None:
        """Show this name."""
        self._words = line(words, 4 * LINE)
        self.setAccessibleName(self._words)
        self.setToolTip(tip(words))
        self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        room = max(self.LEAST, self.width()) - (theme.px(self.BESIDE) if self.BESIDE else 0)
        if self._words in self._among:
            number, wide = self._among.index(self._words) + 1, self.fontMetrics().horizontalAdvance
            self.setText(self._shown(told_apart(self._words, self._among, number, room, wide)))
            return
        self.setText(self._shown(self.fontMetrics().elidedText(self._words, self.CUT, room)))

    def _shown(self, words: str) -> str:
        return words

    def sizeHint(self) -> QSize:
        beside = theme.px(self.BESIDE) if self.BESIDE else 0
        return QSize(self.fontMetrics().horizontalAdvance(self._words) + beside + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


class Name(_Fitted, Label):
    """A name on a label."""


class Sentence(_Fitted, Label):
    """A sentence on one line, its end cut where there is no room."""

    CUT = Qt.TextElideMode.ElideRight


class NameCheck(_Fitted, QCheckBox):
    """A name beside a box to tick; a press on the name is left to the widget around it."""

    BESIDE = 26
    name_pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self.hitButton(event.position().toPoint()):
            self.name_pressed.emit()
        super().mousePressEvent(event)

    def hitButton(self, pos: QPoint) -> bool:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        return pos.x() <= box.right() + theme.px(4)

    def _shown(self, words: str) -> str:
        return words.replace("&", "&&")


class NameButton(_Fitted, QToolButton):
    """A name on a button that opens a menu."""

    BESIDE = 26

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _shown(self, words: str) -> str:
        return f"{words.replace('&', '&&')} ▾"


class ShortBox(QComboBox):
    """A choice whose text loses its middle where there is no room; Qt cuts its end off in the middle of a letter."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        whole, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(whole, option, part, self).width() - 2
        option.currentText = self.cut(option.currentText, room)
        painter.drawComplexControl(whole, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def cut(self, text: str, room: int) -> str:
        """The text as it is shown in this room, in pixels."""
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room)


class NameBox(ShortBox):
    """A choice among names, of limited width; `name` is the chosen one, unshortened."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)
        self.setMaximumWidth(width)

    def cut(self, text: str, room: int) -> str:
        """The name, cut to what tells it from the others."""
        names = [self.itemText(place) for place in range(self.count())]
        if text not in names:
            return super().cut(text, room)
        return told_apart(text, names, names.index(text) + 1, room, self.fontMetrics().horizontalAdvance)

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
        """Offer these names without emitting signals; the chosen one stays if it is among them."""
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
    """Discard a widget: it emits no more signals, and the event loop deletes it."""
    for each in (widget, *widget.findChildren(QWidget)):
        each.blockSignals(True)
    widget.hide()
    widget.deleteLater()
