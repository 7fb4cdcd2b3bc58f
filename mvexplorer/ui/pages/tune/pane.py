"""A plot below the rows that is made anew when what it shows has changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey, PlotCell


class Pane(PlotCell):
    """Refreshes itself when it is shown, and soon after changes while it is on show: a hidden one computes nothing."""

    def __init__(
        self,
        plot: QWidget,
        title: str,
        about: str,
        keys: Sequence[CurveKey],
        milliseconds: int,
        right: QWidget | None = None,
    ) -> None:
        super().__init__(plot, title, about, keys, right)
        self.soon = Soon(self, milliseconds=milliseconds, do=self.refresh)

    def refresh(self) -> None:
        """Show what is known."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def something_changed(self, *_: object) -> None:
        """Refresh soon, while it is on show."""
        if self.isVisible():
            self.soon.ask()
