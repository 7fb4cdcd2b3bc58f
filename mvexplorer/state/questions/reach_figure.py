"""The figure of one sample's neighbours: how far all others lie, and what the kernel makes of that."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.analysis.reach import Reach, affinities_at
from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.figures import Curves, Figure, LabelledLine, Series

BINS = 60
AXIS = "log₁₀ d² / median, ε / median"


def reach_figure(
    title: str, words: str, squared: Array, sample: int, kernel: Kernel, epsilon: float, median: float, found: Reach
) -> Figure:
    """Bars of the distances (M,) from a sample, each over the highest, and the kernel at an ε over the same axis."""
    others = np.delete(squared, sample)
    places = np.log10(np.clip(others / median, 10.0 ** DECADES[0], 10.0 ** DECADES[1]))
    counts, edges = np.histogram(places, BINS, DECADES)
    middles = 0.5 * (edges[1:] + edges[:-1])
    bars = Series("others", middles, counts / max(1, counts.max()), "bars", 1, faint=True)
    x = np.linspace(*DECADES, 241)
    curve = Series("affinity", x, affinities_at(median * 10.0**x, kernel, epsilon))
    marks = [LabelledLine(float(np.log10(found.farthest / median)), "95 %", None)] if found.farthest > 0.0 else []
    body = Curves(AXIS, "affinity", (bars, curve), tuple(marks), span=DECADES, limits=(0.0, 1.0))
    order = np.argsort(squared, kind="stable")
    columns = {"sample": order, "squared distance": squared[order], "affinity": found.affinities[order]}
    return Figure(title, body, words, columns)


def reach_words(id: str, view: str, found: Reach, others: int) -> str:
    """Who takes the sample's step, in a sentence."""
    many = "1 neighbour" if found.takes == 1 else f"{found.takes:,} of {others:,} neighbours"
    within = "1 lies" if found.within == 1 else f"{found.within:,} lie"
    return f"{id} in {view}: {many} take 95 % of a step; {within} within σ."
