"""The real window in a process of its own, what it paints, and how long its event loop is deaf."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from comparison import sized

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.ui.window.main_window import MainWindow

PATIENCE = 240.0
"""Seconds after which a window that is still busy is given up."""


def private_home() -> str:
    """A folder for settings of nobody's."""
    from mvexplorer.state.session.settings import HOME_VARIABLE

    return os.environ.setdefault(HOME_VARIABLE, tempfile.mkdtemp())


def new_window() -> MainWindow:
    """A window without data, as the program's is once its first idle moment has passed."""
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.core.task import Task
    from mvexplorer.ui.app import HEAVY, application, no_display_settings
    from mvexplorer.ui.runtime.gc_main_thread import keep_to_main_thread
    from mvexplorer.ui.window.main_window import MainWindow

    private_home()
    app = application("light", exported=True)
    HEAVY.run(StageCache(), Task())
    keep_to_main_thread(app).freeze_startup_objects()
    sys.setswitchinterval(0.001)
    window = MainWindow(no_display_settings(), keep_settings=False)
    window.show()
    return window


def open_data(window: MainWindow, data: MultiView, **settings: Any) -> None:
    """Show data in a window, as a file that was opened, with `settings` of each view, such as its kernel."""
    from mvexplorer.state.document import commands
    from mvexplorer.state.document.frozen import updated

    state = commands.initial_state(data, ("memory",), None, False)
    views = tuple(updated(view, settings) for view in state.views)
    window.document.reset(updated(state, {"views": views}), data)
    window.show_opened()


def turn_until(done: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Let the event loop run until `done`."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop, end = QEventLoop(), perf_counter() + seconds
    timer = QTimer(interval=1)

    def look() -> None:
        if done() or perf_counter() > end:
            loop.quit()

    timer.timeout.connect(look)
    timer.start()
    loop.exec()
    timer.stop()
    if not done():
        raise TimeoutError(f"the window was not done within {seconds:.0f} s")


def turn_for(seconds: float) -> None:
    """Let the event loop run for so long."""
    end = perf_counter() + seconds
    turn_until(lambda: perf_counter() >= end)


def settle(window: MainWindow) -> None:
    """Let the event loop run until the window has been at rest for a while: an edit comes to rest in several steps."""
    calm = [0.0]

    def calm_for_long() -> bool:
        now = perf_counter()
        calm[0] = (calm[0] or now) if window.document.data is not None and window.at_rest() else 0.0
        return bool(calm[0]) and now - calm[0] > 0.1

    turn_until(calm_for_long)


class Pictures:
    """When each panel painted which picture for the first time."""

    def __init__(self, window: MainWindow) -> None:
        from PySide6.QtCore import QEvent, QObject

        self._window = window
        self.painted: dict[str, list[tuple[float, Any]]] = {}
        pictures = self

        class Painted(QObject):
            def eventFilter(self, watched: Any, event: Any) -> bool:
                if event.type() == QEvent.Type.Paint:
                    pictures.note(watched.property("panel"))
                return False

        self._filter = Painted()
        self._watched: set[str] = set()
        self.watch()

    def watch(self) -> None:
        """Watch the panels that there are now."""
        for id, panel in self._window.grid.panels.items():
            if id not in self._watched:
                self._watched.add(id)
                panel.canvas.viewport().setProperty("panel", id)
                panel.canvas.viewport().installEventFilter(self._filter)

    def note(self, id: str) -> None:
        """A panel is about to be painted."""
        result = self._window.controller.result(id).result
        if result is None:
            return
        about = result.request.epsilon, result.request.plan.params.get("eta")
        times = self.painted.setdefault(id, [])
        if not times or times[-1][1] != about:  # the pictures themselves, were they kept, would fill the memory
            times.append((perf_counter(), about))

    def since(self, start: float) -> dict[str, list[float]]:
        """When each panel's pictures of different bandwidths or η first appeared, in seconds after `start`."""
        return {
            id: [when - start for when, _ in self.painted.get(id, []) if when >= start]
            for id in self._window.grid.panels
        }

    def stop(self) -> None:
        """Watch no longer: many watchers of one window would slow it down."""
        for id, panel in self._window.grid.panels.items():
            if id in self._watched:
                panel.canvas.viewport().removeEventFilter(self._filter)


class Ticker:
    """A timer that ought to fire every two milliseconds, and the longest time it did not, in milliseconds."""

    def __init__(self) -> None:
        from PySide6.QtCore import QTimer

        self.longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer(interval=2)
        self._timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, 1e3 * (now - self._last))
        self._last = now

    def __enter__(self) -> Ticker:
        self._last = perf_counter()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tick()
        self._timer.stop()


def control_gap(seconds: float = sized(1.5, 0.05)) -> float:
    """The longest gap, in milliseconds, of an event loop of nobody's: small frames, two threads of plain numpy."""
    from PySide6.QtCore import QTimer

    end, rng = perf_counter() + seconds, np.random.default_rng(0)
    A, image = rng.standard_normal((1500, 1500)), rng.random((400, 400))

    def work() -> None:
        while perf_counter() < end:
            A @ A[:, :40]

    def frame() -> None:
        for _ in range(6):
            np.sort(image, axis=1).max()

    threads = [threading.Thread(target=work) for _ in range(2)]
    painter = QTimer(interval=40)
    painter.timeout.connect(frame)
    for thread in threads:
        thread.start()
    painter.start()
    with Ticker() as ticker:
        turn_until(lambda: perf_counter() > end)
    painter.stop()
    for thread in threads:
        thread.join()
    return ticker.longest


def resident(what: str = "VmRSS") -> float:
    """Gigabytes of memory that this process holds now, or (VmHWM) has held at most."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) * 1024 / 1e9
