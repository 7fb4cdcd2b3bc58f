"""Decides whether a table has a header: also names that are numbers, and colons that end no view's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from mvexplorer.engine.core.notices import HEADER, Notice
from mvexplorer.io.base.numerals import INFINITE, MISSING
from mvexplorer.io.base.parts import ID_NAMES, LABEL_NAMES, Values
from mvexplorer.io.base.text import is_number

_WHOLE = re.compile(r"\d{1,9}")
_NO_NUMBERS = frozenset((*MISSING, *INFINITE))
_TELLING = frozenset((*LABEL_NAMES, *ID_NAMES))
"""Names of columns that a sample's values hardly are."""


def find_header(
    row: Callable[[int], list[str]], numbers: Values, told: bool | None
) -> tuple[list[str] | None, str | Notice]:
    """Return column names if the first row holds them, and what was assumed; in doubt it is a sample.

    `numbers` (R, C) are NaN for text; `told` says whether the first row is a header, None where nobody says it.
    """
    first = row(0)
    if told is not None:
        return (first if told else None), ""
    second = row(1) if len(numbers) > 1 else []
    fewest = 3  # a header of numbers needs 0, 1, 2; fewer could be data
    run = counts_up(first[:-1]) and len(first) > fewest
    if run or (counts_up(first) and len(first) >= fewest):
        assumed = "the first row, 0, 1, 2 ..., was taken as a header of column numbers, not as a sample."
        if run and not counts_up(first):
            return [*first[:-1], "label"] if is_number(first[-1]) else first, assumed
        return first, assumed
    wordy = [not is_number(cell) and cell.lower() not in _NO_NUMBERS for cell in first]
    named = any(cell.lower() in _TELLING or (":" in cell and ":" in cell.strip(":")) for cell in first)
    below = [w and is_number(cell) for w, cell in zip(wordy, second, strict=False)]
    plain = [cell for cell, w in zip(first, wordy, strict=True) if not w and cell]
    if named and any(wordy):
        return first, ""
    if any(below) and (not plain or counts_up(plain) or counts_up(["0", *plain])):
        return first, ""
    if len(first) > 1 and not first[0] and any(below):
        return first, ""
    if numbered := numbers_as_names(first, numbers):
        return first, numbered
    doubtful = any(wordy) or len(first) > 1
    return None, "there is no header; the first row was taken as a sample." if doubtful else ""


def counts_up(cells: Sequence[str]) -> bool:
    """True if cells read 0, 1, 2 ..."""
    return bool(cells) and all(cell == str(i) for i, cell in enumerate(cells))


def numbers_as_names(first: Sequence[str], numbers: Values) -> Notice | None:
    """Return the doubt where the first row names columns by years or other rising numbers, beside a word or two."""
    places = [j for j, cell in enumerate(first) if _WHOLE.fullmatch(cell)]
    if not 0 < len(first) - len(places) <= 2 or not _rises(numbers[:2, places]):
        return None
    names, years = [int(first[j]) for j in places], range(1800, 2200)
    below = numbers[1:, places]
    with np.errstate(invalid="ignore"):
        fractions = bool(((below % 1) > 0).any(axis=0).all())
    if not (
        fractions
        or (len(names) > 2 and len({b - a for a, b in pairwise(names)}) == 1)
        or all(name in years for name in names)
    ):
        return None
    shown = ", ".join([*first[:3], *(["..."] if len(first) > 3 else [])])
    return Notice(HEADER, f"the first row ({shown}) was taken as a header; it could be a sample.")


def _rises(rows: Values) -> bool:
    """True if the first row rises, by two numbers at least, and the second one does not follow it in that."""
    if rows.shape[1] < 2 or len(rows) < 2:
        return False
    with np.errstate(invalid="ignore"):  # infinite ones neither rise nor are whole
        first, second = ((np.diff(row) > 0).all() and (row % 1 == 0).all() for row in rows)
    return bool(first and not second)


def colons_divide(names: Sequence[str]) -> bool:
    """True if names such as ``left:a, right:a`` begin with a view: not 09:00, 10:00, nor chr1:100, chr2:100.

    A name with a colon among others is a feature's: it takes a pattern to make views, which all columns have, or most
    of them if two share a beginning. Numbers behind colons are features' only where they count them from 0 or 1, in
    each view.
    """
    behind: dict[str, list[str]] = {}
    for name in names:
        view, _, feature = name.partition(":")
        if view.strip() and feature.strip():
            behind.setdefault(view, []).append(feature.strip())
    counted = all(
        own in ([str(i) for i in range(len(own))], [str(i + 1) for i in range(len(own))]) for own in behind.values()
    )
    n_divided = sum(map(len, behind.values()))
    most = 2 * n_divided > len(names) and max(map(len, behind.values())) > 1
    if not behind or not (most or n_divided == len(names)):
        return False
    return counted or not all(feature[0].isdigit() for own in behind.values() for feature in own)
