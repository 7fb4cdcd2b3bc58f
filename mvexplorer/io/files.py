"""Files to `MultiView`: one reader per kind, then the parts of all files become one data set."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import OFFERED_COLUMN, POSSIBLE_LABEL, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.arrays import read_npy, read_npz
from mvexplorer.io.grid import Grid, read_grid
from mvexplorer.io.guards import check_sources, check_views
from mvexplorer.io.matlab import read_mat
from mvexplorer.io.merge import combine
from mvexplorer.io.options import ReadOptions
from mvexplorer.io.orientation import Content, orient
from mvexplorer.io.parts import (
    MORE_LABEL_NAMES,
    UNLABELLED,
    Parts,
    Values,
    gather_notes,
    pick_name,
    require_file,
    tidy_labels,
)
from mvexplorer.io.quality import describe_quality
from mvexplorer.io.rows import align
from mvexplorer.io.tables import interpret, only_column
from mvexplorer.io.waveforms import WAVEFORM_SUFFIXES, read_recordings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.io.manifest import Manifest

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".dat")
SUFFIXES = (*TABLE_SUFFIXES, ".npy", ".npz", ".mat", *WAVEFORM_SUFFIXES)
"""Endings of the files that can be opened."""
MOST_CLASSES = 40
"""A column of text with more different values is not offered as the label."""


@dataclass(frozen=True)
class Loaded:
    """A data set with notes about it.

    `notes` say what was assumed and what is odd; `sources` are the files read (absolute paths) or the sample's id;
    `manifest` belongs to a sample; `options` read the same data again.
    """

    data: MultiView
    notes: tuple[Notice, ...] = ()
    sources: tuple[str, ...] = ()
    manifest: Manifest | None = None
    options: ReadOptions = field(default_factory=ReadOptions)


def read_files(paths: Sequence[str | Path], options: ReadOptions | None = None, **changes: Any) -> Loaded:
    """Read one file, or several that hold one view each.

    Parameters
    ----------
    paths : sequence of path
        Files of the kinds in `SUFFIXES`.
    options : ReadOptions, optional
        How to read them where they leave it open.
    **changes
        Single options by name; they override `options`.

    Returns
    -------
    Loaded
        The data set, and what was assumed.

    Raises
    ------
    DataError
        A file cannot be read or understood, or the files do not fit together.
    RowsError
        It is uncertain which rows are the same sample, or whether rows are samples.
    MissingValuesError
        Numbers are missing or infinite and `drop_missing` is False.
    """
    options = replace(options or ReadOptions(), **changes)
    if not paths:
        raise DataError("No file was given.", "Give at least one file, or the name of a sample.")
    files = [_path(path) for path in paths]
    beside = _label_file(options)
    contents, turned = orient(_read(files, options, beside), options.transpose, _n_rows(beside))
    parts = [_labels_alone(_as_parts(content, options)) for content in contents]
    aligned = [*parts, *([beside] if beside is not None else [])]
    joined = align(aligned, options) if len(aligned) > 1 else []
    merged = combine([_labels_alone(part) for part in parts], joined)
    if not merged.views:
        names = ", ".join(f"“{path.name}”" for path in files)
        raise DataError(f"There is no table of numbers in {names}.", "Give at least one column of numbers.")
    _take_named(merged, options, beside)
    check_views(files[0], merged.views)
    notes = [*gather_notes(parts), *turned, *merged.notes]
    if options.drop_missing:
        notes += _drop_missing(merged)
    data = MultiView(
        merged.views,
        labels=merged.labels,
        sample_ids=None if merged.ids is None else [str(i) for i in merged.ids],
        images=merged.images,
        columns=merged.columns,
        preprocess=options.preprocess,
        feature_names=[merged.features.get(name) if merged.has_feature_names else None for name in merged.views],
    )
    possible = _possible_labels(data)
    offered = {(OFFERED_COLUMN, notice.subjects) for notice in possible}
    notes = [note for note in notes if (note.code, note.subjects) not in offered]
    notes += [*possible, *describe_quality(data)]
    return Loaded(data, tuple(notes), tuple(str(path.resolve()) for path in files), options=_absolute(options))


def _label_file(options: ReadOptions) -> Parts | None:
    """The file that holds the labels, where `labels` is one."""
    if options.labels is None or not os.path.isfile(_path(options.labels)):
        return None
    return _read_parts(_path(options.labels), ids=options.ids)


def _n_rows(parts: Parts | None) -> int | None:
    if parts is None:
        return None
    return next((len(v) for v in (parts.labels, *parts.columns.values(), *parts.views.values()) if v is not None), None)


def _read(files: Sequence[Path], options: ReadOptions, beside: Parts | None) -> list[Content]:
    """The files' contents; recordings, one sample each, come first, joined into one."""
    recorded = [path for path in files if path.suffix.lower() in WAVEFORM_SUFFIXES]
    check_sources([path for path in files if path not in recorded], recorded)
    contents: list[Content] = [read_recordings(recorded)] if recorded else []
    for path in files:
        if path in recorded:
            continue
        require_file(path)
        if path.suffix.lower() in TABLE_SUFFIXES:
            contents.append(read_grid(path))
        else:
            contents.append(
                _read_parts(
                    path, views=options.views, labels=options.labels, ids=options.ids, n_samples=_n_rows(beside)
                )
            )
    return contents


