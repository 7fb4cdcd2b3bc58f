"""The algebra of selections."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvexplorer.state.document.selection import Operation, combine, find_samples, invert

samples = st.sets(st.integers(0, 20)).map(lambda s: tuple(sorted(s)))
quick = settings(deadline=None, derandomize=True, max_examples=50)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [("replace", (2, 5)), ("add", (1, 2, 3, 5)), ("subtract", (1, 3)), ("intersect", (2,))],
)
def test_operations(operation, expected):
    assert combine((1, 2, 3), [5, 2, 5], operation) == expected


def test_samples_are_found_by_a_part_of_their_names_those_so_called_first():
    ids = ["Ab1", "xab", "b", "AB", "ab2"]
    assert find_samples(ids, "aB", most=9) == [3, 0, 1, 4]
    assert find_samples(ids, "ab", most=2) == [3, 0]
    assert find_samples(ids, "c", most=9) == []


def test_every_operation_is_tried():
    assert get_args(Operation) == ("replace", "add", "subtract", "intersect")


def test_inverting():
    assert invert((0, 2), 4) == (1, 3)
    assert invert((), 3) == (0, 1, 2)
    assert invert((0, 1, 2), 3) == ()


@pytest.mark.nightly
@quick
@given(samples, samples)
def test_laws(a, b):
    assert combine(a, b, "add") == combine(b, a, "add")
    assert combine(a, b, "intersect") == combine(a, combine(a, b, "subtract"), "subtract")
    assert combine(combine(a, b, "subtract"), b, "intersect") == ()
    assert combine(combine(a, b, "subtract"), combine(a, b, "intersect"), "add") == a
    assert combine(a, b, "subtract") == combine(a, invert(b, 21), "intersect")
    assert invert(invert(a, 21), 21) == a
