"""Curves over a bandwidth axis: the rules as lettered lines, and the present ε as a line that is dragged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.figures import Curves, Figure
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.curve_view import HERE, CurveView
from mvexplorer.ui.widgets.plots.plot_axes import BOTTOM, LEFT, RIGHT, AxisWords, Ends, figure_font, paint_axes


@dataclass(frozen=True)
class Marker:
    """A rule's value on the axis: position, usually log10(ε / median), its letter, its tooltip, and its id."""

    position: float
    letter: str
    text: str
    rule: str


class BandwidthPlot(CurveView):
    """Curves over log10(ε / median) of one view, or over another axis on which its rules have values.

    Without `axis` the numbers below it stand once below several plots.
    """

    rule_chosen = Signal(str)

    def __init__(self, title: str, tell: Callable[[int, int], str] | None = None, *, axis: bool = True) -> None:
        super().__init__(tell, above=LANE)  # the letters of rules stand above the plot, where no curve is
        self._axis = axis
        self.setMinimumSize(QSize(150, 90 if axis else 50))
        self._markers: tuple[Marker, ...] = ()
        self._stretches: tuple[tuple[float, float, str], ...] = ()
        self._order: list[int] = []
        """The markers from left to right."""
        self._loose: tuple[int, float] | None = None
        """The rule's line that the hand drags, and where it is."""
        self.show_figure(Figure(title, Curves("", "", (), span=DECADES)))
        self.lane = RuleLane(self, lambda value: self.position_of(value).x(), self._values_at_ends)
        self.lane.chosen.connect(lambda index: self.rule_chosen.emit(self._markers[self._order[index]].rule))

    def show_markers(self, markers: Sequence[Marker]) -> None:
        """Show the rules' values."""
        if tuple(markers) != self._markers:
            self._markers = tuple(markers)
            self._place_letters()
            self.update()

    def show_stretches(self, stretches: Sequence[tuple[float, float, str]]) -> None:
        """Colour the lower end of the plot from one value to another, by roles of the theme."""
        if tuple(stretches) != self._stretches:
            self._stretches = tuple(stretches)
            self.update()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        super().apply_theme()
        self.lane.update()

    @property
    def area(self) -> QRectF:
        """Where the figure lies; the axis that is not wanted beyond the lower end."""
        return super().area if self._axis else super().area.adjusted(0, 0, 0, theme.px(BOTTOM) - 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lane.setGeometry(0, 0, self.width(), LANE)

    def meaning(self, place: QPointF) -> str:
        """Describe a rule's line, or the nearest point of a curve."""
        number = self.handle_at(place)
        return self._markers[number].text if number is not None and number != HERE else super().meaning(place)

    def handles(self) -> dict[int, float]:
        """The line at ε and, by their numbers, those of the rules."""
        lines = {number: marker.position for number, marker in enumerate(self._markers)}
        return super().handles() | lines | dict([] if self._loose is None else [self._loose])

    def handle_at(self, place: QPointF) -> int | None:
        """The line within reach of a position; where a point that can be clicked is as near, no rule's line."""
        number = super().handle_at(place)
        clicked = self._tell is not None and number != HERE and self.point_at(place) is not None
        return None if clicked else number

    def move_handle(self, number: int, value: float) -> None:
        """Follow the hand with a line; a letter goes with its line."""
        if number == HERE:
            super().move_handle(number, value)
        else:
            self._loose = number, value
            self._place_letters()

    def let_go(self, number: int, value: float, *, moved: bool) -> None:
        """Choose the rule whose line was clicked; a line that was dragged away goes back to its rule."""
        self._loose = None
        self._place_letters()
        if number != HERE and not moved:
            self.rule_chosen.emit(self._markers[number].rule)
        super().let_go(number, value, moved=moved)

    def paint_lines(self, painter: QPainter) -> None:
        """Paint the verdicts along the axis, and the rules' lines behind the one at ε."""
        t, plot, height = theme.current(), self.plot, 3.0
        for low, high, role in self._stretches:
            left, right = (min(max(self.position_of(v).x(), plot.left()), plot.right()) for v in (low, high))
            if right > left:
                painter.fillRect(QRectF(left, plot.bottom() - height, right - left, height), t.color(role))
        for number, value in self.handles().items():
            if number != HERE:
                held = number == self._held
                pen = QPen(t.color("accent"), 2.0) if held else QPen(t.color("muted"), 1.0, Qt.PenStyle.DashLine)
                self._paint_line(value, pen, painter)
        super().paint_lines(painter)

    def _values_at_ends(self) -> tuple[float, float]:
        return self._value_at(self.plot.left()), self._value_at(self.plot.right())

    def _place_letters(self) -> None:
        """Put each rule's letter above its line."""
        places = self.handles()
        self._order = sorted(range(len(self._markers)), key=places.__getitem__)
        letters = [(places[k], self._markers[k].letter, self._markers[k].text) for k in self._order]
        self.lane.show_letters(letters)


class AxisStrip(QWidget):
    """The numbers of the axis that several plots above share."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._words = AxisWords(title)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Use the current theme's colours and its scale."""
        self.setFixedHeight(theme.px(BOTTOM))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(figure_font())
        plot = QRectF(theme.px(LEFT), 0, self.width() - theme.px(LEFT + RIGHT), 0.5)
        paint_axes(plot, Ends(DECADES, (0.0, 1.0)), self._words, AxisWords("", told=False), painter)
        painter.end()


def axis_position(epsilon: float, median: float) -> float:
    """log10(ε / median), clipped to the axis."""
    return min(max(log10(epsilon / median), DECADES[0]), DECADES[1])


LANE = 24
"""Height of the lane in pixels."""
GAP = 5.0


class RuleLane(QWidget):
    """Letters above the places of their lines, moved apart so that none is over another.

    Emits `chosen(index)` when a letter is clicked. `place` gives the present horizontal place in pixels of a value on
    the plot's axis, `ends` the values at both ends of that axis.
    """

    chosen = Signal(int)

    def __init__(
        self, parent: QWidget, place: Callable[[float], float], ends: Callable[[], tuple[float, float]]
    ) -> None:
        super().__init__(parent)
        self._place, self._ends = place, ends
        self._letters: tuple[tuple[float, str, str], ...] = ()
        self.setMouseTracking(True)

    def show_letters(self, letters: Sequence[tuple[float, str, str]]) -> None:
        """Show (value on the axis, letter, tooltip) in ascending order."""
        if tuple(letters) != self._letters:
            self._letters = tuple(letters)
            self.update()

    @property
    def middles(self) -> list[float]:
        """The middle of each letter, in pixels."""
        left, right = (self._place(end) for end in self._ends())
        return spread_texts([self._place(value) for value, _, _ in self._letters], self._widths(), left, right)

    @property
    def letters(self) -> str:
        """The letters from left to right."""
        return "".join(letter for _, letter, _ in self._letters)

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(theme.font(theme.SMALL_PX))
        return [metrics.horizontalAdvance(letter) for _, letter, _ in self._letters]

    def letter_at(self, x: float) -> int | None:
        """The index of the letter within reach of a horizontal position."""
        away = [abs(middle - x) for middle in self.middles]
        nearest = min(range(len(away)), key=away.__getitem__, default=None)
        reach = 9.0  # pixels from a letter's middle within which it is meant
        return nearest if nearest is not None and away[nearest] <= reach else None

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_PX))
        baseline = 12.0
        for (value, letter, _), middle, width in zip(self._letters, self.middles, self._widths(), strict=True):
            x = self._place(value)
            painter.setPen(t.color("text"))
            painter.drawText(QPointF(middle - 0.5 * width, baseline), letter)
            painter.setPen(QPen(t.color("muted"), 1.0))
            painter.drawPolyline([QPointF(middle, baseline + 3), QPointF(x, LANE - 4), QPointF(x, LANE)])
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            index = self.letter_at(event.pos().x())
            if index is not None:
                QToolTip.showText(event.globalPos(), self._letters[index][2], self)
                return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        near = self.letter_at(event.position().x()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if near else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.letter_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.chosen.emit(index)


def spread_texts(places: Sequence[float], widths: Sequence[float], left: float, right: float) -> list[float]:
    """Middles of texts of these widths, as near to their ascending places as room for all allows.

    Texts that would touch form a row around the mean of their places; rows that touch are joined.
    """
    rows: list[tuple[list[int], float]] = []
    for i, place in enumerate(places):
        members, middle = [i], place
        while True:
            half = 0.5 * (sum(widths[m] for m in members) + GAP * (len(members) - 1))
            middle = min(max(middle, left + half), max(right - half, left + half))
            if not rows or _end(rows[-1], widths) + GAP <= middle - half:
                break
            members = rows.pop()[0] + members
            middle = sum(places[m] for m in members) / len(members)
        rows.append((members, middle))
    middles: list[float] = []
    for members, middle in rows:
        x = middle - 0.5 * (sum(widths[m] for m in members) + GAP * (len(members) - 1))
        for m in members:
            middles.append(x + 0.5 * widths[m])
            x += widths[m] + GAP
    return middles


def _end(row: tuple[list[int], float], widths: Sequence[float]) -> float:
    members, middle = row
    return middle + 0.5 * (sum(widths[m] for m in members) + GAP * (len(members) - 1))
