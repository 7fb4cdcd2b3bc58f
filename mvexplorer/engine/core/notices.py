"""What reading has to say: a sentence for people, a code and names for the program."""

from __future__ import annotations

from typing import Self

ASSUMED = "assumed"
NO_HEADER = "no-header"
OFFERED_COLUMN = "offered-column"
"""A column was kept to colour by; its name is the subject."""
SAMPLE_NAMES = "sample-names"
"""A column was taken as the samples' names; its name is the subject."""
UNEVEN_SCALES = "uneven-scales"
"""Views whose columns differ much in scale; their names are the subjects."""
POSSIBLE_LABEL = "possible-label"
"""A column of text that could be the label; its name is the subject."""
POSSIBLY_TURNED = "possibly-turned"
"""Tables whose columns may be the samples; the names of the files are the subjects."""


class Notice(str):
    """One thing that was assumed or is odd: a sentence for people; programs look at `code` and `subjects` alone."""

    code: str
    subjects: tuple[str, ...]

    def __new__(cls, code: str, text: str, subjects: tuple[str, ...] = ()) -> Self:
        made = super().__new__(cls, text)
        made.code, made.subjects = code, subjects
        return made

    def __getnewargs__(self) -> tuple[str, str, tuple[str, ...]]:  # type: ignore[override]
        return self.code, str(self), self.subjects
