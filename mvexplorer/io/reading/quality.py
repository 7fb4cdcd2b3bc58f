"""Oddities of a data set that are no reason to refuse it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import extremes, read_blocks
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import QUALITY, RAW_COUNTS, UNEVEN_SCALES, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.parts import Values

Keys = npt.NDArray[np.uint64]
SCALE_RATIO = 1e3
"""Columns whose spreads differ by more than this call for z-scores."""
EQUALISING = ("zscore", "unit")
"""Preprocessing that gives all columns one scale."""


def describe_quality(data: MultiView) -> tuple[Notice, ...]:
    """Describe constant, repeated or badly scaled columns, repeated samples and views of unlike scale.

    Each kind is one sentence for all its views. A view that is prepared already gets no advice to prepare it.
    """
    constant: dict[str, int] = {}
    copies: dict[str, int] = {}
    repeats: dict[str, int] = {}
    zeros: dict[str, int] = {}
    uneven: list[str] = []
    counts: list[str] = []
    scales: dict[str, float] = {}
    for name, X, how in zip(data.view_names, data.Xs, data.preprocess, strict=True):
        with np.errstate(over="ignore"):
            low, high, rows, columns = _looked_through(X)
            spread = high - low
        varying = np.log10(np.minimum(spread[spread > 0], np.finfo(float).max))
        constant[name] = int((spread == 0).sum())
        copies[name] = _repeats(columns[spread > 0])
        repeats[name] = _repeats(rows)
        zeros[name] = int((~X[rows == 0].any(axis=1)).sum()) if X.shape[1] > 1 else 0  # the key of zeros is 0
        if len(varying):
            scales[name] = float(varying.max())
            if how == "none" and _are_counts(X):
                counts.append(name)
            elif how not in EQUALISING and _are_uneven(spread):
                uneven.append(name)
    sentences = [
        _sentence("Constant columns, which tell the samples apart in no way (z-scored, they are 0)", constant),
        _sentence("Columns that repeat another one, which therefore counts twice", copies),
        _sentence("Samples that repeat another one, so that distances are zero", repeats),
        _sentence("Samples whose numbers are all zero", zeros),
    ]
    notices = [Notice(QUALITY, text) for text in sentences if text]
    if counts:
        text = f"Raw counts, of which a few are very large, in {', '.join(counts)}: consider log(1 + x)."
        notices.append(Notice(RAW_COUNTS, text, tuple(counts), "warning"))
    if uneven:
        text = f"The scales of columns differ by more than 1000 in {', '.join(uneven)}: consider z-scores."
        notices.append(Notice(UNEVEN_SCALES, text, tuple(uneven), "warning"))
    if unlike := _unlike_views(scales):
        notices.append(Notice(QUALITY, unlike))
    return tuple(notices)


def uneven_views(data: MultiView) -> dict[str, str]:
    """The views whose columns differ much in scale before preprocessing, and the code of the notice about each."""
    with np.errstate(over="ignore"):
        spreads = {name: np.subtract(*extremes(X)[::-1]) for name, X in zip(data.view_names, data.Xs, strict=True)}
    uneven = [(name, X) for name, X in zip(data.view_names, data.Xs, strict=True) if _are_uneven(spreads[name])]
    return {name: RAW_COUNTS if _are_counts(X) else UNEVEN_SCALES for name, X in uneven}


def _are_uneven(spread: Array) -> bool:
    """Whether the largest and the least spread (D,) of columns that vary are too far apart."""
    varying = np.minimum(spread[spread > 0], np.finfo(float).max)
    return len(varying) > 0 and bool(np.ptp(np.log10(varying)) > np.log10(SCALE_RATIO))


def _are_counts(X: Array) -> bool:
    """Whether a view holds whole numbers from 0 on, of which the largest is far above the usual one that is not 0."""
    some, fewest, far = 1000, 5, 20.0  # rows looked at, columns of a table of counts, and times the median
    if X.shape[1] < fewest:
        return False
    numbers = np.asarray(X[:some], dtype=np.float64)
    present = numbers[np.isfinite(numbers) & (numbers != 0.0)]
    if not len(present) or present.min() < 0.0 or np.any(np.mod(present, 1.0)):
        return False
    return bool(present.max() > far * np.median(present))


def repeated(X: Array) -> int:
    """Count the rows of X (M, D) that equal an earlier one (-0 counts as 0)."""
    return _repeats(_looked_through(X)[2])


def _repeats(keys: Keys) -> int:
    ordered = np.sort(keys)  # np.unique takes ten times as long
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _looked_through(X: Array) -> tuple[Array, Array, Keys, Keys]:
    """The least and largest number of each column (D,), and numbers that differ where two rows (M,) or columns (D,) do.

    The bits of every number are mixed, then added up with random weights, modulo 2⁶⁴: two rows that differ have equal
    sums with a probability of about 1 in 10¹⁹.
    """
    random = np.random.default_rng(0)
    of_row, of_column = (np.array(random.integers(1 << 63, size=n, dtype=np.uint64) * 2 + 1) for n in X.shape)
    rows, columns = np.empty(len(X), dtype=np.uint64), np.zeros(X.shape[1], dtype=np.uint64)
    low, high = np.full((2, X.shape[1]), np.nan)
    odd = np.uint64(0x9E3779B97F4A7C15)
    for some, block in read_blocks(X):
        numbers = np.add(block, 0.0, dtype=np.float64, order="C")
        low, high = np.fmin(low, np.fmin.reduce(numbers, axis=0)), np.fmax(high, np.fmax.reduce(numbers, axis=0))
        bits = numbers.view(np.uint64)
        bits ^= bits >> np.uint64(32)
        bits *= odd
        bits ^= bits >> np.uint64(29)
        rows[some] = (bits * of_column).sum(axis=1)
        bits *= of_row[some, None]
        columns += bits.sum(axis=0)
    return low, high, rows, columns


def _sentence(what: str, counts: dict[str, int]) -> str:
    listing = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    return f"{what}: {listing}." if listing else ""


def _unlike_views(scales: dict[str, float]) -> str:
    """Describe views whose spreads (log10, so that no ratio overflows) are far apart."""
    if len(scales) < 2:
        return ""
    small, large = min(scales, key=scales.__getitem__), max(scales, key=scales.__getitem__)
    digits = scales[large] - scales[small]
    ratio = 1e6
    if digits < np.log10(ratio):
        return ""
    return (
        f"View {small} is 1e{digits:.0f} times smaller than {large}: give each view its own bandwidth, "
        "and z-score both before methods that join them into one table."
    )


def scale_of(X: Values) -> float:
    """Return the median squared distance of the samples (n, D) without gaps: 0 for one sample, inf on overflow."""
    from mvexplorer.engine.kernels.distances import median_squared_distance, squared_distances

    some = np.ascontiguousarray(X, dtype=np.float64)
    some = some[np.isfinite(some).all(axis=1)]
    try:
        return median_squared_distance(squared_distances(some)) if len(some) > 1 else 0.0
    except DataError:
        return float("inf")


def spread_rows(n_samples: int) -> Values:
    """Choose at most 500 samples from all over, of which scales are estimated."""
    most = 500
    return np.unique(np.linspace(0, n_samples - 1, min(most, n_samples)).astype(np.intp))
