"""Selection belongs to the data, so every picture of it is linked for free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mvexplorer.engine.core.multiview import MultiView

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


def find_samples(sample_ids: Sequence[str], text: str, most: int) -> list[int]:
    """Indices of at most so many samples whose ids hold `text`, exact matches first."""
    wanted = text.casefold()
    found = [i for i, id in enumerate(sample_ids) if wanted in id.casefold()]
    return sorted(found, key=lambda i: sample_ids[i].casefold() != wanted)[:most]


def has_names(data: MultiView) -> bool:
    """Whether the samples have names of their own, no two alike: numbers that only count them are none."""
    return data.sample_ids != tuple(map(str, range(data.n_samples))) and len(set(data.sample_ids)) == data.n_samples
