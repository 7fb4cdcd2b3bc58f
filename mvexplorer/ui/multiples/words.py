"""What each of the small multiples is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.ui.pages.sweep_words import at_text

if TYPE_CHECKING:
    from mvexplorer.state.multiples_grid import Grid


def meaning(grid: Grid | None, row: int, column: int) -> str:
    """The panel and the values of one picture; empty where there is none."""
    if grid is None or row >= len(grid.titles) or column >= len(grid.columns):
        return ""
    down = "" if grid.down is None else f", {at_text(grid.down, grid.rows[row])}"
    return f"{grid.titles[row]}{down}, {at_text(grid.across, grid.columns[column])}"
