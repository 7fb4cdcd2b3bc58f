"""Where the solver starts in the next step of a drag: at the last steps' eigenvectors, extrapolated along the drag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.engine.core.params import Param, Value

FARTHEST = 1.5
"""Extrapolate at most so many steps beyond the last one."""
LOOK_EVERY = 2
"""Of this many drafts in a row, one also searches for eigenvectors that its start lacks."""
ASTRAY = 0.3
"""Extrapolate only where no more than this part of the way leaves the line through the last two steps."""


@dataclass(frozen=True)
class PreviousSolution:
    """A former answer, as far as it helps to find the next one.

    Parameters
    ----------
    position : array
        The parameter values it belongs to, as `position_of` gives them.
    bases : tuple of arrays (n, m)
        Its right eigenvectors, one basis per operator solved.
    smallest : float
        The modulus of its smallest eigenvalue.
    unsearched : int
        How many drafts in a row, up to this one, did not search beside their start.
    """

    position: Array
    bases: tuple[Array, ...]
    smallest: float = 1.0
    unsearched: int = 0


@dataclass(frozen=True)
class WarmStart:
    """An estimate of an answer before it is computed.

    Parameters
    ----------
    bases : tuple of arrays (n, m)
        Near its right eigenvectors; empty where nothing is known.
    smallest : float
        About the modulus of its smallest eigenvalue.
    unsearched : int
        How many drafts in a row did not search beside their start.
    """

    bases: tuple[Array, ...] = ()
    smallest: float = 1.0
    unsearched: int = 0

    @property
    def looks(self) -> bool:
        """Whether a draft from here has to search beside its start."""
        return self.unsearched + 1 >= LOOK_EVERY

    @property
    def unsearched_next(self) -> int:
        """How many drafts in a row will not have searched beside their start, once one from here is done."""
        return 0 if self.looks or not self.bases else self.unsearched + 1


def position_of(epsilon: Sequence[float], params: Sequence[Param], values: Mapping[str, Value]) -> Array:
    """The parameter values that sliders change, as a point in a space: log ε of each view, η and the like."""
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
