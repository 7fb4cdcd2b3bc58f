"""A line with the memory that the window takes; its parts under the pointer or at a click."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mvexplorer.state.bench.held_memory import MemoryShare, memory_by_kind
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.wording import size


def memory_of_window(window: QWidget, bench: Workbench) -> tuple[MemoryShare, ...]:
    """Measure the memory of the process by kind, the pictures of a window among them."""
    canvases = window.findChildren(EmbeddingCanvas)
    drawn = window.size() * window.devicePixelRatio()
    painted = 4 * drawn.width() * drawn.height() + sum(canvas.cloud.picture_bytes for canvas in canvases)
    return memory_by_kind(bench, painted)


def with_sum(held: tuple[MemoryShare, ...]) -> tuple[MemoryShare, ...]:
    """The kinds, those that take most first, and all together."""
    return *sorted(held, key=lambda each: -each.bytes), MemoryShare("In all", sum(each.bytes for each in held))


class MemoryLabel(Label):
    """Says how much memory is taken, and by what."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self.setProperty("role", "muted")
        self.setCursor(Qt.CursorShape.WhatsThisCursor)

    def by_kind(self) -> str:
        """A line for each kind, and the sum."""
        held = memory_of_window(self.window(), self._workbench)
        return "\n".join(f"{kind}: {size(count)}" for kind, count in with_sum(held))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(self.by_kind())  # measured now: it takes longer than a line of text
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # a press or a release hides tips before it comes here
        QToolTip.showText(event.globalPosition().toPoint(), self.by_kind(), self)
