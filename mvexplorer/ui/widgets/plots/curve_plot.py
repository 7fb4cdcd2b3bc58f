"""Small plots over a bandwidth axis: curves, the rules as lettered lines, and the present ε as a handle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log10
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import CURVES
from mvexplorer.ui.widgets.plots.rule_lane import LANE, RuleLane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
    from PySide6.QtGui import QResizeEvent

    from mvexplorer.engine.core.multiview import Array

DECADES = (-4.0, 2.0)
"""The axis: log10 of ε over the view's median squared distance, the same for every view."""


@dataclass(frozen=True)
class Marker:
    """A rule's value on the axis: position log10(ε / median), its letter, its tooltip, and its id."""

    position: float
    letter: str
    text: str
    rule: str


@dataclass(frozen=True)
class CurveLook:
    """The look of one of several curves: colour, line, marker as pyqtgraph calls it, and that marker as a character."""

    color: str
    style: Qt.PenStyle
    symbol: str
    glyph: str


def curve_look(index: int) -> CurveLook:
    """The look of the curve at a place: twelve colours, six markers; further ones are dashed, then dotted."""
    symbols = (("o", "●"), ("s", "■"), ("t1", "▲"), ("d", "◆"), ("t", "▼"), ("star", "★"))
    symbol, glyph = symbols[index % len(symbols)]
    styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    return CurveLook(CURVES[index % len(CURVES)], styles[index // len(CURVES) % len(styles)], symbol, glyph)


def quieten(plot: pg.PlotWidget, name: str) -> None:
    """Remove background, menus, buttons, mouse zoom and keys from a plot, and name it for screen readers."""
    plot.setBackground(None)
    plot.setStyleSheet("background: transparent; border: none;")
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.setMouseEnabled(x=False, y=False)
    plot.setAccessibleName(name)
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.tickStrings = partial(_tick_texts, axis.tickStrings)


def _tick_texts(usual: Callable[..., list[str]], *arguments: Any) -> list[str]:
    """The numbers of an axis as pyqtgraph writes them, with a minus sign for its hyphen."""
    return [text.replace("-", "−") for text in usual(*arguments)]


def put(line: pg.InfiniteLine, value: float) -> None:
    """Move a line to a value without emitting signals, unless the user is dragging it."""
    if not line.moving:
        line.blockSignals(True)
        line.setValue(value)
        line.blockSignals(False)


def apply_plot_theme(plot: pg.PlotWidget) -> None:
    """Use the current theme's axis colours and font."""
    t = theme.current()
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(t.hairline))
        axis.setTextPen(pg.mkPen(t.muted))
        axis.setStyle(tickFont=theme.font(theme.px(theme.SMALL_PX)), tickLength=-4)
        axis.label.setFont(theme.font(theme.px(theme.SMALL_PX)))
        # Logarithms and scores have no units: no SI prefixes.
        axis.setSIPrefixEnableRanges(())
        axis.enableAutoSIPrefix(False)


class BandwidthPlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Curves over log10(ε / median) of one view."""

    dragged = Signal(float, bool)
    """log10(ε / median), and whether the hand is still moving."""
    rule_chosen = Signal(str)

    def __init__(self, title: str, left: str) -> None:
        super().__init__()
        quieten(self, title)
        self.setMinimumSize(QSize(150, 90))
        self.setXRange(*DECADES, padding=0.01)
        self.setLabel("left", left)
        self.setLabel("bottom", "log₁₀ ε / median")
        self._curves: dict[str, pg.PlotDataItem] = {}
        self._lines: list[pg.InfiniteLine] = []
        self._markers: list[Marker] = []
        self._order: list[int] = []
        """The markers from left to right."""
        self.here = pg.InfiniteLine(0.0, 90, movable=True)
        self.here.sigDragged.connect(lambda line: self.dragged.emit(float(line.value()), True))
        self.here.sigPositionChangeFinished.connect(lambda line: self.dragged.emit(float(line.value()), False))
        self.here.setZValue(10)
        self.addItem(self.here)
        # The letters of rules stand above the plot, where no curve is.
        self.getPlotItem().layout.setContentsMargins(0, LANE, 0, 0)
        self.lane = RuleLane(self, lambda value: self.position_of(value).x(), lambda: self._ends)
        self.lane.chosen.connect(lambda index: self.rule_chosen.emit(self._markers[self._order[index]].rule))
        self.apply_theme()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        apply_plot_theme(self)
        self.getAxis("left").setWidth(theme.px(44))
        t = theme.current()
        self.here.setPen(pg.mkPen(t.accent, width=2))
        self.here.setHoverPen(pg.mkPen(t.accent, width=3))
        for line in self._lines:
            line.setPen(pg.mkPen(t.muted, width=1, style=Qt.PenStyle.DashLine))
            line.setHoverPen(pg.mkPen(t.accent, width=2))
        self.lane.update()

    def show_curve(self, name: str, x: Array, y: Array, color: str, *, dashed: bool = False) -> None:
        """Draw a curve, or update the one of that name; NaN leaves a gap."""
        if name not in self._curves:
            self._curves[name] = self.plot(connect="finite")
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self._curves[name].setData(x, y, connect="finite")
        self._curves[name].setPen(pg.mkPen(color, width=1.8, style=style))
        self._curves[name].setVisible(True)

    def show_points(self, name: str, x: Array, y: Array, color: str) -> None:
        """Draw a curve through few values, each with a dot."""
        self.show_curve(name, x, y, color)
        item = self._curves[name]
        item.setSymbol("o")
        item.setSymbolSize(5)
        item.setSymbolBrush(pg.mkBrush(color))
        item.setSymbolPen(None)

    def hide_curve(self, name: str) -> None:
        """Hide a curve."""
        if name in self._curves:
            self._curves[name].setVisible(False)

    def show_here(self, position: float | None) -> None:
        """Move the handle to the present ε."""
        self.here.setVisible(position is not None)
        if position is not None:
            put(self.here, position)

    def show_markers(self, markers: Sequence[Marker]) -> None:
        """Show the rules' values; lines are reused, as each discarded line would leak its menu."""
        while len(self._lines) < len(markers):
            self._add_line(len(self._lines))
        in_place = all(line.value() == m.position for line, m in zip(self._lines, markers, strict=False))
        if list(markers) == self._markers and in_place:  # a rule's dragged line must go back
            return
        self._markers = list(markers)
        for i, line in enumerate(self._lines):
            line.setVisible(i < len(markers))
            if i < len(markers) and not line.moving:
                put(line, markers[i].position)
                line.setToolTip(markers[i].text)
        self.apply_theme()
        self._place_letters()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls this itself before the widget is built
            self.lane.setGeometry(0, 0, self.width(), LANE)

    def _place_letters(self) -> None:
        """Put each rule's letter above its line; a line being dragged takes its letter along."""
        values = [line.value() for line in self._lines[: len(self._markers)]]
        self._order = sorted(range(len(values)), key=values.__getitem__)
        self.lane.show_letters([(values[i], self._markers[i].letter, self._markers[i].text) for i in self._order])

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = self.getPlotItem().vb.viewRange()[0]
        return float(low), float(high)

    def _add_line(self, index: int) -> None:
        line = pg.InfiniteLine(0.0, 90, movable=True)
        line.sigClicked.connect(lambda _line, event, i=index: self._choose(event, i))
        line.sigDragged.connect(lambda moved: self.dragged.emit(float(moved.value()), True))
        line.sigPositionChanged.connect(lambda _: self._place_letters())
        line.sigPositionChangeFinished.connect(lambda moved: self.dragged.emit(float(moved.value()), False))
        self._lines.append(line)
        self.addItem(line)

    def _choose(self, event: MouseClickEvent, index: int) -> None:
        event.accept()  # of two close lines only one gets the click
        self.rule_chosen.emit(self._markers[index].rule)

    def position_of(self, value: float) -> QPointF:
        """Widget coordinates of an axis position, half way up; for tests and tooltips."""
        (_, _), (low, high) = self.getPlotItem().vb.viewRange()
        scene = self.getPlotItem().vb.mapViewToScene(QPointF(value, 0.5 * (low + high)))
        return QPointF(self.mapFromScene(scene))


def axis_position(epsilon: float, median: float) -> float:
    """log10(ε / median), clipped to the axis."""
    return min(max(log10(epsilon / median), DECADES[0]), DECADES[1])
