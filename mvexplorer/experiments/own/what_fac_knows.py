"""The first thing that one view of handwritten digits knows and another one cannot see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Turn
from mvexplorer.experiments.figures import cloud, heat_map
from mvexplorer.experiments.measures import classes_of
from mvexplorer.experiments.own.uci import UCI, digits_of
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

RULE = "median*0.3"


def measure(run: Run) -> ExperimentResult:
    """Measure which two digits the first function of a view beyond fou tells apart, for three views."""
    data = digits_of(run)
    fac, mor, zer = (
        np.array(areas) for areas in run.each("areas", ["fac", "mor", "zer"], partial(_areas_of, run, data))
    )
    picture = _beyond_fou(data, "fac", run)
    return ExperimentResult(
        (
            *_claims(fac),
            Bar("the same of 6 and 9 by mor beyond fou", float(mor[6, 9]), at_most=0.62),
            Bar("the same of 6 and 9 by zer beyond fou", float(zer[6, 9]), at_most=0.62),
        ),
        (
            cloud("fac beyond fou", picture.coordinates[:, :2], classes_of(data), coloured_by="digit"),
            heat_map("Area under the ROC curve of two digits", fac, "digit", "digit", *[np.arange(10.0)] * 2),
            cloud("fou alone", _alone(data, run).coordinates[:, :2], classes_of(data), coloured_by="digit"),
        ),
    )


def live(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the first panel shows."""
    return _claims(_areas(seen[0].embedding, data))


def _claims(areas: Array) -> tuple[Bar, ...]:
    others = [areas[a, b] for a, b in combinations(range(10), 2) if (a, b) != (6, 9)]
    return (
        Bar(
            "area under the ROC curve of 6 and 9 by fac’s first function beyond fou", float(areas[6, 9]), at_least=0.98
        ),
        Bar("the largest area of two other digits, less that", float(max(others) - areas[6, 9]), at_most=0.005),
    )


def _beyond_fou(data: MultiView, view: str, run: Run) -> Embedding:
    return embed(data, "view-specific", of=view, beyond="fou", epsilon=RULE, n_components=2, task=run.task)


def _alone(data: MultiView, run: Run) -> Embedding:
    return embed(data, "single", view="fou", epsilon=RULE, n_components=2, task=run.task)


def _areas_of(run: Run, data: MultiView, view: str) -> list[list[float]]:
    areas: list[list[float]] = _areas(_beyond_fou(data, view, run), data).tolist()
    return areas


def _areas(embedding: Embedding, data: MultiView) -> Array:
    """The area under the ROC curve (10, 10) of every two digits by the first function, in whichever direction."""
    first, digits = embedding.coordinates[:, 0], np.asarray(data.labels).astype(int)
    each, areas = [first[digits == digit] for digit in range(10)], np.full((10, 10), 0.5)
    for a, b in combinations(range(10), 2):
        larger = float(np.mean(each[a][:, None] > each[b]))
        areas[a, b] = areas[b, a] = max(larger, 1.0 - larger)
    return areas


EXPERIMENT = Experiment(
    id="own-what-fac-knows",
    paper=None,
    figure="what one view knows alone",
    kind="ours",
    title="What does fac know?",
    caption="Handwritten digits; the walk of one view among the functions that are orthogonal to the smooth functions "
    "of the Fourier features (fou). How well its first function tells every two digits apart. Every fourth digit, "
    "in full all 2,000.",
    look_for="Fourier features cannot tell a 6 from a 9. The first thing that fac knows beyond them is just that, and "
    "no other two digits are told apart better.",
    source=UCI,
    panels=(
        ShownPanel("view-specific", view="fac"),
        ShownPanel("single", view="fou"),
        ShownPanel("single", view="fac"),
    ),
    views=("fou", "fac"),
    epsilon=RULE,
    colour="labels",
    measure=measure,
    live=live,
    quick_seconds=3.0,
    knob="Drag the ε of fou: where it is small, fou knows less, and more of fac is specific.",
    turns=(Turn("ε = 0.3 medians", epsilon=RULE), Turn("ε = median", epsilon="median")),
)
