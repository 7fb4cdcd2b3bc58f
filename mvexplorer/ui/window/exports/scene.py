"""The scene that is exported: what the window shows, how it is seen, and where an export asks and tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import PanelState
from mvexplorer.ui.export.sheet import Sheet, sheet_of
from mvexplorer.ui.pages.page import Page
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.window.styling import PointStyling


@dataclass(frozen=True)
class Scene:
    """All that an export takes from the window."""

    window: QWidget
    workbench: Workbench
    library: Library
    grid: PanelGrid
    styling: PointStyling
    banners: Banners
    focused_panel: Callable[[], PanelState | None]
    page: Callable[[], Page]
    """The page below the panels."""

    def sheet(self) -> Sheet:
        """The panels as a picture, each as it is seen."""
        seen = self.grid.cameras(), self.grid.frames()
        return sheet_of(self.workbench, self.library.data_title, self.styling.colouring, *seen)
