"""The table of samples filters and sorts as plain Python would, whatever is in its columns."""

from __future__ import annotations

import math
from datetime import datetime

import numpy as np
import polars as pl
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ParameterError
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.samples import query as query_module
from mvexplorer.state.samples.query import Condition, TableQuery, column_order, met
from mvexplorer.state.samples.table import TableOfSamples

N = 240
RNG = np.random.default_rng(3)
AGE = np.where(np.arange(N) % 11 == 4, np.nan, RNG.normal(50.0, 10.0, N).round(1))
SITE = np.where(np.arange(N) % 13 == 5, "", np.char.add("site ", RNG.integers(1, 21, N).astype(str)))
DAYS = np.datetime64("2023-11-20") + RNG.integers(0, 90, N).astype("timedelta64[D]")
VISIT = np.where(np.arange(N) % 17 == 6, "", DAYS.astype(str))
MIXED = np.array(["10", "9", "n/a", "low", "2.5", "2.25", "-3", "high 10", "high 9", "NaN"])[RNG.integers(0, 10, N)]
COUNT = RNG.integers(0, 5, N)
COLUMNS = {"age": AGE, "site": SITE, "visit": VISIT, "mixed": MIXED, "count": COUNT}
IDS = [f"sample {k}" for k in RNG.permutation(N)]


def data_of(columns=COLUMNS, ids=IDS):
    return MultiView({"x": np.random.default_rng(0).normal(size=(N, 3))}, sample_ids=ids, columns=columns)


@pytest.fixture
def desk():
    """A document with the data, and the table of its samples."""
    document = Document()
    controller = Controller(document)
    document.data = data_of()
    document.state = commands.initial_state(document.data, ("memory",), None).model_copy(update={"panels": ()})
    table = TableOfSamples(document, controller, Derived(controller))
    table.refresh()
    yield document, table
    controller.shutdown()


@pytest.fixture
def table(desk):
    return desk[1]


def values_of(name):
    """The values of a column in plain Python, None where one is missing."""
    if name == "age":
        return [None if math.isnan(value) else float(value) for value in AGE]
    if name == "count":
        return COUNT.tolist()
    texts = {"site": SITE, "visit": VISIT, "mixed": MIXED, "id": np.array(IDS)}[name].tolist()
    texts = [None if text in ("", "n/a", "NaN") else text for text in texts]
    return texts if name != "visit" else [text and datetime.fromisoformat(text) for text in texts]


def natural(value):
    """How a reader orders texts: numbers by their value first, then words, digits in them by their value."""
    try:
        return (0, float(value), "")
    except ValueError:
        word = value.rstrip("0123456789")
        return (1, word, int(value[len(word) :] or 0))


def source(name):
    return "id" if name == "id" else f"column:{name}"


# Order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["age", "site", "visit", "mixed", "count", "id"])
@pytest.mark.parametrize("descending", [False, True])
def test_order_is_that_of_plain_python_with_missing_values_last_both_ways(table, name, descending):
    values = values_of(name)
    key = natural if name in ("site", "mixed", "id") else lambda value: value
    there = [k for k in range(N) if values[k] is not None]
    ranks = {each: place for place, each in enumerate(sorted({key(values[k]) for k in there}))}
    ordered = sorted(there, key=lambda k: -ranks[key(values[k])] if descending else ranks[key(values[k])])
    missing = [k for k in range(N) if values[k] is None]
    order = column_order(table.by_source[source(name)], descending=descending)
    assert order.tolist() == ordered + missing  # ties as in the file


@pytest.mark.parametrize("name", ["id", "site", "mixed"])
def test_very_many_different_texts_are_in_the_same_order(table, monkeypatch, name):
    column = table.by_source[source(name)]
    few = column_order(column)
    monkeypatch.setattr(query_module, "FEW", column.series.n_unique() - 2)
    assert column_order(column).tolist() == few.tolist()


