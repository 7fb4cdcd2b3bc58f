"""The left side: η, t and r stay in sight, rows of views fold and unfold without moving anything under the hand."""

from functools import partial
from itertools import pairwise
from unittest.mock import create_autospec

import numpy as np
import pytest
from counted import cost
from gestures import point_at
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from windows import advice_of

from mvexplorer.compute.jobs.runner import BandwidthSummary
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.controls.parameter_rows import Section
from mvexplorer.ui.controls.view_list import LONGEST_NAME
from mvexplorer.ui.controls.view_row import ViewRow
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.long_column import SPARE

LEFT = Qt.MouseButton.LeftButton
AT_720, AT_1440 = (292, 656), (292, 1376)
"""The dock's size in windows of 1280 x 720 and 2560 x 1440, the pages below folded."""


@pytest.fixture
def make_dock(app, qtbot):
    """Makes docks of so many views, with an editor that only listens."""
    controllers = []

    def make(n_views, size=AT_720, epsilon=16.0, methods=("multiview",)):
        rng, document = np.random.default_rng(0), Document()
        controllers.append(controller := Controller(document))
        names = [f"bc_long_name_of_view_{i}" for i in range(n_views)]
        document.data = MultiView({name: rng.normal(size=(8, 3)) for name in names})
        document.state = commands.initial_state(document.data, ("memory",), None)
        for name in names:
            controller.summaries[name] = BandwidthSummary(epsilon, {"robust": epsilon, "median": epsilon})
        panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(methods))
        document.state = document.state.model_copy(update={"panels": panels})
        editor = create_autospec(Editor, instance=True)
        dock = ControlsDock(controller, editor, advice_of(controller, editor))
        qtbot.addWidget(dock)
        dock.resize(*size)
        dock.show_state(document.state)
        with qtbot.waitExposed(dock):
            dock.show()
        dock.activateWindow()
        qtbot.waitUntil(dock.isActiveWindow)
        return dock, document

    yield make
    for controller in controllers:
        controller.shutdown()


def in_sight(dock, widget):
    return dock.rect().contains(widget.geometry().translated(widget.parentWidget().mapTo(dock, QPoint())))


@pytest.mark.parametrize("n_views", [2, 6, 12])
def test_eta_t_and_r_are_in_sight_whatever_scrolls_or_unfolds(make_dock, n_views):
    dock, _ = make_dock(n_views, methods=("multiview", "single", "kernel-cca", "local-cca"))
    assert list(dock.params)[:3] == ["eta", "t", "n_components"]
    for section in dock.findChildren(Section):
        section.head.setChecked(True)
    QApplication.processEvents()
    rows = [dock.params[name] for name in ("eta", "t", "n_components")]
    assert all(row.isVisible() and in_sight(dock, row) for row in rows)
    tops = [row.mapTo(dock, QPoint()).y() for row in rows]
    assert tops == sorted(tops)
    assert tops[0] > dock.views.mapTo(dock, dock.views.rect().bottomLeft()).y()
    dock.begin_param("alpha")
    assert dock.params["alpha"].field.hasFocus()
    assert all(in_sight(dock, row) for row in rows)


@pytest.mark.parametrize("n_views", [2, 12])
def test_fields_above_and_below_are_in_line_whether_or_not_the_views_scroll(make_dock, n_views):
    dock, _ = make_dock(n_views)
    dock.setStyleSheet(theme.style_sheet())
    QApplication.processEvents()
    assert dock.views.verticalScrollBar().isVisible() == (n_views > 2)
    ends = {f.mapTo(dock, f.rect().topRight()).x() for f in (dock.master_field, dock.params["eta"].field)}
    assert len(ends) == 1


def test_seldom_changed_parameters_are_folded_and_the_fold_is_remembered(make_dock):
    dock, document = make_dock(2)
    (more,) = dock.findChildren(Section)
    assert more.head.text() == "More: δ, α"
    assert not dock.params["alpha"].isVisible()
    more.head.click()
    assert dock.params["alpha"].isVisible()
    panels = (*document.state.panels, commands.new_panel("kernel-cca", "p9"))
    dock.show_state(document.state.model_copy(update={"panels": panels}))
    QApplication.processEvents()
    assert dock.params["alpha"].isVisible()
    assert dock.params["gamma"].isVisible()


