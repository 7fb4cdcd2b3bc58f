"""Samples that lack numbers: dropped, or their gaps filled in."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.maps import finite_rows, is_map, read_blocks
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.options import Missing
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.wording import counted, listed

DROPPED, FILLED = "dropped", "filled"
"""Codes of notices about samples that were left out, or whose gaps were filled in."""
NEIGHBOURS = 5
"""Samples of which a gap is filled in by `knn`."""


def treat(merged: Parts, how: Missing) -> list[Notice]:
    """Drop samples that lack a number, or fill the gaps in, in place; DataError where nothing would be left."""
    if len({len(X) for X in merged.views.values()}) != 1:
        return []  # the constructor raises the error, with the names
    if any(map(is_map, merged.views.values())):
        return _treat_maps(merged, how)
    gaps = {name: gap for name, X in merged.views.items() if (gap := missing(X)).any()}
    if not gaps:
        return []
    return _drop(merged, gaps) if how == "drop" else _fill(merged, gaps, how)


def _treat_maps(merged: Parts, how: Missing) -> list[Notice]:
    """Treat views larger than the memory alike: samples can only be dropped."""
    lacks = {name: ~finite_rows(X)[:, None] for name, X in merged.views.items() if X.dtype.kind == "f"}
    gaps = {name: rows for name, rows in lacks.items() if rows.any()}
    if how == "drop":
        return _drop(merged, gaps) if gaps else []
    for name in gaps:
        refuse_large(merged.views[name], name, "its gaps cannot be filled in")
    return _fill(merged, {name: missing(merged.views[name]) for name in gaps}, how) if gaps else []


def missing(X: Values) -> Values:
    """Mark the numbers of a view (M, D) that are missing or infinite."""
    return ~np.isfinite(X) if X.dtype.kind in "fc" else np.zeros(X.shape, dtype=bool)


def count_missing(X: Values) -> int:
    """Count the missing or infinite numbers of a view (M, D), which may be larger than the memory."""
    if X.dtype.kind not in "fc":
        return 0
    return X.size - sum(int(np.count_nonzero(np.isfinite(block))) for _, block in read_blocks(X))


def _drop(merged: Parts, gaps: dict[str, Values]) -> list[Notice]:
    whole = ~np.any([gap.any(axis=1) for gap in gaps.values()], axis=0)
    if not whole.any():
        raise DataError(
            "Every sample lacks a number in some view.", "Leave out the view or the column that is incomplete."
        )
    if merged.ids is None:
        merged.ids = np.arange(len(whole))  # row numbers identify the samples that stay
    merged.views = {name: taken(X, np.flatnonzero(whole)) for name, X in merged.views.items()}
    for name in ("labels", "ids", "images"):
        values = getattr(merged, name)
        if values is not None and len(values) == len(whole):
            setattr(merged, name, values[whole])
    merged.columns = {n: v[whole] if len(v) == len(whole) else v for n, v in merged.columns.items()}
    merged.coordinates = {n: v[whole] for n, v in merged.coordinates.items()}
    gone = int((~whole).sum())
    text = f"{gone} of {len(whole)} samples lack a number and were dropped in all views."
    return [Notice(DROPPED, text, caption=f"{gone:,} of {len(whole):,} samples dropped for missing values")]


def _fill(merged: Parts, gaps: dict[str, Values], how: Missing) -> list[Notice]:
    for name, gap in gaps.items():
        _check_features(name, gap, merged)
        holed = np.where(gap, np.nan, merged.views[name]).astype(np.float64)
        unit = power_near(np.nanmax(np.abs(holed), axis=0))
        filled = (_by_median if how == "median" else _by_neighbours)(holed / unit) * unit
        merged.views[name] = np.where(gap, filled, holed)  # what is there stays as it is, to the last digit
    ways = {
        "median": "the median of their feature",
        "knn": f"the mean of the {NEIGHBOURS} nearest samples of the same view that have one, on z-scored features",
    }
    n_samples = len(np.flatnonzero(np.any([gap.any(axis=1) for gap in gaps.values()], axis=0)))
    each = {name: int(gap.sum()) for name, gap in gaps.items()}
    counts = ", ".join(f"{count:,} in {name}" for name, count in each.items())
    total = sum(each.values())
    were = "was" if total == 1 else "were"
    gone = f"{counted(total, 'missing value')} of {n_samples:,} of {len(gap):,} samples"
    text = f"{gone} {were} filled in by {ways[how]}: {counts}."
    by = {"median": "the median of their column", "knn": "their nearest samples in the same view"}[how]
    caption = f"missing values of {counted(n_samples, 'sample')} ({listed(list(gaps))}) imputed from {by}"
    return [Notice(FILLED, text, tuple(gaps), caption=caption)]


def _check_features(view: str, gap: Values, merged: Parts) -> None:
    """Refuse a feature without any number: nothing could fill it in."""
    empty = np.flatnonzero(gap.all(axis=0))
    if len(empty):
        names = merged.features.get(view)
        title = f"“{names[empty[0]]}”" if names else f"{empty[0] + 1}"
        raise DataError(
            f"Feature {title} of view “{view}” has no number at all, so its gaps cannot be filled in.",
            "Leave this column out.",
        )


def power_near(largest: Values) -> Values:
    """Find the power of four up to each size, never 0: divided by it, exactly, squares and sums stay in range."""
    return np.asarray(np.ldexp(1.0, 2 * ((np.frexp(largest)[1] - 1) // 2)))


def _by_median(holed: Values) -> Values:
    with IMPORTS:
        from sklearn.impute import SimpleImputer

    return np.asarray(SimpleImputer(strategy="median").fit_transform(holed))


def _by_neighbours(holed: Values) -> Values:
    """Fill gaps from neighbours on z-scores, as a feature of large numbers would decide alone."""
    with IMPORTS:
        from sklearn.impute import KNNImputer

    mean, spread = np.nanmean(holed, axis=0), np.nanstd(holed, axis=0)
    spread[spread == 0.0] = 1.0
    return np.asarray(KNNImputer(n_neighbors=NEIGHBOURS).fit_transform((holed - mean) / spread) * spread + mean)
