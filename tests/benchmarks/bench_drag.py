"""A hand that drags: how many pictures each panel paints, how soon, and for how long the window is deaf.

Each row drags twice in one window: with no bases between the anchors, and with the whole path prepared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from comparison import CONTROL, SAMPLE, Limit, sized
from live_window import Pictures, Ticker, control_gap, new_window, open_data, settle, turn_for, turn_until
from views import tori

if TYPE_CHECKING:
    from mvexplorer.ui.window.main_window import MainWindow

FRAME_MS = 16
THERE_AND_BACK = 12.0
"""Seconds for which the hand moves all ε up to three times the start, down to a third of it, and back."""
LASTS = sized(12.5, 0.3)
"""Seconds of the drag: it ends a little beside its start, whose answer is known."""
FACTOR = 3.0
GAP = "ms longest gap"
LOOKING = sized(10.0, 0.1)
"""Seconds for which the hand rests before it drags: what is prepared meanwhile may be used."""


def swing(seconds: float) -> float:
    """Where the hand is at a moment of the drag, from -1 to 1."""
    return math.sin(2.0 * math.pi * seconds / THERE_AND_BACK)


def place(seconds: float) -> float:
    """The factor on all ε at a moment of the drag."""
    return FACTOR ** swing(seconds)


class AllBandwidths:
    """The slider of all ε, up to three times the start and down to a third of it."""

    path = (1.0 / FACTOR, FACTOR)

    def __init__(self, window: MainWindow) -> None:
        self.slider = window.side.master

    def move(self, seconds: float) -> None:
        """Be where the hand is at a moment of the drag."""
        self.slider.set_value(place(seconds))
        self.slider.moved.emit(self.slider.value)

    def let_go(self) -> None:
        """The drag ends."""
        self.slider.released.emit()


class OneBandwidth:
    """The ε of the first view, as far."""

    def __init__(self, window: MainWindow) -> None:
        self.editor, self.view = window.editor, window.document.state.enabled[0]
        self.start = window.controller.epsilon(self.view) or 1.0
        self.path = self.start / FACTOR, self.start * FACTOR

    def move(self, seconds: float) -> None:
        """Be where the hand is at a moment of the drag."""
        self.editor.set_epsilon(self.view, self.start * place(seconds), interactive=True)

    def let_go(self) -> None:
        """The drag ends."""
        self.editor.end_drag()


class Eta:
    """η, from .3 to .5 and down to .1."""

    path = 0.1, 0.5

    def __init__(self, window: MainWindow) -> None:
        self.editor = window.editor

    def move(self, seconds: float) -> None:
        """Be where the hand is at a moment of the drag."""
        self.editor.set_param("eta", 0.3 + 0.2 * swing(seconds), interactive=True)

    def let_go(self) -> None:
        """The drag ends."""
        self.editor.end_drag()


Hand = AllBandwidths | OneBandwidth | Eta


def drag(window: MainWindow, hand: Hand | None = None) -> Mapping[str, float]:
    """Drag a slider of a window at rest, by default that of all ε, the last panel in focus, and let it go."""
    from PySide6.QtCore import Qt, QTimer

    focused = list(window.grid.panels)[-1]
    window.editor.focus(focused)
    hand = hand or AllBandwidths(window)
    pictures, control, started = Pictures(window), control_gap(), list[float]()
    start = perf_counter() + 0.001 * FRAME_MS
    moved = [start]
    window.document.changed.connect(lambda change: started.append(moved[0] - start))

    def move() -> None:
        moved[0] = perf_counter()
        hand.move(moved[0] - start)

    timer = QTimer(interval=FRAME_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(move)
    with Ticker() as ticker:
        timer.start()
        turn_for(LASTS)
        timer.stop()
    hand.let_go()
    dropped = perf_counter()
    # One view's ε moves not all panels, nor does η.
    seen = {id: times for id, times in pictures.since(start).items() if times or type(hand) is AllBandwidths}
    pictures.stop()
    turn_until(lambda: all(r.status == "ready" for r in window.controller.results.values()))
    # A slider snaps to its start: the drag begins with the first change that it makes.
    first = {id: 1e3 * (times[0] - started[0]) if times else math.inf for id, times in seen.items()}
    return {
        "pictures/s in the slowest panel": min((len(times) for times in seen.values()), default=0) / LASTS,
        "ms to the first picture": min(first.values(), default=math.inf),
        "panels before the focused one": float(sum(when < first.get(focused, 0.0) for when in first.values())),
        GAP: ticker.longest,
        GAP + CONTROL: control,
        "s to exact pictures": perf_counter() - dropped,
    }


def measure(open_in: Callable[[MainWindow], None], hand: type[Hand] = AllBandwidths, rate: float = 0.0,
            times: float = 1.0, allowed: tuple[float, float] = (math.inf, 1.0)) -> Mapping[str, float]:  # fmt: skip
    """Open something, look at it for a while, drag; prepare the whole way, drag again.

    `rate` is the goal in pictures a second, or else so many `times` those without bases; `allowed` the seconds for an
    octave to each side on a machine that paints so many pictures a second without bases.
    """
    window = new_window()
    window.workbench.anchors.with_bases = False
    open_in(window)
    settle(window)
    holding = hand(window)
    holding.move(0.1)
    holding.let_go()
    settle(window)
    turn_for(LOOKING)
    without = drag(window, holding)
    settle(window)
    prepared = prepare(window, holding.path)
    found = drag(window, holding)
    rates = [each["pictures/s in the slowest panel"] for each in (found, without)]
    share = max(rates[0] / rate if rate else 0.0, rates[0] / (times * max(rates[1], 1e-3)))
    slower = allowed[1] / max(rates[1], 1e-3)
    return {
        **found,
        "pictures/s without bases": rates[1],
        "of the goal": share,
        **prepared,
        "of the time allowed": prepared["s to an octave"] / (allowed[0] * max(1.0, slower)),
    }


def prepare(window: MainWindow, path: tuple[float, float]) -> Mapping[str, float]:
    """Rest until a hand's whole path is prepared: the seconds until an octave is, and all."""
    from mvexplorer.compute.run.cache import PREPARED

    anchors = window.workbench.anchors
    anchors.with_bases, start, octave = True, perf_counter(), list[float]()
    middle = (path[0] * path[1]) ** 0.5 if path[0] > 0.0 else 0.0
    anchors.rest()

    def reaches(low: float, high: float) -> bool:
        reach = anchors.reach
        return bool(reach) and reach[0][0] <= low * 1.01 and reach[-1][1] >= high * 0.99

    while not reaches(*path):
        turn_for(sized(0.1, 0.01))
        if not octave and reaches(middle / 2.0, middle * 2.0):
            octave.append(perf_counter() - start)
        if perf_counter() - start > sized(150.0, 2.0):
            break
    whole = perf_counter() - start
    return {
        "s to an octave": octave[0] if octave else whole,
        "s to the whole path": whole,
        "MB prepared": window.controller.cache.bytes_by_stage()[PREPARED] / 1e6,
    }


