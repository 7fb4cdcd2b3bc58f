"""An outline around the one control that a lesson points to; it lies on top, takes no room and no clicks."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from mvexplorer.ui.style import theme


class Outline(QObject):
    """Follows a control, wherever that is put; the frame is its sibling, so that what scrolls it scrolls the frame."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.target: QWidget | None = None
        self.frame: QWidget | None = None

    def surround(self, target: QWidget | None) -> None:
        """Draw it around this control and no other."""
        if target is self.target and (target is None or self._stays):
            return
        self._leave()
        self.target = target
        around = None if target is None else target.parentWidget()
        if target is None or around is None:
            return
        target.installEventFilter(self)
        target.destroyed.connect(self._gone)
        self.frame = _Frame(around)
        self._follow()

    @property
    def _stays(self) -> bool:
        return self.frame is not None and self.target is not None and self.frame.parent() is self.target.parent()

    def _leave(self) -> None:
        if self.target is not None:
            self.target.removeEventFilter(self)
            self.target.destroyed.disconnect(self._gone)
        self._gone()

    def _gone(self) -> None:
        frame, self.target, self.frame = self.frame, None, None
        if frame is not None and isValid(frame):  # it goes with its parent as well
            frame.hide()
            frame.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moved = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.ZOrderChange)
        if watched is self.target and event.type() in moved:
            self._follow()
        return False

    def _follow(self) -> None:
        target, frame = self.target, self.frame
        if target is None or frame is None:
            return
        beside = 2
        whole = target.geometry().adjusted(-beside, -beside, beside, beside)
        around = frame.parentWidget()
        frame.setGeometry(whole if around is None else whole.intersected(around.rect()))
        frame.setVisible(not target.isHidden())
        frame.raise_()


class _Frame(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.current().color("accent"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
        painter.end()
