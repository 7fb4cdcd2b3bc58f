"""Oddities of a data set that are no reason to refuse it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import extremes, read_blocks
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import DOMINANT_COLUMN, QUALITY, RAW_COUNTS, UNEVEN_SCALES, UNLIKE_VIEWS, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.parts import Values
from mvexplorer.wording import in_percent

Keys = npt.NDArray[np.uint64]
SCALE_RATIO = 1e3
"""Columns whose spreads differ by more than this call for z-scores."""
EQUALISING = ("zscore", "unit")
"""Preprocessing that gives all columns one scale."""
SCALE_DOUBTS = {
    RAW_COUNTS: "Raw counts, of which a few are very large, in {}",
    UNEVEN_SCALES: "The scales of columns differ more than 1000-fold in {}",
    DOMINANT_COLUMN: "Column {}",
}
"""Code of a doubt about scales -> its words, to be filled in with those of the notices about each view."""


def describe_quality(data: MultiView) -> tuple[Notice, ...]:
    """Describe constant, repeated or badly scaled columns, repeated samples and views of unlike scale.

    Each kind is one sentence for all its views. A view that is prepared already gets no advice to prepare it.
    """
    constant: dict[str, int] = {}
    copies: dict[str, int] = {}
    repeats: dict[str, int] = {}
    zeros: dict[str, int] = {}
    doubts: list[Notice] = []
    scales: dict[str, float] = {}
    for view, (name, X, how) in enumerate(zip(data.view_names, data.Xs, data.preprocess, strict=True)):
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
            doubt = None if how in EQUALISING else _scale_doubt(data, view, spread, how)
            doubts += [] if doubt is None else [doubt]
    sentences = [
        _sentence("Constant columns, which tell the samples apart in no way (z-scored, they are 0)", constant),
        _sentence("Columns that repeat another one, which therefore counts twice", copies),
        _sentence("Samples that repeat another one, so that distances are zero", repeats),
        _sentence("Samples whose numbers are all zero", zeros),
    ]
    notices = [Notice(QUALITY, text) for text in sentences if text]
    for code, words in SCALE_DOUBTS.items():
        about = [doubt for doubt in doubts if doubt.code == code]
        if about:
            advice = "log(1 + x)" if code == RAW_COUNTS else "z-scores"
            text = f"{words.format(', '.join(about))}: consider {advice}."
            notices.append(Notice(code, text, tuple(name for doubt in about for name in doubt.subjects), "warning"))
    notices += _unlike_views(scales)
    return tuple(notices)


def uneven_views(data: MultiView) -> dict[str, Notice]:
    """The views whose columns differ much in scale before preprocessing, each with words for `SCALE_DOUBTS`."""
    with np.errstate(over="ignore"):
        spreads = [np.subtract(*extremes(X)[::-1]) for X in data.Xs]
    doubts = (_scale_doubt(data, view, spread) for view, spread in enumerate(spreads))
    return {doubt.subjects[0]: doubt for doubt in doubts if doubt is not None}


def is_cured(code: str, how: str) -> bool:
    """Whether a doubt about scales does not concern a view that is preprocessed in this way."""
    if code == DOMINANT_COLUMN:
        return how not in ("none", "centre")
    return how in EQUALISING or (code == RAW_COUNTS and how == "log1p")


def _scale_doubt(data: MultiView, view: int, spread: Array, how: str = "none") -> Notice | None:
    """The first doubt about the scales of a view's columns, whose spreads (D,) are known; None where all is well."""
    name, numbers = data.view_names[view], _some_rows(data.Xs[view])
    if how == "none" and _are_counts(numbers):
        return Notice(RAW_COUNTS, name, (name,))
    if _are_uneven(spread):
        return None if is_cured(UNEVEN_SCALES, how) else Notice(UNEVEN_SCALES, name, (name,))
    column, share = _largest_share(numbers, spread)
    bar = 0.9  # of the squared distances: the samples of this program are below .77
    if share <= bar or is_cured(DOMINANT_COLUMN, how):
        return None
    title = data.feature_title(view, column)
    words = f"“{title}” makes {in_percent(share)} of the squared distances of {name}"
    return Notice(DOMINANT_COLUMN, words, (name,))


def _some_rows(X: Array) -> Array:
    """Rows from all over a view, of which distributions are estimated."""
    return np.asarray(X[spread_rows(len(X))], dtype=np.float64)


def _are_uneven(spread: Array) -> bool:
    """Whether the largest and the least spread (D,) of columns that vary are too far apart."""
    varying = np.minimum(spread[spread > 0], np.finfo(float).max)
    return len(varying) > 0 and bool(np.ptp(np.log10(varying)) > np.log10(SCALE_RATIO))


def _largest_share(numbers: Array, spread: Array) -> tuple[int, float]:
    """The column with the largest share of all squared distances (its variance of all), and this share.

    0 for fewer than three columns that vary: a curve or a cloud in the plane may well be long.
    """
    fewest = 3
    if np.count_nonzero(spread) < fewest:
        return 0, 0.0
    variances = np.var(numbers / min(float(spread.max()), float(np.finfo(float).max)), axis=0)
    column = int(variances.argmax())
    return column, float(variances[column] / max(float(variances.sum()), float(np.finfo(float).tiny)))


def _are_counts(numbers: Array) -> bool:
    """Whether numbers (n, D) are counts over a wide range: whole, from 0 on, skewed, and without an upper end.

    Pixels and grades have an upper end: many of them are close to it, or at it. The few large ones of counts are far
    apart, and a typical column is skewed as well, which measurements in several units are not.
    """
    fewest, reach, near, at, skewed = 5, 10.0, 0.05, 0.001, 0.5
    present = numbers[numbers != 0.0]
    if numbers.shape[1] < fewest or not len(present) or present.min() < 0.0 or np.any(np.mod(present, 1.0)):
        return False
    largest, some = present.max(), 3  # of a small table may be the largest by chance
    at_end = np.count_nonzero(present == largest) > max(some, at * len(present))
    has_end = at_end or np.mean(present > largest / 2) > near
    return bool(largest >= reach) and not has_end and _typical_skewness(numbers) > skewed


def _typical_skewness(numbers: Array) -> float:
    """The median skewness of the columns (n, D) that vary."""
    apart = numbers[:, np.ptp(numbers, axis=0) > 0]
    apart = (apart - apart.mean(axis=0)) / apart.std(axis=0)
    return float(np.median(np.mean(apart**3, axis=0))) if apart.size else 0.0


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


def _unlike_views(scales: dict[str, float]) -> list[Notice]:
    """Describe views whose spreads (log10, so that no ratio overflows) are far apart."""
    if len(scales) < 2:
        return []
    small, large = min(scales, key=scales.__getitem__), max(scales, key=scales.__getitem__)
    digits = scales[large] - scales[small]
    ratio = 1e6
    if digits < np.log10(ratio):
        return []
    text = (
        f"View {small} is 1e{digits:.0f} times smaller than {large}: give each view its own bandwidth, "
        "and z-score both before methods that join them into one table."
    )
    return [Notice(UNLIKE_VIEWS, text, (small, large))]


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
