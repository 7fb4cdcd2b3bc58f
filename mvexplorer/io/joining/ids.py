"""Columns that may name the samples, and which of them hold the same names in several files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from unicodedata import normalize

import numpy as np

from mvexplorer.io.base.parts import ID_NAMES, UNLABELLED, Parts, Values
from mvexplorer.io.base.text import is_number

State = Literal["same", "loose", "partial", "faulty"]
STATES: tuple[State, ...] = ("same", "loose", "partial", "faulty")
_WHOLE = re.compile(r"(?:\+|-(?=0))?(0|-?[1-9]\d*)(\.0*)?")
_COUNT = re.compile(r"-?[0-9]{1,12}")
_LOOK = 64  # rows read first, to skip columns that cannot be names
BLANK = frozenset({"", UNLABELLED})
"""Stands where a row has no name."""
_FEW = 5  # rows; with fewer, numbers may be equal by chance
_ID_WORDS = {
    *ID_NAMES, "key", "code", "no", "nr", "number", "index", "name", "barcode", "uuid",
    "patient", "subject", "participant", "donor", "person",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class IdColumn:
    """A column that may name the samples.

    `values` are the names made comparable by `canonical_names`, `shown` the names as in the file. `place` is (view,
    index) of a feature, the name of a column, or None for names that the reader has already recognised.
    """

    name: str
    values: tuple[str, ...]
    shown: Values
    kind: Literal["text", "whole", "real"]
    place: tuple[str, int] | str | None

    @cached_property
    def names(self) -> frozenset[str]:
        """The different values."""
        return frozenset(self.values)

    @cached_property
    def loose(self) -> tuple[str, ...]:
        """The names without case, punctuation and leading zeros; () if two names become equal."""
        loosened = tuple(_loosened(value) for value in self.values)
        return loosened if len(set(loosened)) == len(loosened) else ()

    @property
    def faulty(self) -> bool:
        """True if a name is repeated or missing."""
        return len(self.names) < len(self.values) or bool(BLANK & self.names)

    @property
    def is_usual(self) -> bool:
        """True if its name or its place marks it as the samples' names."""
        return self.place is None or is_id_name(self.name)

    @property
    def counts(self) -> bool:
        """True if it holds whole numbers without gaps, in any order, as unrelated ranks do."""
        if self.kind != "whole":
            return False
        if not all(_COUNT.fullmatch(name) for name in self.names):
            return False
        first = min(map(int, self.values))
        return self.names == frozenset(str(i) for i in range(first, first + len(self.values)))


def canonical_names(values: Iterable[object]) -> list[str]:
    """Names normalised so that equal ones are equal text: 1 and 1.0, é and é become one, 007 and 7 stay two."""
    # The same letter may be written as one character or as two.
    texts = [str(value).strip() for value in values]
    texts = [text if text.isascii() else normalize("NFC", text) for text in texts]
    # All of them numbers is asked first: among names the first one answers it.
    real = all(is_number(text) for text in texts) and any("." in text or "e" in text.lower() for text in texts)
    numeric = frozenset("+-.0123456789")  # how numbers begin
    names = [_canonical(text, real) if text[:1] in numeric else text for text in texts]
    # Names such as 1.1 and 1.10, which are one number, are not numbers.
    return names if len(set(names)) == len(set(texts)) else [_canonical(text, False) for text in texts]


def _canonical(text: str, real: bool) -> str:
    match = _WHOLE.fullmatch(text)
    if match:
        return match[1]
    return repr(float(text)) if real and ("." in text or "e" in text.lower()) else text


