"""Which ε, and why: growth, connectivity, classes and pairs of views over the axis of the bandwidth sliders."""

from __future__ import annotations

from math import log10

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.jobs.runner import ViewCurves
from mvexplorer.engine.bandwidth.table import bandwidth_rules, get_rule
from mvexplorer.engine.kernels.affinities import KernelKind, parse_kernel
from mvexplorer.figures import Figure, LabelledLine
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.questions.bandwidth_analyser import Explanation
from mvexplorer.ui.controls.verdict_dot import ROLES
from mvexplorer.ui.pages.bandwidth.bandwidth_figures import (
    class_figure,
    graph_figure,
    growth_figure,
    has_curves,
    marked,
    pair_figure,
    place_of,
    rule_markers,
)
from mvexplorer.ui.pages.bandwidth.reach_pane import REACH, ReachPane
from mvexplorer.ui.pages.bandwidth.spectrum_pane import TITLE, SpectrumPane
from mvexplorer.ui.pages.bandwidth.tune_button import TuneButton
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, NameBox, add_action, sentence, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot, Marker, axis_position
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.pair_surface import PairSurface
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey, PlotCell

FIRST, SECOND, THIRD = (curve_look(place).color for place in range(3))
GREY = "#999999"
CLASS_KEYS = {
    "ρ_P": CurveKey(
        FIRST,
        "ρ_P in class",
        "ρ_P: the probability that a step of the random walk stays in its class, on average.",
    ),
    "ρ_Ψ": CurveKey(
        SECOND,
        "ρ_Ψ apart",
        "ρ_Ψ: how far the classes lie apart in the diffusion map for how far each spreads. Class curves computes it.",
    ),
    "Ge": CurveKey(
        THIRD,
        "Ge eigengap",
        "Ge: the gap after as many eigenvalues as there are classes. Class curves computes it.",
    ),
}
GROWTH_KEYS = (
    CurveKey(FIRST, "dimension", "2 d log S / d log ε: the dimension that the kernel sees at an ε."),
    CurveKey(GREY, "log S", "The logarithm of the sum of all affinities, drawn to the height of the plot.", "─"),
)
GRAPH_KEYS = (
    CurveKey(FIRST, "neighbours", "The mean number of samples within reach of one: affinities of .001 and more."),
    CurveKey(SECOND, "components", "The pieces into which these links join the samples."),
    CurveKey(THIRD, "isolated", "The samples that have no neighbour."),
)
PAIR = "Pair: log S at both ε"
PAIR_KEYS = (CurveKey(GREY, "where growth begins", "Solid along the first ε, dashed along the second.", "─"),)


