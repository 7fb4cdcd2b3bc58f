"""Which ε, and why: all views at once over one axis, their pairs, and what follows from ε, one below another."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.bandwidth.table import bandwidth_rules, get_rule
from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.questions.bandwidth_analyser import Explanation
from mvexplorer.state.questions.verdicts import ViewVerdict
from mvexplorer.state.session.settings import TunePlot
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.tune.epsilon_words import epsilon_in_words, estimates
from mvexplorer.ui.pages.tune.figures_over_epsilon import (
    class_figure,
    graph_figure,
    has_curves,
    marked,
    pair_figure,
)
from mvexplorer.ui.pages.tune.legends import CLASS_KEYS, GRAPH_KEYS, PAIR_KEYS, PLOTS
from mvexplorer.ui.pages.tune.own_pane import OwnPane
from mvexplorer.ui.pages.tune.reach_pane import ReachPane
from mvexplorer.ui.pages.tune.spectrum_pane import SpectrumPane
from mvexplorer.ui.pages.tune.sweep_section import SweepSection
from mvexplorer.ui.pages.tune.tune_button import TuneButton
from mvexplorer.ui.pages.tune.tune_row import TuneRow
from mvexplorer.ui.pages.tune.tune_rows import Drawn, TuneRows, cross
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, NameBox, add_action, sentence, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot
from mvexplorer.ui.widgets.plots.pair_surface import PairSurface
from mvexplorer.ui.widgets.plots.plot_cell import Beside, PlotCell

LEFT = 288
"""Width in pixels of what stands left of all plots: the choices of a sweep have room."""
RIGHT = (248, 480)
"""Least and largest width of what stands right of them: maps of pairs, names of curves."""
PLOT_HEIGHT = 150


class TunePage(QWidget):
    """Explains all ticked views; a drag here moves a view's own slider, and every plot follows."""

    id, title, place = "tune", "Bandwidth", "tune"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self._controller, self._analyser = workbench.controller, workbench.analyser
        self._column = spaced(QVBoxLayout(self), 0, 2, 0, 0, spacing=2)
        self._view, self._second = "", ""
        self._views = TuneRows(workbench, self)
        self._drawn = Drawn()
        self._plots: dict[TunePlot, Beside] = {}
        """The plots below the rows; made when the page is first shown, so that a new window opens sooner."""
        self._make_head(self._column)
        self.soon = Soon(self, milliseconds=20, do=self.refresh)
        self._wanted: TunePlot = "sweep"
        self.sight = Soon(self, milliseconds=0, do=self._scroll)
        self._analyser.changed.connect(self._explained)
        self._controller.summary_changed.connect(lambda _: self.show_here())
        self._controller.panel_changed.connect(self._tell_of_panel)
        self._editor.focus_changed.connect(lambda _: self._tell_of_panel(None))
        workbench.verdicts.changed.connect(lambda _: self.soon.start())
        workbench.view_scores.changed.connect(self._explained)
        workbench.tuner.changed.connect(self.soon.ask)

    # Construction -------------------------------------------------------------------------------------------

    def _make_head(self, column: QVBoxLayout) -> None:
        row = spaced(QHBoxLayout(), 8, 2, 8, 2, spacing=4)
        column.addLayout(row)
        self.words = Label(role="muted", wraps=True)
        # The text wraps beside the buttons: it must not make the window wider or taller.
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.words.setMinimumWidth(120)
        self.words.setMaximumHeight(40)  # two lines of text about an ε; the tooltip has all of it
        row.addWidget(self.words, 1)
        self.chips: dict[TunePlot, QToolButton] = {}
        for id, (title, about) in PLOTS.items():
            chip = self.chips[id] = QToolButton()
            chip.setText(title)
            chip.setToolTip(f"{about} Shown below the rows.")
            chip.setAccessibleName(f"{title}: show below the rows")
            chip.setCheckable(True)
            chip.clicked.connect(lambda on, id=id: self.show_plot(id) if on else self.hide_plot(id))
            row.addWidget(chip)
        row.addSpacing(8)
        self.tune = TuneButton(self._workbench)
        row.addWidget(self.tune)
        self.more = QPushButton("Compute")
        self.more.setToolTip("Slower analyses of the view whose details are shown")
        menu = QMenu(self)
        self.dimension, self.by_class, self.all_rules, self.weights = (
            add_action(menu, words) for words in ("Dimension", "Class curves", "All rules", "Feature weights …")
        )
        self.dimension.setToolTip("Estimate the intrinsic dimension: DANCo, local PCA, correlation")
        self.dimension.triggered.connect(lambda: self._analyser.ask_dimension(self.view))
        self.by_class.triggered.connect(self.show_classes)
        self.all_rules.setToolTip("Evaluate every rule, including slow ones")
        self.all_rules.triggered.connect(self._ask_all_rules)
        self.weights.setToolTip(get_rule("manifold").summary)
        self.weights.triggered.connect(lambda: open_weights(self._workbench, self.view, self.window()))
        menu.setToolTipsVisible(True)
        self.more.setMenu(menu)
        row.addWidget(self.more)

    def _make_plots(self) -> None:
        self.area, self._content = QScrollArea(), QWidget()
        self.area.setWidget(self._content)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click is meant for what is inside
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # all widths stay as they are
        self._inside = spaced(QVBoxLayout(self._content), 0, 0, 0, 0, spacing=2)
        self._inside.addWidget(self._views)
        self.graph = BandwidthPlot("Mean degree, components and isolated samples at each bandwidth")
        self.classes = BandwidthPlot("Class criteria at each bandwidth")
        self.surface, self.other = PairSurface(), NameBox(240)
        self.other.setAccessibleName("Second view of the pair")
        self.other.setToolTip("Second view of the pair")
        self.other.currentIndexChanged.connect(lambda _: self.show_pair(self.view, self.other.name))
        self.spectrum = SpectrumPane(self._workbench, lambda: self.view)
        self.reach = ReachPane(self._workbench, lambda: self.view)
        self.own = OwnPane(self._workbench)
        self.sweep = SweepSection(self._workbench)
        pair = PlotCell(self.surface, PLOTS["pair"][0], "The cross-hair marks both ε.", PAIR_KEYS)
        pair.column.addWidget(self.other)
        self._plots = {
            "links": PlotCell(self.graph, PLOTS["links"][0], "Links: affinities of .001 and more.", GRAPH_KEYS),
            "classes": PlotCell(
                self.classes,
                PLOTS["classes"][0],
                "Three class criteria, each relative to its best value.",
                [*CLASS_KEYS.values()],
            ),
            "pair": pair,
            "spectrum": self.spectrum,
            "reach": self.reach,
            "own": self.own,
            "sweep": self.sweep,
        }
        for id, plot in self._plots.items():
            if id != "sweep":
                plot.column.addStretch(1)
                plot.setMinimumHeight(PLOT_HEIGHT)
            self._inside.addWidget(plot, 1)
        self._inside.addStretch(0)
        self._column.addWidget(self.area, 1)
        self.area.show()  # at once, on a page that is on show already
        self._views.chosen.connect(self.explain)
        self._views.rule_chosen.connect(self._editor.set_rule)
        self._views.dragged.connect(self._dragged)
        self._views.pair_chosen.connect(self._enlarge)
        self._views.pair_dragged.connect(self._pair_dragged)
        for moved in self._details:
            moved.dragged.connect(lambda place, moving: self._dragged(self.view, place, moving))
            moved.rule_chosen.connect(lambda rule: self._editor.set_rule(self.view, rule))
        self.surface.dragged.connect(lambda a, b, moving: self._pair_dragged(self.view, self.second, a, b, moving))

    def sizeHint(self) -> QSize:
        return QSize(900, 214)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._plots:
            self._make_plots()
        self.refresh()  # a hidden page computes nothing

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Give all plots one width and place, and the rows the height that there is."""
        if not self._plots:
            return
        right = min(max(int(0.34 * self.width()), RIGHT[0]), RIGHT[1])
        self._views.align(theme.px(LEFT), right, self.height() - 100)
        for each in self._plots.values():
            each.align(theme.px(LEFT), right)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if self._plots:
            curves = (self.graph, self.classes, self.spectrum.plot, self.reach.plot, self.own.plot)
            for plot in (*curves, self.surface):
                plot.apply_theme()
            self._views.apply_theme()
            self._lay_out()
            self.sweep.apply_theme()

    def compute_all(self) -> None:
        """Compute dimension, class curves and all rules of the view that is explained, and sweep; nothing is moved."""
        asked = ((self.dimension, self._analyser.ask_dimension), (self.by_class, self._analyser.ask_classes))
        for action, ask in asked:
            if action.isEnabled() and action.isVisible():
                ask(self.view)
        self._ask_all_rules()
        if self._is_chosen("sweep"):
            self.sweep.compute_all()

    # What is shown ------------------------------------------------------------------------------------------

    def show_plot(self, id: TunePlot) -> None:
        """Show a plot below the rows, and bring it in sight."""
        if not self._plots:
            self._make_plots()
        self._choose_plots(lambda plots: tuple(each for each in PLOTS if each == id or each in plots))
        self._wanted = id
        self._scroll()
        self.sight.start()  # a page that has just come on show is laid out by then

    def show_classes(self) -> None:
        """Compute the class curves of the view explained, and show them."""
        self._analyser.ask_classes(self.view)
        self.show_plot("classes")

    def _scroll(self) -> None:
        """Bring the plot that was chosen last in sight."""
        self._inside.activate()  # the plot has its place before it is scrolled to
        least = max(self.area.viewport().height(), self._content.minimumSizeHint().height())
        self._content.resize(self._content.width(), least)
        self.area.verticalScrollBar().setValue(self._plots[self._wanted].y())

    def hide_plot(self, id: TunePlot) -> None:
        """Take a plot away from below the rows."""
        self._choose_plots(lambda plots: tuple(each for each in plots if each != id))

    def _choose_plots(self, choose: Callable[[tuple[TunePlot, ...]], tuple[TunePlot, ...]]) -> None:
        self._workbench.change_settings(tune_plots=choose(self._workbench.settings.tune_plots))
        self.refresh()

    @property
    def view(self) -> str:
        """The view explained below the rows: the one chosen, else the first; empty without data."""
        names = self._names()
        return self._view if self._view in names else next(iter(names), "")

    @property
    def rows(self) -> dict[str, TuneRow]:
        """The rows of the ticked views, by name."""
        return self._views.rows

    @property
    def second(self) -> str:
        """The view paired with `view`, or empty."""
        others = self._others()
        return self._second if self._second in others else next(iter(others), "")

    def explain(self, view: str) -> None:
        """Show the details of a view below the rows."""
        self._view = view
        self.refresh()

    def show_pair(self, first: str, second: str) -> None:
        """Explain a view, and pair it with another one."""
        self._view, self._second = first, second
        self.refresh()

    def _names(self) -> list[str]:
        """The ticked views, else all."""
        state = self._controller.document.state
        return [v.name for v in state.views if v.enabled] or [v.name for v in state.views]

    def _others(self) -> list[str]:
        return [name for name in self._names() if name != self.view and self._views.has_epsilon(name)]

    def refresh(self) -> None:
        """Follow the document: views, ε, rules; request the curves of the ticked views."""
        if not self._plots:
            return
        data, shown = self._controller.document.data, self._workbench.settings.tune_plots
        if self._views.make(self._names()):
            self._lay_out()
        labelled, paired = data is not None and data.labels is not None, bool(self._others())
        self.other.offer(self._others())
        self.other.choose(self.second)
        for id, chip in self.chips.items():
            possible = {"classes": labelled, "pair": paired}.get(id, True)
            chip.setVisible(possible)
            chip.setChecked(id in shown)
            self._plots[id].setVisible(possible and id in shown)
        if data is None or not self.view or not self.isVisible():
            return
        self._analyser.ask(*dict.fromkeys((*self.rows, self.view, *([self.second] if self.second else []))))
        self._show()

    def _enlarge(self, first: str, second: str) -> None:
        self.show_pair(first, second)
        self.show_plot("pair")

    def follow(self, change: Change) -> None:
        """Follow changes of views, kernels or ε."""
        self.soon.ask()
        if self._plots and self.sweep.isVisible():
            self.sweep.follow(change)

    def _explained(self, view: str) -> None:
        if self._follows and view in (*self.rows, self.view, self.second):
            self._show()

    @property
    def _follows(self) -> bool:
        """Whether the page is on show, with the rows of the document's views: those of others are made anew soon."""
        return self.isVisible() and self._views.of(self._names())

    def _show(self) -> None:
        self._views.show_curves()
        facts = self._analyser.of(self.view)
        curves = facts.curves
        shown = any(self._is_chosen(id) for id in ("links", "classes"))
        if (
            curves is not None
            and shown
            and self._drawn.is_new("details", (self.view, curves, facts.classes, facts.stale))
        ):
            self.graph.show_figure(graph_figure(self.view, curves))
            self.classes.show_figure(class_figure(self.view, facts, curves))
            self._cell("links").show_title(f"{PLOTS['links'][0]}: {self.view}")
            self._cell("classes").show_title(f"{PLOTS['classes'][0]}: {self.view}")
            for name in ("ρ_Ψ", "Ge"):
                self._cell("classes").show_key(CLASS_KEYS[name].name, facts.classes is not None and not facts.stale)
        data, unlabelled = self._controller.document.data, "" if curves is None else curves.unlabelled
        self.by_class.setVisible(data is not None and data.labels is not None)
        self.by_class.setEnabled(not unlabelled)
        self.by_class.setToolTip(tip(unlabelled) or "ρ_Ψ and the eigengap: eigenvectors at a dozen bandwidths")
        self._show_surface()
        self.show_here()
        self._show_waiting(facts)

    def _cell(self, id: TunePlot) -> PlotCell:
        cell = self._plots[id]
        assert isinstance(cell, PlotCell)
        return cell

    def _show_waiting(self, facts: Explanation) -> None:
        """Say in the place of each plot what is being computed, or why it cannot be."""
        unlabelled = "" if facts.curves is None else facts.curves.unlabelled
        linking = "" if facts.curves is not None else facts.problem or "computing links …"
        stepping = linking and (facts.problem or "computing class curves …")
        problem = facts.problem or (self._analyser.of(self.second).problem if self.second else "")
        crossing = "" if self._is_crossed() else problem or "computing log S of both views …"
        said: dict[TunePlot, str] = {"links": linking, "classes": stepping or unlabelled, "pair": crossing}
        for id, words in said.items():
            if words:
                self._plots[id].show_waiting(words)
            else:
                self._plots[id].show_plot()

    def _is_crossed(self) -> bool:
        """True if the surface on show is that of the two views chosen."""
        pair = self._views.pair_of(self.view, self.second)
        return pair is not None and self._drawn.shows("pair", (self.view, self.second, *pair))

    def _show_surface(self) -> None:
        pair, shown = self._views.pair_of(self.view, self.second), self._plots["pair"].isVisible()
        self._views.frame({self.view, self.second} if shown else set())
        if pair is not None and shown and self._drawn.is_new("pair", (self.view, self.second, *pair)):
            self.surface.show_figure(pair_figure((self.view, self.second), *pair))
            self._cell("pair").show_title(f"Pair: {self.view} and {self.second}")

    def show_here(self) -> None:
        """Show the lines at ε, the rules at their values, and in words what ε means."""
        if not self._follows:
            return
        verdicts = self._workbench.verdicts.now()
        self._views.show_here(verdicts, self.view, [each for each in self._details if each.isVisible()])
        self.own.something_changed()
        self.spectrum.show_here()
        self.reach.refresh()
        cross(self.surface, self._views.here(self.view), self._views.here(self.second))
        self._tell(verdicts.get(self.view))

    def _tell_of_panel(self, id: str | None) -> None:
        """Tell it anew once the picture in focus is exact: how many of its steps stay belongs to it."""
        panel = self._workbench.diagnostics.panel
        if panel is None or id not in (None, panel.id) or self._controller.result(panel.id).status != "ready":
            return
        if self._follows:
            self._tell(self._workbench.verdicts.now().get(self.view))

    @property
    def _details(self) -> tuple[BandwidthPlot, ...]:
        """The plots about the view explained, on its own ε."""
        return (self.graph, self.classes, self.reach.plot)

    def _tell(self, verdict: ViewVerdict | None) -> None:
        """Tell in words what the ε of the view explained means."""
        here, regime = self._views.here(self.view), None if verdict is None else verdict.regime
        self.words.setText(sentence(epsilon_in_words(self._workbench, self.view, here, regime)))
        self.words.set_role("amber" if regime is not None and regime.alarming else "muted")
        dimension = self._analyser.of(self.view).dimension
        self.words.setToolTip(tip(f"{self.words.text()}\n{estimates(dimension)}".strip()))

    def figures(self) -> tuple[Figure, ...]:
        """The rows and the plots on show, with the rules and the present ε as lines."""
        if not self._plots:
            return ()
        each, facts = self._views.figures(), self._analyser.of(self.view)
        if facts.curves is not None:
            graph, classes = graph_figure(self.view, facts.curves), class_figure(self.view, facts, facts.curves)
            chosen = [figure for id, figure in (("links", graph), ("classes", classes)) if self._is_chosen(id)]
            each += [marked(figure, self._views.marks(self.view)) for figure in chosen if has_curves(figure)]
        pair = self._views.pair_of(self.view, self.second) if self._is_chosen("pair") else None
        if pair is not None and not self._views.has_map(self.view, self.second):
            each.append(pair_figure((self.view, self.second), *pair))
        files = {"spectrum": self.spectrum.to_file, "reach": self.reach.to_file, "own": self.own.to_file}
        each += [figure for id, read in files.items() if self._is_chosen(id) and (figure := read()) is not None]
        return (*each, *(self.sweep.figures() if self._is_chosen("sweep") else ()))

    def _is_chosen(self, id: str) -> bool:
        """Whether a plot is among those below the rows, on show or folded away with the page."""
        return any(not plot.isHidden() for name, plot in self._plots.items() if name == id)

    # Gestures --------------------------------------------------------------------------------------------

    def _epsilon_at(self, view: str, position: float) -> float | None:
        median = self._controller.median(view)
        if median is None:
            return None
        reach = 100.0  # limit in decades from the median, far from where numbers end
        decades = min(max(position, -reach), reach)
        return float(f"{median * 10.0**decades / self._controller.document.state.factor(view):.4g}")

    def _dragged(self, view: str, position: float, moving: bool) -> None:
        value = self._epsilon_at(view, position)
        if value is not None:
            self._editor.set_epsilon(view, value, interactive=moving)
            if not moving:
                self._editor.end_drag()
                self._analyser.refine_classes(view, self._controller.effective_epsilon(view) or value)

    def _pair_dragged(self, first: str, second: str, across: float, up: float, moving: bool) -> None:
        moved = {}
        for view, position in ((first, across), (second, up)):
            here, value = self._views.here(view), self._epsilon_at(view, position)
            if value is not None and here is not None and abs(here - position) > 1e-6:
                moved[view] = value
        if moved:
            self._editor.set_epsilons(moved, interactive=moving)
        if not moving:
            self._editor.end_drag()

    def _ask_all_rules(self) -> None:
        data = self._controller.document.data
        labelled = data is not None and data.labels is not None
        wanted = tuple(r.id for r in bandwidth_rules() if r.weigh is None and (labelled or not r.needs_labels))
        self._analyser.ask_rules(self.view, wanted)
