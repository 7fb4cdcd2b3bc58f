"""The choices of the page *Validate*: how views are shuffled, how often, and what lies on the pictures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from mvexplorer.state.document.frozen import Frozen

RUNS = (10, 19, 49, 99)
"""The numbers of shuffles that are offered: ten say soon how wide the band is, nineteen let p reach .05."""

StabilityKind = Literal["parts", "noise", "views", "epsilon"]
Measure = Literal["preservation", "trustworthiness", "continuity"]


class CheckChoices(Frozen):
    """The choices of the page *Validate*."""

    view: str = ""
    """The view that is shuffled; empty for all in turn."""
    runs: Annotated[int, Field(ge=1, le=999)] = RUNS[0]
    shuffle: str = "rows"
    """``rows``, ``circular`` for samples in time, or ``bursts:COLUMN`` for whole bursts, named by a column."""
    kind: StabilityKind = "parts"
    """How the data is changed to see whether the picture stays."""
    overlay: Literal["off", "ghosts", "ellipses"] = "off"
    """How the spread of each sample is drawn onto the picture: dark marks, that nobody wants in a file unasked."""
    measure: Measure = "preservation"
    """The numbers in the table of panels and views."""

    @field_validator("shuffle")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in ("rows", "circular") and not value.startswith("bursts:"):
            raise ValueError(f"there is no shuffle called {value}")
        return value