class BandwidthPage(QWidget):
    """Explains one view at a time; a drag here moves the view's own slider."""

    id, title = "bandwidth", "Bandwidth"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self._controller, self._analyser = workbench.controller, workbench.analyser
        self._column = spaced(QVBoxLayout(self), 8, 4, 8, 4, spacing=2)
        self._make_head(self._column)
        self._cells: list[PlotCell] = []
        self._plotted: tuple[object, ...] = ()
        self._crossed: tuple[ViewCurves, ...] = ()
        self.soon = Soon(self, milliseconds=20, do=self.refresh)
        self._analyser.changed.connect(self._explained)
        self._controller.summary_changed.connect(self._summary_changed)
        workbench.verdicts.changed.connect(lambda _: self.soon.start())

    # Construction -------------------------------------------------------------------------------------------

    def _make_head(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.choice, self.other = NameBox(240), NameBox(240)
        for box, name in ((self.choice, "View explained"), (self.other, "Second view of the pair")):
            box.setAccessibleName(name)
            box.setToolTip(name)
        self.choice.currentIndexChanged.connect(lambda _: self.refresh())
        self.other.currentIndexChanged.connect(lambda _: self.refresh())
        self.words = Label(role="muted", wraps=True)
        # The text wraps beside the buttons: it must not make the window wider or taller.
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setMinimumWidth(120)
        self.words.setMaximumHeight(40)  # two lines of text about an ε; the tooltip has all of it
        self.by_class = QPushButton("Class curves")
        self.by_class.clicked.connect(lambda: self._analyser.ask_classes(self.view))
        self.dimension = QPushButton("Dimension")
        self.dimension.setToolTip("Estimate the intrinsic dimension: DANCo, local PCA, correlation")
        self.dimension.clicked.connect(lambda: self._analyser.ask_dimension(self.view))
        self.all_rules = QPushButton("All rules")
        self.all_rules.setToolTip("Evaluate every rule, also those that take a while")
        self.all_rules.clicked.connect(self._ask_all_rules)
        self.weights = QPushButton("Feature weights …")
        self.weights.setToolTip(get_rule("manifold").summary)
        self.weights.clicked.connect(lambda: open_weights(self._workbench, self.view, self.window()))
        row.addWidget(self.choice)
        self._with = QLabel("with")
        row.addWidget(self._with)
        row.addWidget(self.other)
        row.addWidget(self.words, 1)
        self.tune = TuneButton(self._workbench)
        for button in (self.tune, self.dimension, self.by_class, self.all_rules, self.weights):
            row.addWidget(button)

    def _make_plots(self) -> None:
        """Make the plots when the page is first shown, so that a new window opens sooner."""
        self.growth = BandwidthPlot("Dimension seen at each bandwidth")
        self.graph = BandwidthPlot("Neighbours, components and isolated samples at each bandwidth")
        self.classes = BandwidthPlot("Class criteria at each bandwidth")
        self.surface = PairSurface()
        self._last, menu = QStackedWidget(), self._make_choice()
        self._plots = (self.growth, self.graph, self.classes)
        row = QSplitter(Qt.Orientation.Horizontal)
        row.setChildrenCollapsible(False)
        self._cells = [
            PlotCell(self.growth, "Growth: the dimension at each ε", "How fast affinities grow with ε.", GROWTH_KEYS),
            PlotCell(self.graph, "Graph: what is linked at each ε", "Links: affinities of .001 and more.", GRAPH_KEYS),
            PlotCell(
                self.classes,
                "Class curves: how ε parts the classes",
                "Three criteria that look at the labels, each divided by its best value.",
                [*CLASS_KEYS.values()],
            ),
            PlotCell(self.surface, PAIR, "The cross-hair is the two sliders.", PAIR_KEYS, menu),
        ]
        self.spectrum = SpectrumPane(self._workbench, lambda: self.view, menu)
        self.reach = ReachPane(self._workbench, lambda: self.view, menu)
        for pane in (self._cells[3], self.spectrum, self.reach):
            self._last.addWidget(pane)
        for cell in (*self._cells[:3], self._last):
            row.addWidget(cell)
        row.setSizes([self.width()] * len(self._cells))  # all of one width
        self._column.addWidget(row, 1)
        for plot in self._plots:
            plot.dragged.connect(self._dragged)
            plot.rule_chosen.connect(lambda rule: self._editor.set_rule(self.view, rule))
        self.reach.plot.dragged.connect(self._dragged)
        self.reach.plot.rule_chosen.connect(lambda rule: self._editor.set_rule(self.view, rule))
        self.surface.dragged.connect(self._pair_dragged)

    def _make_choice(self) -> QMenu:
        """The menu of what stands in the last place."""
        menu = QMenu(self)
        self.pair, self.eigenvalues, self.neighbours = (add_action(menu, title) for title in (PAIR, TITLE, REACH))
        self.pair.triggered.connect(lambda: self.show_last("pair"))
        self.eigenvalues.triggered.connect(lambda: self.show_last("spectrum"))
        self.neighbours.triggered.connect(lambda: self.show_last("reach"))
        return menu

    def sizeHint(self) -> QSize:
        return QSize(900, 268)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._cells:
            self._make_plots()
        self.refresh()  # a hidden page computes nothing

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        for plot in (*self._plots, self.surface, self.spectrum.plot, self.reach.plot) if self._cells else ():
            plot.apply_theme()

    def compute_all(self) -> None:
        """Compute dimension, class curves and all rules of the current view."""
        for button in (self.dimension, self.by_class, self.all_rules):
            if button.isEnabled() and button.isVisible():
                button.click()

    # What is shown ------------------------------------------------------------------------------------------

    def show_last(self, plot: str) -> None:
        """Show the pair of views, the spectrum over ε, or the kept sample's neighbours in the last place."""
        self._workbench.change_settings(bandwidth_plot=plot)
        self.refresh()

    @property
    def view(self) -> str:
        """The view explained; empty without data or when that view is gone."""
        return self._present(self.choice)

    @property
    def second(self) -> str:
        """The view paired with `view`, or empty."""
        return self._present(self.other)

    def _present(self, box: NameBox) -> str:
        return box.name if self._controller.document.state.find_view(box.name) is not None else ""

    def refresh(self) -> None:
        """Follow the document: views, ε, rules; request the curves of the current view."""
        if not self._cells:
            return
        state, data = self._controller.document.state, self._controller.document.data
        names = [v.name for v in state.views if v.enabled] or [v.name for v in state.views]
        self.choice.offer(names)
        self.other.offer([n for n in names if n != self.view and self._kind(n).uses_epsilon])
        for widget in (self._with, self.other):
            widget.setVisible(self.other.count() > 0)
        self._cells[2].setVisible(data is not None and data.labels is not None)
        paired = self.other.count() > 0
        self.pair.setEnabled(paired)
        panes = {"pair": self._cells[3] if paired else self.spectrum, "spectrum": self.spectrum, "reach": self.reach}
        self._last.setCurrentWidget(panes[self._workbench.settings.bandwidth_plot])
        if data is None or not self.view or not self.isVisible():
            return
        self._analyser.ask(self.view)
        if self.second:
            self._analyser.ask(self.second)
        self._show()

    def follow(self, change: Change) -> None:
        """Follow changes of views, kernels or ε."""
        self.soon.ask()

    def _summary_changed(self, _view: str) -> None:
        self.show_here()

    def _explained(self, view: str) -> None:
        if self.isVisible() and self.view and view in (self.view, self.second):
            self._show()

    def _show(self) -> None:
        facts = self._analyser.of(self.view)
        curves = facts.curves
        if facts.stale:
            self._analyser.ask(self.view)
        drawn = (curves, facts.classes, facts.stale)
        if curves is not None and not _same(drawn, self._plotted):  # a drag moves only the marker
            self._plotted = drawn
            self.growth.show_figure(growth_figure(self.view, curves))
            self.graph.show_figure(graph_figure(self.view, curves))
            self.classes.show_figure(class_figure(self.view, facts, curves))
            for name in ("ρ_Ψ", "Ge"):
                self._cells[2].show_key(CLASS_KEYS[name].name, facts.classes is not None and not facts.stale)
        unlabelled = curves.unlabelled if curves is not None else ""
        self.by_class.setVisible(not self._cells[2].isHidden())
        self.by_class.setEnabled(not unlabelled)
        self.by_class.setToolTip(tip(unlabelled) or "ρ_Ψ and the eigengap: eigenvectors at a dozen bandwidths")
        self.show_here()
        self._show_surface()
        self._show_waiting(facts)

    def _show_waiting(self, facts: Explanation) -> None:
        """Say in the place of each plot what is being computed, or why it cannot be."""
        unlabelled = "" if facts.curves is None else facts.curves.unlabelled
        growing = "" if facts.curves is not None else facts.problem or "computing growth …"
        linking = "" if facts.curves is not None else facts.problem or "computing links …"
        stepping = growing and (facts.problem or "computing class curves …")
        crossing = "" if self._is_crossed() else facts.problem or "computing growth of both views …"
        for cell, words in zip(self._cells, (growing, linking, stepping or unlabelled, crossing), strict=True):
            if words:
                cell.show_waiting(words)
            else:
                cell.show_plot()

    def _is_crossed(self) -> bool:
        """True if the surface on show is that of the two views chosen."""
        curves = tuple(self._analyser.of(view).curves for view in (self.view, self.second))
        return bool(self._crossed) and _same(curves, self._crossed)

    def _show_surface(self) -> None:
        first, second = (self._analyser.of(v).curves for v in (self.view, self.second))
        if first is None or second is None or not self._cells[3].isVisible():
            return
        if first.growth.row_sums.shape[1] != second.growth.row_sums.shape[1]:
            return  # one is still of a subsample or of former samples
        if _same((first, second), self._crossed):
            return
        self._crossed = (first, second)
        self.surface.show_figure(pair_figure((self.view, self.second), first, second))
        self.show_here()

    def show_here(self) -> None:
        """Show the handle at ε, the rules at their values, and in words what ε means."""
        if not self.isVisible() or not self.view:
            return
        here = self._here(self.view)
        verdict = self._workbench.verdicts.now().get(self.view)
        stretches = () if verdict is None else [(log10(a), log10(b), ROLES[word]) for a, b, word in verdict.track]
        markers = self._markers()
        for plot in (*self._plots, self.reach.plot):
            plot.show_here(here)
            plot.show_markers(markers)
            plot.show_stretches(stretches)
        self.spectrum.show_here()
        self.reach.refresh()
        self.words.setText(sentence(self._in_words(here)))
        regime = self._workbench.verdicts.of(self.view) if self.view else None
        role = "amber" if regime is not None and regime.alarming else "muted"
        if self.words.property("role") != role:
            self.words.setProperty("role", role)
            self.words.style().unpolish(self.words)
            self.words.style().polish(self.words)
        self.words.setToolTip(tip(f"{self.words.text()}\n{self._estimates()}".strip()))
        there = self._here(self.second)
        if here is not None and there is not None:
            self.surface.show_here(here, there)

    def _markers(self) -> list[Marker]:
        """The values of the rules that are known, from left to right."""
        median = self._controller.median(self.view) or 1.0
        return rule_markers(self._controller, self.view, lambda value: axis_position(value, median), "Click to use it.")

    def figures(self) -> tuple[Figure, ...]:
        """The plots on show, with the rules and the present ε as lines."""
        if not self._cells:
            return ()
        facts, here, spectrum = self._analyser.of(self.view), self._here(self.view), self.spectrum.to_file()
        reached = self.reach.figure if self.reach.isVisible() else None
        last = tuple(figure for figure in (spectrum, reached) if figure is not None)
        if facts.curves is None:
            return last
        marks = [LabelledLine(marker.position, marker.letter, None) for marker in self._markers()]
        marks += [] if here is None else [LabelledLine(here, "ε", 0)]
        shown = [plot.figure for plot, cell in zip(self._plots, self._cells, strict=False) if not cell.isHidden()]
        figures = [marked(figure, marks) for figure in shown if figure is not None and has_curves(figure)]
        if self._is_crossed() and self.surface.figure is not None:
            figures.append(self.surface.figure)
        return (*figures, *last)

    def _kind(self, view: str) -> KernelKind:
        return parse_kernel(self._controller.document.state.view(view).kernel).kind

    def _here(self, view: str) -> float | None:
        if not view or self._controller.median(view) is None:
            return None
        epsilon = self._controller.effective_epsilon(view)
        return None if epsilon is None else axis_position(epsilon, self._controller.median(view) or 1.0)

    def _in_words(self, here: float | None) -> str:
        facts = self._analyser.of(self.view)
        if facts.problem:
            return facts.problem
        if self.view and not self._kind(self.view).uses_epsilon:
            return f"{self._kind(self.view).title} kernel: there is no bandwidth to choose"
        if facts.curves is None or here is None:
            return "computing …"
        curves = facts.curves
        # Pieces are counted at the ε in use, even where that lies beyond the axis.
        epsilon = np.array([self._controller.effective_epsilon(self.view) or curves.median * 10.0**here])
        x = place_of(curves)
        dimension = 2.0 * float(np.interp(here, x, curves.growth.slope))
        neighbours = float(np.interp(here, x, curves.growth.mean_neighbours))
        pieces, alone = int(curves.connectivity.components(epsilon)[0]), float(curves.connectivity.isolated(epsilon)[0])
        graph = "one piece" if pieces == 1 else f"{pieces} pieces"
        share = f", {100 * alone:.0f} % of the samples isolated" if alone > 0 else ""
        stale = " · stale: the view has changed" if facts.stale else " · coarse, refining …" if facts.coarse else ""
        estimate = f" · {facts.dimension.text}" if facts.dimension is not None and not facts.stale else ""
        report = (
            f"At this ε: dimension {dimension:.1f}, {numbers.number(neighbours)} neighbours on average, "
            f"graph in {graph}{share}{estimate}{stale}"
        )
        regime = self._workbench.verdicts.of(self.view)
        if regime is None:  # ε moves
            return report
        return (
            f"{regime.sentence} {regime.cure} {report}"
            if regime.alarming
            else f"{report.rstrip('.')}. {regime.sentence}"
        )

    def _estimates(self) -> str:
        dimension = self._analyser.of(self.view).dimension
        if dimension is None:
            return ""
        scales = ", ".join(f"{d} on {n} samples" for n, d in dimension.by_scale)
        return (
            f"DANCo: {scales}\nLocal PCA: {dimension.local_pca}\nCorrelation dimension: {dimension.correlation:.1f}\n"
            f"Largest slope of log S: {dimension.log_sum:.1f}"
        )

    # Gestures --------------------------------------------------------------------------------------------

    def _epsilon_at(self, view: str, position: float) -> float | None:
        median = self._controller.median(view)
        if median is None:
            return None
        reach = 100.0  # limit in decades from the median, far from where numbers end
        decades = min(max(position, -reach), reach)
        return float(f"{median * 10.0**decades / self._controller.document.state.factor(view):.4g}")

    def _dragged(self, position: float, moving: bool) -> None:
        value = self._epsilon_at(self.view, position)
        if value is not None:
            self._editor.set_epsilon(self.view, value, interactive=moving)
            if not moving:
                self._editor.end_drag()
                self._analyser.refine_classes(self.view, self._controller.effective_epsilon(self.view) or value)

    def _pair_dragged(self, first: float, second: float, moving: bool) -> None:
        for view, position in ((self.view, first), (self.second, second)):
            here, value = self._here(view), self._epsilon_at(view, position)
            if value is not None and here is not None and abs(here - position) > 1e-6:
                self._editor.set_epsilon(view, value, interactive=moving)
        if not moving:
            self._editor.end_drag()

    def _ask_all_rules(self) -> None:
        data = self._controller.document.data
        labelled = data is not None and data.labels is not None
        wanted = tuple(r.id for r in bandwidth_rules() if r.weigh is None and (labelled or not r.needs_labels))
        self._analyser.ask_rules(self.view, wanted)


def _same(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """True if both hold identical objects."""
    return len(these) == len(those) and all(a is b for a, b in zip(these, those, strict=True))
