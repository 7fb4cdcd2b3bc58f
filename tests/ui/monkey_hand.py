"""What the random hand can do: every action is one small thing a person could do with mouse, keys or files."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import monkey_files
from pyqtgraph import GraphicsView
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QAction, QDrag, QDropEvent, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSplitterHandle,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid
from windows import menus_in

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import methods
from mvexplorer.state.document import commands
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.pages.table import PAGES
from mvexplorer.ui.panels.header import MIME
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.slider import Slider
from mvexplorer.ui.window.main_window import MainWindow

KINDS: tuple[tuple[type, int], ...] = (
    (EmbeddingCanvas, 5), (GraphicsView, 3), (Slider, 5), (QLineEdit, 4), (QComboBox, 3), (QTabBar, 3),
    (QAbstractButton, 6), (QAbstractItemView, 4), (QSplitterHandle, 2), (Panel, 1), (QScrollArea, 1),
)  # fmt: skip
"""What is played with, and how often; a widget counts as the first kind it is."""
WORDS = (
    "",
    "1",
    "0",
    "-1",
    "1e999",
    "nan",
    "2*median",
    "median/9",
    "max-min",
    "abc",
    "0.5",
    "3",
    "99999999",
    "ε",
    "<b>",
)
SIZES = ((1280, 720), (1440, 900), (900, 600), (1900, 1000), (1000, 1200), (640, 480))
NEVER = ("Quit",)
PLACES = (*(page.id for page in PAGES), "multiples", "gallery")
"""What the hand visits: the pages, and what can stand in the panels' place."""
BUTTONS = (Qt.MouseButton.LeftButton,) * 5 + (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)
MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 5 + (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
KEYS = [Qt.Key(k) for k in (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
    Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Space, Qt.Key.Key_Delete,
    Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_5, Qt.Key.Key_Period,
)]  # fmt: skip


class Hand:
    """Acts on a window by the choices of `choose`; tells `say` what it is about to do."""

    def __init__(self, window: MainWindow, choose: random.Random, folder: Path, say: Callable[[str], None]) -> None:
        self._window, self._choose, self._say = window, choose, say
        self._folder = folder
        self._sources = monkey_files.write_files(folder / "files")
        self._sessions: list[Path] = []
        self._held: tuple[QWidget, Qt.MouseButton] | None = None
        self._place, self._stay = "", 0
        self.acted: Counter[str] = Counter(dict.fromkeys(PLACES, 0))
        """How often each place of the window, and each kind of dialog, was played with."""
        vars(window.controller.workplace)["choose"] = lambda *_, **__: None  # it would start processes
        self._deeds: list[tuple[int, Callable[[], None]]] = [
            (30, self._touch), (9, self._press_keys), (9, self._menu_action), (5, self._panel_menu), (7, self._history),
            (4, self._open), (1, self._open_hostile), (2, self._session), (6, self._visit),
            (3, self._panels), (2, self._resize), (1, self._theme), (3, self._present), (2, self._cancel),
            (2, self._find), (4, self._hold), (1, self._drop),
        ]  # fmt: skip

    def pause(self) -> int:
        """Milliseconds until the next action: mostly none, now and then long enough for pictures to arrive."""
        return self._choose.choice((0, 0, 0, 0, 0, 1, 5, 20, 60, 60, 250))

    def act(self) -> None:
        """One action; a menu or a box that is open comes first."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._play_popup(popup)
            return
        modal = QApplication.activeModalWidget()
        if isinstance(modal, QDialog) and self._choose.random() < 0.3:
            self._say(f"close {type(modal).__name__}")
            modal.reject()
            return
        if self._stay and self._choose.random() < 0.7:
            self._play_at_place()
            return
        weights = [w for w, _ in self._deeds]
        self._choose.choices([d for _, d in self._deeds], weights)[0]()

    # Menus and dialogs --------------------------------------------------------------------------------------

    def _play_popup(self, popup: QWidget) -> None:
        roll = self._choose.random()
        if roll < 0.25:
            self._say(f"Esc on {type(popup).__name__}")
            QTest.keyClick(popup, Qt.Key.Key_Escape)
            if isValid(popup) and popup.isVisible() and self._choose.random() < 0.5:
                popup.close()
        elif isinstance(popup, QMenu):
            actions = [a for a in popup.actions() if a.isEnabled() and not a.isSeparator() and _may(a)]
            if not actions:
                popup.close()
                return
            action = self._choose.choice(actions)
            self._say(f"menu: {action.text()[:60]!r}")
            popup.setActiveAction(action)
            QTest.keyClick(popup, Qt.Key.Key_Return)
        else:
            self._touch_in(popup)

    def leave_popups(self) -> None:
        """Close whatever is open, so that nested loops end."""
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        while (modal := QApplication.activeModalWidget()) is not None:
            modal.close()
            if modal.isVisible():
                break

    def answer_dialogs(self) -> None:
        """Questions that would open a box of the system's own get a random answer."""
        pick = self._choose.choice

        def said(name: str, answer: Callable[[], Any]) -> Callable[..., Any]:
            def ask(*_: object, **__: object) -> Any:
                found = answer()
                self._say(f"  {name} -> {str(found)[:100]}")
                return found

            return staticmethod(ask)

        QFileDialog.getOpenFileNames = said("files", lambda: (list(pick(self._file_sources())), ""))
        QFileDialog.getOpenFileName = said("file", lambda: (str(pick([*self._sessions, "", "gone.mvx.json"])), ""))
        QFileDialog.getSaveFileName = said("save", lambda: (self._save_name(), ""))
        dialogs.choose = said("question", lambda: pick((0, 1, None)))
        dialogs.enter = said("text", lambda: pick((pick(WORDS), None)))
        dialogs.enter_number = said("number", lambda: pick((64, 256, 100.5, 8192, None)))  # all within every range
        QDrag.exec = lambda *_: Qt.DropAction.IgnoreAction

    def _file_sources(self) -> list[tuple[str, ...]]:
        return [s for s in self._sources if "/" in s[0]]

    def _save_name(self) -> str:
        endings = ("mvx.json", "png", "svg", "csv", "txt")
        name = self._choose.choice(("a", "b", "<i>&", "n" * 240, "gone/x"))
        return self._choose.choice(("", str(self._folder / f"{name}.{self._choose.choice(endings)}")))

    # Places -------------------------------------------------------------------------------------------------

    def _visit(self) -> None:
        """Go where the hand was least of all, and stay there for a while."""
        if self._window.document.data is None or self._window.docks.importing is not None:
            self._open()
            return
        least = min(self.acted[place] for place in PLACES)
        self._place = self._choose.choice([place for place in PLACES if self.acted[place] == least])
        self._stay = self._choose.randrange(5, 20)
        self._say(f"visit {self._place}")
        if self._place == "gallery":
            self._window.gallery.show()
            return
        if self._window.docks.gallery is not None:
            self._window.gallery.leave()
        if self._place == "multiples":
            self._window.editor.change_multiples("Small multiples", shown=True)
        else:
            self._window.bottom.show_page(self._place)

    def _play_at_place(self) -> None:
        self._stay -= 1
        docks = self._window.docks
        whole = {"gallery": docks.gallery, "multiples": docks.multiples}
        page = whole[self._place] if self._place in whole else docks.bottom.pages.get(self._place)
        if page is None or not page.isVisible():
            self._stay = 0
            return
        self.acted[self._place] += 1
        self._touch_in(page)

    # Widgets ------------------------------------------------------------------------------------------------

    def _touch(self) -> None:
        tops = [w for w in QApplication.topLevelWidgets() if w.isVisible() and isinstance(w, QDialog)]
        top = self._choose.choice(tops) if tops and self._choose.random() < 0.3 else self._window
        self.acted[type(top).__name__] += 1
        self._touch_in(top)

    def _touch_in(self, top: QWidget) -> None:
        by_kind: dict[int, list[QWidget]] = {}
        for widget in top.findChildren(QWidget):
            if widget.isVisible() and widget.isEnabled() and widget.width() > 2 and widget.height() > 2:
                kind = next((i for i, (k, _) in enumerate(KINDS) if isinstance(widget, k)), None)
                if kind is not None:
                    by_kind.setdefault(kind, []).append(widget)
        if not by_kind:
            return
        kind = self._choose.choices(list(by_kind), [KINDS[k][1] for k in by_kind])[0]
        widget = self._choose.choice(by_kind[kind])
        self._say(f"{KINDS[kind][0].__name__} {(widget.accessibleName() or widget.toolTip())[:40]!r}")
        if isinstance(widget, QLineEdit):
            self._type(widget)
        elif isinstance(widget, (QAbstractButton, QTabBar, QAbstractItemView)):
            self._click(widget)
        elif isinstance(widget, QComboBox):
            self._choose.choice((self._click, self._wheel, self._keys_on))(widget)
        else:
            gestures = (self._click, self._drag, self._drag, self._drag, self._wheel, self._keys_on, self._hover)
            self._choose.choice(gestures)(widget)

    def _spot(self, widget: QWidget) -> QPoint:
        size = widget.size() if isValid(widget) else QSize(1, 1)
        return QPoint(self._choose.randrange(max(1, size.width())), self._choose.randrange(max(1, size.height())))

    def _mouse(self, do: Callable[..., None], widget: QWidget, *arguments: Any, at: QPoint) -> None:
        """An event of the window system's, so that grabs, popups and hovering work as under a real hand."""
        if isValid(widget) and widget.isVisible() and (handle := widget.window().windowHandle()) is not None:
            do(handle, *arguments, widget.mapTo(widget.window(), at))

    def _click(self, widget: QWidget) -> None:
        button, keys, spot = self._choose.choice(BUTTONS), self._choose.choice(MODIFIERS), self._spot(widget)
        self._mouse(QTest.mouseClick, widget, button, keys, at=spot)
        if self._choose.random() < 0.1:
            self._mouse(QTest.mouseDClick, widget, button, keys, at=spot)

    def _drag(self, widget: QWidget) -> None:
        button, keys = self._choose.choice(BUTTONS), self._choose.choice(MODIFIERS)
        self._mouse(QTest.mousePress, widget, button, keys, at=self._spot(widget))
        for _ in range(self._choose.randrange(1, 9)):
            self._mouse(QTest.mouseMove, widget, at=self._spot(widget))
        self._mouse(QTest.mouseRelease, widget, button, keys, at=self._spot(widget))

    def _hover(self, widget: QWidget) -> None:
        for _ in range(5):
            self._mouse(QTest.mouseMove, widget, at=self._spot(widget))

    def _wheel(self, widget: QWidget) -> None:
        handle = widget.window().windowHandle()
        if handle is not None:
            turn = QPoint(0, self._choose.choice((-120, 120, 360, -1200)))
            QTest.wheelEvent(handle, QPointF(widget.mapTo(widget.window(), self._spot(widget))), turn)

    def _type(self, field: QLineEdit) -> None:
        field.setFocus()
        field.selectAll()
        for letter in self._choose.choice(WORDS):
            self._key(ord(letter.upper()) if letter.isascii() else 0, text=letter)
        self._key(self._choose.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Down)))

    def _keys_on(self, widget: QWidget) -> None:
        widget.setFocus()
        for _ in range(self._choose.randrange(1, 5)):
            self._key(self._choose.choice(KEYS), self._choose.choice(MODIFIERS))

    def _key(self, key: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, text: str = "") -> None:
        focus = QApplication.focusWidget() or self._window
        if text:  # QTest knows Latin letters only
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                if isValid(focus):
                    QApplication.sendEvent(focus, QKeyEvent(kind, key, keys, text))
        else:
            QTest.keyClick(focus, Qt.Key(key), keys)

    def _hold(self) -> None:
        """Press without letting go, or let go of what was pressed: anything may happen in between."""
        if self._held is not None and isValid(self._held[0]):
            widget, button = self._held
            self._held = None
            self._say("let go")
            self._mouse(QTest.mouseMove, widget, at=self._spot(widget))
            self._mouse(QTest.mouseRelease, widget, button, Qt.KeyboardModifier.NoModifier, at=self._spot(widget))
            return
        found = [
            w for w in self._window.findChildren(QWidget) if isinstance(w, (Slider, GraphicsView)) and w.isVisible()
        ]
        if found:
            widget = self._choose.choice(found)
            self._held = (widget, Qt.MouseButton.LeftButton)
            self._say(f"hold {type(widget).__name__} {widget.accessibleName()!r}")
            self._mouse(QTest.mousePress, widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
                        at=self._spot(widget))  # fmt: skip
            self._mouse(QTest.mouseMove, widget, at=self._spot(widget))

    def _drop(self) -> None:
        ids = list(self._window.grid.panels)
        if len(ids) < 2:
            return
        source, target = self._choose.sample(ids, 2)
        self._say(f"drop {source} on {target}")
        mime = QMimeData()
        mime.setData(MIME, source.encode())
        event = QDropEvent(QPointF(5, 5), Qt.DropAction.MoveAction, mime, Qt.MouseButton.LeftButton,
                           self._choose.choice(MODIFIERS))  # fmt: skip
        QApplication.sendEvent(self._window.grid.panels[target], event)

    # Keys, menus, panels ------------------------------------------------------------------------------------

    def _press_keys(self) -> None:
        acts = [a for a in self._window.actions_table.table if a.keys and a.text not in NEVER]
        keys = self._choose.choice(self._choose.choice(acts).keys.split("|"))
        self._say(f"keys {keys}")
        for _ in range(self._choose.choice((1, 1, 1, 4))):
            combination = QKeySequence(keys)[0]
            self._key(combination.key(), combination.keyboardModifiers())

    def _menu_action(self) -> None:
        menu = self._choose.choice(list(self._window.actions_table.menus.values()))
        self._say(f"menu {menu.title()!r}")
        self._run_from(menu)

    def _run_from(self, menu: QMenu) -> None:
        menu.aboutToShow.emit()
        actions = [a for a in menu.actions() if a.isEnabled() and not a.isSeparator() and _may(a)]
        if not actions:
            return
        action = self._choose.choice(actions)
        inner = [m for m in menus_in(menu) if m.menuAction() == action]
        if inner:
            self._run_from(inner[0])
            return
        self._say(f"  action {action.text()[:60]!r}")
        action.trigger()

    def _panel_menu(self) -> None:
        panels = list(self._window.grid.panels.values())
        if panels:
            panel = self._choose.choice(panels)
            made = self._choose.choice((panel.menus.everything, panel.menus.methods, panel.menus.shown))()
            self._say(f"menu of panel {panel.id}")
            self._run_from(made)
            made.deleteLater()

    def _panels(self) -> None:
        do = self._choose.choice(("close all", "close", "usual", "fill"))
        self._say(f"panels: {do}")
        document = self._window.document
        ids = [p.id for p in document.state.panels]
        if document.data is None:
            return
        if do == "usual":
            commands.show_usual_panels(document)
        elif do == "fill":
            self._window.behaviour.add_panel(self._choose.choice([m.id for m in methods() if not m.shows_given]))
            for inner in menus_in(self._window.actions_table.menus["Panels"]):
                self._run_from(inner)
        for id in ids if do == "close all" else ids[-1:] if do == "close" else []:
            if id in self._window.grid.panels:
                self._window.grid.panels[id].header.cross.click()

    # Documents ----------------------------------------------------------------------------------------------

    def _history(self) -> None:
        count = self._choose.choice((1, 1, 2, 3, 10))
        moves = [self._choose.choice(("undo", "undo", "redo")) for _ in range(count)]
        self._say(" ".join(moves))
        for move in moves:
            getattr(self._window.document, move)()

    def _open(self) -> None:
        source = self._choose.choice(self._sources)
        self._say(f"open {[s.rpartition('/')[2][:40] for s in source]}")
        self._window.library.open_files(source)

    def _open_hostile(self) -> None:
        """Data whose every name is hostile, as no file of ours can hold them all."""
        names = monkey_files.HOSTILE
        random_state = self._choose.randrange(3)
        n = self._choose.choice((12, 24, 40))
        drawn = monkey_files.np.random.default_rng(random_state).normal(size=(len(names), n, 3))
        data = MultiView(
            dict(zip(names, drawn[: self._choose.choice((1, 2, 3, len(names)))], strict=False)),
            labels=[names[i % len(names)] for i in range(n)],
            sample_ids=[f"{names[i % len(names)]}{i}" for i in range(n)],
            columns={name: monkey_files.np.arange(n) % 3 for name in names},
        )  # fmt: skip
        self._say(f"hostile data, {n} samples")
        commands.open_data(self._window.document, data, commands.initial_state(data, (names[1],), None, False))
        self._window.show_opened()

    def _session(self) -> None:
        if self._sessions and self._choose.random() < 0.6:
            path = self._choose.choice(self._sessions)
            self._say(f"open session {path.name}")
            self._window.library.open_session(path)
        elif self._window.document.data is not None:
            path = self._folder / f"s{len(self._sessions)}.mvx.json"
            self._say(f"save session {path.name}")
            self._window.library.session_path = path
            if self._window.library.save():
                self._sessions.append(path)

    # The window ---------------------------------------------------------------------------------------------

    def _resize(self) -> None:
        size = self._choose.choice((*SIZES, None))
        self._say(f"size {size}")
        if size is not None:
            self._window.resize(*size)
        elif self._window.isMinimized():
            self._window.showNormal()
        else:
            self._choose.choice((self._window.showMinimized, self._window.showMaximized, self._window.showNormal))()

    def _theme(self) -> None:
        name = self._choose.choice(("light", "dark", "system"))
        self._say(f"theme {name}")
        self._window.workbench.change_settings(theme=name)

    def _present(self) -> None:
        self._say("presentation")
        self._window.behaviour.present(self._choose.choice((None, False, False)))

    def _cancel(self) -> None:
        self._say("cancel")
        tasks = self._window.controller.tasks()
        if tasks and self._choose.random() < 0.7:
            self._window.controller.cancel(self._choose.choice(tasks).slot)
        else:
            self._window.behaviour.cancel_all()

    def _find(self) -> None:
        text = self._choose.choice(
            ("set", "colour by", "point", "add", "bandwidth", "open sample", "x", "<", "1", "all")
        )
        self._say(f"find {text!r}")
        self._window.behaviour.find_anything()
        palette = QApplication.activePopupWidget()
        if palette is None:
            return
        QTest.keyClicks(palette.search, text)
        for _ in range(self._choose.randrange(6)):
            QTest.keyClick(palette.search, Qt.Key.Key_Down)
        if "Quit" not in (palette.list.currentItem().text() if palette.list.currentItem() else ""):
            QTest.keyClick(palette.search, self._choose.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape)))


def _may(action: QAction) -> bool:
    return action.text() not in NEVER
