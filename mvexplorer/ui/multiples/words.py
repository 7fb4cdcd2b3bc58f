"""What each of the small multiples is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.ui.pages.sweep_words import at_text

if TYPE_CHECKING:
    from mvexplorer.compute.axes import Axis
    from mvexplorer.state.multiples_grid import Grid


def meaning(grid: Grid | None, row: int, column: int) -> str:
    """The panel and the values of one picture; empty where there is none."""
    if grid is None or row >= len(grid.titles) or column >= len(grid.columns):
        return ""
    down = "" if grid.down is None else f", {_told(grid.down, grid.rows[row])}"
    return f"{grid.titles[row]}{down}, {_told(grid.across, grid.columns[column])}"


def _told(axis: Axis, value: float) -> str:
    """A value of an axis, and whose it is."""
    of = axis.view or axis.weighs
    return f"{at_text(axis, value)} of {of}" if of else at_text(axis, value)
