"""Coordinates that are bends of earlier ones: computed at rest, reported for drawn axes, with axes to draw instead."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mvexplorer.compute.independence_jobs import IndependenceJob
from mvexplorer.engine.analysis.independence import ROWS
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.footprint import NUMBER
from mvexplorer.state.drawing import shown_coordinates, shown_names
from mvexplorer.state.titles import numbered_title

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from mvexplorer.compute.scheduler import Outcome, Scheduler
    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.model import DocumentState, PanelState
    from mvexplorer.state.panel_result import PanelResult

FEWEST = 20
"""Samples below which a plane around one of them tells nothing."""


def ask_independence(
    state: DocumentState, result_of: Callable[[str], PanelResult], background: Scheduler, changed: Callable[[str], None]
) -> None:
    """Compute, in the background, which coordinates of the pictures at rest are bends of earlier ones."""
    for panel in state.panels:
        found = result_of(panel.id)
        if found.status != "ready" or found.result is None or found.independence_key == _key(panel, found):
            continue
        found.independence, found.independence_key = None, _key(panel, found)
        coordinates = _told_by_each_other(panel, found)
        if coordinates is not None:
            background.submit(
                f"independence:{panel.id}", IndependenceJob(coordinates), _keeps(panel, found, changed),
                title=f"Independent coordinates of {numbered_title(state, panel)}", cost=Estimate(4 * NUMBER * ROWS**2),
            )  # fmt: skip


def _keeps(panel: PanelState, found: PanelResult, changed: Callable[[str], None]) -> Callable[[Outcome], None]:
    """A callback that keeps the answer, unless the panel shows other coordinates meanwhile."""
    key = found.independence_key

    def arrived(outcome: Outcome) -> None:
        if outcome.error is None and found.independence_key == key:
            found.independence = outcome.value
            changed(panel.id)

    return arrived


def _key(panel: PanelState, found: PanelResult) -> tuple[object, ...]:
    assert found.result is not None
    return id(found.result.embedding), panel.show


def _told_by_each_other(panel: PanelState, found: PanelResult) -> Array | None:
    """The coordinates (m, r) of one walk that the panel shows, of the samples that are looked at.

    None where they do not come from a walk, or the samples are too few.
    """
    assert found.result is not None
    embedding = found.result.embedding
    method = get_method(embedding.method)
    if method.first_component != 1 or method.keeps_trivial or method.shows_given:
        return None
    rows = _looked_at(len(embedding.coordinates))
    blocks = tuple(Y[rows] for Y in embedding.view_coordinates)
    few = replace(embedding, coordinates=embedding.coordinates[rows], view_coordinates=blocks)
    columns, _ = shown_coordinates(few, panel.show)
    Y = columns[:, : blocks[0].shape[1]] if blocks else columns
    return Y if Y.shape[1] > 1 and len(Y) >= FEWEST else None


@lru_cache(maxsize=1)
def _looked_at(n_samples: int) -> npt.NDArray[np.intp]:
    """The samples that the job would take of all: of a million, the window does not join all coordinates."""
    return random_rows(n_samples, ROWS, 0)


def bend_words(panel: PanelState, found: PanelResult) -> str:
    """A sentence on the first drawn coordinate that is a bend of earlier ones; empty where none is known to be."""
    known, k = found.independence, _first_bend(panel, found)
    if known is None or k is None or found.result is None:
        return ""
    names = shown_names(found.result.embedding, panel.show)
    earlier = names[0] if k == 1 else f"{names[0]} to {names[k - 1]}"
    r = f"{known.residuals[k]:.2f}".lstrip("0")
    return f"{names[k]} is a bend of {earlier} (r {r})."


def signs(panel: PanelState | None, found: PanelResult) -> tuple[str, ...]:
    """The words of the amber sign: doubts about the picture, and which drawn axis is a bend of earlier ones."""
    bend = "" if panel is None else bend_words(panel, found)
    return (*found.diagnostics, bend) if bend else found.diagnostics


def independent_axes(panel: PanelState, found: PanelResult) -> tuple[int, int, int] | None:
    """The axes with independent coordinates behind the first; None where no drawn one is a bend, or none is left."""
    known = found.independence
    if known is None or _first_bend(panel, found) is None:
        return None
    first = panel.axes[0]
    second = known.next_axis(first)
    if second is None:
        return None
    third = known.next_axis(second)
    if panel.dims == 3 and third is None:
        return None
    return first, second, panel.axes[2] if third is None else third


def _first_bend(panel: PanelState, found: PanelResult) -> int | None:
    known = found.independence
    bends = () if known is None or found.result is None else known.bends  # the picture may have gone meanwhile
    return next((k for k in panel.axes[1 : panel.dims] if k in bends), None)
