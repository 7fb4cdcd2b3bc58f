"""What others draw onto a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from mvexplorer.ui.cloud.picture import Points
    from mvexplorer.ui.cloud.rasteriser import Cloud, Rows


class Canvas(Protocol):
    """What an overlay may ask of the picture that it lies on."""

    cloud: Cloud

    def width(self) -> int:
        """Widget pixels across."""

    def height(self) -> int:
        """Widget pixels down."""

    def positions_of(self, rows: Rows) -> Points:
        """Widget positions (n, 2) of samples."""

    def place(self, points: Points) -> Points:
        """Widget positions (n, 2) of any points that are scaled as those drawn."""


class Overlay(Protocol):
    """Something drawn between the points and the rings: thumbnails, ellipses, ghosts of other answers."""

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw it in widget pixels."""
