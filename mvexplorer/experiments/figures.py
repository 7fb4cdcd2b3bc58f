"""The drawings of experiments: plain data, for whoever renders it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from mvexplorer.engine.core.multiview import Array


@dataclass(frozen=True, eq=False)
class CloudFigure:
    """Points (M, 2 or 3), coloured by values (M,) or classes (M,); what the colour means is in `coloured_by`.

    `turn` are the angles, in radians, by which 3-D points are turned from the usual view: across, down.
    """

    title: str
    points: Array
    colour: npt.NDArray[np.generic] | None = None
    cyclic: bool = False
    coloured_by: str = ""
    turn: tuple[float, float] = (0.0, 0.0)


FROM_THE_END = (0.55, 0.85)
"""The turn from which a rolled sheet is seen as a roll."""


@dataclass(frozen=True, eq=False)
class Line:
    """A curve through (n,) values, or their markers only."""

    name: str
    x: Array
    y: Array
    markers: bool = False


@dataclass(frozen=True, eq=False)
class CurvesFigure:
    """Curves in one plot, with vertical lines where `marks` says; `limits` are the ends of the vertical axis."""

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    log_across: bool = False
    log_up: bool = False
    marks: tuple[tuple[float, str], ...] = ()
    limits: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Heat:
    """A matrix as shades, its rows from the top; `x` and `y` are the values along its sides where there are any.

    With `y` rising the rows go upwards, as an axis does.
    """

    title: str
    values: Array
    across: str = ""
    up: str = ""
    x: Array | None = None
    y: Array | None = None


@dataclass(frozen=True, eq=False)
class Pictures:
    """Grey pictures (n, height, width) of 0 to 255 in a row, with their names."""

    title: str
    images: npt.NDArray[np.uint8]
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """A table with the columns' names in `head`."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Figure: TypeAlias = CloudFigure | CurvesFigure | Heat | Pictures | Table
