"""What bases between anchors give beside drags: a play, small multiples, and eigenvalues over ε."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

import numpy as np
from bench_drag import LOOKING, AllBandwidths, digits, noisy_tori, prepare
from comparison import SAMPLE, Limit, sized
from live_window import Pictures, new_window, settle, turn_for, turn_until

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.ui.window.main_window import MainWindow

PLAYED = sized(6.0, 0.3)
"""Seconds of a play: a whole pass, where no step is late."""
STEPS = 240
FAR = sized(8.0, 1.4)
"""The factor on all ε up to which bases are made for small multiples, and down to its inverse."""
COLUMNS = sized(7, 2)
PLACES, COMPARED = sized((200, 20), (12, 3))
"""Places in all, and those solved as well."""
MOMENTS = sized(25, 2)
TIMES = "times those without bases"


def window_at_rest() -> MainWindow:
    """A window with UCI digits and anchors without bases, at which nobody has pulled for a while."""
    window = new_window()
    window.workbench.anchors.with_bases = False
    digits(window)
    settle(window)
    hand = AllBandwidths(window)
    hand.move(0.1)
    hand.let_go()
    settle(window)
    turn_for(LOOKING)
    return window


def measure_play() -> Mapping[str, float]:
    """A play through many ε in one window, with no bases and then with the whole path prepared."""
    window = window_at_rest()
    without = play(window)
    settle(window)
    prepare(window, AllBandwidths.path)
    found = play(window)
    return {
        "pictures/s": found,
        "pictures/s without bases": without,
        TIMES: found / max(without, 1.0 / PLAYED),
    }


def play(window: MainWindow) -> float:
    """Pictures drawn a second in all panels together, of a play at the fastest tempo that the bar offers."""
    bar, player = window.behaviour.play_bar, window.workbench.player
    bar.open()
    bar.speed.setCurrentIndex(bar.speed.count() - 1)
    player.choose(player.axis, np.geomspace(*AllBandwidths.path, STEPS).tolist())
    player.scrub(0)
    window.editor.end_drag()
    settle(window)
    pictures, start = Pictures(window), perf_counter()
    player.start()
    turn_for(PLAYED)
    bar.leave()
    drawn = sum(map(len, pictures.since(start).values()))
    pictures.stop()
    window.document.undo()
    window.document.undo()
    return drawn / PLAYED


def measure_multiples() -> Mapping[str, float]:
    """Small multiples of all panels over ε in one window, with no bases and then with the whole path prepared."""
    window = window_at_rest()
    without, _ = multiples(window, 0.98)
    prepare(window, (1.0 / FAR, FAR))
    seconds, drafts = multiples(window, 1.02)
    return {
        "s until each has a picture": seconds,
        "s without bases": without,
        TIMES: without / seconds,
        "% of them drafts": drafts,
    }


def multiples(window: MainWindow, beside: float) -> tuple[float, float]:
    """Seconds until every cell has a picture, and the share of drafts then; `beside` what was computed before."""
    columns = (beside * np.geomspace(1.1 / FAR, FAR / 1.1, COLUMNS)).tolist()
    shown, start = window.workbench.multiples, perf_counter()
    window.editor.show_multiples("panels", "epsilon_scale", columns)

    def everywhere() -> bool:
        results = [result for _, result in shown.each()]
        return shown.grid is not None and bool(results) and all(r.drawing.points is not None for r in results)

    turn_until(everywhere)
    seconds = perf_counter() - start
    drafts = [bool(result.draft_text) for _, result in shown.each()]
    settle(window)
    window.editor.change_multiples("Close small multiples", shown=False)
    settle(window)
    return seconds, 100.0 * sum(drafts) / len(drafts)


def measure_stop() -> Mapping[str, float]:
    """How long what is made while the hand rests goes on after it moves: the worst of many moments."""
    from mvexplorer.compute.jobs.jobs import AnchorJob
    from mvexplorer.compute.jobs.prepared import BetweenJob

    window, random, running = new_window(), np.random.default_rng(0), list[str]()
    anchors = window.workbench.anchors
    anchors.enabled = False
    noisy_tori(window, 5000)
    settle(window)
    anchors.enabled = True
    runs = {job: job.run for job in (AnchorJob, BetweenJob)}

    def noted(job: Any, *arguments: Any) -> None:
        running.append(type(job).__name__)
        try:
            runs[type(job)](job, *arguments)
        finally:
            running.pop()

    for job in runs:
        job.run = noted  # type: ignore[method-assign]
    took = list[float]()
    for _ in range(MOMENTS):
        anchors.rest()
        turn_for(random.uniform(*sized((0.2, 1.2), (0.001, 0.01))))
        busy, start = bool(running), perf_counter()
        anchors.stop()
        while running:
            sleep(5e-4)
        if busy:
            took.append(1e3 * (perf_counter() - start))
    for job, run in runs.items():
        job.run = run  # type: ignore[method-assign]
    return {"ms at worst": max(took, default=0.0), "moments at which something was made": float(len(took))}


def measure_eigenvalues(method: str) -> Mapping[str, float]:
    """Seeded places over three octaves to each side: how many are certified, and how far those are from exact ones."""
    import mvexplorer as mvx

    data, random = mvx.load(SAMPLE), np.random.default_rng(0)
    views = data.view_names[: 1 if method == "single" else 2]
    start = perf_counter()
    over = mvx.spectrum(data, method, 2.0 ** random.uniform(-3.0, 3.0, PLACES), views=views)
    seconds = perf_counter() - start

    def off(row: int) -> float:
        at = dict(zip(views, over.epsilon[row].tolist(), strict=True))
        exact: Array = mvx.embed(data, method, views=views, epsilon=at, n_components=12).eigenvalues
        return float(np.abs(exact[: over.eigenvalues.shape[1]] - over.eigenvalues[row]).max())

    rows = random.choice(np.flatnonzero(over.certified), COMPARED, replace=False).tolist()
    return {
        "% of places certified": 100.0 * float(over.certified.mean()),
        "off at worst where certified": max(map(off, rows)),
        "s": seconds,
    }


def comparisons() -> Iterator[Limit]:
    least = {TIMES: 3.0}
    tempo = "play ε: uci 2 views, pictures of six panels at 40 steps a second"
    yield Limit(tempo, {}, measure_play, 3, least)
    yield Limit("small multiples over ε: uci 2 views, drafts or exact", {}, measure_multiples, 3, least)
    stop = "prepared bases: what an edit still waits for, tori 5000, 25 moments"
    yield Limit(stop, {"ms at worst": 50.0}, measure_stop, 3)
    for method in ("single", "kernel-sum", "kernel-product", "multiview", "de-sa"):
        bars, certified = {"off at worst where certified": 1e-3}, {"% of places certified": 70.0}
        work = partial(measure_eigenvalues, method)
        yield Limit(f"eigenvalues over ε: uci, {method}", bars, work, 1, certified)
