"""MAT files: which variables are views, which one is the label, and where the samples are.

Multi-view data is published in many conventions: a cell of views, numbered variables, single variables, a struct of
all these; samples in rows or in columns; labels as a vector, one-hot, or repeated per view. Where the file leaves the
choice open, an error asks the user; nothing is guessed silently.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.guards import Budget
from mvexplorer.io.matvars import as_table, fill_sparse, flatten, is_cell, label_vector, read_variables
from mvexplorer.io.parts import ID_NAMES, MORE_LABEL_NAMES, Parts, Values, left_out, pick_name
from mvexplorer.io.roles import Asked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_CELL_NAMES = ("x", "data", "fea", "views", "m")


def read_mat(path: Path, asked: Asked | None = None) -> Parts:
    """Read a MAT file of version 5 or 7.3.

    Parameters
    ----------
    path : Path
        The file.
    asked : Asked, optional
        The variables (or the one cell) that hold the views, the label, the number of samples, where the file leaves
        them open; it learns of all variables.

    Returns
    -------
    Parts
        Its views, labels and names; its notes say what was assumed.

    Raises
    ------
    DataError
        The file is damaged, or it cannot be decided which variables are views or where the samples are.
    """
    asked = asked or Asked(path)
    found, notes = read_variables(path)
    budget = Budget(path)
    variables = {name: fill_sparse(value, budget) for name, value in flatten(found).items()}
    if not variables:
        raise DataError(f"The file “{path.name}” holds no variables.", "Save the views as matrices.")
    parts = Parts(path)
    for text in notes:
        parts.note(text)
    for name, value in variables.items():
        asked.offer(name, partial(np.asarray, value))
    views = asked.named("view") or asked.options.views
    _take_labels(variables, parts, asked.labels)
    ignored = asked.named("ignore")
    if ignored:
        parts.note(f"{left_out(ignored)}, as asked.")
    rest = {name: value for name, value in variables.items() if name not in (parts.label_name, *ignored)}
    chosen = _choose({n: v for n, v in rest.items() if asked.role(n) in (None, "view")}, views, parts)
    count = asked.n_samples if parts.labels is None else len(parts.labels)
    _orient(chosen, count, parts, named=views is not None)
    _take_vectors(rest, parts, asked)
    return parts


def _take_labels(variables: Mapping[str, Any], parts: Parts, wanted: str | None) -> None:
    name = wanted if wanted in variables else None
    if wanted is None:
        name = pick_name(list(variables), MORE_LABEL_NAMES)
    if name is None:
        return
    values = label_vector(variables[name])
    if values is None and wanted is not None:
        raise DataError(
            f"Variable “{name}” of “{parts.path.name}” is no vector of labels.",
            "Name another variable, or a file with one label per row.",
        )
    if values is not None:
        parts.labels, parts.label_name = values, name
        parts.note(f"variable “{name}” was taken as the label.")


def _choose(variables: Mapping[str, Any], views: Sequence[str] | None, parts: Parts) -> dict[str, Values]:
    """The tables that are views, oriented as in the file."""
    cells = {name: found for name, value in variables.items() if (found := _cell_tables(value))}
    named = [name for name in views or () if name in variables]
    if named:
        parts.selected = True
        return _by_name(named, variables, cells, parts)
    if cells:
        name = _one_cell(cells, parts)
        parts.note(f"the {len(cells[name])} tables in the cell “{name}” were taken as views.")
        return {f"view{i + 1}": table for i, table in enumerate(cells[name])}
    tables = {n: t for n, value in variables.items() if (t := as_table(value)) is not None and min(t.shape) > 1}
    numbered = _numbered(list(tables))
    if len(numbered) > 1:
        parts.note(f"the numbered variables {', '.join(numbered)} were taken as views.")
        return {name: tables[name] for name in numbered}
    if parts.labels is not None:
        tables = {name: table for name, table in tables.items() if len(parts.labels) in table.shape}
    if not tables:
        raise _ask(parts, variables, "no table that could be a view was found")
    if len(tables) > 1:
        parts.note(f"the variables {', '.join(tables)} were taken as views.")
    return tables


def _by_name(
    named: list[str], variables: Mapping[str, Any], cells: dict[str, list[Values]], parts: Parts
) -> dict[str, Values]:
    if len(named) == 1 and named[0] in cells:
        return {f"view{i + 1}": table for i, table in enumerate(cells[named[0]])}
    chosen = {name: as_table(variables[name]) for name in named}
    wrong = [name for name, table in chosen.items() if table is None]
    if wrong:
        raise _ask(parts, variables, f"the variable “{wrong[0]}” is no table of numbers")
    return {name: table for name, table in chosen.items() if table is not None}


def _cell_tables(value: Any) -> list[Values]:
    """The tables of a non-empty cell of tables; [] for any other value."""
    if not is_cell(value):
        return []
    tables = [as_table(item) for item in value.ravel()]
    whole = [table for table in tables if table is not None and table.size > 1]
    return whole if len(whole) == len(tables) else []


def _one_cell(cells: dict[str, list[Values]], parts: Parts) -> str:
    usual = pick_name(list(cells), (*_CELL_NAMES, parts.path.stem.lower()))
    if usual is None and len(cells) > 1:
        raise _ask(parts, cells, "several cells could hold the views")
    return usual or next(iter(cells))


def _numbered(names: list[str]) -> list[str]:
    """The longest group of names that differ only in a number, in the order of the numbers."""
    groups: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name in names:
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", name)
        if match:
            groups.setdefault((match[1], match[3]), []).append((int(match[2]), name))
    longest = max(groups.values(), key=len, default=[])
    return [name for _, name in sorted(longest)]


def _orient(tables: dict[str, Values], count: int | None, parts: Parts, *, named: bool) -> None:
    """Put the samples into rows: `count` of them, or as many as the side that all views share."""
    if count is None:
        count = _shared_side(tables, parts)
    turned = []
    for name, table in tables.items():
        if table.shape[0] == table.shape[1] and len(table) == count and len(table) > 2:
            _refuse_similarity(name, table, parts, named=named)
        if table.shape[0] != count and table.shape[1] == count:
            table = table.T
            turned.append(name)
        parts.views[name] = np.asarray(table, dtype=np.float64)
    if turned:
        parts.note(f"samples stand in columns and were turned into rows in {', '.join(turned)}.")


def _shared_side(tables: dict[str, Values], parts: Parts) -> int:
    rows = {table.shape[0] for table in tables.values()}
    columns = {table.shape[1] for table in tables.values()}
    first = next(iter(tables.values()))
    if len(tables) == 1:
        parts.note("rows were taken as samples, since nothing in the file decides it.")
        return int(first.shape[0])
    if len(rows) == 1 and len(columns) > 1:
        return int(first.shape[0])
    if len(columns) == 1 and len(rows) > 1:
        return int(first.shape[1])
    shapes = ", ".join(f"{name} {table.shape[0]} x {table.shape[1]}" for name, table in tables.items())
    if len(rows) == 1:
        raise DataError(
            f"Nothing in “{parts.path.name}” decides whether rows or columns are the samples: {shapes}.",
            "Name the variable or the file of the labels with labels=, or save the views as NPZ, samples in rows.",
        )
    raise _ask(parts, tables, f"the tables do not share their samples ({shapes})")


def _refuse_similarity(name: str, table: Values, parts: Parts, *, named: bool) -> None:
    if named or not np.allclose(table, table.T, equal_nan=True):
        return
    raise DataError(
        f"“{name}” in “{parts.path.name}” looks like a similarity between samples, not a table of features.",
        f"Choose the views with views=, leaving out “{name}”, or naming it if it is meant as features.",
    )


def _take_vectors(variables: Mapping[str, Any], parts: Parts, asked: Asked) -> None:
    """Vectors with one value per sample: names, or columns to colour by."""
    count = len(next(iter(parts.views.values())))
    named = asked.named("id")
    for name, value in variables.items():
        vector = label_vector(value) if name not in parts.views and not _cell_tables(value) else None
        if vector is None or len(vector) != count:
            continue
        if name in named or (not named and name.lower() in ID_NAMES and parts.ids is None):
            parts.ids, parts.id_name, parts.id_told = vector, name, name in named
        elif np.ndim(value) <= 2 and 1 in np.shape(value):
            parts.columns[name] = vector


def _ask(parts: Parts, variables: Mapping[str, Any], why: str) -> DataError:
    return DataError(
        f"It cannot be decided which variables of “{parts.path.name}” are views: {why}.",
        f"Name them with views= (and the classes with labels=); it holds {', '.join(variables)}.",
    )
