"""Several files of the same samples become one: view names, labels, and rows in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.parts import Parts, Values


def merge(parts: Sequence[Parts]) -> Parts:
    """The views of all files side by side.

    Where the files name their samples alike but in another order, rows follow the first file. Labels that several
    files carry must agree. Notes are those of joining alone.

    Raises
    ------
    DataError
        Files name different samples or give them different labels.
    """
    if len(parts) == 1:
        return replace(parts[0], notes=[])
    merged = Parts(parts[0].path)
    for part in parts:
        _follow(merged, part)
        for name, X in part.views.items():
            own = part.path.stem if len(part.views) == 1 else f"{part.path.stem}.{name}"
            merged.views[_free_name(own, merged.views)] = X
        _take_labels(merged, part)
        for name, values in part.columns.items():
            merged.columns[_free_name(name, merged.columns)] = values
        if merged.images is None:
            merged.images = part.images
    return merged


def _follow(merged: Parts, part: Parts) -> None:
    """Bring the rows of `part` into the order of the names already known."""
    if part.ids is None:
        return
    if merged.ids is None:
        merged.ids, merged.id_name = part.ids, part.id_name
        return
    known, own = merged.ids.astype(str), part.ids.astype(str)
    if np.array_equal(known, own):
        return
    if len(np.unique(own)) != len(own) or not np.array_equal(np.sort(known), np.sort(own)):
        odd = sorted(set(known) ^ set(own))
        example = f", for example “{odd[0]}”" if odd else ""
        raise DataError(
            f"“{part.path.name}” names other samples than “{merged.path.name}”{example}.",
            "Give every file the same samples.",
        )
    order = np.argsort(own)[np.argsort(np.argsort(known))]
    part.views = {name: X[order] for name, X in part.views.items()}
    part.columns = {name: values[order] for name, values in part.columns.items()}
    part.labels = None if part.labels is None else part.labels[order]
    part.images = None if part.images is None else part.images[order]
    merged.notes.append(f"{part.path.name}: the rows were put into the order of {merged.path.name}, by name.")


def _take_labels(merged: Parts, part: Parts) -> None:
    if part.labels is None:
        return
    if merged.labels is None:
        merged.labels, merged.label_name = part.labels, part.label_name
    elif not _same(merged.labels, part.labels):
        raise DataError(
            f"The labels in “{part.path.name}” differ from those before it.",
            "Bring the rows of all files into the same order, or keep the right labels only.",
        )


def _same(first: Values, second: Values) -> bool:
    # Files of different length are refused later, by the number of their rows.
    return len(first) != len(second) or bool(np.array_equal(first.astype(str), second.astype(str)))


def _free_name(name: str, taken: dict[str, Values]) -> str:
    """`name`, or `name-2` and so on where it is taken."""
    names = (name if i == 1 else f"{name}-{i}" for i in range(1, len(taken) + 2))
    return next(candidate for candidate in names if candidate not in taken)
