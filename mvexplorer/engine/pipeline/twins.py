"""New samples that are known ones: without self-loops they are not their own neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.pipeline.stages import StageKey, Stages


def twins_of(stages: Stages, new_Xs: Sequence[Array]) -> npt.NDArray[np.intp]:
    """For each new sample, raw (n, D_l) in each view used, the first known one that equals it in all views, or -1."""
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
