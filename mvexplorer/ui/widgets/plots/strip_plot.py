"""Real values beside those of shuffled data: one strip a row, a line for the real one and a band of dots for chance."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent

from mvexplorer.figures import StripRow, Strips
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import fraction
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.plots.strip_painting import FOOT, LEAST_ROW, ROW, StripLayout, paint_strips


class StripPlot(Explained):
    """All strips have one scale; a click chooses a row."""

    chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.body = Strips(())
        self._name = name
        self.setAccessibleName(name)
        self.setMinimumWidth(200)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def strips(self) -> tuple[StripRow, ...]:
        """The rows."""
        return self.body.rows

    def show_strips(self, strips: Sequence[StripRow], current: int = 0, axis: tuple[str, str] = ("", "")) -> None:
        """Show these rows; the `current` one is explained elsewhere.

        `axis` says what is measured, and what the lines are called.
        """
        self.body = Strips(tuple(strips), current, *axis)
        self.setMinimumHeight(theme.px(LEAST_ROW) * len(self.strips) + theme.px(FOOT))
        words = "; ".join(f"{strip.name} {fraction(strip.real)}, {strip.verdict}" for strip in self.strips)
        words = f"{axis[0]}: {words}" if axis[0] else words
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, theme.px(ROW) * len(self.strips) + theme.px(FOOT))

    @property
    def _layout(self) -> StripLayout:
        return StripLayout(self.body, QRectF(self.rect()))

    def x_of(self, value: float) -> float:
        """Return a value's place, in pixels."""
        return self._layout.x_of(value)

    def row_at(self, y: float) -> int:
        """The row at a height of the widget, or -1."""
        row = int(y // self._layout.row)
        return row if 0 <= row < len(self.strips) else -1

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        paint_strips(self._layout.body, self._layout.area, painter)

    # Gestures -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if row >= 0:
            self.chosen.emit(row)

    def about(self, place: QPointF) -> str:
        """Describe a strip."""
        row = self.row_at(place.y())
        return self.strips[row].about if row >= 0 else ""
