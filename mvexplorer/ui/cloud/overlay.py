"""Interfaces of a picture and of the overlays drawn onto it."""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.rasteriser import Cloud


class Canvas(Protocol):
    """The picture under an overlay, as far as the overlay may use it."""

    cloud: Cloud

    def width(self) -> int:
        """Widget pixels across."""

    def height(self) -> int:
        """Widget pixels down."""

    def positions_of(self, rows: Rows) -> Points:
        """Widget positions (n, 2) of samples."""

    def reserved(self) -> list[QRectF]:
        """Where words of the picture's own stand over the points."""

    def place(self, points: Points) -> Points:
        """Widget positions (n, 2) of any points that are scaled as those drawn."""


class Overlay(Protocol):
    """Something drawn between the points and the rings: thumbnails, ellipses, ghosts of other answers."""

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw it in widget pixels."""


def on_canvas(places: Points, canvas: Canvas) -> npt.NDArray[np.bool_]:
    """Mask the places (n, 2) on the picture: not every kind of file cuts off what is drawn beside it."""
    return cast("npt.NDArray[np.bool_]", ((places >= 0) & (places <= [canvas.width(), canvas.height()])).all(axis=1))
