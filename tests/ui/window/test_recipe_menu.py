"""Recipes in the window: a menu beside the methods, a panel's menu, the palette, and the page about them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QTextBrowser, QToolButton
from windows import submenus

from mvexplorer.engine.api.recipe_table import MEASURED_ON, TABLE
from mvexplorer.engine.api.recipes import recipes
from mvexplorer.ui.widgets.command_palette import CommandPalette

pytestmark = pytest.mark.panels(6)


def page_of(window):
    return next(d for d in window.findChildren(QDialog, "recipes") if d.isVisible())


def test_the_menu_stands_beside_that_of_methods(window):
    table = window.actions_table
    texts = [a.text() for a in table.menus["Panels"].actions()]
    assert texts.index("Recipe") == texts.index("Add panel …") + 1
    menu = submenus(table.menus["Panels"])["Recipe"]
    titles = [recipe.title for recipe in recipes()]
    assert [a.text() for a in menu.actions() if a.text()] == [
        *titles, *(f"This panel: {title}" for title in titles), "About recipes …",
    ]  # fmt: skip
    assert [a.toolTip() for a in menu.actions()[: len(titles)]] == [recipe.for_what for recipe in recipes()]
    buttons = [b.text() for b in window.menuBar().cornerWidget().findChildren(QToolButton)]
    assert buttons.index("Recipe ▾") == buttons.index("Add panel ▾") + 1


def test_its_button_opens_it(window, qtbot):
    button = next(
        b for b in window.menuBar().cornerWidget().findChildren(QToolButton) if b.text() == "Recipe ▾"
    )  # fmt: skip
    menu = window.actions_table.menus["Panels/Recipe"]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert menu.isVisible()
    menu.close()


def test_a_recipe_for_all_panels_is_one_step_of_undo(window, qtbot, rest):
    table, before = window.actions_table, window.document.state
    table.actions["Recipe: Neighbours"].trigger()
    state = window.document.state
    assert [view.kernel for view in state.views] == ["knn-10", "knn-10@correlation"]
    assert (state.params["t"], state.params["unit_rows"], state.params["self_loops"]) == (0, True, False)
    (said,) = [text for text in window.banners.texts() if "Euclidean" in text]
    assert said.startswith("View “plain” stays Euclidean: the metric correlation needs at least 3 columns.")
    rest(window)
    table.actions["Undo"].trigger()
    assert window.document.state == before


def test_the_focused_panel_alone_gets_it_as_pins(window):
    focused, others = window.document.state.panels[2], window.document.state.panels[:2]
    window.editor.focus(focused.id)
    window.actions_table.actions["Recipe of this panel: On the sphere"].trigger()
    pins = {"self_loops": False, "unit_rows": True, "t": 0}
    assert window.document.state.panel(focused.id).pins == pins
    assert window.document.state.panels[:2] == others
    window.actions_table.actions["Recipe of this panel: As in the paper"].trigger()
    assert window.document.state.panel(focused.id).pins == {}


def test_a_panel_s_menu_offers_them_for_it(window):
    id = window.document.state.panels[0].id
    menu = submenus(window.grid.panels[id].menus.everything())["Recipe"]
    offered = {a.text(): a for a in menu.actions()}
    assert list(offered) == [recipe.title for recipe in recipes()]
    offered["On the sphere"].trigger()
    assert window.document.state.panel(id).pins["unit_rows"] is True


def test_the_palette_finds_them(window):
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = next(c for c in window.findChildren(CommandPalette) if c.isVisible())
    QTest.keyClicks(palette.search, "recipe on the sphere")
    assert "Recipe: On the sphere" in [entry.text for entry in palette._found]
    palette.reject()


def test_the_page_tells_what_each_is_for_and_what_was_measured(window):
    window.actions_table.actions["About recipes …"].trigger()
    dialog = page_of(window)
    text = " ".join(dialog.findChild(QTextBrowser).toPlainText().split())
    for recipe in recipes():
        assert recipe.for_what in text
        assert f"How it misleads. {recipe.misleads}" in text
    assert MEASURED_ON in text
    for row in TABLE:
        assert " ".join(score or "–" for score in row.scores) in text
    assert "Correlation · 10 nearest neighbours · self-loops left out · unit rows · t 0" in text
    dialog.reject()
