"""MAT files: which variables are views, which one is the label, and where the samples are.

Multi-view data is published in many conventions: a cell of views, numbered variables, single variables, a struct of
all these; training and test halves; samples in rows or in columns; labels as a vector, one-hot, or repeated per view;
masks of what is missing; kernels. Where the file leaves the choice open, an error asks the user; nothing is guessed
silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.engine.core.notices import ASSUMED, LEFT_OUT, NUMERIC_LABEL, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import Budget
from mvexplorer.io.base.masks import apply_mask, leave_out_masks, mask_alone
from mvexplorer.io.base.parts import (
    HALF_COLUMN,
    ID_NAMES,
    MORE_LABEL_NAMES,
    Parts,
    Values,
    left_out,
    pick_name,
    tidy_labels,
)
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.base.union import is_binary, is_mask_name
from mvexplorer.io.matlab.mathalves import (
    HALVES_OF,
    Half,
    half_of,
    label_one_half,
    named_half,
    split_halves,
    stack_halves,
    turn_halves,
)
from mvexplorer.io.matlab.matorient import put_samples_in_rows
from mvexplorer.io.matlab.matvars import (
    MOST_LABELS,
    as_table,
    fill_sparse,
    flatten,
    label_columns,
    label_vector,
    read_variables,
)
from mvexplorer.io.matlab.matviews import cell_tables, choose_views

Variables = dict[str, Any]


def read_mat(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read a MAT file of version 4, 5 or 7.3."""
    asked = asked or FileRequest(path)
    contents, notes = read_variables(asked.room)
    budget = Budget(path)
    variables = {name: fill_sparse(value, budget) for name, value in flatten(contents).items()}
    if not variables:
        raise DataError(f"The file “{path.name}” holds no variables.", "Save the views as matrices.")
    for name, value in variables.items():
        asked.offer(name, partial(np.asarray, value))
    ignored = asked.named("ignore")
    variables = {name: value for name, value in variables.items() if name not in ignored}
    variables, notices = _apart(variables, asked)
    halves = split_halves(variables)
    half = asked.options.half
    if halves and not _is_whole(variables, asked):
        parts = _read_halves(variables, asked, halves)
    elif half in HALVES_OF:
        raise DataError(f"“{path.name}” does not hold a training and a test half.", "Leave out half=.")
    else:
        parts = _read(variables, asked)
    for text in [*notes, *([f"{left_out(ignored)}, as asked."] if ignored else [])]:
        parts.note(text)
    parts.notes += notices
    return parts


def _apart(variables: Variables, asked: FileRequest) -> tuple[Variables, list[Notice]]:
    """Split tables of several labels into one variable per column; return all variables, and notices about them."""
    apart: Variables = {}
    notices = []
    for name, value in variables.items():
        usual = (half_of(name) or (name, None))[0].lower() in MORE_LABEL_NAMES
        plain = asked.role(name) is None and name not in (asked.options.views or ())
        columns = {f"{name}-{j}": column for j, column in enumerate(label_columns(value) if usual and plain else [], 1)}
        for key, column in columns.items():
            asked.offer(key, partial(np.asarray, column))
        apart |= columns or {name: value}
        if columns:
            is_chosen = asked.labels is not None or any(asked.role(key) for key in columns)
            text = f"“{name}” holds {len(columns)} columns of classes, offered for colouring; each could be the label."
            notices.append(Notice(ASSUMED if is_chosen else NUMERIC_LABEL, text, tuple(columns)))
    return apart, notices


# Halves -----------------------------------------------------------------------------------------------------------


def _is_whole(variables: Variables, asked: FileRequest) -> bool:
    """True if one cell is asked for, which is not a half."""
    views = asked.options.views or ()
    return (
        len(views) == 1
        and named_half(views, split_halves(variables)) is None
        and bool(cell_tables(variables.get(views[0])))
    )


def _read_halves(variables: Variables, asked: FileRequest, halves: Mapping[Half, Mapping[str, str]]) -> Parts:
    views = asked.options.views or ()
    named = named_half([*views, *asked.named("view")], halves)
    chosen = [half for half in HALVES_OF if half == (named or asked.options.half)] or list(HALVES_OF)
    base = {name: short for names in halves.values() for short, name in names.items()}
    own = _for_half(asked, base, n_samples=asked.n_samples if len(chosen) == 1 else None)
    stored = variables
    variables, decided = turn_halves(variables, halves)
    if decided:  # a square half is in no doubt
        own = replace(own, options=replace(own.options, transpose=False))
    read = [_read({short: variables[name] for short, name in halves[half].items()}, own) for half in chosen]
    parts = stack_halves(*read, as_asked=asked.options.half is not None) if len(read) > 1 else read[0]
    turned = [base[n] for n in halves["train"].values() if variables[n] is not stored[n] and base[n] in parts.views]
    if turned:
        parts.note(f"samples stand in columns and were turned into rows in {', '.join(turned)}.")
    parts.variables.halves = {name: base[name] for half in chosen for name in halves[half].values()}
    if named and any(view in halves[named].values() for view in views):
        parts.views = {halves[named].get(name, name): X for name, X in parts.views.items()}
        parts.variables.sources |= {view: base[view] for view in parts.views if view in base}
    elif len(read) == 1:
        parts.note(f"only the {'training' if chosen[0] == 'train' else 'test'} half was read, as asked.")
    _take_shared({name: value for name, value in variables.items() if name not in base}, parts, own)
    return parts


def _take_shared(variables: Variables, parts: Parts, asked: FileRequest) -> None:
    """Take labels and vectors that are no half of another variable: of all samples, or the labels of one half."""
    if parts.labels is None:
        _take_labels(variables, parts, asked, count=len(next(iter(parts.views.values()))))
    if parts.labels is None and HALF_COLUMN in parts.columns and asked.labels is None:
        label_one_half(variables, parts)
    _take_vectors({n: v for n, v in variables.items() if n != parts.label_name}, parts, asked)


