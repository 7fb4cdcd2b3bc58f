"""Charts of columns: a histogram of numbers and dates, bars of classes; and the brushes that select through them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.samples.columns import IDS, WEIGHTS, SampleColumn, number_words
from mvexplorer.state.samples.query import Mask
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.wording import line, listed

BARS = 24
"""Bars of a histogram."""
CLASSES = 12
"""Rows of a chart of classes: the rarest share the last."""
Brush = tuple[int, ...]
"""The chosen bars of a chart, ascending."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Bars of a column: for numbers and dates between `edges` (B + 1), for classes with `names` (B)."""

    column: SampleColumn
    bars: npt.NDArray[np.int16]
    """The bar of each sample (M,), -1 where its value is missing."""
    counts: npt.NDArray[np.intp]
    edges: npt.NDArray[np.float64]
    names: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether each bar is of one whole number, in its middle."""
        return not self.names and self.column.kind == "number" and float(self.edges[1] - self.edges[0]) == 1.0

    @property
    def n_missing(self) -> int:
        """How many samples have no value."""
        return len(self.bars) - int(self.counts.sum())

    def counts_of(self, samples: Mask) -> npt.NDArray[np.intp]:
        """How many of some samples are in each bar (B,)."""
        inside = self.bars[samples]
        return np.bincount(inside[inside >= 0], minlength=len(self.counts))

    def samples_in(self, brush: Brush) -> Mask:
        """Which samples (M,) are in some bars."""
        chosen = np.zeros(len(self.counts) + 1, dtype=bool)  # the last is of those without a value
        chosen[list(brush)] = True
        answer: Mask = chosen[self.bars]
        return answer

    def place_words(self, value: float) -> str:
        """A place on the axis in words: a date, or a number."""
        if self.column.kind != "date":
            return number_words(float(f"{value:.3g}"))
        three_days = 3 * 86_400_000.0  # in milliseconds
        return moment_words(value, with_time=self.edges[-1] - self.edges[0] <= three_days)

    def words(self, brush: Brush) -> str:
        """The values that a brush selects, in words."""
        title = line(self.column.title, 60)
        if self.names:
            names = [line(self.names[bar], 40) for bar in brush]
            few = 3
            return f"{title} {listed(names) if len(names) <= few else f'{names[0]} and {len(names) - 1} more'}"
        return f"{title} {self.stretch_words(brush)}"

    def stretch_words(self, brush: Brush) -> str:
        """The values between which some bars of numbers or dates lie."""
        inward = 0.5 if self.whole else 0.0
        low, high = self.edges[brush[0]] + inward, self.edges[brush[-1] + 1] - inward
        ends = self.place_words(low), self.place_words(high)
        return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def moment_words(milliseconds: float, *, with_time: bool) -> str:
    """A moment as ISO writes it: its day, or its minute."""
    text = str(np.datetime64(round(milliseconds), "ms"))
    return text[:16].replace("T", " ") if with_time else text[:10]


def chart_of(column: SampleColumn) -> Chart | None:
    """The chart of a column; None where there is nothing to see, as in names that are all different."""
    if column.source == IDS or column.group == WEIGHTS:
        return None
    if column.kind == "text":
        return _bars(column)
    missing = column.series.is_null().to_numpy()
    values = column.series.to_physical().cast(float).fill_null(np.nan).to_numpy()
    return _histogram(column, values, ~missing & np.isfinite(values))


def _bars(column: SampleColumn) -> Chart | None:
    import polars as pl

    totals = column.series.drop_nulls().value_counts(sort=True)
    names, counts = totals[totals.columns[0]], totals["count"].to_numpy()
    few = CLASSES if len(names) <= CLASSES else CLASSES - 1
    if not len(names) or (len(names) > CLASSES and counts[:few].sum() < 0.2 * counts.sum()):
        return None
    shown, _ = ordered_classes(names[:few].to_numpy())
    rest = len(names) - len(shown)
    places = pl.DataFrame(
        [pl.Series("name", shown, dtype=pl.String), pl.Series("bar", range(len(shown)), dtype=pl.Int16)]
    )
    joined = column.series.alias("name").to_frame().join(places, on="name", how="left", maintain_order="left")["bar"]
    bars = joined.fill_null(len(shown)).to_numpy().copy()
    bars[column.series.is_null().to_numpy()] = -1
    all_names = (*shown, f"{rest:,} others") if rest else tuple(shown)
    n_each = np.bincount(bars[bars >= 0], minlength=len(all_names))
    return Chart(column, bars, n_each, np.arange(len(all_names) + 1.0), tuple(map(str, all_names)))


def _histogram(column: SampleColumn, values: npt.NDArray[np.float64], present: Mask) -> Chart | None:
    if not present.any():
        return None
    low, high = float(values[present].min()), float(values[present].max())
    if not high > low:
        return None
    whole = column.kind == "number" and high - low < BARS and bool((values[present] % 1.0 == 0.0).all())
    edges = np.arange(low, high + 2.0) - 0.5 if whole else np.linspace(low, high, BARS + 1)
    bars = np.full(len(values), -1, dtype=np.int16)
    places = (values[present] - edges[0]) * ((len(edges) - 1) / (edges[-1] - edges[0]))
    bars[present] = np.clip(places, 0, len(edges) - 2).astype(np.int16)
    return Chart(column, bars, np.bincount(bars[present], minlength=len(edges) - 1), edges)


class ColumnCharts:
    """Brushes on the charts of all columns: what lies in every one of them is the document's selection."""

    changed = Signal()
    """Other charts, or other brushes."""

    def __init__(self, table: TableOfSamples, editor: Editor) -> None:
        self.table, self._editor = table, editor
        self.brushes: dict[str, Brush] = {}
        self._charts: dict[SampleColumn, Chart | None] = {}
        self._remembered: list[tuple[tuple[int, ...], dict[str, Brush]]] = []

    @property
    def columns(self) -> tuple[SampleColumn, ...]:
        """The columns that can have a chart: all but ids, weights and coordinates."""
        own = (column for column in self.table.columns if column.source != IDS and column.group != WEIGHTS)
        return tuple(column for column in own if not column.is_coordinate)

    def seen(self, column: SampleColumn) -> bool:
        """Whether the chart of a column was made."""
        return column in self._charts

    def chart(self, column: SampleColumn) -> Chart | None:
        """The chart of a column, made when it is first seen."""
        if column not in self._charts:
            present = set(self.table.columns)
            self._charts = {each: chart for each, chart in self._charts.items() if each in present}
            self._charts[column] = chart_of(column)
        return self._charts[column]

    def brush(self, source: str, bars: Iterable[int]) -> None:
        """Select by these bars of a column's chart, and by the brushes on the others; no bars take its brush away."""
        chosen = tuple(sorted(set(bars)))
        brushes = {each: brush for each, brush in self.brushes.items() if each != source}
        if chosen:
            brushes[source] = chosen
        rows = np.flatnonzero(self._within(brushes)) if brushes else np.empty(0, dtype=np.intp)
        self._editor.select(rows, "replace", self._words(brushes))
        self.brushes = brushes  # only now: another selection has just made the former ones go
        if len(rows):
            few = 30  # by which undo brings brushes back
            self._remembered = [*self._remembered[-few:], (self._editor.state.selection, brushes)]
        self.changed.emit()

    def _words(self, brushes: Mapping[str, Brush]) -> str:
        charts = [(self._chart_at(source), brush) for source, brush in brushes.items()]
        return ", ".join(chart.words(brush) for chart, brush in charts if chart is not None)

    def within_others(self, source: str) -> Mask | None:
        """Which samples (M,) lie in the brushes of all other charts; None where there are none."""
        others = {each: brush for each, brush in self.brushes.items() if each != source}
        return self._within(others) if others else None

    def follow(self, change: Change) -> None:
        """Forget the brushes once something else was selected; undo brings back those of the selection it leads to."""
        if change.samples_changed:
            self.brushes, self._remembered, self._charts = {}, [], {}
        elif change.before.selection != change.after.selection:
            now = change.after.selection
            self.brushes = next((brushes for made, brushes in reversed(self._remembered) if made is now), {})
        else:
            return
        self.changed.emit()

    def _chart_at(self, source: str) -> Chart | None:
        column = self.table.by_source.get(source)
        return None if column is None else self.chart(column)

    def _within(self, brushes: Mapping[str, Brush]) -> Mask:
        mask = np.ones(len(self.table.selected), dtype=bool)
        for source, brush in brushes.items():
            chart = self._chart_at(source)
            if chart is not None:
                mask &= chart.samples_in(brush)
        return mask


def stretch(first: int, last: int) -> Sequence[int]:
    """The bars from one to another, in either order."""
    return range(min(first, last), max(first, last) + 1)
