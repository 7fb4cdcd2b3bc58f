"""A card that lies over the window beside the button that opens it, so that nothing else moves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced


class Popover(QFrame):
    """Holds one widget, as large as that wants; a click elsewhere or Esc closes it, and gives the keyboard back."""

    def __init__(self, anchor: QWidget, content: QWidget) -> None:
        super().__init__(anchor.window())
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._anchor, self.content = anchor, content
        self._former: QWidget | None = None
        """The widget that had the keyboard before."""
        spaced(QVBoxLayout(self), 1, 1, 1, 1).addWidget(content)
        self.hide()

    def toggle(self) -> None:
        """Open, or close what is open."""
        if self.isVisible():
            self.shut()
        else:
            self.open()

    def open(self) -> None:
        """Lie over the window beside the anchor."""
        if self.isVisible():
            return
        self._former = QApplication.focusWidget()
        self._place()
        self.show()
        self.raise_()
        first = self.nextInFocusChain()
        (first if first is not None and self.isAncestorOf(first) else self).setFocus(Qt.FocusReason.PopupFocusReason)
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)

    def shut(self) -> None:
        """Go, and give the keyboard back if it is still here."""
        app, focused = QApplication.instance(), QApplication.focusWidget()
        if app is not None:
            app.removeEventFilter(self)
        if focused is not None and (focused is self or self.isAncestorOf(focused)):
            former = self._former
            back = former if former is not None and former.isVisible() else self.window()
            back.setFocus(Qt.FocusReason.PopupFocusReason)
        self._former = None
        self.hide()

    def _place(self) -> None:
        """Stand above the anchor, or below it where the window has more room there, within the window."""
        window, gap, size = self.window(), 8, self.content.sizeHint()
        corner = self._anchor.mapTo(window, QPoint(self._anchor.width(), 0))
        below = window.height() - corner.y() - self._anchor.height()
        room = max(corner.y(), below) - 2 * gap
        width = min(theme.px(size.width()), window.width() - 2 * gap)
        height = min(theme.px(size.height()), room)
        top = corner.y() - height - gap if corner.y() >= below else corner.y() + self._anchor.height() + gap
        self.setGeometry(min(max(gap, corner.x() - width), window.width() - width - gap), top, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window() and event.type() == QEvent.Type.Resize:
            self._place()
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            inside = watched is self or self.isAncestorOf(watched) or watched is self._anchor
            if not inside and watched.window() is self.window():
                self.shut()
        return False

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()  # else the window's own Esc, which clears the selection, comes first
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.shut()
                return True
        return super().event(event)
