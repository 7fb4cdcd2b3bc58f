"""Curves over a bandwidth axis: the rules as lettered lines, and the present ε as a line that is dragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen, QResizeEvent

from mvexplorer.figures import Curves, Figure
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.curve_view import HERE, CurveView
from mvexplorer.ui.widgets.plots.rule_lane import LANE, RuleLane

DECADES = (-4.0, 2.0)
"""The axis: log10 of ε over the view's median squared distance, the same for every view."""


@dataclass(frozen=True)
class Marker:
    """A rule's value on the axis: position log10(ε / median), its letter, its tooltip, and its id."""

    position: float
    letter: str
    text: str
    rule: str


class BandwidthPlot(CurveView):
    """Curves over log10(ε / median) of one view."""

    rule_chosen = Signal(str)

    def __init__(self, title: str) -> None:
        super().__init__(above=LANE)  # the letters of rules stand above the plot, where no curve is
        self.setMinimumSize(QSize(150, 90))
        self._markers: tuple[Marker, ...] = ()
        self._order: list[int] = []
        """The markers from left to right."""
        self._loose: tuple[int, float] | None = None
        """The rule's line that the hand drags, and where it is."""
        self.show_figure(Figure(title, Curves("", "", (), span=DECADES)))
        self.lane = RuleLane(self, lambda value: self.position_of(value).x(), lambda: self.ends)
        self.lane.chosen.connect(lambda index: self.rule_chosen.emit(self._markers[self._order[index]].rule))

    def show_markers(self, markers: Sequence[Marker]) -> None:
        """Show the rules' values."""
        if tuple(markers) != self._markers:
            self._markers = tuple(markers)
            self._place_letters()
            self.update()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        super().apply_theme()
        self.lane.update()

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

    def _paint_lines(self, painter: QPainter) -> None:
        t = theme.current()
        for number, value in self.handles().items():
            if number != HERE:
                held = number == self._held
                pen = QPen(t.color("accent"), 2.0) if held else QPen(t.color("muted"), 1.0, Qt.PenStyle.DashLine)
                self._paint_line(value, pen, painter)
        super()._paint_lines(painter)

    def _place_letters(self) -> None:
        """Put each rule's letter above its line."""
        places = self.handles()
        self._order = sorted(range(len(self._markers)), key=places.__getitem__)
        letters = [(places[k], self._markers[k].letter, self._markers[k].text) for k in self._order]
        self.lane.show_letters(letters)


def axis_position(epsilon: float, median: float) -> float:
    """log10(ε / median), clipped to the axis."""
    return min(max(log10(epsilon / median), DECADES[0]), DECADES[1])
