"""A heat map over the bandwidths of two views, whose cross-hair sets both."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen

from mvexplorer.figures import Matrix
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.figure_view import FigureView
from mvexplorer.ui.widgets.plots.matrix_painting import matrix_ends
from mvexplorer.ui.widgets.plots.plot_axes import Ends

FREE = (False, False)


class PairSurface(FigureView):
    """Paints a matrix, and lines at a value of either side; where they cross, both are dragged."""

    dragged = Signal(float, float, bool)
    """The values across and up, and whether the hand is still moving."""

    def __init__(self) -> None:
        super().__init__(legend=False)
        self.setMinimumSize(150, 90)
        self.here: tuple[float, float] | None = None
        """The values at which the lines are."""
        self._held = FREE
        """Whether the hand holds the upright line, and the level one."""
        self._moved = False
        self.setMouseTracking(True)

    def show_here(self, across: float, up: float) -> None:
        """Move the lines, unless the hand holds one."""
        if self._held == FREE:
            self.here = across, up
            self.update()

    def position_of(self, across: float, up: float) -> QPointF:
        """Where a pair of values is."""
        return self._ends.place(self.plot, across, up)

    @property
    def _ends(self) -> Ends:
        assert self.figure is not None
        assert isinstance(self.figure.body, Matrix)
        return matrix_ends(self.figure.body)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.figure is None or self.here is None:
            return
        painter, plot, at = QPainter(self), self.plot, self.position_of(*self.here)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        upright, level = (QPen(Qt.GlobalColor.white, 2.6 if held else 1.6) for held in self._held)
        painter.setPen(upright)
        painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()))
        painter.setPen(level)
        painter.drawLine(QPointF(plot.left(), at.y()), QPointF(plot.right(), at.y()))
        painter.setBrush(theme.current().color("accent"))
        painter.drawEllipse(at, 6.0, 6.0)

    # The hand -----------------------------------------------------------------------------------------------

    def _reach(self, place: QPointF) -> tuple[bool, bool]:
        """The lines within reach of a position."""
        if self.figure is None or self.here is None or not self.plot.contains(place):
            return FREE
        near, away = 5.0, place - self.position_of(*self.here)  # pixels from a line within which it is grabbed
        if away.manhattanLength() < 2 * near:
            return True, True
        return abs(away.x()) < near, abs(away.y()) < near

    def _value_at(self, place: QPointF) -> tuple[float, float]:
        """The values at a position, at most at the ends of the sides."""
        plot, ends = self.plot, self._ends
        across = min(max((place.x() - plot.left()) / plot.width(), 0.0), 1.0)
        up = min(max((plot.bottom() - place.y()) / plot.height(), 0.0), 1.0)
        return ends.x[0] + across * (ends.x[1] - ends.x[0]), ends.y[0] + up * (ends.y[1] - ends.y[0])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held, self._moved = self._reach(event.position()), False
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held == FREE:
            shapes = (Qt.CursorShape.ArrowCursor, Qt.CursorShape.SizeVerCursor, Qt.CursorShape.SizeHorCursor)
            upright, level = self._reach(event.position())
            self.setCursor(Qt.CursorShape.SizeAllCursor if upright and level else shapes[2 * upright + level])
        elif self.here is not None:
            across, up = self._value_at(event.position())
            self.here = across if self._held[0] else self.here[0], up if self._held[1] else self.here[1]
            self._moved = True
            self.update()
            self.dragged.emit(*self.here, True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, FREE
        if held != FREE and self._moved and self.here is not None:
            self.dragged.emit(*self.here, False)
        self.update()
