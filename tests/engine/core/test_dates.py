"""Dates are read as what they can only mean; where day and month could change places, both readings are told."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.engine.core.dates import as_date, iso_texts, present_texts, read_dates


def read(*texts, order=None):
    return read_dates(present_texts(list(texts)), order)


@pytest.mark.parametrize(
    ("texts", "iso"),
    [
        (["2024-04-03", "", "2024-12-31"], ["2024-04-03", "", "2024-12-31"]),
        (["2024/4/3", "n/a"], ["2024-04-03", ""]),
        (["03.04.2024"], ["2024-04-03"]),
        (["25/04/2024", "03/04/2024"], ["2024-04-25", "2024-04-03"]),
        (["04/25/2024", "04/03/2024"], ["2024-04-25", "2024-04-03"]),
        (["2024-04-03T10:30:05", "2024-04-03T23:00:00"], ["2024-04-03 10:30:05", "2024-04-03 23:00:00"]),
        (["2024-04-03 10:30"], ["2024-04-03 10:30:00"]),
        (["2024-04-03T10:30:05Z", "2024-07-03T10:30:05Z"], ["2024-04-03 10:30:05", "2024-07-03 10:30:05"]),
        (["2024-01-03T10:30:05+01:00", "2024-07-03T10:30:05+02:00"], ["2024-01-03 09:30:05", "2024-07-03 08:30:05"]),
        (["2024-04-03 10:30:05.123-0500", "n/a"], ["2024-04-03 15:30:05", ""]),
        ([" 25-04-2024 10:30"], ["2024-04-25 10:30:00"]),
    ],
)
def test_dates_of_one_meaning_are_read_without_a_question(texts, iso):
    dates = read(*texts)
    assert dates is not None
    assert dates.unsure == ""
    assert iso_texts(dates) == iso


@pytest.mark.parametrize(
    "texts",
    [[], [""], ["soon"], ["2024-04-03", "soon"], ["31/02/2024"], ["03/04/24"], ["2024"], ["2024-04-03", "03/04/2024"],
     ["13/13/2024"], ["25/04/2024", "04/25/2024"], ["2024-04-03 10:30", "2024-04-03"], ["1.2.3"]],
)  # fmt: skip
def test_other_texts_are_no_dates(texts):
    assert read(*texts) is None


def test_a_date_with_two_meanings_is_named_and_day_first_until_another_order_is_chosen():
    dates = read("03/03/2024", "", "03/04/2024", "05/06/2024")
    assert dates is not None
    assert dates.unsure == "03/04/2024"
    assert iso_texts(dates) == ["2024-03-03", "", "2024-04-03", "2024-06-05"]
    assert iso_texts(read("03/04/2024", order="month-first")) == ["2024-03-04"]
    assert iso_texts(read("03/04/2024", order="day-first")) == ["2024-04-03"]


def test_one_that_is_the_same_in_both_orders_leaves_nothing_open():
    assert read("03/03/2024").unsure == ""


def test_an_order_that_does_not_fit_changes_nothing():
    assert iso_texts(read("25/04/2024", order="month-first")) == ["2024-04-25"]


def test_a_typed_date_is_read_as_those_of_a_column():
    assert as_date(" 3.4.2024 ") == np.datetime64("2024-04-03")
    assert as_date("04/25/2024") == np.datetime64("2024-04-25")
    assert as_date("tomorrow") is None
