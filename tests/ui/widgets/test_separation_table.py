"""The table of what sets samples apart: by view, sorted, names whole and as text, and it tells what was clicked."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.two_strips import TwoStrips
from mvexplorer.ui.widgets.plots.wrapped import lines_of
from mvexplorer.ui.widgets.separation_table import EFFECT, FIRST, HOW, WHAT, P, Q, SeparationTable


def feature(name: str, effect: float, view: str = "fou", p: float = 1e-6, q: float = 0.01) -> Contrast:
    words = f"d {effect:.1f}, AUC 0.43".replace("-", "−")
    return Contrast("feature", f"{view} {name}", effect, p, words, f"feature:{view}:1", view=view, q=q)


SHARES = "81 % of the selection, 8 % of the rest"
ROWS = (
    Contrast("class", "<b>nine</b>", 2.5, 0.01, SHARES, "labels", "<b>nine</b>", 0.81, 0.08, q=0.004),
    feature("12", -1.4),
    feature("7", 0.9, "mor", 0.2, 0.06),
    Contrast("column", "weight", 0.3, float("nan"), "d 0.3, AUC 0.55", "column:weight"),
)


@pytest.fixture
def table(app, qtbot):
    made = SeparationTable()
    qtbot.addWidget(made)
    made.resize(640, 300)
    made.show_rows(ROWS)
    made.show()
    return made


def texts(table, column: int) -> list[str]:
    return [table.model().index(row, column).data() for row in range(table.model().rowCount())]


def names(table) -> list[str]:
    return [row.name for row in table.rows_listed()]


def test_rows_stand_below_their_view_with_direction_and_rates(table):
    assert texts(table, WHAT) == [
        "Classes and columns: 2, of which 1 with q ≤ .05", "class <b>nine</b>", "column weight",
        "fou: 1 feature, 1 with q ≤ .05", "feature 12",
        "mor: 1 feature, 0 with q ≤ .05", "feature 7",
    ]  # fmt: skip
    assert texts(table, EFFECT) == ["", "+2.50", "+.30", "", "−1.40", "", "+.90"]
    assert texts(table, P) == ["", ".010", "–", "", "< .001", "", ".200"]
    assert texts(table, Q) == ["", ".004", "–", "", ".010", "", ".060"]
    assert texts(table, HOW)[1:3] == ["81 %, rest 8 %", "AUC 0.55"]


def test_rates_below_a_thousandth_have_room_beside_the_margins_of_the_window(table):
    table.show_rows([feature("12", -1.4, q=1e-9)])
    margins = 4 * theme.px(8)  # the style sheet's, and the style's own
    assert table.columnWidth(Q) >= table.fontMetrics().horizontalAdvance(texts(table, Q)[1]) + margins


def test_dates_are_earlier_or_later(table):
    words = "mean 2023-01-02 against 2023-05-06, d −1.2, AUC 0.20"
    table.show_rows([Contrast("column", "visit", -1.2, 0.01, words, "column:visit", q=0.01, dated=True)])
    assert texts(table, HOW)[1] == "earlier"
    about = table.model().index(1, WHAT).data(Qt.ItemDataRole.ToolTipRole)
    assert "column visit: earlier, mean 2023-01-02 against 2023-05-06" in about


def test_heads_say_the_unit_and_explain_d_auc_and_both_corrections(table):
    def head(column, role):
        return table.model().headerData(column, Qt.Orientation.Horizontal, role)

    about = table.model().index(1, HOW).data(Qt.ItemDataRole.ToolTipRole)
    assert f"{SHARES}, q .004, p .010 (corrected)" in about
    assert head(EFFECT, Qt.ItemDataRole.DisplayRole) == "Effect (s.d.)"
    for column, words in ((P, "Holm"), (EFFECT, "Cohen"), (HOW, "AUC, the probability"), (Q, "Benjamini")):
        assert words in head(column, Qt.ItemDataRole.ToolTipRole)


LONG = [
    feature(f"feature_0000{number}_of_metabolites_untargeted_positive_mode", effect)
    for number, effect in ((100017, 3.0), (100018, 2.0), (200017, 1.0))
]


@pytest.mark.parametrize("width", [260, 400, 900])
def test_names_are_whole_at_every_width(table, width):
    table.show_rows(LONG)
    table.resize(width, 300)
    room = table.columnWidth(WHAT) - 3 * theme.px(8)
    metrics = table.fontMetrics()
    for row, each in enumerate(LONG, start=1):
        lines = lines_of(table.model().index(row, WHAT).data(), theme.px(theme.BASE_PX), room)
        assert "".join(lines) == each.feature
        assert len(lines) * metrics.lineSpacing() <= table.rowHeight(row)
        assert max(map(metrics.horizontalAdvance, lines)) <= room + 1
    assert (table.rowHeight(1) > theme.px(26)) == (len(lines) > 1)
    table.resize(900, 300)
    assert table.rowHeight(1) == theme.px(26), "rows are low again where there is room"


def test_the_largest_effects_of_a_view_stand_first_and_heads_sort_within_views(table):
    rows = (feature("a", 0.4, q=0.03), feature("b", -2.0, q=0.2), feature("c", 1.0, q=0.001), feature("z", 9.0, "mor"))
    table.show_rows(sorted(rows, key=lambda row: -abs(row.effect)))
    assert names(table) == ["mor z", "fou b", "fou c", "fou a"]
    table.sortByColumn(Q, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["mor z", "fou c", "fou a", "fou b"]
    table.sortByColumn(WHAT, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["mor z", "fou a", "fou b", "fou c"]
    table.show_rows(rows)
    assert names(table) == ["fou a", "fou b", "fou c", "mor z"]  # the order stays


def press(table, row: int) -> None:
    index = table.model().index(row, WHAT)
    table.scrollTo(index)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())


def test_a_click_tells_the_row_and_names_stay_text(table):
    chosen, seen = [], []
    table.chosen.connect(chosen.append)
    table.looked_at.connect(seen.append)
    press(table, 4)
    assert chosen == seen == [ROWS[1]]
    press(table, 3)  # a view's own line
    assert chosen == [ROWS[1]]
    about = table.model().index(1, WHAT).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;nine" in about
    assert "select these samples" in about


def test_a_wide_view_begins_with_its_first_rows_and_shows_all_on_request(table):
    rows = [feature(f"gene {k}", 3.0 - k / 10_000) for k in range(20_000)]
    table.show_rows([*rows, feature("x", 0.1, "mor")])
    widgets = len(table.findChildren(QWidget))
    assert names(table) == [*(row.name for row in rows[:FIRST]), "mor x"], "the next view is in sight"
    more = 1 + FIRST
    assert texts(table, WHAT)[more] == "Show 19,988 more rows"
    press(table, more)
    assert len(names(table)) == 20_001
    assert len(table.findChildren(QWidget)) == widgets, "widgets do not grow with the features"
    table.sortByColumn(EFFECT, Qt.SortOrder.AscendingOrder)
    assert names(table)[0] == "fou gene 19999"
    low = table.rowHeight(1)
    table.show_rows([feature("a name that goes on and on " * 8, 1.0), *rows])
    press(table, more)
    assert min(map(table.rowHeight, range(table.model().rowCount()))) > 3 * low, "the longest name is whole, too"
    table.show_rows(ROWS)
    assert table.rowHeight(1) == low


def test_strips_show_both_groups_and_say_their_means(app, qtbot):
    strips = TwoStrips()
    qtbot.addWidget(strips)
    strips.resize(300, 200)
    strips.show_groups("<b>x</b>", ("early", "rest"), (np.array([1.0, 3.0]), np.array([0.0, 0.0, 3.0])), shares=False)
    assert strips.accessibleDescription() == "<b>x</b>: early: mean 2.00 of 2 samples; rest: mean 1.00 of 3 samples"
    full = strips.grab().toImage()
    strips.show_groups("class a", ("early", "rest"), (np.array([1.0]), np.array([0.25])), shares=True)
    assert strips.accessibleDescription() == "class a: early 100 %; rest 25 %"
    assert strips.grab().toImage() != full
    strips.show_nothing()
    assert strips.accessibleDescription() == ""


def test_a_long_name_gives_way_to_the_mean_behind_it(app, qtbot):
    strips = TwoStrips()
    qtbot.addWidget(strips)
    names = "cluster 2 of a panel with a long name", "rest"
    strips.show_groups("x", names, (np.array([1.0, 3.0]), np.array([0.0])), shares=False)
    for room in (150, 250):
        shown = strips._words(0, room)
        assert shown.endswith(": mean 2.00 of 2 samples")
        assert "…" in shown
        assert theme.metrics(theme.font(theme.px(theme.SMALL_PX))).horizontalAdvance(shown) <= room
    assert strips._words(0) == f"{names[0]}: mean 2.00 of 2 samples"


def test_long_names_break_at_their_joints():
    size, room = theme.px(theme.BASE_PX), 180
    name = "wine_sample_measured_in_the_laboratory_total_phenols"
    lines = lines_of(name, size, room)
    assert len(lines) > 1
    assert "".join(lines) == name
    assert all(each.endswith("_") for each in lines[:-1])
    assert "".join(lines_of("x" * 90, size, room)) == "x" * 90
    assert lines_of("from -0.371 to 2021-03-01", size, 80)[0] == "from -0.371"
