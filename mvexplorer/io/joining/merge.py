"""Several files of the same samples become one: rows in the same order, view names, labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import Joined, Parts, Values, tidy_labels
from mvexplorer.io.joining.ids import canonical_names
from mvexplorer.io.joining.rows import align_rows

UNDECIDED = ReadOptions()


def merge(parts: Sequence[Parts], options: ReadOptions = UNDECIDED) -> Parts:
    """Join the views of all files side by side, row i of every one the same sample; bring `parts` into one order.

    Where the files name their samples, rows follow the first file (see `io.joining.rows`). Labels that several files
    carry must agree: else a DataError. The notes are those of joining; the notes of `parts` are updated.
    """
    return combine_files(parts, align_rows(parts, options))


def combine_files(parts: Sequence[Parts], notes: Sequence[Notice]) -> Parts:
    """Join files whose rows are paired already; views get their files' names. DataError where labels differ."""
    if len(parts) == 1:
        parts[0].joined.called = {name: name for name in parts[0].views}
        numbered = set() if parts[0].has_feature_names else set(parts[0].features)
        return replace(parts[0], notes=list(notes), joined=Joined(numbered=numbered))
    merged = Parts(parts[0].path, notes=list(notes))
    for part in parts:
        for name, X in part.views.items():
            own = part.path.stem if len(part.views) == 1 else f"{part.path.stem}.{name}"
            view = part.joined.called[name] = _free_name(own, merged.views)
            merged.views[view], merged.joined.origins[view] = X, part.path
            if name in part.features:
                merged.features[view] = part.features[name]
                merged.joined.numbered |= set() if part.has_feature_names else {view}
        if merged.ids is None:
            merged.ids, merged.id_name = part.ids, part.id_name
        merged.lacking |= part.lacking
        _take_labels(merged, part)
        for name, values in part.columns.items():
            both = _agreed(merged.columns[name], values) if name in merged.columns else None
            merged.columns[name if both is not None else _free_name(name, merged.columns)] = (
                values if both is None else both
            )
        for name, values in part.coordinates.items():
            merged.coordinates[_free_name(name, merged.coordinates)] = values
        if merged.images is None:
            merged.images = part.images
    if merged.lacking and merged.labels is not None:
        merged.labels = tidy_labels(merged.labels)
    return merged


def _take_labels(merged: Parts, part: Parts) -> None:
    if part.labels is None:
        return
    if merged.labels is None:
        merged.labels, merged.label_name = part.labels, part.label_name
        return
    both = _agreed(merged.labels, part.labels)
    if both is not None:
        merged.labels = both
    elif len(merged.labels) == len(part.labels):  # files of different length are refused by the number of their rows
        raise DataError(
            f"The labels in “{part.path.name}” differ from those before it.",
            "Bring the rows of all files into the same order, or keep the right labels only.",
        )


def _agreed(first: Values, second: Values) -> Values | None:
    """Merge the values (M,) of two files, each of which may lack some; None where they contradict each other."""
    if first.shape != second.shape or first.ndim != 1:
        return first if np.array_equal(first, second) else None
    here, there = labelled(first), labelled(second)
    if canonical_names(first[here & there].tolist()) != canonical_names(second[here & there].tolist()):
        return None
    if here.all():
        return first
    if first.dtype.kind in "SUO" or second.dtype.kind in "SUO":
        return np.where(here, first.astype(str), second.astype(str))
    return np.where(here, first, second)


def _free_name(name: str, taken: dict[str, Values]) -> str:
    """`name`, or `name-2` and so on where it is taken."""
    names = (name if i == 1 else f"{name}-{i}" for i in range(1, len(taken) + 2))
    return next(candidate for candidate in names if candidate not in taken)
