"""The table of what sets chosen samples apart: classes and features with the size of each effect."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from PySide6.QtCore import QModelIndex, Qt, Signal

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.text_table import TextModel, TextTable

WHAT, HOW, EFFECT, P = range(4)


class Separating(Protocol):
    """One class, feature or column that sets the chosen samples apart, as `mvx.separation` finds it."""

    @property
    def kind(self) -> str:
        """``class`` for a class, else what its values are."""

    @property
    def name(self) -> str:
        """The name of the class, feature or column."""

    @property
    def effect(self) -> float:
        """How much it sets them apart."""

    @property
    def p(self) -> float:
        """Its p-value, corrected for how many there are."""

    @property
    def words(self) -> str:
        """The effect in words, such as “81 % of the selection, 8 % of the rest”."""


class SeparationModel(TextModel):
    """The rows in the order that the user chose, at first the largest effects."""

    heads = ("What", "How it differs", "Effect", "p (corrected)")
    meanings = (
        "The class, feature or column that is compared between the selection and the rest.",
        "Of a class: its share of the selection and of the rest. Of a number: AUC, the probability that a selected "
        "sample has the larger value; .5 is no difference.",
        "Effect size in standard deviations. Of a number: Cohen's d, the difference of the means. Of a class: its log "
        "odds ratio in the same unit.",
        "p: how often as many samples drawn at random differ as much. Corrected for the number of comparisons (Holm).",
    )
    right = frozenset((EFFECT, P))

    def __init__(self, rows: Sequence[Separating] = ()) -> None:
        super().__init__()
        self.rows = list(rows)

    def n_rows(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> str:
        each = self.rows[row]
        if column in (EFFECT, P):
            value = each.effect if column == EFFECT else each.p
            if not isfinite(value):
                return "–"
            return numbers.fraction(value) if column == EFFECT else _chance(value)
        if column == WHAT:
            return _named(each)
        if _is_number(each):
            return each.words.rpartition(", ")[2]  # d stands beside it
        inside, _, outside = each.words.partition(" of the selection, ")
        return f"{inside}, rest {outside.removesuffix(' of the rest')}" if outside else each.words

    def kind_of(self, row: int) -> str:
        return self.rows[row].kind

    def about(self, row: int, column: int) -> str:
        each = self.rows[row]
        act = "select these samples" if each.kind == "class" else "colour by it"
        words = f"{each.words}, p {_chance(each.p)} (corrected)" if isfinite(each.p) else each.words
        return f"{_named(each)}: {words}. Click to {act}."

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by a column; what has no number comes last."""
        down = order == Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        if column in (EFFECT, P):
            self.rows.sort(key=lambda each: _rank(each.effect if column == EFFECT else each.p, down))
        else:
            self.rows.sort(key=lambda each: _named(each) if column == WHAT else each.words, reverse=down)
        self.layoutChanged.emit()

    def show_rows(self, rows: Sequence[Separating]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()


class SeparationTable(TextTable):
    """The table; a click on a head sorts it, a click on a row (or Return) says which was `chosen`."""

    chosen = Signal(object)

    def __init__(self, rows: Sequence[Separating] = ()) -> None:
        self._model = SeparationModel(rows)
        super().__init__(self._model, "What sets the samples apart", (120, 120, 80, 104), HOW)
        self.menus = frozenset((WHAT, HOW, EFFECT, P))
        self.acted.connect(self._tell)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(EFFECT, Qt.SortOrder.DescendingOrder)

    def show_rows(self, rows: Sequence[Separating]) -> None:
        """Show other rows, in the order that is chosen."""
        self._model.show_rows(rows)
        head = self.horizontalHeader()
        self._model.sort(head.sortIndicatorSection(), head.sortIndicatorOrder())
        self.fit_type()

    def fit_type(self) -> None:
        """Give the names, which are the answer, all room but what the words and numbers need."""
        super().fit_type()
        for column in (EFFECT, P):
            self.setColumnWidth(column, theme.px(self._widths[column]))
        beside = sum(self.columnWidth(column) for column in (EFFECT, P) if not self.isColumnHidden(column))
        words = max(self.widest(HOW), self.horizontalHeader().sectionSizeHint(HOW))
        room = self.viewport().width() - beside - words
        self.setColumnWidth(WHAT, max(theme.px(self._widths[WHAT]), min(self.widest(WHAT), room)))

    def row(self, place: int) -> Separating:
        """The class, feature or column in a row."""
        return self._model.rows[place]

    def _tell(self, index: QModelIndex) -> None:
        self.chosen.emit(self._model.rows[index.row()])


def _rank(value: float, down: bool) -> tuple[bool, float]:
    """Return a sort key: the size of the number, and last where there is none."""
    return (False, -abs(value) if down else abs(value)) if isfinite(value) else (True, 0.0)


def _chance(p: float) -> str:
    """A p-value: nobody needs to know how far below .001 it is."""
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.995 else "1"


def _is_number(each: Separating) -> bool:
    return each.words.startswith("d ")


def _named(each: Separating) -> str:
    return each.name if each.name.casefold().startswith(each.kind.casefold()) else f"{each.kind} {each.name}"
