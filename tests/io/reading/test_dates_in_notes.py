"""What notes and counts say of columns of dates and of gaps is what the table and the charts take them for."""

import numpy as np
import pytest

from mvexplorer.engine.core.dates import texts_or_dates
from mvexplorer.engine.core.notices import POSSIBLE_LABEL
from mvexplorer.errors import MissingValuesError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import inspect_files


def written(path, visits, name="visit"):
    lines = [f"p{k},{visit},{k * 7 % 11},{k * k % 13}" for k, visit in enumerate(visits)]
    path.write_text("\n".join([f"id,{name},a,b", *lines]), "utf-8")
    return str(path)


UNSURE = [f"{1 + k % 9:02d}/{1 + k % 8:02d}/2024" for k in range(40)]


def visit_of(file, options):
    found = inspect_files([file], options)
    return next(each for each in found.items if each.name == "visit"), [str(note) for note in found.notes]


@pytest.mark.parametrize("order", [None, "day-first", "month-first"])
def test_a_column_of_dates_is_said_to_hold_dates_in_their_order(tmp_path, order):
    item, notes = visit_of(written(tmp_path / "v.csv", UNSURE), ReadOptions(dates=order))
    assert item.dtype == "date"
    words = (order or "day-first").replace("-", " ")
    assert item.why == f"column “visit” holds dates and is offered for colouring. They are read {words}."
    assert not [note for note in notes if "holds text" in note]


def test_dates_of_few_days_are_not_proposed_as_the_label(tmp_path):
    few = [f"2024-03-0{1 + k % 4}" for k in range(40)]
    for visits, proposed in ((few, []), ([day.replace("-", "_") for day in few], ["visit"])):
        notes = inspect_files([written(tmp_path / "v.csv", visits)], ReadOptions()).notes
        assert [note.subjects[0] for note in notes if note.code == POSSIBLE_LABEL] == proposed


def test_dates_of_one_meaning_have_no_order(tmp_path):
    item, _ = visit_of(written(tmp_path / "v.csv", [f"2024-03-{1 + k % 28:02d}" for k in range(40)]), ReadOptions())
    assert item.why == "column “visit” holds dates and is offered for colouring."


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["", "2024-03-04", "nan"], "dates"),
        (["2024-03-04", "soon"], "text"),
        (["ward 3"], "text"),
        (["", "nan"], "text"),
    ],
)
def test_only_what_is_a_date_throughout_is_called_so(values, words):
    assert texts_or_dates(np.array(values)) == words


def holed(folder):
    files = []
    for view, holes in (("near", (2, 5, 9)), ("far", (9, 12))):
        cells = [["" if k in holes and j == 0 else str(k * (j + 3) % 17) for j in range(2)] for k in range(30)]
        rows = [",".join((f"s{k}", *each)) for k, each in enumerate(cells)]
        (folder / f"{view}.csv").write_text("\n".join(["id,a,b", *rows]), "utf-8")
        files.append(str(folder / f"{view}.csv"))
    return files


def test_counts_of_filled_gaps_add_up(tmp_path):
    notes = [str(note) for note in inspect_files(holed(tmp_path), ReadOptions(missing="median")).notes]
    text = "5 missing values of 4 of 30 samples were filled in by the median of their feature: 3 in near, 2 in far."
    assert text in notes


def test_rows_that_lack_values_in_several_views_are_told(tmp_path):
    error = inspect_files(holed(tmp_path), ReadOptions()).error
    assert isinstance(error, MissingValuesError)
    assert error.message == (
        "4 of 30 rows hold missing or infinite values, in near (3), far (2), some rows in several views."
    )
