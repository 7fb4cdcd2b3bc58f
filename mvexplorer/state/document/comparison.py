"""How two pictures are compared: the choices of the page “Agreement”."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mvexplorer.state.document.frozen import Frozen

Alignment = Literal["none", "sign", "rigid", "similarity", "selected"]
ALIGNMENTS: dict[Alignment, str] = {
    "none": "not aligned",
    "sign": "signs",
    "rigid": "rigid",
    "similarity": "similarity",
    "selected": "similarity, by the selection",
}
"""How the first picture is laid upon the second, in words."""
FEWEST, MOST = 1, 200
"""Neighbours of a sample that are compared."""


class Comparison(Frozen):
    """The two panels that are compared, and how."""

    pair: tuple[str, str] | None = None
    """Ids of the panels; None, or one that is gone, for the two best that can be compared."""
    k: Annotated[int, Field(ge=FEWEST, le=MOST)] = 15
    """Nearest neighbours of each sample that two pictures share or do not."""
    alignment: Alignment = "similarity"
    lines: bool = True
    """Whether lines join the selected samples' places in both pictures."""
