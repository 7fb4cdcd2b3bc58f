"""The chips of ingredients: what they say, what they ask of the editor, for all panels and for one."""

from unittest.mock import call

import pytest
from PySide6.QtWidgets import QApplication
from windows import advice_of

from mvexplorer.state.document import commands
from mvexplorer.state.document.ingredients.edits import choose_ingredient
from mvexplorer.state.document.ingredients.shown import NAMES, choices_of
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.style import theme


@pytest.fixture
def dock(app, qtbot, controller, editor):
    made = ControlsDock(controller, editor, advice_of(controller, editor))
    made.setStyleSheet(theme.style_sheet())
    qtbot.addWidget(made)
    made.resize(292, 656)
    made.show_state(controller.document.state)
    made.ingredients.unfold(True)
    made.show()
    return made


def texts(menu):
    return [action.text() for action in menu.actions() if action.text()]


def chosen(menu):
    return [action.text() for action in menu.actions() if action.isChecked()]


def test_chips_show_the_papers_values_and_need_little_height(dock):
    chips = dock.ingredients
    assert [chips.chips[name].text() for name in NAMES] == [
        "Euclidean ▾", "Gaussian ▾", "loops ▾", "walk ▾", "rows as they are ▾"
    ]  # fmt: skip
    assert not chips.paper.isVisible()
    assert chips.scope.text() == "all panels ▾"
    assert chips.height() <= 72
    assert not any(chip.property("differs") for chip in chips.chips.values())


def test_words_of_chips_are_not_cut(dock, controller):
    document = controller.document
    for name, value in (("kernel", "knn-10"), ("normalisation", "doubly-stochastic"), ("metric", "correlation")):
        choose_ingredient(document, name, value)
    dock.show_state(document.state)
    QApplication.processEvents()
    chips = dock.ingredients
    assert not [chip.text() for chip in chips.chips.values() if "…" in chip.text()]
    assert chips.paper.isVisible()
    assert chips.chips["kernel"].property("differs")
    assert chips.chips["kernel"].text() == "10 neighbours ▾"


def test_a_chip_offers_its_values_and_asks_for_the_one_chosen(dock, controller, editor):
    menu = dock.ingredients.menu_of("kernel")
    assert texts(menu)[:3] == ["Kernel: Gaussian", "Kernel: 10 neighbours", "Kernel: 30 neighbours"]
    assert chosen(menu) == ["Kernel: Gaussian"]
    assert all(action.toolTip() for action in menu.actions())
    menu.actions()[1].trigger()
    assert editor.mock_calls[-1] == call.choose_ingredient("kernel", "knn-10", None)
    commands.set_kernel(controller.document, controller.document.state.enabled[0], "knn-64")
    dock.show_state(controller.document.state)
    assert dock.ingredients.chips["kernel"].text() == "mixed ▾"
    assert chosen(dock.ingredients.menu_of("kernel")) == []
    dock.ingredients.paper.click()
    assert editor.mock_calls[-1] == call.take_papers_ingredients(None)


def test_choices_can_be_for_the_focused_panel_alone(dock, controller, editor):
    document, chips = controller.document, dock.ingredients
    all_, one = chips.scope_menu().actions()
    assert (all_.isChecked(), one.isEnabled()) == (True, False)
    panel = document.state.panels[2]
    controller.focused = panel.id
    all_, one = chips.scope_menu().actions()
    assert one.text() == "Only Kernel sum"
    one.trigger()
    QApplication.processEvents()
    assert chips.scope.text() == "Kernel sum ▾"
    chips.choose(choices_of("unit_rows")[1])
    assert editor.mock_calls[-1] == call.choose_ingredient("unit_rows", True, panel.id)
    choose_ingredient(document, "unit_rows", True, panel.id)
    dock.show_state(document.state)
    assert chips.chips["unit_rows"].text() == "unit rows ▾"
    chips.paper.click()
    assert editor.mock_calls[-1] == call.take_papers_ingredients(panel.id)
    controller.focused = document.state.panels[0].id
    chips.follow_focus()
    assert chips.chips["unit_rows"].text() == "rows as they are ▾"
    chips.choose_panel_alone(False)
    QApplication.processEvents()
    assert chips.scope.text() == "all panels ▾"


def test_chips_that_nothing_on_show_takes_are_dimmed(dock, controller):
    state = controller.document.state
    dock.show_state(state.model_copy(update={"panels": (commands.new_panel("pca", "p1"),)}))
    enabled = {name: chip.isEnabled() for name, chip in dock.ingredients.chips.items()}
    assert enabled == {name: name == "unit_rows" for name in NAMES}


def test_folded_one_line_names_what_is_not_the_papers(dock, controller):
    chips = dock.ingredients
    chips.unfold(False)
    assert not any(chip.isVisible() for chip in chips.chips.values())
    assert (chips.summary.text(), chips.scope.isVisible()) == ("as in the paper", False)
    choose_ingredient(controller.document, "self_loops", False)
    dock.show_state(controller.document.state)
    QApplication.processEvents()
    assert chips.summary.accessibleName() == "without loops"
    assert chips.summary.property("role") == "accent"
    chips.title.click()
    assert all(chip.isVisible() for chip in chips.chips.values())
    assert chips.paper.isVisible()
    assert not chips.summary.isVisible()
