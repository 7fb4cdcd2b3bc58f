"""Bands of chance in the plot of spectra: where the eigenvalues lie once a view's rows are shuffled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout

from mvexplorer.engine.core.multiview import Array
from mvexplorer.state.batches.check_words import null_outdated, told_first
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.document.check_choices import CheckChoices
from mvexplorer.ui.widgets.plain_text import line, retire
from mvexplorer.ui.widgets.plots.legend import LegendKey
from mvexplorer.ui.widgets.plots.looks import CurveLook
from mvexplorer.wording import counted

ALPHA = 140


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
    """Names the bands in the legend, each in its panel's colour."""

    def __init__(self, legend: QVBoxLayout) -> None:
        self._legend = legend
        self.shown: dict[str, ChanceBand] = {}
        self.keys: dict[str, LegendKey] = {}

    def show(self, bands: Mapping[str, ChanceBand], curves: Mapping[str, tuple[str, CurveLook]]) -> None:
        """Name other bands; `curves` has each panel's title and look."""
        for key in self.keys.values():
            retire(key)
        self.shown, self.keys = dict(bands), {}
        for id, band in bands.items():
            self._name(id, band, *curves[id])

    def _name(self, id: str, band: ChanceBand, title: str, look: CurveLook) -> None:
        key = self.keys[id] = LegendKey()
        color = QColor(look.color)
        faint = f"rgba({color.red()}, {color.green()}, {color.blue()}, {ALPHA})"
        about = (
            f"{title} with the rows of {line(band.view)} in another order: the middle 90 % of each eigenvalue in "
            f"{counted(band.runs, 'run')}. Where the curve leaves the band, chance alone does not explain it."
        )
        square = CurveLook(faint, Qt.PenStyle.SolidLine, "s", "■")
        key.show_key(f"{line(band.view)} shuffled, 5–95 % of {counted(band.runs, 'run')}", about, square)
        self._legend.addWidget(key)
