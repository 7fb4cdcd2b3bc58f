"""A path with a null character is refused in one sentence, wherever it comes in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import mvexplorer as mvx
from mvexplorer.errors import DataError


@pytest.mark.parametrize("opened", [
    lambda: mvx.load("a\0b"),
    lambda: mvx.load(["a\0b.csv", "c.csv"]),
    lambda: mvx.show("a\0b"),
    lambda: mvx.show(session="a\0b.mvx"),
])  # fmt: skip
def test_a_null_character_in_a_path(opened: Callable[[], object]) -> None:
    with pytest.raises(DataError) as caught:
        opened()
    assert "\n" not in str(caught.value)
    assert caught.value.hint
