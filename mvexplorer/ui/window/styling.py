"""The look of the points: their colours, which are visible and selected, and the legend."""

from __future__ import annotations

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.colourings.derived import derived_groups
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.colouring import Colouring, in_one, in_panel
from mvexplorer.ui.appearance.dock import AppearanceDock
from mvexplorer.ui.cloud.annotations import Written, written_on
from mvexplorer.ui.cloud.look import point_style
from mvexplorer.ui.panels.grid import PanelGrid


class PointStyling:
    """Passes the document's colours and selection to the panels and to the right side."""

    def __init__(self, workbench: Workbench, grid: PanelGrid, points: AppearanceDock) -> None:
        self._document, self._controller = workbench.document, workbench.controller
        self._derived = workbench.derived
        self._grid, self._points = grid, points
        self.colouring: Colouring | None = None
        """The points' colouring."""
        self._written: dict[str, tuple[tuple[object, ...], Written]] = {}
        grid.written = self.written
        workbench.document.changed.connect(self._follow_notes)

    def show(self) -> None:
        """Bring points and legend up to date."""
        state, data = self._document.state, self._document.data
        if data is None:
            return
        self.colouring = colouring = self._derived.resolve(state.colour)
        own = {} if colouring is None else {id: in_panel(colouring, id) for id in colouring.own}
        looks = {id: point_style(state, each, data.n_samples) for id, each in own.items()}
        self._grid.set_look(point_style(state, colouring, data.n_samples), looks)
        self.show_legend()

    def written(self, panel: str) -> Written | None:
        """The notes and class names of a panel: asked at each painting, and made anew after an edit of it."""
        state, data = self._document.state, self._document.data
        if data is None:
            return None
        basis = state.notes, state.selections, self.colouring, data, bool(state.class_names)
        former = self._written.get(panel)
        if former is None or any(a is not b for a, b in zip(basis, former[0], strict=True)):
            former = self._written[panel] = basis, written_on(state, data, self.colouring, panel)
        return former[1]

    def _follow_notes(self, change: Change) -> None:
        if change.before.notes != change.after.notes:
            self._grid.repaint_pictures()

    def show_legend(self) -> None:
        """Update the right side; it offers the coordinates computed so far as colourings."""
        state, result = self._document.state, self._controller.result
        titles = {p.id: panel_title(state, p) for p in state.panels if result(p.id).result}
        ground = self._derived.ground
        groups = () if ground is None else derived_groups(ground)
        drawings = [result(id).drawing for id in titles]
        self._points.show_state(state, self._document.data, self.colouring, titles, groups, drawings)

    def show_card(self, index: int) -> None:
        """Keep the card of a sample on the right; -1 for none."""
        self._points.show_card(index, in_one(self.colouring))
