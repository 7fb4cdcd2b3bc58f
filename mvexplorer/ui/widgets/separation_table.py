"""The table of what sets chosen samples apart: classes and features by view, with the size of each effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import LEVEL
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.plots.wrapped import lines_of, paint_lines
from mvexplorer.ui.widgets.text_table import ROW, Index, TextModel, TextTable
from mvexplorer.wording import counted

WHAT, HOW, EFFECT, Q, P = range(5)
FEW, FIRST = 20, 12
"""Groups of more rows than FEW begin with the FIRST of them."""
MARGIN = 8
"""Pixels left and right of a cell's text."""


@dataclass(eq=False)
class RowGroup:
    """The rows of a view, or of classes and columns; all of them are listed once the user asks."""

    view: str
    rows: list[Contrast] = field(default_factory=list)
    whole: bool = False

    @property
    def title(self) -> str:
        """Name, size, and how many rows are claimed to differ."""
        sure = sum(row.q <= LEVEL for row in self.rows)
        if not self.view:
            return f"Classes and columns: {len(self.rows):,}, of which {sure:,} with q ≤ {numbers.fraction(LEVEL)}"
        return f"{self.view}: {counted(len(self.rows), 'feature')}, {sure:,} with q ≤ {numbers.fraction(LEVEL)}"

    @property
    def listed(self) -> list[Contrast]:
        """The rows that are listed now."""
        return self.rows if self.whole or len(self.rows) <= FEW else self.rows[:FIRST]


@dataclass(frozen=True, eq=False)
class _Head:
    group: RowGroup


@dataclass(frozen=True, eq=False)
class _More:
    group: RowGroup

    @property
    def words(self) -> str:
        return f"Show {counted(len(self.group.rows) - FIRST, 'more row')}"


