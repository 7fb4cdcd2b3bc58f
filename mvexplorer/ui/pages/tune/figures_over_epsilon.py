"""The plots of the page “Tune”: what ε does to a view, and to a pair of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from pyqtgraph.functions import isocurve

from mvexplorer.compute.batch.tuning import OwnScale
from mvexplorer.compute.jobs.runner import ViewCurves
from mvexplorer.engine.bandwidth.curves import DECADES, pair_surface
from mvexplorer.engine.bandwidth.table import bandwidth_rules, get_rule, parse_bandwidth
from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Contour, Curves, Figure, LabelledLine, Matrix, Series
from mvexplorer.state.batches.view_scores import scores_along
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions.bandwidth_analyser import Explanation
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.bandwidth_plot import Marker

AXIS = "log₁₀ ε / median"


def place_of(curves: ViewCurves) -> Array:
    """The places of the curves' ε on the axis of all views."""
    places: Array = np.log10(curves.growth.epsilon / curves.median)
    return places


def growth_figure(view: str, curves: ViewCurves, scored: OwnScale | None = None) -> Figure:
    """The dimension that the kernel sees at each ε; behind it, to its height, log S and how good its own picture is."""
    x, log_s, n = place_of(curves), curves.growth.log_sum, curves.growth.row_sums.shape[1]
    dimension = Series("dimension", x, 2.0 * curves.growth.slope)
    share = (log_s - np.log(n)) / np.log(n)  # log S rises from log M to 2 log M
    growth = Series("log S, scaled to the plot", x, share * dimension.y.max(), faint=True, best=False)
    columns = {"epsilon": curves.growth.epsilon, "log_sum": curves.growth.log_sum, "dimension": dimension.y}
    series = (dimension, growth, *_scores(scored, dimension.y.max()))
    if scored is not None:
        places, values = scores_along(scored)
        columns |= {"epsilon of the score": curves.median * 10.0**places, "trustworthiness": values}
    return Figure(
        f"Slope of log S of {view}", Curves(AXIS, "intrinsic dimension seen at ε", series, span=DECADES), "", columns
    )


def _scores(scored: OwnScale | None, height: float) -> tuple[Series, ...]:
    """The scores of a view's own picture from the lowest, at the bottom, to the highest."""
    if scored is None:
        return ()
    places, values = scores_along(scored)
    if not np.isfinite(values).any():  # no picture there has a score
        return ()
    spreads = np.array([0.0 if one.score is None else one.score.spread or 0.0 for one in scored.tried])
    low, high = np.nanmin(values - spreads), np.nanmax(values + spreads)
    unit = height / (high - low) if high > low else 0.0
    band = np.column_stack([places, (values - spreads - low) * unit, (values + spreads - low) * unit])
    name = "trustworthiness, scaled to the plot"
    return (Series(name, places, (values - low) * unit, "points", 1, band=band[np.isfinite(values)]),)


def row_figure(growth: Figure) -> Figure:
    """The growth of a view as its row shows it: what the height is stands in the legend."""
    assert isinstance(growth.body, Curves)
    return replace(growth, body=replace(growth.body, y_label=""))


def coarse_map(first: ViewCurves, second: ViewCurves) -> Matrix:
    """The logarithm of the sum of the product of two kernels over both ε, as a small map without axes."""
    log_s, x, y = _surface(first, second)
    log_n = float(np.log(first.growth.row_sums.shape[1]))
    return Matrix(log_s, "log S", x=x, y=y, limits=(log_n, 3.0 * log_n))


def _surface(first: ViewCurves, second: ViewCurves) -> tuple[Array, Array, Array]:
    """log S (n, m) within the axis of all views, with the places across (m,) and up (n,)."""
    x, y = place_of(first), place_of(second)
    across, up = x >= DECADES[0], y >= DECADES[0]  # the last octave of ε reaches beyond the low end
    return pair_surface(first.growth, second.growth).T[np.ix_(up, across)], x[across], y[up]


def graph_figure(view: str, curves: ViewCurves) -> Figure:
    """The links of the kernel at each ε; links are affinities of .001 and more."""
    epsilon, n = curves.growth.epsilon, curves.growth.row_sums.shape[1]
    counts = {
        "mean degree": curves.growth.mean_degree,
        "components": curves.connectivity.components(epsilon),
        "isolated": n * curves.connectivity.isolated(epsilon),
    }
    x = place_of(curves)
    series = tuple(
        Series(name, x, np.where(values >= 0.1, values, np.nan), look=look)
        for look, (name, values) in enumerate(counts.items())
    )
    body = Curves(AXIS, "samples", series, log_y=True, span=DECADES)
    return Figure(f"Graph of {view}", body, "", {"epsilon": epsilon, **counts})


