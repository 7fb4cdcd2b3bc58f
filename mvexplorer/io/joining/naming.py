"""Columns of several files that name the same samples, and the row order that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.joining.ids import BLANK, STATES, IdColumn, State, is_id_name, keys_of, match

Rows = npt.NDArray[np.intp]

ROW_NUMBERS = ("", "index")
"""Names of the row numbers that pandas writes."""


@dataclass(frozen=True, eq=False)
class Naming:
    """Columns of several files that name the same samples: one key per file (by its position), and how well they fit.

    `nameless` are the files with features but without such a column.
    """

    keys: dict[int, IdColumn]
    state: State
    nameless: tuple[int, ...]

    @property
    def first(self) -> IdColumn:
        """The column of the first of the files."""
        return self.keys[min(self.keys)]

    @property
    def title(self) -> str:
        """The name of the columns in a sentence."""
        return f"“{self.first.name}”" if self.first.name else "the first column"

    @property
    def is_certain(self) -> bool:
        """True if the names can hardly match by chance, as ranks can."""
        return self.is_usual or not self.first.counts

    @property
    def is_usual(self) -> bool:
        """True if every column is marked as the samples' names, by its name or its place."""
        return all(key.is_usual for key in self.keys.values())

    @property
    def counts_positions(self) -> bool:
        """True if the columns count the rows of each file from its first to its last, and are not called ids."""
        n = len(self.first.values)
        counts = tuple(map(str, range(n))), tuple(map(str, range(1, n + 1)))
        alike = self.first.values in counts and all(key.values == self.first.values for key in self.keys.values())
        return alike and all(
            key.name.casefold() in ROW_NUMBERS or not is_id_name(key.name) for key in self.keys.values()
        )

    @property
    def rank(self) -> tuple[int, ...]:
        """Sort key: the smallest is the most credible."""
        return (
            len(self.nameless),
            STATES.index(self.state),
            self.first.kind != "text",
            sum(not key.is_usual for key in self.keys.values()),
        )

    def names(self, file: int) -> tuple[str, ...]:
        """Return the names of a file's rows, in the form in which they are compared."""
        return self.keys[file].loose if self.state == "loose" else self.keys[file].values

    def order(self, file: int, base: int) -> Rows:
        """Return the rows of a file in the order of the file `base`, for samples in every file."""
        shared = self.shared
        kept = [row for row, name in enumerate(self.names(base)) if name in shared]
        if self.names(file) == self.names(base):  # which may hold a name several times
            return np.array(kept, dtype=np.intp)
        return self.places(file, [self.names(base)[row] for row in kept])

    def places(self, file: int, samples: Sequence[str]) -> Rows:
        """Return the row of each sample in a file; -1 for samples that it lacks."""
        place = {name: row for row, name in enumerate(self.names(file))}
        return np.array([place.get(name, -1) for name in samples], dtype=np.intp)

    def united(self, files: Sequence[int]) -> list[str]:
        """Unite the samples of some files: those of the first, then the ones that each of the others adds."""
        return list(dict.fromkeys(name for file in files for name in self.names(file)))

    def shown(self, samples: Sequence[str]) -> Values:
        """Spell the names of some samples as the first file that has them does."""
        texts: dict[str, str] = {}
        for file in sorted(self.keys, reverse=True):
            texts.update(zip(self.names(file), self.keys[file].shown.tolist(), strict=True))
        return np.array([texts[name] for name in samples])

    @property
    def shared(self) -> frozenset[str]:
        """The samples that every file names."""
        return frozenset.intersection(*(frozenset(self.names(file)) for file in self.keys))

    @property
    def keeps_order(self) -> bool:
        """True if the names that stand for one row in every file stand in the same rows of all."""
        places = []
        for file in self.keys:
            names = self.names(file)
            rows = dict(zip(names, range(len(names)), strict=True))
            counts = Counter(names)
            places.append({name: row for name, row in rows.items() if counts[name] == 1 and name not in BLANK})
        first, *others = places
        shared = set(first).intersection(*others)
        return bool(shared) and all(first[name] == other[name] for other in others for name in shared)

    def pairs_like(self, other: Naming) -> bool:
        """True if both pair the rows in the same way, in the files that both name."""
        files = sorted(set(self.keys) & set(other.keys))
        return all(np.array_equal(self.order(f, files[0]), other.order(f, files[0])) for f in files[1:])


def namings(parts: Sequence[Parts], wanted: str | None) -> list[Naming]:
    """Find the columns, or the `wanted` one, whose values recur in other files, for the first file with any."""
    keys = [keys_of(part, wanted) for part in parts]
    for file, own in enumerate(keys):
        candidates = [_naming(file, key, parts, keys, wanted is not None) for key in own]
        linked = [naming for naming in candidates if len(naming.keys) > 1]
        if linked:
            return linked
    return []


def _naming(file: int, key: IdColumn, parts: Sequence[Parts], keys: Sequence[list[IdColumn]], wanted: bool) -> Naming:
    matches, state, nameless = {file: key}, STATES[0], []
    for other, part in enumerate(parts):
        if other == file:
            continue
        fit = match(key, part, keys[other], wanted=wanted)
        if fit is not None:
            matches[other], state = fit[1], max(state, fit[0], key=STATES.index)
        elif part.views:
            nameless.append(other)
    return Naming(matches, state, tuple(nameless))
