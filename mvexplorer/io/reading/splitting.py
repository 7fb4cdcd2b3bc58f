"""Views made of chosen columns, columns that seem to belong together, and other names for views."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from mvexplorer.engine.core.notices import ASSUMED, POSSIBLE_SPLIT, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import unknown
from mvexplorer.io.tables.headers import colons_divide

MOST_VIEWS = 12
"""A proposal of more views is none: the names of any table share words."""
_COVERED = 0.8
"""Share of the columns that a proposal covers at least, and of the rest of their names that its views share."""
_FIRST, _LAST = re.compile(r"[^\s_.:\-]+[\s_.:\-]+"), re.compile(r"[\s_.:\-]+[^\s_.:\-]+$")

Place = tuple[str, int | str]
"""A view before it is split, and the number of a column in it; "" and the name of a column of no view."""


@dataclass(frozen=True)
class _Column:
    """A feature, or a numeric column that is offered for colouring, whose view is ""."""

    view: str
    index: int
    name: str
    file: Path

    @property
    def place(self) -> Place:
        return self.view, self.index if self.view else self.name

    def matches(self, pattern: str) -> bool:
        if not self.view:
            return pattern == self.name
        files = (self.file.name, self.file.stem, str(self.file))
        return any(_fits(pattern, title) for title in (self.name, *(f"{file}:{self.name}" for file in files)))


def _fits(pattern: str, name: str) -> bool:
    words = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return pattern == name or re.fullmatch(words, name, re.DOTALL) is not None


def split_views(merged: Parts, split: Mapping[str, Sequence[str]]) -> dict[Place, str]:
    """Make views out of columns of any file, in place, and return where these went; the rest of a view stays.

    `split` has for a view names or patterns of its columns. DataError where it would have none, or their files have
    different numbers of rows.
    """
    columns = _columns(merged)
    views = {view: _chosen(patterns, columns) for view, patterns in split.items()}
    goes: dict[Place, str] = {}
    for view, own in views.items():
        for column in own:
            goes[column.place] = ", ".join([*([goes[column.place]] if column.place in goes else []), view])
    rest: dict[str, list[_Column]] = {}
    for column in columns:
        if column.view and column.place not in goes:
            rest.setdefault(column.view, []).append(column)
    untouched = {name: X for name, X in merged.views.items() if name not in merged.features}
    tables = {view: _table(view, own, merged) for view, own in views.items()}
    features = {view: tuple(column.name for column in own) for view, own in views.items()}
    for view, own in rest.items():
        name = next(n for n in (view, *(f"{view}-{i}" for i in range(2, len(views) + 3))) if n not in tables)
        tables[name], features[name] = _table(view, own, merged), tuple(column.name for column in own)
        goes.update({column.place: name for column in own})
    if clash := next((name for name in untouched if name in tables), None):
        raise DataError(f"Two views would be called “{clash}”.", "Give the new one another name.")
    _tell(merged, views, rest)
    merged.columns = {name: values for name, values in merged.columns.items() if ("", name) not in goes}
    merged.joined.numbered = {name for name in tables if _sources(name, views, rest) <= merged.joined.numbered}
    merged.views, merged.features = {**tables, **untouched}, features
    return goes


def _sources(view: str, views: Mapping[str, list[_Column]], rest: Mapping[str, list[_Column]]) -> set[str]:
    """Return the views that a new view's columns come from."""
    return {column.view for column in views[view]} if view in views else {view} & set(rest)


def _columns(merged: Parts) -> list[_Column]:
    """List the features of all files, and the numeric columns that belong to no view."""
    features = [
        _Column(view, i, name, merged.joined.origins.get(view, merged.path))
        for view, names in merged.features.items()
        if view in merged.views
        for i, name in enumerate(names)
    ]
    numeric = (name for name, values in merged.columns.items() if values.dtype.kind in "biuf")
    return features + [_Column("", 0, name, merged.path) for name in numeric]


def _chosen(patterns: Sequence[str], columns: Sequence[_Column]) -> list[_Column]:
    """List the columns that fit any of the patterns, each once, pattern by pattern."""
    matching: dict[_Column, None] = {}
    for pattern in patterns:
        own = [column for column in columns if column.matches(pattern)]
        if not own:
            raise _unmatched(pattern, {column.name for column in columns if column.view})
        matching.update(dict.fromkeys(own))
    return list(matching)


def _unmatched(pattern: str, names: set[str]) -> DataError:
    if not {"*", "?"} & set(pattern):
        return unknown("column", pattern, names)
    error = unknown("column", pattern.strip("*?"), names)
    return DataError(f"No column fits the pattern “{pattern}”.", error.hint)


def _table(view: str, columns: Sequence[_Column], merged: Parts) -> Values:
    blocks = []
    for source, own in groupby(columns, key=lambda column: column.view):
        if source:
            blocks.append(taken(merged.views[source], (slice(None), [column.index for column in own])))
        else:
            blocks.extend(merged.columns[column.name][:, None] for column in own)
    counts = sorted({len(block) for block in blocks})
    if len(counts) > 1:
        raise DataError(
            f"View “{view}” would be made of files of {counts[0]:,} and of {counts[-1]:,} rows.",
            "Make it of columns whose files have the same samples.",
        )
    if len(blocks) == 1:
        return blocks[0]
    for block in blocks:
        refuse_large(block, view, "it cannot be made of columns that stand apart")
    return np.concatenate(blocks, axis=1)


