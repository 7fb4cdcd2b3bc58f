"""The sample that is kept for a closer look, and what is asked about it: a part of the document."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.frozen import Frozen

SECTIONS = ("neighbours", "walk", "distances", "spread")
"""The parts of the card, which fold."""


class PointChoices(Frozen):
    """One kept sample, and how its card is seen."""

    kept: Annotated[int, Field(ge=0)] | None = None
    """The number of the sample; None for none."""
    neighbours: Annotated[int, Field(ge=1, le=50)] = 8
    steps: Annotated[int, Field(ge=1, le=1000)] = 1
    """Steps of the walk whose probabilities are told."""
    start: str = ""
    """The view in which the walk starts, where it tells views apart; empty for all of them alike."""
    spread: Annotated[int, Field(ge=2, le=200)] = 10
    """Samples that are spread from the kept one."""
    unfolded: tuple[str, ...] = ("neighbours", "walk")
    within: bool = False
    """Whether the samples within σ of the kept one are ringed, and its links drawn."""
    thumbnails: bool = False
    """Whether pictures of samples are drawn on the map."""

    def sample_of(self, data: MultiView | None) -> int | None:
        """The kept sample; None where there is none, or none of these samples."""
        return self.kept if data is not None and self.kept is not None and self.kept < data.n_samples else None
