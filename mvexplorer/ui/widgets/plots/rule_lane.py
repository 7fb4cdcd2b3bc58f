"""The letters of the bandwidth rules in a lane of their own above a plot, joined to their lines where they crowd."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from mvexplorer.ui.style import theme

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
