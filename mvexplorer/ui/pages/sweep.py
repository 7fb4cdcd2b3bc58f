"""Scores against the bandwidth: which method wins, and where."""

from __future__ import annotations

from math import ceil, floor, log10
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

from mvexplorer.state.scoring import SCORES, available_scores
from mvexplorer.ui.pages.sweep_files import export_figure, export_scores
from mvexplorer.ui.pages.sweep_words import TITLE, factor_ticks, legend_text, point_text
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.curve_plot import CurveLook, apply_plot_theme, curve_look, put, quieten
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, line, markup, tip
from mvexplorer.ui.widgets.point_picker import PointPicker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QShowEvent

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.document import Change
    from mvexplorer.state.sweeper import Curve, Sweeper
    from mvexplorer.state.workbench import Workbench

LEGEND = 248
VALUES, RESAMPLES = (3, 60), (0, 20)
RANGE = (1 / 30, 30.0)


class SweepPage(QWidget):
    """What to sweep on the left, the curves in the middle, their names on the right."""

    id, title = "sweep", "Sweep"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._document, self._editor, self._sweeper = workbench.document, workbench.editor, workbench.sweeper
        self._titles: dict[str, str] = {}
        self._curves: dict[str, tuple[pg.PlotDataItem, pg.FillBetweenItem]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        row.addLayout(self._make_form())
        self.figure = QWidget()
        row.addWidget(self.figure, 1)
        self._built = False
        self._sweeper.changed.connect(self.show_sweep)
        self._offer_scores()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._built:
            self._make_figure()
            self.apply_theme()
            self.show_sweep()
        self._show_factor()

    def _make_figure(self) -> None:
        """Make plot and legend when the page is first shown, so that a new window opens sooner."""
        self._built = True
        inside = QHBoxLayout(self.figure)
        inside.setContentsMargins(0, 0, 0, 0)
        self.plot = pg.PlotWidget()
        quieten(self.plot, "Scores of the methods against a factor on all bandwidths")
        self.plot.setMinimumSize(QSize(150, 80))
        self.plot.setLabel("bottom", "factor on all ε")
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

    def _make_form(self) -> QVBoxLayout:
        self.what, self.score = QComboBox(), QComboBox()
        self.what.addItems(["Panels on show", "All methods"])
        self.score.currentTextChanged.connect(lambda _: self.show_sweep())
        self.low, self.high = NumberField("Smallest factor", 60), NumberField("Largest factor", 60)
        self.low.show_text("1/30")
        self.high.show_text("30")
        self.values, self.resamples = NumberField("Number of values", 60), NumberField("Number of resamplings", 60)
        self.values.setToolTip(f"A whole number from {VALUES[0]} to {VALUES[1]}")
        self.values.show_text("15")
        self.resamples.show_text("0")
        for number in (self.low, self.high, self.values, self.resamples):
            number.editingFinished.connect(number.refill)
        self.resamples.setToolTip("Repeat on random 80 % of the samples and show the range as a band")
        form = QFormLayout()
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(4)
        factors = QHBoxLayout()
        factors.setSpacing(8)
        for piece in (self.low, QLabel("to"), self.high):
            factors.addWidget(piece)
        for words, field in (("Methods", self.what), ("Score", self.score), ("All ε ×", factors),
                             ("Values", self.values), ("Resamplings", self.resamples)):  # fmt: skip
            form.addRow(words, field)
        for name, widget in (("Methods swept", self.what), ("Score shown", self.score)):
            widget.setAccessibleName(name)
        self.run, self.table, self.picture = QPushButton("Sweep"), QPushButton("CSV …"), QPushButton("Figure …")
        self.run.clicked.connect(self._run)
        self.table.clicked.connect(self._export_scores)
        self.picture.clicked.connect(self._export_figure)
        self.table.setToolTip("Write every score as a table")
        self.picture.setToolTip("Write the figure as PNG, SVG or PDF")
        buttons = QHBoxLayout()
        for button in (self.run, self.table, self.picture):
            buttons.addWidget(button)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(3)
        self.words = Label()
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.words.setMaximumWidth(260)
        column = QVBoxLayout()
        column.addLayout(form)
        column.addLayout(buttons)
        column.addWidget(self.bar)
        column.addWidget(self.words)
        column.addStretch(1)
        return column

    def sizeHint(self) -> QSize:
        return QSize(900, 250)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if not self._built:
            return
        apply_plot_theme(self.plot)
        self.here.setPen(pg.mkPen(theme.current().accent, width=2))
        self.legend.setText(legend_text(self._sweeper.curves, self._score))

    def compute_all(self) -> None:
        """Run the sweep."""
        if self.run.isEnabled():
            self.run.click()

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow the master slider, and the variable that could be scored."""
        self._show_factor()
        self._offer_scores()

    def _show_factor(self) -> None:
        put(self.here, log10(self._document.state.epsilon_scale))

    def _offer_scores(self) -> None:
        """Offer the scores of the sweep on show, else those that one would have."""
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
        self.picker.show({c.title: self._drawn(c, score) for c in sweeper.curves})
        problems = [f"{title}: {text}" for title, text in sweeper.problems.items()]
        self.words.setText(_in_words(sweeper) + (f"\n{len(problems)} without a score" if problems else ""))
        self.words.setToolTip(tip("\n".join(problems)))
        self.legend.setText(legend_text(sweeper.curves, score))
        self.legend.setToolTip(tip("\n".join(c.title for c in sweeper.curves)))

    def _show_axes(self, score: str) -> None:
        """Both axes span what is swept and what is scored, and nothing else."""
        factors = self._sweeper.factors if self._sweeper.curves else self._range()
        low, high = log10(min(factors)), log10(max(factors))
        self.plot.setXRange(low, max(high, low + 0.1), padding=0.03)
        self.plot.getAxis("bottom").setTicks(factor_ticks(low, high))
        found = [value for c in self._sweeper.curves for _, value in c.values(score)]
        found += [value for c in self._sweeper.curves for _, *ends in c.band(score) for value in ends]
        bottom, top = (floor(10 * min(found)) / 10, ceil(10 * max(found)) / 10) if found else (0.0, 1.0)
        self.plot.setYRange(bottom, max(top, bottom + 0.1), padding=0.04)
        which = "first coordinate" if score == "spearman" else "all r coordinates"
        self.plot.setLabel("left", f"{markup(self._titles[score], TITLE)} ({which})")

    def _drawn(self, curve: Curve, score: str) -> tuple[Array, Array]:
        """The points of a curve as drawn; a level line where the bandwidth has no effect."""
        found = curve.values(score)
        if curve.flat and found:
            ends = self._sweeper.factors
            found = [(ends[0], found[0][1]), (ends[-1], found[0][1])]
        x, y = zip(*found, strict=True) if found else ((), ())
        return np.log10(np.array(x, dtype=float)), np.array(y, dtype=float)

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
            at = np.log10([f for f, _, _ in spread])
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
        self._editor.set_scale(10.0 ** float(line.value()), interactive=True)

    def _swept(self, title: str, index: int) -> tuple[Curve, float | None]:
        """The curve of a title and the factor of one of its points; None where the bandwidth has no effect."""
        curve = next(c for c in self._sweeper.curves if c.title == title)
        return curve, None if curve.flat else curve.values(self._score)[index][0]

    def _meaning(self, title: str, index: int) -> str:
        return tip(point_text(*self._swept(title, index), self._score, self._titles[self._score]))

    def _choose(self, title: str, index: int) -> None:
        curve, factor = self._swept(title, index)
        self._editor.show_at_scale(curve.panel, factor)

    def _export_scores(self) -> None:
        self._export(lambda: export_scores(self, self._sweeper))

    def _export_figure(self) -> None:
        score, key = self._titles[self._score], self._score
        self._export(lambda: export_figure(self, self._sweeper, score, key, self._document))

    def _export(self, write: Callable[[], Path | None]) -> None:
        def tell() -> None:
            if (path := write()) is not None:
                self._editor.saved.emit(path)

        self._editor.attempt(tell)

    def _range(self) -> tuple[float, float]:
        low, high = _number(self.low.text()), _number(self.high.text())
        good = 0.0 < low < high < 1e9
        for field in (self.low, self.high):
            field.set_wrong(not good)
        return (low, high) if good else RANGE

    def _run(self) -> None:
        if self._sweeper.running:
            self._sweeper.stop()
            return
        low, high = self._range()
        count, resamples = _whole(self.values, *VALUES), _whole(self.resamples, *RESAMPLES)
        if count is None or resamples is None:
            return
        factors = tuple(float(f"{f:.4g}") for f in np.geomspace(low, high, count))
        every = self.what.currentIndex() == 1
        self._editor.attempt(lambda: self._sweeper.start(factors, every_method=every, resamples=resamples))


def _whole(field: NumberField, low: int, high: int) -> int | None:
    """The whole number in a field; without one in range None, and a red outline."""
    text = field.text().strip()
    good = text.isdigit() and low <= int(text) <= high
    field.set_wrong(not good)
    return int(text) if good else None


def _number(text: str) -> float:
    """A number, or a fraction such as 1/30; 0 where it is neither."""
    above, _, below = text.partition("/")
    try:
        return float(above) / float(below or 1.0)
    except (ValueError, ZeroDivisionError):
        return 0.0


def _in_words(sweeper: Sweeper) -> str:
    if sweeper.running:
        return f"{sweeper.done} of {sweeper.total} computed"
    if not sweeper.curves:
        return "Which method clusters best is decided by the bandwidth. Sweep it and see."
    if sweeper.done < sweeper.total:
        return f"Stopped: {sweeper.done} of {sweeper.total} computed; click a point to see it"
    return f"{sweeper.done} computations; click a point to see it, drag the line to move all ε"
