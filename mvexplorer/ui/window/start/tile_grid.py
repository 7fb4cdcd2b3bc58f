"""Tiles in rows, as many across as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from mvexplorer.ui.widgets.plain_text import retire
from mvexplorer.ui.window.start.tile import StartTile

GAP = 8


class TileGrid(QWidget):
    """Tiles of one size, at most so many `across`; with a number of `rows` only those that these hold.

    Qt's grid gives a row that is not full wider columns than those of other grids.
    """

    arranged = Signal()
    """More or fewer tiles are shown."""

    def __init__(self, rows: int | None = None, across: int = 12) -> None:
        super().__init__()
        self.tiles: list[StartTile] = []
        self._most, self._rows = across, rows
        self._place: tuple[int, int, int] | None = None

    def show_tiles(self, tiles: Sequence[StartTile]) -> None:
        """Show these instead of the former ones."""
        for former in self.tiles:
            retire(former)
        self.tiles, self._place = list(tiles), None
        for tile in self.tiles:
            tile.setParent(self)
        self.arrange()

    def show_rows(self, rows: int | None) -> None:
        """Show so many rows; all without a number."""
        if rows != self._rows:
            self._rows = rows
            self.arrange()

    @property
    def shows_all(self) -> bool:
        """Whether every tile is shown."""
        return self._shown == len(self.tiles)

    @property
    def _across(self) -> int:
        least = self.tiles[0].sizeHint().width()
        return max(1, min((self.width() + GAP) // (least + GAP), self._most))

    @property
    def _shown(self) -> int:
        if self._rows is None or not self.tiles:
            return len(self.tiles)
        return min(len(self.tiles), self._rows * self._across)

    def arrange(self) -> None:
        """Give every tile that is shown its place."""
        if not self.tiles:
            return
        across, height, shown = self._across, self.tiles[0].sizeHint().height(), self._shown
        width = (self.width() + GAP) / across
        for place, tile in enumerate(self.tiles):
            row, column = divmod(place, across)
            left = round(column * width)
            tile.setGeometry(left, row * (height + GAP), round((column + 1) * width) - GAP - left, height)
            tile.setVisible(place < shown)
        self.setFixedHeight(-(-shown // across) * (height + GAP) - GAP)
        if self._place != (across, height, shown):
            self._place = across, height, shown
            self.arranged.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # tiles grow with the type
            self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()
