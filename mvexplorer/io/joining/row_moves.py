"""Changes to what one file holds once it is known which of its columns names the samples, and where each belongs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.core.notices import NO_HEADER, OFFERED_COLUMN, SAMPLE_NAMES
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.parts import UNLABELLED, Parts, Values
from mvexplorer.io.joining.ids import IdColumn
from mvexplorer.io.joining.naming import Rows


def take_out(part: Parts, key: IdColumn, shared: frozenset[str]) -> str:
    """Remove the samples' names from the columns, and the notes on them, in place; return the column's name.

    A first row that is none of the `shared` names, which all files have, is a header.
    """
    name = key.name
    if isinstance(key.place, str):
        del part.columns[key.place]
        if not part.has_feature_names and not part.views and not {key.values[0], *key.loose[:1]} & shared:
            name = str(key.shown[0])
            _take_header(part)
    about = {(OFFERED_COLUMN, (key.name,)), (SAMPLE_NAMES, (key.name,))}
    part.notes = [notice for notice in part.notes if (notice.code, notice.subjects) not in about]
    return name


def take_out_numbers(part: Parts, keys: Sequence[IdColumn]) -> None:
    """Remove sample numbers from the features, in place; all columns of them but the first stay for colouring."""
    for view in list(part.features):
        gone = [(key, key.place[1]) for key in keys if isinstance(key.place, tuple) and key.place[0] == view]
        for key, index in gone:
            if key is not keys[0]:
                part.columns[key.name] = part.views[view][:, index]
                part.note(f"column “{key.name}” numbers the samples as well and is no feature.")
        left = np.delete(np.arange(part.views[view].shape[1]), [index for _, index in gone])
        part.features[view] = tuple(part.features[view][index] for index in left)
        part.views[view] = taken(part.views[view], (slice(None), left))
        if not len(left):
            del part.views[view], part.features[view]


def _take_header(part: Parts) -> None:
    """Name the columns of a text table by its first row, which turned out to be a header."""
    part.columns = {str(values[0]): values for values in part.columns.values()}
    part.notes = [notice for notice in part.notes if notice.code != OFFERED_COLUMN and notice.code != NO_HEADER]
    for name in part.columns:
        part.note(f"column “{name}” holds text and is offered for colouring.", OFFERED_COLUMN, (name,))


def take_rows(part: Parts, rows: Rows) -> None:
    """Bring the n rows of a file into another order, `rows` (M,), in place.

    Where the file lacks a sample, -1, its numbers are NaN, its texts “unlabelled”, its pictures black.
    """
    part.views = {name: _taken(X, rows, name) for name, X in part.views.items()}
    part.columns = {name: _taken(values, rows) for name, values in part.columns.items()}
    part.coordinates = {name: _taken(values, rows) for name, values in part.coordinates.items()}
    part.labels = None if part.labels is None else _taken(part.labels, rows)
    part.ids = None if part.ids is None else _taken(part.ids, rows)
    part.images = None if part.images is None else _taken(part.images, rows)
    part.lacking |= bool((rows < 0).any())


def _taken(values: Values, rows: Rows, name: str = "") -> Values:
    gone = rows < 0
    if not gone.any():
        return taken(values, rows)
    refuse_large(values, name, "the samples that it lacks cannot be marked in it")
    if values.dtype.kind in "SUO":
        moved = values.astype(object)[rows]
        moved[gone] = UNLABELLED
        return moved if values.dtype.kind == "O" else moved.astype(str)
    if values.ndim > 2:  # pictures, which have no mark for what is missing
        moved = values[rows]
        moved[gone] = 0
        return moved
    moved = values[rows].astype(np.result_type(values.dtype, np.float32) if values.dtype.kind == "f" else np.float64)
    moved[gone] = np.nan
    return np.asarray(moved)
