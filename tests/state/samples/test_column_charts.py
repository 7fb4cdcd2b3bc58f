"""Charts count every sample once; brushes on several of them select what lies in all, and undo brings them back."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.samples.charts import ColumnCharts
from mvexplorer.state.samples.table import TableOfSamples

N = 300
RNG = np.random.default_rng(5)
AGE = np.where(np.arange(N) % 10 == 3, np.nan, RNG.normal(50.0, 10.0, N))
SITE = np.where(np.arange(N) % 7 == 2, "", np.char.add("site ", RNG.integers(1, 4, N).astype(str)))
DAYS = np.datetime64("2024-01-01") + RNG.integers(0, 366, N).astype("timedelta64[D]")
MANY = np.char.add("town ", np.concatenate([np.arange(N - 200), np.arange(200) % 6]).astype(str))
COLUMNS = {
    "age": AGE, "site": SITE, "visit": DAYS.astype(str), "count": RNG.integers(2, 9, N), "town": MANY,
    "name": np.char.add("n", np.arange(N).astype(str)), "same": np.ones(N), "none": np.full(N, np.nan),
}  # fmt: skip


@pytest.fixture
def desk():
    """A document with the data, and the charts of its columns."""
    document = Document()
    controller = Controller(document)
    editor = Editor(document, controller)
    document.data = MultiView({"x": RNG.normal(size=(N, 3))}, columns=COLUMNS)
    document.state = commands.initial_state(document.data, ("memory",), None).model_copy(update={"panels": ()})
    table = TableOfSamples(document, controller, Derived(controller))
    table.refresh()
    charts = ColumnCharts(table, editor)
    document.changed.connect(charts.follow)
    yield document, charts
    controller.shutdown()


def chart(desk, name):
    return desk[1].chart(desk[1].table.by_source[f"column:{name}"])


@pytest.mark.parametrize("name", ["age", "site", "visit", "count", "town"])
def test_every_sample_with_a_value_is_in_one_bar(desk, name):
    shown = chart(desk, name)
    column = shown.column.series
    assert (shown.bars < 0).tolist() == column.is_null().to_list()
    assert shown.counts.sum() + shown.n_missing == N
    assert shown.n_missing == column.null_count()
    every = shown.samples_in(tuple(range(len(shown.counts))))
    assert every.tolist() == column.is_not_null().to_list()


def test_bars_of_numbers_are_those_of_numpy(desk):
    shown = chart(desk, "age")
    expected, edges = np.histogram(AGE[~np.isnan(AGE)], bins=24)
    assert shown.counts.tolist() == expected.tolist()
    assert np.allclose(shown.edges, edges)


def test_few_whole_numbers_have_a_bar_each(desk):
    shown = chart(desk, "count")
    assert shown.counts.tolist() == [int((COLUMNS["count"] == k).sum()) for k in range(2, 9)]


def test_dates_have_an_axis_in_dates(desk):
    shown = chart(desk, "visit")
    assert shown.place_words(shown.edges[0]) == str(DAYS.min())
    assert shown.place_words(shown.edges[-1]) == str(DAYS.max())
    assert shown.words((0, 1)).startswith(f"visit {DAYS.min()} to 2024-")


def test_rare_classes_share_the_last_bar(desk):
    shown = chart(desk, "town")
    assert len(shown.names) == 12
    assert shown.names[-1].endswith(" others")


@pytest.mark.parametrize("name", ["name", "same", "none"])
def test_a_column_in_which_nothing_can_be_seen_has_no_chart(desk, name):
    assert chart(desk, name) is None


def test_a_measured_column_is_brushed_as_any_other(desk):
    document, charts = desk
    values = document.data.Xs[0][:, 2]
    shown = charts.chart(charts.table.by_source["feature:x:2"])
    assert shown.column in charts.columns
    charts.brush("feature:x:2", range(12))
    assert document.state.selection == tuple(np.flatnonzero(values < shown.edges[12]).tolist())
    assert document.state.selections.origin.startswith("feature 3, x −")


def test_two_brushes_select_what_lies_in_both(desk):
    document, charts = desk
    ages, sites = chart(desk, "age"), chart(desk, "site")
    charts.brush("column:age", range(8, 14))
    within_ages = ages.samples_in(tuple(range(8, 14)))
    assert document.state.selection == tuple(np.flatnonzero(within_ages).tolist())
    charts.brush("column:site", [1])
    both = within_ages & (sites.names[1] == SITE)
    assert document.state.selection == tuple(np.flatnonzero(both).tolist())
    assert document.state.selections.origin == charts._words(charts.brushes)
    assert document.state.selections.origin.endswith(", site site 2")
    assert charts.within_others("column:site").tolist() == within_ages.tolist()
    charts.brush("column:age", [])
    assert document.state.selection == tuple(np.flatnonzero(sites.names[1] == SITE).tolist())
    charts.brush("column:site", [])
    assert document.state.selection == ()


def test_undo_and_redo_bring_the_brushes_of_their_selection_back(desk):
    document, charts = desk
    charts.brush("column:age", range(8, 14))
    one = dict(charts.brushes)
    charts.brush("column:site", [1])
    two = dict(charts.brushes)
    document.undo()
    assert charts.brushes == one
    document.redo()
    assert charts.brushes == two


def test_a_selection_from_elsewhere_takes_the_brushes_away(desk):
    document, charts = desk
    charts.brush("column:age", range(8, 14))
    commands.select(document, [1, 2])
    assert charts.brushes == {}
    commands.select(document, [])
    assert charts.brushes == {}


def test_brushes_without_a_sample_in_common_select_nothing_and_stay(desk):
    document, charts = desk
    lone = int(np.flatnonzero(chart(desk, "count").counts)[0])
    charts.brush("column:count", [lone])
    outside = set(range(24)) - set(chart(desk, "age").bars[np.array(document.state.selection)].tolist())
    charts.brush("column:age", outside)
    assert document.state.selection == ()
    assert set(charts.brushes) == {"column:count", "column:age"}
