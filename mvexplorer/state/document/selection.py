"""Selection belongs to the data, so every picture of it is linked for free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import MultiView

Operation = Literal["replace", "add", "subtract", "intersect"]


def combine(current: Sequence[int], picked: Iterable[int], operation: Operation) -> tuple[int, ...]:
    """Sample indices after picking some more, sorted."""
    rows = rows_of(current), rows_of(picked)
    before, now = np.zeros((2, 1 + max(int(some.max(initial=-1)) for some in rows)), dtype=bool)
    before[rows[0]] = now[rows[1]] = True
    selected = {"replace": now, "add": before | now, "subtract": before & ~now, "intersect": before & now}[operation]
    return tuple(np.flatnonzero(selected).tolist())


def invert(current: Sequence[int], n_samples: int) -> tuple[int, ...]:
    """All samples that are not selected."""
    others = np.ones(n_samples, dtype=bool)
    others[rows_of(current)] = False
    return tuple(np.flatnonzero(others).tolist())


def rows_of(samples: Iterable[int]) -> npt.NDArray[np.intp]:
    """Sample indices (n,) as an array: of a million, sets of numbers would freeze the window."""
    return samples if isinstance(samples, np.ndarray) else np.fromiter(samples, dtype=np.intp)


def find_samples(sample_ids: Sequence[str], text: str, most: int) -> list[int]:
    """Indices of at most so many samples whose ids hold `text`, exact matches first."""
    wanted = text.casefold()
    matches = [i for i, id in enumerate(sample_ids) if wanted in id.casefold()]
    return sorted(matches, key=lambda i: sample_ids[i].casefold() != wanted)[:most]


def has_names(data: MultiView) -> bool:
    """Whether the samples have names of their own, no two alike: numbers that only count them are none."""
    return data.sample_ids != tuple(map(str, range(data.n_samples))) and len(set(data.sample_ids)) == data.n_samples
