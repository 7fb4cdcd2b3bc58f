"""The table of what sets samples apart: it sorts, shows hostile names as text, and tells what was clicked."""

from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem

from mvexplorer.ui.widgets.separation_table import EFFECT, HOW, WHAT, P, SeparationTable


@dataclass(frozen=True)
class Row:
    kind: str
    name: str
    effect: float
    p: float
    words: str


ROWS = (
    Row("feature", "fou 12", -1.4, 1e-6, "d −1.4"),
    Row("class", "<b>nine</b>", 2.5, 0.01, "81 % of the selection, 8 % of the rest"),
    Row("column", "weight", 0.3, float("nan"), "d 0.3"),
)


@pytest.fixture
def table(app, qtbot):
    made = SeparationTable()
    qtbot.addWidget(made)
    made.resize(480, 200)
    made.show_rows(ROWS)
    made.show()
    return made


def names(table) -> list[str]:
    return [table.row(k).name for k in range(3)]


def test_effects_and_chances_are_short(table):
    texts = [[table.model().index(row, column).data() for column in (EFFECT, P)] for row in range(3)]
    assert texts == [["2.50", ".010"], ["−1.40", "< .001"], [".30", "–"]]


def test_what_differs_is_told_once(table):
    table.show_rows([Row("feature", "fac 156", -0.26, 0.01, "d −0.3, AUC 0.43")])
    assert table.model().index(0, HOW).data() == "AUC 0.43"
    assert "p .010 (corrected)" in table.model().index(0, HOW).data(Qt.ItemDataRole.ToolTipRole)
    assert "d −0.3" in table.model().index(0, HOW).data(Qt.ItemDataRole.ToolTipRole)
    table.resize(316, 200)
    head = table.horizontalHeader()
    metrics = QFontMetrics(head.font())
    arrow = head.style().pixelMetric(head.style().PixelMetric.PM_HeaderMarkSize, None, head)
    assert table.columnWidth(EFFECT) >= metrics.horizontalAdvance("Effect") + 2 * arrow


def test_heads_say_that_p_is_corrected_and_explain_d_and_auc(table):
    def head(column, role):
        return table.model().headerData(column, Qt.Orientation.Horizontal, role)

    table.show_rows(ROWS)
    assert table.model().index(0, HOW).data() == "81 %, rest 8 %"
    about = table.model().index(0, HOW).data(Qt.ItemDataRole.ToolTipRole)
    assert "81 % of the selection, 8 % of the rest, p .010 (corrected)" in about
    assert head(P, Qt.ItemDataRole.DisplayRole) == "p (corrected)"
    for column, words in ((P, "Holm"), (EFFECT, "Cohen"), (HOW, "AUC, the probability")):
        assert words in head(column, Qt.ItemDataRole.ToolTipRole)


LONG = [
    Row("feature", f"feature_0000{number} of metabolites_untargeted", effect, 0.01, "AUC 0.90, d 1.0")
    for number, effect in ((100017, 3.0), (100018, 2.0), (200017, 1.0))
]


def painted(table, column: int) -> list[str]:
    """The texts of a column as they are painted."""
    texts = []
    for row in range(table.model().rowCount()):
        index, option = table.model().index(row, column), QStyleOptionViewItem()
        option.initFrom(table)
        option.rect, option.widget = table.visualRect(index), table
        table.itemDelegate().initStyleOption(option, index)
        texts.append(option.text)
    return texts


def test_names_are_whole_where_there_is_room_for_them(table):
    table.show_rows(LONG)
    table.resize(760, 200)
    assert painted(table, WHAT) == [row.name for row in LONG]
    assert table.columnWidth(HOW) >= table.widest(HOW)


@pytest.mark.parametrize("width", [260, 300, 340, 400])
def test_names_that_are_cut_never_read_the_same(table, width):
    table.show_rows(LONG)
    table.resize(width, 200)
    texts = painted(table, WHAT)
    assert len(set(texts)) == 3
    assert all(
        "…" in text and number in text for text, number in zip(texts, ("100017", "100018", "200017"), strict=True)
    )


def test_the_largest_effects_stand_first_and_heads_sort(table):
    assert names(table) == ["<b>nine</b>", "fou 12", "weight"]
    table.sortByColumn(P, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["fou 12", "<b>nine</b>", "weight"]  # what has no p comes last
    table.sortByColumn(WHAT, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["<b>nine</b>", "weight", "fou 12"]
    table.show_rows(ROWS[::-1])
    assert names(table) == ["<b>nine</b>", "weight", "fou 12"]  # the order stays


def test_a_click_tells_the_row_and_names_stay_text(table, qtbot):
    index = table.model().index(0, EFFECT)
    with qtbot.waitSignal(table.chosen) as told:
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
    assert told.args == [ROWS[1]]
    assert table.model().index(0, WHAT).data() == "class <b>nine</b>"
    about = table.model().index(0, WHAT).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;nine" in about
    assert "select these samples" in about
