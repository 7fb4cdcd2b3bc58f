"""The choices of how files are read: checked, the same in any form, and kept in sessions."""

from __future__ import annotations

import pytest

from mvexplorer.errors import ParameterError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.document.model import DocumentState

ALL = ReadOptions(
    roles={"stage": "label", "batch": "ignore"},
    split={"wild": "wt_*", "rest": ["a", "b"]},
    names={"t": "mean"},
    missing="knn",
    half="train",
    samples="union",
)


def test_mappings_are_kept_as_pairs_so_that_equal_choices_are_equal() -> None:
    other = ReadOptions(**{**ALL.plain, "roles": {"batch": "ignore", "stage": "label"}})
    assert (other, hash(other)) == (ALL, hash(ALL))
    assert ALL.plain["split"] == {"wild": ("wt_*",), "rest": ("a", "b")}


def test_every_choice_comes_back_from_a_session() -> None:
    state = DocumentState(reading=ALL)
    assert DocumentState.model_validate_json(state.model_dump_json()).reading == ALL
    old = '{"reading": {"views": ["a"], "drop_missing": true, "join": "position"}}'
    reading = DocumentState.model_validate_json(old).reading
    assert reading == ReadOptions(views=("a",), missing="drop", join="position")
    assert reading.drop_missing


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"roles": {"a": "lable"}}, "A column cannot have the role “lable”"),
        ({"missing": "mean"}, "Missing values cannot be treated by “mean”"),
        ({"half": "first"}, "Training and test samples cannot be chosen by “first”"),
        ({"samples": "all"}, "Samples that a view lacks cannot be treated by “all”"),
    ],
)
def test_an_unknown_choice_is_refused(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence) as caught:
        ReadOptions(**option)  # type: ignore[arg-type]
    assert "Use one of" in caught.value.hint