def _for_half(asked: FileRequest, base: Mapping[str, str], n_samples: int | None) -> FileRequest:
    """Turn the request into one by the names that both halves share; views may be asked for by either."""
    options = asked.options
    views = None if options.views is None else tuple(dict.fromkeys(base.get(view, view) for view in options.views))
    labels = None if options.labels is None else base.get(options.labels, options.labels)
    roles = {base.get(name, name): role for name, role in asked.roles.items()}
    options = replace(options, views=views, labels=labels, roles=roles)
    offered = [(base.get(name, name), read) for name, read in asked.found]
    return FileRequest(asked.path, options, n_samples, offered)


# One set of variables ---------------------------------------------------------------------------------------------


def _read(variables: Variables, asked: FileRequest) -> Parts:
    parts = Parts(asked.path)
    _take_labels(variables, parts, asked)
    rest = {name: value for name, value in variables.items() if name != parts.label_name}
    masks = _masks(rest, asked)
    free = {name: v for name, v in rest.items() if name not in masks and asked.role(name) not in ("id", "colour")}
    if masks and not free:
        return mask_alone(parts, masks)
    chosen = choose_views(free, parts, asked)
    put_samples_in_rows(chosen, asked.n_samples if parts.labels is None else len(parts.labels), parts, asked)
    apply_mask(masks, free, parts)
    leave_out_masks(parts, asked)
    _take_vectors(rest, parts, asked)
    _tell_left({name: value for name, value in free.items() if asked.role(name) is None}, parts, asked)
    return parts


def _tell_left(variables: Variables, parts: Parts, asked: FileRequest) -> None:
    """Note tables that were left out; those with a row or column per sample could be views."""
    noted = {name for note in parts.notes if note.code == LEFT_OUT for name in note.subjects}
    count = len(next(iter(parts.views.values())))
    used = {*parts.views, *parts.variables.sources.values(), *parts.columns, *noted}
    left = {
        name: value
        for name, value in variables.items()
        if name not in used
        and getattr(value, "ndim", 0) in (2, 3)
        and min(value.shape) > 1
        and value.dtype.kind in "biuf"
    }
    for name, value in list(left.items()):
        rows = value if len(value) == count else value.T
        if name.lower() in MORE_LABEL_NAMES and value.ndim == 2 and len(rows) == count and len(rows.T) <= MOST_LABELS:
            columns = {f"{name}-{j}": tidy_labels(column) for j, column in enumerate(rows.T, 1)}
            parts.columns |= columns
            for key, column in columns.items():
                asked.offer(key, partial(np.asarray, column))
            parts.note(f"the columns of “{name}” are offered for colouring, not used as features.", LEFT_OUT, (name,))
            del left[name]
    if left:
        listing = ", ".join(f"“{name}” ({' x '.join(map(str, value.shape))})" for name, value in left.items())
        fitting = tuple(name for name, value in left.items() if count in value.shape)
        text = f"{listing} {'was' if len(left) == 1 else 'were'} left out."
        parts.note(text, LEFT_OUT if fitting else ASSUMED, fitting)


def _take_labels(variables: Variables, parts: Parts, asked: FileRequest, count: int | None = None) -> None:
    """Take the variable with the role of a label, else the first with a label's name that holds one per sample."""
    wanted = asked.labels
    if wanted is not None and wanted in variables:
        values = label_vector(variables[wanted])
        if values is None:
            raise DataError(
                f"Variable “{wanted}” of “{parts.path.name}” is no vector of labels.",
                "Name another variable, or a file with one label per row.",
            )
        _set_label(parts, values, wanted)
    free = [name for name in variables if asked.role(name) is None and name not in (asked.options.views or ())]
    while wanted is None and (name := pick_name(free, MORE_LABEL_NAMES)) is not None:
        values = label_vector(variables[name])
        if values is not None and (count is None or len(values) == count):
            _set_label(parts, values, name)
            return
        free.remove(name)


def _set_label(parts: Parts, values: Values, name: str) -> None:
    parts.labels, parts.label_name = values, name
    parts.note(f"variable “{name}” was taken as the label.")


def _take_vectors(variables: Variables, parts: Parts, asked: FileRequest) -> None:
    """Take vectors with one value per sample as names, or columns to colour by."""
    count = len(next(iter(parts.views.values())))
    named = asked.named("id")
    for name, value in variables.items():
        vector = label_vector(value) if name not in parts.views and not cell_tables(value) else None
        if vector is None or len(vector) != count:
            continue
        if name in named or (not named and name.lower() in ID_NAMES and parts.ids is None):
            parts.ids, parts.id_name, parts.named.ids = vector, name, name in named
        elif np.ndim(value) <= 2 and 1 in np.shape(value):
            parts.columns[name] = vector


# Masks ------------------------------------------------------------------------------------------------------------


def _masks(variables: Variables, asked: FileRequest) -> dict[str, list[Values]]:
    """Find tables of zeros and ones, alone or in a cell, that may say which views have which samples."""
    masks = {}
    in_cell = sum(len(cell_tables(value)) > 1 for value in variables.values()) > 0
    for name, value in variables.items():
        tables = cell_tables(value) or [table for table in [as_table(value)] if table is not None]
        usual = is_mask_name(name, asked.path.stem if len(variables) == 1 else "")
        plain = in_cell and not cell_tables(value)
        is_view = name in (asked.options.views or ()) or asked.role(name) == "view"
        if not is_view and (usual or plain) and tables and all(map(is_binary, tables)):
            masks[name] = tables
    return masks
