"""The charts of all columns as one painted widget: only those in sight are made and drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea

from mvexplorer.state.samples.charts import Chart, ColumnCharts, stretch
from mvexplorer.ui.samples.cut_texts import cut_title
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.shortening import told_apart
from mvexplorer.wording import counted

HEAD, PLOT, AXIS, ROW, GAP = 18, 44, 15, 16, 12
"""Pixels at the usual type: of a chart's title, of a histogram, of its axis, of a class, and below a chart."""
GUESS = HEAD + PLOT + AXIS + GAP
"""The height of a chart that nobody has seen yet."""


class ChartsCanvas(Explained):
    """Bars are taken by press, drag and release; Ctrl+click takes one more or gives one back, a click on a title all.

    By keys: Up and Down go from chart to chart, Left and Right along its bars, with Shift further ends; Space takes one
    class more, Del gives the brush back.
    """

    moved = Signal(int, int)
    """The chart with the keys lies between these heights."""

    def __init__(self, charts: ColumnCharts) -> None:
        super().__init__()
        self.charts = charts
        self.setAccessibleName("Charts of the columns")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(False)
        self._tops: list[tuple[int, int, Chart | None]] = []
        """Of each column its top, its height and its chart, so far as it was seen."""
        self._at = 0
        self._cursor, self._anchor = 0, 0
        self._pressed: Chart | None = None

    # Where what stands --------------------------------------------------------------------------------------

    def lay_out(self, top: int, bottom: int) -> None:
        """Make the charts between two heights, and give each its place."""
        places, y = [], 0
        for column in self.charts.columns:
            seen = self.charts.seen(column) or (y < bottom and y + theme.px(GUESS) > top)
            chart = self.charts.chart(column) if seen else None
            height = self._height(chart) if seen else theme.px(GUESS)
            places.append((y, height, chart))
            y += height
        self._tops = places
        self.setFixedHeight(max(y, 1))
        self.update()

    def _height(self, chart: Chart | None) -> int:
        if chart is None:
            return 0
        body = ROW * len(chart.names) if chart.names else PLOT + AXIS
        return theme.px(HEAD) + theme.px(body) + theme.px(GAP)

    def at_height(self, y: float) -> tuple[int, Chart | None]:
        """The place and the chart at a height."""
        for place, (top, height, chart) in enumerate(self._tops):
            if top <= y < top + height:
                return place, chart
        return -1, None

    def bar_at(self, chart: Chart, place: QPointF) -> int:
        """The bar of a chart at a place, the first or the last beyond the ends; -1 on its title."""
        top = self._tops[self._place_of(chart)][0] + theme.px(HEAD)
        n_bars = len(chart.counts)
        if place.y() < top and self._pressed is None:
            return -1
        part = (place.y() - top) / theme.px(ROW) if chart.names else n_bars * place.x() / max(1, self.width())
        return min(max(0, int(part)), n_bars - 1)

    def bar_box(self, chart: Chart, bar: int) -> QRectF:
        """The room of a bar: the whole height of a histogram, or the row of a class."""
        top = self._tops[self._place_of(chart)][0] + theme.px(HEAD)
        if chart.names:
            return QRectF(0, top + bar * theme.px(ROW), self.width(), theme.px(ROW))
        wide = self.width() / len(chart.counts)
        return QRectF(bar * wide, top, wide, theme.px(PLOT))

    def _place_of(self, chart: Chart) -> int:
        return next(k for k, (_, _, each) in enumerate(self._tops) if each is chart)

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, seen = QPainter(self), event.rect()
        painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
        for place, (top, height, chart) in enumerate(self._tops):
            if chart is not None and height and top < seen.bottom() and top + height > seen.top():
                self._paint_title(painter, chart, top, focused=place == self._at and self.hasFocus())
                (self._paint_classes if chart.names else self._paint_histogram)(painter, chart)

    def brush_of(self, chart: Chart) -> tuple[int, ...]:
        """The chosen bars of a chart: those that the hand is choosing, else those of its brush."""
        if self._pressed is chart:
            return tuple(stretch(self._anchor, self._cursor))
        return self.charts.brushes.get(chart.column.source, ())

    def _paint_title(self, painter: QPainter, chart: Chart, top: int, *, focused: bool) -> None:
        now, brush = theme.current(), self.brush_of(chart)
        box = QRectF(0, top, self.width(), theme.px(HEAD) - 2)
        missing = f"{chart.n_missing:,} missing" if chart.n_missing else ""
        also = f"{int(chart.samples_in(brush).sum()):,}  ×" if brush else missing
        width = painter.fontMetrics().horizontalAdvance
        beside = width(also) + 8 if also else 0
        title = cut_title(self.charts.columns, self._place_of(chart), box.width() - beside, width)
        painter.setPen(now.color("accent" if brush or focused else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, title)
        painter.setPen(now.color("accent" if brush else "muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, also)
        if focused:
            painter.setPen(QPen(now.color("accent"), 1.0))
            painter.drawLine(QPointF(0, box.bottom() + 0.5), QPointF(self.width(), box.bottom() + 0.5))

    def _layers(self, chart: Chart) -> list[tuple[list[int], QColor]]:
        """Counts by bar, those painted on top last: all samples, those in the other brushes, the selected ones."""
        now = theme.current()
        layers = [(chart.counts.tolist(), now.color("muted", 80))]
        others = self.charts.within_others(chart.column.source) if self.brush_of(chart) else None
        if others is not None:
            layers.append((chart.counts_of(others).tolist(), now.color("muted", 110)))
        layers.append((chart.counts_of(self.charts.table.selected).tolist(), now.color("accent")))
        return layers

    def _paint_histogram(self, painter: QPainter, chart: Chart) -> None:
        now, top = theme.current(), max(1, int(chart.counts.max()))
        for bar in self.brush_of(chart):
            painter.fillRect(self.bar_box(chart, bar), now.color("soft"))
        for counts, color in self._layers(chart):
            for bar, count in enumerate(counts):
                if count:
                    box = self.bar_box(chart, bar).adjusted(0.5, 2, -0.5, 0)
                    box.setTop(box.bottom() - max(1.0, box.height() * count / top))
                    painter.fillRect(box, color)
        whole = self.bar_box(chart, 0).united(self.bar_box(chart, len(chart.counts) - 1))
        painter.setPen(QPen(now.color("hairline"), 1.0))
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        painter.setPen(now.color("muted"))
        axis = QRectF(0, whole.bottom() + 1, self.width(), theme.px(AXIS))
        for words, side in self._ends(chart):
            painter.drawText(axis, side, words)

    def _ends(self, chart: Chart) -> list[tuple[str, Qt.AlignmentFlag]]:
        """Words below a histogram: its ends, or what of it is brushed."""
        brush, inward = self.brush_of(chart), 0.5 if chart.whole else 0.0
        if brush:
            return [(chart.stretch_words(brush), Qt.AlignmentFlag.AlignHCenter)]
        first, last = chart.edges[0] + inward, chart.edges[-1] - inward
        sides = (first, Qt.AlignmentFlag.AlignLeft), (last, Qt.AlignmentFlag.AlignRight)
        return [(chart.place_words(value), side) for value, side in sides]

    def _paint_classes(self, painter: QPainter, chart: Chart) -> None:
        now, brush = theme.current(), set(self.brush_of(chart))
        width = painter.fontMetrics().horizontalAdvance
        number = max(width(f"{count:,}") for count in chart.counts.tolist()) + 4
        name, most = 0.42 * self.width(), max(1, int(chart.counts.max()))
        room, names = self.width() - name - number - 8, [line(each) for each in chart.names]
        for bar in brush:
            painter.fillRect(self.bar_box(chart, bar), now.color("soft"))
        for counts, color in self._layers(chart):
            for bar, count in enumerate(counts):
                box = self.bar_box(chart, bar)
                painter.fillRect(QRectF(name + 4, box.top() + 3, room * count / most, box.height() - 6), color)
        for bar, count in enumerate(chart.counts.tolist()):
            box = self.bar_box(chart, bar)
            painter.setPen(now.color("accent" if bar in brush else "text"))
            words = told_apart(names[bar], names, bar + 1, name, width)
            painter.drawText(QRectF(0, box.top(), name, box.height()), Qt.AlignmentFlag.AlignVCenter, words)
            painter.setPen(now.color("muted"))
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(0, box.top(), self.width(), box.height()), right, f"{count:,}")

    # The mouse ----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place, chart = self.at_height(event.position().y())
        if event.button() != Qt.MouseButton.LeftButton or chart is None:
            return
        self._at = place
        bar, source = self.bar_at(chart, event.position()), chart.column.source
        if bar < 0:
            if self.charts.brushes.get(source):
                self.charts.brush(source, ())
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._toggle(chart, bar)
            return
        self._anchor = self._cursor = bar
        self._pressed = chart
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            self._cursor = self.bar_at(self._pressed, event.position())
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        chart, self._pressed = self._pressed, None
        if chart is not None:
            self._take(chart)

    def _take(self, chart: Chart) -> None:
        """Brush the bars that were chosen; one that was the whole brush gives it back."""
        source, bars = chart.column.source, tuple(stretch(self._anchor, self._cursor))
        alone = len(bars) == 1 and self.charts.brushes.get(source) == bars
        self.charts.brush(source, () if alone else bars)

    def _toggle(self, chart: Chart, bar: int) -> None:
        """Take one more class, or give one back; a stretch of numbers has no holes."""
        if chart.names:
            self.charts.brush(chart.column.source, set(self.brush_of(chart)) ^ {bar})
        else:
            self.charts.brush(chart.column.source, stretch(min((*self.brush_of(chart), bar)), bar))

    # The keys -----------------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, chart = event.key(), self.present
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step(1 if key == Qt.Key.Key_Down else -1)
        elif chart is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            brush, last = self.brush_of(chart), len(chart.counts) - 1
            step = 1 if key == Qt.Key.Key_Right else -1
            self._cursor = min(max(0, self._cursor + step), last) if brush else (0 if step > 0 else last)
            if not (brush and event.modifiers() & Qt.KeyboardModifier.ShiftModifier):
                self._anchor = self._cursor
            self.charts.brush(chart.column.source, stretch(self._anchor, self._cursor))
        elif key == Qt.Key.Key_Space and chart.names:
            self._toggle(chart, min(self._cursor, len(chart.counts) - 1))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.charts.brush(chart.column.source, ())
        else:
            super().keyPressEvent(event)

    @property
    def present(self) -> Chart | None:
        """The chart with the keys."""
        return self._tops[self._at][2] if 0 <= self._at < len(self._tops) else None

    def _step(self, by: int) -> None:
        """Give the keys to the next chart, or to the one before."""
        place = self._at + by
        while 0 <= place < len(self._tops) and not self._tops[place][1]:
            place += by
        if 0 <= place < len(self._tops):
            self._at, self._cursor, self._anchor = place, 0, 0
            top, height, _ = self._tops[place]
            self.moved.emit(top, top + height)
            self.update()

    # In words -----------------------------------------------------------------------------------------------

    def spoken_value(self) -> str:
        """The chart with the keys, and what of it is brushed."""
        chart = self.present
        if chart is None:
            return ""
        brush = self.brush_of(chart)
        return chart.words(brush) if brush else line(chart.column.title)

    def about(self, place: QPointF) -> str:
        """Count the samples of a bar, or say what a chart is about."""
        _, chart = self.at_height(place.y())
        if chart is None:
            return ""
        bar = self.bar_at(chart, place)
        if bar < 0:
            return f"{chart.column.title}. {chart.column.group}. A click takes its brush away."
        chosen = int(chart.counts_of(self.charts.table.selected)[bar])
        also = f", {chosen:,} of them selected" if chosen else ""
        return f"{chart.words((bar,))}: {counted(int(chart.counts[bar]), 'sample')}{also}"


class ChartsArea(QScrollArea):
    """Scrolls the charts, and has those made that come into sight."""

    def __init__(self, charts: ColumnCharts) -> None:
        super().__init__()
        self.canvas = ChartsCanvas(charts)
        self.canvas.moved.connect(self._go)
        self.setWidget(self.canvas)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.settle())

    def settle(self) -> None:
        """Make the charts in sight: more come into sight where some are lower than was thought."""
        before = -1
        while before != self.canvas.height():
            before, top = self.canvas.height(), self.verticalScrollBar().value()
            self.canvas.lay_out(top, top + self.viewport().height())

    def _go(self, top: int, bottom: int) -> None:
        self.ensureVisible(0, bottom, 0, 8)
        self.ensureVisible(0, top, 0, 8)
        self.settle()
