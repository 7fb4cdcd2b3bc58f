"""What is selected: the samples sort, ring and leave as CSV; what sets them apart stands above."""

import csv
import json

import numpy as np
import polars as pl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from mvexplorer.ui.window.contents import SIZE, ContentsDialog
from mvexplorer.ui.window.exports.selection_export import SelectionCard

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window, rest):
    window.editor.select((3, 20, 17, 40), "replace", "lasso in <b>Multi-view</b> 2-D")
    window.actions_table.actions["Describe selection …"].trigger()
    rest(window)
    return next(d for d in window.findChildren(ContentsDialog) if d.isVisible())


def save_with(window, *, features: bool = False, coordinates: bool = True) -> None:
    """Answer the card on what is written of the selected samples."""
    card = next(each for each in QApplication.topLevelWidgets() if isinstance(each, SelectionCard) and each.isVisible())
    card.coordinates.setChecked(coordinates)
    card.features.setChecked(features)
    QTest.mouseClick(card.save, LEFT)


def ids(dialog) -> list[str]:
    model = dialog.samples.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_it_follows_sorts_rings_and_exports(window, dialog, rest, tmp_path, monkeypatch, qtbot):
    assert dialog.head.text() == "4 of 48 samples"
    assert ids(dialog) == ["s03", "s17", "s20", "s40"]
    assert dialog.separation.table.model().rowCount() > 3
    dialog.samples.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert ids(dialog)[0] == "s40"
    QTest.mouseClick(dialog.samples.viewport(), LEFT, pos=dialog.samples.visualRect(
        dialog.samples.model().index(0, 0)).center())  # fmt: skip
    assert window.hover.kept == 40
    path = tmp_path / "chosen.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dialog.export.click()
    save_with(window)
    qtbot.waitUntil(lambda: "Saved chosen.csv." in window.banners.texts())
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:5] == ["id", "selection", "label", "batch", "angle (true)"]
    assert sorted(row[0] for row in rows[1:]) == ["s03", "s17", "s20", "s40"]
    window.editor.select((1,))
    rest(window)
    assert ids(dialog) == ["s01"]
    window.editor.select(())
    assert not dialog.export.isEnabled()
    assert not dialog.export_table.isEnabled()
    window.editor.select_all()
    assert "no others" in dialog.separation.words.text()
    dialog.close()


def test_a_name_typed_there_saves_the_selection_and_another_renames_it(window, dialog):
    for name in ("early", "late"):
        dialog.name.setFocus()
        dialog.name.selectAll()
        QTest.keyClicks(dialog.name, name)
        QTest.keyClick(dialog.name, Qt.Key.Key_Return)
        assert dialog.isVisible()
        assert window.document.state.selections.names == (name,)
        assert dialog.head.text() == f"{name}: 4 of 48 samples"
        assert dialog.windowTitle() == f"Describe selection: {name}"
    window.editor.select((1, 2))
    assert dialog.name.text() == ""
    window.editor.pick_selection("late")
    assert dialog.name.text() == "late"


def test_a_press_on_close_closes_it(window, dialog):
    window.editor.keep_selection("a name that is longer than the room beside the field " * 3)
    (close,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "Close"]
    assert dialog.head.text().endswith(": 4 of 48 samples")
    assert dialog.width() <= SIZE[0]
    QTest.mouseClick(close, LEFT)
    assert not dialog.isVisible()


def test_the_samples_leave_with_the_name_and_where_the_focused_panel_draws_them(
    window, dialog, tmp_path, monkeypatch, qtbot
):
    window.editor.keep_selection("two/fold")
    window.editor.focus("p6")
    path = tmp_path / "two.csv"
    proposed = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (proposed.append(a[2]), (str(path), ""))[1])
    QTest.mouseClick(window.points.selections.export, LEFT)
    save_with(window)
    qtbot.waitUntil(lambda: "Saved two.csv." in window.banners.texts())
    assert proposed[0].endswith("two-fold.csv")
    table, made = pl.read_csv(path), json.loads(path.with_suffix(".json").read_text("utf-8"))
    shown = window.controller.result("p6").result.embedding
    assert table["selection"].to_list() == ["two/fold"] * 4
    np.testing.assert_array_equal(table[made["coordinates"]].to_numpy(), shown.coordinates[[3, 17, 20, 40]])
    assert (made["selection_name"], [panel["title"] for panel in made["panels"]]) == ("two/fold", ["Multi-view"])


