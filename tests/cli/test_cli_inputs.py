"""What a command was given: settings, reading options, places to write to."""

from argparse import Namespace

import pytest

from mvexplorer.cli.inputs import (
    check_picture,
    check_table,
    rule_settings,
    settings_of,
    unused_settings,
)
from mvexplorer.cli.output import error_text
from mvexplorer.cli.reading import reading
from mvexplorer.errors import DataError, MissingValuesError, MVExplorerError, Offer, ParameterError, RowsError
from mvexplorer.io.base.options import ReadOptions


def test_settings_of_one_method_count_more_than_general_ones():
    given = ["multiview.eta=0.5", "eta=0.1", "epsilon=median", "single.epsilon=3"]
    assert settings_of(given, "multiview") == {"eta": "0.5", "epsilon": "median"}
    assert settings_of(given, "single") == {"epsilon": "3"}


def test_a_value_may_hold_what_separates():
    assert settings_of(["epsilon=fou:1.2,fac:manifold(dimension=2)"], "single") == {
        "epsilon": "fou:1.2,fac:manifold(dimension=2)"
    }


def test_settings_of_rules_are_those_of_no_method():
    given = ["rule.dimension=2", "multiview.eta=0.5"]
    assert rule_settings(given) == {"dimension": "2"}
    assert settings_of(given, "multiview") == {"eta": "0.5", "rule_params": {"dimension": "2"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("eta", "--set eta has no value"),
        ("speed=3", "No method has a parameter called speed"),
        ("pca.eta=3", "pca has no parameter called eta"),
        ("nothing.eta=3", "nothing"),
    ],
)
def test_settings_that_cannot_be_meant(text, words):
    with pytest.raises(ParameterError, match=words):
        settings_of([text], "multiview")


def test_what_a_method_does_not_use_is_named():
    assert unused_settings(["eta=0.5", "epsilon=1", "multiview.eta=1"], "single") == ["eta"]
    assert unused_settings(["eta=0.5"], "multiview") == []


def options(**given):
    nothing = dict.fromkeys(("views", "labels", "ids", "preprocess", "join", "transpose"))
    return Namespace(**{**nothing, "drop_missing": False, **given})


def test_nothing_given_leaves_everything_to_the_files():
    assert reading(options()) == ReadOptions()


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"views": "b,a"}, "views", ("b", "a")),
        ({"preprocess": "zscore"}, "preprocess", "zscore"),
        ({"preprocess": "none,centre"}, "preprocess", ("none", "centre")),
        ({"transpose": "all"}, "transpose", True),
        ({"transpose": "none"}, "transpose", False),
        ({"transpose": "a.csv,b.csv"}, "transpose", ("a.csv", "b.csv")),
        ({"drop_missing": True}, "drop_missing", True),
    ],
)
def test_how_files_are_read(given, field, value):
    assert getattr(reading(options(**given)), field) == value


def test_errors_name_the_flags_that_help():
    assert error_text(MVExplorerError("It rained.", "Wait.")) == "It rained. Wait."
    assert error_text(MissingValuesError("Row 3 lacks a number.", "Call drop.", [3])).startswith(
        "Row 3 lacks a number. Drop these rows in all views with --drop-missing"
    )
    rows = RowsError("It is in doubt.", [Offer("Pair by position", {"join": "position"})])
    assert error_text(rows) == "It is in doubt. Pair by position (--join position)."


def test_places_that_cannot_be_written_to_are_refused_beforehand(tmp_path):
    check_picture(str(tmp_path / "a.PNG"), (".png", ".svg"))
    check_table(str(tmp_path / "a.npz"))
    with pytest.raises(DataError, match=r"Pictures cannot be written as .*End the file's name in \.png or \.svg"):
        check_picture(str(tmp_path / "a.jpg"), (".png", ".svg"))
    with pytest.raises(DataError, match="There is no folder"):
        check_table(str(tmp_path / "none" / "a.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="cannot be written: is a directory"):
        check_table(str(tmp_path / "folder.csv"))
