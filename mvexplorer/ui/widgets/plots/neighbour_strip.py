"""Samples in a row, as pictures or names: a click goes to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.explained import PartsToChoose
from mvexplorer.ui.widgets.shortening import told_apart

SIDE, GAP, BAR = 20, 4, 3
"""Pixels of a picture, between two, and of the bar below that says how many rows have the sample.

Eight pictures fit in a line of the right side."""


@dataclass(frozen=True)
class Neighbour:
    """One sample of a strip; a bar below shows the share of all rows that have it, none for 0."""

    sample: int
    name: str
    about: str
    shared: float = 0.0
    picture: QPixmap | None = field(default=None, compare=False)
    colour: QColor | None = field(default=None, compare=False)


class NeighbourStrip(PartsToChoose):
    """Shows samples in as many lines as they need; `chosen` and `pointed` carry a sample, -1 for none."""

    chosen = Signal(int)
    pointed = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.items: tuple[Neighbour, ...] = ()
        self._laid_out: tuple[Neighbour, ...] = ()
        self._known: dict[int, list[QRect]] = {}
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_items(self, items: Sequence[Neighbour]) -> None:
        """Show these samples; while there are none, the room of the former ones is kept."""
        if tuple(items) != self.items or any(item.picture for item in items):
            self.items, self._at = tuple(items), -1
            self.setAccessibleDescription(", ".join(item.name for item in self.items))
            if self.items:
                self._laid_out = self.items
                self._forget_places()
            self.update()

    def _forget_places(self) -> None:
        self._known.clear()
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._forget_places()

    def _places(self, width: int) -> list[QRect]:
        """Place each sample in a strip of this width; kept, as a layout asks for its height again and again."""
        if width not in self._known:
            self._known[width] = self._find_places(width)
        return self._known[width]

    def _find_places(self, width: int) -> list[QRect]:
        places, x, y = [], 0, 0
        side, gap, bar = theme.px(SIDE), theme.px(GAP), theme.px(BAR)
        widest = 62  # most pixels of a name
        for item in self._laid_out:
            wide = side
            if item.picture is None:
                wide = min(theme.px(widest), self.fontMetrics().horizontalAdvance(line(item.name, 24)) + 2 * gap)
            if x and x + wide > width:
                x, y = 0, y + side + bar + gap
            places.append(QRect(x, y, wide, side))
            x += wide + gap
        return places

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return (places[-1].bottom() + 1 if places else theme.px(SIDE)) + theme.px(BAR) + 1

    def sizeHint(self) -> QSize:
        return QSize(8 * (theme.px(SIDE) + theme.px(GAP)), self.heightForWidth(max(1, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(SIDE), theme.px(SIDE) + theme.px(BAR))

    def place_of(self, i: int) -> QPoint:
        """The middle of the i-th sample."""
        return self._places(self.width())[i].center()

    def count(self) -> int:
        """The number of samples."""
        return len(self.items)

    def part_at(self, place: QPointF) -> int:
        """The sample under a position."""
        at = place.toPoint()
        places = self._places(self.width())[: len(self.items)]
        return next((i for i, place in enumerate(places) if place.contains(at)), -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = self.words()
        for i, (item, place) in enumerate(zip(self.items, self._places(self.width()), strict=False)):
            self._paint(painter, item, place, words[i])
            if i == self._at:
                painter.setPen(QPen(theme.current().color("accent"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(place).adjusted(-1, -1, 1, 1), 3, 3)

    def words(self) -> list[str]:
        """The names as there is room for them: without what is common to all of them, so that no two read the same."""
        names = [line(item.name, 4 * LINE) for item in self.items]
        rooms = [place.width() - theme.px(GAP) for place in self._places(self.width())]
        wide = self.fontMetrics().horizontalAdvance
        pairs = enumerate(zip(names, rooms, strict=False), start=1)
        return [told_apart(name, names, number, room, wide) for number, (name, room) in pairs]

    def _paint(self, painter: QPainter, item: Neighbour, place: QRect, words: str) -> None:
        now = theme.current()
        if item.picture is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, item.picture)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.color("soft"))
            painter.drawRoundedRect(QRectF(place), 4, 4)
            painter.setPen(now.color("text"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
        if item.shared:
            bar = QRectF(place.left(), place.bottom() + 2, place.width() * item.shared, theme.px(BAR) - 1)
            painter.fillRect(bar, now.color("accent"))

    def point(self, part: int) -> None:
        """Tell which sample is pointed at."""
        self.pointed.emit(self.items[part].sample if part >= 0 else -1)

    def choose(self, part: int) -> None:
        """Tell which sample is chosen."""
        self.chosen.emit(self.items[part].sample)

    def about(self, place: QPointF) -> str:
        """Describe a sample."""
        return self.items[i].about if (i := self.part_at(place)) >= 0 else ""
