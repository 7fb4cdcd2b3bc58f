"""The metric of a view: the last step of its preparation, on whose rows every kernel and rule takes its distances.

With "correlation" each sample is centred over its features and scaled to length 1, with "cosine" only scaled, so that
squared distances between samples are 2 - 2 cos, from 0 to 4. Each row is treated by itself: parts of the samples, new
ones, and blocks read from a file get the same numbers as in the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import one_per_view
from mvexplorer.errors import DataError, ParameterError
from mvexplorer.wording import listed

ViewMetric = Literal["euclidean", "correlation", "cosine"]
METRICS: tuple[ViewMetric, ...] = get_args(ViewMetric)
"""All metrics a view may have, the default first."""
EUCLIDEAN: ViewMetric = "euclidean"
LEAST_FEATURES = 3
"""Fewer have no correlations but 1 and -1."""


def parse_metric(given: Any, view: str = "") -> ViewMetric:
    """A view's metric from its word; ParameterError names the metrics there are."""
    word = str(given).strip().lower()
    if word not in METRICS:
        where = f" of view “{view}”" if view else ""
        raise ParameterError(f"There is no metric “{given}”{where}.", f"Metrics: {', '.join(METRICS)}.")
    return word


def parse_metrics(given: Any, view_names: Sequence[str]) -> tuple[ViewMetric, ...]:
    """One metric per view, from one for all, a sequence, a mapping, or text such as ``fou:correlation,fac:cosine``."""
    return one_per_view(given, view_names, parse_metric, EUCLIDEAN, "metric")


def measured(X: Array, metric: ViewMetric, view: str, ids: Sequence[object] | npt.NDArray[Any] | None = None) -> Array:
    """The rows (n, D) of a prepared view as its metric sees them.

    DataError where correlations of so few features say nothing, or rows have no direction; `ids` (n,) name those.
    """
    if metric == EUCLIDEAN:
        return X
    if metric == "correlation":
        check_width(X.shape[1], view)
    # In units of each row's largest number, so that squares of very large or small ones stay in range.
    size = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
    rows = X / np.where(size > 0.0, size, 1.0)
    if metric == "correlation":
        rows -= rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rounding = 1e-12  # of a row's largest number: what is left of a constant row once it is centred
    flat = np.flatnonzero(length[:, 0] <= rounding)
    if len(flat):
        raise _no_direction(metric, view, flat, ids)
    rows /= length
    return rows


def check_width(n_features: int, view: str) -> None:
    """Refuse correlations over one or two features, which are undefined, or 1 or -1 for all pairs."""
    if n_features < LEAST_FEATURES:
        count = "one feature" if n_features == 1 else f"{n_features} features"
        raise DataError(
            f"View “{view}” has {count}: the metric correlation needs at least {LEAST_FEATURES}.",
            "Choose the metric euclidean or cosine for it.",
        )


def _no_direction(
    metric: ViewMetric, view: str, flat: npt.NDArray[np.intp], ids: Sequence[object] | npt.NDArray[Any] | None
) -> DataError:
    count, few = len(flat), 3  # samples that are named
    who = "One sample" if count == 1 else f"{count:,} samples"
    has = "has" if count == 1 else "have"
    value = "the same value" if metric == "correlation" else "0"
    names = [str(ids[i]) if ids is not None else f"row {i + 1}" for i in flat[:few]]
    named = listed(names) if count <= few else f"{', '.join(names)}, …"
    return DataError(
        f"{who} of view “{view}” {has} {value} in every feature, which the metric {metric} cannot compare: {named}.",
        "Drop these samples, or choose the metric euclidean for this view.",
    )
