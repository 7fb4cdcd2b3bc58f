"""The eigenvalues of the focused panel over the slider dragged last, and a line that drags that slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF

from mvexplorer.compute.batch.axes import EPSILON_SCALE
from mvexplorer.engine.api.spectrum import SpectrumOver
from mvexplorer.figures import Curves, Figure, LabelledLine
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.anchors import ETA
from mvexplorer.state.pictures.drawing import subscript
from mvexplorer.state.questions.spectrum_figure import spectrum_figure
from mvexplorer.ui.pages.tune.figures_over_epsilon import marked, rule_markers
from mvexplorer.ui.pages.tune.pane import Pane
from mvexplorer.ui.pages.tune.shared_axis import ends_of_epsilon, ends_of_factor
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot, Marker
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey

TITLE = "Spectrum over ε"
KEYS = (
    CurveKey(curve_look(0).color, "λ₁ on top", "The eigenvalues of the focused panel, at most twelve."),
    CurveKey("#999999", "largest gap", "Where the gap between these two eigenvalues is the largest.", "■"),
    CurveKey("#999999", "chance", "Up to here an eigenvalue may be chance alone.", "■"),
    CurveKey("#999999", "uncertain", "Dashed where an eigenvalue may be off by more than .001.", "┄"),
)


class SpectrumPlot(BandwidthPlot):
    """Eigenvalues over a slider; the tooltip tells all of them where the pointer is."""

    over: SpectrumOver | None = None

    def show_spectrum(self, over: SpectrumOver, figure: Figure, span: tuple[float, float] | None) -> None:
        """Show the figure of these eigenvalues, from one value to another."""
        assert isinstance(figure.body, Curves)
        self.over = over
        self.show_figure(replace(figure, body=replace(figure.body, marks=(), span=span)))  # the tooltip tells marks

    def meaning(self, place: QPointF) -> str:
        """Describe a rule's line, or tell the eigenvalues above and below a position."""
        over = self.over
        if over is None or not self.plot.contains(place) or self.handle_at(place) is not None:
            return super().meaning(place)
        value, known = self._value_at(place.x()), np.isfinite(over.eigenvalues[:, 0])
        row = int(np.where(known, np.abs(over.values - value), np.inf).argmin())
        each = enumerate(over.eigenvalues[row, over.first :], start=over.first)
        told = ", ".join(f"λ{subscript(k)} {numbers.number(float(each))}" for k, each in each if np.isfinite(each))
        after, sizes = over.gaps
        gap = f"\nLargest gap: {numbers.number(float(sizes[row]))} after λ{subscript(int(after[row]))}"
        chance = np.nan if over.chance is None else over.chance[row]
        gap += f"\nChance alone: up to {numbers.number(float(chance))}" if np.isfinite(chance) else ""
        unsure = "" if over.certified[row] else "\nApproximate: release the slider there to compute it exactly."
        return f"{self._curves.x_label} {numbers.number(float(over.values[row]))}\n{told}{gap}{unsure}"