def test_sort_goes_up_then_down_then_back_to_the_file(table):
    seen = []
    for _ in range(3):
        table.sort("column:age")
        seen.append((table.query.sort, table.query.descending))
    assert seen == [("column:age", False), ("column:age", True), ("", False)]
    assert table.rows.tolist() == list(range(N))


# Filters ----------------------------------------------------------------------------------------------------------


def held(name, how, text):
    """The rows that plain Python finds."""
    rows = []
    for row, value in enumerate(values_of(name)):
        if value is None:
            continue
        if name in ("age", "count"):
            other, shown = float(text) if how != "contains" else 0.0, f"{value:g}"
        elif name == "visit":
            other, shown = datetime.fromisoformat(text) if how != "contains" else None, value.date().isoformat()
        else:
            other, shown = text, value
            if how in "<>":
                value, other = natural(value), natural(text)
        ways = {
            "=": lambda v, o: v == o, "≠": lambda v, o: v != o, "<": lambda v, o: v < o, ">": lambda v, o: v > o,
            "contains": lambda v, o: text.lower() in shown.lower(),  # noqa: B023  # called at once
        }  # fmt: skip
        rows += [row] if ways[how](value, other) else []
    return rows


@pytest.mark.parametrize(
    ("name", "text"),
    [("age", "50.3"), ("age", "1e1"), ("count", "2"), ("visit", "2024-01-05"), ("site", "site 9"), ("mixed", "9"),
     ("mixed", "low"), ("id", "sample 77")],
)  # fmt: skip
@pytest.mark.parametrize("how", ["=", "≠", "<", ">"])
def test_comparisons_hold_for_the_rows_that_plain_python_finds(table, name, how, text):
    rows = np.flatnonzero(met(table.by_source[source(name)], Condition(source(name), how, text)))
    assert rows.tolist() == held(name, how, text)


@pytest.mark.parametrize(
    ("name", "text"), [("age", "5"), ("visit", "2023-12"), ("site", "ITE 1"), ("id", ".*"), ("id", "7")]
)
def test_contains_looks_for_the_text_as_it_stands_whatever_its_case(table, name, text):
    rows = np.flatnonzero(met(table.by_source[source(name)], Condition(source(name), "contains", text)))
    assert rows.tolist() == held(name, "contains", text)


@pytest.mark.parametrize("name", ["age", "site", "visit", "mixed", "count"])
def test_missing_finds_what_has_no_value(table, name):
    rows = np.flatnonzero(met(table.by_source[source(name)], Condition(source(name), "missing")))
    assert rows.tolist() == [row for row, value in enumerate(values_of(name)) if value is None]


def test_all_conditions_hold_at_once_and_keep_the_order(table):
    table.sort("column:age")
    table.add(Condition("column:count", ">", "1"))
    table.add(Condition("column:site", "contains", "1"))
    table.find("SAMPLE 1")
    ids = set(held("id", "contains", "sample 1"))
    rows = set(held("count", ">", "1")) & set(held("site", "contains", "1")) & ids
    assert table.rows.tolist() == [row for row in column_order(table.by_source["column:age"]).tolist() if row in rows]
    assert table.filters == "count > 1, site contains 1, id contains SAMPLE 1"
    table.show_all()
    assert len(table.rows) == N
    assert table.query == TableQuery(sort="column:age")


@pytest.mark.parametrize("typed", ["52.5", "52,5", " 5.25e1 "])
def test_a_number_may_be_typed_with_a_decimal_comma(table, typed):
    table.add(Condition("column:age", ">", typed))
    assert table.rows.tolist() == np.flatnonzero(AGE > 52.5).tolist()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("age", "fifty", "“fifty” is no number, and “age” holds numbers."),
     ("visit", "soon", "“soon” is no date, and “visit” holds dates."),
     ("site", "  ", "There is nothing to compare with.")],
)  # fmt: skip
def test_a_value_that_fits_no_column_is_one_sentence_and_changes_nothing(table, name, text, message):
    before = table.query
    with pytest.raises(ParameterError) as refused:
        table.add(Condition(source(name), "=", text))
    assert refused.value.message == message
    assert refused.value.hint.count(".") <= 2
    assert table.query is before


