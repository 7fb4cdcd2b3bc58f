"""The table of samples in the window: in the panels' place, linked both ways, by mouse and by keys alone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QStyleOptionHeaderV2, QWidget
from windows import laid_out, show_fresh, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.samples.query import Condition

pytestmark = pytest.mark.panels(1)
KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
MODIFIER = Qt.KeyboardModifier
NONE, CTRL, SHIFT = MODIFIER.NoModifier, MODIFIER.ControlModifier, MODIFIER.ShiftModifier


@pytest.fixture
def open_table(window, rest):
    """Shows the table of samples by its key."""

    def show():
        QTest.keyClick(window, KEY.Key_T)
        rest(window)
        QTest.keyClick(window.docks.samples.view, KEY.Key_Home, CTRL)  # it keeps its place from test to test
        return window.docks.samples

    return show


def heads(page):
    return list(page.view.rows_model.heads)


def shown(page, column):
    """The texts of a column from top to bottom."""
    rows = page.view.rows_model
    return [rows.cell(row, heads(page).index(column)) for row in range(rows.n_rows())]


def click(page, row, modifiers=NONE):
    view = page.view
    spot = QPoint(20, view.rowViewportPosition(row) + 10)
    QTest.mouseClick(view.viewport(), LEFT, modifiers, spot)


def selected(window):
    return list(window.document.state.selection)


def test_key_t_shows_it_in_the_panels_place_and_escape_goes_back(window, open_table):
    page = open_table()
    assert page.isVisible()
    assert not window.grid.isVisible()
    assert window.points.isVisible()
    assert [window.bottom.tabs.tabText(k) for k in range(window.bottom.tabs.count())] == [
        "Tune", "Compare", "Validate", "Inside",
    ]  # fmt: skip
    assert heads(page)[:4] == ["id", "label", "batch", "angle (true)"]
    measured = [f"feature {k}, plain" for k in (1, 2)] + [f"feature {k}, wavy" for k in (1, 2, 3)]
    assert heads(page)[4:] == measured
    assert shown(page, "id") == [f"s{k:02d}" for k in range(48)]
    QTest.keyClick(page.view, KEY.Key_Escape)
    assert window.grid.isVisible()
    assert not page.isVisible()


def test_looking_at_it_is_no_edit(window, open_table):
    page = open_table()
    page.view.sort_wanted.emit(3)
    page.filters.ids.setText("s1")
    window.samples.table.add(Condition("labels", "=", "a"))
    assert window.document.undo_label is None


def test_a_click_selects_a_row_everywhere_and_undo_gives_it_back(window, open_table, rest):
    page = open_table()
    click(page, 3)
    assert selected(window) == [3]
    assert window.document.state.selections.origin == "rows of the table"
    click(page, 5, SHIFT)
    assert selected(window) == [3, 4, 5]
    click(page, 7, CTRL)
    assert selected(window) == [3, 4, 5, 7]
    click(page, 4, CTRL)
    assert selected(window) == [3, 5, 7]
    window.document.undo()
    window.document.undo()
    rest(window)
    assert [row for row in range(48) if page.view.rows_model.is_selected(row)] == [3, 4, 5]
    assert page.note.accessibleName() == "3 selected"


def test_a_drag_selects_its_rows_as_one_step(window, open_table):
    page = open_table()
    view = page.view.viewport()
    places = [QPoint(20, page.view.rowViewportPosition(row) + 10) for row in (2, 4, 6)]
    QTest.mousePress(view, LEFT, NONE, places[0])
    for place in places[1:]:
        QTest.mouseMove(view, place)
    assert selected(window) == []
    QTest.mouseRelease(view, LEFT, NONE, places[-1])
    assert selected(window) == [2, 3, 4, 5, 6]
    window.document.undo()
    assert selected(window) == []


def test_what_is_selected_elsewhere_is_marked_and_comes_into_sight(window, open_table):
    page = open_table()
    window.resize(1280, 720)
    last = 47
    assert page.view.rowAt(page.view.viewport().height() - 1) < last
    window.editor.select([last])
    assert page.view.rows_model.is_selected(last)
    assert page.view.viewport().rect().contains(20, page.view.rowViewportPosition(last))


def test_selected_rows_stay_those_of_their_samples_when_the_order_changes(window, open_table):
    page = open_table()
    click(page, 3)
    place = heads(page).index("angle (true)")
    page.view.sort_wanted.emit(place)
    page.view.sort_wanted.emit(place)
    assert shown(page, "id")[0] == "s47"
    assert [shown(page, "id")[row] for row in range(48) if page.view.rows_model.is_selected(row)] == ["s03"]
    click(page, 0)
    assert selected(window) == [47]


def test_a_sort_by_its_head_shows_what_comes_first_where_nothing_is_selected(window, open_table):
    page = open_table()
    page.view.setCurrentIndex(page.view.rows_model.index(30, 0))
    place = heads(page).index("angle (true)")
    for first in ("s00", "s47"):
        page.view.sort_wanted.emit(place)
        assert page.view.verticalScrollBar().value() == 0
        assert (page.view.currentIndex().row(), shown(page, "id")[0]) == (0, first)
    assert not selected(window)


def test_by_keys_alone_it_is_sorted_filtered_searched_selected_and_left(window, open_table, rest):
    page = open_table()
    view = page.view
    assert QApplication.focusWidget() is view
    for _ in range(3):
        QTest.keyClick(view, KEY.Key_Right)
    QTest.keyClick(view, KEY.Key_S)
    QTest.keyClick(view, KEY.Key_S)
    assert window.samples.table.query.sort == "latent:angle"
    assert window.samples.table.query.descending
    for _ in range(2):
        QTest.keyClick(view, KEY.Key_Left)
    QTest.keyClick(view, KEY.Key_F)  # by the label of this row
    assert QApplication.focusWidget() is page.filters.value
    assert page.filters.value.text() == "a"
    QTest.keyClicks(page.filters.value, "c")
    QTest.keyClick(page.filters.value, KEY.Key_Return)
    assert shown(page, "label") == ["c"] * 16
    assert QApplication.focusWidget() is view
    QTest.keyClick(view, KEY.Key_A, CTRL)
    assert selected(window) == list(range(32, 48))
    assert window.document.state.selections.origin == "table: label = c"
    QTest.keyClick(view, KEY.Key_Home, CTRL)
    QTest.keyClick(view, KEY.Key_Space)
    assert 47 not in selected(window)
    QTest.keyClick(view, KEY.Key_Down)
    QTest.keyClick(view, KEY.Key_Down, SHIFT)
    assert selected(window) == [45, 46]
    QTest.keyClick(view, KEY.Key_C)
    assert window.document.state.colour == "labels"
    for _ in range(20):
        if QApplication.focusWidget() is page.filters.ids:
            break
        QTest.keyClick(QApplication.focusWidget(), KEY.Key_Tab, SHIFT)
    assert QApplication.focusWidget() is page.filters.ids
    QTest.keyClicks(page.filters.ids, "S4")
    assert shown(page, "id") == [f"s{k}" for k in range(47, 39, -1)]
    QTest.keyClick(page.filters.ids, KEY.Key_Escape)
    rest(window)
    assert window.grid.isVisible()


def test_return_shows_the_card_of_the_sample(window, open_table):
    page = open_table()
    QTest.keyClick(page.view, KEY.Key_Down)
    QTest.keyClick(page.view, KEY.Key_Return)
    assert window.hover.kept == 1


def test_filters_stand_above_and_are_taken_away_one_by_one(window, open_table):
    page = open_table()
    window.samples.table.add(Condition("labels", "≠", "a"))
    window.samples.table.add(Condition("column:batch", "=", "odd"))
    assert [chip.text() for chip in page.filters.chips] == ["label ≠ a  ×", "batch = odd  ×"]
    assert page.count.text() == "16 of 48 samples"
    page.take.click()
    assert selected(window) == list(range(17, 48, 2))
    page.filters.chips[0].click()
    assert [chip.text() for chip in page.filters.chips] == ["batch = odd  ×"]
    page.all.click()
    assert page.count.text() == "48 samples"


def test_a_value_that_does_not_fit_is_told_in_a_sentence_and_stays_to_be_mended(window, open_table):
    page = open_table()
    failures = []
    window.editor.failed.connect(failures.append)
    page.filters.begin("latent:angle", "soon")
    page.filters.add()
    assert [str(error.message) for error in failures] == ["“soon” is no number, and “angle (true)” holds numbers."]
    assert page.filters.value.text() == "soon"
    assert page.filters.chips == []
    window.editor.failed.disconnect(failures.append)


def test_only_selected_follows_the_selection(window, open_table):
    page = open_table()
    window.editor.select([4, 9])
    page.only.click()
    assert shown(page, "id") == ["s04", "s09"]
    click(page, 1)
    assert selected(window) == [4, 9], "a click there keeps the rows, and shows the sample's card"
    assert window.hover.kept == 9
    window.editor.select([11])
    assert shown(page, "id") == ["s11"]
    page.only.click()
    assert len(shown(page, "id")) == 48


def test_copied_rows_are_text_with_tabs_for_a_spreadsheet(window, open_table):
    page = open_table()
    click(page, 2)
    QTest.keyClick(page.view, KEY.Key_C, CTRL)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:3] == ["id", "label", "batch"]
    assert [each.split("\t")[0] for each in lines[1:]] == ["s02"]
    assert page.note.accessibleName() == "Copied 1 selected row."


def test_selected_and_shown_rows_can_both_be_copied_and_say_how_many_they_are(window, open_table):
    page = open_table()
    window.samples.table.add(Condition("labels", "=", "b"))
    menu = page.copy_menu()
    assert [(a.text(), a.isEnabled()) for a in menu.actions()] == [
        ("Copy 0 selected rows", False), ("Copy 16 shown rows", True),
    ]  # fmt: skip
    click(page, 2)
    menu = page.copy_menu()
    assert [a.text() for a in menu.actions()] == ["Copy 1 selected row", "Copy 16 shown rows"]
    menu.actions()[0].trigger()
    assert [each.split("\t")[0] for each in QApplication.clipboard().text().splitlines()] == ["id", "s18"]
    menu.actions()[1].trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 17
    assert page.note.accessibleName() == "Copied 16 shown rows."


def test_a_value_that_means_nothing_in_another_column_goes_with_the_former_one(window, open_table):
    page = open_table()
    filters = page.filters

    def left(source, text):
        filters.value.setText(text)
        filters._choose(source)
        filters.column.activated.emit(filters.column.currentIndex())
        return filters.value.text()

    assert left("latent:angle", "malignant") == ""
    assert left("latent:angle", "1.5") == "1.5"
    assert left("column:batch", "1.5") == ""
    assert left("column:batch", "OD") == "OD"
    assert left("id", "s1") == "s1"


def test_coordinates_follow_the_panels(window, open_table, rest):
    page = open_table()
    assert not any("psi1" in head for head in heads(page))
    page.coordinates.click()
    name = next(head for head in heads(page) if "psi1" in head)
    assert heads(page).index(name) > heads(page).index("feature 3, wavy")
    before = shown(page, name)
    view = window.document.state.views[0].name
    window.editor.set_epsilon(view, 0.9)
    rest(window)
    assert shown(page, name) != before
    page.view.sort_wanted.emit(heads(page).index(name))
    page.coordinates.click()
    assert not any("psi1" in head for head in heads(page))
    assert window.samples.table.query.sort == "", "no order by what is not seen"


def test_the_list_of_columns_is_searched_by_typing(window, open_table):
    page = open_table()
    box = page.filters.column
    box.setFocus()
    QTest.keyClick(box, KEY.Key_W)
    popup = box.popup
    assert popup.search.text() == "w"
    QTest.keyClicks(popup.search, "avy 2")
    assert [popup.list.item(row).text() for row in range(popup.list.count())] == ["Columns of wavy", "feature 2, wavy"]
    QTest.keyClick(popup.search, KEY.Key_Return)
    page.filters.how.setCurrentText(">")
    page.filters.value.setText("0")
    page.filters.add()
    assert [chip.text() for chip in page.filters.chips] == ["feature 2, wavy > 0  ×"]
    expected = np.flatnonzero(window.document.data.Xs[1][:, 1] > 0)
    assert window.samples.table.rows.tolist() == expected.tolist()


def test_a_coordinate_that_a_search_finds_is_shown_with_the_others(window, open_table):
    page = open_table()
    source = next(s for group in window.samples.table.search("psi1") for s in group.sources)
    page.filters.chosen.emit(source)
    assert page.coordinates.isChecked()
    assert page.view.currentIndex().column() == [c.source for c in window.samples.table.columns].index(source)


def test_one_of_very_many_features_becomes_a_column_in_sight_once_it_was_chosen(window, open_table, rest):
    page = open_table()
    X = np.random.default_rng(0).normal(size=(48, 230))
    names = [[f"measured_in_the_same_way_{k}" for k in range(230)]]
    show_fresh(window, MultiView({"plain": X}, feature_names=names), 1)
    rest(window)
    assert not [head for head in heads(page) if "measured" in head]
    page.filters.column.showPopup()
    popup = page.filters.column.popup
    QTest.keyClicks(popup.search, "way_207")
    QTest.keyClick(popup.search, KEY.Key_Return)
    assert heads(page)[1] == "measured_in_the_same_way_207, plain"
    assert page.view.currentIndex().column() == 1
    page.filters.value.setText("0")
    page.filters.how.setCurrentText("<")
    page.filters.add()
    assert window.samples.table.rows.tolist() == np.flatnonzero(X[:, 207] < 0).tolist()


def test_names_of_columns_are_cut_to_what_tells_them_apart(window, open_table, rest):
    page = open_table()
    plain = np.random.default_rng(0).normal(size=(48, 2))
    names = [f"all_of_them_begin_so_{k}_and_they_end_so" for k in ("first", "second")]
    show_fresh(window, MultiView({"plain": plain}, feature_names=[names]), 1)
    rest(window)
    box, head = page.filters.column, page.view.horizontalHeader()
    for place, telling in enumerate(("first", "second"), start=1):
        box.setCurrentIndex(place)
        assert telling in box.cut(box.currentText(), 100)
        option = QStyleOptionHeaderV2()
        head.initStyleOption(option)
        head.initStyleOptionForIndex(option, place)
        assert telling in option.text
        assert option.fontMetrics.horizontalAdvance(option.text) <= head.sectionSize(place)


def show_named(window, ids, columns=None):
    plain = np.random.default_rng(0).normal(size=(len(ids), 2))
    show_fresh(window, MultiView({"plain": plain}, sample_ids=ids, columns=columns or {}), 1)


def drawn(page, column):
    """The texts of a column in the first rows as they are drawn."""
    return page.view.shown_texts(range(min(20, page.view.rows_model.n_rows())), column, page.view.fontMetrics())


def test_ids_are_whole_where_there_is_room_and_else_told_by_what_differs(window, open_table, rest):
    page = open_table()
    ids = [f"Clinic-{'AB'[k % 2]}/20{20 + k % 5}/{k:04d}/left" for k in range(48)]
    groups = np.array([f"carcinoma of grade {k % 3} of the breast" for k in range(48)])
    show_named(window, ids, {"grade": groups})
    rest(window)
    assert drawn(page, 0) == ids[:20]
    page.view.setColumnWidth(0, 104)
    page.view.setColumnWidth(1, 100)
    words = drawn(page, 0)
    assert len({*words}) == 20
    for id, text in zip(ids, words, strict=False):
        head, _, tail = text.partition("…")
        assert [each for each in ids if each.startswith(head) and each.endswith(tail)] == [id]
    assert all(page.view.fontMetrics().horizontalAdvance(text) <= 104 - 16 for text in words)
    grades = drawn(page, 1)
    assert len({*grades}) == 3
    assert grades == [grades[k % 3] for k in range(20)]
    tip = page.view.rows_model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert ids[3] in tip


def test_of_very_many_ids_what_all_share_goes(window, open_table, rest):
    page = open_table()
    ids = [f"measured_at_the_clinic_{k:04d}_on_the_left_side" for k in range(400)]
    show_named(window, ids)
    rest(window)
    page.view.setColumnWidth(0, 90)
    assert [f"{k:04d}"[1:] in text for k, text in enumerate(drawn(page, 0))] == [True] * 20


def test_no_words_and_no_buttons_are_cut_where_all_columns_of_the_window_are_open(window, open_table, rest):
    page = open_table()
    window.resize(1280, 720)
    window.samples.toggle_charts()
    laid_out()
    if not window.points.isVisible():
        window.docks.toggle_points()
    laid_out()
    assert window.points.isVisible()
    window.editor.select(range(40))
    window.samples.table.add(Condition("labels", "=", "a"))
    laid_out()
    assert page.note.text() == "40 selected, 24 hidden"
    for button in page.findChildren(QPushButton):
        assert button.width() >= button.sizeHint().width(), button.text()
        right = button.mapTo(page, QPoint(button.width(), 0)).x()
        assert right <= page.width(), button.text()
    assert page.mapTo(window, QPoint(page.width(), 0)).x() <= window.points.mapTo(window, QPoint(0, 0)).x()


def test_small_multiples_take_the_place_of_the_table(window, open_table, rest):
    page = open_table()
    window.editor.change_multiples("Small multiples", shown=True)
    assert not page.isVisible()
    window.editor.change_multiples("Close", shown=False)
    window.workbench.multiples.stop()


def test_dates_of_two_meanings_are_asked_before_they_are_opened(window, qtbot, tmp_path):
    lines = [f"p{k % 9},{1 + k % 6:02d}/{1 + k % 3:02d}/2024,{k},{k * k % 7}" for k in range(18)]
    file = tmp_path / "visits.csv"
    file.write_text("\n".join(["ward,visit,a,b", *lines]), "utf-8")
    window.library.imports.begin((str(file),), ReadOptions())
    page = window.docks.importing
    importing = page.importing
    qtbot.waitUntil(lambda: importing.state == "ready")
    buttons = {b.text(): b for row in page.checks.rows for b in row.buttons}
    assert [buttons[order].isChecked() for order in ("Day first", "Month first")] == [True, False]
    buttons["Month first"].click()
    qtbot.waitUntil(lambda: importing.state == "ready" and importing.options.dates == "month-first")
    buttons = {b.text(): b for row in page.checks.rows for b in row.buttons}
    assert [buttons[order].isChecked() for order in ("Day first", "Month first")] == [False, True]
    assert "“visit” reads" not in page.checks.notes.text()


def test_other_data_is_shown_in_it_whatever_its_names(window, open_table, rest):
    page = open_table()
    names = ["<b>bold</b>", "=cmd|' /C calc'!A0", "a\nb", "&amp;", "‮"]
    columns = {f"{name}{k}": np.array(names)[np.arange(48) % 5] for k, name in enumerate(names)}
    plain = small_data()
    ids = [f"{k} {names[k % 5]}" for k in range(48)]
    show_fresh(window, MultiView({"plain": plain.Xs[0]}, sample_ids=ids, columns=columns), 1)
    rest(window)
    rows = page.view.rows_model
    assert rows.n_rows() == 48
    role = Qt.ItemDataRole.DisplayRole
    texts = [rows.data(rows.index(row, k), role) for row in range(5) for k in range(6)]
    assert not [text for text in texts if "\n" in text]
    tips = [rows.data(rows.index(0, k), Qt.ItemDataRole.ToolTipRole) for k in range(6)]
    assert not [tip for tip in tips if "<b>" in tip]


def widgets(page):
    return len(page.findChildren(QWidget))


def test_widgets_do_not_grow_with_rows_or_columns(window, open_table, rest):
    page = open_table()
    before = widgets(page)
    many = 3000
    drawn = np.random.default_rng(0).normal(size=(many, 2))
    columns = {f"column {k}": drawn[:, k % 2] + k for k in range(300)}
    data = MultiView({"plain": drawn, "wavy": drawn}, columns=columns)
    window.document.reset(window.document.state.model_copy(update={"panels": ()}), data)
    rest(window)
    assert page.view.rows_model.n_rows() == many
    assert page.view.rows_model.columnCount() >= 300
    assert widgets(page) == before
