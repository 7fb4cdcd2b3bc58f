"""Panels about one view beside others, or about the difference of two: their chips, titles and axes."""

from __future__ import annotations

import numpy as np
import pytest
from windows import show_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.drawing import shown_names

SMOOTH = 6


def three_views() -> MultiView:
    """Two rings and a line, of 60 samples."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.0, 2 * np.pi, (2, 60))
    ring, other = (np.column_stack([np.cos(x), np.sin(x)]) for x in (a, b))
    return MultiView({"one": np.hstack([ring, other]), "two": ring, "three": np.hstack([other, ring]) + 0.1})


def compared(window) -> tuple[list, list]:
    """The entries of the chip's menu: views to be the one, and views to be beyond."""
    actions = [action for action in window.grid.panels["p1"].menus.shown().actions() if action.isCheckable()]
    return actions[:3], actions[3:]


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


def test_a_chip_chooses_whose_own_part_is_drawn_and_beyond_which_views(specific, rest):
    window = specific
    assert answer(window).views == ("one", "two", "three")
    assert panel_titles(window.document.state)["p1"] == "View-specific · one beyond two + three"
    assert window.grid.panels["p1"].header.shown.text().startswith("of · beyond")
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
        assert name.endswith(" + one" if value > 0 else " − two")
    assert window.grid.panels["p1"].accessibleName()
