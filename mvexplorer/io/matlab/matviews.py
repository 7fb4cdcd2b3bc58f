"""Which variables of a MAT file are views: a cell of tables, numbered variables, or all tables that fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mvexplorer.errors import DataError, Offer, RowsError
from mvexplorer.io.base.parts import Parts, Values, pick_name
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.base.similarity import kernel_stack
from mvexplorer.io.matlab.matvars import as_table, is_cell, is_triplets


@dataclass
class Chosen:
    """The tables that are views, oriented as in the file; which of them are kernels, and which ones the user named."""

    tables: dict[str, Values] = field(default_factory=dict)
    kernels: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)


def choose_views(variables: Mapping[str, Any], parts: Parts, asked: FileRequest) -> Chosen:
    """Choose the views among the variables, without labels and masks; DataError where they are in doubt."""
    chosen = Chosen()
    named = [name for name in asked.options.views or () if name in variables]
    by_role = [name for name, role in asked.roles.items() if name in variables and role in ("view", "kernel")]
    if named:
        parts.named.views = True
        _add_named(named, variables, parts, chosen)
    else:
        try:
            chosen.tables = _usual(variables, parts, asked)
        except DataError:
            if not by_role:
                raise
    _add_named([name for name in by_role if name not in chosen.tables], variables, parts, chosen)
    chosen.kernels |= {name for name in chosen.tables if asked.role(name) == "kernel"}
    chosen.named |= {name for name in chosen.tables if name in by_role or name in (asked.options.views or ())}
    return chosen


def cell_tables(value: Any) -> list[Values]:
    """List the tables of a cell; [] where it is empty or holds anything else, and for any other value."""
    if not is_cell(value):
        return []
    tables = [as_table(item) for item in value.ravel()]
    whole = [table for table in tables if table is not None and table.size > 1]
    return whole if len(whole) == len(tables) else []


def slices(value: Any, count: int | None) -> list[Values]:
    """Divide a stack of three dimensions into tables (n, d), along its last one as MATLAB stacks them; else [].

    The `count` samples, where their number is known, are not what is stacked.
    """
    if not isinstance(value, np.ndarray) or value.ndim != 3 or value.dtype.kind not in "biuf" or not value.size:
        return []
    first, middle, last = value.shape
    axis = 0 if count != first and (count == last or (count == middle and first < last)) else 2
    return [np.asarray(table, dtype=np.float64) for table in np.moveaxis(value, axis, 0)]


def _add_named(names: Sequence[str], variables: Mapping[str, Any], parts: Parts, chosen: Chosen) -> None:
    """Add variables that the user named: tables, the items of cells, and stacks of kernels."""
    for name in names:
        table, items, stack = as_table(variables[name]), cell_tables(variables[name]), kernel_stack(variables[name])
        items = items or ([] if stack else slices(variables[name], None if parts.labels is None else len(parts.labels)))
        stem = "view" if len(names) == 1 and items else name
        several = {f"{stem}{i + 1}": item for i, item in enumerate(items or stack)}
        if table is None and not several:
            raise ask_which(parts, variables, f"the variable “{name}” is no table of numbers")
        chosen.tables |= several if table is None else {name: table}
        chosen.named |= set(several)
        parts.variables.sources |= dict.fromkeys(several, name)
        if stack:
            chosen.kernels |= set(several)


def _usual(variables: Mapping[str, Any], parts: Parts, asked: FileRequest) -> dict[str, Values]:
    """Choose the views by the usual conventions."""
    cells = {name: items for name, value in variables.items() if (items := cell_tables(value))}
    wide = {name: tables for name, tables in cells.items() if any(min(table.shape) > 1 for table in tables)}
    if wide or cells:
        return _from_cell(wide or cells, parts, asked)
    tables = _wide_tables(variables)
    numbered = _numbered(list(tables))
    if len(numbered) > 1:
        parts.note(f"the numbered variables {', '.join(numbered)} were taken as views.")
        return {name: tables[name] for name in numbered}
    if parts.labels is not None:
        count = len(parts.labels)
        tables = {name: table for name, table in tables.items() if count in table.shape or is_triplets(table)}
    if not tables:
        asks = _ask_kernels(parts, variables, asked) or _ask_slices(parts, variables, asked)
        raise asks or ask_which(parts, variables, "no table that could be a view was found")
    if len(tables) > 1:
        parts.note(f"the variables {', '.join(tables)} were taken as views.")
    return tables


def _wide_tables(variables: Mapping[str, Any]) -> dict[str, Values]:
    tables = {name: as_table(value) for name, value in variables.items()}
    return {name: table for name, table in tables.items() if table is not None and min(table.shape) > 1}


def _from_cell(cells: Mapping[str, list[Values]], parts: Parts, asked: FileRequest) -> dict[str, Values]:
    name = pick_name(list(cells), ("x", "data", "fea", "views", "m", parts.path.stem.lower()))
    if name is None and len(cells) > 1:
        raise ask_which(parts, cells, "several cells could hold the views")
    name = name or next(iter(cells))
    tables, were = ("table", "was") if len(cells[name]) == 1 else (f"{len(cells[name])} tables", "were")
    parts.note(f"the {tables} in the cell “{name}” {were} taken as views.")
    in_cell = {f"view{i + 1}": table for i, table in enumerate(cells[name])}
    parts.variables.sources |= dict.fromkeys(in_cell, name)
    views = asked.options.views or ()
    if views and set(views) <= set(in_cell):
        return {view: in_cell[view] for view in views}
    return {view: table for view, table in in_cell.items() if asked.role(view) != "ignore"}


def _numbered(names: list[str]) -> list[str]:
    """The longest group of names that differ only in a number, in the order of the numbers."""
    groups: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name in names:
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", name)
        if match:
            groups.setdefault((match[1], match[3]), []).append((int(match[2]), name))
    longest = max(groups.values(), key=len, default=[])
    return [name for _, name in sorted(longest)]


def ask_which(parts: Parts, variables: Mapping[str, Any], why: str) -> DataError:
    """Build the error for a file that does not say which variables are views; `why` says what is in doubt."""
    return DataError(
        f"It cannot be decided which variables of “{parts.path.name}” are views: {why}.",
        f"Name them with views= (and the classes with labels=); it holds {', '.join(variables)}.",
    )


def _ask_kernels(parts: Parts, variables: Mapping[str, Any], asked: FileRequest) -> RowsError | None:
    """The question whether stacks of square tables are kernels; None where there are none."""
    stacks = {name: stack for name, value in variables.items() if (stack := kernel_stack(value))}
    if not stacks:
        return None
    listing = ", ".join(f"“{n}” ({len(s)} x {len(s[0])} x {len(s[0])})" for n, s in stacks.items())
    offers = [
        Offer(f"Take “{name}” as kernels between samples", {"roles": {**dict(asked.options.roles), name: "kernel"}})
        for name in stacks
    ]
    return RowsError(f"{listing} in “{parts.path.name}” holds square tables, which may be kernels.", offers)


def _ask_slices(parts: Parts, variables: Mapping[str, Any], asked: FileRequest) -> RowsError | None:
    """The question whether the tables of a stack are views; None where there is none."""
    count = None if parts.labels is None else len(parts.labels)
    stacks = {name: tables for name, value in variables.items() if (tables := slices(value, count))}
    if not stacks:
        return None
    listing = ", ".join(f"“{name}” ({' x '.join(map(str, variables[name].shape))})" for name in stacks)
    offers = [
        Offer(
            f"Take the {len(tables)} tables in “{name}”, {' x '.join(map(str, tables[0].shape))} each, as views",
            {"roles": {**dict(asked.options.roles), name: "view"}},
        )
        for name, tables in stacks.items()
    ]
    return RowsError(f"“{parts.path.name}” holds numbers in three dimensions, where a view has two: {listing}.", offers)
