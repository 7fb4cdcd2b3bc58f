"""Where the solver starts in the next step of a drag: between two anchors, or where the last steps lead to.

Anchors are exact answers on either side of the step, a factor of about √2 in ε apart. The span of their eigenvectors
holds those in between up to about .02 rad, on hard spectra as on easy ones: one Rayleigh-Ritz in it, one product with
the operator, makes a step. An eigenvector that one of the two lacks is among those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value, parse_weights
from mvexplorer.engine.spectral.davidson import SPARE

REACH = 0.36
"""Farthest that two anchors may be apart, in log ε (a little more than a factor √2) or in η."""


@dataclass(frozen=True)
class PreviousSolution:
    """A former answer, as far as it helps to find the next one.

    `position` holds the parameter values it belongs to, as `parameter_point` gives them. `bases` are its right
    eigenvectors (n, m), one basis per operator solved, of which `wanted` were asked for; `smallest` the modulus of its
    smallest eigenvalue. `unsearched` counts the drafts in a row, up to this one, that did not search beside their
    start; `exact` tells that it is no draft, so that it can be an anchor. `eigenvalues` (k,) are those of the answer,
    and `chance` the largest that chance alone has, NaN where that is not told.
    """

    position: Array
    bases: tuple[Array, ...]
    smallest: float = 1.0
    unsearched: int = 0
    exact: bool = False
    wanted: int = 0
    eigenvalues: Array = field(default_factory=lambda: np.empty(0))
    chance: float = np.nan

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.position.nbytes + sum(basis.nbytes for basis in self.bases)

    def thinned(self, count: int | None = None) -> PreviousSolution:
        """With no more vectors per basis than a start can use, in single precision."""
        count = self.wanted + SPARE if count is None else count
        return replace(self, bases=tuple(basis[:, :count].astype(np.float32) for basis in self.bases))


@dataclass(frozen=True)
class WarmStart:
    """An estimate of an answer before it is computed.

    `bases` (n, m) are near its right eigenvectors; empty where nothing is known. `smallest` is about the modulus of its
    smallest eigenvalue. `unsearched` counts the drafts in a row that did not search beside their start. `anchored`
    tells that the bases are those of two anchors, side by side; `searched` that they were searched for at this very
    position, in single precision.
    """

    bases: tuple[Array, ...] = ()
    smallest: float = 1.0
    unsearched: int = 0
    anchored: bool = False
    searched: bool = False

    @property
    def looks(self) -> bool:
        """True if a draft from here has to search beside its start."""
        look_every = 2  # Of this many drafts in a row, one also searches for eigenvectors that its start lacks.
        return self.unsearched + 1 >= look_every

    @property
    def unsearched_next(self) -> int:
        """How many drafts in a row will not have searched beside their start, once one from here is done."""
        return 0 if self.looks or not self.bases else self.unsearched + 1


def parameter_point(epsilon: Sequence[float], params: Sequence[Param], values: Mapping[str, Value]) -> Array:
    """The parameter values that sliders change, as a point in a space: log ε of each view, η, weights and the like."""
    numbers = [
        np.log(float(values[p.name] or 0.0)) if p.log else float(values[p.name] or 0.0)
        for p in params
        if p.kind == "float" and values.get(p.name) is not None
    ]
    each = ((p, values.get(p.name)) for p in params if p.kind == "weights")
    # Weights by a word follow from ε; their one number keeps the point apart from those of weights that are given.
    weights = [np.zeros(1) if given in p.choices else _log_weights(p, str(given)) for p, given in each if given]
    return np.asarray(np.nan_to_num(np.concatenate([np.log(epsilon), numbers, *weights])))


def _log_weights(param: Param, given: str) -> Array:
    """Logarithms of the views' weights about their mean, so that their common factor does not matter."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parse_weights(given, param))
        return np.asarray(logs - logs.mean())


def start_at(position: Array, steps: Sequence[PreviousSolution]) -> WarmStart:
    """Where to start at `position`, given former steps, the latest last; empty where there are none.

    Between two anchors, in the span of both; elsewhere from the latest steps. Eigenvectors move along a smooth path but
    may turn within it: the former basis is first turned onto the latter (Procrustes), then both are extrapolated.
    """
    if not steps:
        return WarmStart()
    latest = steps[-1]
    around = None if np.array_equal(latest.position, position) else anchors_around(position, steps)
    if around is not None:
        bases = tuple(np.column_stack(pair) for pair in zip(*(anchor.bases for anchor in around), strict=True))
        return WarmStart(bases, min(anchor.smallest for anchor in around), anchored=True)
    before = next((s for s in reversed(steps[:-1]) if not np.array_equal(s.position, latest.position)), None)
    ahead = 0.0 if before is None else _ahead(before.position, latest.position, position)
    if before is None or not ahead or len(before.bases) != len(latest.bases):
        return WarmStart(latest.bases, latest.smallest, latest.unsearched)
    bases = tuple(_carried_on(old, new, ahead) for old, new in zip(before.bases, latest.bases, strict=True))
    return WarmStart(bases, latest.smallest, latest.unsearched)


def anchors_around(
    position: Array, steps: Sequence[PreviousSolution]
) -> tuple[PreviousSolution, PreviousSolution] | None:
    """The nearest two exact answers between which `position` lies on a straight line, if there are any."""
    near = [s for s in steps if s.exact and len(s.position) == len(position) and _apart(s.position, position) <= REACH]
    pairs = [(a, b) for a, b in combinations(near, 2) if _alike(a, b) and _between(a.position, position, b.position)]
    return min(pairs, key=lambda pair: _apart(pair[0].position, pair[1].position), default=None)


def _apart(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max())


def _alike(one: PreviousSolution, other: PreviousSolution) -> bool:
    """True if their bases can stand side by side."""
    return [len(basis) for basis in one.bases] == [len(basis) for basis in other.bases]


def _between(first: Array, position: Array, second: Array) -> bool:
    """True if `position` lies on the way from `first` to `second`, which are not too far apart."""
    way = second - first
    if not 0.0 < float(np.abs(way).max()) <= REACH:
        return False
    part = float((position - first) @ way / (way @ way))
    off_line = 1e-3  # How far a step may leave the line between two anchors.
    return 0.0 <= part <= 1.0 and _apart(first + part * way, position) <= off_line


def _ahead(before: Array, latest: Array, position: Array) -> float:
    """How many steps like the last one `position` is beyond it; 0 where it lies elsewhere."""
    if not len(before) == len(latest) == len(position):
        return 0.0
    step, way = latest - before, position - latest
    ahead = float(way @ step / (step @ step))
    astray = float(np.linalg.norm(way - ahead * step))
    farthest = 1.5  # Extrapolate at most so many steps beyond the last one.
    # Extrapolate only where no more than this part of the way leaves the line through the last two steps.
    most_astray = 0.3
    return ahead if abs(ahead) <= farthest and astray <= most_astray * float(np.linalg.norm(way)) else 0.0


def _carried_on(old: Array, new: Array, ahead: float) -> Array:
    if old.shape != new.shape:
        return new
    left, _, right = np.linalg.svd(old.T @ new)
    return np.asarray(new + ahead * (new - old @ (left @ right)))
