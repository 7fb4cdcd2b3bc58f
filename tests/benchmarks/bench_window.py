"""The window: from a slider's event to painted pixels, how long it is deaf meanwhile, and how fast it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from comparison import CONTROL, Comparison, Limit, Prepared, sized
from live_window import Ticker, control_gap, new_window, open_data, private_home, turn_until
from views import tori

M = sized(2000, 120)
FACTOR = 1.02
IMPORTS = "import PySide6.QtWidgets, PySide6.QtSvg, pyqtgraph, numpy"
FIRST_WINDOW = """
import os, sys
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched.window().isVisible():
            os._exit(0)
        return False

watch, show = FirstPaint(), MainWindow.show

def watched_show(window):
    QApplication.instance().installEventFilter(watch)
    show(window)

MainWindow.show = watched_show
main([])
os._exit(1)
"""


class Hand:
    """A hand on the slider of all ε, in a window with six panels at rest; `move` returns when all six are painted."""

    def __init__(self) -> None:
        from PySide6.QtCore import QEvent, QObject

        from mvexplorer.engine.core.multiview import MultiView

        self.window = window = new_window()
        open_data(window, MultiView({"first": tori(M)[0], "second": tori(M)[1]}))
        turn_until(window.at_rest)
        self.unpainted: set[str] = set()
        hand = self

        class Painted(QObject):
            def eventFilter(self, watched: Any, event: Any) -> bool:
                if event.type() == QEvent.Type.Paint:
                    hand.painted(watched.property("panel"))
                return False

        self.filter = Painted()
        for id, panel in window.grid.panels.items():
            panel.canvas.viewport().setProperty("panel", id)
            panel.canvas.viewport().installEventFilter(self.filter)

    def painted(self, id: str) -> None:
        """A panel's picture is about to be painted: it counts once its result is the one asked for."""
        if self.window.controller.result(id).status == "ready":
            self.unpainted.discard(id)

    def move(self) -> None:
        """One slider event, and everything it brings about up to the paint events of the last panel."""
        self.unpainted = set(self.window.grid.panels)
        slider = self.window.side.master
        slider.set_value(slider.value * FACTOR)
        slider.moved.emit(slider.value)
        turn_until(lambda: not self.unpainted)


def pixels() -> Prepared:
    hand = Hand()

    def former_moves() -> None:
        for _ in range(5):
            hand.move()

    return Prepared(hand.move, former_moves)


def computation() -> Prepared:
    """The same document, requests and threads without a window."""
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.document import commands
    from mvexplorer.state.document.document import Document
    from mvexplorer.state.pictures.controller import Controller

    private_home()
    document = Document()
    controller = Controller(document)
    data = MultiView({"first": tori(M)[0], "second": tori(M)[1]})
    document.reset(commands.initial_state(data, ("memory",), None, False), data)
    controller.wait_idle()
    controller.on_idle()
    controller.wait_idle()

    def move() -> None:
        commands.set_scale(document, document.state.epsilon_scale * FACTOR, interactive=True)
        controller.scheduler.wait_idle()

    def former_moves() -> None:
        for _ in range(5):
            move()

    return Prepared(move, former_moves)


def longest_gap() -> dict[str, float]:
    """The longest time the event loop did not come round in twenty slider events, each awaited."""
    hand = Hand()
    hand.move()
    with Ticker() as ticker:
        for _ in range(sized(20, 2)):
            hand.move()
    return {"ms": ticker.longest, "ms" + CONTROL: control_gap()}


def started(code: str) -> Prepared:
    private_home()

    def work() -> None:
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "MVEXPLORER_WINDOW": "offscreen"}, check=True)

    return Prepared(work)


def start() -> Prepared:
    return started(FIRST_WINDOW)


def imports() -> Prepared:
    return started(IMPORTS)


def comparisons() -> Iterator[Comparison | Limit]:
    yield Comparison(
        f"slider event to painted pixels, 6 panels, M {M}", 1.5, pixels, computation,
        "the computation alone: the same document and requests, no window", at_most=True, wall=True,
    )  # fmt: skip
    yield Limit(f"longest main-thread gap while the slider moves, 6 panels, M {M}", {"ms": 50.0}, longest_gap)
    yield Comparison(
        "start: command to first painted window", 2, start, imports, "importing PySide6, pyqtgraph, numpy alone",
        at_most=True, wall=True,
    )  # fmt: skip
