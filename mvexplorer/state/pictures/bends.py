"""Coordinates that are harmonics of earlier ones: found at rest, told of drawn axes, with axes to draw instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.independence_jobs import IndependenceJob
from mvexplorer.engine.analysis.independence import ROWS
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.footprint import NUMBER
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.drawing import shown_coordinates, shown_names
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.wording import fraction

COST_OF_BENDS = Estimate(4 * NUMBER * ROWS**2)
"""What such a job takes."""


def independence_job(panel: PanelState, result: PanelResult) -> IndependenceJob | None:
    """The job that finds which coordinates of a picture at rest are bends of earlier ones.

    None where that is known, is on its way, or cannot be told.
    """
    if result.status != "ready" or result.result is None or result.independence_key == _key(panel, result):
        return None
    result.keep_bends(_key(panel, result))
    coordinates = _told_by_each_other(panel, result)
    return None if coordinates is None else IndependenceJob(coordinates)


def can_have_harmonics(panel: PanelState, result: PanelResult) -> bool:
    """Whether a picture's coordinates are those of one walk, and its samples are enough to judge them."""
    return result.result is not None and _told_by_each_other(panel, result) is not None


def _key(panel: PanelState, result: PanelResult) -> tuple[object, ...]:
    assert result.result is not None
    return id(result.result.embedding), panel.show


def _told_by_each_other(panel: PanelState, result: PanelResult) -> Array | None:
    """The coordinates (m, r) of one walk that the panel shows, of the samples that are looked at.

    None where they do not come from a walk, or the samples are too few.
    """
    assert result.result is not None
    embedding = result.result.embedding
    method = get_method(embedding.method)
    if method.first_component != 1 or method.keeps_trivial or method.shows_given:
        return None
    rows = _looked_at(len(embedding.coordinates))
    blocks = tuple(Y[rows] for Y in embedding.view_coordinates)
    few = replace(embedding, coordinates=embedding.coordinates[rows], view_coordinates=blocks)
    columns, _ = shown_coordinates(few, panel.show)
    Y = columns[:, : blocks[0].shape[1]] if blocks else columns
    fewest = 20  # samples below which a plane around one of them tells nothing
    return Y if Y.shape[1] > 1 and len(Y) >= fewest else None


@lru_cache(maxsize=1)
def _looked_at(n_samples: int) -> npt.NDArray[np.intp]:
    """The samples that the job would draw itself; drawn here, so that the window does not join all coordinates."""
    return random_rows(n_samples, ROWS, 0)


def bend_words(panel: PanelState, result: PanelResult) -> str:
    """A sentence on the first drawn coordinate that is a harmonic of earlier ones; empty where none is known to be."""
    independence, k = result.independence, _first_bend(panel, result)
    if independence is None or k is None or result.result is None:
        return ""
    names = shown_names(result.result.embedding, panel.show)
    return f"{harmonic_words(names, k, float(independence.residuals[k]))}."


def harmonic_words(names: Sequence[str], k: int, residual: float) -> str:
    """The finding that the coordinate at `k` follows from those before it, without a full stop."""
    few = 3
    earlier = ", ".join(names[:k]) if k <= few else f"{names[0]} to {names[k - 1]}"
    return f"{names[k]} is largely a function of {earlier} (residual {fraction(residual)}): a harmonic"


def signs(panel: PanelState | None, result: PanelResult) -> tuple[str, ...]:
    """The words of the amber sign: doubts about the picture, and which drawn axis is a harmonic of earlier ones."""
    bend = "" if panel is None else bend_words(panel, result)
    return (*result.diagnostics, bend) if bend else result.diagnostics


def independent_axes(panel: PanelState, result: PanelResult) -> tuple[int, int, int] | None:
    """The axes with independent coordinates behind the first; None where no drawn one is a harmonic, or none left."""
    independence = result.independence
    if independence is None or _first_bend(panel, result) is None:
        return None
    first = panel.axes[0]
    second = independence.next_axis(first)
    if second is None:
        return None
    third = independence.next_axis(second)
    if panel.dims == 3 and third is None:
        return None
    return first, second, panel.axes[2] if third is None else third


def _first_bend(panel: PanelState, result: PanelResult) -> int | None:
    independence = result.independence
    # The picture may have gone meanwhile.
    if independence is None or result.result is None:
        return None
    return next((k for k in panel.axes[1 : panel.dims] if k in independence.harmonics), None)
