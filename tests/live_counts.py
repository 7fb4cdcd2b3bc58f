"""What a live page does in a browser without a network: what it asks for, where panels part, how far axes are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import mvexplorer as mvx
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.api.live import MovingPicture
from mvexplorer.engine.spectral.reduced import ends_of_spaces
from mvexplorer.state.pictures.requests import request_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mvexplorer.engine.api.live import LivePanels
    from mvexplorer.state.bench.headless import ComputedPanels
    from tests.browser import Browser

OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
STILL = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
OPENED = (
    "const end = arguments[0], look = () => window.live || !$('live-problem').hidden ? end() : setTimeout(look, 10); "
    "look()"
)
DRAG = """
const [values, end] = [arguments[0], arguments[1]], times = [];
let apart = 0;
const next = () => {
  if (!values.length) return end({ apart, times });
  live.slider.value = values.shift();
  live.take();
  requestAnimationFrame(() => { // after that in which the page draws, which asked before
    const differs = ({ points, live: shown }) => shown.at(live.step, live.t, false).points.some(
      (v, k) => Math.abs(v - points[k]) > 1e-5);
    if (live.step !== live.start && live.pictures.some(differs)) apart++;
    const start = performance.now();
    live.show();
    for (const picture of live.pictures) picture.draw();
    times.push(performance.now() - start);
    requestAnimationFrame(next);
  });
};
next();"""
"""Move ε from frame to frame, and look whether all panels are there; count the milliseconds of a step."""


def largest_angle(A: np.ndarray, B: np.ndarray) -> float:
    """In radians, of the space of A's centred columns to that of B's, which may be larger."""
    first, second = (np.linalg.qr(Y - Y.mean(axis=0))[0] for Y in (A, B))
    return float(np.arccos(np.linalg.svd(first.T @ second)[1].clip(max=1.0).min()))


def opened_offline(tab: Browser, file: Path) -> None:
    """Open a page without a network, for a reader who wants no motion."""
    tab.driver.execute_cdp_cmd("Network.enable", {})
    tab.driver.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE)
    tab.open(file)
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", STILL)
    tab.wait_for(OPENED)
    tab.rest()


def counts(tab: Browser, file: Path, values: list[int]) -> dict[str, float]:
    """How many requests, errors, and frames in which panels show another ε; milliseconds of a step; kB of the file."""
    opened_offline(tab, file)
    found = tab.wait_for(DRAG, values)
    asked = [url for url in tab.requests if not url.startswith("data:") and url != file.as_uri()]
    return {
        "requests": len(asked),
        "errors": len(tab.errors),
        "frames in which panels part": found["apart"],
        "ms a step": float(np.median(found["times"])),
        "kB": file.stat().st_size / 1000,
    }


def angles(tab: Browser, finished: ComputedPanels, live: LivePanels, values: list[int]) -> Iterator[tuple[bool, float]]:
    """At each value and for each panel that moves: whether the page certifies it, and radians from `embed`.

    These are to the space of the drawn axes, or to the next one that ends at a gap: within that nothing is determined.
    """
    M = finished.data.n_samples
    for value in values:
        tab.run("live.slider.value = arguments[0]; live.take(); live.show()", value)
        factor = tab.run("return live.factorAt(live.step)")
        for k, panel in enumerate(finished.state.panels):
            picture = live.panels[panel.id].picture
            if not isinstance(picture, MovingPicture):
                continue
            request = request_of(finished.state, finished.data, panel)
            epsilon = tuple(factor * e for e in finished.results[panel.id].result.embedding.epsilon)
            params = {name: v for name, v in request.params if v is not None}
            views = finished.results[panel.id].result.embedding.views
            exact = mvx.embed(finished.data, panel.method, views=views, epsilon=epsilon, **params)
            flat = np.array(tab.run("return Array.from(pictures[arguments[0]].points)", k)).reshape(-1, M).T
            unsure = tab.run("return pictures[arguments[0]].box.parentElement.classList.contains('unsure')", k)
            dims, gaps = flat.shape[1], 1.0 - np.real(exact.eigenvalues)[1:]
            ends = ends_of_spaces(gaps)
            end = next((j for j in range(dims, len(gaps)) if ends[j - 1]), len(gaps))
            if end > dims and request.plan.method.has_unit_rows:  # rows of more coordinates have other lengths
                continue
            axes = range(panel.axes[0], panel.axes[0] + max(end, dims))
            yield not unsure, largest_angle(flat, drawn_columns(exact, panel.show, axes))
