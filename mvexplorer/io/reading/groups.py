"""Columns as lines of a tree: those of one file that are taken alike and are called alike share one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mvexplorer.io.reading.inspection import Item

_NUMBERED = re.compile(r"(.*?)[\s_.:\-]*\d+")
_FIRST, _LAST = re.compile(r"[^\s_.:\-]+[\s_.:\-]+"), re.compile(r"[\s_.:\-]+[^\s_.:\-]+$")
FEWEST = 4
"""So many columns whose names are alike make a group."""
SINGLE = 12
"""So many columns without such names have a line each."""
Taken: TypeAlias = tuple[str, str | None, bool]
"""How a column is taken: its role, its view, and whether it holds text."""


@dataclass(frozen=True)
class ColumnGroup:
    """One line of a file: a column or variable, or several columns that are taken and called alike."""

    items: tuple[Item, ...]

    @property
    def title(self) -> str:
        """The name of the column, or those of the first and the last."""
        first, last = self.items[0], self.items[-1]
        return first.title if first is last else f"{first.title} … {last.title}"

    @property
    def whole(self) -> Item:
        """The group as one column: types and ranges of all, missing values added up, values of the first."""
        first = self.items[0]
        types = dict.fromkeys(item.dtype for item in self.items)
        same = all(item.span == first.span for item in self.items)
        return replace(
            first,
            dtype=" / ".join(types),
            low=min((item.low for item in self.items if item.low == item.low), default=first.low),
            high=max((item.high for item in self.items if item.high == item.high), default=first.high),
            span=first.span if same else "",
            n_missing=sum(item.n_missing for item in self.items),
        )


def grouped(items: Sequence[Item]) -> list[tuple[str, list[ColumnGroup]]]:
    """The files with their groups of columns, each in the place of its first column.

    Variables, the label and the samples' names have a line of their own.
    """
    files: dict[str, list[Item]] = {}
    for item in items:
        files.setdefault(item.file, []).append(item)
    return [(file, _groups(own)) for file, own in files.items()]


def _groups(items: Sequence[Item]) -> list[ColumnGroup]:
    alike: dict[Taken, list[int]] = {}
    places: list[list[int]] = []
    for place, item in enumerate(items):
        if item.kind == "array" or item.role in ("id", "label"):
            places.append([place])
        else:
            alike.setdefault((item.role, item.view, item.kind == "text"), []).append(place)
    for own in alike.values():
        names = [items[place].name for place in own]
        places += [[own[k] for k in group] for group in _called_alike(names)]
    return [ColumnGroup(tuple(items[k] for k in group)) for group in sorted(places, key=lambda group: group[0])]


def _called_alike(names: Sequence[str]) -> list[list[int]]:
    """Divide names by what most of them share: a number at the end, the first word, or the last; else together."""
    shared = [_likenesses(name) for name in names]
    counts = Counter(likeness for each in shared for likeness in each)
    groups: dict[str, list[int]] = {}
    for place, each in enumerate(shared):
        best = max(each, key=lambda likeness: counts[likeness], default="")
        groups.setdefault(best if best and counts[best] >= FEWEST else "", []).append(place)
    rest = [place for group in groups.values() if len(group) < FEWEST for place in group]
    rest = sorted({*rest, *groups.pop("", [])})
    divided = [group for group in groups.values() if len(group) >= FEWEST]
    return [*divided, *([rest] if len(rest) > SINGLE else [[place] for place in rest])]


def _likenesses(name: str) -> list[str]:
    if (numbered := _NUMBERED.fullmatch(name)) is not None:
        return [f"{numbered[1]}#"]
    first, last = _FIRST.match(name), _LAST.search(name)
    return [*([f"{first[0]}*"] if first else []), *([f"*{last[0]}"] if last else [])]