def class_figure(view: str, facts: Explanation, curves: ViewCurves) -> Figure:
    """The criteria that look at classes, each divided by its best value, as far as they are known."""
    series, columns = [], {}
    if len(curves.growth.within_probability):
        series.append(
            Series(
                "ρ_P within-class transition probability", place_of(curves), of_best(curves.growth.within_probability)
            )
        )
        columns = {"epsilon": curves.growth.epsilon, "rho_P": curves.growth.within_probability}
    if facts.classes is not None and not facts.stale:
        x = np.log10(facts.classes.epsilon / curves.median)
        each = {"ρ_Ψ class separation": facts.classes.geometric, "Ge eigengap": facts.classes.spectral}
        series += [Series(name, x, of_best(y), "points", look) for look, (name, y) in enumerate(each.items(), 1)]
        columns |= {"epsilon of ρ_Ψ and Ge": facts.classes.epsilon, "rho_Psi": facts.classes.geometric}
        columns |= {"Ge": facts.classes.spectral}
    return Figure(f"Class curves of {view}", Curves(AXIS, "relative to best", tuple(series), span=DECADES), "", columns)


def pair_figure(views: tuple[str, str], first: ViewCurves, second: ViewCurves) -> Figure:
    """The logarithm of the sum of the product of two kernels over both ε, and where it begins to grow along each."""
    log_s, x, y = _surface(first, second)
    # With σ = sqrt(ε), log σ is half of log ε; places are in decades of ε.
    up: Array = np.gradient(log_s, 0.5 * np.log(10) * y, axis=0)
    across: Array = np.gradient(log_s, 0.5 * np.log(10) * x, axis=1)
    log_n = float(np.log(first.growth.row_sums.shape[1]))
    x_label, y_label = (f"{line(view, 24)}: {AXIS}" for view in views)
    body = Matrix(
        log_s,
        "log S",
        x_label=x_label,
        y_label=y_label,
        x=x,
        y=y,
        limits=(log_n, 3.0 * log_n),  # of M samples alone to M³ paths
        contours=(*contours(across, x, y), *contours(up, x, y, dashed=True)),
        corners=("M", "M²", "M²", "M³"),
    )
    return Figure(f"Pair {views[0]} and {views[1]}", body)


def contours(slope: Array, x: Array, y: Array, *, dashed: bool = False) -> list[Contour]:
    """Lines over x (m,) and y (n,) where a slope (n, m) is the least that Algorithm 1 calls linear growth."""
    least, lines = 0.5, []
    for path in isocurve(slope, least, connected=True):
        rows, columns = np.array(path, dtype=float).T - 0.5  # the middle of a cell is half a step from its beginning
        lines.append(Contour(np.interp(columns, range(len(x)), x), np.interp(rows, range(len(y)), y), dashed))
    return lines


def has_curves(figure: Figure) -> bool:
    """Whether there is a curve in a figure yet."""
    return isinstance(figure.body, Curves) and bool(figure.body.series)


def marked(figure: Figure, marks: Sequence[LabelledLine]) -> Figure:
    """A figure with vertical lines, as a file has them."""
    assert isinstance(figure.body, Curves)
    return replace(figure, body=replace(figure.body, marks=tuple(marks)))


def rule_markers(controller: Controller, view: str, place: Callable[[float], float], click: str) -> list[Marker]:
    """The values of a view's rules that are known, from left to right; `place` gives the place of an ε on the axis."""
    summary, markers = controller.summaries.get(view), []
    for rule_text, value in summary.rules.items() if summary is not None else ():
        if isinstance(value, float):
            bandwidth = parse_bandwidth(rule_text)
            rule = get_rule(str(bandwidth.rule))
            title = bandwidth.words.replace(rule.id, rule.title, 1)
            text = f"{title}: ε {numbers.number(value)}\n{rule.summary}\n{rule.remark}\n{click}"
            markers.append(Marker(place(value), rule.letter, text, rule_text))
    return sorted(markers, key=lambda m: m.position)


def factor_markers(controller: Controller) -> list[Marker]:
    """The factors on all ε at which the views in use have theirs by a rule, on the mean, from left to right."""
    state, markers = controller.document.state, []
    linked = [
        view.name
        for view in state.views
        if view.enabled and view.linked and panel_kernel(state, None, view.name).kind.uses_epsilon
    ]
    here = {name: epsilon for name in linked if (epsilon := controller.effective_epsilon(name)) is not None}
    known = {name: controller.summaries[name].rules for name in here if name in controller.summaries}
    for rule in bandwidth_rules() if known and len(known) == len(linked) else ():
        values = {name: value for name, rules in known.items() if isinstance(value := rules.get(rule.id), float)}
        if len(values) < len(known):
            continue
        factors = {name: state.epsilon_scale * value / here[name] for name, value in values.items()}
        mean = float(np.exp(np.mean(np.log(list(factors.values())))))
        low, high = (pick(factors, key=factors.__getitem__) for pick in (min, max))
        text = f"{rule.title}: all ε scaled by {numbers.number(mean)}"
        if factors[high] > 1.05 * factors[low]:  # they differ
            text += (
                f" on the mean, {numbers.number(factors[low])} for {low} to {numbers.number(factors[high])} for {high}"
            )
        markers.append(Marker(mean, rule.letter, f"{text}\n{rule.summary}\nClick to go there.", rule.id))
    return sorted(markers, key=lambda m: m.position)


def of_best(values: Array) -> Array:
    """Values relative to their largest, so that several criteria fit one axis."""
    best = np.nanmax(values) if np.isfinite(values).any() else 1.0
    return values / best if best > 0 else values
