"""Scores against the bandwidth, or any other parameter: which method wins, and where."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.state.document.axis import present_value
from mvexplorer.state.document.multiples import METHODS, PANELS
from mvexplorer.state.document.multiples_grid import few_of
from mvexplorer.state.pictures.scoring import SCORES, available_scores
from mvexplorer.ui.pages.sweep.sweep_axis import AxisChoice, whole_number
from mvexplorer.ui.pages.sweep.sweep_files import export_figure, export_scores, figure_of_sweep, figure_size
from mvexplorer.ui.pages.sweep.sweep_words import TITLE, axis_label, factor_ticks, legend_text, point_text
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, line, markup, tip
from mvexplorer.ui.widgets.plots.curve_plot import CurveLook, apply_plot_theme, curve_look, put, quieten
from mvexplorer.ui.widgets.plots.point_picker import PointPicker

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.figures import Figure
    from mvexplorer.state.batches.sweeper import Curve, Sweeper
    from mvexplorer.state.bench.workbench import Workbench
    from mvexplorer.state.document.document import Change

LEGEND = 248


class SweepPage(QWidget):
    """The page of the sweep: its choices on the left, the curves in the middle, their names on the right."""

    id, title = "sweep", "Sweep"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._document, self._editor, self._sweeper = workbench.document, workbench.editor, workbench.sweeper
        self._controller = workbench.controller
        self._titles: dict[str, str] = {}
        self._curves: dict[str, tuple[pg.PlotDataItem, pg.FillBetweenItem]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        self._make_form(row)
        self.figure = QWidget()
        row.addWidget(self.figure, 1)
        self._built = False
        self._sweeper.changed.connect(self.show_sweep)
        self._offer_axes()
        self._offer_scores()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._built:
            self._make_figure()
            self.apply_theme()
            self.show_sweep()
        self._catch_up()

    def _make_figure(self) -> None:
        """Make plot and legend when the page is first shown, so that a new window opens sooner."""
        self._built = True
        inside = QHBoxLayout(self.figure)
        inside.setContentsMargins(0, 0, 0, 0)
        self.plot = pg.PlotWidget()
        quieten(self.plot, "Scores of the methods against what is swept")
        self.plot.setMinimumSize(QSize(150, 80))
        self.here = pg.InfiniteLine(0.0, 90, movable=True)
        self.here.sigDragged.connect(self._dragged)
        self.here.sigPositionChangeFinished.connect(lambda _: self._editor.end_drag())
        self.plot.addItem(self.here)
        self.picker = PointPicker(self.plot, self._meaning)
        self.picker.chosen.connect(self._choose)
        inside.addWidget(self.plot, 1)
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.legend.setMinimumWidth(1)
        area = QScrollArea()
        area.setWidget(self.legend)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(LEGEND)
        inside.addWidget(area)

    def _make_form(self, row: QHBoxLayout) -> None:
        self.what, self.score = QComboBox(), QComboBox()
        self.what.addItems(["Panels on show", "All methods"])
        self.score.currentTextChanged.connect(lambda _: self.show_sweep())
        self.what.currentIndexChanged.connect(lambda _: self._offer_axes())
        self.along = AxisChoice(self._present)
        self.along.changed.connect(self.show_sweep)
        self.low, self.high, self.values = self.along.low, self.along.high, self.along.values
        self.resamples = NumberField("Number of resamplings", 60)
        self.resamples.show_text("0")
        self.resamples.editingFinished.connect(self.resamples.refill)
        self.resamples.setToolTip("Repeat on random 80 % of the samples and show the range as a band")
        column, form, buttons, ends = QVBoxLayout(), QFormLayout(), QHBoxLayout(), QHBoxLayout()
        row.addLayout(column)
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
        self.along.fill(ends)
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
        for button in (self.run, self.small, self.table, self.picture):
            buttons.addWidget(button)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(3)
        self.words = Label()
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.words.setMaximumWidth(260)
        column.addWidget(self.bar)
        column.addWidget(self.words)
        column.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(900, 250)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if not self._built:
            return
        apply_plot_theme(self.plot)
        self.here.setPen(pg.mkPen(theme.current().accent, width=2))
        self.legend.setText(legend_text(self._sweeper.curves, self._score, self._axis))

    def compute_all(self) -> None:
        """Run the sweep."""
        if self.run.isEnabled():
            self.run.click()

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow the line's own slider, what could be swept, and the variable that could be scored."""
        self._catch_up()

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
        if not self._built:
            return
        value = self._present(self._axis)
        drawn = value is not None and (value > 0.0 or not self._axis.log)
        self.here.setVisible(drawn)
        if drawn and value is not None:
            put(self.here, self._axis.place(value))

    def _offer_axes(self) -> None:
        """Offer the axes that the methods to be swept have."""
        self.along.offer(self._sweeper.axes(every_method=self.what.currentIndex() == 1))

    def _offer_scores(self) -> None:
        """Offer the scores of the sweep on show, else those that a sweep would have."""
        state, data = self._document.state, self._document.data
        possible = {} if data is None else {id: words.title for id, words in available_scores(state, data).items()}
        titles = (self._sweeper.titles if self._sweeper.curves else possible) or {"nmi": SCORES["nmi"].title}
        if titles == self._titles:
            return
        chosen, self._titles = self._score, titles
        self.score.blockSignals(True)
        self.score.clear()
        for title in titles.values():
            self.score.addItem(line(title, TITLE))
            self.score.setItemData(self.score.count() - 1, tip(title), Qt.ItemDataRole.ToolTipRole)
        self.score.setCurrentIndex(list(titles).index(chosen) if chosen in titles else 0)
        self.score.blockSignals(False)

    @property
    def _score(self) -> str:
        """The id of the score on show."""
        ids = list(self._titles)
        return ids[self.score.currentIndex()] if 0 <= self.score.currentIndex() < len(ids) else "nmi"

    def show_sweep(self) -> None:
        """Draw the curves as far as they are computed."""
        self._offer_scores()
        if not self._built:
            return
        sweeper, score = self._sweeper, self._score
        self.run.setText("Stop" if sweeper.running else "Sweep")
        self.bar.setRange(0, max(1, sweeper.total))
        self.bar.setValue(sweeper.done)
        self.bar.setVisible(sweeper.running)
        for button in (self.table, self.picture):
            button.setEnabled(bool(sweeper.table()))
        if [c.title for c in sweeper.curves] != list(self._curves):
            self._rebuild()
        for i, curve in enumerate(sweeper.curves):
            self._show_curve(curve, curve_look(i), score)
        self._show_axes(score)
        self._show_present()
        self.picker.show({c.title: self._drawn(c, score) for c in sweeper.curves})
        problems = [f"{title}: {text}" for title, text in sweeper.problems.items()]
        self.words.setText(_in_words(sweeper) + (f"\n{len(problems)} without a score" if problems else ""))
        self.words.setToolTip(tip("\n".join(problems)))
        self.legend.setText(legend_text(sweeper.curves, score, self._axis))
        self.legend.setToolTip(tip("\n".join(c.title for c in sweeper.curves)))

    def _show_axes(self, score: str) -> None:
        """Both axes span what is swept and what is scored, and nothing else."""
        axis = self._axis
        values = self._sweeper.values if self._sweeper.curves else self.along.ends()
        low, high = axis.place(min(values)), axis.place(max(values))
        self.plot.setXRange(low, high if high > low else low + 0.1, padding=0.03)
        self.plot.getAxis("bottom").setTicks(factor_ticks(low, high) if axis.log else None)
        self.plot.setLabel("bottom", markup(axis_label(axis), 2 * TITLE))
        scores = [value for c in self._sweeper.curves for _, value in c.values(score)]
        scores += [value for c in self._sweeper.curves for _, *ends in c.band(score) for value in ends]
        bottom, top = (floor(10 * min(scores)) / 10, ceil(10 * max(scores)) / 10) if scores else (0.0, 1.0)
        self.plot.setYRange(bottom, max(top, bottom + 0.1), padding=0.04)
        which = "first coordinate" if score == "spearman" else "all r coordinates"
        self.plot.setLabel("left", f"{markup(self._titles[score], TITLE)} ({which})")

    def _drawn(self, curve: Curve, score: str) -> tuple[Array, Array]:
        """The points of a curve as drawn; a level line where the axis has no effect."""
        points = curve.values(score)
        if curve.flat and points:
            ends = self._sweeper.values
            points = [(ends[0], points[0][1]), (ends[-1], points[0][1])]
        x, y = zip(*points, strict=True) if points else ((), ())
        return np.array([self._axis.place(value) for value in x]), np.array(y, dtype=float)

    def _show_curve(self, curve: Curve, look: CurveLook, score: str) -> None:
        drawn, band = self._curves[curve.title]
        drawn.setData(*self._drawn(curve, score))
        drawn.setPen(pg.mkPen(look.color, width=1.8, style=look.style))
        drawn.setSymbol(None if curve.flat else look.symbol)
        drawn.setSymbolSize(7)
        drawn.setSymbolPen(None)
        drawn.setSymbolBrush(pg.mkBrush(look.color))
        spread = curve.band(score)
        band.setVisible(len(spread) > 1)
        if len(spread) > 1:
            at = [self._axis.place(f) for f, _, _ in spread]
            band.setCurves(
                pg.PlotDataItem(at, [a for _, a, _ in spread]), pg.PlotDataItem(at, [b for _, _, b in spread])
            )
            color = QColor(look.color)
            color.setAlpha(40)
            band.setBrush(pg.mkBrush(color))

    def _rebuild(self) -> None:
        for curve, band in self._curves.values():
            self.plot.removeItem(curve)
            self.plot.removeItem(band)
        self._curves = {}
        for curve in self._sweeper.curves:
            band = pg.FillBetweenItem(pg.PlotDataItem([0, 1], [0, 0]), pg.PlotDataItem([0, 1], [0, 0]))
            band.setVisible(False)
            self.plot.addItem(band)
            self._curves[curve.title] = (self.plot.plot(), band)

    # Gestures --------------------------------------------------------------------------------------------

    def _dragged(self, line: pg.InfiniteLine) -> None:
        axis, state = self._axis, self._document.state
        value = axis.value_at(float(line.value()))
        if axis.view is not None:
            self._editor.set_epsilon(axis.view, value / state.factor(axis.view), interactive=True)
        elif axis.weighs is not None:
            self._editor.set_view_weight(axis.weighs, value, interactive=True)
        elif axis.of_epsilon:
            self._editor.set_scale(value, interactive=True)
        else:
            self._editor.set_param(axis.name, value, interactive=True)

    def _swept(self, title: str, index: int) -> tuple[Curve, float | None]:
        """The curve of a title and the value of one of its points; None where the axis has no effect."""
        curve = next(c for c in self._sweeper.curves if c.title == title)
        return curve, None if curve.flat else curve.values(self._score)[index][0]

    def _meaning(self, title: str, index: int) -> str:
        return tip(point_text(*self._swept(title, index), self._score, self._titles[self._score], self._axis))

    def _choose(self, title: str, index: int) -> None:
        curve, value = self._swept(title, index)
        self._editor.show_at(curve.panel, self._axis, value)

    def figures(self) -> tuple[Figure, ...]:
        """The curves of the score on show."""
        score = self._titles[self._score], self._score
        return (figure_of_sweep(self._workbench, score),) if self._sweeper.table() else ()

    def _export_scores(self) -> None:
        self._editor.attempt(lambda: export_scores(self, self._workbench))

    def _export_figure(self) -> None:
        """Ask for the figure's size, then for its file."""
        dialog = ExportDialog(figure_size(self._sweeper), self._workbench.settings.export_dpi, self.window())
        dialog.chosen.connect(self._write_figure)
        dialog.open_over(self.window())

    def _write_figure(self, ending: str, scale: float, dpi: float) -> None:
        score, size = (self._titles[self._score], self._score), (ending, scale, dpi)
        self._editor.attempt(lambda: export_figure(self, self._workbench, score, size))

    def _show_multiples(self) -> None:
        values = self._sweeper.values if self._sweeper.curves else self.along.chosen_values()
        if values:
            rows = METHODS if self.what.currentIndex() == 1 else PANELS
            columns = 9
            self._editor.show_multiples(rows, self._axis.name, few_of(values, columns))

    def _run(self) -> None:
        if self._sweeper.running:
            self._sweeper.stop()
            return
        values, resamples = self.along.chosen_values(), whole_number(self.resamples, 0, 20)
        if values is None or resamples is None:
            return
        axis, every = self.along.axis.name, self.what.currentIndex() == 1
        self._editor.attempt(lambda: self._sweeper.start(values, axis, every_method=every, resamples=resamples))


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
