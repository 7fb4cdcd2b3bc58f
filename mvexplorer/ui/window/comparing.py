"""Two panels compared in the window: lines between them, and the sample that one steps to."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.cloud.centring import centre_on
from mvexplorer.ui.panels.pair_lines import PairLines
from mvexplorer.ui.window.layout import WindowLayout


class Comparing(QObject):
    """Shows on the panels what the page “Agreement” is about."""

    def __init__(self, workbench: Workbench, docks: WindowLayout) -> None:
        super().__init__(docks)
        self._docks, self._editor = docks, workbench.editor
        self.lines = PairLines(docks.grid, workbench.comparer)
        self._soon = QTimer(self, singleShot=True, interval=0)  # after the panels have changed
        self._soon.timeout.connect(self.lines.refresh)
        workbench.comparer.changed.connect(self._follow)
        workbench.comparer.watched_changed.connect(self._follow)
        workbench.document.changed.connect(self._follow)
        workbench.controller.panel_changed.connect(self._follow)
        docks.grid.hidden_changed.connect(self._follow)
        workbench.comparer.stepped.connect(self._show_sample)

    def _follow(self, *_: object) -> None:
        if self._docks.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _show_sample(self, index: int) -> None:
        """Bring the sample into the middle of pictures that show a part, and keep its card."""
        for panel in self._docks.grid.panels.values():
            centre_on(panel.canvas, index)
        self._editor.keep_sample(index)
