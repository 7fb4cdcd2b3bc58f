"""Pages in which ε moves: how large, how quick and how exact they are in a browser, and what making one takes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from comparison import Limit, sized
from live_window import private_home

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.io.writing.live_block import live_block
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.export.live_panels import LivePanelsJob
from mvexplorer.ui.app import application
from mvexplorer.ui.export.web_page import page_of, with_live, write_page
from tests.browser import browser
from tests.live_counts import angles, counts

if TYPE_CHECKING:
    from mvexplorer.state.document.model import DocumentState

UNSEEN, STEPS = sized(50, 2), sized(200, 10)
PAGES = {
    ("helix-a", 600): 49.0, ("gap-rolls", 600): 62.0, ("tori", 600): 102.0, ("uci-digits", 500): 162.0,
    ("uci-digits", 2000): 367.0, ("helix-b", 600): 78.0, ("tori", 2000): 244.0,
}  # fmt: skip
"""Most kB that a page takes beyond one in which nothing moves, by sample and number of samples: 1.2 of a prototype."""
SCRIPT = 18.0
"""Of these, the script and style of that prototype: the rest is the most that the block of numbers takes."""
WORST, TYPICAL = "rad at worst, certified", "rad, median"
FAR, BLOCK = "% of certified places beyond .05 rad", "kB of the block"


def comparisons() -> Iterator[Limit]:
    """The rows: six panels of two views, in two and three dimensions."""
    for name, n in list(PAGES)[: sized(len(PAGES), 1)]:
        goals = {
            "requests": 0.0, "errors": 0.0, "frames in which panels part": 0.0, "ms a step": 8.0,
            WORST: 0.1, FAR: 1.0, TYPICAL: 0.02, "kB that ε takes": PAGES[name, n], BLOCK: PAGES[name, n] - SCRIPT,
        }  # fmt: skip
        title = f"a live page of six panels, {name}, {n:,} samples"
        yield Limit(title, goals, partial(measure, name, sized(n, 120)), 1)


def six_panels(data: mvx.MultiView) -> DocumentState:
    """A document of the two first views with the panels of the table."""
    state = commands.initial_state(data, ("memory",), None)
    names = [view.name for view in state.views][:2]
    views = tuple(updated(view, {"enabled": view.name in names}) for view in state.views)
    panels = [updated(commands.new_panel("single", f"v{k}"), {"view": name}) for k, name in enumerate(names)]
    methods = "kernel-sum", "kernel-product", "multiview", "de-sa"
    panels += [commands.new_panel(method, f"p{k}") for k, method in enumerate(methods)]
    # Two coordinates decide the drawing of unit rows, which have a first one that is constant.
    panels[-1] = updated(panels[-1], {"pins": {"n_components": 3}})
    return updated(state, {"views": views, "panels": tuple(panels)})


def measure(name: str, n: int) -> Mapping[str, float]:
    """Make the page, and use it without a network."""
    private_home()
    application("light", exported=True)
    data = mvx.load(name)
    if n > data.n_samples:
        data = mvx.datasets.make_tori(n_samples=n)
    if n < data.n_samples:
        data = data.take(np.sort(np.random.default_rng(0).choice(data.n_samples, n, replace=False)))
    finished = compute(six_panels(data), data)
    start = process_time()
    live = LivePanelsJob(finished.state, finished.data, finished.results, solid=True).run(StageCache(), Task())
    seconds = process_time() - start
    values = np.random.default_rng(5).integers(0, 1001, UNSEEN).tolist()
    with tempfile.TemporaryDirectory() as folder, browser() as tab:
        page = page_of(finished, name)
        still = write_page(page, Path(folder) / "still.html").stat().st_size / 1000
        file = write_page(with_live(page, live), Path(folder) / "live.html")
        found = counts(tab, file, np.linspace(0, 1000, STEPS).round().astype(int).tolist())
        each = [*angles(tab, finished, live, values)]
    sure = [angle for certified, angle in each if certified]
    return {
        **found,
        "kB that ε takes": found["kB"] - still,
        BLOCK: len(live_block(live, np.arange(data.n_samples))) / 1000,
        WORST: max(sure),
        FAR: 100 * float(np.mean(np.array(sure) > 0.05)),
        TYPICAL: float(np.median(sure)),
        "certified, least share": len(sure) / len(each),
        "s of CPU to make it": seconds,
    }