class SpectrumPane(Pane):
    """Follows the panel in focus; `view` gives the view whose rules have letters where all ε move."""

    def __init__(self, workbench: Workbench, view: Callable[[], str]) -> None:
        self._workbench, self._editor, self._spectrum = workbench, workbench.editor, workbench.spectrum
        self._explained = view
        self.plot = SpectrumPlot("Eigenvalues over a slider")
        about = "Where eigenvalues of the focused panel cross, merge and leave gaps, along the slider dragged last."
        super().__init__(self.plot, TITLE, about, KEYS, milliseconds=50)
        self.figure: Figure | None = None
        self.plot.dragged.connect(self._dragged)
        self.plot.rule_chosen.connect(self._choose_rule)
        self._spectrum.changed.connect(self.something_changed)
        self._editor.focus_changed.connect(self.something_changed)

    def refresh(self) -> None:
        """Show what is known of the panel in focus, or why there is nothing."""
        if not self.isVisible():
            return
        spectrum, over, title = self._spectrum, self._read(), self._title
        self.show_title(f"Spectrum over {spectrum.words}: {title}" if title else TITLE)
        self.show_key("uncertain", over is not None and not over.certified.all())
        self.show_key("chance", over is not None and over.chance is not None)
        if over is None or self.figure is None:
            self.show_waiting(spectrum.problem())
            return
        self._show_gap(self.figure)
        self.plot.show_spectrum(over, self.figure, self._span())
        self.show_plot()
        self.show_here()

    def _span(self) -> tuple[float, float] | None:
        """The values of the slider at the ends of the page's axis; None where that has no place for it."""
        if self._spectrum.along == EPSILON_SCALE:
            return ends_of_factor(self._workbench.controller)
        view = self._spectrum.view
        return ends_of_epsilon(self._workbench.controller, view) if view else None

    def _show_gap(self, figure: Figure) -> None:
        """Show the entry of the gap in the colour in which that is shaded."""
        assert isinstance(figure.body, Curves)
        look = next((s.look for s in figure.body.series if s.band is not None and s.best is None), None)
        self.show_key("largest gap", look is not None)
        if look is not None:
            self.color_key("largest gap", curve_look(look).color)

    @property
    def _title(self) -> str:
        """The title of the panel in focus; empty without one."""
        panel = self._spectrum.panel
        return "" if panel is None else panel_title(self._editor.state, panel)

    def _read(self) -> SpectrumOver | None:
        """Read what is known, and make the figure of it."""
        over = self._spectrum.over()
        self.figure = None if over is None else spectrum_figure(over, panel=self._title)
        return over

    def show_here(self) -> None:
        """Show the line at the slider, and the rules of a view at their values."""
        if self.isVisible() and self.figure is not None:
            self.plot.show_here(self._spectrum.here)
            self.plot.show_markers(self._markers())

    def to_file(self) -> Figure | None:
        """The figure with the rules and the slider as lines; None where there is none."""
        if not self.isVisible():
            self._read()
        if self.figure is None or not isinstance(self.figure.body, Curves):
            return None
        here, letter = self._spectrum.here, self._spectrum.words.partition(" ")[0]
        marks = [*self.figure.body.marks, *(LabelledLine(m.position, m.letter, None) for m in self._markers())]
        return marked(self.figure, marks if here is None else [*marks, LabelledLine(here, letter, 0)])

    def _markers(self) -> list[Marker]:
        """The rules with a value on the axis: of the view that moves, or of the one explained where all of them do."""
        spectrum, controller = self._spectrum, self._workbench.controller
        view = spectrum.view or self._explained()
        epsilon = controller.effective_epsilon(view) if view else None
        if spectrum.along == ETA or spectrum.weighed or epsilon is None:
            return []
        unit, click = 1.0, "Click to use it."
        if spectrum.along == EPSILON_SCALE:
            settings = self._editor.state.view(view)
            if not settings.linked:
                return []
            unit, click = epsilon / self._editor.state.epsilon_scale, f"Click to bring {view} there."
        markers = rule_markers(controller, view, lambda value: value / unit, click)
        values = None if self.plot.over is None else self.plot.over.values
        return [m for m in markers if values is not None and values[0] <= m.position <= values[-1]]

    # Gestures -----------------------------------------------------------------------------------------------

    def _dragged(self, value: float, moving: bool) -> None:
        along, view = self._spectrum.along, self._spectrum.view
        if along == EPSILON_SCALE:
            self._editor.set_scale(float(f"{value:.4g}"), interactive=moving)
        elif along == ETA:
            self._editor.set_param(ETA, round(min(max(value, 0.0), 1.0), 4), interactive=moving)
        elif self._spectrum.weighed:
            self._editor.set_view_weight(self._spectrum.weighed, value, interactive=moving)
        else:
            epsilon = value / self._editor.state.factor(view)
            self._editor.set_epsilon(view, float(f"{epsilon:.4g}"), interactive=moving)
        if not moving:
            self._editor.end_drag()

    def _choose_rule(self, rule: str) -> None:
        if self._spectrum.view:
            self._editor.set_rule(self._spectrum.view, rule)
        else:
            self._editor.set_scale(next(m.position for m in self._markers() if m.rule == rule))
