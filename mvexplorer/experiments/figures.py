"""The drawings of experiments, in few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Curves, Figure, LabelledLine, Matrix, Pictures, PointCloud, Series, Table

FROM_THE_END = (0.55, 0.85)
"""The turn from which a rolled sheet is seen as a roll."""


def cloud(title: str, *points: Any, **how: Any) -> Figure:
    """Points, as `PointCloud` has them."""
    return Figure(title, PointCloud(*points, **how))


def curve(name: str, x: Array, y: Array, *, markers: bool = False) -> Series:
    """A curve through (n,) values, each marked where they are few, or their marks only."""
    few = 24
    return Series(name, x, y, "dots" if markers else "points" if len(x) <= few else "line")


def plot(
    title: str,
    across: str,
    up: str,
    curves: Sequence[Series],
    *,
    marks: Sequence[tuple[float, str]] = (),
    log_across: bool = False,
    log_up: bool = False,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Curves in one plot, each of a look of its own, with vertical lines where `marks` says."""
    looks = tuple(replace(each, look=look) for look, each in enumerate(curves))
    lines = tuple(LabelledLine(x, words, None) for x, words in marks)
    body = Curves(across, up, looks, lines, log_x=log_across, log_y=log_up, from_least=True, limits=limits)
    return Figure(title, body)


def heat_map(
    title: str, values: Array, across: str = "", up: str = "", x: Array | None = None, y: Array | None = None
) -> Figure:
    """A matrix as shades from its least to its largest entry."""
    finite = values[np.isfinite(values)]
    limits = (float(finite.min()), float(finite.max())) if finite.size else None
    return Figure(title, Matrix(values, "", x_label=across, y_label=up, x=x, y=y, limits=limits))


def pictured(title: str, images: npt.NDArray[np.uint8], names: Sequence[str] = ()) -> Figure:
    """Grey pictures in a row."""
    return Figure(title, Pictures(images, names))


def tabled(title: str, head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Figure:
    """A table."""
    return Figure(title, Table(head, rows))
