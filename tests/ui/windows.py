"""Small data for windows in tests, and how it gets into them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QMenu

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.batches.view_scores import ViewScores
from mvexplorer.state.bench.epsilon_advice import EpsilonAdvice
from mvexplorer.state.document import commands
from mvexplorer.state.document.fresh import OPENING_PANELS
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.verdicts import Verdicts
from mvexplorer.ui.window.main_window import MainWindow

PATIENCE_MS = 300_000


class Turns(QObject):
    """Sees what the event loop delivers to all widgets, and a mark of its own that comes after all that was posted."""

    CHANGES = (QEvent.Type.LayoutRequest, QEvent.Type.UpdateRequest, QEvent.Type.Resize, QEvent.Type.Move)

    def __init__(self) -> None:
        super().__init__()
        self.marked = self.changed = False

    def event(self, event: QEvent) -> bool:
        self.marked = self.marked or event.type() == QEvent.Type.User
        return super().event(event)

    def eventFilter(self, widget: QObject, event: QEvent) -> bool:
        self.changed = self.changed or event.type() in self.CHANGES
        return False


def laid_out() -> None:
    """Wait until all widgets have their places and are painted: a turn in which nothing of that is left."""
    turns, last = Turns(), -1000  # after updates, whose priority is -1
    QApplication.instance().installEventFilter(turns)
    turns.changed = True
    while turns.changed:
        turns.marked = turns.changed = False
        QCoreApplication.postEvent(turns, QEvent(QEvent.Type.User), last)
        while not turns.marked:
            QApplication.processEvents()
    QApplication.instance().removeEventFilter(turns)


def menus_in(menu: QMenu) -> list[QMenu]:
    """Menus in a menu. (Before PySide6 6.11.3 `QAction.menu` deletes what it returns.)"""
    actions, family = menu.actions(), (menu.parent() or menu).findChildren(QMenu)
    return [m for m in family if m.menuAction() in actions]


def submenus(menu: QMenu) -> dict[str, QMenu]:
    """Menus in a menu by their titles."""
    return {m.menuAction().text(): m for m in menus_in(menu)}


def small_data(n: int = 48, labels: bool = True) -> MultiView:
    """A ring seen twice, in three classes, with an angle, a column and a picture per sample."""
    angle = np.linspace(0.0, 2 * np.pi, n, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    wavy = np.column_stack([np.cos(angle), np.sin(angle), 0.4 * np.cos(3 * angle)])
    return MultiView(
        {"plain": ring, "wavy": wavy},
        labels=np.array(["a", "b", "c"])[np.arange(n) * 3 // n] if labels else None,
        sample_ids=[f"s{i:02d}" for i in range(n)],
        images=(np.arange(n)[:, None, None] * np.ones((n, 4, 4))).astype(np.uint8),
        columns={"batch": np.where(np.arange(n) % 2 == 0, "even", "odd")},
        latent={"angle": angle},
    )


def advice_of(controller: Controller, editor: Editor) -> EpsilonAdvice:
    """The advice on ε of a left side without a window."""
    return EpsilonAdvice(controller, Verdicts(controller), ViewScores(controller), Tuner(controller, editor))


def state_of(data: MultiView, panels: int = OPENING_PANELS) -> DocumentState:
    """The state in which data opens, with no more than the first so many panels: each is computed, scored and drawn."""
    state = commands.initial_state(data, ("memory",), None, False)
    return updated(state, {"panels": state.panels[:panels]})


def show_data(window: MainWindow, data: MultiView, panels: int = OPENING_PANELS) -> None:
    """Put data into a window, as a file that was opened."""
    commands.open_data(window.document, data, state_of(data, panels))
    window.document.mark_saved()
    window.show_opened()


def show_fresh(window: MainWindow, data: MultiView, panels: int = OPENING_PANELS) -> None:
    """The same, with nothing to undo."""
    window.document.reset(state_of(data, panels), data)
    window.show_opened()
