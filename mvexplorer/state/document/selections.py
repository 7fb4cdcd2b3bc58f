"""Named selections of samples, and where the present one came from, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Self, TypeVar

from pydantic import Field, field_validator, model_validator

from mvexplorer.errors import ParameterError
from mvexplorer.state.document.frozen import Frozen
from mvexplorer.state.document.selection import Operation
from mvexplorer.wording import counted, one_line

T = TypeVar("T")
COLOURS = 10
"""Colours that selections have: those of the first ten classes, which every theme has in its own shade."""
LONGEST = 300
"""Most characters of a name or of an origin."""
SIGNS = {"union": "∪", "intersection": "∩", "difference": "−", "symmetric difference": "△"}
"""The ways to combine named selections, and their signs."""


class NamedSelection(Frozen):
    """Samples that were given a name and a colour."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    samples: tuple[Annotated[int, Field(ge=0)], ...]
    """Their rows, ascending."""
    colour: Annotated[int, Field(ge=0, lt=COLOURS)] = 0
    """Its place among the colours of classes."""
    origin: str = ""
    """Where it came from, such as “lasso in Multi-view 2-D, minus class 3”."""

    @field_validator("samples")
    @classmethod
    def _is_a_set(cls, samples: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(samples)))


class Selections(Frozen):
    """The named selections in their order, and the origin of the present selection."""

    named: tuple[NamedSelection, ...] = ()
    origin: str = ""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        if len(set(self.names)) != len(self.named):
            raise ValueError("two selections have the same name")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the named selections, in their order."""
        return tuple(each.name for each in self.named)

    def find(self, name: str) -> NamedSelection | None:
        """The selection called `name`, if it is still there."""
        return next((each for each in self.named if each.name == name), None)

    def others_than(self, samples: tuple[int, ...]) -> tuple[str, ...]:
        """The names of the selections that these samples can be compared with: those of other samples."""
        count = len(samples)
        # Sets of a million samples are compared only where they may be the same.
        return tuple(
            each.name
            for each in self.named
            if each.samples and (len(each.samples) != count or set(each.samples) != set(samples))
        )

    def origin_of(self, samples: tuple[int, ...]) -> str:
        """Where the present selection of these samples came from, also once it was saved under a name."""
        saved = next((each for each in self.named if each.samples == samples), None)
        return self.origin if saved is None else f"{saved.origin}, {self.origin}"

    def free_colour(self, n_classes: int = 0) -> int:
        """The first colour that no selection and none of so many classes has, or no selection, or the next in turn."""
        taken = {each.colour for each in self.named}
        free = [k for k in range(COLOURS) if k not in taken] or [len(self.named) % COLOURS]
        return next((k for k in free if k >= n_classes), free[0])


def checked_name(name: str, taken: Iterable[str], kind: str = "selection") -> str:
    """A name for a thing of this kind, on one line; ParameterError where it is empty, too long or taken."""
    checked = one_line(name).strip()
    if not checked:
        raise ParameterError(f"A {kind} needs a name.", "Type at least one letter.")
    if len(checked) > LONGEST:
        raise ParameterError(f"The name has {len(checked):,} characters.", f"Give at most {LONGEST}.")
    if checked in taken:
        raise ParameterError(f"There is already a {kind} called “{checked}”.", "Choose another name.")
    return checked


def joined_origin(before: Sequence[int], origin: str, operation: Operation, picked: str, n_picked: int) -> str:
    """Describe the origin of a selection that was made from `before` by picking samples."""
    if operation == "replace" or (operation == "add" and not before):
        return elided(picked)
    picked = picked or f"{counted(n_picked, 'sample')} picked"
    joined = {"add": "plus", "subtract": "minus", "intersect": "within"}
    return elided(f"{origin or counted(len(before), 'sample')}, {joined[operation]} {picked}")


def inverted_origin(before: Sequence[int], origin: str) -> str:
    """Describe the origin of an inverted selection."""
    if not before:
        return "all samples"
    rest = "all but "
    return origin.removeprefix(rest) if origin.startswith(rest) else elided(f"{rest}{origin or 'some'}")


def is_circular(origin: str) -> bool:
    """Whether samples of this origin were chosen by their places in a picture, which is made of what is compared."""
    return re.search(r"\b(lasso|rectangle) in |\bclusters? (\d|of )|\d clusters of ", origin) is not None


def moved_to(things: Sequence[T], moved: T, place: int) -> tuple[T, ...]:
    """The things with one of them at a place in their order."""
    others = [each for each in things if each is not moved]
    place = max(0, place)
    return (*others[:place], moved, *others[place:])


def elided(words: str, most: int = LONGEST) -> str:
    """The words on one line, the middle of long ones left out."""
    text, half = one_line(words), most // 2
    return text if len(text) <= most else f"{text[: half - 1]}…{text[-half:]}"


def combined(first: Sequence[int], second: Sequence[int], how: str) -> tuple[int, ...]:
    """The samples of two selections, combined by one of the ways in `SIGNS`; sorted."""
    a, b = set(first), set(second)
    combinations = {"union": a | b, "intersection": a & b, "difference": a - b, "symmetric difference": a ^ b}
    return tuple(sorted(combinations[how]))
