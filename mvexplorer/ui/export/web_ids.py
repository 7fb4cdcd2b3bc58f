"""A web page without the ids of samples: the texts on it, and the colourings, name none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.wording import one_line

INSTEAD = "a sample"


def only_numbers(ids: Sequence[str]) -> bool:
    """Whether ids are mere numbers, as those are that the program gives."""
    return all(id.isdecimal() for id in ids)


class Unnamed:
    """Takes ids out of texts.

    An id is found where it stands as a word of its own, as the program writes it. Numbers and ids of one or two
    characters are not looked for: they are in any sentence, and say nothing there.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        shortest, cut = 3, 40  # characters of an id that is looked for; origins of selections cut a longer one
        forms = {form for id in ids if not id.isdecimal() for form in (id, one_line(id), one_line(id)[:cut])}
        self._ids = {id for id in forms if len(id.strip()) >= shortest}
        self._begin = {id[0] for id in self._ids}
        self._lengths = sorted({len(id) for id in self._ids}, reverse=True)
        self._numbers = np.array([float(id) for id in ids]) if ids and only_numbers(ids) else None

    def text(self, words: str) -> str:
        """The text with each id in it replaced."""
        pieces, start, i = [], 0, 0
        while i < len(words):
            length = self._id_at(words, i)
            if length:
                pieces += [words[start:i], INSTEAD]
                start = i + length
            i += length or 1
        return "".join([*pieces, words[start:]])

    def _id_at(self, words: str, i: int) -> int:
        """The length of the id that begins at a place; 0 for none."""
        if words[i] not in self._begin or _inside(words, i):
            return 0
        fitting = (n for n in self._lengths if words[i : i + n] in self._ids and not _inside(words, i + n))
        return next(fitting, 0)

    def everywhere(self, told: Any) -> Any:
        """Words, and all that is in lists and tables, without ids."""
        if isinstance(told, str):
            return self.text(told)
        if isinstance(told, dict):
            return {name: self.everywhere(value) for name, value in told.items()}
        return [self.everywhere(each) for each in told] if isinstance(told, list | tuple) else told

    def colouring(self, colouring: Colouring | None) -> Colouring | None:
        """A colouring whose words name no sample; None where its classes or numbers are ids."""
        if colouring is None or not self._ids.isdisjoint(colouring.classes):
            return None
        if self._numbers is not None and not colouring.classes and np.array_equal(colouring.values, self._numbers):
            return None
        classes = tuple(map(self.text, colouring.classes))
        return replace(colouring, title=self.text(colouring.title), classes=classes)


def _inside(words: str, i: int) -> bool:
    """Whether a place is between two letters or digits."""
    return 0 < i < len(words) and words[i - 1].isalnum() and words[i].isalnum()
