"""Small multiples: which panels, or values of a parameter, stand against which values of another; or ingredients."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mvexplorer.compute.batch.axes import EPSILON_SCALE
from mvexplorer.state.document.frozen import Frozen

PANELS, METHODS, INGREDIENTS = "panels", "methods", "ingredients"
"""Rows that are not the values of a parameter: the panels on show, every method, or one panel's ingredients."""

Number = Annotated[float, Field(allow_inf_nan=False)]


class Multiples(Frozen):
    """The grid of small pictures that can stand in the panels' place."""

    shown: bool = False
    rows: str = PANELS
    """``panels``, ``methods``, ``ingredients`` (which have no columns), or the name of an axis along which one panel is
    changed from row to row."""
    row_values: tuple[Number, ...] = ()
    columns: str = EPSILON_SCALE
    """The name of the axis from column to column."""
    column_values: tuple[Number, ...] = ()
    """None: a few over the axis' usual span."""
    panel: str = ""
    """Where rows are values or ingredients: the panel that is changed; the first one where it is gone."""
    score: str = ""
    """The id of the score in the corners; the first that the pictures have where it is empty, or none of theirs."""

    @property
    def of_values(self) -> bool:
        """Whether the rows are values of a parameter."""
        return self.rows not in (PANELS, METHODS, INGREDIENTS)

    @property
    def of_ingredients(self) -> bool:
        """Whether the pictures are one panel with other ingredients, in place of rows and columns."""
        return self.rows == INGREDIENTS