def test_values_of_the_views_leave_with_the_samples_where_that_is_wished(window, tmp_path, monkeypatch, qtbot):
    window.editor.select((3, 20, 17, 40))
    path = tmp_path / "values.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(window.points.selections.export, LEFT)
    save_with(window, features=True, coordinates=False)
    qtbot.waitUntil(lambda: "Saved values.csv." in window.banners.texts())
    table, data = pl.read_csv(path), window.document.data
    names = ["plain 1", "plain 2", "wavy 1", "wavy 2", "wavy 3"]
    assert table.columns == ["id", "selection", "label", "batch", "angle (true)", *names]
    expected = np.column_stack(data.Xs)[[3, 17, 20, 40]]
    np.testing.assert_array_equal(table[names].to_numpy(), expected)
    assert json.loads(path.with_suffix(".json").read_text("utf-8"))["coordinates"] == []


@pytest.mark.parametrize(("n_features", "wished"), [(200, True), (201, False)])
def test_few_measurements_leave_with_the_samples_unless_that_is_unticked(app, qtbot, n_features, wished):
    card = SelectionCard("Multi-view", n_features, None)
    qtbot.addWidget(card)
    assert card.features.isChecked() == wished


def test_what_sets_them_apart_leaves_with_all_its_digits(window, dialog, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "apart.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(dialog.export_table, LEFT)
    qtbot.waitUntil(lambda: "Saved apart.csv." in window.banners.texts())
    table, rows = pl.read_csv(path), dialog.separation.rows
    assert table["name"].to_list() == [row.name for row in rows]
    assert table["p_corrected"].to_list() == [row.p for row in rows]
    assert table["q"].to_list() == [row.q for row in rows]
    assert table["view"].to_list() == [row.view for row in rows]
    assert table["feature"].to_list() == [row.feature for row in rows]


def press(table, row) -> None:
    index = table.model().index(table.place_of(row), 0)
    table.scrollTo(index)
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())


def test_a_feature_that_is_clicked_colours_and_its_values_stand_beside(window, dialog, rest):
    table, data = dialog.separation.table, window.document.data
    row = next(row for row in table.rows_listed() if row.source == "feature:wavy:2")
    press(table, row)
    assert window.document.state.colour == "feature:wavy:2"
    inside = np.isin(np.arange(48), (3, 20, 17, 40))
    first, second = dialog.strips.groups
    np.testing.assert_array_equal(first, data.Xs[1][inside, 2])
    np.testing.assert_array_equal(second, data.Xs[1][~inside, 2])
    assert dialog.strips.title == "wavy 3"
    assert dialog.strips.names == ("selection", "rest")
    of_class = next(row for row in table.rows_listed() if row.value)
    table.setCurrentIndex(table.model().index(table.place_of(of_class), 0))
    assert dialog.strips.shares
    assert [share.tolist() for share in dialog.strips.groups] == [[of_class.inside], [of_class.outside]]
    dialog.close()


def test_a_row_that_colours_says_so_and_the_way_back_stands_beside(window, dialog, rest):
    before = window.document.state.colour
    assert not dialog.coloured.isVisible()
    row = next(row for row in dialog.separation.table.rows_listed() if row.source == "feature:wavy:2")
    press(dialog.separation.table, row)
    assert (dialog.coloured.isVisible(), dialog.as_before.isVisible()) == (True, True)
    assert dialog.coloured.text() == "All panels are coloured by wavy 3."
    QTest.mouseClick(dialog.as_before, LEFT)
    assert window.document.state.colour == before
    assert not dialog.coloured.isVisible()
    assert not dialog.as_before.isVisible()
    dialog.close()


