"""Selection belongs to the data, so every picture of it is linked for free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

Operation = Literal["replace", "add", "subtract", "intersect"]


def combine(current: Sequence[int], picked: Iterable[int], operation: Operation) -> tuple[int, ...]:
    """Sample indices after picking some more, sorted."""
    before, now = set(current), set(picked)
    if operation == "add":
        now = before | now
    elif operation == "subtract":
        now = before - now
    elif operation == "intersect":
        now = before & now
    return tuple(sorted(now))


def invert(current: Sequence[int], n_samples: int) -> tuple[int, ...]:
    """All samples that are not selected."""
    chosen = set(current)
    return tuple(i for i in range(n_samples) if i not in chosen)
