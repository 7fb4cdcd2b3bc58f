"""How people write numbers in tables: 1,234.50 or 1.234,50, 12%, $5. If all cells of a column fit, they are read.

What one cell leaves open the others decide, since one program writes a file: where some number can only have a decimal
comma, dots separate thousands in every column. Where nothing decides, the reader is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.notices import ASSUMED, DECIMAL_SIGN, Notice
from mvexplorer.io.base.options import Decimal

if TYPE_CHECKING:
    import polars as pl

Flags = npt.NDArray[np.bool_]

MISSING = ("", "na", "n/a", "nan", "-nan", "null", "none", "?")
INFINITE = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
_MONEY = "$€£¥"
_GAP = r"['’\x{a0}\x{202f}]"
"""Separators of thousands and of nothing else."""
_EXPONENT = r"(?:[eE][+-]?\d+)?$"
_CELL = (
    rf"^([+-]?)\s*([{_MONEY}]?)\s*([+-]?)"
    rf"((?:\d[\d.,]*|[.,]\d+|\d{{1,3}}(?:{_GAP}\d{{3}})+(?:[.,]\d*)?)(?:[eE][+-]?\d+)?)"
    rf"[\s\x{{a0}}\x{{202f}}]*([%{_MONEY}]?)$"
)
"""A sign, before or after the sign of a currency; digits; percent or currency."""
_POINT = rf"^(?:\d+\.?\d*|\.\d+){_EXPONENT}|^[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?$"
"""Digits whose dot is a decimal point, and whose commas separate thousands."""
_COMMA = rf"^(?:\d+,?\d*|,\d+){_EXPONENT}|^[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?$"
_OPEN = r"^[1-9]\d{0,2}[.,]\d{3}$|^\d+$"
"""Digits that say nothing about the decimal sign."""
_LOOKS = rf"[,%'’\x{{a0}}\x{{202f}}{_MONEY}]|\.\d+\."
"""Signs of a cell that is no plain number."""
_THREE = r"^[+-]?[1-9]\d{0,2}\.\d{3}$"
_PLAIN = r"^[+-]?(?:0?\.\d+|\d{4,}\.\d*|\d+\.\d{1,2}|\d+\.\d{4,}|\d+\.\d*[eE][+-]?\d+)$"
"""Plain numbers whose dot can only be a decimal point."""


@dataclass(frozen=True)
class _Columns:
    """Columns of cells (D, R), whose digits can have a decimal point, a decimal comma, or either."""

    digits: pl.Series
    affixes: npt.NDArray[Any]
    missing: Flags
    point: Flags
    comma: Flags
    open: Flags
    dotted: Flags
    with_comma: Flags

    def fits(self, numeric: Flags) -> Flags:
        """Mark columns (D,) with these numbers below their first cell, one sign beside all, and hardly any text.

        A few cells of text stay as they are, so that the reader is told of the first.
        """
        stray = 0.2  # texts per number
        numeric, empty = numeric[:, 1:], self.missing[:, 1:]
        text = ~(self.point | self.comma | self.missing)[:, 1:]
        one = self.affixes[np.arange(len(numeric)), 1 + numeric.argmax(axis=1)]
        alike = ((self.affixes[:, 1:] == one[:, None]) & numeric) | empty | text
        return np.asarray(alike.all(axis=1) & numeric.any(axis=1) & (text.sum(axis=1) <= stray * numeric.sum(axis=1)))


def plain_numerals(
    cells: pl.Series, n_rows: int, separator: str = "", decimal: Decimal | None = None
) -> tuple[pl.Series, list[Notice]]:
    """Write columns that hold numbers alone as plain numbers; tell what was assumed, and what is in doubt.

    The cells stand column after column, without surrounding blanks, `n_rows` in each with a header among them. Where
    the `separator` of fields is a semicolon, a dot may separate thousands.
    """
    shape = (len(cells) // n_rows, n_rows)
    separator = ";" if shape[0] == 1 else separator  # of a lone column, nothing tells who wrote it
    looks = cells.str.contains(_LOOKS)
    if separator == ";" or decimal == "," or looks.any():
        looks |= cells.str.contains(_THREE)
    places = np.flatnonzero(looks.to_numpy().reshape(shape)[:, 1:].any(axis=1))
    if not len(places):
        return cells, []
    index = (places[:, None] * n_rows + np.arange(n_rows)).ravel()
    own = cells.gather(index)
    table = _classified(own, n_rows)
    plain = cells.str.contains(_PLAIN).to_numpy().reshape(shape)[:, 1:].any()
    signs, unsure = _decimal_signs(table, separator, decimal, "." if plain else "")
    written, changed = _written(own, table, signs, separator)
    names = [cells[int(place) * n_rows] or f"column {place + 1}" for place in places]
    shown, numbers = (texts.to_numpy().reshape(-1, n_rows) for texts in (own, written))
    notices = _assumed(shown, numbers, table, signs, changed & ~unsure[:, None], names)
    return cells.clone().scatter(index, written), [*notices, *_questions(shown, table, signs, unsure, names)]


def _classified(cells: pl.Series, n_rows: int) -> _Columns:
    import polars as pl

    first, before, second, digits, after = cells.str.extract_groups(_CELL).struct.unnest().get_columns()
    twice = ((first != "") & (second != "")) | ((before != "") & (after != ""))
    digits = pl.select(pl.when(twice).then(None).otherwise(digits.str.replace_all(_GAP, ""))).to_series()
    minus = pl.select(pl.when((first == "-") | (second == "-")).then(pl.lit("-")).otherwise(pl.lit(""))).to_series()

    def flags(matches: pl.Series) -> Flags:
        return np.asarray(matches.fill_null(False).to_numpy()).reshape(-1, n_rows)

    return _Columns(
        minus + digits,
        (before + after).fill_null("").to_numpy().reshape(-1, n_rows),
        flags(cells.str.to_lowercase().is_in([*MISSING, *INFINITE])),
        *(flags(digits.str.contains(pattern)) for pattern in (_POINT, _COMMA, _OPEN)),
        *(flags(digits.str.contains(mark, literal=True)) for mark in ".,"),
    )


def _decimal_signs(
    table: _Columns, separator: str, decimal: Decimal | None, of_others: str
) -> tuple[npt.NDArray[Any], Flags]:
    """Find the decimal sign of each column, and the columns for which nothing decides."""
    if decimal is not None:
        return np.full(len(table.point), decimal), np.zeros(len(table.point), bool)
    fits, below = table.fits(table.point | table.comma), ~table.missing & ~table.open
    point, comma = ((mask & below)[:, 1:].any(axis=1) for mask in (table.point, table.comma & ~table.point))
    own = np.where(point, ".", np.where(comma, ",", ""))
    sure = {*own[fits].tolist(), of_others} - {""}
    commas = (table.with_comma & table.open)[:, 1:].any(axis=1)
    dots = (table.dotted & table.open)[:, 1:].any(axis=1)
    usual = sure.pop() if len(sure) == 1 else np.where(commas & (separator == ";"), ",", ".")
    left = (own == "") & fits & (len(sure) != 0 or not isinstance(usual, str))
    return np.where(own == "", usual, own), left & (commas | (dots & (separator == ";")))


def _written(cells: pl.Series, table: _Columns, signs: npt.NDArray[Any], separator: str) -> tuple[pl.Series, Flags]:
    """Write the cells as plain numbers, and mark those that were written in another way."""
    import polars as pl

    comma = (signs == ",")[:, None]
    proper = np.where(comma, table.comma, table.point)
    use = proper & table.fits(proper)[:, None]
    # Between semicolons, a comma that can only be a decimal one is one even among points and words.
    lone = table.comma & table.with_comma & (separator == ";") & (table.affixes == "") & ~use
    as_comma = table.digits.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    as_point = table.digits.str.replace_all(",", "", literal=True)
    new = pl.select(pl.when(pl.Series((comma | lone).ravel())).then(as_comma).otherwise(as_point)).to_series()
    written = pl.select(pl.when(pl.Series((use | lone).ravel())).then(new).otherwise(cells)).to_series()
    return written, (written != cells).to_numpy().reshape(use.shape)


def _assumed(
    cells: npt.NDArray[Any],
    numbers: npt.NDArray[Any],
    table: _Columns,
    signs: npt.NDArray[Any],
    assumed: Flags,
    names: Sequence[str],
) -> list[Notice]:
    comma = (signs == ",")[:, None]
    percent = np.isin(table.affixes, ["%"])
    kinds = [
        (table.with_comma & comma, "commas were taken as decimal points."),
        (table.with_comma & ~comma, "commas were taken as separators of thousands in {}: “{}” is {}."),
        (table.dotted & comma, "dots were taken as separators of thousands in {}: “{}” is {}."),
        (percent, "percent signs were left out in {}: “{}” is {}."),
        ((table.affixes != "") & ~percent, "signs of currencies were left out in {}: “{}” is {}."),
    ]
    notices = []
    for which, text in kinds:
        places = np.argwhere(which & assumed)
        if len(places):
            columns, place = np.unique(places[:, 0]), tuple(places[-1])
            notices.append(Notice(ASSUMED, text.format(_listed(columns, names), cells[place], numbers[place])))
    return notices


def _questions(
    cells: npt.NDArray[Any], table: _Columns, signs: npt.NDArray[Any], unsure: Flags, names: Sequence[str]
) -> list[Notice]:
    """Ask for the meaning of a dot or comma that is followed by three digits, wherever it stands."""
    if not unsure.any():
        return []
    column = int(unsure.argmax())
    cell = cells[column, 1 + int((table.open & (table.dotted | table.with_comma))[column, 1:].argmax())]
    mark = "comma" if "," in cell else "dot"
    meanings = ["a decimal point", "a separator of thousands"]
    taken, other = meanings if (mark == "comma") == (signs[column] == ",") else meanings[::-1]
    text = f"the {mark} in numbers such as “{cell}” of {_listed(np.flatnonzero(unsure), names)} was taken as {taken}"
    return [
        Notice(DECIMAL_SIGN, f"{text}; it could be {other}.", tuple(names[i] for i in np.flatnonzero(unsure).tolist()))
    ]


def _listed(columns: npt.NDArray[np.intp], names: Sequence[str]) -> str:
    shown = 3
    more = f" and {len(columns) - shown:,} more" if len(columns) > shown else ""
    return ", ".join(f"“{names[i]}”" for i in columns[:shown].tolist()) + more
