"""The eigenvalues of all panels in one plot."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.state.titles import panel_title
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.panels.header import pin_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.curve_plot import quieten
from mvexplorer.ui.widgets.legend import Key
from mvexplorer.ui.widgets.plain_text import retire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.engine.core.multiview import Array
    from mvexplorer.state.document import Change
    from mvexplorer.state.workbench import Workbench

SOON_MS = 100
SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p", "h")
FLOOR = 1e-12
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
"""Every other curve is dashed: de Sa's and multi-view's coincide for two views, and both must be visible."""


class SpectrumPage(QWidget):
    """Eigenvalues of all panels, overlaid; the curves are kept and only their data change."""

    id, title, needs_height = "spectrum", "Spectrum", False

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._curves: dict[str, pg.PlotDataItem] = {}
        self._keys: dict[str, Key] = {}
        self._longest = 0
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 12, 4)
        row.setSpacing(12)
        self.plot = pg.PlotWidget()
        quieten(self.plot, "Eigenvalue spectra of all panels")
        self.plot.setLabel("bottom", "index k")
        self.plot.setLabel("left", "eigenvalue λ")
        row.addWidget(self.plot, 1)
        row.addLayout(self._make_side())
        self.soon = Soon(self, SOON_MS, self.refresh)
        self.plot.setLogMode(y=self.log.isChecked())
        self.log.toggled.connect(self._set_log)
        workbench.controller.panel_changed.connect(self._panel_changed)
        self.apply_theme()

    def _make_side(self) -> QVBoxLayout:
        side = QVBoxLayout()
        self.log = QCheckBox("Logarithmic")
        self.log.setToolTip("Show eigenvalues on a logarithmic axis: decay becomes slope")
        self.log.setChecked(self._workbench.settings.spectrum_log)
        self._legend = QVBoxLayout()
        self._legend.setSpacing(1)
        side.addWidget(self.log)
        names = QWidget()
        listed = QVBoxLayout(names)
        listed.setContentsMargins(0, 0, 0, 0)
        listed.addLayout(self._legend)
        listed.addStretch(1)
        area = QScrollArea()
        area.setWidget(names)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(210)
        names.setMinimumWidth(1)
        side.addWidget(area, 1)
        return side

    def apply_theme(self) -> None:
        """Use the current theme's axis colours; rebuild curves and names."""
        self.soon.start()
        t = theme.current()
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(t.hairline))
            axis.setTextPen(pg.mkPen(t.muted))
            axis.setStyle(tickFont=theme.font(theme.SMALL_PX), tickLength=-4)
            axis.label.setFont(theme.font(theme.SMALL_PX))

    def compute_all(self) -> None:
        """Do nothing: eigenvalues come with the pictures."""

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow changes of panels or their titles."""
        before, after = change.before, change.after
        if change.data_changed or before.panels != after.panels or before.enabled != after.enabled:
            self.soon.start()

    def _panel_changed(self, _id: str) -> None:
        if self.isVisible():
            self.soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.soon.start()

    def _set_log(self, on: bool) -> None:
        self.plot.setLogMode(y=on)
        self._workbench.change_settings(spectrum_log=on)
        self.soon.start()

    def refresh(self) -> None:
        """Draw the spectra of all panels that have one."""
        if not self.isVisible():
            return
        state, spectra = self._workbench.document.state, {}
        for panel in state.panels:
            found = self._workbench.controller.result(panel.id)
            if found.result is not None and found.status != "failed":
                pins = "".join(f", {pin_text(k, v)}" for k, v in panel.pins.items())
                title, values = panel_title(state, panel) + pins, found.result.embedding.eigenvalues
                # Variances and sums of Laplacians would flatten the other spectra: they are divided by the largest.
                top = float(np.abs(values).max())
                spectra[panel.id] = (
                    (f"{title} (÷ {numbers.number(top)})", values / top) if top > 2.0 else (title, values)
                )
        self.show_spectra(spectra)

    def show_spectra(self, spectra: Mapping[str, tuple[str, Array]]) -> None:
        """Draw panel id -> (title, eigenvalues (k,))."""
        if list(spectra) != list(self._curves):
            self._rebuild(spectra)
        longest = max((len(values) for _, values in spectra.values()), default=1)
        if longest != self._longest:
            self._longest = longest
            step = max(1, ceil(longest / 26))
            self.plot.getAxis("bottom").setTicks([[(k, str(k)) for k in range(0, longest, step)]])
        for id, (title, values) in spectra.items():
            color = class_colours(8)[_place(id)]
            self._curves[id].setData(range(len(values)), values.clip(FLOOR) if self.log.isChecked() else values)
            gap = numbers.number(float(values[0] - values[1])) if len(values) > 1 else "–"
            self._keys[id].show_key(title, f"{title}: first gap {gap}", QColor(*(int(c) for c in color)))

    def _rebuild(self, spectra: Mapping[str, tuple[str, Array]]) -> None:
        self.plot.clear()
        for label in self._keys.values():
            retire(label)
        self._curves, self._keys = {}, {}
        for id in spectra:
            color = tuple(int(c) for c in class_colours(8)[_place(id)])
            self._curves[id] = self.plot.plot(
                pen=pg.mkPen(color, width=1.6, style=STYLES[_place(id) % 2]),
                symbol=SYMBOLS[_place(id) % len(SYMBOLS)],
                symbolSize=6,
                symbolPen=None,
                symbolBrush=pg.mkBrush(color),
                dynamicRangeLimit=None,  # else every axis change redraws all symbols
            )
            self._keys[id] = Key()
            self._legend.addWidget(self._keys[id])

    def sizeHint(self) -> QSize:
        return QSize(600, 180)


def _place(id: str) -> int:
    """Index of a panel's colour, constant over its life: from the number in its id."""
    digits = "".join(c for c in id if c.isdigit())
    return (int(digits or 1) - 1) % 8
