"""The import page under the hand: mouse, keys, long names, and many rows; nobody reads the files."""

from dataclasses import replace
from time import thread_time

import numpy as np
import pytest
from looked_into import FILES, Reader, found, item
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QMenu, QPushButton, QWidget
from timed import timed

from mvexplorer.engine.core.notices import POSSIBLE_SPLIT, POSSIBLY_TURNED, UNEVEN_SCALES, Notice
from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.state.bench.importing import Importing
from mvexplorer.ui.importing import items, views
from mvexplorer.ui.importing.page import ImportPage
from mvexplorer.ui.style import theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def reader():
    return Reader()


@pytest.fixture
def make(app, qtbot, reader):
    def made(inspection=None, **changes):
        inspection = inspection or found(**changes)
        importing = Importing(reader, FILES, ReadOptions(), lambda loaded: None, inspection)
        page = ImportPage(importing)
        qtbot.addWidget(page)
        page.resize(1248, 640)
        with qtbot.waitExposed(page):
            page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        return page

    return made


def row_of(page, name):
    return next(i for i, each in enumerate(page.items.model_.lines) if each.title == name)


def click(table, row, column, modifiers=Qt.KeyboardModifier.NoModifier):
    at = table.visualRect(table.model().index(row, column)).center()
    QTest.mouseClick(table.viewport(), LEFT, modifiers, at)


