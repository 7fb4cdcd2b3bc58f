"""Samples that some views lack: told by masks, then left out (intersection) or filled in from the other views (union).

A view lacks a sample where its whole row is NaN; `Parts.lacking` says that a file means it so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import read_blocks
from mvexplorer.engine.core.notices import ABSENT, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.parts import FILLED_COLUMN, Parts, Values
from mvexplorer.wording import counted, listed

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_MASK = re.compile(r"masks?|folds?|ind|index|indicator|missing|miss|present|observed|available|paired|incomplete", re.I)
_STEM = re.compile(r"mask|fold|miss|incomplete|paired|(?<![a-z])del", re.I)
_ABSENCE = re.compile(r"miss|absent|lack|del", re.I)
_NEIGHBOURS = 5


# Masks ------------------------------------------------------------------------------------------------------------


def is_mask_name(name: str, stem: str = "") -> bool:
    """True if a variable, or a file of one variable by its stem, has a name of masks such as “mask” or “folds”."""
    return _MASK.fullmatch(name) is not None or bool(stem and _STEM.search(stem))


def is_binary(table: Values) -> bool:
    """True if a table (n, d) has several rows and columns of zeros and ones only, both of them."""
    return min(table.shape) > 1 and bool(np.isin(table, (0, 1)).all()) and 0 < table.mean() < 1


def presence(table: Values, views: Mapping[str, Values], name: str) -> Flags | None:
    """Find which views have which samples (M, L): 1 means present if rows of zeros or NaN say so, else by the name.

    The mask is (M, L) or (L, M); None where it is none of these L views.
    """
    empty = np.column_stack([_empty(X) for X in views.values()])
    for ones in (np.asarray(stored == 1) for stored in (table, table.T) if stored.shape == empty.shape):
        fitting = [present for present in (ones, ~ones) if empty.any() and not (empty & present).any()]
        if fitting or is_mask_name(name):
            return fitting[0] if fitting else (~ones if _ABSENCE.search(name) else ones)
    return None


def _empty(X: Values) -> Flags:
    return np.asarray(~np.nan_to_num(X, posinf=1.0, neginf=1.0).any(axis=1))


def lists_of_absent(variables: Mapping[str, object], views: Mapping[str, Values]) -> str:
    """Name the variable that lists, per view or for all, the rows that are NaN, or the others; “” for none.

    Rows are numbered from 1 or from 0, in vectors or cells of them.
    """
    gone = [~_has(X) for X in views.values()]
    if not np.any(gone):
        return ""
    for name, value in variables.items():
        lists = list(value.ravel()) if isinstance(value, np.ndarray) and value.dtype == object else [value]
        rows = gone if len(lists) == len(gone) else [np.any(gone, axis=0)]
        if len(lists) == len(rows) and all(map(_lists, lists, rows)):
            return name
    return ""


def _lists(value: object, rows: Flags) -> bool:
    """True if numbers from 1 or from 0 are those of the marked rows, or those of all the others."""
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biuf":
        return False
    listed = set(numbers.ravel().tolist())
    return any(listed == set((np.flatnonzero(own) + first).tolist()) for own in (rows, ~rows) for first in (0, 1))


def mark_absent(parts: Parts, present: Flags, name: str) -> None:
    """Make rows of samples that views lack NaN, in place; `present` (M, L) says which, by the mask `name`."""
    for column, view in enumerate(parts.views):
        refuse_large(parts.views[view], view, "the samples that it lacks cannot be marked in it")
        X = parts.views[view].astype(np.float64)
        X[~present[:, column]] = np.nan
        parts.views[view] = X
    parts.lacking = True
    parts.note(f"“{name}” was taken as the mask that says which views have which samples.")


def apply_masks(merged: Parts, masks: Sequence[Parts]) -> None:
    """Mark what the masks in files of their own say is absent, in place; DataError where a mask does not fit."""
    for part in masks:
        if part.mask is None or not merged.views:
            continue
        name, mask = part.mask
        present = presence(mask, merged.views, name)
        if present is None:
            size = " x ".join(map(str, mask.shape))
            needed = f"{len(next(iter(merged.views.values())))} samples and {len(merged.views)} views"
            message = f"The mask in “{part.path.name}” is {size} for {needed}."
            raise DataError(message, "Give one row per sample and one column per view.")
        mark_absent(merged, present, part.path.name)


# Intersection and union -------------------------------------------------------------------------------------------


def complete(merged: Parts, samples: str | None) -> list[Notice]:
    """Leave out the samples that a view lacks, or fill them in, in place; DataError where none is left.

    Where `samples` is None, they are left out if a file says that samples are lacking; else nothing happens.
    """
    views = merged.views
    if (samples is None and not merged.lacking) or len({len(X) for X in views.values()}) != 1:
        return []
    present = np.column_stack([_has(X) for X in views.values()])
    if present.all():
        return []
    lacking = [f"without {name}: {count:,}" for name, count in zip(views, (~present).sum(axis=0), strict=True)]
    if samples == "union":
        return _unite(merged, present, ", ".join(lacking))
    whole = np.asarray(present.all(axis=1))
    if not whole.any():
        raise DataError(
            f"No sample is in all views; of {len(whole):,} samples, {', '.join(lacking)}.",
            'Impute from the other views with samples="union", or leave out a view.',
        )
    keep_rows(merged, whole)
    text = f"{int(whole.sum()):,} of {len(whole):,} samples are in all views and were kept; "
    caption = kept_of(int(whole.sum()), len(whole), len(views), "view")
    return [Notice(ABSENT, f"{text}{', '.join(lacking)}.", tuple(views), caption=caption)]


def kept_of(kept: int, known: int, n: int, what: str) -> str:
    """How many of the known samples all n files or views have, as a caption says it."""
    everywhere = f"both {what}s" if n == 2 else f"all {n} {what}s"
    return f"{counted(kept, 'sample')} present in {everywhere} ({known - kept:,} of {known:,} dropped)"


def _has(X: Values) -> Flags:
    if X.dtype.kind not in "fc":
        return np.ones(len(X), dtype=bool)
    return np.concatenate([~np.isnan(block).all(axis=1) for _, block in read_blocks(X)])


def _unite(merged: Parts, present: Flags, lacking: str) -> list[Notice]:
    some = np.asarray(present.any(axis=1))
    if not some.all():
        keep_rows(merged, some)
        present = present[some]
    for name, X in merged.views.items():
        refuse_large(X, name, "the samples that some views lack cannot be filled in")
    names = np.array(list(merged.views), dtype=object)
    merged.views = dict(zip(names, _fill_from_neighbours(list(merged.views.values()), present), strict=True))
    partial = [name for name, given in merged.coordinates.items() if not np.isfinite(given).all()]
    for name in partial:
        del merged.coordinates[name]
    merged.columns[FILLED_COLUMN] = np.array([", ".join(names[~row]) or "no view" for row in present])
    text = (
        f"Samples that a view lacks got the mean of their {_NEIGHBOURS} nearest samples in the other views; "
        f"of {len(present):,} samples, {lacking}"
    )
    gone = int((~some).sum())
    text += f". “{FILLED_COLUMN}” colours them." + (f" {gone:,} in no view were left out." * (gone > 0))
    if partial:
        text += f" Given coordinates that some samples lack were left out: {', '.join(partial)}."
    counts = zip(names, (~present).sum(axis=0), strict=True)
    holes = [f"{name} of {counted(int(count), 'sample')}" for name, count in counts if count]
    caption = [f"{listed(holes)} imputed from the other views"] if holes else []
    caption += [f"{counted(gone, 'sample')} in no view dropped"] if gone else []
    return [Notice(ABSENT, text, tuple(merged.views), "warning", "; ".join(caption))]


def _fill_from_neighbours(Xs: Sequence[Values], present: Flags) -> list[Array]:
    """Fill samples not `present` (M, L) into the views (M, D_l) by the mean of their nearest ones that are.

    Distances are Euclidean over the z-scored features of all views that both samples have, as if the others agreed with
    these on average: d² = (all features / features shared) Σ over shared features.
    """
    scores = [_z_scores(X, has) for X, has in zip(Xs, present.T, strict=True)]
    filled = [np.array(X, dtype=np.float64) for X in Xs]
    most = 1024  # samples at once: bounds the matrix of distances
    for view, X in enumerate(filled):
        donors = np.flatnonzero(present[:, view])
        absent = np.flatnonzero(~present[:, view])
        for start in range(0, len(absent), most):
            rows = absent[start : start + most]
            _fill_rows(X, rows, donors, _distances(scores, present, rows, donors))
    return filled


def _fill_rows(X: Array, rows: Values, donors: Values, distances: Array) -> None:
    """Give some rows of X (M, D) the mean of their nearest donors, in place."""
    if not np.isfinite(distances).any(axis=1).all():
        raise DataError(
            "A sample shares no view with those from which it would be filled in.",
            'Keep the samples that all views have, with samples="intersection".',
        )
    for row, own in zip(rows, distances, strict=True):
        nearest = np.argsort(own, kind="stable")[:_NEIGHBOURS]
        X[row] = X[donors[nearest[np.isfinite(own[nearest])]]].mean(axis=0)


def _z_scores(X: Values, has: Flags) -> Array:
    """Z-score a view (M, D) over the samples that it has; 0 where a number is missing or a feature constant."""
    own = np.asarray(X, dtype=np.float64)
    numbers = np.where(np.isfinite(own[has]), own[has], np.nan)
    count = np.maximum(np.isfinite(numbers).sum(axis=0), 1)
    middle = np.nansum(numbers, axis=0) / count
    spread = np.sqrt(np.nansum((numbers - middle) ** 2, axis=0) / count)
    scored = (own - middle) / np.where(spread > 0, spread, np.inf)
    return np.asarray(np.nan_to_num(scored, nan=0.0, posinf=0.0, neginf=0.0))


def _distances(scores: Sequence[Array], present: Flags, rows: Values, donors: Values) -> Array:
    """Compute squared distances (rows, donors) over features that both have; infinite where they share none."""
    total = np.zeros((len(rows), len(donors)))
    shared = np.zeros_like(total)
    for Z, has in zip(scores, present.T, strict=True):
        both = np.outer(has[rows], has[donors])
        a, b = Z[rows], Z[donors]
        squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * (a @ b.T)
        total += np.where(both, np.maximum(squares, 0.0), 0.0)
        shared += both * Z.shape[1]
    return np.asarray(np.where(shared > 0, total / np.maximum(shared, 1.0), np.inf))


def keep_rows(merged: Parts, keep: Flags) -> None:
    """Keep the samples marked in `keep` (M,), in place; row numbers become ids where there are none."""
    if merged.ids is None:
        merged.ids = np.arange(len(keep))  # row numbers identify the samples that stay
    merged.views = {name: taken(X, np.flatnonzero(keep)) for name, X in merged.views.items()}
    for name in ("labels", "ids", "images"):
        values = getattr(merged, name)
        if values is not None and len(values) == len(keep):
            setattr(merged, name, values[keep])
    for given in (merged.columns, merged.coordinates):
        given.update({name: values[keep] for name, values in given.items() if len(values) == len(keep)})
