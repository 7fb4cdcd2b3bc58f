"""The figure of the panels' scores over a factor on each one's ε."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mvexplorer.figures import Column, Curves, Figure, LabelledLine, Series
from mvexplorer.state.batches.own_epsilon import OwnEpsilon
from mvexplorer.wording import short_factor


def own_figure(own: Mapping[str, OwnEpsilon], scale: float, span: tuple[float, float] | None) -> Figure:
    """Curves of the scores with their spread by the panels' titles, and a line at each factor that gains more.

    `scale` is the factor on all ε at which they were scored, so that the axis is that of all ε.
    """
    series, marks, columns = list[Series](), list[LabelledLine](), dict[str, Column]()
    for look, (title, one) in enumerate(own.items()):
        tried = one.scale.tried
        place = scale * np.array([each.place for each in tried])
        value = np.array([np.nan if each.score is None else each.score.value for each in tried])
        spread = np.array([np.nan if each.score is None else each.score.spread or 0.0 for each in tried])
        known = np.isfinite(value)
        band = np.column_stack([place, value - spread, value + spread])[known]
        series.append(Series(title, place, value, "points", look, band=band if len(band) > 1 else None))
        columns |= {"factor": place, title: value, f"{title}: spread": spread}
        columns[f"{title}: graph in pieces"] = np.array([each.torn for each in tried])
        if one.scale.factor != 1.0:
            marks.append(LabelledLine(scale * one.scale.factor, f"× {short_factor(one.scale.factor)}", look))
    judge = next(iter(own.values())).judge
    words = " ".join(f"{title}: {one.sentence}" for title, one in own.items())
    body = Curves("factor on all ε", judge.title, tuple(series), tuple(marks), log_x=True, from_least=True, span=span)
    return Figure(f"Score over ε, {judge.basis}", body, words, columns)
