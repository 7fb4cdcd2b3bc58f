"""The small widgets a panel is made of, and the words for pinned parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QDrag, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolButton, QWidget

from mvexplorer.engine.methods import methods
from mvexplorer.state.model import Scalar
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line

if TYPE_CHECKING:
    from mvexplorer.ui.panels.panel import Panel

MIME = "application/x-mvexplorer-panel"


class Title(QPushButton):
    """A method's name, cut to the room there is."""

    dragged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._press: QPointF | None = None

    def set_words(self, words: str) -> None:
        self._words = line(words, 4 * LINE)
        self.setAccessibleName(self._words)
        self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # The title fills the header: what begins as a press may become the drag of the panel.
        if self._press is None:
            return
        if self.isDown():
            travelled = (event.position() - self._press).manhattanLength()
            if travelled >= QApplication.startDragDistance():
                self.setDown(False)
                self._press = None
                self.dragged.emit()
                return
        super().mouseMoveEvent(event)

    def _fit(self) -> None:
        room = max(40, self.width() - 26)
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        self.setText(f"{shown.replace('&', '&&')} ▾")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class Header(QWidget):
    """The strip a panel is dragged by."""

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._press: QPointF | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = event.position()
        self._panel.setFocus()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            return
        if (event.position() - self._press).manhattanLength() < QApplication.startDragDistance():
            return
        self.lift()

    def lift(self) -> None:
        """Start dragging the panel."""
        self._press = None
        mime = QMimeData()
        mime.setData(MIME, self._panel.id.encode())
        drag = QDrag(self)
        drag.setMimeData(mime)
        drag.setPixmap(self._panel.grab().scaledToWidth(160, Qt.TransformationMode.SmoothTransformation))
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._panel.maximise.click()


def pin_text(name: str, value: Scalar) -> str:
    """A pinned parameter in the footer: its symbol, or its name where it has none, and its value."""
    kind, colon, view = name.partition(":")
    if colon:
        return f"{'ε' if kind == 'epsilon' else 'kernel'} {line(view, 24)} {_number(value)}"
    param = next(p for m in methods() for p in m.params if p.name == name)
    return f"{param.symbol or param.title.lower()} {param.empty if value is None else _number(value)}"


def _number(value: Scalar) -> str:
    return numbers.number(value) if isinstance(value, float) else str(value).lower()


def tool_button(role: str, tip: str, text: str = "") -> QToolButton:
    button = QToolButton()
    button.setProperty("role", role)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setText(text)
    return button


def icon_button(icon: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("icon_name", icon)
    button.setIcon(theme.icon(icon))
    button.setIconSize(QSize(14, 14))
    button.setFixedSize(22, 22)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button


def drop_menu(button: QWidget, menu: QMenu) -> None:
    """Open a menu under its button, and free it afterwards."""
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
