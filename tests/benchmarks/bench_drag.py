"""A hand that drags all ε: how many pictures each panel paints, how soon, and for how long the window is deaf."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

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


def place(seconds: float) -> float:
    """The factor on all ε at a moment of the drag."""
    return FACTOR ** math.sin(2.0 * math.pi * seconds / THERE_AND_BACK)


def drag(window: MainWindow) -> Mapping[str, float]:
    """Drag the slider of all ε of a window at rest, the last panel in focus, and let it go."""
    from PySide6.QtCore import Qt, QTimer

    focused = list(window.grid.panels)[-1]
    window.editor.focus(focused)
    pictures, slider, control = Pictures(window), window.side.master, control_gap()
    start = perf_counter() + 0.001 * FRAME_MS

    def move() -> None:
        slider.set_value(place(perf_counter() - start))
        slider.moved.emit(slider.value)

    timer = QTimer(interval=FRAME_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(move)
    with Ticker() as ticker:
        timer.start()
        turn_for(LASTS)
        timer.stop()
    slider.released.emit()
    dropped = perf_counter()
    seen = pictures.since(start)
    turn_until(lambda: all(r.status == "ready" for r in window.controller.results.values()))
    first = {id: 1e3 * times[0] if times else math.inf for id, times in seen.items()}
    return {
        "pictures/s in the slowest panel": min(len(times) for times in seen.values()) / LASTS,
        "pictures/s in the focused one": len(seen[focused]) / LASTS,
        "ms to the first picture": min(first.values()),
        "panels before the focused one": float(sum(when < first[focused] for when in first.values())),
        GAP: ticker.longest,
        GAP + CONTROL: control,
        "s to exact pictures": perf_counter() - dropped,
    }


def measure(open_in: Callable[[MainWindow], None]) -> Mapping[str, float]:
    """Open something, look at it for a while, drag."""
    window = new_window()
    open_in(window)
    settle(window)
    turn_for(LOOKING)
    return drag(window)


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


def comparisons() -> Iterator[Limit]:
    for name, open_in, rate in (
        ("uci 2 views", digits, 10.0),
        ("uci 6 views", all_digits, 4.0),
        ("tori 2000", partial(noisy_tori, n_samples=2000), 12.0),
        ("tori 5000", partial(noisy_tori, n_samples=5000), 2.5),
        ("tori 20000", partial(noisy_tori, n_samples=20_000, kernel=sized("landmarks-1000", "landmarks-50")), 4.0),
    ):
        bars = {"ms to the first picture": 150.0, "panels before the focused one": 0.0, GAP: 50.0}
        least = {"pictures/s in the slowest panel": rate}
        yield Limit(f"drag: {name}", bars, partial(measure, open_in), 3, least)
