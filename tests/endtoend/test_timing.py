"""Promises about time, against a control measured in the same minute; the best of three."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from statistics import median
from time import perf_counter, thread_time

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QGridLayout, QWidget

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.state.document import commands
from mvexplorer.state.session.settings import HOME_VARIABLE
from mvexplorer.ui.app import HEAVY, application, no_display_settings
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.runtime.gc_main_thread import keep_to_main_thread
from mvexplorer.ui.window.main_window import MainWindow

pytestmark = [pytest.mark.timing, pytest.mark.slow]

PATIENCE = 120.0
GAP_BAR = 0.050


class Ticker:
    """A timer that ought to fire every two milliseconds, and the longest time it did not."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer(interval=2)
        self._timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def __enter__(self) -> Ticker:
        self._last = perf_counter()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tick()
        self._timer.stop()


def turn_until(done, seconds: float) -> None:
    """Let the event loop run, without any work of our own in it, until `done`."""
    loop, deadline = QEventLoop(), perf_counter() + seconds
    calm = 0

    def look() -> None:
        nonlocal calm
        calm = calm + 1 if done() else 0
        if calm >= 3 or perf_counter() > deadline:
            loop.quit()

    timer = QTimer(interval=25)
    timer.timeout.connect(look)
    timer.start()
    loop.exec()
    timer.stop()


def idle_gap(seconds: float = 1.5) -> float:
    """The control: the longest gap of an event loop with nothing to do."""
    end = perf_counter() + seconds
    with Ticker() as ticker:
        turn_until(lambda: perf_counter() > end, seconds + 1)
    return ticker.longest


def busy_gap(seconds: float = 1.5) -> float:
    """The control under load: an event loop that repaints 2,000 points while two threads of plain numpy take the cores.

    What a frame costs on this machine at this minute, with none of the window's own work in it.
    """
    end, rng = perf_counter() + seconds, np.random.default_rng(0)
    A, image = rng.standard_normal((1500, 1500)), rng.random((400, 400))

    def work() -> None:
        while perf_counter() < end:
            A @ A[:, :40]

    def frame() -> None:
        for _ in range(6):
            np.sort(image, axis=1).max()

    painter = QTimer(interval=40)
    painter.timeout.connect(frame)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    painter.start()
    with Ticker() as ticker:
        turn_until(lambda: perf_counter() > end, seconds + 1)
    painter.stop()
    for thread in threads:
        thread.join()
    return ticker.longest


