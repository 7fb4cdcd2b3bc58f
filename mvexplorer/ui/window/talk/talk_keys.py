"""The keys of a talk: digits and a clicker's page keys go to snapshots, W and M compare two, whoever has the keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from mvexplorer.state.bench.snapshot_walk import SnapshotWalk
from mvexplorer.ui.window.two.on_show import TwoSnapshots
from mvexplorer.ui.window.two.overlay import KEYS, MORPH, WIPE

DIGITS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)
STEPS = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
WAYS = {Qt.Key.Key_W: WIPE, Qt.Key.Key_M: MORPH}


class TalkKeys(QObject):
    """Takes the keys before sliders and shortcuts do: a slider that was dragged last would take a clicker's."""

    def __init__(self, window: QWidget, walk: SnapshotWalk, two: TwoSnapshots) -> None:
        super().__init__(window)
        self._window, self._walk, self._two = window, walk, two

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
            elif self._two.active and event.key() in KEYS:
                self._two.overlay.press(event.key())
            elif event.isAutoRepeat():
                pass
            elif event.key() in WAYS:
                self._two.toggle(WAYS[Qt.Key(event.key())])
            else:
                self._walk.go_to_place(event.key() - Qt.Key.Key_1)
        return True

    def _is_own(self, event: QKeyEvent) -> bool:
        """True for such a key, unless it goes to a field or to another window."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        elsewhere = QApplication.activePopupWidget() is not None or QApplication.activeWindow() is not self._window
        typing = isinstance(QApplication.focusWidget(), QLineEdit)
        own = event.key() in DIGITS or event.key() in STEPS or (self._two.active and event.key() in KEYS)
        own = own or (event.key() in WAYS and len(self._walk.names) > 1)  # M has another meaning without them
        return plain and not elsewhere and not typing and own