def digits(window: MainWindow) -> None:
    """Open UCI digits with the two views it opens with."""
    window.library.open_source((SAMPLE,))


def all_digits(window: MainWindow) -> None:
    """Open UCI digits, and tick its other four views as soon as it is there."""
    digits(window)
    turn_until(lambda: window.document.data is not None)
    window.editor.enable_all_views()


def noisy_tori(window: MainWindow, n_samples: int, kernel: str = "gaussian") -> None:
    """Open two noisy closed curves in ten dimensions, computed by a kernel."""
    from mvexplorer.engine.core.multiview import MultiView

    first, second = tori(sized(n_samples, 150), noise=0.1)
    open_data(window, MultiView({"first": first, "second": second}), kernel=kernel)


def measure_landmarks() -> Mapping[str, float]:
    """Drag very many samples by landmarks, for which nothing is prepared."""
    window = new_window()
    noisy_tori(window, n_samples=20_000, kernel=sized("landmarks-1000", "landmarks-50"))
    settle(window)
    turn_for(LOOKING)
    return drag(window)


def measure_step() -> Mapping[str, float]:
    """What a prepared step costs a panel beside mathematics and painting alone: the median of two hundred."""
    from statistics import median

    from PySide6.QtWidgets import QApplication

    from mvexplorer.engine.api.between import Between
    from mvexplorer.ui.cloud.canvas import EmbeddingCanvas

    window, answering, painted = new_window(), [0.0], set[int]()
    digits(window)
    settle(window)
    prepare(window, (0.7, 1.4))
    canvases = [panel.canvas for panel in window.grid.panels.values()]
    answer, paint = Between.answer, EmbeddingCanvas.paint_points

    def timed_answer(*arguments: Any) -> Any:
        start = perf_counter()
        try:
            return answer(*arguments)
        finally:
            answering[0] += perf_counter() - start

    def noted_paint(canvas: EmbeddingCanvas, painter: Any) -> None:
        paint(canvas, painter)
        painted.add(id(canvas))

    def until_painted(work: Callable[[], None]) -> float:
        painted.clear()
        start = perf_counter()
        work()
        while len(painted) < len(canvases) and perf_counter() - start < 1.0:
            QApplication.processEvents()
        return perf_counter() - start

    def repaint() -> None:
        for canvas in canvases:
            canvas.cloud.changed()
            canvas.viewport().update()

    def move() -> None:
        slider.set_value(0.75 + 0.0025 * len(rests))
        slider.moved.emit(slider.value)

    Between.answer, EmbeddingCanvas.paint_points = timed_answer, noted_paint  # type: ignore[method-assign,assignment]
    slider, rests = window.side.master, list[float]()
    while len(rests) < sized(200, 5):
        answering[0] = 0.0
        whole = until_painted(move)
        rests.append(1e3 * (whole - until_painted(repaint) - answering[0]) / len(canvases))
    Between.answer, EmbeddingCanvas.paint_points = answer, paint  # type: ignore[method-assign]
    return {"ms a panel": median(rests)}


