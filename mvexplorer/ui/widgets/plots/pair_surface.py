"""A heat map over the bandwidths of two views, whose cross-hair sets both."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen

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
    clicked = Signal()
    """A click that moved no line."""
    dot = 6.0
    """Radius of the dot where the lines cross."""

    def __init__(self) -> None:
        super().__init__(legend=False)
        self.setMinimumSize(150, 90)
        self.here: tuple[float, float] | None = None
        """The values at which the lines are."""
        self._held = FREE
        """Whether the hand holds the upright line, and the level one."""
        self._moved = False
        self.setMouseTracking(True)

    def show_here(self, here: tuple[float, float] | None) -> None:
        """Move the lines to values across and up, unless the hand holds one; None hides them."""
        if self._held == FREE and self.here != here:
            self.here = here
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
        painter = QPainter(self)
        self.paint_picture(painter)
        if self.figure is None or self.here is None:
            return
        plot, at = self.plot, self.position_of(*self.here)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent, (upright, level) = theme.current().color("accent"), self._held
        across = QLineF(plot.left(), at.y(), plot.right(), at.y())
        lines = (QLineF(at.x(), plot.top(), at.x(), plot.bottom()), upright), (across, level)
        for edge, color in ((2.0, QColor(Qt.GlobalColor.white)), (0.0, accent)):  # seen on dark and bright shades
            for each, held in lines:
                painter.setPen(QPen(color, (3.0 if held else 1.6) + edge))
                painter.drawLine(each)
        painter.setPen(QPen(Qt.GlobalColor.white, 1.6))
        painter.setBrush(accent)
        painter.drawEllipse(at, self.dot, self.dot)

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
        elif event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()
        self.update()


class PairMap(PairSurface):
    """A small surface without axes, among those of other pairs."""

    dot = 3.0

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(20, 20)
        self.chosen = False
        """Whether the pair is shown large as well."""

    @property
    def plot(self) -> QRectF:
        """Where the matrix lies."""
        return QRectF(self.rect()).adjusted(2, 2, -2, -2)

    def sizeHint(self) -> QSize:
        return QSize(60, 50)

    def choose(self, chosen: bool) -> None:
        """Frame it, or not."""
        if chosen != self.chosen:
            self.chosen = chosen
            self.update()

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the shades alone."""
        t, shades = theme.current(), self._shades
        if shades is None:
            painter.fillRect(self.plot, t.color("soft"))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self.plot, shades.image)
        if self.chosen:
            painter.setPen(QPen(t.color("accent"), 2.0))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