def _loosened(name: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[\W_]+", "", name.casefold()))


def is_id_name(name: str) -> bool:
    """True if a column's name says that it names samples: patient_id, SampleNo, key."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return bool(_ID_WORDS & {word.lower() for word in words})


def keys_of(part: Parts, wanted: str | None) -> list[IdColumn]:
    """List the columns of a file that may name its samples, the surest (those already recognised) first.

    A column that the user chose to name them is the only one. With `wanted`, only the column of that name; if there is
    none, any column, also of fractions.
    """
    keys = [] if part.ids is None else [_key(part.id_name or "", part.ids, None)]
    if part.named.ids:
        return keys
    keys += [_key(name, values, name) for name, values in part.columns.items() if name == wanted or _may_name(values)]
    keys += list(_feature_keys(part, fractions=wanted is not None))
    named = [key for key in keys if key.name == wanted]
    return named or [key for key in keys if not _has_double(key, keys)]


def _has_double(key: IdColumn, keys: Sequence[IdColumn]) -> bool:
    """True if another feature holds the same numbers in another order: ranks, not names."""
    features = (other for other in keys if other is not key and isinstance(other.place, tuple))
    if not isinstance(key.place, tuple):
        return False
    return any(other.names == key.names and other.values != key.values for other in features)


def real_keys(parts: Sequence[Parts]) -> list[list[IdColumn]]:
    """List per file, in a common order, features of fractions whose minimum and maximum every other file has too."""
    spans: list[dict[tuple[float, float], list[tuple[str, int]]]] = []
    for part in parts:
        spans.append({})
        for place in _features(part):
            if np.isfinite(part.views[place[0]][:, place[1]]).all():
                spans[-1].setdefault(_span(part, place), []).append(place)
    # Columns of one file with the same extremes were made alike, such as ranks.
    shared = set.intersection(*({span for span, own in each.items() if len(own) == 1} for each in spans))
    per_file = []
    for part, own in zip(parts, spans, strict=True):
        keys = [_feature_key(part, own[span][0]) for span in sorted(shared)]
        per_file.append([key for key in keys if key.kind == "real" and not key.faulty])
    return per_file


def _span(part: Parts, place: tuple[str, int]) -> tuple[float, float]:
    column = part.views[place[0]][:, place[1]]
    return float(column.min()), float(column.max())


def _features(part: Parts) -> Iterator[tuple[str, int]]:
    """Yield features of text tables whose first `_LOOK` values all differ."""
    for view in part.features:
        X = part.views[view]
        if X.shape[1] == 1 and not is_id_name(part.features[view][0]):
            continue  # the view would be empty without it
        ordered = np.sort(X[:_LOOK], axis=0)
        repeated = (ordered[1:] == ordered[:-1]).any(axis=0)
        for index in np.flatnonzero(~repeated).tolist():
            yield view, index


def _feature_keys(part: Parts, *, fractions: bool) -> Iterator[IdColumn]:
    for view, index in _features(part):
        column = part.views[view][:, index]
        whole = _are_whole(column[:_LOOK]) and _are_whole(column)
        enough = len(column) >= _FEW or is_id_name(part.features[view][index])
        unique = whole and enough and len(np.unique(column)) == len(column)
        if unique or (fractions and np.isfinite(column).all()):
            yield _feature_key(part, (view, index))


def _are_whole(values: Values) -> bool:
    """True if all are whole numbers; an infinite one has no rest, and so is none."""
    with np.errstate(invalid="ignore"):
        return bool((values % 1 == 0).all())


def _feature_key(part: Parts, place: tuple[str, int]) -> IdColumn:
    view, index = place
    return _key(part.features[view][index], part.views[view][:, index], place)


def _key(name: str, values: Values, place: tuple[str, int] | str | None) -> IdColumn:
    if values.dtype.kind == "f":
        whole = _are_whole(values)
        texts = canonical_names(repr(v) for v in values.tolist())
        return IdColumn(name, tuple(texts), np.array(texts), "whole" if whole else "real", place)
    texts = canonical_names(values.tolist())
    kind: Literal["text", "whole"] = "whole" if all(t.removeprefix("-").isdigit() for t in texts) else "text"
    return IdColumn(name, tuple(texts), values.astype(str), kind, place)


def _may_name(values: Values) -> bool:
    """True if a column holds text or whole numbers, mostly different."""
    if values.dtype.kind not in "fiuSU":
        return False
    if values.dtype.kind == "f" and not (np.isfinite(values).all() and (values % 1 == 0).all()):
        return False
    return bool(2 * len(np.unique(values)) > len(values))


def only_adds(part: Parts, key: IdColumn) -> bool:
    """True if a file has no feature besides `key`, its sample names: it only adds labels or columns."""
    n_features = sum(int(X.shape[1]) for X in part.views.values())
    return n_features == (1 if isinstance(key.place, tuple) else 0)


def match(key: IdColumn, part: Parts, others: Sequence[IdColumn], *, wanted: bool) -> tuple[State, IdColumn] | None:
    """Return the column of `others` that names the same samples as `key`, and how well they fit; None where none does.

    `part`, if it only adds labels or columns, may have more samples. Where `wanted`, the columns were asked for by
    name, so that any common name counts.
    """
    candidates = [
        (state, other)
        for other in others
        if (state := _fit(key, other, covers=only_adds(part, other), wanted=wanted)) is not None
    ]
    return min(candidates, key=lambda each: (STATES.index(each[0]), -len(key.names & each[1].names)), default=None)


def _fit(key: IdColumn, other: IdColumn, *, covers: bool, wanted: bool) -> State | None:
    if key.values == other.values:
        return "same" if not key.faulty or key.is_usual else None
    shared = len(key.names & other.names)
    much = 2 * shared >= min(len(key.names), len(other.names)) and shared >= 2
    if key.faulty or other.faulty:
        return "faulty" if much or (key.is_usual and other.is_usual) else None
    if shared == len(key.names) and (covers or shared == len(other.names)):
        return "same"
    if key.loose and other.loose and "real" not in (key.kind, other.kind):
        loosely = len(set(key.loose) & set(other.loose))
        if loosely == len(key.loose) and (covers or loosely == len(other.loose)) and len(key.loose) > 2:
            return "loose"
    alike = key.name == other.name or (key.is_usual and other.is_usual)
    # Rows that position cannot pair: numbers of the one which are all in the other are worth asking about.
    alike = alike or (_FEW <= shared == min(len(key.names), len(other.names)) < max(len(key.names), len(other.names)))
    if wanted or (key.place is None and other.place is None):
        return "partial"
    return "partial" if much and (alike or key.kind == other.kind == "text") else None
