"""The table of a million samples: sorting, filtering, scrolling; and brushing the charts of its columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from statistics import median
from time import perf_counter

import numpy as np
from comparison import Limit, sized

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.samples.query import Condition
from mvexplorer.state.samples.table import TableOfSamples

MANY = sized(1_000_000, 500)
SORT_S, FILTER_S = 1.0, 0.3


def comparisons() -> Iterator[Limit]:
    for source, words in SORTED.items():
        yield Limit(f"table of {MANY:,} samples, sorted by {words}", {"s": SORT_S}, lambda s=source: sorting(s))
    for words, condition in FILTERED.items():
        yield Limit(f"table of {MANY:,} samples, {words}", {"s": FILTER_S}, lambda c=condition: filtering(c))


SORTED = {
    "column:age": "numbers", "column:site": "classes", "column:visit": "dates", "id": "their names",
}  # fmt: skip
FILTERED = {
    "numbers above one": Condition("column:age", ">", "40"),
    "classes that are one": Condition("column:site", "=", "site 7"),
    "classes that hold a text": Condition("column:site", "contains", "E 1"),
    "dates before one": Condition("column:visit", "<", "2019-06-01"),
    "names that hold a text": Condition("id", "contains", "99"),
    "missing numbers": Condition("column:age", "missing"),
}


@cache
def a_million() -> MultiView:
    """Samples in a random order of their names, with numbers, classes and dates, of which some are missing."""
    rng = np.random.default_rng(0)
    age = rng.normal(50.0, 12.0, MANY)
    age[rng.integers(0, MANY, MANY // 50)] = np.nan
    days = np.datetime64("2015-01-01") + rng.integers(0, 3650, MANY).astype("timedelta64[D]")
    columns = {
        "age": age,
        "site": np.char.add("site ", rng.integers(0, 40, MANY).astype(str)),
        "visit": days.astype(str),
    }
    names = [f"sample {k}" for k in rng.permutation(MANY)]
    return MultiView({"numbers": rng.normal(size=(MANY, 2))}, sample_ids=names, columns=columns)


@cache
def table() -> TableOfSamples:
    """The table of them, its columns read."""
    document = Document()
    controller = Controller(document)
    document.data = a_million()
    document.state = commands.initial_state(document.data, ("memory",), None).model_copy(update={"panels": ()})
    made = TableOfSamples(document, controller, Derived(controller))
    made.refresh()
    for column in made.columns:
        column.series  # noqa: B018  # as it was once shown
    return made


def sorting(source: str) -> Mapping[str, float]:
    shown, seconds = table(), []
    for _ in range(sized(5, 1)):
        for _ in range(2):  # up and down
            start = perf_counter()
            shown.sort(source)
            seconds.append(perf_counter() - start)
        shown.sort(source)
    return {"s": median(seconds)}


def filtering(condition: Condition) -> Mapping[str, float]:
    shown, seconds = table(), []
    for _ in range(sized(5, 1)):
        start = perf_counter()
        shown.add(condition)
        seconds.append(perf_counter() - start)
        shown.show_all()
    return {"s": median(seconds)}
