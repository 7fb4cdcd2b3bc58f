"""Curves on screen that answer the hand: points that can be clicked, and a line that is dragged along the axis."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolTip

from mvexplorer.figures import Figure
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import tip
from mvexplorer.ui.widgets.plots.curve_painting import ends_of
from mvexplorer.ui.widgets.plots.figure_painting import paint_figure
from mvexplorer.ui.widgets.plots.figure_view import FigureView

HERE = -1
"""The number of the handle among the lines that can be dragged."""


class CurveView(FigureView):
    """Paints curves once, and the line over them wherever it is; the names of curves stand elsewhere.

    `tell` gives the meaning of a curve's point, by the curve's place and the point's.
    """

    chosen = Signal(int, int)
    """The place of a curve, and that of its point, which was clicked."""
    dragged = Signal(float, bool)
    """Where the line is on the axis, and whether the hand is still moving."""

    def __init__(self, tell: Callable[[int, int], str] | None = None, *, above: int = 0) -> None:
        super().__init__(legend=False, above=above)
        self._tell = tell
        self.here: float | None = None
        """Where the line is on the axis, if there is one."""
        self._held: int | None = None
        self._moved = False
        self._painted: QPixmap | None = None
        self.setMouseTracking(True)

    # What is shown ------------------------------------------------------------------------------------------

    def show_figure(self, figure: Figure) -> None:
        """Show another figure."""
        self._painted = None
        super().show_figure(figure)

    def show_here(self, x: float | None) -> None:
        """Move the line, unless the hand holds it; None hides it."""
        if self._held is None and x != self.here:
            self.here = x
            self.update()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self._painted = None
        super().apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._painted = None
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.figure is None:
            return
        ratio = self.devicePixelRatioF()
        if self._painted is None or self._painted.devicePixelRatio() != ratio:
            self._painted = QPixmap(self.size() * ratio)
            self._painted.setDevicePixelRatio(ratio)
            self._painted.fill(Qt.GlobalColor.transparent)
            onto = QPainter(self._painted)
            paint_figure(self.figure, self.area, onto, legend=False)
            onto.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._painted)
        self.paint_lines(painter)

    def paint_lines(self, painter: QPainter) -> None:
        """Paint what can be dragged."""
        if self.here is not None:
            width = 3.0 if self._held == HERE else 2.0
            self._paint_line(self.here, QPen(theme.current().color("accent"), width), painter)

    def _paint_line(self, value: float, pen: QPen, painter: QPainter) -> None:
        across, plot = self._across(value), self.plot
        if plot.left() <= across <= plot.right():
            painter.setPen(pen)
            painter.drawLine(QPointF(across, plot.top()), QPointF(across, plot.bottom()))

    @property
    def ends(self) -> tuple[float, float]:
        """The values at both ends of the axis; of a logarithmic one their powers of ten."""
        return ends_of(self._curves).x

    def position_of(self, value: float) -> QPointF:
        """Where a value of the axis is, half way up."""
        return QPointF(self._across(value), self.plot.center().y())

    def meaning(self, place: QPointF) -> str:
        """Describe the point of a curve that is nearest to a position."""
        point = self.point_at(place)
        return super().meaning(place) if self._tell is None else "" if point is None else self._tell(*point)

    # The hand -----------------------------------------------------------------------------------------------

    def handles(self) -> dict[int, float]:
        """The lines that can be dragged, by number."""
        return {} if self.here is None else {HERE: self.here}

    def move_handle(self, number: int, value: float) -> None:
        """Follow the hand with a line."""
        self.here = value

    def let_go(self, number: int, value: float, *, moved: bool) -> None:
        """Tell what was done with a line: `moved`, or clicked."""
        if moved:
            self.dragged.emit(value, False)

    def handle_at(self, place: QPointF) -> int | None:
        """The number of the line within reach of a position."""
        near = 5.0  # pixels from a line within which it is grabbed
        if self.figure is None or not self.plot.contains(place):
            return None
        away = {number: abs(self._across(value) - place.x()) for number, value in self.handles().items()}
        nearest = min(away, key=away.__getitem__, default=None)
        return nearest if nearest is not None and away[nearest] < near else None

    def _value_at(self, across: float) -> float:
        """The value on the axis at a horizontal place, at most at its ends."""
        (low, high), plot = self.ends, self.plot
        place = low + min(max((across - plot.left()) / plot.width(), 0.0), 1.0) * (high - low)
        return float(10.0**place if self._curves.log_x else place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            value, self._moved = self._value_at(event.position().x()), True
            self.move_handle(self._held, value)
            self.update()
            self.dragged.emit(value, True)
        elif event.buttons() == Qt.MouseButton.NoButton:
            self._hover(event)

    def _hover(self, event: QMouseEvent) -> None:
        place = event.position()
        if (handle := self.handle_at(place)) is not None:
            self.setCursor(Qt.CursorShape.SizeHorCursor if handle == HERE else Qt.CursorShape.PointingHandCursor)
        elif self._tell is None or self.point_at(place) is None:
            self.unsetCursor()
            QToolTip.hideText()
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            QToolTip.showText(event.globalPosition().toPoint(), tip(self.meaning(place)), self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._held, self._moved = self.handle_at(event.position()), False
        point = self.point_at(event.position()) if self._held is None and self._tell is not None else None
        if point is not None:
            self.chosen.emit(*point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, None
        if held is not None:
            self.update()
            self.let_go(held, self._value_at(event.position().x()), moved=self._moved)
