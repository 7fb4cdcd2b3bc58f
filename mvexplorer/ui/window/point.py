"""The kept sample in the window: its card on the right, and its mark in every picture."""

from __future__ import annotations

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.near_kept import near_kept
from mvexplorer.ui.appearance.point_card import PointCard
from mvexplorer.ui.appearance.point_sections import KeptSample
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.window.styling import PointStyling


class PointOnShow:
    """Brings the card and the marks up to date with the document and the inspector's answers."""

    def __init__(self, bench: Workbench, grid: PanelGrid, card: PointCard, styling: PointStyling) -> None:
        self._bench, self._grid, self._card, self._styling = bench, grid, card, styling
        bench.document.changed.connect(self._document_changed)
        bench.inspector.changed.connect(self.show)
        bench.editor.focus_changed.connect(lambda _: self.show())
        grid.hovered.connect(lambda index, *_: card.compare_with(index))
        card.pointed.connect(grid.mark)
        card.spread.connect(bench.inspector.spread)

    def _document_changed(self, change: Change) -> None:
        before, after = change.before.point, change.after.point
        # The inspector signals its answers about another sample.
        if not change.data_changed and before != after and before.kept == after.kept:
            self.show()
        else:
            self._show_near(moving=change.interactive)

    def _show_near(self, *, moving: bool = False) -> None:
        self._grid.show_near(near_kept(self._bench.controller, self._bench.inspector.surroundings), moving=moving)

    def show(self) -> None:
        """Show what is known of the kept sample."""
        state, data, inspector = self._bench.document.state, self._bench.document.data, self._bench.inspector
        kept = inspector.kept
        self._grid.keep(-1 if kept is None else kept)
        self._show_near()
        self._grid.show_thumbnails(data.images if data is not None and state.point.thumbnails else None)
        self._styling.show_card(-1 if kept is None else kept)
        if data is None or kept is None:
            return
        self._card.show_about(KeptSample(state, data, kept, inspector))
