"""Where the next step of a drag starts: from the eigenvectors of the last steps, carried on along the hand's way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value

FARTHEST = 1.5
"""Steps beyond the last one up to which its trend is trusted."""
LOOK_EVERY = 2
"""One draft in so many looks beside its start for eigenvectors which that lacks."""
ASTRAY = 0.3
"""Part of the way that may lead off the line through the last steps."""


@dataclass(frozen=True)
class PreviousSolution:
    """A former answer: where it was asked for, its right eigenvectors, one basis (n, m) per operator solved, its
    eigenvalue of smallest modulus, and how many drafts in a row up to it looked for nothing new."""

    position: Array
    bases: tuple[Array, ...]
    smallest: float = 1.0
    unsearched: int = 0


@dataclass(frozen=True)
class WarmStart:
    """What is known of an answer before it is computed: bases (n, m) near it, its smallest eigenvalue, about, and how
    many drafts in a row looked for nothing new."""

    bases: tuple[Array, ...] = ()
    smallest: float = 1.0
    unsearched: int = 0

    @property
    def looks(self) -> bool:
        """Whether a draft from here is one of those that look for something new."""
        return self.unsearched + 1 >= LOOK_EVERY

    @property
    def unsearched_next(self) -> int:
        """How many drafts in a row will have looked for nothing new, with one from here."""
        return 0 if self.looks or not self.bases else self.unsearched + 1


def position_of(epsilon: Sequence[float], params: Sequence[Param], values: Mapping[str, Value]) -> Array:
    """The place of an answer among those a hand can reach by dragging: log ε of each view, η and the like."""
    numbers = [
        np.log(float(values[p.name] or 0.0)) if p.log else float(values[p.name] or 0.0)
        for p in params if p.kind == "float" and values.get(p.name) is not None
    ]  # fmt: skip
    return np.asarray(np.nan_to_num(np.concatenate([np.log(epsilon), numbers])))


def start_at(position: Array, steps: Sequence[PreviousSolution]) -> WarmStart:
    """Where to start at `position`, given former steps, the latest last; empty where there are none.

    Eigenvectors move along a smooth path but may turn within it: the former basis is first turned onto the latter
    (Procrustes), then both are extrapolated linearly.
    """
    if not steps:
        return WarmStart()
    latest = steps[-1]
    before = next((s for s in reversed(steps[:-1]) if not np.array_equal(s.position, latest.position)), None)
    ahead = 0.0 if before is None else _ahead(before.position, latest.position, position)
    if before is None or not ahead or len(before.bases) != len(latest.bases):
        return WarmStart(latest.bases, latest.smallest, latest.unsearched)
    bases = tuple(_carried_on(old, new, ahead) for old, new in zip(before.bases, latest.bases, strict=True))
    return WarmStart(bases, latest.smallest, latest.unsearched)


def _ahead(before: Array, latest: Array, position: Array) -> float:
    """How many steps like the last one `position` is beyond it; 0 where it lies elsewhere."""
    if not len(before) == len(latest) == len(position):
        return 0.0
    step, way = latest - before, position - latest
    ahead = float(way @ step / (step @ step))
    astray = float(np.linalg.norm(way - ahead * step))
    return ahead if abs(ahead) <= FARTHEST and astray <= ASTRAY * float(np.linalg.norm(way)) else 0.0


def _carried_on(old: Array, new: Array, ahead: float) -> Array:
    if old.shape != new.shape:
        return new
    left, _, right = np.linalg.svd(old.T @ new)
    return np.asarray(new + ahead * (new - old @ (left @ right)))
