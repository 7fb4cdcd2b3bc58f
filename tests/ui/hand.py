"""A hand that counts: it does to the window what a person does with mouse and keys, on what can be seen alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gestures import LEFT, NONE, drop
from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFileDialog, QLineEdit, QMenu, QMenuBar, QWidget


class Hand:
    """Each click, drag, drop, key chord and filled field is one action; `actions` has them in words."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self.actions: list[str] = []
        self._asked_by: QWidget | None = None
        self._answer: str | None = None
        self._asked = QTimer(window, interval=20)
        self._asked.timeout.connect(self._answer_dialog)

    def _did(self, what: str) -> None:
        self.actions.append(what)

    # The mouse ------------------------------------------------------------------------------------------------

    def click(self, target: QWidget, at: QPoint | None = None, what: str = "") -> None:
        """Click on a widget where it can be seen, or at a place in it."""
        self._did(f"click {what or name_of(target)}")
        at = at or target.rect().center()
        assert_in_sight(target, at)
        top = target.window()
        QTest.mouseClick(top.windowHandle(), LEFT, NONE, target.mapTo(top, at))

    def press(self, words: str) -> None:
        """Click on the one button in sight that says so."""
        self.click(self.button(words))

    def button(self, words: str) -> QAbstractButton:
        """The one button in sight with these words."""
        (button,) = [
            b for b in self._buttons() if words in (b.text(), b.accessibleName()) and b.isVisible() and b.isEnabled()
        ]
        return button

    def has_button(self, words: str) -> bool:
        """Whether exactly one button in sight says so."""
        return sum(words == b.text() and b.isVisible() and b.isEnabled() for b in self._buttons()) == 1

    def _buttons(self) -> list[QAbstractButton]:
        popup = QApplication.activePopupWidget()
        return (popup or QApplication.activeWindow() or self._window).findChildren(QAbstractButton)

    def choose(self, box: str, words: str) -> None:
        """Open the box of choices of that name, and click on one of them."""
        top = QApplication.activePopupWidget() or QApplication.activeWindow() or self._window
        (found,) = [b for b in top.findChildren(QComboBox) if b.accessibleName() == box and b.isVisible()]
        self.click(found)
        popup, view = QApplication.activePopupWidget(), found.view()
        at = view.visualRect(found.model().index(found.findText(words), 0)).center()
        self.click(popup, view.viewport().mapTo(popup, at), what=f"{words!r} in {box}")

    def menu(self, bar: QMenuBar, *words: str) -> None:
        """Open a menu and click through it."""
        for word in words:
            menu = QApplication.activePopupWidget() or bar
            assert isinstance(menu, QMenu | QMenuBar)
            action = _entry(menu, word)
            self.click(menu, menu.actionGeometry(action).center(), what=f"{word} in a menu")

    def drag(self, target: QWidget, path: Sequence[tuple[float, float]], what: str = "") -> None:
        """Press, move along places in a widget, and let go."""
        self._did(f"drag {what or name_of(target)}")
        places = [QPoint(round(x), round(y)) for x, y in path]
        for place in places:
            assert_in_sight(target, place)
        top = target.window()
        handle, moved = top.windowHandle(), [target.mapTo(top, place) for place in places]
        QTest.mousePress(handle, LEFT, NONE, moved[0])
        for place in moved[1:]:
            QTest.mouseMove(handle, place)
        QTest.mouseRelease(handle, LEFT, NONE, moved[-1])

    def drop(self, paths: Sequence[Path]) -> None:
        """Drop files on the window."""
        self._did(f"drop {', '.join(path.name for path in paths)}")
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        assert drop(self._window, mime)

    # The keys -------------------------------------------------------------------------------------------------

    def key(self, chord: str) -> None:
        """Press keys together, wherever the keyboard is."""
        self._did(f"key {chord}")
        if QApplication.activeWindow() is None:  # a window manager gives them back by itself
            back = self._asked_by if self._asked_by is not None and self._asked_by.isVisible() else self._window
            back.activateWindow()
            QTest.qWait(0)
        combination = QKeySequence(chord)[0]
        QTest.keyClick(_keyboard(self._window), combination.key(), combination.keyboardModifiers())

    def fill(self, text: str) -> None:
        """Type over what the field with the keys holds, and press Return."""
        field = _keyboard(self._window)
        assert isinstance(field, QLineEdit), f"the keys go to {name_of(field)}"
        self._did(f"fill {name_of(field)} with {text!r}")
        assert_in_sight(field, field.rect().center())
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    # Dialogs for files ----------------------------------------------------------------------------------------

    def will_answer(self, name: str = "") -> None:
        """Answer the next dialog for a file with a name; without one Return takes the name that is proposed."""
        self._answer = name
        self._asked.start()

    def _answer_dialog(self) -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QFileDialog) or self._answer is None:
            return
        self._asked.stop()
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert field is not None
        if self._answer:
            QTest.keyClicks(field, self._answer)
        self._did(f"answer {dialog.windowTitle()!r} with {field.text()!r}")
        self._answer, self._asked_by = None, dialog.parentWidget()
        QTest.keyClick(field, Qt.Key.Key_Return)


def name_of(widget: QWidget) -> str:
    """A widget in words."""
    said = widget.text() if isinstance(widget, QAbstractButton) else ""
    return repr(said or widget.accessibleName() or type(widget).__name__)


def assert_in_sight(widget: QWidget, at: QPoint) -> None:
    """Fail where a person could not click: hidden, disabled, or under something else."""
    assert widget.isVisible(), f"{name_of(widget)} is hidden"
    assert widget.isEnabled(), f"{name_of(widget)} is disabled"
    top, above = widget.window(), QApplication.activePopupWidget() or QApplication.activeModalWidget()
    assert above in (None, top), f"{name_of(widget)} lies under {above and name_of(above)}"
    there = top.childAt(widget.mapTo(top, at)) or top
    assert there is widget or widget.isAncestorOf(there), f"{name_of(widget)} lies under {name_of(there)}"


def _keyboard(window: QWidget) -> QWidget:
    return QApplication.focusWidget() or QApplication.activePopupWidget() or window


def _entry(menu: QMenu | QMenuBar, words: str) -> QAction:
    (action,) = [a for a in menu.actions() if a.text().split("\t")[0].replace("&", "") == words]
    assert action.isEnabled(), f"{words} is disabled"
    return action