@pytest.fixture(scope="module")
def digits(qapp, tmp_path_factory):
    """A window with the digits in six panels, everything computed once, every library loaded."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(tmp_path_factory.mktemp("home")))
        application("light", exported=True)
        HEAVY.run(StageCache(), Task())
        window = MainWindow(no_display_settings(), keep_settings=False)
        window.show()
        window.library.open_source(("uci-digits",))
        turn_until(lambda: window.document.data is not None and window.at_rest(), PATIENCE)
        yield window
        window.discard()
        keep_to_main_thread(qapp).stop()
    sys.setswitchinterval(before)


def computing_gap(window: MainWindow, change) -> float:
    """The longest gap from an edit until all its panels are computed and scored."""
    with Ticker() as ticker:
        change()
        turn_until(window.at_rest, PATIENCE)
    assert all(r.status == "ready" for r in window.controller.results.values())
    return ticker.longest


def test_the_window_answers_while_six_panels_compute(digits, record_property):
    gaps, controls = [], []
    for k in range(5):
        controls.append(busy_gap(0.8))
        gaps.append(computing_gap(digits, lambda k=k: commands.set_scale(digits.document, 1.3 + 0.2 * k)))
    record_property("gaps_ms", [round(1e3 * g, 1) for g in gaps])
    record_property("controls_ms", [round(1e3 * g, 1) for g in controls])
    print("gaps", [round(1e3 * g, 1) for g in gaps], "busy", [round(1e3 * g, 1) for g in controls])
    assert min(gaps) <= max(GAP_BAR, 3 * min(controls))


def test_the_window_answers_while_data_is_opened(digits, record_property):
    gaps, controls = [], []
    for source in ("helix-a", "uci-digits", "helix-a", "uci-digits", "uci-digits"):
        controls.append(busy_gap(0.7))
        with Ticker() as ticker:
            digits.library.open_source((source,))
            turn_until(lambda s=source: digits.document.state.source == (s,) and digits.at_rest(), PATIENCE)
        if source == "uci-digits":
            gaps.append(ticker.longest)
    record_property("gaps_ms", [round(1e3 * g, 1) for g in gaps])
    print("gaps", [round(1e3 * g, 1) for g in gaps], "busy", [round(1e3 * g, 1) for g in controls])
    assert min(gaps) <= max(GAP_BAR, 3 * min(controls))


def test_hovering_and_selecting_cost_no_more_than_a_frame_while_computing(digits, record_property):
    from PySide6.QtCore import QPointF

    panels = list(digits.grid.panels.values())
    times = []
    commands.set_scale(digits.document, 0.8)
    for i in range(0, 2000, 50):
        start = perf_counter()
        canvas = panels[i % len(panels)].canvas
        canvas.hovered.emit(i, QPointF(50, 50))
        canvas.grab()
        times.append(perf_counter() - start)
    turn_until(digits.at_rest, PATIENCE)
    record_property("median_ms", round(1e3 * sorted(times)[len(times) // 2], 1))
    assert sorted(times)[len(times) // 2] <= GAP_BAR


CARD_BAR = 0.100


def seconds_to_card(window: MainWindow, sample: int) -> float:
    """How long after a click on a sample its card, with all its sections, has been painted with all its answers."""
    inspector, loop = window.workbench.inspector, QEventLoop()

    def told() -> bool:
        near = inspector.surroundings
        return near is not None and near.sample == sample and inspector.steps is not None

    def look() -> None:
        if told() and loop.isRunning():
            window.points.repaint()
            loop.quit()

    inspector.changed.connect(look)
    start = perf_counter()
    window.editor.keep_sample(sample)
    QTimer.singleShot(int(1e3 * PATIENCE), loop.quit)
    loop.exec()
    seconds = perf_counter() - start
    inspector.changed.disconnect(look)
    assert told()
    return seconds


def test_the_card_of_a_sample_is_complete_at_once(digits, record_property):
    """Of samples that nobody asked about before, for several steps of the walk."""
    sections = ("neighbours", "walk", "distances", "spread")
    window_panels = digits.document.state.panels
    digits.editor.focus(next(panel.id for panel in window_panels if panel.method == "multiview"))
    seconds, slow = [], []
    for t in (1, 3, 5):
        digits.editor.change_point(f"{t} steps", unfolded=sections, steps=t)
        for sample in range(100 * t, 100 * t + 3):
            turn_until(digits.at_rest, PATIENCE)
            before = slowness()
            seconds.append(seconds_to_card(digits, sample))
            slow.append(max(before, slowness()))
    digits.editor.keep_sample(None)
    record_property("seconds_ms", [round(1e3 * s, 1) for s in seconds])
    print("card", [round(1e3 * s, 1) for s in seconds], "slow", [round(s, 2) for s in slow])
    assert median(s / by for s, by in zip(seconds, slow, strict=True)) <= CARD_BAR


THEME_BAR = 0.150
YARDSTICK = 0.035
"""Seconds of a million squares on the machine of the benchmarks at rest; twice that when others use it as well."""


def slowness(clock=perf_counter):
    """How much slower the machine is just now than the one of the benchmarks at rest: 1 for a faster one."""
    start = clock()
    sum(i * i for i in range(10**6))
    return max(1.0, (clock() - start) / YARDSTICK)


def test_a_theme_change_takes_less_than_a_blink(digits, record_property):
    times, slow = [], []
    for k in range(7):
        before = slowness()
        start = perf_counter()
        digits.workbench.change_settings(theme="light" if k % 2 else "dark")
        times.append(perf_counter() - start)
        slow.append(max(before, slowness()))
        turn_until(digits.at_rest, PATIENCE)
    record_property("times_ms", [round(1e3 * t, 1) for t in times])
    print("theme", [round(1e3 * t, 1) for t in times], "slow", [round(s, 2) for s in slow])
    assert median(t / s for t, s in zip(times, slow, strict=True)) <= THEME_BAR


BRUSH_BAR = 0.033
BRUSHED = 60_000
KEPT: list[QWidget] = []
"""Closed, not destroyed: a pyqtgraph view that is destroyed early corrupts memory now and then."""


@pytest.mark.parametrize("dims", [2, 3])
def test_a_brush_over_six_panels_that_fill_a_large_screen_takes_two_frames(qapp, record_property, dims):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 8, BRUSHED)
    points = rng.normal(size=(8, dims))[group] + 0.3 * rng.normal(size=(BRUSHED, dims))
    points /= np.abs(points).max()
    rgb, every = rng.integers(0, 256, (8, 3)).astype(np.uint8)[group], np.ones(BRUSHED, dtype=bool)
    window = QWidget()
    grid, canvases = QGridLayout(window), [EmbeddingCanvas() for _ in range(6)]
    for i, canvas in enumerate(canvases):
        grid.addWidget(canvas, i // 3, i % 3)
        canvas.cloud.companions = 6
        canvas.set_look(PointStyle(rgb, every, ~every))
        canvas.show_points(points)
    window.resize(2560, 1440)
    window.show()
    KEPT.append(window)
    turn_until(lambda: all(canvas.cloud.exact for canvas in canvases), PATIENCE)
    times, slow = [], []
    for middle in points[:15]:
        slow.append(slowness(thread_time))
        start = thread_time()
        look = PointStyle(rgb, every, (np.abs(points - middle) < 0.25).all(axis=1))
        for canvas in canvases:
            canvas.set_look(look)
            canvas.viewport().repaint()
        times.append(thread_time() - start)
        assert all(canvas.cloud.exact and not canvas.moving for canvas in canvases)
    window.close()
    record_property("median_ms", round(1e3 * median(times), 1))
    print("brush", [round(1e3 * t, 1) for t in times], "slow", [round(s, 2) for s in slow])
    assert median(t / s for t, s in zip(times, slow, strict=True)) <= BRUSH_BAR


IMPORTS = "import PySide6.QtWidgets, PySide6.QtSvg, pyqtgraph, numpy"
FIRST_WINDOW = """
import os
import sys
from mvexplorer.cli import main
from mvexplorer.ui.runtime.platform_check import use_platform