def choose_from_menu(words):
    """Click what a menu that has just opened offers."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(a for a in menu.actions() if a.text().split("\t")[0] == words)
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def type_into(table, text):
    editor = table.viewport().findChild(QLineEdit)
    editor.clear()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.qWait(0)  # the table takes what was typed in its next turn


def test_rows_are_given_a_role_by_button_and_key(make, reader):
    page = make()
    assert not page.roles["ignore"].isEnabled()
    click(page.items, row_of(page, "age"), items.NAME)
    click(page.items, row_of(page, "site"), items.NAME, Qt.KeyboardModifier.ControlModifier)
    assert page.chosen.text() == "2 selected"
    QTest.mouseClick(page.roles["ignore"], LEFT)
    assert reader.asked == {"roles": {"age": "ignore", "site": "ignore"}}
    QTest.keyClick(page.items, Qt.Key.Key_V)
    assert reader.asked == {"roles": {"age": "view", "site": "view"}}


def test_roles_ranges_and_shapes_are_whole_in_a_small_window(make):
    many = tuple(replace(item(f"gene_{j:03d}"), low=-30900, high=28000) for j in range(1, 301))
    page = make(items=(item("X", kind="array"), *many, item("site", "colour", file=FILES[1])))
    room, letters = page.items.columnWidth(items.ROLE), page.items.fontMetrics()
    usual = [items.ROLE_WORDS[role] for role in items.LETTERS.values()]
    assert max(map(letters.horizontalAdvance, usual)) <= room - theme.px(8) - theme.px(22)
    shown = {items.NAME: "gene_001 … gene_300", items.TYPE: "300 × float64", items.RANGE: "−30900 … 28000"}
    for column, words in shown.items():
        indent = theme.px(32) if column == items.NAME else 0
        assert letters.horizontalAdvance(words) + 2 * 8 + indent <= page.items.columnWidth(column), words
    assert letters.horizontalAdvance("569 × 10") + 2 * 8 <= page.views.columnWidth(views.SHAPE)


def test_views_are_told_apart_in_a_small_window_and_whole_in_a_large_one(make):
    views = ("patients_cell_shape", "patients_largest_cells", "patients_variation")
    page = make(items=tuple(item(f"x{k}", "view", view) for k, view in enumerate(views)))
    table = page.items

    def drawn():
        places = [table.model().index(row, items.VIEW) for row in range(3)]
        cells = [table.visualRect(index).adjusted(theme.px(8), 0, -theme.px(22), 0) for index in places]
        shown = [items.shown_choice(v, room, table.fontMetrics(), views) for v, room in zip(views, cells, strict=True)]
        assert table.model_.views == views
        return shown

    assert len({*drawn()}) == 3
    assert all(any(telling in text for text in drawn()) for telling in ("shape", "cells", "variation"))
    page.resize(2500, 1300)
    QApplication.processEvents()
    assert drawn() == list(views)
    assert table.model().index(0, items.VIEW).data(Qt.ItemDataRole.ToolTipRole) == views[0]


def test_files_are_a_tree_in_which_columns_called_alike_are_one_line(make, reader):
    genes = tuple(replace(item(f"gene_{j:03d}"), low=-j, high=j, n_missing=j == 7) for j in range(1, 301))
    page = make(items=(item("who", "id"), *genes, item("age", "view", "clinic", FILES[1])))
    table, model = page.items, page.items.model_
    assert [(line.title, line.level) for line in model.lines] == [
        ("genes.csv", 0), ("who", 1), ("gene_001 … gene_300", 1), ("clinic.csv", 0), ("age", 1),
    ]  # fmt: skip
    row = row_of(page, "gene_001 … gene_300")
    assert [model.cell(row, column) for column in (items.TYPE, items.RANGE, items.MISSING, items.ROLE)] == [
        "300 × float64", "−300 … 300", "1", "View",
    ]  # fmt: skip
    name = model.index(row, items.NAME)
    assert name.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", collapsed")
    click(table, row, items.NAME)
    QTest.keyClick(table, Qt.Key.Key_Right)
    assert len(model.lines) == 305
    assert [line.title for line in model.lines[row + 1 : row + 3]] == ["gene_001", "gene_002"]
    QTest.keyClick(table, Qt.Key.Key_Left)
    assert len(model.lines) == 5
    QTest.keyClick(table, Qt.Key.Key_X)
    assert len(reader.asked["roles"]) == 300  # the whole group
    at = table.visualRect(model.index(0, items.NAME))
    QTest.mouseClick(table.viewport(), LEFT, pos=QPoint(at.left() + 4, at.center().y()))
    assert [line.title for line in model.lines] == ["genes.csv", "clinic.csv", "age"]


def test_gaps_of_a_file_are_told_from_those_of_the_samples_that_are_kept(make):
    page = make(items=(replace(item("age"), n_missing=28),))
    tip = page.items.model_.index(0, items.MISSING).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Missing in 4 rows of this file: 28. Views and check list count only samples that are kept."


def test_the_header_of_a_turned_table_is_called_a_header(make):
    page = make(items=(replace(item("gene", "id"), header=True), item("G1")))
    assert [line.title for line in page.items.model_.lines] == ["header", "G1"]


def test_a_click_on_a_role_offers_the_others(make, reader):
    page = make()
    click(page.items, row_of(page, "site"), items.ROLE)
    choose_from_menu("Label")
    assert reader.asked == {"roles": {"kind": "colour", "site": "label"}}


def test_columns_are_moved_to_a_view_by_menu_and_by_name(make, reader):
    page = make()
    click(page.items, row_of(page, "mu_a"), items.VIEW)
    choose_from_menu("clinic")
    assert reader.asked["split"] == {"genes": ("wt_a", "wt_b"), "clinic": ("mu_a", "age")}
    QTest.mouseClick(page.mover, LEFT)
    choose_from_menu("New view …")
    type_into(page.items, "mutant")
    assert reader.asked["split"] == {"genes": ("wt_a", "wt_b"), "mutant": ("mu_a",), "clinic": ("age",)}


def test_a_view_is_named_prepared_and_turned(make, reader):
    page = make()
    at = page.views.visualRect(page.views.model().index(1, views.NAME)).center()
    QTest.mouseClick(page.views.viewport(), LEFT, pos=at)
    QTest.mouseDClick(page.views.viewport(), LEFT, pos=at)
    type_into(page.views, "patients")
    assert reader.asked == {"names": {"clinic": "patients"}}
    QTest.mouseClick(page.turner, LEFT)
    assert reader.asked["transpose"] == ("clinic.csv",)
    click(page.views, 0, views.PREPARED)
    choose_from_menu("z-scored")
    assert page.importing.options.preprocess == ("zscore", "none")
    assert page.views.model().index(0, views.PREPARED).data() == "z-scored"


def test_what_is_prepared_is_shown_as_it_will_be(make, reader):
    page = make()
    scale, words = page.views.model().index(0, views.SCALE), page.sample_words

    def first(column):
        return [page.samples.model().index(row, column).data() for row in range(4)]

    assert (scale.data(), words.text()) == ("2.50", "First 4 of 4 samples")
    reader.background.at_once = False
    click(page.views, 0, views.PREPARED)
    choose_from_menu("z-scored")
    assert (scale.data(), words.text()) == ("2.50", "First 4 of 4 samples, before preprocessing")
    assert first(2)[0] == "0"
    reader.background.answer()
    z = zscored(page.importing.inspection.loaded.data.Xs[0])
    assert first(2) == [f"{value:.4g}".replace("-", "−") for value in z[:, 0]]
    distances = [((a - b) ** 2).sum() for i, a in enumerate(z) for b in z[:i]]
    assert float(scale.data()) == pytest.approx(np.median(distances), rel=0.01)
    assert words.text() == "First 4 of 4 samples"
    assert "2.50 in the files" in scale.data(Qt.ItemDataRole.ToolTipRole)
    page.importing.undo()
    assert (scale.data(), first(2)[0]) == ("2.50", "0")
    page.importing.set_preprocess("genes", "pca:1")
    reader.background.answer()
    assert page.samples.texts.heads[2:4] == ("genes · PC 1", "clinic · age")


def zscored(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_how_rows_are_joined_is_chosen_in_the_card_of_the_pairing(make, reader):
    page = make()
    join = page.menus["join"]
    assert join.isVisible()
    join.setFocus()
    while join.currentText() != "by position":
        QTest.keyClick(join, Qt.Key.Key_Down)
    assert reader.asked == {"join": "position"}
    assert not page.menus["half"].isVisible()
    reader.answer(found())
    assert page.menus["join"].isVisible()  # it outlives the card


def test_gaps_are_treated_as_proposed_until_another_way_is_chosen(make, reader):
    page = make(error=MissingValuesError("Gaps.", rows=(1,)), loaded=None)
    assert reader.asked == {"missing": "median"}
    assert page.bar.open.isEnabled()  # what is proposed can be opened
    reader.answer(found(notes=(Notice("filled", "Missing values were filled in."),)))
    QTest.qWait(0)  # the cards are shown in their next turn
    (card,) = [card for card in page.checks.cards if card.check.name == "missing"]
    assert card.state.text() == "proposal applied"
    assert [button.isChecked() for button in card.rows[0].buttons] == [False, True, False]
    QTest.mouseClick(card.rows[0].buttons[0], LEFT)
    assert reader.asked == {"missing": "drop"}


def card_of(page, name):
    return next(card for card in page.checks.cards if card.check.name == name)


def test_what_is_in_doubt_is_said_with_what_settles_it(make, reader):
    turned = Notice(POSSIBLY_TURNED, "Are the samples in columns?", ("genes.csv",))
    split = Notice(POSSIBLE_SPLIT, "There are two groups.", ("genes", "wt_*", "mu_*"))
    page = make(doubts=(turned,), notes=(split, Notice("assumed", "The first row is the header.")))
    assert card_of(page, "pairing").rows[0].words.text() == "Are the samples in columns?"
    assert card_of(page, "other").rows[0].words.text() == "There are two groups."
    assert page.checks.notes.text() == "The first row is the header."
    QTest.mouseClick(card_of(page, "pairing").rows[0].buttons[0], LEFT)
    assert reader.asked == {"transpose": ("genes.csv",)}
    reader.answer(found(notes=(split,)))
    QTest.mouseClick(card_of(page, "other").rows[0].buttons[0], LEFT)
    assert reader.asked["split"] == {"wt": ("wt_*",), "mu": ("mu_*",)}


def test_scales_that_differ_have_their_cure_in_their_card(make, reader):
    page = make(notes=(Notice(UNEVEN_SCALES, "Scales differ.", ("genes",), "warning"),))
    assert card_of(page, "scales").state.text() == "you decide"
    QTest.mouseClick(card_of(page, "scales").rows[0].buttons[0], LEFT)
    assert page.importing.preprocess_of("genes") == "zscore"
    assert card_of(page, "scales").state.text() == "fine"


def test_while_files_are_read_there_is_progress_and_a_way_to_stop(make, reader):
    page = make()
    assert not page.bar.progress.isVisible()
    page.importing.choose("Join", join="id")
    assert page.bar.progress.isVisible()
    assert (page.bar.progress.value(), page.bar.stop.text()) == (25, "Stop")
    QTest.mouseClick(page.bar.stop, LEFT)
    assert reader.cancelled == ["open"]
    assert not page.bar.progress.isVisible()
    QTest.mouseClick(page.bar.stop, LEFT)
    assert len(reader.jobs) == 2
    reader.answer(error=DataError("The file is gone.", "Look for it."))
    assert page.checks.texts[0] == "The file is gone. Look for it."
    assert page.bar.stop.text() == "Read again"


def test_files_that_do_not_fit_show_their_columns_and_why(make):
    page = make(error=DataError("They have 4 and 5 rows."), loaded=None, views=(), n_samples=None)
    assert page.checks.texts[0] == "They have 4 and 5 rows."
    assert page.checks.cards[0].state.text() == "cannot be opened"
    assert page.items.model().rowCount() == 10  # with two files
    assert not page.bar.open.isEnabled()
    assert not page.samples.isVisible()


@timed
def test_twenty_thousand_columns_are_rows_of_one_model(make, reader, timed):
    few = len(make().findChildren(QWidget))
    page = make(items=tuple(item(f"gene {j}") for j in range(20_000)))
    assert page.items.model().rowCount() == 1
    assert len(page.findChildren(QWidget)) == few
    page.items.turn_line(0)
    assert page.items.model().rowCount() == 20_001
    assert len(page.findChildren(QWidget)) == few
    start = thread_time()
    page.items.selectAll()
    assert len(page.items.chosen()) == 20_000
    assert not timed or thread_time() - start < 0.3  # asked row by row it takes more than a second
    QTest.keyClicks(page.finder, "19999")
    assert [line.title for line in page.items.model_.lines] == ["gene 19999"]
    click(page.items, 0, items.NAME)
    QTest.keyClick(page.items, Qt.Key.Key_X)
    assert reader.asked == {"roles": {"gene 19999": "ignore"}}


def wide_file(path, n_words, n_texts):
    """A table with words in some columns of numbers, and with columns of classes."""
    heads = ["id", "u", *(f"w{j}" for j in range(n_words)), *(f"kind {j}" for j in range(n_texts))]
    numbers = np.random.default_rng(0).normal(size=(40, n_words + 1)).round(3)
    rows = []
    for i, x in enumerate(numbers):
        words = ["n.d." if i == j % 40 else str(value) for j, value in enumerate(x[1:])]
        rows.append([f"p{i}", str(x[0]), *words, *("abc"[(i * j) % 3] for j in range(1, n_texts + 1))])
    path.write_text("\n".join(map(",".join, [heads, *rows])))
    return [str(path)]


def opened_page(make, reader, files):
    """The page of real files, every question answered as proposed."""
    page = make(inspect_files(files))
    while page.importing.state == "reading":
        reader.answer(inspect_files(files, ReadOptions(**reader.asked)))
    QTest.qWait(0)  # cards that were replaced go in their next turn
    return page


def test_cards_of_real_files_do_not_grow_with_columns_and_open_stays_possible(make, reader, tmp_path):
    few = opened_page(make, reader, wide_file(tmp_path / "few.csv", 3, 24))
    many = opened_page(make, reader, wide_file(tmp_path / "many.csv", 90, 240))
    assert [card.check.title for card in many.checks.cards] == [card.check.title for card in few.checks.cards]
    assert "Text among numbers" in [card.check.title for card in many.checks.cards]
    assert len(many.checks.findChildren(QWidget)) == len(few.checks.findChildren(QWidget))
    assert len(many.findChildren(QWidget)) == len(few.findChildren(QWidget))
    assert many.bar.open.isEnabled()


def test_files_with_nothing_in_them_are_an_empty_page(make, reader, qtlog):
    page = make(items=(), views=(), error=DataError("There is nothing."), loaded=None, n_samples=None)
    page.importing.choose("Join", join="id")
    reader.answer(found(items=(), views=(), error=DataError("There is nothing."), loaded=None, n_samples=None))
    assert page.count.text() == "Nothing found yet"
    assert page.checks.texts[0] == "There is nothing."
    assert not [record.message for record in qtlog.records if "dataChanged" in record.message]


def test_the_selection_stays_while_roles_change(make, reader):
    page = make()
    click(page.items, row_of(page, "age"), items.NAME)
    QTest.keyClick(page.items, Qt.Key.Key_X)
    reader.answer(
        found(items=tuple(replace(i, role="ignore", view=None) if i.name == "age" else i for i in found().items))
    )
    assert [each.name for each in page.items.chosen()] == ["age"]
    assert page.items.model().index(row_of(page, "age"), items.ROLE).data() == "Ignore"


def test_names_stay_names(make):
    ugly = "<b>" + "x" * 5000 + "</b>\n\u202e&"
    page = make(items=(item(ugly, view=ugly),))
    shown = page.items.model().index(0, items.NAME)
    assert len(shown.data()) < 300
    assert "\n" not in shown.data()
    assert "<b>" not in shown.data(Qt.ItemDataRole.ToolTipRole)
    click(page.items, 0, items.VIEW)
    menu = QApplication.activePopupWidget()
    assert all(len(action.text()) < 100 for action in menu.actions())
    menu.close()
    assert page.minimumSizeHint().width() < 1280


def test_everything_can_be_reached_by_keys_and_is_named(make):
    page = make(notes=(Notice("assumed", "The first row is the header."),))
    reached = [w for w in page.findChildren(QWidget) if w.isVisible() and w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert {page.items, page.views, page.samples, page.finder, page.bar.open, page.bar.cancel} <= set(reached)
    assert all(card.accessibleName().startswith(card.check.title) for card in page.checks.cards)
    for widget in reached:
        assert widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()), widget
    for widget in (*page.findChildren(QPushButton), *page.findChildren(QComboBox)):
        assert widget.toolTip(), widget
    page.items.selectRow(1)
    page.items.setCurrentIndex(page.items.model().index(1, items.ROLE))
    QTest.keyClick(page.items, Qt.Key.Key_Return)
    QApplication.activePopupWidget().close()
    cell = page.items.model().index(row_of(page, "kind"), items.ROLE)
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Role: Label")
    assert page.items.indexAt(QPoint(20, 8)).row() == 0


def test_return_opens_what_is_proposed(app, qtbot, reader):
    opened = []
    gaps = MissingValuesError("Gaps.", rows=(1,))
    importing = Importing(reader, FILES, ReadOptions(), opened.append, found(error=gaps, loaded=None))
    page = ImportPage(importing)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    reader.answer(found(notes=(Notice("filled", "Missing values were filled in."),)))
    QTest.qWait(0)  # the cards are shown in their next turn
    (card,) = [card for card in page.checks.cards if card.check.name == "missing"]
    card.rows[0].buttons[2].setFocus()
    QTest.mouseClick(card.rows[0].buttons[2], LEFT)
    assert (opened, reader.asked) == ([], {"missing": "knn"})
    reader.answer(found())
    assert QApplication.focusWidget() is page.bar.open
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert len(opened) == 1


HOSTILE = "<b onclick=x>&" + "x" * 3000 + "\u202e\nend"


def test_a_hostile_column_is_plain_text_in_tree_and_cards(make):
    note = Notice(POSSIBLE_SPLIT, f"There are two groups in {HOSTILE}.", (HOSTILE, "a*", "b*"))
    items_ = tuple(item(f"{HOSTILE}{j}") for j in range(5))
    page = make(items=items_, notes=(note,))
    name = page.items.model().index(0, items.NAME)
    assert "\n" not in name.data()
    assert "<b o" not in name.data(Qt.ItemDataRole.ToolTipRole)
    words = card_of(page, "other").rows[0].words
    assert words.textFormat() == Qt.TextFormat.PlainText
    assert "\u202e" not in words.text()
    assert page.minimumSizeHint().width() < 1280