@pytest.mark.parametrize("typed", ["2024-01-05", "05/01/2024", "5.1.2024", " 2024/01/05 "])
def test_a_date_may_be_typed_in_its_usual_forms(table, typed):
    column = table.by_source["column:visit"]
    assert np.flatnonzero(met(column, Condition("", "<", typed))).tolist() == held("visit", "<", "2024-01-05")


def test_a_typed_date_has_the_order_of_its_column(desk):
    document, table = desk
    american = np.array(["04/25/2024", "03/04/2024", "04/03/2024"])[np.arange(N) % 3]
    document.reset(document.state, data_of({"visit": american}))
    table.refresh()
    column = table.by_source["column:visit"]
    assert np.flatnonzero(met(column, Condition("", "=", "04/03/2024")))[:2].tolist() == [2, 5]
    assert column.told(np.arange(3)) == ["2024-04-25", "2024-03-04", "2024-04-03"]


def test_numbers_may_be_typed_as_they_are_written(table):
    column = table.by_source["column:mixed"]
    assert column.kind == "text"  # some are no numbers
    age = table.by_source["column:age"]
    assert met(age, Condition("", ">", "−3")).sum() == (~np.isnan(AGE)).sum()


# Following the document -------------------------------------------------------------------------------------------


def test_selected_samples_alone_follow_the_selection_and_undo(desk):
    document, table = desk
    commands.select(document, [3, 5, 8])
    table.refresh()
    table.limit(selected=True)
    assert table.rows.tolist() == [3, 5, 8]
    commands.select(document, [9])
    table.refresh()
    assert table.rows.tolist() == [9]
    document.undo()
    table.refresh()
    assert table.rows.tolist() == [3, 5, 8]


def test_other_data_takes_conditions_and_order_away(desk):
    document, table = desk
    table.add(Condition("column:age", ">", "50"))
    document.reset(document.state, data_of({"age": SITE}))
    table.refresh()
    assert table.query == TableQuery()
    assert len(table.rows) == N
    assert [column.title for column in table.columns if column.source.startswith("column:")] == ["age"]


def test_data_that_has_left_is_let_go_of_and_its_selection_not_mistaken(desk):
    document, table = desk
    table.add(Condition("column:age", ">", "50"))
    shorter = np.random.default_rng(0).normal(size=(20, 2))
    document.reset(document.state, MultiView({"x": shorter}))
    commands.select(document, [3])
    table.follow_selection()  # before the rows of the new data are there
    assert len(table.selected) == N
    table.forget()
    assert (table.columns, len(table.rows), len(table.selected)) == ((), 0, 0)
    table.refresh()
    assert table.rows.tolist() == list(range(20))
    assert np.flatnonzero(table.selected).tolist() == [3]


def test_columns_keep_what_is_known_of_them_until_their_numbers_change(desk):
    document, table = desk
    before = table.columns
    commands.select(document, [1])
    table.refresh()
    assert table.columns == before


# What was measured ------------------------------------------------------------------------------------------------


def titles(table):
    return [column.title for column in table.columns]


def in_groups(groups):
    return {group.title: list(group.sources.values()) for group in groups}


def show(desk, data):
    """Show data without panels, whose weights would become columns when they are computed."""
    document, table = desk
    document.reset(commands.initial_state(data, ("memory",), None).model_copy(update={"panels": ()}), data)
    table.refresh()


def of_two_views(wide=2):
    rng = np.random.default_rng(1)
    views = {"near": rng.normal(size=(N, 2)), "far": rng.normal(size=(N, wide))}
    names = [["=area", "<b>hue</b>"], [f"gene {k}" for k in range(wide)]]
    return MultiView(views, sample_ids=IDS, columns={"age": AGE}, feature_names=names)