use_platform()  # as the command does, before anything else imports Qt

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from mvexplorer.ui.window.main_window import MainWindow

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched.window().isVisible():
            sys.stdout.write("painted")
            sys.stdout.flush()
            os._exit(0)
        return False

watch = FirstPaint()
show = MainWindow.show

def watched_show(window):
    QApplication.instance().installEventFilter(watch)
    show(window)

MainWindow.show = watched_show
sys.exit(main([]))
"""


def seconds_of(code: str, home) -> float:
    """Wall time of a fresh interpreter that runs `code`."""
    variables = {
        **os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen", "MVEXPLORER_WINDOW": "offscreen",
    }  # fmt: skip
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # only the first start compiles
    start = perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, timeout=60)
    seconds = perf_counter() - start
    assert done.returncode == 0, done.stderr
    if code is FIRST_WINDOW:
        assert done.stdout == "painted", done.stderr
    return seconds


@pytest.mark.parametrize("first", [True, False], ids=["first start", "later start"])
def test_the_first_window_takes_at_most_twice_its_imports(tmp_path, record_property, first):
    home = tmp_path / "home"
    if not first:
        home.mkdir()
        (home / "settings.json").write_text('{"started_before": true}')
    seconds_of(IMPORTS, home)
    imports, windows, ratios = [], [], []  # in turns: a machine is not equally fast for long
    while len(imports) < 3 or (median(ratios) > 2 and len(imports) < 9):
        imports.append(seconds_of(IMPORTS, home))
        if first:
            shutil.rmtree(home, ignore_errors=True)
        windows.append(seconds_of(FIRST_WINDOW, home))
        ratios.append(windows[-1] / imports[-1])
    record_property("imports_s", [round(s, 3) for s in imports])
    record_property("windows_s", [round(s, 3) for s in windows])
    print("imports", [round(s, 3) for s in imports], "window", [round(s, 3) for s in windows])
    assert median(ratios) <= 2
