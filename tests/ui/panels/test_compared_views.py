"""Panels about one view beside others, or about the difference of two: their chips, titles and axes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from windows import show_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState, PanelState, ViewState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.drawing import shown_names
from mvexplorer.ui.panels.compared_views import ComparedViews

SMOOTH = 6


def three_views() -> MultiView:
    """Two rings and a line, of 60 samples."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.0, 2 * np.pi, (2, 60))
    ring, other = (np.column_stack([np.cos(x), np.sin(x)]) for x in (a, b))
    return MultiView({"one": np.hstack([ring, other]), "two": ring, "three": np.hstack([other, ring]) + 0.1})


def compared(window) -> tuple[list, list]:
    """The entries of the chips' menus: views to be the one, and views to be beyond."""
    menus = window.grid.panels["p1"].menus
    return menus.of().actions(), menus.beyond().actions()


def chips(window) -> tuple:
    row = window.grid.panels["p1"].compared
    return row.of, row.beyond


@pytest.fixture
def specific(window, rest):
    show_data(window, three_views(), panels=3)
    commands.set_param(window.document, "n_smooth", SMOOTH)
    commands.set_method(window.document, "p1", "view-specific")
    rest(window)
    return window


def answer(window, panel: str = "p1"):
    result = window.controller.result(panel)
    assert result.error is None
    return result.result.embedding


def test_chips_choose_whose_own_part_is_drawn_and_beyond_which_views(specific, rest):
    window = specific
    assert answer(window).views == ("one", "two", "three")
    assert panel_titles(window.document.state)["p1"] == "View-specific · one beyond two + three"
    assert [chip.text() for chip in chips(window)] == ["one ▾", "two + three ▾"]
    assert window.grid.panels["p1"].header.title.text() == "View-specific ▾"
    assert window.grid.panels["p1"].header.title.accessibleName() == "View-specific · one beyond two + three"
    before = window.document.state.panels
    _, beyond = compared(window)
    assert [(action.text(), action.isChecked()) for action in beyond] == [("two", True), ("three", True)]
    beyond[1].trigger()
    rest(window)
    assert answer(window).views == ("one", "two")
    assert panel_titles(window.document.state)["p1"] == "View-specific · one beyond two"
    of, beyond = compared(window)
    assert [action.isChecked() for action in of] == [True, False, False]
    assert not beyond[0].isEnabled(), "one view has to stay"
    of[2].trigger()
    rest(window)
    assert answer(window).views == ("three", "one", "two")
    window.document.undo()
    window.document.undo()
    rest(window)
    assert window.document.state.panels == before
    assert answer(window).views == ("one", "two", "three")


def test_each_chip_opens_its_choice_by_keys_and_only_comparisons_have_chips(specific, rest, qtbot):
    window = specific
    of, beyond = chips(window)
    for chip, name, ticked in ((of, "Of one", ["one"]), (beyond, "Beyond two and three", ["two", "three"])):
        assert chip.isVisible()
        assert chip.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert chip.accessibleName() == name
        chip.setFocus()
        QTest.keyClick(chip, Qt.Key.Key_Space)
        menu = QApplication.activePopupWidget()
        assert [action.text() for action in menu.actions() if action.isChecked()] == ticked
        assert menu.activeAction().text() == ticked[0]
        menu.close()
    commands.set_method(window.document, "p1", "kernel-sum")
    rest(window)
    assert not any(chip.isVisible() for chip in chips(window))


def test_chips_of_long_names_are_told_apart_and_a_count_is_whole(window, rest):
    """Six panels at 1280 x 720, of names that differ in one letter."""
    names = [f"measurements of {'a very ' * 15}long name {letter} {'of the year' * 7}" for letter in "ABCDEF"]
    draw = np.random.default_rng(0).normal
    window.resize(1280, 720)
    show_data(window, MultiView({name: draw(size=(60, 3)) for name in names}))
    commands.set_param(window.document, "n_smooth", SMOOTH)
    window.editor.enable_all_views()
    commands.set_method(window.document, "p1", "view-specific", names[2])
    rest(window)
    of, beyond = chips(window)
    assert "C" in of.text()
    assert beyond.text() == "5 others ▾"
    window.editor.change_panel("p1", "", left_out=(*names[3:], names[0]))
    rest(window)
    assert "B" in beyond.text()
    row = window.grid.panels["p1"].compared
    beside = sorted((each.geometry() for each in row.findChildren(QWidget)), key=QRect.left)
    assert all(one.right() < other.left() for one, other in pairwise(beside))
    assert beside[-1].right() < row.width()
    for chip in (of, beyond):
        assert chip.fontMetrics().horizontalAdvance(chip.text()) <= chip.width()
        assert names[2] in of.toolTip()


def test_chips_have_the_room_that_larger_type_needs(app, qtbot):
    row = ComparedViews()
    qtbot.addWidget(row)
    row.resize(600, 40)
    views = tuple(ViewState(name=name) for name in ("one", "two", "three"))
    row.show_state(PanelState(id="p1", method="view-specific"), DocumentState(views=views))
    before = row.beyond.width()
    row.setStyleSheet("NameButton { font-size: 30px; }")
    qtbot.waitUntil(lambda: row.beyond.width() > 1.5 * before)
    assert row.beyond.text() == "two + three ▾"


def test_in_place_of_a_permutation_test_stands_why_there_is_none(specific):
    (line,) = (line for line in specific.workbench.check_list.of("p1") if line.id == "permutation")
    assert (line.standing, line.button) == ("inapplicable", "")
    assert "No shuffle tests that nothing is specific" in line.result


def test_axes_of_a_difference_name_the_view_that_connects(window, rest):
    show_data(window, three_views(), panels=3)
    commands.set_method(window.document, "p1", "difference")
    rest(window)
    embedding = answer(window)
    names = shown_names(embedding, "consensus")
    for name, value in zip(names, embedding.eigenvalues, strict=False):
        assert name.endswith(" (+ one)" if value > 0 else " (− two)")
    assert window.grid.panels["p1"].accessibleName()


def test_where_one_view_reaches_farther_a_button_matches_the_reach(window, rest):
    show_data(window, three_views(), panels=3)
    commands.set_method(window.document, "p1", "difference")
    commands.set_param(window.document, "match_reach", False)
    commands.set_epsilon(window.document, "one", 0.5)
    commands.set_epsilon(window.document, "two", 5.0)
    rest(window)
    assert "uneven-reach" in dict(answer(window).warnings)
    panel = window.grid.panels["p1"]
    assert panel.doubt.isVisible()
    panel.show_cures()
    QApplication.activePopupWidget().buttons[0].click()
    rest(window)
    assert window.document.state.params["match_reach"] is True
    assert "matched-reach" in dict(answer(window).warnings)
    window.editor.set_pin("p1", "match_reach", "false")
    rest(window)
    panel.show_cures()
    button = QApplication.activePopupWidget().buttons[0]
    assert button.text() == "Match the reach"
    button.click()
    rest(window)
    assert window.document.state.panel("p1").pins["match_reach"] is True
    assert "matched-reach" in dict(answer(window).warnings)
