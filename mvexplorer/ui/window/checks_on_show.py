"""Results of null tests and stability in the panels: words in the footer, ghosts or ellipses on the picture."""

from __future__ import annotations

from dataclasses import replace

from mvexplorer.state.batches.check_words import findings, null_footer, null_outdated, stability_footer
from mvexplorer.state.batches.checks import NOTHING
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.cloud.spread_overlay import EllipseOverlay, GhostOverlay, spread_overlay
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.widgets.plain_text import tip

Overlay = GhostOverlay | EllipseOverlay


class ChecksOnShow:
    """Follows the checks, the pictures they belong to, and the choice of what lies on these."""

    def __init__(self, workbench: Workbench, grid: PanelGrid) -> None:
        self._workbench, self._grid = workbench, grid
        self._drawn: dict[str, tuple[object, ...]] = {}
        """Panel -> what its overlay was made of."""
        workbench.checks.changed.connect(self.show)
        workbench.controller.panel_changed.connect(self.show)
        workbench.document.changed.connect(self._document_changed)

    def _document_changed(self, change: Change) -> None:
        before, after = change.before, change.after
        if before.checks != after.checks or (before.panels != after.panels and not change.interactive):
            self.show_all()

    def show_all(self) -> None:
        """Show what is known of every panel."""
        for id in self._grid.panels:
            self.show(id)

    def show(self, id: str) -> None:
        """Show what is known of a panel; nothing where that belongs to a former picture."""
        panel = self._grid.panels.get(id)
        if panel is None:
            return
        checks = self._workbench.checks.of(id)
        if not checks.present:
            checks = NOTHING
        elif null_outdated(checks, self._workbench.document.state.checks.shuffle):
            checks = replace(checks, null={})
        for label, (wordings, about) in zip(
            (panel.chance, panel.moves), (null_footer(checks), stability_footer(checks)), strict=True
        ):
            label.show_words(*wordings)
            label.setToolTip(tip(about))
        panel.scores.add_findings(findings(checks))
        self._lay(id)

    def _lay(self, id: str) -> None:
        """Lay ghosts or ellipses onto the picture, unless they lie there already."""
        state, result = self._workbench.document.state, self._workbench.controller.result(id)
        choices, panel = state.checks, state.find_panel(id)
        stability = self._workbench.checks.drawn(id)
        key = (stability, result.drawing.points, choices.overlay)
        former = self._drawn.get(id, ())
        if len(former) == len(key) and all(a is b for a, b in zip(former, key, strict=True)):
            return
        self._drawn[id] = key
        canvas = self._grid.panels[id].canvas
        kept = [overlay for overlay in canvas.overlays if not isinstance(overlay, Overlay)]
        marks = None if panel is None else spread_overlay(panel, result, stability, choices.overlay)
        canvas.overlays[:] = [*([marks] if marks is not None else []), *kept]
        canvas.viewport().update()
