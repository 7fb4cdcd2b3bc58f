"""The kept sample's distances in the view explained, with the kernel over them, moving under the hand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from mvexplorer.engine.analysis.reach import Reach, by_distance, reach
from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.questions.reach_figure import reach_figure, reach_words
from mvexplorer.ui.pages.bandwidth.pane import Pane
from mvexplorer.ui.widgets.plain_text import tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey

REACH = "One sample's neighbours"
KEYS = (
    CurveKey(curve_look(0).color, "affinity", "The kernel at the distance: exp(−d² / 2ε) of a Gaussian."),
    CurveKey(curve_look(1).color, "others", "How many samples lie at each distance, over the highest bar.", "■"),
    CurveKey("#999999", "95 %", "The nearest up to here take 95 % of a step from the sample.", "┄"),
)
NONE = "Click a sample in a panel to keep it: who its neighbours are stands here."


class ReachPane(Pane):
    """Follows the kept sample, and the ε of the view that `view` names."""

    def __init__(self, workbench: Workbench, view: Callable[[], str], menu: QMenu) -> None:
        self._workbench, self._controller, self._inspector = workbench, workbench.controller, workbench.inspector
        self._view = view
        self.plot = BandwidthPlot("Distances of one sample, and the kernel over them")
        about = "Whom the kept sample sees at an ε. Drag the line."
        super().__init__(self.plot, REACH, about, KEYS, menu, milliseconds=20)
        self.figure: Figure | None = None
        self._short = ""
        """The title while there is a figure."""
        self._inspector.changed.connect(self.something_changed)

    def refresh(self) -> None:
        """Show the kept sample's distances and the kernel at the present ε, or why there are none."""
        if not self.isVisible():
            return
        self.figure = self._made()
        if self.figure is None:
            self.show_title(REACH)
            self.show_waiting(self._missing())
            return
        self.plot.show_figure(self.figure)
        self.show_title(self._short)
        self.head.setToolTip(tip(self._of_all_views()))
        self.show_plot()

    def _missing(self) -> str:
        state = self._workbench.document.state
        if self._inspector.kept is None:
            return NONE
        settings = state.find_view(self._view())
        kernel = None if settings is None else panel_kernel(state, None, settings.name)
        if kernel is not None and not by_distance(kernel):
            return f"{kernel.kind.title}: the affinities are no function of the distance alone."
        lost = self._inspector.lost
        return str(lost) if lost is not None else "computing distances …"

    def _reach(self, view: str) -> tuple[Array, Reach] | None:
        """The squared distances of the kept sample in a view, and whom it sees there; None where that is unknown."""
        near, state = self._inspector.surroundings, self._workbench.document.state
        epsilon = self._controller.effective_epsilon(view) if view else None
        if near is None or epsilon is None or view not in near.views or state.find_view(view) is None:
            return None
        kernel, squared = panel_kernel(state, None, view), near.views[view].squared
        return (squared, reach(squared, near.sample, kernel, epsilon)) if by_distance(kernel) else None

    def _made(self) -> Figure | None:
        view, data = self._view(), self._workbench.document.data
        found, median = self._reach(view), self._controller.median(view) if view else None
        near, epsilon = self._inspector.surroundings, self._controller.effective_epsilon(view) if view else None
        if found is None or median is None or near is None or epsilon is None or data is None:
            return None
        squared, reached = found
        words = reach_words(str(data.sample_ids[near.sample]), view, reached, len(squared) - 1)
        kernel = panel_kernel(self._workbench.document.state, None, view)
        title = f"Neighbours of {data.sample_ids[near.sample]} in {view}"
        others = len(squared) - 1
        self._short = f"{data.sample_ids[near.sample]}: 95 % of a step to {reached.takes:,} of {others:,}"
        return reach_figure(title, words, squared, near.sample, kernel, epsilon, median, reached)

    def _of_all_views(self) -> str:
        """Who takes its step in each of the ticked views."""
        data, near = self._workbench.document.data, self._inspector.surroundings
        if data is None or near is None:
            return ""
        lines = []
        for view in self._workbench.document.state.enabled:
            if (found := self._reach(view)) is not None:
                lines.append(reach_words(str(data.sample_ids[near.sample]), view, found[1], len(found[0]) - 1))
        return "\n".join(lines)
