"""The page Diagnostics in a window: its list, its choices, its pictures and its files."""

import json

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, qGray
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS

from mvexplorer.figures import Curves, Figure, Matrix, Series
from mvexplorer.state.document.diagnostics_choices import FIGURES
from mvexplorer.ui.pages import figure_files
from mvexplorer.ui.widgets.plots.curve_painting import thinned_curve
from mvexplorer.ui.widgets.plots.figure_view import FigureView
from mvexplorer.ui.widgets.plots.matrix_painting import matrix_area, shaded
from mvexplorer.ui.widgets.plots.plot_axes import ticks

pytestmark = pytest.mark.panels(3)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(window, rest):
    made = window.bottom.show_page("diagnostics")
    rest(window)
    yield made
    window.bottom.show_page("spectrum")


def chosen(window, rest, page, id):
    """The card of a figure after a click in the list."""
    item = page.list.item(list(FIGURES).index(id))
    QTest.mouseClick(page.list.viewport(), LEFT, pos=page.list.visualItemRect(item).center())
    rest(window)
    return page.cards[id]


def test_a_click_in_the_list_shows_a_figure_and_puts_the_former_one_beside(window, rest, page):
    card = chosen(window, rest, page, "graph")
    assert card.isVisible()
    assert card.answered
    assert card.head.accessibleName() == "Degrees of Single · plain"
    assert page.shown == ("graph", "spectrum")
    assert page.cards["spectrum"].isVisible()
    assert not window.grab().isNull()
    window.document.undo()
    rest(window)
    assert page.shown[0] == "spectrum"
    assert not card.isVisible()


@pytest.mark.panels(6)
def test_choices_change_the_figure_and_can_be_undone(window, rest, page):
    panel = next(p for p in window.document.state.panels if p.method == "multiview")
    page.panel.setCurrentIndex(page.panel.findData(panel.id))
    page.panel.activated.emit(page.panel.currentIndex())
    assert window.editor.focused == panel.id
    card = chosen(window, rest, page, "kernel")
    assert card.view.figure.body.values.shape == (96, 96)
    box = card.boxes["view"]
    box.setCurrentIndex(box.findData("wavy"))
    box.activated.emit(box.currentIndex())
    rest(window)
    assert card.head.accessibleName() == "Kernel of wavy"
    assert card.view.figure.body.values.shape == (48, 48)
    assert [name for _, name in card.view.figure.body.names] == ["a", "b", "c"]
    assert window.document.undo_label == "Matrix of another view"


def test_numbers_are_typed_and_wrong_ones_outlined(window, rest, page, qtbot):
    card = chosen(window, rest, page, "fourier")
    field = card.fields["marks"]
    field.setFocus()
    qtbot.keyClicks(field, "1, 2.5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    rest(window)
    assert [mark.x for mark in card.view.figure.body.marks] == [1.0, 2.5]
    field.selectAll()
    qtbot.keyClicks(field, "fast")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.property("wrong")
    assert window.document.state.diagnostics.marks == (1.0, 2.5)
    times = chosen(window, rest, page, "spectrum").fields["times"]
    times.setText("3 9")
    times.entered.emit(times.text())
    rest(window)
    assert [series.name for series in page.cards["spectrum"].view.figure.body.series][:2] == ["λ³", "λ⁹"]


def test_what_there_is_not_is_said_in_the_cards_place(window, rest, page):
    card = chosen(window, rest, page, "metric")
    assert not card.answered
    assert "has no local metric" in card.empty.text()
    assert not card.export.isEnabled()


def test_the_menu_of_exports_closes_where_there_is_nothing_to_export_any_more(window, rest, page, monkeypatch):
    card = chosen(window, rest, page, "roc")
    menu = card.export.menu()
    menu.popup(card.export.mapToGlobal(QPoint()))
    assert menu.isVisible()
    monkeypatch.setattr(window.workbench.diagnostics, "figure", lambda _: None)
    card.show_known(None)
    assert not menu.isVisible()


@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_a_figure_and_its_numbers_go_to_files(window, rest, page, tmp_path, monkeypatch, qtbot, ending):
    card = chosen(window, rest, page, "roc")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / f"roc{ending}"), ""))
    card._write_picture(ending, 1.0, 96.0)
    assert (tmp_path / f"roc{ending}").stat().st_size > 2000
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "roc"), ""))
    card.numbers.trigger()
    qtbot.waitUntil((tmp_path / "roc.csv").exists, timeout=PATIENCE_MS)
    rest(window)
    head, first, *_ = (tmp_path / "roc.csv").read_text().splitlines()
    assert '"plain: false"' in head
    assert first.startswith("0,0,")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "roc.json"), ""))
    card.numbers.trigger()
    qtbot.waitUntil((tmp_path / "roc.json").exists, timeout=PATIENCE_MS)
    assert "plain: false" in json.loads((tmp_path / "roc.json").read_text())["columns"]


