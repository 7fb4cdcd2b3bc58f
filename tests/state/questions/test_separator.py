"""What sets the selected samples apart: asked once, about the present selection, and where its rows lead."""

from types import SimpleNamespace

import numpy as np
import pytest
from inline import Inline, Later, opened

from mvexplorer.engine.analysis.separation import separation
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.most_changed import MostChanged
from mvexplorer.state.questions.separator import Separator


@pytest.fixture
def bench():
    document, later = opened(), Later()
    controller = Controller(document, executor=Inline(), background=later)
    yield document, later, Editor(document, controller), Separator(controller, Editor(document, controller))
    controller.shutdown()


def test_it_is_about_the_present_selection(bench):
    document, later, editor, separator = bench
    separator.ask()
    assert not later.waiting
    assert separator.words.startswith("Select samples")
    editor.select(range(20))
    separator.ask()
    separator.ask()
    assert separator.words.endswith("…")
    later.run_all()
    expected = separation(np.arange(90) < 20, document.data)
    assert separator.found == expected
    assert separator.words == expected.sentence
    separator.ask()
    assert not later.waiting, "what is known is not asked again"
    editor.select(range(30))
    assert separator.found is None, "an answer about other samples is none"
    editor.select_all()
    separator.ask()
    assert not later.waiting
    assert "no others to compare with" in separator.words


def test_a_row_leads_to_its_samples_or_its_numbers(bench):
    document, later, editor, separator = bench
    editor.select(range(20))
    separator.ask()
    later.run_all()
    rows = separator.found.rows
    separator.follow(next(row for row in rows if row.kind == "class" and row.value == "1"))
    assert document.state.selection == tuple(np.flatnonzero(document.data.labels == 1).tolist())
    separator.follow(next(row for row in rows if row.kind == "feature" and row.source == "feature:v2:1"))
    assert document.state.colour == "feature:v2:1"


def test_dates_are_one_row_of_mean_dates_and_are_shown_in_years(bench):
    document, later, editor, separator = bench
    days = np.datetime_as_string(np.datetime64("2023-01-01") + np.arange(90) % 12 * 30 + 100 * (np.arange(90) < 20))
    days[40] = ""
    document.data = document.data.replace(columns={"visit": days})
    editor.select(range(20))
    separator.ask()
    later.run_all()
    (row,) = (row for row in separator.found.rows if row.kind == "column")
    moments = days[days != ""].astype("datetime64[D]").astype(int)
    means = [str(np.datetime64(round(part.mean()), "D")) for part in (moments[:20], moments[20:])]
    assert row.words.startswith(f"mean {means[0]} against {means[1]}, d ")
    assert (row.name, row.value, row.dated, row.effect > 0) == ("visit", "", True, True)
    groups = separator.groups_of(row)
    assert (len(groups.first), len(groups.second), groups.title) == (20, 69, "visit, in years")
    assert groups.first.mean() == pytest.approx(row.inside)
    assert int(groups.first.min()) == 2023


def test_it_can_be_stopped(bench):
    _, _, editor, separator = bench
    editor.select(range(20))
    separator.ask()
    editor._controller.cancel("separation")
    assert "stopped" in separator.words


def test_what_two_panels_disagree_about_is_not_asked_again_once_it_was_stopped(bench):
    document, later, editor, _ = bench
    document.data = document.data.replace(labels=None)
    comparer = SimpleNamespace(values=np.arange(90.0))
    changed = MostChanged(editor._controller, comparer)
    changed.changed.connect(changed.words)
    before = changed.words()
    editor._controller.cancel("most changed")
    assert changed.words() == before
    later.run_all()
    assert not later.waiting
    comparer.values = -comparer.values
    changed.words()
    later.run_all()
    assert "that changed most is" in changed.words()


def test_a_second_selection_is_asked_about_until_it_is_gone(bench):
    document, later, editor, separator = bench
    editor.select(range(30, 60), origin="lasso in PCA 2-D")
    editor.keep_selection("second")
    editor.select(range(32))
    assert separator.possible == ("second",)
    assert not separator.is_circular
    separator.compare_with("second")
    assert (separator.others, separator.is_circular) == ("second", True)
    separator.ask()
    later.run_all()
    places = np.arange(90)
    second = (places >= 30) & (places < 60)
    expected = separation(places < 32, document.data, against=second, against_name="second")
    assert separator.found == expected
    row = next(row for row in expected.rows if row.source == "feature:v2:1")
    groups = separator.groups_of(row)
    np.testing.assert_array_equal(groups.first, document.data.Xs[1][:30, 1])
    np.testing.assert_array_equal(groups.second, document.data.Xs[1][32:60, 1])
    editor.select(range(40, 50))
    assert separator.against == "", "each selection begins with the rest"
    separator.compare_with("second")
    groups = separator.groups_of(row)
    np.testing.assert_array_equal(groups.first, document.data.Xs[1][40:50, 1])
    np.testing.assert_array_equal(groups.second, document.data.Xs[1][[*range(30, 40), *range(50, 60)], 1])
    editor.select(range(32))
    separator.compare_with("second")
    editor.delete_selections(["second"])
    assert (separator.against, separator.others) == ("", "rest")
    assert separator.found is None
    editor.select(range(30, 60))
    assert separator.possible == ()
