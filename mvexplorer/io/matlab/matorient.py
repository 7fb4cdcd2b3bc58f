"""Where the samples of a MAT file's tables are: rows, columns, or the row numbers of triplets; kernels apart."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.errors import DataError, Offer, RowsError
from mvexplorer.io.base.guards import Budget
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.base.similarity import coordinates_of_kernel, is_similarity
from mvexplorer.io.matlab.matvars import expand_triplets, is_triplets
from mvexplorer.io.matlab.matviews import Chosen, ask_which


def put_samples_in_rows(chosen: Chosen, count: int | None, parts: Parts, asked: FileRequest) -> None:
    """Fill `parts.views`: `count` samples in rows, or as many as the side that all views share; DataError in doubt."""
    tables = {name: table for name, table in chosen.tables.items() if name not in chosen.kernels}
    kernels = {name: table for name, table in chosen.tables.items() if name in chosen.kernels}
    if count is None and kernels:
        count = len(next(iter(kernels.values())))
    tables = _without_triplets(tables, count, parts, chosen)
    if count is None:
        count = _shared_side(tables, parts, asked)
    across = _square_in_columns(tables, count, parts, chosen, asked)
    turned = []
    for name, table in chosen.tables.items():
        if name in kernels:
            parts.views[name] = coordinates_of_kernel(table, name, parts.path)
            continue
        table = tables[name]
        if name not in chosen.named and len(table) == count and is_similarity(table):
            raise _ask_similarity(name, table, list(chosen.tables), parts, asked)
        if (table.shape[0] != count and table.shape[1] == count) or (across and table.shape == (count, count)):
            table = table.T
            turned.append(name)
        parts.views[name] = np.asanyarray(table, dtype=np.float64)  # a map stays one
    parts.variables.kernels |= set(kernels)
    if kernels:
        _tell_kernels(list(kernels), parts)
    if turned:
        parts.note(f"samples stand in columns and were turned into rows in {', '.join(turned)}.")


def _tell_kernels(names: list[str], parts: Parts) -> None:
    features = ", ".join(f"{parts.views[name].shape[1]} in {name}" for name in names)
    parts.note(f"kernels became features whose distances are exactly those that the kernels induce: {features}.")


def _without_triplets(tables: dict[str, Values], count: int | None, parts: Parts, chosen: Chosen) -> dict[str, Values]:
    """Return the tables, with (row, column, value) triplets expanded."""
    sides = {side for table in tables.values() if not is_triplets(table) for side in table.shape}
    expanded = {}
    for name, table in tables.items():
        fits = count in table.shape if count is not None else bool(sides & set(table.shape))
        if fits or not is_triplets(table):
            continue
        if count is None and not sides:
            if name in chosen.named:
                continue
            raise DataError(
                f"“{name}” in “{parts.path.name}” looks like a sparse matrix, as (row, column, value) triplets.",
                "Name the labels with labels=, so that its samples can be found, or name it with views= if its "
                "three columns are features.",
            )
        expanded[name] = expand_triplets(table, count, Budget(parts.path))
    if expanded:
        parts.note(f"(row, column, value) triplets were taken as the tables they stand for in {', '.join(expanded)}.")
    return {**tables, **expanded}


def _square_in_columns(tables: dict[str, Values], count: int, parts: Parts, chosen: Chosen, asked: FileRequest) -> bool:
    """True if tables with as many features as samples hold the samples in columns, as the other tables do."""
    square = [name for name, table in tables.items() if table.shape == (count, count)]
    doubtful = [name for name in square if name in chosen.named or not is_similarity(tables[name])]
    sides = {table.shape[0] == count for table in tables.values() if table.shape[0] != table.shape[1]}
    alone = len(tables) == 1 and parts.labels is None  # a note says that rows were taken
    if not doubtful or alone or asked.options.transpose is not None:
        return False
    if len(sides) == 1:
        side = "rows" if sides == {True} else "columns"
        parts.note(f"{side} were taken as the samples of {', '.join(doubtful)} (square), as in the other views.")
        return sides == {False}
    offers = [
        Offer("Take the rows as samples", {"transpose": False}),
        Offer(f"Take the columns of {', '.join(doubtful)} as samples", {"transpose": tuple(doubtful)}),
    ]
    message = f"Nothing in “{parts.path.name}” decides whether rows or columns are the samples of {', '.join(doubtful)}"
    raise RowsError(f"{message}, with as many features as samples.", offers)


def _shared_side(tables: dict[str, Values], parts: Parts, asked: FileRequest) -> int:
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
        if asked.options.transpose is not None or columns.pop() < MIN_SAMPLES:
            return int(first.shape[0])  # turned where that is asked for, as tables of any file
        raise RowsError(
            f"Nothing in “{parts.path.name}” decides whether rows or columns are the samples: {shapes}.",
            [
                Offer("Take the rows as samples", {"transpose": False}),
                Offer("Take the columns as samples", {"transpose": True}),
            ],
        )
    common = set.intersection(*(set(table.shape) for table in tables.values()))
    if len(common) == 1:
        return int(common.pop())
    raise ask_which(parts, tables, f"the tables do not share their samples ({shapes})")


def _ask_similarity(name: str, table: Values, views: list[str], parts: Parts, asked: FileRequest) -> RowsError:
    """Make the question whether a symmetric table is a similarity."""
    if name not in [other for other, _ in asked.found]:
        asked.offer(name, lambda: table)  # an item of a cell can be given a role by the name of its view
    roles = dict(asked.options.roles)
    offers = [
        Offer(f"Take “{name}” as a kernel between samples", {"roles": {**roles, name: "kernel"}}),
        Offer(f"Take “{name}” as features", {"views": tuple(views)}),
    ]
    if len(views) > 1:
        offers.append(Offer(f"Leave “{name}” out", {"views": tuple(view for view in views if view != name)}))
    message = f"“{name}” in “{parts.path.name}” looks like a similarity between samples, not a table of features."
    return RowsError(message, offers)
