"""The figure of a sweep: all methods in one tone, the best one in the accent, each named where its line ends."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

import numpy as np

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.metrics import LOWER_IS_BETTER
from mvexplorer.figures import Curves, Figure, Series, Style
from mvexplorer.state.batches.sweeper import Curve
from mvexplorer.ui.pages.tune.sweep_words import TITLE, at_text, axis_label
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plain_text import line

WHICH = {
    "spearman": " (first coordinate)",
    "trustworthiness": " (6 coordinates)",
    "gap": "",
    "order": "",
    "largest_gap": "",
    "agreement": " (all of each view)",
}
"""Score -> the coordinates that it is over, where these are not all."""
LONGEST = 30
"""Most characters of a method's name."""


def best_of(curves: Sequence[Curve], score: str) -> tuple[Curve, float, float] | None:
    """The curve with the highest score, its value on the axis and that score; None where all best ones look alike.

    Of a score of which the lowest is best none is.
    """
    if score in LOWER_IS_BETTER:
        return None
    points = [(s, -i, f, c) for i, c in enumerate(curves) for f, s in c.values(score)]
    tops = [max(s for _, s in values) for c in curves if (values := c.values(score))]
    if not tops or (len(tops) > 1 and round(min(tops), 2) == round(max(tops), 2)):
        return None
    highest, _, value, curve = max(points, key=lambda item: item[:2])
    return curve, value, highest


def sweep_figure(title: str, words: str, score: tuple[str, str], curves: Sequence[Curve], axis: Axis) -> Figure:
    """The curves of a score, which is given by its name and its id."""
    best = best_of(curves, score[1])
    values = [value for curve in curves for value, _ in curve.values(score[1])]
    ends = (min(values), max(values)) if values else (1.0, 1.0)
    series = tuple(_series(curve, score[1], best, ends, axis) for curve in curves if curve.values(score[1]))
    across = "Factor on all bandwidths ε" if axis == SCALE else axis.title
    ys = [y for each in series for y in (each.y, *(() if each.band is None else (each.band[:, 1:].ravel(),)))]
    lowest = min((float(y.min()) for y in ys), default=0.0)
    highest = max((float(y.max()) for y in ys), default=1.0)
    limits = min(0.0, floor(10 * lowest) / 10), max(1.0, ceil(10 * highest) / 10)  # R² may be negative, a gap wide
    body = Curves(across, score[0], series, log_x=axis.log, whole=axis.whole, named=True, limits=limits)
    return Figure(title, body, words)


def shown_figure(score: tuple[str, str], curves: Sequence[Curve], axis: Axis, ends: tuple[float, float]) -> Figure:
    """The curves as the page shows them, each with a look of its own, from one value to another."""
    series = tuple(_shown(curve, score[1], look, ends) for look, curve in enumerate(curves))
    found = [each.y for each in series] + [each.band[:, 1:].ravel() for each in series if each.band is not None]
    scores = np.concatenate([*found, []])
    low, high = (floor(10 * scores.min()) / 10, ceil(10 * scores.max()) / 10) if len(scores) else (0.0, 1.0)
    which = WHICH.get(score[1], " (all r coordinates)")
    body = Curves(
        axis_label(axis),
        f"{line(score[0], TITLE)}{which}",
        series,
        whole=axis.whole,
        log_x=axis.log,
        limits=(low, max(high, low + 0.1)),
        span=ends,
    )
    return Figure("Scores of the methods against what is swept", body)


def _shown(curve: Curve, score: str, look: int, ends: tuple[float, float]) -> Series:
    points, band = _points(curve, score, ends), np.array(curve.band(score))
    style: Style = "line" if curve.flat else "points"
    return Series(curve.title, points[:, 0], points[:, 1], style, look, band=band if len(band) > 1 else None)


def _points(curve: Curve, score: str, ends: tuple[float, float]) -> Array:
    """The points (n, 2) of a curve; the ends of a level line where the axis has no effect."""
    points = curve.values(score)
    if curve.flat and points:
        points = [(end, points[0][1]) for end in ends]
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def _series(
    curve: Curve, score: str, best: tuple[Curve, float, float] | None, ends: tuple[float, float], axis: Axis
) -> Series:
    band, name = curve.band(score), line(curve.title, LONGEST)
    wins = best is not None and curve is best[0]
    if wins and best is not None:
        name += f"  {numbers.number(best[2], 2)}" + ("" if curve.flat else f" at {at_text(axis, best[1])}")
    x, y = _points(curve, score, ends).T
    return Series(name, x, y, band=np.array(band) if len(band) > 1 else None, best=wins)
