"""The first thing that one view of handwritten digits knows and another one cannot see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import cast

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.hidden_scores import knn_r2
from mvexplorer.engine.methods.shared.smooth import N_SMOOTH
from mvexplorer.engine.methods.view_specific import OWN_VALUE
from mvexplorer.engine.pipeline.stages import Memo, remember_once
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Turn
from mvexplorer.experiments.figures import cloud, heat_map
from mvexplorer.experiments.measures import area_under_roc, classes_of
from mvexplorer.experiments.own.uci import ALL, FEW, UCI, every_so_many
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

RULE = "median*0.3"
FUNCTIONS = int(cast("int", N_SMOOTH.default)) - 1
"""Smooth functions of fou that are taken out, the constant aside."""


def measure(run: Run) -> ExperimentResult:
    """Measure which two digits the first function of a view beyond fou tells apart, for three views."""
    data = every_so_many(run.choose("samples", FEW, ALL), run.first_seed)
    memo = remember_once()
    fac, mor, zer = (
        np.array(areas) for areas in run.each("areas", ["fac", "mor", "zer"], partial(_areas_of, run, data, memo))
    )
    picture, alone = _beyond_fou(data, "fac", run, memo), _alone(data, "fac", run, memo)
    of_fou = _alone(data, "fou", run, memo, FUNCTIONS).coordinates
    by_fou = max(_areas(function, data)[6, 9] for function in of_fou.T)
    beyond, by_itself = (knn_r2(of_fou, e.coordinates[:, 0]).value for e in (picture, alone))
    return ExperimentResult(
        (
            *_claims(fac),
            Bar("the same of 6 and 9 by mor beyond fou", float(mor[6, 9]), at_most=0.7),
            Bar("the same of 6 and 9 by zer beyond fou", float(zer[6, 9]), at_most=0.7),
            Bar("the same of 6 and 9 by the best of fou’s own functions", by_fou, at_most=0.7),
            Bar("R² of fac’s first function beyond fou by the nearest in fou’s functions", beyond, at_most=0.15),
            Bar("the same of fac’s first function alone", by_itself, at_least=0.3),
            Bar("λ₁ of fac beyond fou", float(picture.eigenvalues[0]), at_least=0.2),
            Bar(
                "the same over what as many functions of fac’s own leave",
                float(picture.eigenvalues[0] / picture.info[OWN_VALUE]),
                at_least=3.0,
            ),
        ),
        (
            cloud("fac beyond fou", picture.coordinates[:, :2], classes_of(data), coloured_by="digit"),
            heat_map("Area under the ROC curve of two digits", fac, "digit", "digit", *[np.arange(10.0)] * 2),
            cloud("fou alone", of_fou[:, :2], classes_of(data), coloured_by="digit"),
        ),
    )


def live(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the first panel shows."""
    return _claims(_areas(seen[0].embedding.coordinates[:, 0], data))


def _claims(areas: Array) -> tuple[Bar, ...]:
    others = [areas[a, b] for a, b in combinations(range(10), 2) if (a, b) != (6, 9)]
    return (
        Bar(
            "area under the ROC curve of 6 and 9 by fac’s first function beyond fou", float(areas[6, 9]), at_least=0.98
        ),
        Bar("the largest area of two other digits, less that", float(max(others) - areas[6, 9]), at_most=0.005),
    )


def _beyond_fou(data: MultiView, view: str, run: Run, memo: Memo) -> Embedding:
    return embed(data, "view-specific", of=view, beyond="fou", epsilon=RULE, n_components=2, memo=memo, task=run.task)


def _alone(data: MultiView, view: str, run: Run, memo: Memo, r: int = 2) -> Embedding:
    return embed(data, "single", view=view, epsilon=RULE, n_components=r, t=0, memo=memo, task=run.task)


def _areas_of(run: Run, data: MultiView, memo: Memo, view: str) -> list[list[float]]:
    areas: list[list[float]] = _areas(_beyond_fou(data, view, run, memo).coordinates[:, 0], data).tolist()
    return areas


def _areas(function: Array, data: MultiView) -> Array:
    """The area under the ROC curve (10, 10) of every two digits by a function (M,), in whichever direction."""
    digits = np.asarray(data.labels).astype(int)
    each, areas = [function[digits == digit] for digit in range(10)], np.full((10, 10), 0.5)
    for a, b in combinations(range(10), 2):
        larger = area_under_roc(each[a], each[b])
        areas[a, b] = areas[b, a] = max(larger, 1.0 - larger)
    return areas


EXPERIMENT = Experiment(
    id="own-what-fac-knows",
    paper=None,
    figure="what one view knows alone",
    kind="ours",
    title="What does fac know?",
    caption="Handwritten digits; the walk of one view among the functions that are orthogonal to the smooth functions "
    "of the Fourier features (fou). How well its first function tells every two digits apart, and how well the nearest "
    "samples in fou’s functions tell that function. Every fourth digit, in full all 2,000.",
    look_for="Fourier features cannot tell a 6 from a 9. The first thing that fac knows beyond them is just that, and "
    "no other two digits are told apart better. Fou’s functions tell nothing of it, but about half of fac’s own first "
    "function.",
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
