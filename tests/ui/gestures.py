"""Mouse, keys and drops on a window in a test."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from mvexplorer.ui.window.main_window import MainWindow

NONE, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
KEY = Qt.Key


def canvas(window: MainWindow, id: str = "p1"):
    return window.grid.panels[id].canvas


def drag(widget, points, modifiers=NONE, button=LEFT, release: bool = True) -> None:
    """A drag along widget positions, as the window system would report it."""
    points = [QPoint(round(x), round(y)) for x, y in points]
    QTest.mousePress(widget, button, modifiers, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    if release:
        QTest.mouseRelease(widget, button, modifiers, points[-1])


def circle(centre: QPointF, radius: float, n: int = 24):
    angle = np.linspace(0, 2 * np.pi, n)
    return [(centre.x() + radius * np.cos(a), centre.y() + radius * np.sin(a)) for a in angle]


def inside_circle(target, centre: QPointF, radius: float, n: int) -> set[int]:
    places = [target.position_of(i) for i in range(n)]
    return {i for i, p in enumerate(places) if np.hypot(p.x() - centre.x(), p.y() - centre.y()) < radius}


def clear_of_points(target, centres, radius: float, n: int) -> bool:
    """Whether no sample lies so near the circles that rounding decides on which side it is."""
    each = [[inside_circle(target, c, radius + more, n) for more in (-1.2, 1.2)] for c in centres]
    return all(inner == outer for inner, outer in each)


def close_popups() -> None:
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def texts(menu: QMenu) -> dict[str, object]:
    return {a.text().split("\t")[0]: a for a in menu.actions() if a.text()}


def requests(window: MainWindow):
    return {id: r.request for id, r in window.controller.results.items()}


def drop(target, mime: QMimeData, modifiers=NONE) -> bool:
    enter = QDragEnterEvent(QPoint(40, 40), Qt.DropAction.CopyAction, mime, LEFT, modifiers)
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(40, 40), Qt.DropAction.CopyAction, mime, LEFT, modifiers))
    return enter.isAccepted()


def point_at(widget: QWidget) -> None:
    """Move the pointer into a widget, as far as the widget can tell: what is at hand there is shown."""
    QApplication.sendEvent(widget, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))


def point_away(widget: QWidget) -> None:
    """Move the pointer out of it again."""
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
