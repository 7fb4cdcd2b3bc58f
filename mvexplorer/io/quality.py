"""Oddities of a data set that are no reason to refuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import row_blocks
from mvexplorer.engine.core.notices import QUALITY, UNEVEN_SCALES, Notice

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import Array, MultiView
    from mvexplorer.io.parts import Values

Keys = npt.NDArray[np.uint64]
SCALE_RATIO = 1e3
"""Columns whose spreads differ by more than this call for z-scores."""
VIEW_RATIO = 1e6
LOOKED_AT = 500
"""Samples of which the scale of a view is estimated."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def describe_quality(data: MultiView) -> tuple[Notice, ...]:
    """Sentences about constant, repeated or badly scaled columns, repeated samples and views of unlike scale.

    Each kind is one sentence for all its views. A z-scored view gets no advice to z-score it.

    Parameters
    ----------
    data : MultiView
        The samples.

    Returns
    -------
    tuple of Notice
        Empty where nothing is odd.
    """
    constant: dict[str, int] = {}
    copies: dict[str, int] = {}
    repeats: dict[str, int] = {}
    zeros: dict[str, int] = {}
    uneven: list[str] = []
    scales: dict[str, float] = {}
    for name, X, how in zip(data.view_names, data.Xs, data.preprocess, strict=True):
        with np.errstate(over="ignore"):
            spread = np.fmax.reduce(X, axis=0).astype(np.float64) - np.fmin.reduce(X, axis=0)  # faster than max
        varying = np.log10(np.minimum(spread[spread > 0], np.finfo(float).max))
        rows, columns = _keys(X)
        constant[name] = int((spread == 0).sum())
        copies[name] = _repeats(columns[spread > 0])
        repeats[name] = _repeats(rows)
        zeros[name] = int((~X[rows == 0].any(axis=1)).sum()) if X.shape[1] > 1 else 0  # the key of zeros is 0
        if len(varying):
            scales[name] = float(varying.max())
            if how not in ("zscore", "unit") and np.ptp(varying) > np.log10(SCALE_RATIO):
                uneven.append(name)
    sentences = [
        _sentence("Constant columns, which tell the samples apart in no way (z-scored, they are 0)", constant),
        _sentence("Columns that repeat another one, which therefore counts twice", copies),
        _sentence("Samples that repeat another one, so that distances are zero", repeats),
        _sentence("Samples whose numbers are all zero", zeros),
    ]
    notices = [Notice(QUALITY, text) for text in sentences if text]
    if uneven:
        text = f"The scales of columns differ by more than 1000 in {', '.join(uneven)}: consider z-scores."
        notices.append(Notice(UNEVEN_SCALES, text, tuple(uneven), "warning"))
    if unlike := _unlike_views(scales):
        notices.append(Notice(QUALITY, unlike))
    return tuple(notices)


def repeated(X: Array) -> int:
    """How many rows equal an earlier one (-0 counts as 0).

    Parameters
    ----------
    X : array (M, D)
        A view.

    Returns
    -------
    int
        0 where all differ.
    """
    return _repeats(_keys(X)[0])


def _repeats(keys: Keys) -> int:
    ordered = np.sort(keys)  # np.unique takes ten times as long
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _keys(X: Array) -> tuple[Keys, Keys]:
    """Numbers that differ where two rows (M,) or two columns (D,) do, in a view that may be larger than the memory.

    The bits of every number are mixed, then added up with random weights, modulo 2⁶⁴: two rows that differ have equal
    sums with a probability of about 1 in 10¹⁹.
    """
    random = np.random.default_rng(0)
    of_row, of_column = (np.array(random.integers(1 << 63, size=n, dtype=np.uint64) * 2 + 1) for n in X.shape)
    rows, columns = np.empty(len(X), dtype=np.uint64), np.zeros(X.shape[1], dtype=np.uint64)
    for some in row_blocks(X):
        bits = np.add(X[some], 0.0, dtype=np.float64, order="C").view(np.uint64)
        bits ^= bits >> np.uint64(32)
        bits *= _ODD
        bits ^= bits >> np.uint64(29)
        rows[some] = (bits * of_column).sum(axis=1)
        bits *= of_row[some, None]
        columns += bits.sum(axis=0)
    return rows, columns


def _sentence(what: str, counts: dict[str, int]) -> str:
    listing = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    return f"{what}: {listing}." if listing else ""


def _unlike_views(scales: dict[str, float]) -> str:
    """A sentence about views whose spreads (log10, so that no ratio overflows) are far apart."""
    if len(scales) < 2:
        return ""
    small, large = min(scales, key=scales.__getitem__), max(scales, key=scales.__getitem__)
    digits = scales[large] - scales[small]
    if digits < np.log10(VIEW_RATIO):
        return ""
    return (
        f"View {small} is 1e{digits:.0f} times smaller than {large}: give each view its own bandwidth, "
        "and z-score both before methods that join them into one table."
    )


def scale_of(X: Values) -> float:
    """The median squared distance between samples, those with gaps left out.

    Parameters
    ----------
    X : array (n, D)
        The samples.

    Returns
    -------
    float
        0 where there are no two samples.
    """
    from mvexplorer.engine.kernels.distances import median_squared_distance, squared_distances

    some = np.ascontiguousarray(X, dtype=np.float64)
    some = some[np.isfinite(some).all(axis=1)]
    return median_squared_distance(squared_distances(some)) if len(some) > 1 else 0.0


def spread_rows(n_samples: int) -> Values:
    """Samples from all over, of which scales are estimated.

    Parameters
    ----------
    n_samples : int
        How many there are.

    Returns
    -------
    array of int
        At most `LOOKED_AT` rows.
    """
    return np.unique(np.linspace(0, n_samples - 1, min(LOOKED_AT, n_samples)).astype(np.intp))
