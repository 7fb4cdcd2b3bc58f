"""Dates in columns: what texts can only mean, and where day and month could change places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.inputs import UNLABELLED, labelled

if TYPE_CHECKING:
    import polars as pl

DayMonth = Literal["day-first", "month-first"]
Moments = npt.NDArray[np.datetime64]
_ISO = re.compile(r"\d{4}([-/])\d{1,2}\1\d{1,2}")
_LOCAL = re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d{4}")
_TIME = re.compile(r"(?:([T ])\d{1,2}:\d\d(?:(:\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


@dataclass(frozen=True, eq=False)
class Dates:
    """The moments (M,) of a column, NaT where one is missing, in UTC with a zone; `timed` with a time of day.

    `order` is that of their numbers, None where their form says it; `unsure` the first text that is another day in the
    other order, where nothing in the column settles it.
    """

    moments: Moments
    timed: bool = False
    order: DayMonth | None = None
    unsure: str = ""


def present_texts(values: npt.NDArray[Any] | list[str]) -> pl.Series:
    """Texts as a column without the spaces around them; null where a value is missing, or a word for that."""
    import polars as pl

    column = pl.Series(values if isinstance(values, list) else values.tolist(), dtype=pl.String, strict=False)
    frame = column.to_frame("x").lazy().select(pl.col("x").str.strip_chars())
    lacks = pl.col("x").str.to_lowercase().is_in(sorted(UNLABELLED))
    return frame.select(pl.when(lacks).then(None).otherwise(pl.col("x")).alias("x")).collect()["x"]


def read_dates(texts: pl.Series, order: DayMonth | None = None) -> Dates | None:
    """Read a column of present texts as dates; None unless every one of them is a date written alike.

    ISO dates and those between dots have one meaning. Others are read day first where they can be, unless `order` says
    otherwise.
    """
    first = texts.drop_nulls().head(1).to_list()
    written = _written(first[0]) if first else None
    if written is None:
        return None
    days, clock = written
    if len(days) == 1:
        moments = _moments(texts, days[0] + clock)
        return None if moments is None else Dates(moments, bool(clock))
    either = [_moments(texts, day + clock) for day in days]
    if either[0] is not None and either[1] is not None:
        differ = np.flatnonzero((either[0] != either[1]) & ~np.isnat(either[0]))
        order = order or "day-first"
        unsure = str(texts[int(differ[0])]) if len(differ) else ""
        return Dates(either[0] if order == "day-first" else either[1], bool(clock), order, unsure)
    orders: tuple[DayMonth, ...] = get_args(DayMonth)
    fits = (Dates(only, bool(clock), way) for only, way in zip(either, orders, strict=True) if only is not None)
    return next(fits, None)


def unsure_dates(values: npt.NDArray[Any], order: DayMonth | None = None) -> Dates | None:
    """Texts (M,) as dates, where nothing in them settles which number is the day; else None."""
    dates = _dates_of(values, order)
    return dates if dates is not None and dates.unsure else None


def moments_of(values: npt.NDArray[Any]) -> Moments | None:
    """A column (M,) of dates as moments, whether it holds them or texts of them; None where it holds anything else."""
    if values.dtype.kind == "M":
        return values.astype("datetime64[ms]")
    if values.dtype.kind == "O" and isinstance(_first_present(values), date):
        return _plain_moments(values)
    dates = _dates_of(values)
    return None if dates is None else dates.moments


def _plain_moments(values: npt.NDArray[Any]) -> Moments | None:
    """Dates of Python or pandas (M,) as moments, those with a time zone in UTC; None where some are no dates."""
    moments = np.full(len(values), "NaT", dtype="datetime64[ms]")
    for place in np.flatnonzero(labelled(values)).tolist():
        value = values[place]
        if isinstance(value, datetime) and value.tzinfo is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        if not isinstance(value, date):
            return None
        moments[place] = value
    return moments


def _first_present(values: npt.NDArray[Any]) -> object:
    return next((value for value in values if str(value).strip().lower() not in UNLABELLED), None)


def _dates_of(values: npt.NDArray[Any], order: DayMonth | None = None) -> Dates | None:
    """Texts (M,) as dates; most columns are none, and are not looked through."""
    if values.dtype.kind not in "UO":
        return None
    first = _first_present(values)
    if first is None or _written(str(first).strip()) is None:
        return None
    return read_dates(present_texts([str(value) for value in values.tolist()]), order)


def texts_or_dates(values: npt.NDArray[Any]) -> Literal["text", "dates"]:
    """The word for what a column of text holds."""
    return "text" if _dates_of(values) is None else "dates"


def as_date(text: str, order: DayMonth | None = None) -> np.datetime64 | None:
    """One date as it is typed: in ISO form, or by day, month and year."""
    import polars as pl

    read = read_dates(pl.Series([text.strip()], dtype=pl.String), order)
    return None if read is None else read.moments[0]


def iso_texts(dates: Dates) -> list[str]:
    """Dates as ISO writes them; empty where one is missing."""
    unit: Literal["s", "D"] = "s" if dates.timed else "D"
    texts = np.datetime_as_string(dates.moments.astype(f"datetime64[{unit}]")).tolist()
    return ["" if text == "NaT" else text.replace("T", " ") for text in texts]


def _written(text: str) -> tuple[list[str], str] | None:
    """How a date is written, as formats of its day (the day first, then the month first) and of its time."""
    day = _ISO.match(text) or _LOCAL.match(text)
    time = _TIME.fullmatch(text, day.end()) if day is not None else None
    if day is None or time is None:
        return None
    between = day[1]
    gap, seconds, fraction, zone = time.groups()
    offset = "" if zone is None else "Z" if zone == "Z" else "%z"
    clock = f"{gap}%H:%M{':%S' if seconds else ''}{'%.f' if fraction else ''}{offset}" if gap else ""
    if day.re is _ISO:
        return [between.join(("%Y", "%m", "%d"))], clock
    orders = [("%d", "%m", "%Y")] if between == "." else [("%d", "%m", "%Y"), ("%m", "%d", "%Y")]
    return [between.join(order) for order in orders], clock


def _moments(texts: pl.Series, form: str) -> Moments | None:
    """The moments of texts of this form, or None where one of them is of another."""
    read = texts.str.to_datetime(form, strict=False, time_unit="ms", ambiguous="null")
    moments: Moments = read.to_numpy().astype("datetime64[ms]")
    earliest = np.datetime64("1000-01-01", "ms")  # no year of two digits: 24 is not the year 24
    fits = read.null_count() == texts.null_count() and not (moments < earliest).any()
    return moments if fits else None
