"""A field for a number that may be typed as text, and a label that needs no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.wording import as_typed


class Field(QLineEdit):
    """A field that leaves the window its keys: where Qt would cut the line (Ctrl+K) or go to its end (Ctrl+E)."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            to_end = event.matches(QKeySequence.StandardKey.MoveToEndOfLine) and event.key() == Qt.Key.Key_E
            if to_end or event.matches(QKeySequence.StandardKey.DeleteEndOfLine):
                event.ignore()
                return True
        return super().event(event)


class NumberField(Field):
    """Emits `entered(text)`, numbers as typed, on Return or when left with a changed text; Esc puts the old text back.

    It grows with a long number: one that is partly hidden would be read as another.
    """

    entered = Signal(str)

    def __init__(self, name: str, width: int = 76) -> None:
        super().__init__()
        self._least = width
        self.setFixedWidth(width)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        self._shown = ""
        self.returnPressed.connect(self._enter)

    def set_least(self, width: int) -> None:
        """Take no less than so many pixels, at the usual type."""
        self._least = width
        self._fit()

    def show_text(self, text: str) -> None:
        """Show a value, unless the user is typing."""
        if not (self.hasFocus() and self.isModified()):
            self._shown = text
            if text != self.text() or self.isModified():
                self.setText(text)
                self.setCursorPosition(0)
            self.set_wrong(False)
            self._fit()

    def _fit(self) -> None:
        beside = 18  # pixels of a field not available for its text
        wanted = self.fontMetrics().horizontalAdvance(self._shown) + theme.px(beside)
        longest = 112  # most pixels that a field grows to
        self.setFixedWidth(max(theme.px(self._least), min(theme.px(longest), wanted)))

    def set_wrong(self, wrong: bool) -> None:
        """Outline an invalid value in red."""
        if bool(self.property("wrong")) != wrong:
            self.setProperty("wrong", wrong)
            self.style().unpolish(self)
            self.style().polish(self)

    @property
    def _unsettled(self) -> bool:
        """True if the field shows anything but the current value."""
        return self.isModified() or bool(self.property("wrong"))

    def _enter(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.entered.emit(as_typed(self.text()))

    def refill(self) -> None:
        """Show the last value again where the user has left none."""
        if not self.text().strip():
            self.setModified(False)
            self.show_text(self._shown)

    def begin(self, text: str) -> None:
        """Take over a number whose first characters were typed elsewhere."""
        self.setFocus()
        self.setText(text)
        self.setModified(True)

    def event(self, event: QEvent) -> bool:
        first = event.type() == QEvent.Type.ShortcutOverride and self._unsettled
        # The first Esc undoes the typing, the next one is the window's.
        if first and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._enter()
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._unsettled:
            self.setModified(False)
            self.set_wrong(False)
            self.show_text(self._shown)
            return
        super().keyPressEvent(event)


class RoomLabel(Label):
    """A label that shows its words whole, or nothing where they do not fit."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_words(self, words: str) -> None:
        """Show these words if they fit."""
        self._words = words
        self._fit()

    def _fit(self) -> None:
        fits = self.fontMetrics().horizontalAdvance(self._words) <= self.width()
        self.setText(self._words if fits else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
