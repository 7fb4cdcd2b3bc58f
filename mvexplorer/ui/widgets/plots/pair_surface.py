"""log S^lm over the bandwidths of two views: a heat map whose cross-hair sets both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, Signal

from mvexplorer.engine.core.multiview import Array
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import scale_colours
from mvexplorer.ui.widgets.plain_text import markup
from mvexplorer.ui.widgets.plots.bandwidth_plot import DECADES


class PairSurface(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Emits `dragged(first, second, moving)`, the two positions log10(ε / median), while the cross-hair moves."""

    dragged = Signal(float, float, bool)

    def __init__(self) -> None:
        super().__init__()
        quieten(self, "log S of two views over both bandwidths")
        self.setMinimumSize(QSize(150, 90))
        self.getAxis("left").setWidth(44)
        self.getPlotItem().layout.setContentsMargins(0, 8, 0, 0)  # room for half of the uppermost number
        self._image = pg.ImageItem(axisOrder="row-major")
        self._image.setColorMap(pg.ColorMap(np.linspace(0, 1, 256), scale_colours("continuous")))
        self.addItem(self._image)
        # Contours where the sum begins to grow along each bandwidth.
        # The least slope d log S / d log σ that Algorithm 1 calls linear growth.
        self._contours = [pg.IsocurveItem(level=0.5) for _ in range(2)]
        for contour in self._contours:
            contour.setParentItem(self._image)
            contour.setZValue(5)
        self._corners = [pg.TextItem("", anchor=a) for a in ((0, 1), (1, 1), (0, 0), (1, 0))]
        for item in self._corners:
            self.addItem(item)
        self.across = pg.InfiniteLine(0.0, 90, movable=True)
        self.up = pg.InfiniteLine(0.0, 0, movable=True)
        for line in (self.across, self.up):
            line.setZValue(10)
            line.sigDragged.connect(lambda _: self._emit(True))
            line.sigPositionChangeFinished.connect(lambda _: self._emit(False))
            self.addItem(line)
        # A handle at the crossing moves both lines.
        self.cross = pg.TargetItem((0.0, 0.0), size=14, symbol="o", movable=True)
        self.cross.setZValue(11)
        self.cross.sigPositionChanged.connect(lambda _: self._follow(True))
        self.cross.sigPositionChangeFinished.connect(lambda _: self._follow(False))
        self.addItem(self.cross)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        apply_plot_theme(self)
        for line in (self.across, self.up):
            line.setPen(pg.mkPen("#ffffff", width=1.6))
            line.setHoverPen(pg.mkPen(theme.current().accent, width=3))
        self.cross.setPen(pg.mkPen("#ffffff", width=1.6))
        self.cross.setBrush(pg.mkBrush(theme.current().accent))
        for contour, style in zip(self._contours, (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine), strict=True):
            contour.setPen(pg.mkPen("#ffffff", width=1, style=style))
        for item in self._corners:
            item.setColor("#ffffff")
            item.setFont(theme.font(theme.SMALL_PX))

    def show_surface(self, log_s: Array, first: Array, second: Array, names: tuple[str, str], n_samples: int) -> None:
        """Show log S (G_1, G_2) at the positions log10(ε / median) of the first (G_1,) and the second view (G_2,)."""
        self._image.setImage(log_s.T, autoLevels=False, levels=(np.log(n_samples), 3 * np.log(n_samples)))
        x0, x1, y0, y1 = first[0], first[-1], second[0], second[-1]
        self._image.setRect(QRectF(x0, y0, x1 - x0, y1 - y0))
        # With σ = sqrt(ε), d log S / d log σ is twice d log S / d log ε; positions are in decades of ε.
        steps = (0.5 * np.log(10) * first, 0.5 * np.log(10) * second)
        for contour, axis in zip(self._contours, (0, 1), strict=True):
            contour.setData(np.gradient(log_s, steps[axis], axis=axis))
        self.setXRange(*DECADES, padding=0.0)
        self.setYRange(*DECADES, padding=0.0)
        longest = 24  # most characters of a view's name along an axis
        self.setLabel("bottom", f"log₁₀ ε / median, {markup(names[0], longest)}")
        self.setLabel("left", markup(names[1], longest))
        places = ((x0, y0, "M"), (x1, y0, "M²"), (x0, y1, "M²"), (x1, y1, "M³"))
        for item, (x, y, text) in zip(self._corners, places, strict=True):
            item.setText(text)
            item.setPos(min(max(x, DECADES[0]), DECADES[1]), min(max(y, DECADES[0]), DECADES[1]))

    def show_here(self, first: float, second: float) -> None:
        """Move the cross-hair to the present two ε."""
        put(self.across, first)
        put(self.up, second)
        self._place_cross()

    def _place_cross(self) -> None:
        if not self.cross.moving:
            self.cross.blockSignals(True)
            self.cross.setPos(self.across.value(), self.up.value())
            self.cross.blockSignals(False)

    def _follow(self, moving: bool) -> None:
        for line, value in ((self.across, self.cross.pos().x()), (self.up, self.cross.pos().y())):
            line.blockSignals(True)
            line.setValue(value)
            line.blockSignals(False)
        self.dragged.emit(float(self.across.value()), float(self.up.value()), moving)

    def _emit(self, moving: bool) -> None:
        self._place_cross()
        self.dragged.emit(float(self.across.value()), float(self.up.value()), moving)


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
