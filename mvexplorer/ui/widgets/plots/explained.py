"""Painted widgets that explain what is under the pointer, and of which a part can be chosen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mvexplorer.ui.runtime.spoken import Spoken
from mvexplorer.ui.widgets.plain_text import tip


class Explained(Spoken, QWidget):
    """Its tooltip depends on the place."""

    def about(self, place: QPointF) -> str:
        """Describe what lies under a position; empty where there is nothing to say."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.about(QPointF(event.pos()))), self)
            return True
        return bool(super().event(event))


class PartsToChoose(Explained):
    """Parts in a row or a column: the pointer or the arrow keys go to one, a click or Return chooses it."""

    BACK, ON = Qt.Key.Key_Left, Qt.Key.Key_Right

    def __init__(self, name: str) -> None:
        super().__init__()
        self._at = -1
        """The part under the pointer, if any."""
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def count(self) -> int:
        """The number of parts."""
        raise NotImplementedError

    def part_at(self, place: QPointF) -> int:
        """The part under a position, or -1."""
        raise NotImplementedError

    def point(self, part: int) -> None:
        """Tell which part is pointed at; -1 is none."""
        raise NotImplementedError

    def choose(self, part: int) -> None:
        """Tell which part is chosen."""
        raise NotImplementedError

    def _go_to(self, part: int) -> None:
        if part != self._at:
            self._at = part
            self.point(part)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go_to(self.part_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._go_to(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (part := self.part_at(event.position())) >= 0:
            self.choose(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {self.ON: 1, self.BACK: -1}.get(Qt.Key(event.key()))
        if step is not None and self.count():
            self._go_to(min(max(self._at + step, 0), self.count() - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._at >= 0:
            self.choose(self._at)
        else:
            super().keyPressEvent(event)
