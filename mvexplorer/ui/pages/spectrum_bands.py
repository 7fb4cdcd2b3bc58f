"""Bands of chance in the plot of spectra: where the eigenvalues lie once a view's rows are shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from mvexplorer.state.batches.check_words import null_outdated, told_first
from mvexplorer.ui.widgets.plain_text import line, retire
from mvexplorer.ui.widgets.plots.curve_plot import CurveLook
from mvexplorer.ui.widgets.plots.legend import LegendKey
from mvexplorer.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QVBoxLayout

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.batches.checks import Found
    from mvexplorer.state.document.check_choices import CheckChoices

    Curve = tuple[str, CurveLook, float]

ALPHA = 70


@dataclass(frozen=True, eq=False)
class ChanceBand:
    """The eigenvalues of one panel with a view shuffled, from 5th (k,) to 95th percentile (k,).

    `first` is the place of the first of them among the panel's eigenvalues, of which a trivial one is not tested.
    """

    view: str
    first: int
    low: Array
    high: Array
    runs: int

    @property
    def places(self) -> Array:
        """Their places (k,)."""
        return np.arange(float(self.first), float(self.first + len(self.low)))


def chance_band(checks: Found, choices: CheckChoices, values: Array) -> ChanceBand | None:
    """The band of a panel with these eigenvalues; None where no test fits what is shown and chosen now."""
    bands = {view: band for view, band in checks.null.items() if view and band.n and len(band.eigenvalues)}
    if not bands or null_outdated(checks, choices.shuffle):
        return None
    view = choices.view if choices.view in bands else told_first(bands)
    band = bands[view]
    count = len(band.eigenvalues)
    places = [k for k in range(len(values) - count + 1) if np.allclose(values[k : k + count], band.eigenvalues, 1e-3)]
    finite = np.isfinite(band.shuffled_eigenvalues).all(axis=0)
    if not places or not finite.any():
        return None
    last = count if finite.all() else int(np.argmin(finite))
    ends = (5.0, 95.0)  # the percentiles between which a band lies
    low, high = np.percentile(band.shuffled_eigenvalues[:, :last], ends, axis=0)
    return ChanceBand(view, places[0], low, high, band.n)


class SpectrumBands:
    """Draws the bands behind the curves and names them in the legend, each in its panel's colour."""

    def __init__(self, plot: pg.PlotWidget, legend: QVBoxLayout) -> None:
        self._plot, self._legend = plot, legend
        self.shown: dict[str, ChanceBand] = {}
        self.keys: dict[str, LegendKey] = {}
        self._items: list[pg.FillBetweenItem] = []

    def show(self, bands: Mapping[str, ChanceBand], curves: Mapping[str, Curve], y: Callable[[Array], Array]) -> None:
        """Show other bands; `curves` has each panel's title, look, and the divisor of its eigenvalues.

        `y` maps eigenvalues to the axis.
        """
        self._clear()
        self.shown = dict(bands)
        for id, band in bands.items():
            title, look, top = curves[id]
            self._draw(band, QColor(look.color), y(band.low / top), y(band.high / top))
            self._name(id, band, title, QColor(look.color))

    def _draw(self, band: ChanceBand, color: QColor, low: Array, high: Array) -> None:
        k = band.places
        color.setAlpha(ALPHA)
        filled = pg.FillBetweenItem(pg.PlotCurveItem(k, low), pg.PlotCurveItem(k, high), brush=pg.mkBrush(color))
        filled.setZValue(-10)
        self._plot.addItem(filled)
        self._items.append(filled)

    def _name(self, id: str, band: ChanceBand, title: str, color: QColor) -> None:
        key = self.keys[id] = LegendKey()
        faint = f"rgba({color.red()}, {color.green()}, {color.blue()}, {2 * ALPHA})"
        about = (
            f"{title} with the rows of {line(band.view)} in another order: the middle 90 % of each eigenvalue in "
            f"{counted(band.runs, 'run')}. Where the curve leaves the band, chance alone does not explain it."
        )
        look = CurveLook(faint, Qt.PenStyle.SolidLine, "s", "■")
        key.show_key(f"{line(band.view)} shuffled, 5–95 % of {counted(band.runs, 'run')}", about, look)
        self._legend.addWidget(key)

    def _clear(self) -> None:
        for item in self._items:
            self._plot.removeItem(item)
        for key in self.keys.values():
            retire(key)
        self._items, self.keys = [], {}
