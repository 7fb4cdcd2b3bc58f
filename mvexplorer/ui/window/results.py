"""Shows computed results in the panels."""

from __future__ import annotations

from mvexplorer.engine.core.notices import VIEWS_APART
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.pictures.panel_result import PanelResult, best_scores
from mvexplorer.state.pictures.weights_on_show import weights_on_show
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.style import formatting as numbers


class ResultsOnShow:
    """Shows results in their panels, the best scores of all in bold, and a remark about η on the left."""

    def __init__(self, workbench: Workbench, grid: PanelGrid, side: ControlsDock) -> None:
        self._workbench, self._controller = workbench, workbench.controller
        self._grid, self._side = grid, side
        self._best: dict[str, frozenset[str]] = {}

    def show_all(self) -> None:
        """Show the document's panels and their results."""
        state = self._workbench.document.state
        self._grid.show_state(state)
        best = self._best_of_all()
        for panel in state.panels:
            self._show(panel.id, best.get(panel.id, frozenset()), animate=False)

    def show(self, id: str) -> None:
        """Show a panel's present result, and the scores of others where the best changed."""
        former, self._best = self._best, self._best_of_all()
        result = self._controller.result(id).result
        moves = result is not None and result.prepared  # a picture follows at once, and is smooth without
        animate = self._workbench.settings.animate and not moves
        self._show(id, self._best.get(id, frozenset()), animate=animate)
        for other in self._grid.panels:
            if other != id and self._best[other] != former.get(other):
                self._grid.show_scores(other, self._controller.result(other), self._best[other])

    def _best_of_all(self) -> dict[str, frozenset[str]]:
        """Per panel, the scores in which it is the best of all."""
        scores = {id: r.scores for id, r in self._controller.results.items() if r.scores is not None}
        return dict.fromkeys(self._grid.panels, frozenset[str]()) | best_scores(scores)

    def _show(self, id: str, best: frozenset[str], *, animate: bool) -> None:
        result = self._controller.result(id)
        self._grid.show_result(id, result, best, animate=animate)
        self._show_true_weight(result)
        self._side.show_weights(weights_on_show(self._workbench.document.state, self._controller.results))

    def _show_true_weight(self, result: PanelResult) -> None:
        """Show the true probability of staying in a view: it is η only where the views' row sums agree."""
        if result.result is None or "eta" not in result.result.embedding.params:
            return
        eta = float(result.result.embedding.params["eta"] or 0.0)
        true = result.result.embedding.info.get("within_view_probability", eta)
        apart = next((text for code, text in result.result.embedding.warnings if code == VIEWS_APART), "")
        words = apart or f"At η {numbers.number(eta)} a step stays in its view with probability {numbers.number(true)}."
        note = f"in effect {numbers.number(true)}" if abs(true - eta) >= 0.005 else ""
        self._side.show_note("separates views" if apart else note, words if apart or note else "")
