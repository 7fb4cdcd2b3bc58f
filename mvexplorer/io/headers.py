"""Headers that could be something else: names that are numbers, and colons that end no view's name."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.core.notices import HEADER, Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.io.parts import Values

_WHOLE = re.compile(r"\d{1,9}")
_YEARS = range(1800, 2200)


def numbers_as_names(first: Sequence[str], numbers: Values) -> Notice | None:
    """Whether the first row of a table names its columns by years or other rising numbers, beside a word or two.

    Parameters
    ----------
    first : sequence of str
        The cells of the first row.
    numbers : array (R, C)
        The whole table as numbers, NaN for text.

    Returns
    -------
    Notice or None
        The doubt to be told where it does: the row may be a sample after all.
    """
    places = [j for j, cell in enumerate(first) if _WHOLE.fullmatch(cell)]
    if not 0 < len(first) - len(places) <= 2 or not _rises(numbers[:2, places]):
        return None
    names = [int(first[j]) for j in places]
    below = numbers[1:, places]
    with np.errstate(invalid="ignore"):
        fractions = bool(((below % 1) > 0).any(axis=0).all())
    if not (
        fractions
        or (len(names) > 2 and len({b - a for a, b in pairwise(names)}) == 1)
        or all(name in _YEARS for name in names)
    ):
        return None
    shown = ", ".join([*first[:3], *(["..."] if len(first) > 3 else [])])
    return Notice(HEADER, f"the first row ({shown}) was taken as a header; it could be a sample.")


def _rises(rows: Values) -> bool:
    """Whether the first row rises, by two numbers at least, and the second one does not follow it in that."""
    if rows.shape[1] < 2 or len(rows) < 2:
        return False
    first, second = ((np.diff(row) > 0).all() and (row % 1 == 0).all() for row in rows)
    return bool(first and not second)


def colons_divide(names: Sequence[str]) -> bool:
    """Whether names such as ``left:a, right:a`` begin with a view: not 09:00, 10:00, nor chr1:100, chr2:100.

    A name with a colon among others is a feature's: it takes a pattern to make views, which all columns have, or most
    of them if two share a beginning.

    Parameters
    ----------
    names : sequence of str
        Of the columns of a table.

    Returns
    -------
    bool
        Numbers behind colons are features' only where they count them from 0 or 1, in each view.
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
