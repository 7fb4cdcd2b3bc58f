"""The messages over the strip: one in its room, or all of them whole, over the top of the panels."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.window.strip.step_strip import StepStrip

EDGE = 2
"""Pixels above and below a message."""


class MessageSheet(QScrollArea):
    """Lies in no layout, so that no message moves what it lies over."""

    def __init__(self, centre: QWidget, strip: StepStrip, banners: Banners) -> None:
        super().__init__(centre)
        self._centre, self._strip, self.banners = centre, strip, banners
        self.setObjectName("messages")
        self.setAccessibleName("Messages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        column = banners.layout()
        if column is not None:
            spaced(column, 0, EDGE, 8, EDGE)
        self.setWidget(banners)
        self._away = False
        self.hide()
        centre.installEventFilter(self)
        strip.moved.connect(self.place)

    def arrange(self, *, away: bool) -> None:
        """Show the messages where there are any, unless a page has its own."""
        self._away = away
        self.place()

    def place(self) -> None:
        """Lie over the strip's room for the message, in a presentation over the bottom edge; the list is higher."""
        listed, below = self.banners.listed, self._strip.isHidden()
        grows = ("up" if below else "down") if listed else ""
        if grows != (self.property("listed") or ""):
            self.setProperty("listed", grows)
            self.style().unpolish(self)
            self.style().polish(self)
            application = QApplication.instance()
            if application is not None:
                (application.installEventFilter if listed else application.removeEventFilter)(self)
        bar = Qt.ScrollBarPolicy.ScrollBarAsNeeded if listed else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(bar)
        shown = not self._away and bool(self.banners.texts())
        self.setVisible(shown)
        if not shown:
            return
        room = self._last_line() if below else self._strip.slot_in(self._centre)
        if listed:
            border, most = 2, self._centre.height() - (0 if below else room.y())
            wanted = self.banners.height_in(room.width()) + border  # else it scrolls by a pixel
            if wanted > most:  # beside its scroll bar
                self.banners.height_in(room.width() - self.verticalScrollBar().sizeHint().width())
            high = min(max(wanted, room.height()), most)
            room.adjust(0, room.height() - high if below else 0, 0, 0 if below else high - room.height())
        self.setGeometry(room)
        self.raise_()

    def _last_line(self) -> QRect:
        """Room at the right of the bottom edge, as wide as one message, so that few scores are covered."""
        most = self._centre.width() - 8  # begins where the panels do
        wide = most if self.banners.listed else min(most, self.banners.width_with(most))
        high = self._strip.maximumHeight()
        return QRect(self._centre.width() - wide, self._centre.height() - high, wide, high)

    def close_list(self) -> None:
        """Show one message again."""
        if self.banners.listed:
            self.banners.toggle_list()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._centre and kind == QEvent.Type.Resize:
            self.place()
        if not (self.banners.listed and isinstance(watched, QWidget) and watched.window() is self.window()):
            return False
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseButtonPress:
            if not self.rect().contains(self.mapFromGlobal(event.globalPosition().toPoint())):
                self.close_list()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # it is not the window's key now
            if kind == QEvent.Type.KeyPress:
                self.close_list()
            return True
        return False
