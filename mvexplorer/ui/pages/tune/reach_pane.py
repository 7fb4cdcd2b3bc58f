"""The kept sample's distances in the view explained, with the kernel over them, moving under the hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mvexplorer.engine.analysis.reach import Reach, by_distance, reach
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.near_kept import no_reach_words
from mvexplorer.state.questions.reach_figure import reach_figure, reach_words
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.tune.pane import Pane
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
NONE = "Click a sample in a panel to see its neighbours here."


class ReachPane(Pane):
    """Follows the kept sample, and the ε of the view that `view` names."""

    def __init__(self, workbench: Workbench, view: Callable[[], str]) -> None:
        self._workbench, self._controller, self._inspector = workbench, workbench.controller, workbench.inspector
        self._view = view
        self.plot = BandwidthPlot("Distances of one sample, and the kernel over them")
        about = "The neighbours of the kept sample at an ε. Drag the line."
        super().__init__(self.plot, REACH, about, KEYS, milliseconds=20)
        self.figure: Figure | None = None
        self.late = Soon(self, milliseconds=200, do=self._tell_all_views)
        self._inspector.changed.connect(self.something_changed)

    def refresh(self) -> None:
        """Show the kept sample's distances and the kernel at the present ε, or why there are none."""
        if not self.isVisible():
            return
        seen = self._read()
        if seen is None or self.figure is None:
            self.show_title(REACH)
            self.show_waiting(self._missing())
            return
        self.plot.show_figure(self.figure)
        self.show_title(seen.short)
        self.show_plot()
        self.late.start()  # what stands in the tooltip waits for the hand to rest

    def _read(self) -> _Seen | None:
        """Read whom the kept sample sees at the present ε, and make the figure of it."""
        view = self._view()
        seen, median = self._seen(view), self._controller.median(view) if view else None
        self.figure = None
        if seen is not None and median is not None:
            about = seen.squared, seen.sample, seen.kernel, seen.epsilon, median, seen.found
            self.figure = reach_figure(seen.title, seen.words, *about)
        return seen

    def to_file(self) -> Figure | None:
        """The figure at the present ε; None where there is none."""
        self._read()
        return self.figure

    def _tell_all_views(self) -> None:
        """Tell in the tooltip who takes the sample's step in each of the ticked views."""
        seen = [self._seen(view) for view in self._workbench.document.state.enabled]
        self.head.setToolTip(tip("\n".join(each.words for each in seen if each is not None)))

    def _missing(self) -> str:
        state = self._workbench.document.state
        if self._inspector.kept is None:
            return NONE
        settings = state.find_view(self._view())
        kernel = None if settings is None else panel_kernel(state, None, settings.name)
        if kernel is not None and not by_distance(kernel):
            return no_reach_words(kernel)
        lost = self._inspector.lost
        return str(lost) if lost is not None else "computing distances …"

    def _seen(self, view: str) -> _Seen | None:
        """Whom the kept sample sees in a view at its ε; None where that is unknown."""
        near, document = self._inspector.surroundings, self._workbench.document
        epsilon = self._controller.effective_epsilon(view) if view else None
        if near is None or epsilon is None or document.data is None or view not in near.views:
            return None
        if document.state.find_view(view) is None:
            return None
        kernel, squared = panel_kernel(document.state, None, view), near.views[view].squared
        if not by_distance(kernel):
            return None
        found = reach(squared, near.sample, kernel, epsilon)
        return _Seen(str(document.data.sample_ids[near.sample]), view, squared, near.sample, kernel, epsilon, found)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Whom a sample of this id sees in a view at an ε, by its squared distances (M,)."""

    id: str
    view: str
    squared: Array
    sample: int
    kernel: Kernel
    epsilon: float
    found: Reach

    @property
    def title(self) -> str:
        return f"Neighbours of {self.id} in {self.view}"

    @property
    def words(self) -> str:
        return reach_words(self.id, self.view, self.found, len(self.squared) - 1)

    @property
    def short(self) -> str:
        return f"{self.id}: 95 % of a step to {self.found.takes:,} of {len(self.squared) - 1:,}"