def test_a_file_of_another_kind_is_refused(window, rest, page, tmp_path, monkeypatch, qtbot):
    card = chosen(window, rest, page, "roc")
    told = []
    window.editor.failed.connect(told.append)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "roc.xls"), ""))
    card.numbers.trigger()
    qtbot.waitUntil(lambda: bool(told))
    window.editor.failed.disconnect(told.append)
    assert "cannot be written as “.xls”" in told[0].message
    assert not list(tmp_path.glob("roc*"))


# The picture alone ----------------------------------------------------------------------------------------------


def test_a_matrix_is_shaded_row_by_row_from_the_top(app, qtbot):
    view = FigureView()
    qtbot.addWidget(view)
    view.resize(300, 200)
    body = Matrix(np.array([[0.0, 1.0], [0.2, 0.5]]), "affinity")
    view.show_figure(Figure("Kernel", body))
    image = shaded(body).image
    lightness = [[qGray(image.pixel(c, r)) for c in range(2)] for r in range(2)]
    assert lightness[0][0] < lightness[1][0] < lightness[1][1] < lightness[0][1]
    square = matrix_area(body, view.rect().toRectF())
    assert view.meaning(square.topRight() + QPointF(-4, 4)) == "row 1, column 2: affinity 1.000"
    assert view.meaning(square.topRight() + QPointF(40, 4)) == ""


def test_entries_below_0_have_a_scale_with_0_in_its_middle(app):
    found = shaded(Matrix(np.array([[-1.0, 0.0], [0.0, 4.0]]), "A"))
    assert -found.low == found.high > 3.9
    middle = found.image.pixelColor(1, 0)
    assert middle == found.image.pixelColor(0, 1)
    assert max(middle.red(), middle.green(), middle.blue()) - min(middle.red(), middle.green(), middle.blue()) < 40
    assert not shaded(Matrix(np.zeros((2, 2)), "A")).cut


def test_a_method_without_a_walk_offers_its_views_only(window, rest, page):
    panel = next(p for p in window.document.state.panels if p.method == "kernel-sum")
    window.editor.set_method(panel.id, "laplacian-mean")
    window.editor.focus(panel.id)
    rest(window)
    card = chosen(window, rest, page, "transition")
    assert [card.boxes["view"].itemData(i) for i in range(card.boxes["view"].count())] == ["plain", "wavy"]
    assert card.head.accessibleName() == "Transition matrix of plain"


def test_a_point_of_a_curve_is_told_and_drawn(app, qtbot):
    view = FigureView()
    qtbot.addWidget(view)
    view.resize(300, 200)
    series = Series("λ", np.arange(4.0), np.array([1.0, 0.5, 0.25, -0.1]), "points")
    view.show_figure(Figure("Spectrum", Curves("k", "λ", (series,))))
    found = {view.meaning(QPointF(x, y)) for x in range(0, 300, 6) for y in range(0, 200, 6)}
    assert {"λ: 0, 1.000", "λ: 3.000, −0.1000"} < found
    image = QImage(QSize(300, 200), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    figure_files.paint_whole(view.figure, QSize(300, 200), painter)
    painter.end()
    assert len({image.pixel(x, 120) for x in range(300)}) > 3


def test_a_long_curve_keeps_its_extremes_in_few_points():
    x, y = np.arange(30_000.0), np.random.default_rng(0).normal(size=30_000)
    y[17_003] = 99.0
    few_x, few_y = thinned_curve(x, y, 300)
    assert len(few_x) == len(few_y) == 600
    assert (few_y.max(), few_y.min()) == (99.0, y.min())
    assert abs(few_x[np.argmax(few_y)] - 17_003) <= 100
    np.testing.assert_array_equal(thinned_curve(x[:50], y[:50], 300)[1], y[:50])
    np.testing.assert_array_equal(thinned_curve(x[::-1], y, 300)[1], y)


@pytest.mark.parametrize(
    ("low", "high", "whole", "expected"),
    [(0.0, 1.0, False, [0.0, 0.5, 1.0]), (0.2, 4.1, True, [2.0, 4.0]), (1.0, 1.0, False, [1.0])],
)
def test_ticks_are_round(low, high, whole, expected):
    assert ticks(low, high, 3, whole=whole) == pytest.approx(expected)
