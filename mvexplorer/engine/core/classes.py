"""The order of classes, wherever classes are listed or coloured."""

from __future__ import annotations

import re
import weakref
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.inputs import labelled

Known = tuple[tuple[Any, ...], npt.NDArray[np.int64], npt.NDArray[np.bool_]]

_DIGITS = re.compile(r"\d+")
_of_arrays: dict[int, tuple[weakref.ref[npt.NDArray[Any]], Known]] = {}


def known_classes(values: npt.NDArray[Any]) -> Known:
    """Find the classes among labels (M,), of which some may be missing; those of an array that is sealed only once.

    Returned are the classes in their natural order, the place in it of each sample that has one, and which have one
    (M,). A worker that reads a file finds them ahead: 100,000 different texts take too long for one turn of an event
    loop.
    """
    kept = _of_arrays.get(id(values))
    if kept is not None and kept[0]() is values:
        return kept[1]
    has_label = labelled(values)
    names, codes = ordered_classes(values[has_label])
    classes = tuple(names), codes, has_label
    if not values.flags.writeable:
        _of_arrays[id(values)] = weakref.ref(values, partial(_forget, id(values))), classes
    return classes


def _forget(key: int, _: object) -> None:
    _of_arrays.pop(key, None)


def ordered_classes(values: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The classes among labels (M,) in their natural order, and each sample's place in it (M,).

    Numbers are in the order of their values, also where they are text; other names as a reader expects them, with
    “class 2” before “class 10”.
    """
    if values.dtype.kind in "biuf":
        numbers, codes = np.unique(values, return_inverse=True)
        return list(numbers), codes.astype(np.int64)
    each = values.tolist()
    names = list(dict.fromkeys(each))
    keys = _values(names) or [_natural(str(name)) for name in names]
    ordered = [names[i] for i in sorted(range(len(names)), key=keys.__getitem__)]
    places = {name: place for place, name in enumerate(ordered)}
    return ordered, np.array([places[name] for name in each], dtype=np.int64)


def _values(names: list[Any]) -> list[Any]:
    """Sort keys of names that are all numbers; none otherwise."""
    try:
        values = [float(name) for name in names]
    except (ValueError, TypeError):
        return []
    return list(zip(values, map(str, names), strict=True)) if np.isfinite(values).all() else []


def _natural(name: str) -> tuple[str, str]:
    """A sort key: text without regard to case, digits by their value, however many there are."""
    return _DIGITS.sub(_by_value, name.casefold()), name


def _by_value(digits: re.Match[str]) -> str:
    """Digits that sort by their value: before any other text, the shorter number first."""
    part = digits[0].lstrip("0")
    length = 8  # Figures of the length of a number within a name.
    return f"\0{len(part):0{length}}{part}"
