"""Few calls stand between a command and the mathematics."""

from __future__ import annotations

import frames


def test_a_command_reaches_the_mathematics_in_few_calls() -> None:
    found = {name: deepest for name, (deepest, _) in frames.measured().items()}
    assert 0 < found["embed --null-test, at solve"] <= 14
    assert 0 < found["embed of two tables, at MultiView"] <= 10
