"""Which samples have a place in a picture: coordinates may be NaN, of a sample or of all of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array


def has_place(Y: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each sample (M,) has all coordinates of Y (M, r) that any sample has."""
    finite = np.isfinite(np.asarray(Y, dtype=np.float64))
    if finite.all():
        return np.ones(len(finite), dtype=bool)
    return cast("npt.NDArray[np.bool_]", finite[:, finite.any(axis=0)].all(axis=1))


def of_placed(Y: Array, *beside: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """The samples that have a place in Y (M, r), 0 in coordinates that none has, and the same rows of other arrays."""
    rows = has_place(Y)
    if rows.all():
        return cast("Array", np.nan_to_num(Y)), *beside
    return cast("Array", np.nan_to_num(Y[rows])), *(each[rows] for each in beside)
