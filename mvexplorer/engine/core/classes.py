"""The order of classes, wherever classes are listed or coloured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_DIGITS = re.compile(r"(\d+)")


def ordered_classes(values: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The classes among labels (M,) in their natural order, and each sample's place in it (M,).

    Numbers are in the order of their values, also where they are text; other names as a reader expects them, with
    “class 2” before “class 10”.
    """
    names, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind in "biuf":
        return list(names), codes.astype(np.int64)
    keys = _values(names) or [_natural(str(name)) for name in names]
    order = sorted(range(len(names)), key=keys.__getitem__)
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    return [names[i] for i in order], places[codes]


def _values(names: npt.NDArray[Any]) -> list[Any]:
    """Sort keys of names that are all numbers; none otherwise."""
    try:
        values = [float(name) for name in names]
    except (ValueError, TypeError):
        return []
    return list(zip(values, map(str, names), strict=True)) if np.isfinite(values).all() else []


def _natural(name: str) -> tuple[Any, ...]:
    """A sort key: text without regard to case, digits by their value, however many there are."""
    parts = _DIGITS.split(name)  # text and digits in turn
    digits = ((len(part := raw.lstrip("0")), part) for raw in parts[1::2])
    return ([part.casefold() for part in parts[:1]], *zip(digits, map(str.casefold, parts[2::2]), strict=True)), name
