"""Views whose numbers are too small to be squared are rescaled; views of equal samples get a warning."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.maps import extremes
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.preprocessing import components
from mvexplorer.engine.pipeline.stages import Stages

SQUARE_IS_ZERO = 1e-162


def in_range(data: MultiView) -> MultiView:
    """The data with views of tiny numbers multiplied by powers of two, which rounds nothing.

    For methods that do not depend on a view's units. The powers are feature weights, so new samples are scaled too.
    """
    factors = [_factor(data, i) for i in range(data.n_views)]
    if all(factor == 1.0 for factor in factors):
        return data
    weights = [
        given if factor == 1.0 else factor * (np.ones(data.width(i)) if given is None else given)
        for i, (given, factor) in enumerate(zip(data.feature_weights, factors, strict=True))
    ]
    return data.replace(feature_weights=weights)


def _factor(data: MultiView, i: int) -> float:
    X, weights = data.Xs[i], data.feature_weights[i]
    low, high = extremes(X)
    largest = np.maximum(high, -low).astype(np.float64)
    if components(data.preprocess[i]):
        largest = largest.max()
    size = float(np.max(largest if weights is None else largest * weights))
    small = 1e-100  # A view with no larger number is rescaled where units do not matter: below 1e-154 squares are 0.
    if data.preprocess[i] in ("zscore", "unit") or not 0.0 < size < small:
        return 1.0
    largest_power = 1000
    return float(2.0 ** min(-int(np.frexp(size)[1]), largest_power))


def to_unit(X: Array) -> Array:
    """Numbers (M, ...) divided by the power of two next to the largest, which rounds nothing: all can be squared."""
    largest = float(np.abs(X).max(initial=0.0))
    return np.ldexp(X, -int(np.frexp(largest)[1]))


def tell_flat_views(stages: Stages) -> None:
    """Attach a warning for every view whose samples are all the same point, as far as their squares can tell."""
    for i in range(stages.n_views):
        spread = _spread(stages, i) if stages.kernels[i].kind.id != "precomputed" else np.inf
        if spread > SQUARE_IS_ZERO:
            continue
        what = "All samples are the same point" if spread == 0.0 else "The differences are too small to be squared"
        name = stages.view_name(i)
        stages.task.warn("flat-view", f"{what} in view “{name}”: it says nothing of the samples.", name)


def _spread(stages: Stages, i: int) -> float:
    """Half the largest difference from the first sample in one feature of view i, as soon as it is large enough."""
    X, spread = 0.5 * stages.point_rows(i, slice(1)), 0.0
    samples_at_once = 16  # Samples compared at a time: the first few nearly always suffice to find a difference.
    for start in range(0, stages.n_samples, samples_at_once):
        rows = 0.5 * stages.point_rows(i, slice(start, start + samples_at_once))
        spread = max(spread, float(np.abs(rows - X).max()))
        if spread > SQUARE_IS_ZERO:
            break
    return spread
