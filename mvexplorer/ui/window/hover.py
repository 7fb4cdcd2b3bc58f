"""The pointer over a picture: rings the same sample in every panel and shows its card."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.widgets.sample_card import SampleCard
from mvexplorer.ui.window.styling import PointStyling

CARD_MS = 250


class Hover:
    """Follows the pointer; once it rests, the card appears beside the point; a click keeps the card on the right."""

    def __init__(self, area: QWidget, bench: Workbench, grid: PanelGrid, styling: PointStyling) -> None:
        self._area, self._editor = area, bench.editor
        self._document, self._grid, self._styling = bench.document, grid, styling
        self.card = SampleCard(area)
        self.card.hide()
        self.unfold: Callable[[], None] = lambda: None
        """Shows the right side."""
        self._at: tuple[int, EmbeddingCanvas, QPointF] | None = None
        self._soon = QTimer(area, singleShot=True, interval=CARD_MS)
        self._soon.timeout.connect(self._show_card)

    def move(self, index: int, canvas: EmbeddingCanvas, at: QPointF) -> None:
        """Handle the pointer over a sample (-1: over none)."""
        self._grid.mark(index)
        if index < 0:
            self.leave()
        elif self._at is None or self._at[0] != index:
            self._at = (index, canvas, at)
            self.card.hide()
            self._soon.start()

    def leave(self) -> None:
        """Handle the pointer off all samples."""
        self._soon.stop()
        self.card.hide()
        self._at = None

    def pin(self, index: int) -> None:
        """Keep a sample, and have its card seen on the right."""
        self._editor.keep_sample(index if index >= 0 else None)
        if self.kept >= 0:
            self.unfold()

    @property
    def kept(self) -> int:
        """The kept sample; -1 for none."""
        kept = self._document.state.point.sample_of(self._document.data)
        return -1 if kept is None else kept

    def _show_card(self) -> None:
        data = self._document.data
        if self._at is None or data is None or self._at[0] >= data.n_samples:
            return
        index, canvas, at = self._at
        self.card.show_sample(data, index, self._styling.colouring)
        spot, area = canvas.mapTo(self._area, at.toPoint()), self._area.rect()
        x = spot.x() + 18 if spot.x() + 18 + self.card.width() < area.right() else spot.x() - 18 - self.card.width()
        y = min(max(4, spot.y() - self.card.height() - 12), area.bottom() - self.card.height() - 4)
        self.card.move(x, y)
        self.card.raise_()
        self.card.show()
