"""Conditions on the columns of the samples, a search in their ids, and an order: the view on a table of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.dates import as_date
from mvexplorer.errors import ParameterError
from mvexplorer.state.samples.columns import IDS, SampleColumn
from mvexplorer.wording import as_typed, line

if TYPE_CHECKING:
    import polars as pl

Rows = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
How = Literal["=", "≠", "<", ">", "contains", "missing"]
WAYS: tuple[How, ...] = ("=", "≠", "<", ">", "contains", "missing")
FEW = 20_000
"""Different texts up to which their natural order is found name by name."""


@dataclass(frozen=True)
class Condition:
    """A condition on one column, by its source. A sample without a value meets none but “missing”."""

    source: str
    how: How
    text: str = ""


@dataclass(frozen=True)
class TableQuery:
    """All conditions hold; `ids` is a part of the samples' names; without a `sort` the samples keep their order."""

    conditions: tuple[Condition, ...] = ()
    ids: str = ""
    sort: str = ""
    descending: bool = False
    only_selected: bool = False
    coordinates: bool = False
    """Whether the panels' coordinates are columns, too."""
    features: tuple[str, ...] = ()
    """Sources of features that are columns, too, where there are too many for all to be."""


def matching(columns: Mapping[str, SampleColumn], query: TableQuery, n_samples: int) -> Mask:
    """Which samples (M,) meet a query. ParameterError where a condition does not fit its column.

    Conditions on columns that are gone are left out.
    """
    mask = np.ones(n_samples, dtype=bool)
    for condition in query.conditions:
        if condition.source in columns:
            mask &= met(columns[condition.source], condition)
    if query.ids.strip():
        mask &= met(columns[IDS], Condition(IDS, "contains", query.ids))
    return mask


def column_order(column: SampleColumn, *, descending: bool = False) -> Rows:
    """All samples in the order of a column: missing values last, whichever way; ties as in the file."""
    return _order(column.series, descending=descending)


def met(column: SampleColumn, condition: Condition) -> Mask:
    """Which samples (M,) meet a condition on a column."""
    how, text = condition.how, condition.text.strip()
    if how == "missing":
        return column.series.is_null().to_numpy()
    if how == "contains":
        # By a pattern: texts turned to small letters first would all be copied.
        held = column.series if column.kind == "text" else _as_written(column)
        return held.str.contains(f"(?i){re.escape(text)}").fill_null(value=False).to_numpy()
    if how in ("<", ">") and column.kind == "text":
        return _beside(column, text, above=how == ">")
    compare = {"=": "eq", "≠": "ne", "<": "lt", ">": "gt"}[how]
    answer: pl.Series = getattr(column.series, compare)(_value(column, text))
    return answer.fill_null(value=False).to_numpy()


def means_something(column: SampleColumn, text: str) -> bool:
    """Whether a column can be compared with a text: a number, a date, or part of one of its texts."""
    if column.kind == "text":
        return bool(met(column, Condition(column.source, "contains", text)).any())
    try:
        _value(column, text)
    except ParameterError:
        return False
    return True


def _as_written(column: SampleColumn) -> pl.Series:
    """Numbers and dates as their texts; null where one is missing."""
    import polars as pl

    if column.dates is not None:
        return column.series.dt.to_string("%Y-%m-%d %H:%M:%S" if column.dates.timed else "%Y-%m-%d")
    return column.series.cast(pl.String).str.strip_suffix(".0")


def _beside(column: SampleColumn, text: str, *, above: bool) -> Mask:
    """Which texts stand after, or before, a text in the order in which the table sorts them."""
    import polars as pl

    texts = column.series
    order = _order(pl.concat([texts.alias("x"), pl.Series("x", [text], dtype=pl.String)]), descending=False)
    limit = int(np.flatnonzero(order == len(texts))[0])
    mask = np.zeros(len(texts) + 1, dtype=bool)
    mask[order[limit + 1 :] if above else order[:limit]] = True
    answer: Mask = mask[:-1] & (texts != text).fill_null(value=False).to_numpy()
    return answer


def _value(column: SampleColumn, text: str) -> object:
    """The value that a column is compared with, as it was typed."""
    name = line(column.title, 40)
    if column.dates is not None:
        day = as_date(text, column.dates.order)
        if day is None:
            message = f"“{line(text, 40)}” is no date, and “{name}” holds dates."
            raise ParameterError(message, "Type one as 2024-04-03, or as the column has it.")
        return day.item()
    if column.kind == "number":
        try:
            return float(as_typed(text).replace(",", "."))
        except ValueError:
            message = f"“{line(text, 40)}” is no number, and “{name}” holds numbers."
            raise ParameterError(message, "Type one such as 3.5, or choose “missing”.") from None
    return text


# Order ------------------------------------------------------------------------------------------------------------


def _order(values: pl.Series, *, descending: bool) -> Rows:
    """All samples in the order of their values."""
    import polars as pl

    frame = (_key_of(values) if values.dtype == pl.String else values).alias("key").to_frame()
    order = pl.arg_sort_by("key", descending=descending, nulls_last=True, maintain_order=True)
    rows: Rows = frame.select(order.alias("order"))["order"].to_numpy().astype(np.intp)
    return rows


def _key_of(texts: pl.Series) -> pl.Series:
    """Whole numbers that sort texts as a reader expects it: numbers by value, then “class 2” before “class 10”."""
    import polars as pl

    different = texts.drop_nulls().unique()
    if len(different) > FEW:
        return _key_of_many(texts)
    values = different.cast(pl.Float64, strict=False)
    is_number = values.is_finite().fill_null(value=False)
    numbers = different.filter(is_number).gather(values.filter(is_number).arg_sort()).to_list()
    words, _ = ordered_classes(different.filter(~is_number).to_numpy())
    names = pl.Series("name", [*numbers, *words], dtype=pl.String)
    places = pl.DataFrame([names, pl.Series("place", np.arange(len(names)))])
    return texts.alias("name").to_frame().join(places, on="name", how="left", maintain_order="left")["place"]


def _key_of_many(texts: pl.Series) -> pl.Series:
    """The same for very many texts: of words as far as each has a number behind it, as ids have; else by letters."""
    import polars as pl

    values = texts.cast(pl.Float64, strict=False)
    values = values.set(~values.is_finite().fill_null(value=False), None)
    words = _key_of_words(texts.set(values.is_not_null(), None))
    if values.null_count() == len(values):
        return words
    ranks = values.rank("dense").cast(pl.Int64)
    return ranks.zip_with(values.is_not_null(), words + int(ranks.to_frame().max().item()))


def _key_of_words(texts: pl.Series) -> pl.Series:
    """One whole number for a word and the number behind it: two keys would take ten times as long to sort."""
    import polars as pl

    frame = texts.alias("text").to_frame().with_columns(pl.col("text").str.strip_chars_end("0123456789").alias("word"))
    behind = frame.select(pl.col("text").str.slice(pl.col("word").str.len_chars()).alias("digits"))["digits"]
    word, longest = frame["word"], int(behind.str.len_bytes().fill_null(0).to_numpy().max(initial=0))
    most, beyond = word.n_unique(), 10 ** min(longest, 18) + 1  # of all numbers behind words
    if most > FEW or longest > 18 or (most + 1) * beyond >= 2**62:
        return texts.rank("dense").cast(pl.Int64)
    number = behind.cast(pl.Int64, strict=False).fill_null(-1) + 1
    key: pl.Series = _key_of(word).cast(pl.Int64) * beyond + number + 1
    return key
