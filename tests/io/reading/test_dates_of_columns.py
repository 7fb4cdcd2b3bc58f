"""Columns of dates: day and month are asked where they could change places, and the answer is kept."""

from __future__ import annotations

import warnings

import pytest

import mvexplorer as mvx
from mvexplorer.errors import DataWarning
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.check_list import check_list
from mvexplorer.io.reading.inspection import inspect_files

SURE = ["25/04/2024", "03/04/2024", "", "01/12/2023", "25/04/2024"]
UNSURE = ["05/04/2024", "03/04/2024", "", "01/12/2023", "05/04/2024"]


@pytest.fixture
def table(tmp_path):
    rows = zip(range(5), SURE, UNSURE, ["2024-05-01"] * 5, strict=True)
    (tmp_path / "a.csv").write_text("u,birth,visit,seen\n" + "\n".join(",".join(map(str, row)) for row in rows))
    return str(tmp_path / "a.csv")


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mvx.load(path, **options)


def test_types_and_ranges_of_dates_are_told(table):
    items = {item.name: item for item in inspect_files([table]).items}
    assert {name: item.dtype for name, item in items.items()} == {
        "u": "float64", "birth": "date", "visit": "date", "seen": "date",
    }  # fmt: skip
    assert items["birth"].range == "2023-12-01 … 2024-04-25"
    assert items["seen"].range == "2024-05-01"
    assert inspect_files([table], ReadOptions(dates="month-first")).items[2].range == "2023-01-12 … 2024-05-04"


def test_only_dates_of_two_meanings_are_asked_about(table):
    (card,) = [card for card in check_list(inspect_files([table])) if card.title == "Dates"]
    assert card.state == "proposal"
    assert card.remarks[0].text.startswith("“visit”: 05/04/2024 is 2024-04-05 with the day first, and 2024-05-04 with")
    assert [offer.in_shell for offer in card.remarks[0].offers] == ["--dates day-first", "--dates month-first"]


def test_nothing_changes_until_the_order_is_chosen(table):
    with pytest.warns(DataWarning, match="dates="):
        data = mvx.load(table)
    assert list(data.columns["visit"]) == [text or "unlabelled" for text in UNSURE]


def test_the_order_that_is_chosen_is_kept_in_iso_dates(table):
    days = read(table, dates="day-first").columns
    assert list(days["visit"]) == ["2024-04-05", "2024-04-03", "", "2023-12-01", "2024-04-05"]
    assert days["birth"][0] == "25/04/2024"  # it has one meaning, and stays as it is
    months = read(table, dates="month-first").columns
    assert list(months["visit"]) == ["2024-05-04", "2024-03-04", "", "2023-01-12", "2024-05-04"]


@pytest.mark.parametrize(("order", "day"), [("day-first", "2024-04-05"), ("month-first", "2024-05-04")])
def test_the_card_of_dates_shows_the_order_before_and_after_an_answer(table, order, day):
    def card(**options):
        given = ReadOptions(**options)
        (one,) = [one for one in check_list(inspect_files([table], given), given) if one.title == "Dates"]
        return one

    assert card().remarks[0].chosen.title == "Day first"
    answered = card(dates=order)
    assert answered.state == "fine"
    assert answered.remarks[0].text == f"“visit” reads the {order.replace('-', ' ')}: 05/04/2024 is {day}."
    assert answered.remarks[0].offers == card().remarks[0].offers
    assert answered.remarks[0].chosen.options == {"dates": order}
