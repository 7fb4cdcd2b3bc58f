"""Rows below a table that sum it up and are no samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mvexplorer.io.base.parts import Values

_WORDS = frozenset({
    "total", "totals", "grand total", "sum", "sums", "mean", "means", "average", "averages", "avg", "summe", "gesamt",
    "gesamtsumme", "mittelwert", "durchschnitt", "σ", "∑",
})  # fmt: skip


def find_totals(
    row: Callable[[int], list[str]], column: Callable[[int], list[str]], numbers: Values
) -> tuple[int, list[str]]:
    """Count a table's last rows that are called total, sum or mean, and hold that.

    The `numbers` (R, C) are NaN for text. The sentences are about these rows, or about one that is called so and is a
    sample.
    """
    words: list[str] = []
    fewest = 4  # rows before
    for last in range(len(numbers) - 1, fewest, -1):
        word = _word(row(last), column)
        if not word:
            break
        if not _sums_up(numbers[: last + 1]):
            said = f"the last row, “{word}”, was taken as a sample; delete it in the file if it sums up the others."
            return len(words), [*_left_out(words), said]
        words.append(word)
    return len(words), _left_out(words)


def _left_out(words: list[str]) -> list[str]:
    if len(words) > 1:
        return [f"the last {len(words)} rows, “{words[-1]}” to “{words[0]}”, sum up the others and were left out."]
    return [f"the last row, “{word}”, sums up the others and was left out." for word in words]


def _word(cells: list[str], column: Callable[[int], list[str]]) -> str:
    """Return the cell of a row that calls it a total, and is the only one in its column; or nothing."""
    places = [j for j, cell in enumerate(cells) if cell.casefold().strip(" :.") in _WORDS]
    return next((cells[j] for j in places if column(j).count(cells[j]) == 1), "")


def _sums_up(numbers: Values) -> bool:
    """True if all numbers of the last row are sums, or all are means, of those above; also where it has none."""
    last = numbers[-1]
    finite = np.isfinite(last)
    rounding = 1e-2  # totals may be rounded more than the numbers that they sum up
    for above in (numbers[:-1, finite], numbers[1:-1, finite]):  # the first row may be a header of numbers
        sums, counts = np.nansum(above, axis=0), np.maximum(np.isfinite(above).sum(axis=0), 1)
        size = np.abs(np.nan_to_num(above)).max(axis=0, initial=0.0) * rounding
        if any((np.abs(last[finite] - totals) <= size).all() for totals in (sums, sums / counts)):
            return True
    return False
