"""Dates of which day and month could change places: the order is asked, and then they are written as ISO does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import numpy as np

from mvexplorer.engine.core.dates import DayMonth, as_date, iso_texts, unsure_dates
from mvexplorer.engine.core.notices import DATES, DATES_READ, Notice
from mvexplorer.io.base.parts import Values


def questions_of_dates(columns: Mapping[str, Values]) -> list[Notice]:
    """Ask which number is the day, in one sentence about all columns where nothing settles it."""
    examples = {name: dates.unsure for name, each in columns.items() if (dates := unsure_dates(each)) is not None}
    if not examples:
        return []
    name, example = next(iter(examples.items()))
    day, month = (str(as_date(example, order))[:10] for order in get_args(DayMonth))
    more = f" and {len(examples) - 1} more" if len(examples) > 1 else ""
    text = f"“{name}”{more}: {example} is {day} with the day first, and {month} with the month first."
    return [Notice(DATES, f"{text} Table and charts read the day first.", tuple(examples))]


def notes_of_order(columns: Mapping[str, Values], order: DayMonth) -> list[Notice]:
    """Say how dates are read that could be meant otherwise, so that the answer stays in sight."""
    examples = {
        name: dates.unsure for name, each in columns.items() if (dates := unsure_dates(each, order)) is not None
    }
    if not examples:
        return []
    name, example = next(iter(examples.items()))
    reads = f" and {len(examples) - 1} more read" if len(examples) > 1 else " reads"
    text = f"“{name}”{reads} the {order.replace('-', ' ')}: {example} is {str(as_date(example, order))[:10]}."
    return [Notice(DATES_READ, text, tuple(examples))]


def in_iso(columns: Mapping[str, Values], order: DayMonth) -> dict[str, Values]:
    """The columns, with dates of this order as ISO writes them: then they have one meaning everywhere."""
    return {
        name: values if (dates := unsure_dates(values, order)) is None else np.array(iso_texts(dates))
        for name, values in columns.items()
    }
