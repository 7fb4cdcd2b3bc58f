"""A note: a text on one panel's picture, with an arrow to samples."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from mvexplorer.errors import ParameterError
from mvexplorer.state.document.frozen import Frozen
from mvexplorer.wording import one_line

LONGEST_TEXT = 400
"""Most characters of a note on a picture."""

Offset = tuple[Annotated[float, Field(ge=-1.0, le=1.0)], Annotated[float, Field(ge=-1.0, le=1.0)]]
"""Across and down, as fractions of a picture's width and height."""


class Note(Frozen):
    """A text with an arrow to a named selection or, without one, to samples.

    It stays where its panel, its selection or its samples are gone, and is drawn again once they are back.
    """

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    panel: str
    """The panel's id."""
    selection: str = ""
    samples: tuple[Annotated[int, Field(ge=0)], ...] = ()
    """Their rows, ascending."""
    place: Offset = (0.0, -0.2)
    """From the centre of the target to the centre of the text: it keeps through zoom, turns and other sizes."""

    @field_validator("samples")
    @classmethod
    def _is_a_set(cls, samples: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(samples)))


def checked_text(text: str) -> str:
    """A note's text on one line; ParameterError where it is empty or too long."""
    checked = one_line(text).strip()
    if not checked:
        raise ParameterError("A note needs a text.", "Type at least one letter.")
    if len(checked) > LONGEST_TEXT:
        raise ParameterError(f"The note has {len(checked):,} characters.", f"Give at most {LONGEST_TEXT}.")
    return checked
