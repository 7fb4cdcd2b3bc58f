"""The table of a million samples: sorting, filtering, scrolling; and brushing the charts of its columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
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
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.samples.charts import ColumnCharts
from mvexplorer.state.samples.query import Condition
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.ui.app import application
from mvexplorer.ui.samples.beside import ChartsBeside
from mvexplorer.ui.samples.page import SamplesPage

MANY = sized(1_000_000, 500)
TIMES = sized(5, 1)
SORTED = {"column:age": "numbers", "column:site": "classes", "column:visit": "dates", "id": "their names"}
FILTERED = {
    "numbers above one": Condition("column:age", ">", "40"),
    "classes that are one": Condition("column:site", "=", "site 7"),
    "classes that hold a text": Condition("column:site", "contains", "E 1"),
    "dates before one": Condition("column:visit", "<", "2019-06-01"),
    "names that hold a text": Condition("id", "contains", "99"),
    "missing numbers": Condition("column:age", "missing"),
}


def comparisons() -> Iterator[Limit]:
    what = f"table of {MANY:,} samples"
    for source, words in SORTED.items():
        yield Limit(f"{what}, sorted by {words}", {"s": 1.0}, partial(sorting, source))
    for words, condition in FILTERED.items():
        yield Limit(f"{what}, {words}", {"s": 0.3}, partial(filtering, condition))
    yield Limit(f"{what}, 12 columns, 1600 × 1000, scrolled", {}, scrolling, at_least={"pictures/s": 30.0})
    yield Limit(f"{what}, two charts brushed in turns", {"s": 0.3}, brushing)


@cache
def a_million() -> MultiView:
    """Samples in a random order of their names, with numbers, classes and dates, of which some are missing."""
    rng = np.random.default_rng(0)
    age = rng.normal(50.0, 12.0, MANY)
    age[rng.integers(0, MANY, MANY // 50)] = np.nan
    days = np.datetime64("2015-01-01") + rng.integers(0, 3650, MANY).astype("timedelta64[D]")
    site = np.char.add("site ", rng.integers(0, 40, MANY).astype(str))
    more = {f"measured {k}": rng.normal(size=MANY) for k in range(8)}
    names = [f"sample {k}" for k in rng.permutation(MANY)]
    columns = {"age": age, "site": site, "visit": days.astype(str), **more}
    return MultiView({"numbers": rng.normal(size=(MANY, 2))}, sample_ids=names, columns=columns)


@cache
def desk() -> tuple[TableOfSamples, Document, Editor]:
    """The table of them, its columns read."""
    document = Document()
    controller = Controller(document)
    document.data = a_million()
    document.state = commands.initial_state(document.data, ("memory",), None).model_copy(update={"panels": ()})
    table = TableOfSamples(document, controller, Derived(controller))
    table.refresh()
    for column in table.columns:
        column.series  # noqa: B018  # as it was once shown
    return table, document, Editor(document, controller)


def seconds_of(work: Callable[[], object], back: Callable[[], object]) -> Mapping[str, float]:
    """The median time of some work, each time taken back."""
    times = []
    for _ in range(TIMES):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
        back()
    return {"s": median(times)}


def sorting(source: str) -> Mapping[str, float]:
    table, _, _ = desk()

    def back() -> None:
        table.sort(source)
        table.sort("column:measured 0")

    return seconds_of(lambda: table.sort(source), back)


def filtering(condition: Condition) -> Mapping[str, float]:
    table, _, _ = desk()
    return seconds_of(lambda: table.add(condition), table.show_all)


def scrolling() -> Mapping[str, float]:
    """Pictures of the table at places far from each other, painted one after the other."""
    table, _, editor = desk()
    app = application("light", exported=True)
    page = SamplesPage(table, editor)
    page.resize(1600, 1000)
    page.show()
    page.show_rows()
    app.processEvents()  # only a window that is there is painted
    bar, frames = page.view.verticalScrollBar(), sized(120, 2)
    start = perf_counter()
    for k in range(frames):
        bar.setValue(bar.maximum() * (37 * k % frames) // frames)
        page.view.viewport().repaint()
    return {"pictures/s": frames / (perf_counter() - start)}


def brushing() -> Mapping[str, float]:
    """From the hand's release until the other charts are painted."""
    table, document, editor = desk()
    app = application("light", exported=True)
    charts = ColumnCharts(table, editor)
    document.changed.connect(lambda change: (table.follow_selection(), charts.follow(change)))
    beside = ChartsBeside(charts)
    beside.resize(216, 900)
    beside.show()
    app.processEvents()
    numbers = iter(range(2 * TIMES))

    def brush() -> None:
        k = next(numbers)
        charts.brush(*(("column:site", [k % 5]) if k % 2 else ("column:age", range(8, 14 + k % 3))))
        beside.area.canvas.repaint()

    brush()  # the charts are made
    return seconds_of(brush, lambda: None)