def _as_parts(content: Content, options: ReadOptions) -> Parts:
    return interpret(content, labels=options.labels, ids=options.ids) if isinstance(content, Grid) else content


def _take_named(merged: Parts, options: ReadOptions, beside: Parts | None) -> None:
    """Apply the requested labels, names and views, in place."""
    if beside is not None:
        merged.labels = _checked(tidy_labels(_one_vector(beside)), beside.path, merged)
    elif options.labels is not None and merged.label_name != options.labels:
        merged.labels = tidy_labels(_column_or_file(options.labels, merged, "label"))
    if options.ids is not None and merged.id_name != options.ids:
        merged.ids = _column_or_file(options.ids, merged, "name")
    if options.views is not None and not merged.selected:
        _select(merged, options.views)
    if merged.labels is not None:
        merged.labels = _without_header(merged.labels, merged)


def _path(name: str | Path) -> Path:
    # pathlib raises where there is no such user, os.path leaves the name as it is.
    return Path(os.path.expanduser(name))


def _read_parts(
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
        return interpret(read_grid(path), labels=labels, ids=ids)
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
    if parts.path.suffix.lower() not in TABLE_SUFFIXES:
        return parts
    only = list(parts.views.values())
    alone = len(only) == 1 and only[0].shape[1] == 1 and parts.labels is None and not parts.columns
    if alone and pick_name([parts.path.stem], MORE_LABEL_NAMES):
        parts.labels, parts.label_name = tidy_labels(only[0]), parts.path.stem
        parts.views, parts.features = {}, {}
        parts.note("the file was taken as the labels.")
    elif not only and len(parts.columns) == 1 and parts.labels is None:
        parts.notes = [notice for notice in parts.notes if notice.code != OFFERED_COLUMN]
        parts.label_name, parts.labels = parts.columns.popitem()
        parts.note("the file was taken as the labels.")
    return parts


def _column_or_file(wanted: str, merged: Parts, what: str) -> Values:
    """Values (M,) of a column called `wanted`, else of the file of that name."""
    if wanted in merged.columns:
        return merged.columns.pop(wanted)
    path = _path(wanted)
    if not os.path.isfile(path):
        names = [*([merged.label_name] if merged.label_name else []), *merged.columns]
        found = f"The columns that could serve are {', '.join(names)}." if names else "No column could serve."
        raise DataError(f"There is no column or file called “{wanted}” to {what} the samples by.", found)
    return _checked(_one_vector(_read_parts(path)), path, merged)


def _one_vector(parts: Parts) -> Values:
    is_table = parts.path.suffix.lower() in TABLE_SUFFIXES
    return only_column(parts) if is_table else _only_vector(parts)


def _checked(values: Values, path: Path, merged: Parts) -> Values:
    """Values from a file of their own, one per sample; DataError if they are more or fewer."""
    n_samples = len(next(iter(merged.views.values())))
    values = _without_header(values, merged)
    if len(values) != n_samples:
        raise DataError(
            f"“{path.name}” has {len(values)} rows for {n_samples} samples.", "Give exactly one row per sample."
        )
    return values


def _without_header(values: Values, merged: Parts) -> Values:
    """Drop the first row of text labels as a header if there is one row too many."""
    n_samples = len(next(iter(merged.views.values())))
    if values.dtype.kind != "U" or len(values) != n_samples + 1:
        return values
    merged.notes.append(Notice("assumed", f"“{values[0]}” was taken as the header of the labels."))
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


def _drop_missing(merged: Parts) -> list[Notice]:
    """Drop the samples that lack a number, in place; returns the notice that says how many."""
    rows = [len(X) for X in merged.views.values()]
    if len(set(rows)) != 1:
        return []  # the constructor raises the error, with the names
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
        merged.ids = np.arange(len(whole))  # row numbers identify the samples that stay
    merged.views = {name: X[whole] for name, X in merged.views.items()}
    for name in ("labels", "ids", "images"):
        values = getattr(merged, name)
        if values is not None and len(values) == len(whole):
            setattr(merged, name, values[whole])
    merged.columns = {n: v[whole] if len(v) == len(whole) else v for n, v in merged.columns.items()}
    gone = int((~whole).sum())
    text = f"{gone} of {len(whole)} samples lack a number and were dropped in all views."
    return [Notice("dropped", text)]


def _possible_labels(data: MultiView) -> list[Notice]:
    """Notices of text columns with few values that could be the label, if there is none."""
    if data.labels is not None:
        return []
    found = []
    for name, values in data.columns.items():
        classes = set(values.tolist()) - {UNLABELLED} if values.dtype.kind == "U" else set()
        is_one_of_two = f"{name}-2" in data.columns  # a name used by two files is ambiguous
        if 2 <= len(classes) <= min(MOST_CLASSES, data.n_samples // 2) and not is_one_of_two:
            text = f"Column “{name}” holds {len(classes)} classes and could be the label."
            found.append(Notice(POSSIBLE_LABEL, text, (name,)))
    return found


def _absolute(options: ReadOptions) -> ReadOptions:
    """The options with the full paths of the files they name."""

    def full(name: str | None) -> str | None:
        return str(_path(name).resolve()) if name is not None and os.path.isfile(_path(name)) else name

    return replace(options, labels=full(options.labels), ids=full(options.ids))