def measure_rest() -> Mapping[str, float]:
    """What a window takes of a core once everything is prepared."""
    window = new_window()
    digits(window)
    settle(window)
    prepare(window, sized((0.125, 8.0), (0.7, 1.4)))
    turn_for(sized(5.0, 0.1))
    began, lasts = process_time(), sized(30.0, 0.2)
    turn = perf_counter()
    sleep_for(lasts)
    return {"% of a core": 100.0 * (process_time() - began) / (perf_counter() - turn)}


def sleep_for(seconds: float) -> None:
    """Let the event loop run for so long, without looking at the clock meanwhile."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(round(1e3 * seconds), loop.quit)
    loop.exec()


def comparisons() -> Iterator[Limit]:
    bars = {"ms to the first picture": 40.0, "panels before the focused one": 0.0, GAP: 33.0,
            "of the time allowed": 1.0, "MB prepared": 200.0}  # fmt: skip
    least = {"of the goal": 1.0}
    for name, open_in, rate, times, allowed in (
        ("uci 2 views", digits, 40.0, 4.0, (2.0, 9.6)),
        ("uci 6 views", all_digits, 40.0, 8.0, (6.0, 5.0)),
        ("tori 2000", partial(noisy_tori, n_samples=2000), 40.0, 4.0, (2.0, 10.2)),
        ("tori 5000", partial(noisy_tori, n_samples=5000), 30.0, 5.0, (10.0, 5.6)),
    ):
        yield Limit(f"drag: {name}", bars, partial(measure, open_in, AllBandwidths, rate, times, allowed), 3, least)
    former = {"ms to the first picture": 150.0, "panels before the focused one": 0.0, GAP: 50.0}
    yield Limit("drag: tori 20000", former, measure_landmarks, 3, {"pictures/s in the slowest panel": 4.0})
    for name, hand in (("one ε", OneBandwidth), ("η", Eta)):
        work = partial(measure, digits, hand, 40.0, 4.0)
        some = {unit: bar for unit, bar in bars.items() if unit != "of the time allowed"}
        yield Limit(f"drag: uci 2 views, {name}", some, work, 3, least)
    yield Limit("drag: a prepared step beside mathematics and painting", {"ms a panel": 1.5}, measure_step, 3)
    yield Limit("drag: at rest, everything prepared", {"% of a core": 1.0}, measure_rest, 1)
