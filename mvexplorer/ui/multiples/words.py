"""The words for each of the small multiples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.state.document.multiples_grid import MultiplesGrid
from mvexplorer.ui.pages.tune.sweep_words import at_text
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.shortening import SEPARATOR, told_apart


def meaning(grid: MultiplesGrid | None, row: int, column: int) -> str:
    """The panel and the values of one picture; empty where there is none."""
    if grid is None or row >= len(grid.titles) or column >= len(grid.columns):
        return ""
    down = "" if grid.down is None else f", {_told(grid.down, grid.rows[row])}"
    return f"{grid.titles[row]}{down}, {_told(grid.across, grid.columns[column])}"


def row_words(titles: Sequence[str], room: float, width: Callable[[str], float]) -> list[str]:
    """Return the words left of each row: the method, and the views below it where both do not fit on one line.

    A name without a blank does not wrap, and would be cut by the edge: it is cut to what tells it from the others.
    `room` is a line's pixels, `width` the pixels that a text takes.
    """
    parts = [line(title, 4 * LINE).partition(SEPARATOR) for title in titles]
    views = [views for _, dot, views in parts if dot]
    rows, number = [], 0
    for method, dot, view in parts:
        number += bool(dot)
        whole = method + dot + view
        short = f"{method}{dot.rstrip()}\n{told_apart(view, views, number, room, width)}"
        rows.append(short if dot and width(whole) > room else whole)
    return rows


def _told(axis: Axis, value: float) -> str:
    """A value of an axis, and whose it is."""
    of = axis.view or axis.weighs
    return f"{at_text(axis, value)} of {of}" if of else at_text(axis, value)