def test_a_parameter_nobody_uses_keeps_its_place_and_says_so(make_dock):
    dock, document = make_dock(2)
    before = [dock.params[name].mapTo(dock, QPoint()) for name in ("eta", "t", "n_components")]
    alone = document.state.model_copy(update={"panels": (commands.new_panel("single", "p1"),)})
    dock.show_state(alone)
    eta = dock.params["eta"]
    assert not eta.isEnabled()
    assert "not in use" in eta._words.accessibleName()
    assert dock.params["t"].isEnabled()
    assert [dock.params[name].mapTo(dock, QPoint()) for name in ("eta", "t", "n_components")] == before
    dock.show_state(document.state)
    assert eta.isEnabled()


def test_rows_are_whole_where_they_fit_and_else_only_the_focused_one(make_dock):
    dock, _ = make_dock(2)
    assert not any(row.compact for row in dock.rows.values())
    dock, _ = make_dock(6)
    first, *others = dock.rows.values()
    assert not first.compact
    assert all(row.compact for row in others)
    assert {row.height() for row in others} == {ViewRow.LINE}
    assert first.sizeHint().height() == pytest.approx(ViewRow.WHOLE, abs=2)
    assert dock.views.verticalScrollBar().maximum() == 0
    for row in others:
        point_at(row)
        shown = [w for w in (row.check, row.slider, row.field, row.link) if w.isVisible()]
        assert len(shown) == 4
        edges = [(w.x(), w.x() + w.width()) for w in shown]
        assert all(left[1] <= right[0] for left, right in pairwise(edges))
        assert edges[-1][1] <= row.width()
    dock, _ = make_dock(6, AT_1440)
    assert not any(row.compact for row in dock.rows.values())


def test_the_letters_of_the_rules_move_nothing_when_they_arrive(make_dock):
    dock, _ = make_dock(2)
    row = dock.rows["bc_long_name_of_view_0"]
    height = row.sizeHint().height()
    row.slider.set_marks(())
    assert row.sizeHint().height() == height


def test_a_key_makes_the_row_it_reaches_whole(make_dock):
    dock, _ = make_dock(12)
    last = list(dock.rows.values())[-1]
    last.check.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert not last.compact
    assert next(iter(dock.rows.values())).compact
    assert last.visibleRegion().boundingRect() == last.rect()


def test_nothing_moves_under_a_pressed_slider(make_dock):
    """The slider of a row on one line works in the very press that focuses the row, and so does the next press."""
    dock, _ = make_dock(6)
    row = dock.rows["bc_long_name_of_view_3"]
    slider, moved = row.slider, []
    slider.moved.connect(moved.append)
    at, window = slider.mapTo(dock, slider.rect().center()), dock.windowHandle()
    QTest.mouseMove(window, at)
    QTest.mousePress(window, LEFT, pos=at)
    assert dock.views.focused == row.name
    place = slider.mapTo(dock, QPoint()), slider.size()
    for step in (5, 15, 25):
        QTest.mouseMove(window, at + QPoint(step, 0))
    QTest.mouseRelease(window, LEFT, pos=at + QPoint(25, 0))
    QApplication.processEvents()
    assert len(moved) >= 3
    assert (slider.mapTo(dock, QPoint()), slider.size()) == place
    QTest.mouseMove(window, dock.params["t"].mapTo(dock, QPoint(10, 10)))
    QApplication.processEvents()
    assert not row.compact
    assert dock.rows["bc_long_name_of_view_0"].compact


def test_a_press_beside_the_slider_unfolds_downwards_only(make_dock):
    dock, _ = make_dock(6)
    row = dock.rows["bc_long_name_of_view_2"]
    at, window = row.field.mapTo(dock, row.field.rect().center()), dock.windowHandle()
    QTest.mouseMove(window, at)
    QTest.mouseClick(window, LEFT, pos=at)
    QApplication.processEvents()
    assert row.field.hasFocus()
    assert not row.compact
    assert row.field.mapTo(dock, row.field.rect().center()) == at
    dock.views.leaveEvent(QEvent(QEvent.Type.Leave))
    assert dock.rows["bc_long_name_of_view_0"].compact


