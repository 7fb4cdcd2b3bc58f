"""Files to `MultiView`: one reader per kind, then the parts of all files become one data set."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.engine.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.arrays import read_npy, read_npz
from mvexplorer.io.matlab import read_mat
from mvexplorer.io.merge import merge
from mvexplorer.io.oddities import describe_oddities
from mvexplorer.io.parts import (
    MORE_LABEL_NAMES,
    Parts,
    Values,
    gather_notes,
    pick_name,
    require_file,
    tidy_labels,
)
from mvexplorer.io.tables import read_column, read_table
from mvexplorer.io.waveforms import WAVEFORM_SUFFIXES, read_recordings

if TYPE_CHECKING:
    from mvexplorer.io.manifest import Manifest

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".dat")
SUFFIXES = (*TABLE_SUFFIXES, ".npy", ".npz", ".mat", *WAVEFORM_SUFFIXES)
"""Endings of the files that can be opened."""


@dataclass(frozen=True)
class Loaded:
    """A data set and what there is to say about it.

    `notes` are sentences about what was assumed and what is odd; `sources` the files read (absolute paths) or the
    sample's id; `manifest` belongs to a sample.
    """

    data: MultiView
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    manifest: Manifest | None = None


def read_files(
    paths: Sequence[str | Path],
    *,
    views: Sequence[str] | None = None,
    labels: str | None = None,
    ids: str | None = None,
    preprocess: str | Sequence[str] | None = None,
    drop_missing: bool = False,
) -> Loaded:
    """Read one file, or several that hold one view each.

    Parameters
    ----------
    paths : sequence of path
        Files of the kinds in `SUFFIXES`.
    views : sequence of str, optional
        Names of the views to keep, in that order; in a MAT file also the variables that are views.
    labels, ids : str, optional
        Name of a column or variable, or path of a file with one value per row.
    preprocess : str or sequence of str, optional
        For all views, or one per view.
    drop_missing : bool
        Drop samples that lack a number in any view, in all views.

    Raises
    ------
    DataError
        A file cannot be read or understood, or the files do not fit together.
    MissingValuesError
        Numbers are missing or infinite and `drop_missing` is False.
    """
    if not paths:
        raise DataError("No file was given.", "Give at least one file, or the name of a sample.")
    files = [_path(path) for path in paths]
    count = None if labels is None else _rows_of(_path(labels))
    recorded = [path for path in files if path.suffix.lower() in WAVEFORM_SUFFIXES]
    tables = [path for path in files if path not in recorded]
    parts: list[Parts] = [read_recordings(recorded)] if recorded else []
    parts += [read_parts(path, views=views, labels=labels, ids=ids, n_samples=count) for path in tables]
    merged = merge(parts)
    if not merged.views:
        names = ", ".join(f"“{path.name}”" for path in files)
        raise DataError(f"There is no table of numbers in {names}.", "Give at least one column of numbers.")
    if labels is not None and merged.label_name != labels:
        merged.labels = tidy_labels(_column_or_file(labels, merged, "label"))
    if ids is not None and merged.id_name != ids:
        merged.ids = _column_or_file(ids, merged, "name")
    if views is not None and not merged.selected:
        _select(merged, views)
    if merged.labels is not None:
        merged.labels = _without_header(merged.labels, merged)
    notes = [*gather_notes(parts), *merged.notes]
    if drop_missing:
        notes += _drop_missing(merged)
    data = MultiView(
        merged.views,
        labels=merged.labels,
        sample_ids=None if merged.ids is None else [str(i) for i in merged.ids],
        images=merged.images,
        columns=merged.columns,
        preprocess=preprocess,
    )
    notes += describe_oddities(data)
    return Loaded(data, tuple(notes), tuple(str(path.resolve()) for path in files))


def _path(name: str | Path) -> Path:
    # pathlib raises where there is no such user, os.path leaves the name as it is.
    return Path(os.path.expanduser(name))


def read_parts(
    path: Path,
    *,
    views: Sequence[str] | None = None,
    labels: str | None = None,
    ids: str | None = None,
    n_samples: int | None = None,
) -> Parts:
    """Read one file by its ending; `views`, `labels` and `ids` name variables or columns in it.

    `n_samples`, where it is known already, tells rows from columns in a MAT file.
    """
    suffix = path.suffix.lower()
    require_file(path)
    if suffix in TABLE_SUFFIXES:
        return _labels_alone(read_table(path, labels=labels, ids=ids))
    if suffix == ".npy":
        return read_npy(path)
    if suffix == ".npz":
        return read_npz(path, labels=labels, ids=ids)
    if suffix == ".mat":
        return read_mat(path, views=views, labels=labels, n_samples=n_samples)
    kind = f"of kind “{suffix}”" if suffix else "without an ending"
    raise DataError(f"Files {kind} cannot be read, so “{path.name}” was not opened.", f"Use {', '.join(SUFFIXES)}.")


def _labels_alone(parts: Parts) -> Parts:
    """A table of one column in a file called labels, class, ... is the label of the other files."""
    only = list(parts.views.values())
    alone = len(only) == 1 and only[0].shape[1] == 1 and parts.labels is None and not parts.columns
    if alone and pick_name([parts.path.stem], MORE_LABEL_NAMES):
        parts.labels, parts.label_name = tidy_labels(only[0]), parts.path.stem
        parts.views = {}
        parts.note("the file was taken as the labels.")
    elif not only and len(parts.columns) == 1 and parts.labels is None:
        parts.label_name, parts.labels = parts.columns.popitem()
        parts.note("the file was taken as the labels.")
    return parts


def _column_or_file(wanted: str, merged: Parts, what: str) -> Values:
    """Values (M,) of a column called `wanted`, else of the file of that name."""
    if wanted in merged.columns:
        return merged.columns.pop(wanted)
    path = _path(wanted)
    n_samples = len(next(iter(merged.views.values())))
    if not os.path.isfile(path):
        names = [*([merged.label_name] if merged.label_name else []), *merged.columns]
        found = f"The columns that could serve are {', '.join(names)}." if names else "No column could serve."
        raise DataError(f"There is no column or file called “{wanted}” to {what} the samples by.", found)
    values = _without_header(_read_vector(path), merged)
    if len(values) != n_samples:
        raise DataError(
            f"“{path.name}” has {len(values)} rows for {n_samples} samples.", "Give exactly one row per sample."
        )
    return values


def _rows_of(path: Path) -> int | None:
    """Number of values in a file of labels; None where there is no such file or none that can be read."""
    try:
        return len(_read_vector(path)) if os.path.isfile(path) else None
    except DataError:
        return None


def _read_vector(path: Path) -> Values:
    is_table = path.suffix.lower() in TABLE_SUFFIXES
    return read_column(path) if is_table else _only_vector(read_parts(path))


def _without_header(values: Values, merged: Parts) -> Values:
    """A column of text does not show whether it has a header; one row too many does."""
    n_samples = len(next(iter(merged.views.values())))
    if values.dtype.kind != "U" or len(values) != n_samples + 1:
        return values
    merged.notes.append(f"“{values[0]}” was taken as the header of the labels.")
    return values[1:]


def _only_vector(parts: Parts) -> Values:
    candidates = [*([parts.labels] if parts.labels is not None else []), *parts.columns.values()]
    candidates += [X.ravel() for X in parts.views.values() if 1 in X.shape]
    if len(candidates) != 1:
        raise DataError(
            f"“{parts.path.name}” holds {len(candidates) or 'no'} vectors.", "Give a file with a single vector."
        )
    return candidates[0]


def _select(merged: Parts, views: Sequence[str]) -> None:
    strange = [name for name in views if name not in merged.views]
    if strange:
        raise DataError(f"There is no view called “{strange[0]}”.", f"The views are {', '.join(merged.views)}.")
    merged.views = {name: merged.views[name] for name in views}


def _drop_missing(merged: Parts) -> list[str]:
    """Keep the samples whose numbers are all there, in place; the sentence that says how many went."""
    rows = [len(X) for X in merged.views.values()]
    if len(set(rows)) != 1:
        return []  # the constructor says what is wrong, with the names
    whole = np.ones(rows[0], dtype=bool)
    for X in merged.views.values():
        if X.dtype.kind in "fc":
            whole &= np.isfinite(X).all(axis=1)
    if whole.all():
        return []
    if not whole.any():
        raise DataError(
            "Every sample lacks a number in some view.", "Leave out the view or the column that is incomplete."
        )
    if merged.ids is None:
        merged.ids = np.arange(len(whole))  # so that the rest can be found in the file again
    merged.views = {name: X[whole] for name, X in merged.views.items()}
    for name in ("labels", "ids", "images"):
        values = getattr(merged, name)
        if values is not None and len(values) == len(whole):
            setattr(merged, name, values[whole])
    merged.columns = {n: v[whole] if len(v) == len(whole) else v for n, v in merged.columns.items()}
    gone = int((~whole).sum())
    return [f"{gone} of {len(whole)} samples lack a number and were dropped in all views."]
