"""Snapshots: states of the document under a name, each with the staging, the place and the scores that it had."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from mvexplorer.state.document.frozen import Frozen
from mvexplorer.state.document.selections import LONGEST

LONGEST_NOTE = 2000
"""Most characters of a note."""
LARGEST_PICTURE = 100_000
"""Most characters of a picture's text: a small PNG has a tenth of it."""

Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
"""Of a 3-D camera."""


class Staging(Frozen):
    """How the window showed a state: beside the document, as no edit of it."""

    cameras: dict[str, Rotation] = Field(default_factory=dict)
    """Panel id -> rotation of its 3-D camera."""
    place: str = ""
    """The page that was open below the panels; nothing where all were folded."""
    maximised: str = ""
    """The panel that was shown alone; nothing where all were."""
    scores: dict[str, str] = Field(default_factory=dict)
    """Panel id -> the scores that stood below it, in words."""
    picture: Annotated[str, Field(max_length=LARGEST_PICTURE)] = ""
    """A small PNG of the panels, as base64."""


class Snapshot(Frozen):
    """A state under a name.

    The state is kept as a session's JSON has it, and read only where it is shown: what a later program, or other data,
    cannot show stays as it is, and the others beside it as well.
    """

    name: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    state: dict[str, Any]
    staging: Staging = Field(default_factory=Staging)


class Snapshots(Frozen):
    """The snapshots of a document, in their order."""

    kept: tuple[Snapshot, ...] = ()

    @field_validator("kept")
    @classmethod
    def _names_differ(cls, kept: tuple[Snapshot, ...]) -> tuple[Snapshot, ...]:
        if len({each.name for each in kept}) != len(kept):
            raise ValueError("two snapshots have the same name")
        return kept

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in their order."""
        return tuple(each.name for each in self.kept)

    def find(self, name: str) -> Snapshot | None:
        """The snapshot called `name`, if it is still there."""
        return next((each for each in self.kept if each.name == name), None)
