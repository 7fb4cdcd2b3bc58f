"""Rows below each other in a scroll area: only those in sight are widgets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from mvexplorer.ui.widgets.plain_text import retire

Row = TypeVar("Row", bound=QWidget)

FEW = 40
"""So many rows are widgets whether or not they are in sight: it costs little."""
SPARE = 3
"""Rows above and below those in sight that are widgets, too."""


class LongColumn(QWidget, Generic[Row]):
    """Rows that come into being as they are scrolled into sight, and go as they leave it.

    A row that has the focus stays, and so does one that `keeps` is true of. The Tab key goes through the rows that are
    there from top to bottom. The widget of `area` is the column or holds it; `make` makes the row of a name, as it is
    to be shown.
    """

    def __init__(
        self,
        area: QScrollArea,
        make: Callable[[str], Row],
        *,
        spacing: int = 0,
        keeps: Callable[[Row], bool] = lambda _: False,
    ) -> None:
        super().__init__()
        self._area = area
        self._make, self._spacing, self._keeps = make, spacing, keeps
        self.names: tuple[str, ...] = ()
        """The names of all rows, from top to bottom."""
        self._at: dict[str, int] = {}
        self._heights: list[int] = []
        self.rows: dict[str, Row] = {}
        """The rows that are widgets, from top to bottom."""
        self._total = 0
        self._placing = False
        area.verticalScrollBar().valueChanged.connect(lambda _: self.place())
        area.viewport().installEventFilter(self)

    def show_names(self, names: Sequence[str], heights: Sequence[int]) -> None:
        """Show a row of each name, keeping rows whose names stay; `heights` are those of rows that are not there."""
        self.names = tuple(names)
        self._at = {name: at for at, name in enumerate(names)}
        for name in self.rows.keys() - self._at.keys():
            retire(self.rows.pop(name))
        self.expect(heights)

    def expect(self, heights: Sequence[int]) -> None:
        """Set the pixels that each row takes while it is not there."""
        self._heights = [height + self._spacing for height in heights]
        self.place()

    def reach(self, name: str) -> Row:
        """Scroll to a row unless it is in sight, and return it."""
        tops = self._tops()
        at = self._at[name]
        first, last = self._sight()
        if not first <= tops[at] <= tops[at + 1] <= last:
            self._area.verticalScrollBar().setValue(self._above + tops[at] - self._area.viewport().height() // 2)
        self._place((name,))
        return self.rows[name]

    # Geometry -----------------------------------------------------------------------------------------------

    def place(self) -> None:
        """Give each row its place, with new rows for names that came into sight."""
        self._place(())

    def _place(self, wanted: tuple[str, ...]) -> None:
        if self._placing:
            return
        self._placing = True
        try:
            rounds = 3  # most looks at what is in sight: rows that came may be lower than expected
            for _ in range(rounds):
                if not self._come_and_go(wanted):
                    break
            tops = self._tops()
            for name, row in self.rows.items():
                at = self._at[name]
                row.setGeometry(0, tops[at], self.width(), tops[at + 1] - tops[at] - self._spacing)
                row.show()
            if tops[-1] != self._total:
                self._total = tops[-1]
                self.setFixedHeight(self._total)
        finally:
            self._placing = False

    def _come_and_go(self, wanted: tuple[str, ...]) -> bool:
        """Remove rows that left the sight, and make those wanted or newly in sight; True if any came."""
        there = self.names
        if len(self.names) > FEW:
            tops, (first, last) = self._tops(), self._sight()
            start, stop = bisect_right(tops, first) - 1 - SPARE, bisect_left(tops, last) + SPARE
            kept = [name for name, row in self.rows.items() if self._keeps(row) or _has_focus(row)]
            there = tuple(sorted({*self.names[max(0, start) : stop], *kept, *wanted}, key=self._at.__getitem__))
        for name in self.rows.keys() - set(there):
            retire(self.rows.pop(name))
        new = {name: self._make(name) for name in there if name not in self.rows}
        for row in new.values():
            row.setParent(self)
        self.rows = {name: new.get(name) or self.rows[name] for name in there}
        if new:
            self._order_stops()
        return bool(new)

    def _order_stops(self) -> None:
        """Let the Tab key go from row to row: otherwise it follows the order in which they were made."""
        before: QWidget | None = self.previousInFocusChain()
        while before is not None and before is not self and (self.isAncestorOf(before) or not _is_stop(before)):
            before = before.previousInFocusChain()
        stops = [stop for row in self.rows.values() for stop in _stops(row)]
        if before is not None:
            stops.insert(0, before)
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _tops(self) -> list[int]:
        """Return the top of each row, and the end of the last."""
        heights = self._heights.copy()
        for name, row in self.rows.items():
            heights[self._at[name]] = row.sizeHint().height() + self._spacing
        return [0, *accumulate(heights)]

    def _sight(self) -> tuple[int, int]:
        """The first pixel in sight, and the one after the last."""
        first = self._area.verticalScrollBar().value() - self._above
        return first, first + self._area.viewport().height()

    @property
    def _above(self) -> int:
        """The pixels of the content above that scrolls as well."""
        inner = self._area.widget()
        return self.mapTo(inner, QPoint()).y() if inner is not None and inner.isAncestorOf(self) else 0

    def sizeHint(self) -> QSize:
        width = max((row.sizeHint().width() for row in self.rows.values()), default=0)
        return QSize(width, self._total)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.place()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a row has another height now
            self.place()
        return super().event(event)

    def eventFilter(self, _: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.place()
        return False


def _has_focus(row: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and row.isAncestorOf(focus)


def _stops(row: QWidget) -> list[QWidget]:
    """The widgets of a row that the Tab key may reach, but those of its menus."""
    window = row.window()
    return [widget for widget in row.findChildren(QWidget) if _is_stop(widget) and widget.window() is window]


def _is_stop(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
