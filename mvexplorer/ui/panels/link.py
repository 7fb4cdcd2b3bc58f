"""The button in a picture's corner that links its camera to those of the other panels."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.style import theme

WORDS = {2: "Link 2-D zoom", 3: "Link 3-D cameras"}
"""The setting's name in menus, by the number of dimensions."""
TIPS = {
    (2, True): "Zoom and pan of all 2-D panels move together. Click to unlink them.",
    (2, False): "This panel zooms and pans alone. Click to link all 2-D panels.",
    (3, True): "All 3-D panels turn together. Click to unlink them.",
    (3, False): "This panel turns alone. Click to link all 3-D panels.",
}


class LinkButton(QToolButton):
    """Shows whether cameras are linked, at the lower right of the picture; a click changes it for all panels."""

    def __init__(self, canvas: EmbeddingCanvas) -> None:
        super().__init__(canvas.viewport())
        self.setObjectName("link")
        self._canvas = canvas
        self.dims, self.linked = 2, False
        theme.square(self, 22)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        canvas.box.sigResized.connect(self._place)
        self._place()

    def show_link(self, dims: int, linked: Mapping[int, bool]) -> None:
        """Show the state for this number of dimensions; `linked` has it for both."""
        self.dims, self.linked = dims, linked[dims]
        self.setToolTip(TIPS[dims, self.linked])
        self.setAccessibleName(self.toolTip())
        self.apply_theme()

    def apply_theme(self) -> None:
        """Use the theme's colours."""
        self.setIcon(theme.icon("link" if self.linked else "unlink", "accent" if self.linked else "muted"))
        self._place()

    def _place(self, *_: object) -> None:
        margin = 4
        self.move(self._canvas.width() - self.width() - margin, self._canvas.height() - self.height() - margin)
