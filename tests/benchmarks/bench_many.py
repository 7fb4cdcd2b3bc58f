"""Many answers at once: a sweep in the window against its cells one by one, all rules, all methods."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from time import perf_counter

import numpy as np
from bench_drag import digits
from comparison import SAMPLE, Comparison, Limit, Prepared, sized
from live_window import new_window, private_home, settle, turn_until

FACTORS = tuple(np.geomspace(1.0 / 8.0, 8.0, sized(13, 2)).tolist())
"""On all ε."""


def sweep() -> Prepared:
    """As the sweep's page does it: 13 factors, six panels, NMI and k-NN."""
    window = new_window()
    digits(window)
    settle(window)

    def work() -> int:
        window.sweeper.start(FACTORS)
        turn_until(lambda: not window.sweeper.running)
        cells = sum(len(curve.points) for curve in window.sweeper.curves)
        if cells != len(FACTORS) * len(window.document.state.panels):
            raise RuntimeError(f"only {cells} cells: {window.sweeper.problems}")
        return cells

    return Prepared(work, lambda: None)


def cells_one_by_one() -> Prepared:
    """The same cells, each from nothing and scored, on one thread."""
    from mvexplorer.compute.jobs.jobs import ScoreJob
    from mvexplorer.compute.jobs.runner import run_request
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.datasets.loading import load_source
    from mvexplorer.engine.core.task import Task
    from mvexplorer.state.document import commands
    from mvexplorer.state.document.frozen import updated
    from mvexplorer.state.pictures.requests import request_of

    loaded = load_source(SAMPLE)
    data, opened = loaded.data, commands.initial_state(loaded.data, (SAMPLE,), loaded.manifest)

    def cell(factor: float, panel: int) -> None:
        state = updated(opened, {"epsilon_scale": factor})
        found = run_request(request_of(state, data, state.panels[panel]), StageCache(), Task()).embedding
        ScoreJob(found, data.labels).run(StageCache(), Task())

    def work() -> None:
        for factor in FACTORS:
            for panel in range(len(opened.panels)):
                cell(factor, panel)

    return Prepared(work, partial(cell, 1.0, 0))


def sweep_alone() -> Mapping[str, float]:
    """Seconds on the wall, on all cores."""
    made = sweep()
    start = perf_counter()
    made.work()
    return {"s": perf_counter() - start}


def command(*arguments: str) -> Mapping[str, float]:
    """Seconds on the wall that a command takes, its start included."""
    home = private_home()
    start = perf_counter()
    subprocess.run([sys.executable, "-m", "mvexplorer", *arguments], capture_output=True, cwd=home, check=True)
    return {"s": perf_counter() - start}


def comparisons() -> Iterator[Comparison | Limit]:
    name = "sweep: uci 13 ε x 6 panels"
    yield Limit(name, {"s": 15.0}, sweep_alone, 2)
    yield Comparison(
        f"{name}, ratio", 6, sweep, cells_one_by_one, "the same cells, cold, one by one, one thread", 1, wall=True
    )  # fmt: skip
    yield Limit("rules: ten, six UCI views", {"s": 30.0}, partial(command, "bandwidth", SAMPLE), 2)
    compare = partial(command, "compare", SAMPLE, "--out", "comparison.png")
    yield Limit("compare: uci-digits, every method", {"s": 20.0}, compare, 2)
