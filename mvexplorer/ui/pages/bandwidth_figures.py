"""The plots of the page “Bandwidth” as figures for files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.bandwidth.curves import pair_surface
from mvexplorer.figures import Curves, Figure, LabelledLine, Matrix, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.compute.jobs.runner import ViewCurves
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.questions.bandwidth_analyser import Explanation

AXIS = "log₁₀ ε / median"


def place_of(curves: ViewCurves) -> Array:
    """The places of the curves' ε on the axis of all views."""
    places: Array = np.log10(curves.growth.epsilon / curves.median)
    return places


def growth_figure(view: str, curves: ViewCurves, marks: Sequence[LabelledLine]) -> Figure:
    """The dimension that the kernel sees at each ε."""
    dimension = Series("dimension", place_of(curves), 2.0 * curves.growth.slope)
    columns = {"epsilon": curves.growth.epsilon, "log_sum": curves.growth.log_sum, "dimension": dimension.y}
    return Figure(f"Growth of {view}", Curves(AXIS, "dimension", (dimension,), tuple(marks)), "", columns)


def graph_figure(view: str, curves: ViewCurves, marks: Sequence[LabelledLine]) -> Figure:
    """The links of the kernel at each ε; links are affinities of .001 and more."""
    epsilon, n = curves.growth.epsilon, curves.growth.row_sums.shape[1]
    counts = {
        "neighbours": curves.growth.mean_neighbours,
        "components": curves.connectivity.components(epsilon),
        "isolated": n * curves.connectivity.isolated(epsilon),
    }
    x = place_of(curves)
    series = tuple(
        Series(name, x, np.where(values >= 0.1, values, np.nan), look=look)
        for look, (name, values) in enumerate(counts.items())
    )
    body = Curves(AXIS, "samples", series, tuple(marks), log_y=True)
    return Figure(f"Graph of {view}", body, "", {"epsilon": epsilon, **counts})


def class_figure(view: str, facts: Explanation, curves: ViewCurves, marks: Sequence[LabelledLine]) -> Figure | None:
    """The criteria that look at classes, each divided by its best value; None where there are none."""
    series, columns = [], {}
    if len(curves.growth.within_probability):
        series.append(Series("ρ_P in class", place_of(curves), of_best(curves.growth.within_probability)))
        columns = {"epsilon": curves.growth.epsilon, "rho_P": curves.growth.within_probability}
    if facts.classes is not None and not facts.stale:
        x = np.log10(facts.classes.epsilon / curves.median)
        each = {"ρ_Ψ apart": facts.classes.geometric, "Ge eigengap": facts.classes.spectral}
        series += [Series(name, x, of_best(y), "points", look) for look, (name, y) in enumerate(each.items(), 1)]
        columns |= {"epsilon of ρ_Ψ and Ge": facts.classes.epsilon, "rho_Psi": facts.classes.geometric}
        columns |= {"Ge": facts.classes.spectral}
    if not series:
        return None
    return Figure(f"Class curves of {view}", Curves(AXIS, "of best", tuple(series), tuple(marks)), "", columns)


def pair_figure(views: tuple[str, str], first: ViewCurves, second: ViewCurves) -> Figure:
    """The logarithm of the sum of the product of two kernels over both ε."""
    labels = tuple(f"{AXIS}, {view}" for view in views)
    log_s = pair_surface(first.growth, second.growth).T
    body = Matrix(
        log_s, "log S", x_label=labels[0], y_label=labels[1], x=place_of(first), y=place_of(second), from_least=True
    )
    return Figure(f"Pair {views[0]} and {views[1]}", body)


def of_best(values: Array) -> Array:
    """Values relative to their largest, so that several criteria fit one axis."""
    best = np.nanmax(values) if np.isfinite(values).any() else 1.0
    return values / best if best > 0 else values