def test_a_click_on_a_name_focuses_its_view_and_unfolds_its_curve(make_dock):
    dock, _ = make_dock(6)
    row, window = dock.rows["bc_long_name_of_view_2"], dock.windowHandle()

    def click_name():
        at = row.check.mapTo(dock, QPoint(row.check.width() - 8, row.check.height() // 2))
        QTest.mouseMove(window, at)
        QTest.mouseClick(window, LEFT, pos=at)
        QApplication.processEvents()

    assert row.compact
    click_name()
    assert dock.views.focused == row.name
    assert not row.compact
    assert row.slope.isVisible()
    assert row.check.isChecked()
    dock.views.leaveEvent(QEvent(QEvent.Type.Leave))
    dock.begin_epsilon("bc_long_name_of_view_0")
    dock.views.leaveEvent(QEvent(QEvent.Type.Leave))
    assert row.compact
    assert not row.slope.isVisible()  # on one line there is none
    click_name()
    assert row.slope.isVisible()
    dock.views._editor.enable_view.assert_not_called()


@pytest.mark.parametrize("exponent", [-300, -150, -7, 0, 7, 150, 300])
def test_sigma_is_whole_at_every_magnitude_and_factor(make_dock, exponent):
    dock, document = make_dock(2, epsilon=10.0**exponent)
    for scale in (1.0, 1.37, 123.456):
        dock.show_state(document.state.model_copy(update={"epsilon_scale": scale}))
        QApplication.processEvents()
        for row in dock.rows.values():
            text, room = row._sigma.text(), row._sigma.width()
            assert text.startswith("σ ")
            assert any(sign.isdigit() for sign in text)
            assert row._sigma.fontMetrics().horizontalAdvance(text) <= room
            assert text[2:] in row._sigma.toolTip()
            assert row.field.fontMetrics().horizontalAdvance(row.field.text()) <= row.field.width() - 14
            assert row._sigma.geometry().right() < row.rule.x()
            assert row.how.geometry().right() <= row.width()


def test_every_symbol_says_what_it_is(make_dock):
    dock, _ = make_dock(2)
    row = next(iter(dock.rows.values()))
    for part in (row._symbol, row._sigma, row.field, row.slider, row.rule, row.link, row.how, dock.master):
        assert len(part.toolTip()) > 20, part.accessibleName()
    for name in ("eta", "t", "n_components"):
        labels = [label for label in dock.params[name].findChildren(QLabel) if label.text()]
        assert len(labels) == 2
        assert all(len(label.toolTip()) > 20 and "\n" not in label.toolTip() for label in labels)
    assert all(mark.text.count("\n") == 0 and len(mark.text) > 20 for mark in row.slider._marks)


def test_folds_that_a_new_panel_brings_are_in_sight_at_once(make_dock):
    dock, document = make_dock(2)
    panels = (*document.state.panels, commands.new_panel("kernel-cca", "p8"), commands.new_panel("local-cca", "p9"))
    dock.show_state(document.state.model_copy(update={"panels": panels}))
    QApplication.processEvents()
    sections = dock.findChildren(Section)
    assert len(sections) > 1
    assert dock._folds.height() >= sum(section.height() for section in sections if section.isVisible()) > 0


def test_nine_letters_of_a_view_fit_a_compact_row(make_dock):
    dock, _ = make_dock(12)
    check = next(iter(dock.rows.values())).check
    wide = check.fontMetrics().horizontalAdvance("sensor_10") + check.BESIDE
    assert wide <= LONGEST_NAME
    row = list(dock.rows.values())[-1]
    assert row.compact
    assert row.slider.width() >= 44


@pytest.mark.nightly
def test_names_of_views_with_one_prefix_differ_on_one_line(make_dock):
    dock, _ = make_dock(12)
    texts = [row.check.text() for row in dock.rows.values()]
    assert len(set(texts)) == len(texts)
    assert all(text.endswith(name.rpartition("_")[2]) for name, text in zip(dock.rows, texts, strict=True))
    assert any("…" in text for text in texts)
    assert not any(text.startswith("bc_") for text in texts if "…" in text)


def test_the_heading_and_both_its_buttons_are_whole(make_dock):
    dock, _ = make_dock(3)
    dock.use_all.show()
    dock.weigh.show()
    dock.layout().activate()
    QApplication.processEvents()
    heading = next(label for label in dock.findChildren(QLabel) if label.text() == "Views")
    factor = next(label for label in dock.findChildren(QLabel) if label.text() == "Scale all ε by")
    for words in (heading, dock.use_all, dock.weigh, factor):
        assert words.width() >= words.sizeHint().width()
    assert dock.master.width() >= 44


@pytest.mark.parametrize("size", [AT_720, pytest.param(AT_1440, marks=pytest.mark.nightly)])
def test_of_many_views_the_rows_in_sight_are_there_wherever_the_list_is_scrolled(make_dock, size):
    few, many = (make_dock(n, size)[0] for n in (100, 200))
    room = size[1] // ViewRow.LINE + 2 * SPARE
    for dock in (few, many):
        bar, names = dock.views.verticalScrollBar(), dock.views._views.names
        for at in (0, bar.maximum() // 3, bar.maximum(), bar.maximum() // 2):
            bar.setValue(at)
            QApplication.processEvents()
            assert len(dock.rows) <= room
            here = [names.index(name) for name in dock.rows]
            assert here == sorted(here)
            for y in range(dock.views.viewport().height() // 2, dock.views.viewport().height(), ViewRow.LINE):
                under = dock.views.viewport().childAt(20, y)
                assert any(row is under or row.isAncestorOf(under) for row in dock.rows.values())
        assert names[-1] not in dock.rows
        bar.setValue(bar.maximum())
        QApplication.processEvents()
        last = dock.rows[names[-1]]
        assert in_sight(dock, last)
        assert last.slider.isVisible()


@pytest.mark.nightly
def test_an_edit_and_a_scroll_cost_as_much_of_many_views_as_of_few(make_dock):
    costs = []
    for n in (100, 300):
        dock, document = make_dock(n)
        bar = dock.views.verticalScrollBar()
        moved = document.state.model_copy(update={"epsilon_scale": 2.0})
        acts = partial(dock.show_state, moved), partial(bar.setValue, bar.maximum() // 2)
        costs.append([cost(dock, act) for act in acts])
    for few, many in zip(*costs, strict=True):
        assert many[0] <= few[0]
        assert many[1] <= few[1] + 10 * 200  # what a view costs beside its row: its height, and whether it is known


@pytest.mark.nightly
def test_the_tab_key_goes_through_all_views_and_back(make_dock):
    dock, _ = make_dock(30)
    names = dock.views._views.names
    for key, order in ((Qt.Key.Key_Tab, names), (Qt.Key.Key_Backtab, names[::-1])):
        dock.begin_epsilon(order[0])
        reached = [order[0]]
        while reached[-1] != order[-1]:
            QTest.keyClick(QApplication.focusWidget(), key)
            QApplication.processEvents()
            now = QApplication.focusWidget()
            (name,) = (row.name for row in dock.rows.values() if row.isAncestorOf(now))
            assert in_sight(dock, now)
            reached += [name] if name != reached[-1] else []
        assert reached == list(order)


@pytest.mark.nightly
def test_a_view_out_of_sight_is_reached_by_its_name_and_its_row_stays(make_dock):
    dock, _ = make_dock(100)
    name = dock.views._views.names[75]
    assert name not in dock.rows
    dock.begin_epsilon(name)
    QApplication.processEvents()
    row = dock.rows[name]
    assert row.field.hasFocus()
    assert not row.compact
    assert in_sight(dock, row)
    row.field.setText("3")
    dock.views.verticalScrollBar().setValue(0)
    QApplication.processEvents()
    assert dock.rows[name] is row
    assert row.field.text() == "3"


@pytest.mark.parametrize("n_before", [6, 60])
def test_the_pointer_may_leave_the_list_while_other_views_come(make_dock, monkeypatch, n_before):
    """Qt says so when the rows under the pointer are hidden, in the middle of it."""
    dock, _ = make_dock(n_before)
    _, other = make_dock(2)
    hide = dock.views._views.hide
    monkeypatch.setattr(dock.views._views, "hide", lambda: (hide(), dock.views.leaveEvent(QEvent(QEvent.Type.Leave))))
    state = other.state.model_copy(
        update={"views": tuple(v.model_copy(update={"name": v.name[3:]}) for v in other.state.views)}
    )
    for view in state.views:
        dock.views._controller.summaries[view.name] = BandwidthSummary(1.0, {"robust": 1.0})
    dock.views.show_state(state)
    assert list(dock.rows) == [view.name for view in state.views]
