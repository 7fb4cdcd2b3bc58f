"""Charts of the columns beside the legend: brushed by mouse and keys, cross-filtered, and linked with everything."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from windows import show_fresh, small_data

from mvexplorer.engine.core.multiview import MultiView

pytestmark = pytest.mark.panels(1)
KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
MODIFIER = Qt.KeyboardModifier
NONE, CTRL, SHIFT = MODIFIER.NoModifier, MODIFIER.ControlModifier, MODIFIER.ShiftModifier


@pytest.fixture
def open_charts(window, rest):
    """Shows the charts by their key."""

    def show():
        QTest.keyClick(window, KEY.Key_H)
        rest(window)
        return window.docks.charts

    return show


def chart(beside, title):
    charts = beside.area.canvas.charts
    return charts.chart(next(column for column in charts.columns if column.title == title))


def spot(beside, title, bar):
    canvas = beside.area.canvas
    return canvas.bar_box(chart(beside, title), bar).center().toPoint()


def selected(window):
    return list(window.document.state.selection)


def drag(canvas, start, end):
    QTest.mousePress(canvas, LEFT, NONE, start)
    QTest.mouseMove(canvas, end)
    QTest.mouseRelease(canvas, LEFT, NONE, end)


def test_key_h_shows_them_beside_the_legend_and_hides_them_again(window, open_charts, rest):
    beside = open_charts()
    assert beside.isVisible()
    assert window.grid.isVisible()
    assert beside.mapTo(window, QPoint(beside.width(), 0)).x() <= window.points.mapTo(window, QPoint(0, 0)).x() + 8
    titles = [column.title for column in window.samples.charts.columns]
    assert titles[:3] == ["label", "batch", "angle (true)"]
    QTest.keyClick(beside.area.canvas, KEY.Key_H)
    assert not beside.isVisible()


def test_a_brush_on_classes_selects_them_everywhere(window, open_charts):
    beside = open_charts()
    QTest.mouseClick(beside.area.canvas, LEFT, NONE, spot(beside, "label", 1))
    assert selected(window) == list(range(16, 32))
    assert window.document.state.selections.origin == "label b"
    QTest.mouseClick(beside.area.canvas, LEFT, CTRL, spot(beside, "label", 2))
    assert selected(window) == list(range(16, 48))
    QTest.mouseClick(beside.area.canvas, LEFT, NONE, QPoint(10, 6))  # its title
    assert selected(window) == []


def test_two_brushes_select_what_lies_in_both_and_undo_brings_one_back(window, open_charts, rest):
    beside = open_charts()
    canvas = beside.area.canvas
    drag(canvas, spot(beside, "angle (true)", 0), spot(beside, "angle (true)", 11))
    angle = window.document.data.latent["angle"]
    edges = chart(beside, "angle (true)").edges
    assert selected(window) == np.flatnonzero(angle < edges[12]).tolist()
    one = selected(window)
    QTest.mouseClick(canvas, LEFT, NONE, spot(beside, "batch", 1))
    assert selected(window) == [row for row in one if row % 2]
    assert beside.words.text() == "2 brushes: the samples in all of them are selected."
    window.document.undo()
    rest(window)
    assert selected(window) == one
    assert list(window.samples.charts.brushes) == ["latent:angle"]
    window.editor.select([3])
    assert window.samples.charts.brushes == {}


def test_by_keys_alone_a_chart_is_chosen_brushed_widened_and_given_back(window, open_charts):
    beside = open_charts()
    canvas = beside.area.canvas
    assert QApplication.focusWidget() is canvas
    QTest.mouseClick(canvas, LEFT, NONE, QPoint(10, 6))  # the title of the first
    for _ in range(2):
        QTest.keyClick(canvas, KEY.Key_Down)
    assert canvas.present.column.title == "angle (true)"
    QTest.keyClick(canvas, KEY.Key_Right)
    QTest.keyClick(canvas, KEY.Key_Right, SHIFT)
    assert window.samples.charts.brushes == {"latent:angle": (0, 1)}
    assert canvas.spoken_value().startswith("angle (true) 0 to ")
    QTest.keyClick(canvas, KEY.Key_Up)
    QTest.keyClick(canvas, KEY.Key_Space)
    assert window.samples.charts.brushes["column:batch"] == (0,)
    assert selected(window) == [0, 2]
    QTest.keyClick(canvas, KEY.Key_Delete)
    assert list(window.samples.charts.brushes) == ["latent:angle"]


def test_a_tip_counts_a_bar(window, open_charts):
    beside = open_charts()
    place = spot(beside, "label", 0).toPointF()
    assert beside.area.canvas.about(place) == "label a: 16 samples"
    window.editor.select([1, 2])
    assert beside.area.canvas.about(place) == "label a: 16 samples, 2 of them selected"


def test_table_and_charts_together_show_one_selection(window, open_charts, rest):
    beside = open_charts()
    window.samples.toggle_table()
    rest(window)
    QTest.mouseClick(beside.area.canvas, LEFT, NONE, spot(beside, "label", 0))
    assert window.samples.table.selected.nonzero()[0].tolist() == list(range(16))
    assert window.docks.samples.note.accessibleName() == "16 selected"


def test_only_charts_in_sight_are_made_and_widgets_do_not_grow_with_columns_or_rows(window, open_charts, rest):
    beside = open_charts()
    before = len(beside.findChildren(QWidget))
    plain = small_data()
    columns = {f"column {k}": np.arange(48.0) * (k + 1) for k in range(400)}
    show_fresh(window, MultiView({"plain": plain.Xs[0], "wavy": plain.Xs[1]}, columns=columns), 1)
    rest(window)
    charts = window.samples.charts
    assert len(charts.columns) == 405  # with five features
    assert 0 < sum(map(charts.seen, charts.columns)) < 40
    assert len(beside.findChildren(QWidget)) == before
    bar = beside.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert charts.seen(charts.columns[-1])
    many = np.random.default_rng(0).normal(size=(5000, 2))
    more = MultiView({"plain": many, "wavy": many}, columns={"kind": np.arange(5000) % 300})
    window.document.reset(window.document.state.model_copy(update={"panels": ()}), more)
    rest(window)
    assert any(charts.seen(column) for column in charts.columns)
    assert len(beside.findChildren(QWidget)) == before


def test_hostile_names_are_drawn_as_they_are(window, open_charts, rest):
    beside = open_charts()
    plain, names = small_data(), np.array(["<b>x</b>", "a\nb", "=1+1"])[np.arange(48) % 3]
    show_fresh(window, MultiView({"plain": plain.Xs[0], "wavy": plain.Xs[1]}, columns={"<i>c</i>": names}), 1)
    rest(window)
    about = beside.area.canvas.about(spot(beside, "<i>c</i>", 0).toPointF())
    assert about.endswith(": 16 samples")
    assert "\n" not in about
    QTest.mouseClick(beside.area.canvas, LEFT, NONE, spot(beside, "<i>c</i>", 1))
    assert "\n" not in window.document.state.selections.origin
