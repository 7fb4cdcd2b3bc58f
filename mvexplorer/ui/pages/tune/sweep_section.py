"""Scores against the bandwidth, or any other parameter: which method wins, and where."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
)

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.engine.bandwidth.regimes import Word
from mvexplorer.figures import Curves, Figure
from mvexplorer.state.batches.sweeper import Curve, Sweeper
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.axis import present_value
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.multiples import METHODS, PANELS
from mvexplorer.state.document.multiples_grid import few_of
from mvexplorer.state.pictures.scoring import SCORES, STABILITY, available_scores
from mvexplorer.ui.controls.verdict_dot import ROLES
from mvexplorer.ui.pages.figure_files import export_figure_picture, size_of
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.tune.curve_names import CurveNames
from mvexplorer.ui.pages.tune.figures_over_epsilon import factor_markers, rule_markers
from mvexplorer.ui.pages.tune.shared_axis import ends_of_epsilon, ends_of_factor
from mvexplorer.ui.pages.tune.sweep_axis import AxisChoice, whole_number
from mvexplorer.ui.pages.tune.sweep_figure import shown_figure
from mvexplorer.ui.pages.tune.sweep_files import check_scores, export_scores, figure_of_sweep
from mvexplorer.ui.pages.tune.sweep_words import TITLE, legend_text, point_text
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, ShortBox, line, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot, Marker
from mvexplorer.ui.widgets.plots.plot_cell import Beside

NOT_ASKED = "This score takes two more pictures at each value: press Sweep to compute them."


class SweepSection(Beside):
    """The sweep: its choices on the left, the curves in the middle, their names on the right."""

    def __init__(self, workbench: Workbench) -> None:
        self.plot = BandwidthPlot("Scores", self._meaning)
        names = CurveNames()
        self.legend = names.legend
        super().__init__(self.plot, names)
        self.show_plot()
        self._workbench = workbench
        self._document, self._editor, self._sweeper = workbench.document, workbench.editor, workbench.sweeper
        self._controller = workbench.controller
        self._titles: dict[str, str] = {}
        self._chosen = ""
        """The id of the score that the user chose; data without it show another one meanwhile."""
        self.soon = Soon(self, milliseconds=20, do=self._show_present)
        self._controller.summary_changed.connect(lambda _: self._if_shown())
        workbench.verdicts.changed.connect(lambda _: self._if_shown())
        self._make_form(self.column)
        self.plot.rule_chosen.connect(self._choose_rule)
        self.plot.setMinimumSize(QSize(150, 80))
        self.plot.dragged.connect(self._dragged)
        self.plot.chosen.connect(self._choose)
        self._sweeper.changed.connect(self.show_sweep)
        self._editor.sweep_wanted.connect(self._sweep_over_epsilon)
        self._offer_axes()
        self._offer_scores()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()
        self.show_sweep()

    def _make_form(self, column: QVBoxLayout) -> None:
        self.what, self.score = ShortBox(), ShortBox()
        self.what.addItems(["Panels on show", "All methods"])
        for box in (self.what, self.score):
            box.setMinimumContentsLength(10)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.score.currentIndexChanged.connect(lambda _: self._choose_score())
        self.what.currentIndexChanged.connect(lambda _: self._offer_axes())
        self.along = AxisChoice(self._present)
        self.along.changed.connect(self.show_sweep)
        self.low, self.high, self.values = self.along.low, self.along.high, self.along.values
        self.resamples = NumberField("Number of resamplings", 60)
        self.resamples.show_text("0")
        self.resamples.editingFinished.connect(self.resamples.refill)
        self.resamples.setToolTip("Repeat on random 80 % of the samples and show the range as a band")
        form, buttons, ends = QFormLayout(), QGridLayout(), QHBoxLayout()
        column.addLayout(form)
        column.addLayout(buttons)
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(4)
        for words, field in (
            ("Methods", self.what),
            ("Score", self.score),
            ("Sweep", self.along.list),
            ("From", ends),
        ):
            form.addRow(words, field)
        self.along.fill(ends, spacing=4)
        form.addRow("Resamplings", self.resamples)
        for name, widget in (("Methods swept", self.what), ("Score shown", self.score)):
            widget.setAccessibleName(name)
        self.run, self.table, self.picture = QPushButton("Sweep"), QPushButton("CSV …"), QPushButton("Figure …")
        self.run.clicked.connect(self._run)
        self.table.clicked.connect(self._export_scores)
        self.picture.clicked.connect(self._export_figure)
        self.table.setToolTip("Write every score as a table, once there is one")
        self.picture.setToolTip("Write the figure as PNG, SVG or PDF, once there is a score")
        for button in (self.table, self.picture):
            button.setEnabled(False)
        self.small = QPushButton("Multiples")
        self.small.clicked.connect(self._show_multiples)
        self.small.setToolTip("Show the swept pictures themselves: small multiples of these methods and values")
        for place, button in enumerate((self.run, self.small, self.table, self.picture)):
            buttons.addWidget(button, *divmod(place, 2))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(3)
        self.words = Label(role="muted", wraps=True)
        column.addWidget(self.bar)
        column.addWidget(self.words)
        column.addStretch(1)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.plot.apply_theme()
        self._show_legend()

    def compute_all(self) -> None:
        """Run the sweep."""
        if self.run.isEnabled():
            self.run.click()

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow the line's own slider, what could be swept, and the variable that could be scored."""
        if change.interactive:
            self._show_line()
            self.soon.start()  # rules and verdicts wait for the hand
        else:
            self._catch_up()

    def _if_shown(self) -> None:
        if self.isVisible():
            self.soon.start()

    def _catch_up(self) -> None:
        self._offer_axes()
        self._show_present()
        self._offer_scores()

    @property
    def _axis(self) -> Axis:
        """The axis of the sweep on show, else that of the next one."""
        return self._sweeper.axis if self._sweeper.curves else self.along.axis

    def _present(self, axis: Axis) -> float | None:
        """Return the document's place on an axis; None where that is no number."""
        if axis.view is not None:
            return self._controller.effective_epsilon(axis.view)
        value = present_value(self._document.state, axis)
        return float(value) if isinstance(value, int | float) else None

    def _show_present(self) -> None:
        body = None if self.plot.figure is None else self.plot.figure.body
        if isinstance(body, Curves) and body.span != self._span():  # the page's axis lies elsewhere for all ε
            self._draw()
        self._show_line()
        self._show_rules()
        self._show_legend()

    def _show_line(self) -> None:
        value = self._present(self._axis)
        drawn = value is not None and (value > 0.0 or not self._axis.log)
        self.plot.show_here(value if drawn else None)

    def _offer_axes(self) -> None:
        """Offer the axes that the methods to be swept have."""
        self.along.offer(self._sweeper.axes(every_method=self.what.currentIndex() == 1))

    def _offer_scores(self) -> None:
        """Offer the scores of the sweep on show, else those that a sweep would have."""
        state, data = self._document.state, self._document.data
        possible = {} if data is None else {id: words.title for id, words in available_scores(state, data).items()}
        titles = (self._sweeper.titles if self._sweeper.curves else possible) or {"nmi": SCORES["nmi"].title}
        titles = {**titles, STABILITY: SCORES[STABILITY].title}
        if titles == self._titles:
            return
        self._titles = titles
        self.score.blockSignals(True)
        self.score.clear()
        for title in titles.values():
            self.score.addItem(line(title, TITLE))
            self.score.setItemData(self.score.count() - 1, tip(title), Qt.ItemDataRole.ToolTipRole)
        self.score.setCurrentIndex(list(titles).index(self._chosen) if self._chosen in titles else 0)
        self.score.blockSignals(False)

    def _choose_score(self) -> None:
        self._chosen = self._score
        self.show_sweep()

    @property
    def _score(self) -> str:
        """The id of the score on show."""
        ids = list(self._titles)
        return ids[self.score.currentIndex()] if 0 <= self.score.currentIndex() < len(ids) else "nmi"

    def show_sweep(self) -> None:
        """Draw the curves as far as they are computed."""
        self._offer_scores()
        sweeper, score = self._sweeper, self._score
        self.run.setText("Stop" if sweeper.running else "Sweep")
        self.bar.setRange(0, max(1, sweeper.total))
        self.bar.setValue(sweeper.done)
        self.bar.setVisible(sweeper.running)
        for button in (self.table, self.picture):
            button.setEnabled(bool(sweeper.table()))
        self._draw()
        self._show_present()
        problems = [f"{title}: {text}" for title, text in sweeper.problems.items()]
        told = _in_words(sweeper) if score in sweeper.titles or not sweeper.curves else NOT_ASKED
        self.words.setText(told + (f"\n{len(problems)} without a score" if problems else ""))
        self.words.setToolTip(tip("\n".join(problems)))
        self._show_legend()
        self.legend.setToolTip(tip("\n".join(c.title for c in sweeper.curves)))

    def _show_legend(self) -> None:
        present = self._present(self._axis)
        self.legend.setText(legend_text(self._sweeper.curves, self._score, self._axis, present))

    def _draw(self) -> None:
        score = self._score
        self.plot.show_figure(
            shown_figure((self._titles[score], score), self._sweeper.curves, self._axis, self._span())
        )

    def _show_rules(self) -> None:
        """Show where rules are on an axis of ε, and the verdicts along it."""
        view, controller, verdicts = self._axis.view, self._controller, self._workbench.verdicts
        low, high = self._span()
        markers, track = list[Marker](), tuple[tuple[float, float, Word], ...]()
        if view is not None:
            markers = rule_markers(controller, view, lambda value: value, f"Click to use it for {view}.")
            verdict, median = verdicts.now().get(view), controller.median(view)
            if verdict is not None and median is not None:
                track = tuple((a * median, b * median, word) for a, b, word in verdict.track)
        elif self._axis == SCALE:
            markers, track = factor_markers(controller), verdicts.along_all(low, high)
        self.plot.show_markers([marker for marker in markers if low <= marker.position <= high])
        self.plot.show_stretches([(a, b, ROLES[word]) for a, b, word in track])

    def _span(self) -> tuple[float, float]:
        """The values at the ends of the plot: those of the page's axis for ε, else what is swept."""
        axis = self._axis
        on_page = ends_of_epsilon(self._controller, axis.view) if axis.view is not None else None
        if axis == SCALE:
            on_page = ends_of_factor(self._controller)
        values = self._sweeper.values if self._sweeper.curves else self.along.ends()
        return on_page or (min(values), max(values))

    def _choose_rule(self, rule: str) -> None:
        if self._axis.view is not None:
            self._editor.set_rule(self._axis.view, rule)
            return
        place = next((marker.position for marker in factor_markers(self._controller) if marker.rule == rule), None)
        if place is not None:
            self._editor.set_scale(place)

    # Gestures --------------------------------------------------------------------------------------------

    def _dragged(self, value: float, moving: bool) -> None:
        if not moving:
            self._editor.end_drag()
            return
        axis, state = self._axis, self._document.state
        value = axis.nearest(value)
        if axis.view is not None:
            self._editor.set_epsilon(axis.view, value / state.factor(axis.view), interactive=True)
        elif axis.weighs is not None:
            self._editor.set_view_weight(axis.weighs, value, interactive=True)
        elif axis.of_epsilon:
            self._editor.set_scale(value, interactive=True)
        else:
            self._editor.set_param(axis.name, value, interactive=True)

    def _swept(self, number: int, index: int) -> tuple[Curve, float | None]:
        """A curve and the value of one of its points; None where the axis has no effect."""
        curve = self._sweeper.curves[number]
        return curve, None if curve.flat else curve.values(self._score)[index][0]

    def _meaning(self, number: int, index: int) -> str:
        return point_text(*self._swept(number, index), self._score, self._titles[self._score], self._axis)

    def _choose(self, number: int, index: int) -> None:
        curve, value = self._swept(number, index)
        self._editor.show_at(curve.panel, self._axis, value)

    def figures(self) -> tuple[Figure, ...]:
        """The curves of the score on show."""
        return (self._figure(),) if self._sweeper.table() else ()

    def _figure(self) -> Figure:
        return figure_of_sweep(self._workbench, (self._titles[self._score], self._score))

    def _export_scores(self) -> None:
        self._editor.attempt(lambda: export_scores(self, self._workbench))

    def _export_figure(self) -> None:
        """Ask for the figure's size, then for its file."""
        dialog = ExportDialog(size_of(self._figure()), self._workbench.settings.export_dpi, self.window())
        dialog.chosen.connect(self._write_figure)
        dialog.open_over(self.window())

    def _write_figure(self, ending: str, scale: float, dpi: float) -> None:
        self._editor.attempt(lambda: self._export((ending, scale, dpi)))

    def _export(self, form: tuple[str, float, float]) -> None:
        check_scores(self._sweeper)
        export_figure_picture(self, self._workbench, self._figure(), form)

    def _show_multiples(self) -> None:
        values = self._sweeper.values if self._sweeper.curves else self.along.chosen_values()
        if values:
            rows = METHODS if self.what.currentIndex() == 1 else PANELS
            columns = 9
            self._editor.show_multiples(rows, self._axis.name, few_of(values, columns))

    def _sweep_over_epsilon(self, score: str) -> None:
        """Sweep the panels on show over a factor on all ε, and show this score."""
        self._sweeper.stop()
        self.what.setCurrentIndex(0)
        self.along.choose(SCALE)
        self._offer_scores()
        self.score.setCurrentIndex([*self._titles].index(score) if score in self._titles else 0)
        self._run()

    def _run(self) -> None:
        if self._sweeper.running:
            self._sweeper.stop()
            return
        values, resamples = self.along.chosen_values(), whole_number(self.resamples, 0, 20)
        if values is None or resamples is None:
            return
        axis, every = self.along.axis.name, self.what.currentIndex() == 1
        shift = self._score == STABILITY
        start = partial(self._sweeper.start, every_method=every, resamples=resamples, stability=shift)
        self._editor.attempt(lambda: start(values, axis))


def _in_words(sweeper: Sweeper) -> str:
    if sweeper.running:
        return f"{sweeper.done} of {sweeper.total} computed"
    if not sweeper.curves:
        return "Which method clusters best is decided by the bandwidth. Sweep it and see."
    if sweeper.done < sweeper.total:
        return f"Stopped: {sweeper.done} of {sweeper.total} computed; click a point to see it"
    axis = sweeper.axis
    moved = "all ε" if axis == SCALE else axis.title if axis.view or axis.weighs else axis.symbol
    return f"{sweeper.done} computations; click a point to see it, drag the line to move {moved}"
