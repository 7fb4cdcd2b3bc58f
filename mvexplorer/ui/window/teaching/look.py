"""How the window looks while the user's own document is on show: what a lesson puts aside beside the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.window.layout import WindowLayout


@dataclass(frozen=True)
class WindowLook:
    """Cameras and frames of the panels by their ids, the maximised and the focused one, the open page, the sides."""

    cameras: Mapping[str, Camera]
    frames: Mapping[str, Viewport]
    maximised: str | None
    focused: str | None
    page: str
    sides: tuple[bool, bool]

    @classmethod
    def of(cls, docks: WindowLayout, editor: Editor) -> WindowLook:
        """As it is now."""
        grid, sides = docks.grid, (docks.show_side, docks.show_points)
        return cls(grid.cameras(), grid.frames(), grid.maximised, editor.focused, docks.bottom.open_page, sides)

    def put_back(self, docks: WindowLayout, editor: Editor, when_shown: Callable[[Callable[[], None]], None]) -> None:
        """Make it so again: at once what has its place, and what belongs to panels once they are on show."""
        docks.show_side, docks.show_points = self.sides
        docks.bottom.return_to(self.page)
        when_shown(lambda: self._turn(docks, editor))

    def _turn(self, docks: WindowLayout, editor: Editor) -> None:
        grid = docks.grid
        if self.maximised is not None and grid.maximised is None:
            grid.toggle_maximised(self.maximised)
        for id in self.cameras.keys() & grid.panels.keys():
            canvas = grid.panels[id].canvas
            canvas.set_camera(self.cameras[id])
            canvas.set_frame(self.frames[id])
        if self.focused in grid.panels:
            editor.focus(self.focused)