def test_values_that_were_filled_in_are_told_to_count_like_measured_ones(window, dialog):
    assert "of a class its log odds ratio" in dialog.meaning.text()
    assert not dialog.filled_in.isVisible()
    dialog.close()
    treated = "2 samples dropped", "missing values of 9 samples (<b>a</b>) imputed from medians"
    window.document.state = window.document.state.model_copy(update={"dropped_and_imputed": treated})
    window.actions_table.actions["Describe selection …"].trigger()
    other = next(each for each in window.findChildren(ContentsDialog) if each.isVisible() and each is not dialog)
    assert other.filled_in.isVisible()
    assert other.filled_in.text() == (
        "Values that were filled in count like measured ones: missing values of 9 samples (<b>a</b>) imputed from "
        "medians."
    )
    other.close()


def test_a_named_selection_takes_the_place_of_the_rest(window, dialog, rest, tmp_path, monkeypatch, qtbot):
    assert not dialog.against.isVisible()
    window.editor.keep_selection("left")
    assert not dialog.against.isVisible(), "a selection is not compared with itself"
    window.editor.select((3, 30, 31, 32))
    rest(window)
    window.editor.keep_selection("<b>right</b>")
    rest(window)
    assert dialog.against.isVisible()
    assert [dialog.against.itemData(k) for k in range(dialog.against.count())] == ["", "left"]
    dialog.against.choose("left")
    dialog.against.activated.emit(1)
    rest(window)
    assert dialog.separation.words.text().startswith("Compared with the 3 samples of “left”, ")
    assert dialog.separation.words.text().endswith("1 sample of both selections is left out.")
    assert dialog.strips.names == ("<b>right</b>", "left")
    assert len(dialog.strips.groups[0]) == len(dialog.strips.groups[1]) == 3
    path = tmp_path / "two.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(dialog.export_table, LEFT)
    qtbot.waitUntil(lambda: "Saved two.csv." in window.banners.texts())
    names = ("selection", "compared_with", "n_selection", "n_compared_with")
    assert pl.read_csv(path).select(names).unique().rows() == [("<b>right</b>", "left", 3, 3)]
    window.editor.delete_selections(["left"])
    rest(window)
    assert not dialog.against.isVisible()
    assert "Compared with" not in dialog.separation.words.text()
    assert dialog.strips.names == ("<b>right</b>", "rest")
    dialog.close()


def test_the_strips_follow_a_new_name_and_keep_their_row(window, dialog, rest):
    row = dialog.separation.rows[-1]
    dialog.separation.table.looked_at.emit(row)
    title = dialog.strips.title
    dialog.name.setText("early ones")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert dialog.strips.names == ("early ones", "rest")
    assert dialog.strips.title == title
    window.editor.rename_selection("early ones", "late ones")
    assert dialog.strips.names == ("late ones", "rest")
    assert dialog.strips.title == title


def test_a_saved_name_is_not_under_the_keys_when_the_description_opens(window, dialog, rest):
    assert dialog.focusWidget() is dialog.name
    window.editor.keep_selection("mine")
    dialog.close()
    window.actions_table.actions["Describe selection …"].trigger()
    rest(window)
    again = next(d for d in window.findChildren(ContentsDialog) if d.isVisible())
    assert again.focusWidget() is not again.name
    again.close()


def test_the_name_of_the_other_group_is_cut_to_what_tells_it_from_others(window, dialog):
    for k in (1, 2):
        window.editor.select(range(10 * k, 10 * k + 5))
        window.editor.keep_selection(f"cluster {k} of a panel whose name is rather long")
    window.editor.select(range(40, 45))
    shown = [dialog.against.cut(dialog.against.itemText(place), 100) for place in (1, 2)]
    assert ["1" in shown[0], "2" in shown[1]] == [True, True]
    assert all("…" in each for each in shown)


def test_only_a_selection_made_in_a_picture_is_told_to_be_circular(window, dialog, rest):
    assert dialog.separation.doubt.isVisible()
    window.editor.keep_selection("saved")
    assert dialog.separation.doubt.isVisible(), "a name does not change where samples came from"
    window.editor.select((1, 2, 3, 4), "replace", "class a")
    rest(window)
    assert not dialog.separation.doubt.isVisible()
    dialog.close()