def test_features_are_columns_by_views_after_those_that_came_with_the_samples(desk):
    document, table = desk
    show(desk, of_two_views())
    assert titles(table)[:6] == ["id", "age", "=area, near", "<b>hue</b>, near", "gene 0, far", "gene 1, far"]
    column = table.by_source["feature:far:1"]
    assert column.group == "Columns of far"
    table.add(Condition("feature:far:1", ">", "0.5"))
    values = document.data.Xs[1][:, 1]
    assert table.rows.tolist() == np.flatnonzero(values > 0.5).tolist()
    assert "'=area, near" in table.tsv(table.rows).splitlines()[0].split("\t")
    before = table.columns
    table.refresh()
    assert table.columns == before  # not read again


def test_no_feature_is_read_before_it_is_seen(desk, table):
    show(desk, of_two_views())
    features = [column for column in table.columns if column.source.startswith("feature:")]
    assert len(features) == 4
    assert not [column for column in features if "values" in vars(column)]


def test_of_very_many_features_those_are_columns_that_a_search_found(desk):
    document, table = desk
    show(desk, of_two_views(300))
    assert titles(table) == ["id", "age"]
    assert in_groups(table.search("gene 29 far"))["Columns of far"][0] == "far, gene 29"
    assert in_groups(table.search("age")) == {"Columns of the samples": ["age"]}
    table.show_column("feature:far:299")
    table.show_column("feature:far:29")
    assert titles(table) == ["id", "age", "gene 29, far", "gene 299, far"]
    assert table.by_source["feature:far:29"].values.tolist() == document.data.Xs[1][:, 29].tolist()
    found = table.search("gene 299")
    assert [source for group in found for source in group.sources] == ["feature:far:299"]
    show(desk, of_two_views(301))
    assert titles(table) == ["id", "age"], "those of other data are not asked for"


# Copying ----------------------------------------------------------------------------------------------------------

HOSTILE = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "tab\there", "two\nlines", "-5", '"quoted"', "<b>bold</b>"]


def test_copied_rows_are_the_selected_ones_in_the_order_shown_or_all(desk):
    document, table = desk
    table.sort("column:age")
    assert len(table.tsv(table.rows).splitlines()) == N + 1
    commands.select(document, [10, 20, 30])
    table.refresh()
    lines = table.tsv(table.selected_rows).splitlines()
    assert lines[0].split("\t") == [column.title for column in table.columns]
    in_order = [row for row in table.rows if row in (10, 20, 30)]
    assert [one.split("\t")[0] for one in lines[1:]] == [IDS[row] for row in in_order]
    ages = [one.split("\t")[1] for one in lines[1:]]
    assert [float(age) if age else None for age in ages] == [values_of("age")[row] for row in in_order]


def test_hostile_texts_are_inert_in_what_is_copied(desk):
    document, table = desk
    texts = np.array(HOSTILE)[np.arange(N) % len(HOSTILE)]
    document.reset(document.state, data_of({"=1+1": texts}, [f"{text}{k}" for k, text in enumerate(texts)]))
    table.refresh()
    lines = table.tsv(table.rows).split("\n")
    assert len(lines) == N + 2  # one of names, one behind the last end
    assert {len(each.split("\t")) for each in lines[:-1]} == {5}  # the id, this column and three features
    cells = [cell for each in lines[:-1] for cell in each.split("\t")]
    assert not [cell for cell in cells if cell[0] in "=+@" or cell.startswith("-2+")]
    assert lines[0].startswith("id\t'=1+1\tfeature 1, x\t")
    assert "-5" in cells  # a number is no formula
    assert pl.read_csv(table.tsv(table.rows).encode(), separator="\t", quote_char=None).height == N
