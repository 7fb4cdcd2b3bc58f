"""Scores against the bandwidth: which method wins, and where."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
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

from mvexplorer.ui.pages.sweep_files import export_figure, export_scores
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.curve_plot import apply_plot_theme, put, quieten
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, markup, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mvexplorer.state.document import Change
    from mvexplorer.state.sweeper import Curve, Sweeper
    from mvexplorer.state.workbench import Workbench

TITLE = 28
"""Most characters of a curve's title in the legend."""
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
VALUES, RESAMPLES = (3, 60), (0, 20)
SCORES = {"NMI": "nmi", "k-NN accuracy": "knn"}


class SweepPage(QWidget):
    """What to sweep on the left, the curves in the middle, their names on the right."""

    id, title, needs_height = "sweep", "Sweep", True

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._document, self._editor, self._sweeper = workbench.document, workbench.editor, workbench.sweeper
        self._curves: dict[str, tuple[pg.PlotDataItem, pg.FillBetweenItem]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        row.addLayout(self._make_form())
        self.figure = QWidget()
        row.addWidget(self.figure, 1)
        self._built = False
        self._sweeper.changed.connect(self.show_sweep)

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
        self.plot.setLabel("bottom", "log₁₀ of the factor on all ε")
        self.here = pg.InfiniteLine(0.0, 90, movable=True)
        self.here.sigDragged.connect(self._dragged)
        self.here.sigPositionChangeFinished.connect(lambda _: self._editor.end_drag())
        self.plot.addItem(self.here)
        self.plot.setYRange(0.0, 1.0, padding=0.02)
        inside.addWidget(self.plot, 1)
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.legend.setMinimumWidth(1)
        area = QScrollArea()
        area.setWidget(self.legend)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(210)
        inside.addWidget(area)

    def _make_form(self) -> QVBoxLayout:
        self.what, self.score = QComboBox(), QComboBox()
        self.what.addItems(["Panels on show", "All methods"])
        self.score.addItems(list(SCORES))
        self.score.currentTextChanged.connect(lambda _: self.show_sweep())
        self.low, self.high = NumberField("Smallest factor", 60), NumberField("Largest factor", 60)
        self.low.show_text("0.03")
        self.high.show_text("30")
        self.values, self.resamples = NumberField("Number of values", 60), NumberField("Number of resamplings", 60)
        self.values.setToolTip(f"A whole number from {VALUES[0]} to {VALUES[1]}")
        self.values.show_text("13")
        self.resamples.show_text("0")
        self.resamples.setToolTip("Repeat on random 80 % of the samples and show the range as a band")
        form = QFormLayout()
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(4)
        factors = QHBoxLayout()
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
        self.picture.setToolTip("Write the figure as PNG or SVG")
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

    def compute_all(self) -> None:
        """Run the sweep."""
        if self.run.isEnabled():
            self.run.click()

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow the master slider."""
        self._show_factor()

    def _show_factor(self) -> None:
        put(self.here, log10(self._document.state.epsilon_scale))

    def show_sweep(self) -> None:
        """Draw the curves as far as they are computed."""
        if not self._built:
            return
        sweeper, score = self._sweeper, SCORES[self.score.currentText()]
        self.run.setText("Stop" if sweeper.running else "Sweep")
        self.bar.setRange(0, max(1, sweeper.total))
        self.bar.setValue(sweeper.done)
        self.bar.setVisible(sweeper.running)
        for button in (self.table, self.picture):
            button.setEnabled(bool(sweeper.table()))
        self.plot.setLabel("left", self.score.currentText())
        if [c.title for c in sweeper.curves] != list(self._curves):
            self._rebuild()
        lines = []
        for i, curve in enumerate(sweeper.curves):
            color = _colour(i)
            lines.append(self._legend_line(curve, color, score))
            self._show_curve(curve, color, STYLES[(i // 8) % 3], score)
        problems = [f"{title}: {text}" for title, text in sweeper.problems.items()]
        self.words.setText(_in_words(sweeper) + (f"\n{len(problems)} without a score" if problems else ""))
        self.words.setToolTip(tip("\n".join(problems)))
        self.legend.setText("<br>".join(lines))
        self.legend.setToolTip(tip("\n".join(c.title for c in sweeper.curves)))

    def _show_curve(self, curve: Curve, color: tuple[int, int, int], style: Qt.PenStyle, score: str) -> None:
        line, band = self._curves[curve.title]
        found = curve.values(score)
        if curve.flat and found:
            found = [(self._range()[0], found[0][1]), (self._range()[1], found[0][1])]
        x, y = (np.log10([f for f, _ in found]), [s for _, s in found]) if found else ([], [])
        line.setData(x, y)
        line.setPen(pg.mkPen(color, width=1.8, style=style))
        line.setSymbol(None if curve.flat else "o")
        line.setSymbolSize(5)
        line.setSymbolPen(None)
        line.setSymbolBrush(pg.mkBrush(color))
        spread = curve.band(score)
        band.setVisible(len(spread) > 1)
        if len(spread) > 1:
            at = np.log10([f for f, _, _ in spread])
            band.setCurves(
                pg.PlotDataItem(at, [a for _, a, _ in spread]), pg.PlotDataItem(at, [b for _, _, b in spread])
            )
            band.setBrush(pg.mkBrush(*color, 40))

    @staticmethod
    def _legend_line(curve: Curve, color: tuple[int, int, int], score: str) -> str:
        best = max(curve.values(score), key=lambda point: point[1], default=None)
        words = "…" if best is None else f"{best[1]:.2f}".lstrip("0") + ("" if curve.flat else f" at × {best[0]:.3g}")
        dot = f"<span style='color:rgb{color}'>●</span>"
        return f"{dot} {markup(curve.title, TITLE)} <span style='color:{theme.current().muted}'>{words}</span>"

    def _rebuild(self) -> None:
        for line, band in self._curves.values():
            self.plot.removeItem(line)
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

    def _export_scores(self) -> None:
        self._editor.attempt(lambda: export_scores(self, self._sweeper))

    def _export_figure(self) -> None:
        self._editor.attempt(lambda: export_figure(self.figure, self.score.currentText(), self._document))

    def _range(self) -> tuple[float, float]:
        try:
            low, high = float(self.low.text()), float(self.high.text())
        except ValueError:
            low, high = 0.0, 0.0
        for field, wrong in ((self.low, not 0.0 < low < high), (self.high, not 0.0 < low < high)):
            field.set_wrong(wrong)
        return (low, high) if 0.0 < low < high < 1e9 else (0.03, 30.0)

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


def _colour(index: int) -> tuple[int, int, int]:
    r, g, b = class_colours(8)[index % 8]
    return int(r), int(g), int(b)


def _in_words(sweeper: Sweeper) -> str:
    if sweeper.running:
        return f"{sweeper.done} of {sweeper.total} computed"
    if not sweeper.curves:
        return "Which method clusters best is decided by the bandwidth. Sweep it and see."
    return f"{sweeper.done} computations; drag the line to move all ε"
