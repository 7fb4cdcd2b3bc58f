"""The words and numbers of a sweep: its axis, its legend, and what a point is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log, log10

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.engine.analysis.choosing import HARDLY
from mvexplorer.engine.metrics import LOWER_IS_BETTER, Score
from mvexplorer.state.batches.sweeper import Curve
from mvexplorer.state.pictures.scoring import spread_words
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.shortening import shortened

TITLE = 24
"""Most characters of a score's title."""


def factor_text(factor: float) -> str:
    """A factor in plain numbers: 1/30, 0.1, 30."""
    part = round(1.0 / factor)
    if part > 1 and part % 10 == 0 and log10(part) % 1 != 0.0 and abs(part * factor - 1.0) < 0.01:
        return f"1/{part}"
    return numbers.factor(factor)


def at_text(axis: Axis, value: float) -> str:
    """A value of an axis: × 0.1, η = 0.2, ε = 0.36; whose ε that is stands below the plot."""
    if axis == SCALE:
        return f"× {factor_text(value)}"
    number = f"{value:.4g}" if not axis.of_epsilon else numbers.number(value)
    return f"{axis.symbol} = {number}"


def axis_label(axis: Axis) -> str:
    """Return the words below a plot."""
    return axis.title[0].lower() + axis.title[1:]


def legend_text(curves: Sequence[Curve], score: str, axis: Axis = SCALE, present: float | None = None) -> str:
    """A line per curve with its best score, the winner's in bold, and what ± and bands are.

    Where the best is hardly better than the score at the `present` value, that is said, and no other value is named.
    """
    small = f"color:{theme.current().muted}; font-size:{theme.px(theme.SMALL_PX)}px"
    titles = [line(curve.title, 4 * LINE) for curve in curves]
    longest = 17  # most characters of a curve's name
    names = [shortened(title, [*titles[:i], *titles[i + 1 :]], i + 1, longest, len) for i, title in enumerate(titles)]
    pick = min if score in LOWER_IS_BETTER else max
    best = [pick(c.scores(score).items(), key=lambda item: item[1].value, default=None) for c in curves]
    # Compared as they are shown: the best one exceeds the next by more than its spread, or none is.
    peaks = sorted((peak[1] for peak in best if peak is not None), key=lambda scored: -scored.value)
    rounding = 1e-9
    lead = round(peaks[0].value, 2) - round(peaks[1].value, 2) if len(peaks) > 1 else 0.0
    spread_of_best = peaks[0].spread if peaks else None
    clear = spread_of_best is not None and lead > spread_of_best + rounding
    winner = peaks[0] if clear and score not in LOWER_IS_BETTER else None
    lines = []
    for i, (curve, peak) in enumerate(zip(curves, best, strict=True)):
        look, name = curve_look(i), escape(names[i])
        words = (
            "…"
            if peak is None
            else numbers.score(peak[1]) + ("" if curve.flat else _where(curve, score, axis, peak, present))
        )
        if peak is not None and peak[1] is winner:
            name = f"<b>{name}</b>"
        lines.append(
            f"<span style='color:{look.color}'>{look.glyph}</span> {name} <span style='{small}'>{words}</span>"
        )
    spread = "± s.d. over ten k-means seeds" if score == "nmi" else "± standard error over the samples"
    notes = [spread] if any(b and b[1].spread is not None for b in best) else []
    if any(c.band(score) for c in curves):
        notes.append("band: range of the resamplings")
    return "<br>".join([*lines, *(f"<span style='{small}'>{text}</span>" for text in notes)])


def _where(curve: Curve, score: str, axis: Axis, peak: tuple[float, Score], present: float | None) -> str:
    """Say at which value the best score is, or that the swept value next to the present one is as good."""
    each, (place, best) = curve.scores(score), peak
    if present is not None and min(each) <= present <= max(each):
        near = min(each, key=lambda value: abs(log(value / present)) if axis.log else abs(value - present))
        if abs(best.value - each[near].value) <= max(HARDLY, best.spread or 0.0, each[near].spread or 0.0):
            return ", as good now"
    return f" at {escape(at_text(axis, place))}"


def point_text(curve: Curve, factor: float | None, score: str, title: str, axis: Axis = SCALE) -> str:
    """Describe one point of a curve."""
    at, scored = next((f, s) for f, s in curve.scores(score).items() if factor in (None, f))
    epsilon = ", ".join(numbers.number(e) for e in curve.epsilon.get((at, 0), {}).values())
    there = "" if factor is None else f"{factor_text(factor)} × ε" if axis == SCALE else at_text(axis, factor)
    lines = [f"{curve.title} at {there}" if there else curve.title]
    if not there:
        lines.append(f"{'the bandwidth' if axis == SCALE else axis_label(axis)} has no effect")
    if epsilon and (there or axis != SCALE):
        lines.append(f"ε {epsilon}")
    spread = "" if scored.spread is None else f" ({spread_words(score, scored)})"
    lines.append(f"{title} {numbers.score(scored)}{spread}")
    lines += [f"resamplings: {low:.2f} to {high:.2f}" for f, low, high in curve.band(score) if f == at]
    return "\n".join([*lines, "Click to show this embedding."])
