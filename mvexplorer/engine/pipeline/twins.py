"""New samples that are known ones: without self-loops they are not their own neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.distances import BLOCK_ROWS, standard_rows
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.pipeline.stages import StageKey, Stages

Indices = npt.NDArray[np.intp]


def twins_of(stages: Stages, new_Xs: Sequence[Array]) -> Indices:
    """For each new sample, raw (n, D_l) in each view used, the first known one that equals it in all views, or -1.

    Where none does, the first one at distance 0 in all views, as the metrics of their kernels see it.
    """
    twins = _equal_to(stages, new_Xs)
    others = np.flatnonzero(twins < 0)
    if len(others):
        twins[others] = _at_distance_0(stages, [np.asarray(X)[others] for X in new_Xs])
    return twins


# Equal numbers ----------------------------------------------------------------------------------------------------


def _equal_to(stages: Stages, new_Xs: Sequence[Array]) -> Indices:
    first = stages.memo(StageKey("first-of-equals", stages.view_keys()), lambda: _first_of_equals(stages))
    twins = np.array([first.get(code, -1) for code in _codes(new_Xs)], dtype=np.intp)
    alike = np.ones(len(twins), dtype=bool)
    for X, v in zip(new_Xs, stages.views, strict=True):
        alike &= (np.asarray(X) == np.asarray(stages.data.Xs[v])[twins]).all(axis=1)
    return np.where(alike, twins, -1)


def _first_of_equals(stages: Stages) -> dict[int, int]:
    first: dict[int, int] = {}
    for i, code in enumerate(_codes([np.asarray(stages.data.Xs[v]) for v in stages.views])):
        first.setdefault(code, i)
    return first


def _codes(Xs: Sequence[Array]) -> list[int]:
    """A number for each sample, the same where all views are equal; 0 and -0 are."""
    tables = [np.asarray(X, dtype=np.float64) + 0.0 for X in Xs]
    return [hash(tuple(X[i].tobytes() for X in tables)) for i in range(len(tables[0]))]


# Distance 0 -------------------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """Samples by their places on a random line, where those at distance 0 are next to each other."""

    places: Array
    """In ascending order."""
    rows: Indices


def _at_distance_0(stages: Stages, new_Xs: Sequence[Array]) -> Indices:
    twins = np.full(len(new_Xs[0]), -1, dtype=np.intp)
    if any(kernel.kind.metric == "none" for kernel in stages.kernels):  # rows of affinities have no distance
        return twins
    known = [_points(stages, i) for i in range(stages.n_views)]
    new = [_in_directions(stages, i, stages.points_of(i, X)) for i, X in enumerate(new_Xs)]
    line = stages.memo(StageKey("on-a-line", stages.view_keys(), settings=metrics_of(stages)), lambda: _on_line(known))
    places, sizes = _placed(new, known)
    rounding = 1e-11  # of the sum that is a sample's place, and of lengths of 1
    reach = rounding * (sizes + sum(_tolerance(stages, i) > 0.0 for i in range(stages.n_views)))
    starts = np.searchsorted(line.places, places - reach, side="left")
    ends = np.searchsorted(line.places, places + reach, side="right")
    for row in np.flatnonzero(ends > starts):
        near = np.sort(line.rows[starts[row] : ends[row]])
        alike = np.ones(len(near), dtype=bool)
        for i, (P, Q) in enumerate(zip(known, new, strict=True)):
            alike &= np.square(P[near] - Q[row]).sum(axis=1) <= _tolerance(stages, i)
        twins[row] = near[np.argmax(alike)] if alike.any() else -1
    return twins


def metrics_of(stages: Stages) -> tuple[tuple[str, str], ...]:
    """The metrics of all views and their kernels, which decide what samples are at distance 0."""
    return tuple((kernel.metric, kernel.kind.metric) for kernel in stages.kernels)


def _tolerance(stages: Stages, i: int) -> float:
    """The squared distance of samples that are the same: 0, but for rounding where rows were scaled to length 1."""
    of_directions = 1e-24
    kernel = stages.kernels[i]
    return of_directions if kernel.metric != EUCLIDEAN or kernel.kind.metric == "correlation" else 0.0


def _points(stages: Stages, i: int) -> Array:
    """View i in rows whose Euclidean or city-block distances its kernel takes."""
    if stages.kernels[i].kind.metric != "correlation":
        return stages.points(i)
    key = StageKey("standard-rows", stages.view_key(i))
    return stages.memo(key, lambda: _in_directions(stages, i, stages.points(i)))


def _in_directions(stages: Stages, i: int, points: Array) -> Array:
    return standard_rows(points) if stages.kernels[i].kind.metric == "correlation" else points


def _on_line(known: Sequence[Array]) -> _Line:
    places, _ = _placed(known, known)
    rows = np.argsort(places, kind="stable")
    return _Line(places[rows], rows)


def _placed(points: Sequence[Array], known: Sequence[Array]) -> tuple[Array, Array]:
    """Where samples (n,) lie on a random line, and the sums of moduli that rounding is a part of."""
    places, sizes = np.zeros(len(points[0])), np.zeros(len(points[0]))
    random = np.random.default_rng(0)
    for P, K in zip(points, known, strict=True):
        middle, direction = K.mean(axis=0), random.uniform(0.5, 1.0, K.shape[1])
        for start in range(0, len(P), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            away = P[rows] - middle
            places[rows] += away @ direction
            sizes[rows] += np.abs(away) @ direction
    return places, cast("Array", sizes)
