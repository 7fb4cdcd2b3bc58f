"""From a click to six pictures, and to rest; the memory held then and in a long drag; what a change of theme takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bench_drag import FRAME_MS, GAP, all_digits, digits, noisy_tori, place
from comparison import CONTROL, Limit, sized
from live_window import Ticker, control_gap, new_window, resident, settle, turn_for, turn_until

if TYPE_CHECKING:
    from mvexplorer.ui.window.main_window import MainWindow

PICTURES, REST = "s to six exact pictures", "s to rest"
MOVES = sized(500, 3)
MEBIBYTES = 1024
SHARE = "of the limit set, at most"


def measure(open_in: Callable[[MainWindow], None]) -> Mapping[str, float]:
    """Open something in a new window; the settled state counts from the moment at which nothing more happened."""
    window = new_window()
    empty = resident()

    def six_pictures() -> bool:
        panels = window.document.state.panels
        found = [window.controller.result(panel.id) for panel in panels]
        return bool(panels) and all(r.result is not None and r.status == "ready" for r in found)

    control = control_gap()
    start = perf_counter()
    with Ticker() as ticker:
        open_in(window)
        turn_until(six_pictures)
        pictures = perf_counter() - start
        settle(window)
    return {
        PICTURES: pictures,
        REST: perf_counter() - start - 0.1,
        GAP: ticker.longest,
        GAP + CONTROL: control,
        "GB resident": resident(),
        "GB at most": resident("VmHWM"),
        "GB before": empty,
    }


def theme_change() -> Mapping[str, float]:
    """Dark, light, and dark again, with six panels on show."""
    window = new_window()
    digits(window)
    settle(window)
    control, gaps = control_gap(), []
    for theme in ("dark", "light", "dark"):
        with Ticker() as ticker:
            window.workbench.change_settings(theme=theme)
            settle(window)
        gaps.append(ticker.longest)
    return {GAP: max(gaps), GAP + CONTROL: control}


def memory_of_moves() -> Mapping[str, float]:
    """What the process holds beyond its start while a hand drags, over what the settings let it hold."""
    window = new_window()
    window.workbench.change_settings(memory_mebibytes=MEBIBYTES)
    empty = resident()
    noisy_tori(window, 5000)
    settle(window)
    slider, most = window.side.master, resident()
    for move in range(MOVES):
        slider.set_value(place(0.001 * FRAME_MS * move))
        slider.moved.emit(slider.value)
        turn_for(0.001 * FRAME_MS)
        most = max(most, resident())
    slider.released.emit()
    settle(window)
    return {SHARE: (max(most, resident()) - empty) * 1e9 / window.controller.cache.limit, "moves": float(MOVES)}


def comparisons() -> Iterator[Limit]:
    for name, open_in, goals in (
        ("uci 2 views", digits, {PICTURES: 2.0, REST: 4.0}),
        ("uci 6 views", all_digits, {PICTURES: 3.0, REST: 8.0}),
        ("tori 5000", partial(noisy_tori, n_samples=5000), {PICTURES: 7.0, "GB resident": 1.5}),
    ):
        yield Limit(f"open: {name}", {**goals, GAP: 50.0}, partial(measure, open_in))
    yield Limit("theme change", {GAP: 150.0}, theme_change)
    yield Limit(f"memory: {MOVES} moves, tori 5000", {SHARE: 1.1}, memory_of_moves, 1)