def _tell(merged: Parts, views: Mapping[str, list[_Column]], rest: Mapping[str, list[_Column]]) -> None:
    listing = ", ".join(f"{view} of {_count(own)}" for view, own in views.items())
    text = f"Views were made of chosen columns, as asked: {listing}."
    if rest:
        text += f" The other columns stay as they were: {', '.join(f'{_count(c)} in {v}' for v, c in rest.items())}."
    merged.notes.append(Notice("split", text, tuple(views)))


def _count(columns: Sequence[_Column]) -> str:
    return f"{len(columns):,} column{'s' if len(columns) != 1 else ''}"


def rename_views(merged: Parts, names: Mapping[str, str]) -> None:
    """Give views other names, in place; DataError where there is no such view, or two would have one name."""
    for name in names:
        if name not in merged.views:
            raise unknown("view", name, merged.views)
    new = [names.get(name, name) for name in merged.views]
    twice = next((name for name in new if new.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"Two views would be called “{twice}”.", "Give each a name of its own.")
    merged.views = dict(zip(new, merged.views.values(), strict=True))
    merged.features = {names.get(name, name): own for name, own in merged.features.items()}
    merged.joined.numbered = {names.get(name, name) for name in merged.joined.numbered}


# Proposals --------------------------------------------------------------------------------------------------------


def possible_splits(merged: Parts) -> list[Notice]:
    """Offer to split a view by the beginnings or ends of its columns' names, as patterns for `split_by`."""
    offers = []
    for view, names in merged.features.items():
        if view not in merged.views or view in merged.joined.numbered:
            continue
        if any(":" in name.strip(":") for name in names) and not colons_divide(names):
            offers.append(_about_colons(view, names))
        elif patterns := find_patterns(names):
            called = ", ".join(f"“{name}”" for name in split_by(patterns))
            text = (
                f"The columns of {view} fall into {len(patterns)} groups by their names and could be views: {called}."
            )
            offers.append(Notice(POSSIBLE_SPLIT, text, (view, *patterns)))
    return offers


def _about_colons(view: str, names: Sequence[str]) -> Notice:
    """Ask whether names such as 09:00 and chr1:100, which stay whole, are to be divided."""
    name = next(name for name in names if ":" in name.strip(":"))
    text = f"The colons in names of columns of {view}, such as “{name}”, were taken as part of them"
    patterns = tuple(dict.fromkeys(f"{name.partition(':')[0]}:*" for name in names if ":" in name.strip(":")))
    some = not all(":" in name.strip(":") for name in names)
    if not 2 - some <= len(patterns) <= MOST_VIEWS:
        return Notice(ASSUMED, f"{text}, not as ends of views' names.")
    called = ", ".join(f"“{name}”" for name in split_by(patterns))
    divide = "divide views" if len(patterns) > 1 else "begin with a view"
    return Notice(POSSIBLE_SPLIT, f"{text}; they could {divide}: {called}.", (view, *patterns))


def split_by(patterns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Split into one view per pattern, called after what the names share.

    Examples
    --------
    >>> split_by(["mean *", "*_worst"])
    {'mean': ('mean *',), 'worst': ('*_worst',)}
    """
    return {pattern.strip("* _.:-") or pattern: (pattern,) for pattern in patterns}


def find_patterns(names: Sequence[str]) -> tuple[str, ...]:
    """Find patterns that divide columns by the beginnings or ends of their names; () where these tell nothing.

    Clear are beginnings or ends after which the same words recur (``mean radius``, ``worst radius``, ``radius error``),
    and beginnings that nearly all names have (``rna_a``, ``rna_b``, ``meth_c``, ``meth_d``).

    Examples
    --------
    >>> find_patterns(["sepal length", "sepal width", "petal length", "petal width"])
    ('sepal *', 'petal *')
    >>> find_patterns(["age", "height", "weight", "pulse"])
    ()
    """
    best = _clearest(names)
    places = {name: place for place, name in enumerate(names)}
    return tuple(sorted(best, key=lambda pattern: min(places[name] for name in best[pattern])))


def _clearest(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Find the patterns that divide columns into the largest groups: each maps its names to the rest of them."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        if match := _FIRST.match(name):
            groups.setdefault(f"{match[0]}*", {})[name] = name[match.end() :]
        if match := _LAST.search(name):
            groups.setdefault(f"*{match[0]}", {})[name] = name[: match.start()]
    fewest = 2  # columns of a view
    common = sorted((p for p in groups if len(groups[p]) >= fewest), key=lambda pattern: -len(groups[pattern]))
    large = {pattern: groups[pattern] for pattern in common[: 4 * MOST_VIEWS]}
    families = [_family(pattern, large) for pattern in large]
    families.append({pattern: own for pattern, own in large.items() if pattern.endswith("*")})
    clear = [family for family in families if _divides(family, names)]
    return max(clear, key=lambda family: min(map(len, family.values())), default={})


def _family(pattern: str, groups: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the groups of names that go on with the same words as this one."""
    rest = set(groups[pattern].values())
    alike = {}
    for other, own in groups.items():
        words = set(own.values())
        if len(rest & words) >= _COVERED * len(rest | words):
            alike[other] = own
    return alike


def _divides(family: Mapping[str, dict[str, str]], names: Sequence[str]) -> bool:
    """True if groups have no column in common and cover nearly all."""
    covered = [name for own in family.values() for name in own]
    apart = len(set(covered)) == len(covered)
    return apart and 2 <= len(family) <= MOST_VIEWS and len(covered) >= _COVERED * len(names)
