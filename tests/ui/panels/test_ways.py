"""Where all pairs of samples do not fit into memory: the panel says so, and its buttons lead on."""

from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest
from PySide6.QtWidgets import QApplication
from windows import show_data, small_data, submenus

from mvexplorer.state.document import commands
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import TooLarge
from mvexplorer.ui.panels.too_large import TooLargePage
from mvexplorer.ui.style import theme


@pytest.fixture
def poor(window, rest):
    """A window with 900 samples and memory for few of its panels."""
    show_data(window, small_data(900))
    for view in ("plain", "wavy"):  # on an even ring the rules' ε is hard to solve for
        commands.set_epsilon(window.document, view, 0.5)
    window.controller.set_memory(24 << 20)
    rest(window)
    yield window
    window.controller.set_memory(window.settings.memory_mebibytes << 20)


def panel_of(window, method):
    return next(window.grid.panels[p.id] for p in window.document.state.panels if p.method == method)


def words(panel):
    return [button.text() for button in panel.too_large.buttons]


@pytest.mark.nightly
def test_the_panel_tells_what_is_needed_and_offers_ways(poor):
    panel = panel_of(poor, "multiview")
    assert panel.too_large.isVisible()
    assert not panel.canvas.isVisible()
    assert "needs " in panel.too_large.words.text()
    assert " of 24 MB" in panel.too_large.words.text()
    assert words(panel)[0].startswith("64 nearest neighbours\n")
    assert words(panel)[-1] == "More memory …"


@pytest.mark.nightly
def test_a_button_leads_to_pictures_that_say_what_they_are(poor, rest):
    panel_of(poor, "multiview").too_large.buttons[0].click()
    rest(poor)
    for panel in poor.grid.panels.values():
        assert panel.canvas.isVisible()
        assert panel.stands_for.text() == "knn-64"
    commands.compute_by(poor.document, "gaussian", None)
    rest(poor)
    assert panel_of(poor, "multiview").too_large.isVisible()


@pytest.mark.nightly
def test_more_memory_brings_the_dense_pictures(poor, rest, monkeypatch):
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter_number", lambda *a, **k: 1024)
    panel_of(poor, "multiview").too_large.buttons[-1].click()
    rest(poor)
    panel = panel_of(poor, "multiview")
    assert panel.canvas.isVisible()
    assert not panel.stands_for.isVisible()


@pytest.mark.nightly
def test_the_menu_chooses_for_all_panels_and_tells_the_error(window, rest):
    show_data(window, small_data(400))
    rest(window)
    panel = panel_of(window, "multiview")
    menu = panel.menus.everything()
    assert "Error against all pairs …" not in [a.text() for a in menu.actions()]
    ways = submenus(menu)["All panels by"]
    next(a for a in ways.actions() if a.text() == "64 nearest neighbours").trigger()
    rest(window)
    next(a for a in panel.menus.everything().actions() if a.text() == "Error against all pairs …").trigger()
    rest(window)
    assert "eigenvalues differ by up to" in panel._message.text()
    assert panel.stands_for.text() == "knn-64"


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("size", [(222, 142), (300, 220), (560, 400)], ids=["twelve at 1280", "six", "at 2560"])
def test_the_buttons_are_whole_in_a_small_panel(app, qtbot, choice, size):
    theme.apply_theme(app, choice)
    editor = create_autospec(Editor, instance=True)
    page = TooLargePage(editor)
    qtbot.addWidget(page)
    page.resize(*size)
    ways = [("64 nearest neighbours", "0.5 GB, about 12 s", "knn-64"), ("1,000 landmarks", "0.9 GB", "nystrom-1000")]
    ways = [SimpleNamespace(title=t, cost=c, kernel=k, subsample=None) for t, c, k in ways]
    page.show_alternatives(TooLarge("Multi-view of 30,000 samples needs 43.2 GB of 8.0 GB; 12 min.", tuple(ways)))
    with qtbot.waitExposed(page):
        page.show()
    app.processEvents()
    assert page.words.height() >= page.words.heightForWidth(page.words.width())
    for button in page.buttons:
        assert button.height() >= button.sizeHint().height()
        assert button.width() >= button.sizeHint().width()
        assert button.visibleRegion().boundingRect() == button.rect()
    assert len({button.width() for button in page.buttons}) == 1
    assert "0.5 GB" in page.buttons[0].text() + page.buttons[0].toolTip()
    page.buttons[0].click()
    editor.compute_by.assert_called_once_with("knn-64", None)
    theme.apply_theme(app, "light")


def test_no_text_makes_one_panel_higher_than_the_others(poor):
    poor.resize(1280, 720)
    QApplication.processEvents()
    heights = {panel.height() for panel in poor.grid.panels.values()}
    assert max(heights) - min(heights) <= 1
