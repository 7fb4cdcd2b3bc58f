"""Ingredients by Ctrl+K: the titles of panels and the chips follow at once."""

import pytest
from PySide6.QtWidgets import QApplication

from mvexplorer.ui.widgets.command_palette import CommandPalette


def take(window, words):
    """Choose what the palette finds first."""
    window.behaviour.find_anything()
    (palette,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, CommandPalette) and w.isVisible())
    palette.search.setText(words)
    assert palette.list.item(0).text() == words
    palette._run()


@pytest.mark.panels(2)
def test_the_palette_chooses_ingredients_and_titles_follow(window, rest):
    first = next(iter(window.document.state.panels)).id
    bare = window.grid.panels[first].header.title.accessibleName()
    chips = window.side.ingredients.chips
    for words, chip in (("Kernel: 10 neighbours", "kernel"), ("Normalise: doubly stochastic", "normalisation"),
                        ("Unit rows", "unit_rows")):  # fmt: skip
        take(window, words)
        assert chips[chip].property("differs")
    title = window.grid.panels[first].header.title
    n = window.document.state.params["n_components"]
    assert title.accessibleName() == f"{bare} · 10 neighbours, doubly stochastic, unit rows, r {n}"
    assert title.toolTip().startswith(title.accessibleName())
    take(window, "Recipe: As in the paper")
    assert title.accessibleName() == bare
    assert not any(chip.property("differs") for chip in chips.values())
    rest(window)