class SeparationModel(TextModel):
    """The rows of each view in the order that the user chose, at first the largest effects, below a line for it."""

    heads = ("What", "How it differs", "Effect (s.d.)", "q", "p (corrected)")
    meanings = (
        "The class, feature or column that is compared between the selection and the others.",
        "Of a class: its share of the selection and of the others. Of a number: AUC, the probability that a selected "
        "sample has the larger value; .5 is no difference.",
        "Effect size in standard deviations; a bar to the right: more of it in the selection. Of a number: Cohen's d, "
        "the difference of the means. Of a class: its log odds ratio in the same unit.",
        "q: the false discovery rate (Benjamini and Hochberg), the share of rows with a q up to this one that are "
        "expected to differ by chance.",
        "p: how often as many samples drawn at random differ as much. Corrected for the number of comparisons (Holm).",
    )
    right = frozenset((Q, P))
    of_names: frozenset[int] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self.groups: list[RowGroup] = []
        self.lines: list[Contrast | _Head | _More] = []
        self.largest = 1.0
        """The largest effect of a number; a bar for it, and for classes beyond it, takes all room."""

    def n_rows(self) -> int:
        return len(self.lines)

    def cell(self, row: int, column: int) -> str:
        each = self.lines[row]
        if column == WHAT:
            return self.words(each)
        if not isinstance(each, Contrast):
            return ""
        if column == EFFECT:
            return _signed(each.effect)
        if column in (Q, P):
            return _chance(each.q if column == Q else each.p)
        if each.dated:
            return _side(each)  # its dates and AUC are in the tip: the column is narrow
        if not each.value:
            return each.words.rpartition(", ")[2]  # d stands beside it
        inside, _, outside = each.words.partition(" of the selection, ")
        share, _, others = outside.partition(" of the ")
        return f"{inside}, {others.partition(' ')[0]} {share}" if others else each.words

    def words(self, each: Contrast | _Head | _More) -> str:
        """The name of a row, or the words of a line about a group."""
        if isinstance(each, Contrast):
            return _named(each)
        return each.group.title if isinstance(each, _Head) else each.words

    def about(self, row: int, column: int) -> str:
        each = self.lines[row]
        if not isinstance(each, Contrast):
            return self.cell(row, WHAT)
        act = "select these samples" if each.kind == "class" else "colour all panels by it"
        chances = f"q {_chance(each.q)}, p {_chance(each.p)} (corrected)"
        return f"{each.view} {_named(each)}: {_side(each)}, {each.words}, {chances}. Click to {act}.".strip()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows of each view by a column; what has no number comes last."""
        down = order == Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        for group in self.groups:
            if column in (EFFECT, Q, P):
                key = {EFFECT: "effect", Q: "q", P: "p"}[column]
                group.rows.sort(key=lambda each: _rank(getattr(each, key), down))
            else:
                group.rows.sort(key=lambda each: _named(each) if column == WHAT else each.words, reverse=down)
        self._list()
        self.layoutChanged.emit()

    def show_rows(self, rows: Sequence[Contrast]) -> None:
        """Show other rows: classes and columns first, then the views, the one with the largest effect leading."""
        self.beginResetModel()
        groups = {"": RowGroup("")}
        for row in rows:
            groups.setdefault(row.view, RowGroup(row.view)).rows.append(row)
        self.groups = [group for group in groups.values() if group.rows]
        sizes = [abs(row.effect) for row in rows if not row.value and isfinite(row.effect)]
        self.largest = max(sizes, default=0.0) or 1.0
        self._list()
        self.endResetModel()

    def show_whole(self, group: RowGroup) -> None:
        """List all rows of a group."""
        self.beginResetModel()
        group.whole = True
        self._list()
        self.endResetModel()

    def _list(self) -> None:
        self.lines = []
        for group in self.groups:
            more = [_More(group)] if len(group.listed) < len(group.rows) else []
            self.lines += [_Head(group), *group.listed, *more]


class SeparationPainter(QStyledItemDelegate):
    """Paints names whole on as many lines as they need, and effects as bars from a middle."""

    def __init__(self, table: SeparationTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        each = self._table.line(index.row())
        if isinstance(each, Contrast) and index.column() not in (WHAT, EFFECT):
            super().paint(painter, option, index)
            return
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        text, shown.text = shown.text, ""
        style = self._table.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, shown, painter, self._table)
        painter.save()
        area = QRectF(shown.rect).adjusted(theme.px(MARGIN), 0, -theme.px(MARGIN), 0)
        if isinstance(each, Contrast) and index.column() == EFFECT:
            self._paint_bar(painter, each.effect, area, text)
        else:
            role = "accent" if isinstance(each, _More) else "text"
            painter.setPen(theme.current().color(role))
            size, bold = theme.px(theme.BASE_PX), isinstance(each, _Head)
            painter.setFont(theme.font(size, bold=bold))
            area.adjust(0 if bold else theme.px(MARGIN), 0, 0, 0)
            paint_lines(painter, lines_of(text, size, int(area.width()), bold=bold), area)
        painter.restore()

    def _paint_bar(self, painter: QPainter, effect: float, area: QRectF, text: str) -> None:
        """Paint a bar to the right of the middle for more of it, else to the left; its number stands behind."""
        t, room = theme.current(), theme.px(44)
        bars = area.adjusted(0, 0, -room, 0)
        middle, high = bars.center().x(), min(12.0, area.height() - 8.0)
        length = 0.5 * bars.width() * min(1.0, abs(effect) / self._table.largest) if isfinite(effect) else 0.0
        left = middle if effect > 0.0 else middle - length
        bar = QRectF(left, area.center().y() - 0.5 * high, length, high)
        painter.fillRect(bar, t.color("accent" if effect > 0.0 else "muted"))  # as the points of who has more of it
        painter.fillRect(QRectF(middle, area.top() + 3.0, 1.0, area.height() - 6.0), t.color("hairline"))
        painter.setPen(t.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


class SeparationTable(TextTable):
    """The table; a click on a head sorts it, a click on a row (or Return) says which was `chosen`."""

    chosen = Signal(object)
    looked_at = Signal(object)
    """The row that the keys or a click went to."""

    def __init__(self) -> None:
        self._model = SeparationModel()
        self._tall: list[int] = []
        """The lines that are higher than others."""
        super().__init__(self._model, "What sets the samples apart", (120, 104, 136, 76, 108), -1)
        self.setItemDelegate(SeparationPainter(self))
        self.menus = frozenset(range(len(self._model.heads)))
        self.acted.connect(self._tell)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(EFFECT, Qt.SortOrder.DescendingOrder)
        self.selectionModel().currentRowChanged.connect(self._look)
        self._model.layoutChanged.connect(self._lay_out)

    @property
    def largest(self) -> float:
        """The effect whose bar takes all room."""
        return self._model.largest

    def show_rows(self, rows: Sequence[Contrast]) -> None:
        """Show other rows, in the order that is chosen."""
        self._model.show_rows(rows)
        head = self.horizontalHeader()
        self._model.sort(head.sortIndicatorSection(), head.sortIndicatorOrder())
        self.fit_type()

    def fit_type(self) -> None:
        """Give the names, which are the answer, all room but what the words and numbers need."""
        super().fit_type()
        for column in (EFFECT, Q, P):
            self.setColumnWidth(column, theme.px(self._widths[column]))
        beside = sum(self.columnWidth(column) for column in (EFFECT, Q, P) if not self.isColumnHidden(column))
        words = max(theme.px(self._widths[HOW]), self.horizontalHeader().sectionSizeHint(HOW))
        self.setColumnWidth(HOW, words)
        self.setColumnWidth(WHAT, max(theme.px(self._widths[WHAT]), self.viewport().width() - beside - words))
        self._lay_out()

    def _lay_out(self) -> None:
        """Let lines about groups cross all columns, and make rows as high as their names need."""
        head, lines, usual = self.verticalHeader(), self._model.lines, theme.px(ROW)
        head.setUpdatesEnabled(False)  # or each height is laid out at once
        for row in self._tall:
            if row < len(lines):
                head.resizeSection(row, usual)
        self._tall = []
        self.clearSpans()
        for row, each in enumerate(lines):
            if not isinstance(each, Contrast):
                self.setSpan(row, 0, 1, len(self._model.heads))
        many = 500  # lines beyond which all rows are as high as the longest name needs: to measure each takes seconds
        if len(lines) > many:
            longest = sorted(lines, key=lambda each: len(self._model.words(each)))[-many // 10 :]
            head.setDefaultSectionSize(max(map(self._height, longest)))
        else:
            head.setDefaultSectionSize(usual)
            for row, each in enumerate(lines):
                if (height := self._height(each)) > usual:
                    self._tall.append(row)
                    head.resizeSection(row, height)
        head.setUpdatesEnabled(True)

    def _height(self, each: Contrast | _Head | _More) -> int:
        """The height of a line whose name is whole."""
        text = line(self._model.words(each), 4 * LINE)
        size, bold, edges = theme.px(theme.BASE_PX), isinstance(each, _Head), 2 * theme.px(MARGIN)
        room = self.columnWidth(WHAT) - theme.px(MARGIN) if isinstance(each, Contrast) else self.viewport().width()
        more = len(lines_of(text, size, max(1, room - edges), bold=bold)) - 1
        return theme.px(ROW) + more * self.fontMetrics().lineSpacing()

    def line(self, place: int) -> object:
        """The row, or the line about a group, at a place."""
        return self._model.lines[place]

    def rows_listed(self) -> list[Contrast]:
        """The rows from top to bottom."""
        return [each for each in self._model.lines if isinstance(each, Contrast)]

    def place_of(self, row: Contrast) -> int:
        """The line of a row."""
        return self._model.lines.index(row)

    def _tell(self, index: QModelIndex) -> None:
        each = self._model.lines[index.row()]
        if isinstance(each, _More):
            self._model.show_whole(each.group)
            self._lay_out()
        elif isinstance(each, Contrast):
            self.chosen.emit(each)

    def _look(self, index: QModelIndex | QPersistentModelIndex) -> None:
        if index.isValid() and isinstance(each := self._model.lines[index.row()], Contrast):
            self.looked_at.emit(each)


def _rank(value: float, down: bool) -> tuple[bool, float]:
    """Return a sort key: the size of the number, and last where there is none."""
    return (False, -abs(value) if down else abs(value)) if isfinite(value) else (True, 0.0)


def _chance(p: float) -> str:
    """A p-value or rate: nobody needs to know how far below .001 it is."""
    if not isfinite(p):
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.995 else "1"


def _side(each: Contrast) -> str:
    more, less = ("later", "earlier") if each.dated else ("more of it", "less of it")
    return more if each.effect > 0.0 else less


def _signed(effect: float) -> str:
    """An effect with its direction."""
    return f"{'+' if effect > 0.0 else ''}{numbers.fraction(effect)}" if isfinite(effect) else "–"


def _named(each: Contrast) -> str:
    """The name below its view's; what is in no view is called by its kind."""
    if each.view:
        return f"feature {each.feature}" if each.feature.isdecimal() else each.feature
    return each.name if each.name.casefold().startswith(each.kind.casefold()) else f"{each.kind} {each.name}"
