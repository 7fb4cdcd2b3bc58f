"""The keys of a talk: digits and the page keys of a clicker go to snapshots, whatever has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from mvexplorer.state.bench.snapshot_walk import SnapshotWalk

DIGITS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)
STEPS = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}


class TalkKeys(QObject):
    """Takes the keys before sliders and shortcuts do: a slider that was dragged last would take a clicker's."""

    def __init__(self, window: QWidget, walk: SnapshotWalk) -> None:
        super().__init__(window)
        self._window, self._walk = window, walk

    def listen(self, on: bool) -> None:
        """Begin with a presentation, and end with it."""
        app = QApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        if on:
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent) or not self._is_own(event):
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            if event.key() in STEPS:
                self._walk.step(STEPS[Qt.Key(event.key())])
            elif not event.isAutoRepeat():
                self._walk.go_to_place(event.key() - Qt.Key.Key_1)
        return True

    def _is_own(self, event: QKeyEvent) -> bool:
        """True for such a key, unless it goes to a field or to another window."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        elsewhere = QApplication.activePopupWidget() is not None or QApplication.activeWindow() is not self._window
        typing = isinstance(QApplication.focusWidget(), QLineEdit)
        return plain and not elsewhere and not typing and (event.key() in DIGITS or event.key() in STEPS)
