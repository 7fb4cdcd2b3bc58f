"""Labels and samples' names that stand in a file of their own, or in a column that was asked for by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mvexplorer.engine.core.notices import OFFERED_COLUMN, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import MORE_LABEL_NAMES, Parts, Values, pick_name, tidy_labels
from mvexplorer.io.base.path_text import full_path
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.reading.readers import is_table, read_parts
from mvexplorer.io.tables.tables import only_column
from mvexplorer.wording import counted


def label_file(options: ReadOptions) -> Parts | None:
    """Read the file that holds the labels; None where `options.labels` is no path."""
    if options.labels is None or not os.path.isfile(full_path(options.labels)):
        return None
    return read_parts(FileRequest(full_path(options.labels), ReadOptions(ids=options.ids)))


def n_rows(parts: Parts | None) -> int | None:
    """Return the number of samples that a file of labels tells; None where there is no such file."""
    if parts is None:
        return None
    return next((len(v) for v in (parts.labels, *parts.columns.values(), *parts.views.values()) if v is not None), None)


def labels_alone(parts: Parts) -> Parts:
    """Take a table of one column in a file called labels, class, ... as the label of the other files, in place."""
    if not is_table(parts.path):
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


def take_named(merged: Parts, options: ReadOptions, beside: Parts | None, told: Sequence[FileRequest]) -> None:
    """Apply the requested labels and names of samples, in place; roles given in the files have been applied already."""
    if not any(each.named("label") for each in told):
        if beside is not None:
            merged.labels = _checked(tidy_labels(_one_vector(beside)), beside.path, merged)
        elif options.labels is not None and merged.label_name != options.labels:
            merged.labels = tidy_labels(_column_or_file(options.labels, merged, "label"))
    if options.ids is not None and merged.id_name != options.ids and not any(each.named("id") for each in told):
        merged.ids = _column_or_file(options.ids, merged, "name")
    if merged.labels is not None:
        merged.labels = _without_header(merged.labels, merged)


def _column_or_file(wanted: str, merged: Parts, what: str) -> Values:
    """Return values (M,) of a column called `wanted`, else of the file of that name."""
    if wanted in merged.columns:
        return merged.columns.pop(wanted)
    path = full_path(wanted)
    if not os.path.isfile(path):
        names = [*([merged.label_name] if merged.label_name else []), *merged.columns]
        hint = f"The columns that could serve are {', '.join(names)}." if names else "No column could serve."
        raise DataError(f"There is no column or file called “{wanted}” to {what} the samples by.", hint)
    return _checked(_one_vector(read_parts(FileRequest(path))), path, merged)


def _one_vector(parts: Parts) -> Values:
    return only_column(parts) if is_table(parts.path) else _only_vector(parts)


def _checked(values: Values, path: Path, merged: Parts) -> Values:
    """Return values from a file of their own, one per sample; DataError if they are more or fewer."""
    n_samples = len(next(iter(merged.views.values())))
    values = _without_header(values, merged)
    if len(values) != n_samples:
        raise DataError(
            f"“{path.name}” has {counted(len(values), 'row')} for {n_samples} samples.",
            "Give exactly one row per sample.",
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
