"""Coordinates that came with the data, such as a published UMAP: nothing is computed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.methods.shared.families import GIVEN
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.eigenpairs import Decomposition

COORDINATES = Param(
    "coordinates",
    "",
    None,
    "Which of the coordinates that came with the data; by default the first.",
    kind="coordinates",
    title="Coordinates",
    empty="the first",
)


def _take(stages: Stages) -> Decomposition:
    """The coordinates (M, 2 or 3) as they are; there is no spectrum."""
    stages.task.checkpoint()
    coordinates = stages.data.coordinates[str(stages.params["coordinates"])]
    stages.task.progress(1.0)
    return Decomposition(np.zeros(0), (coordinates,))


def _as_they_are(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    return decomposition.blocks


def _held(size: Size) -> PeakMemory:
    return PeakMemory(own=size.vectors(3))


METHODS = (
    Method(
        id="given",
        title="Given coordinates",
        formula="y as it came with the data",
        latex=(r"y_i \;\; \mathrm{as \; it \; came \; with \; the \; data}",),
        summary="A picture made elsewhere, such as a published UMAP, beside those made here.",
        family=GIVEN,
        source="Whoever made the coordinates",
        params=(COORDINATES,),
        solve=_take,
        coordinates=_as_they_are,
        min_views=0,
        max_views=0,
        footprint=_held,
        memory_class="features",
        uses_epsilon=False,
        keeps_units=True,
        shows_given=True,
        assumes="The samples of the picture are those of the views.",
        cost="Nothing: no number is computed.",
        remarks=(
            "It has no spectrum, places no new samples, and follows no slider: bandwidths, η, t and r have no effect.",
            "Scores tell whether it separates classes better than what is computed from the views.",
        ),
    ),
)
