"""The menu bar: short, and all that is not in it is found by Ctrl+K."""

import numpy as np
import pytest
from PySide6.QtWidgets import QMenu
from windows import show_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.session.settings import FORMER_ACTIONS
from mvexplorer.ui.pages.table import PAGES
from mvexplorer.ui.widgets.command_palette import CommandPalette

pytestmark = pytest.mark.panels(1)


def leaves(menu: QMenu) -> list[str]:
    """The texts of the entries that are seen when a menu and those in it are opened."""
    menu.aboutToShow.emit()
    texts: list[str] = []
    for action in menu.actions():
        if action.isSeparator() or not action.isVisible():
            continue
        texts += leaves(action.menu()) if action.menu() else [action.text()]
    return texts


def entries(window):
    return [text for action in window.menuBar().actions() if action.menu() for text in leaves(action.menu())]


def offered(window, text):
    """What Ctrl+K finds for some words."""
    window.behaviour.find_anything()
    shown = window.findChildren(CommandPalette)[-1]
    shown.search.setText(text)
    rows = [shown.list.item(i).text() for i in range(shown.list.count())]
    shown.close()
    return rows


def test_what_the_keys_and_the_dialogs_have_is_no_entry_but_is_found(window):
    acts = window.actions_table.table
    aside = [act for act in acts if not act.in_menu]
    shown = entries(window)
    assert len(aside) > 30
    assert not {window.actions_table.actions[act.text].text() for act in aside} & set(shown)
    for act in aside:
        if window.actions_table.actions[act.text].isEnabled():
            title = act.text.replace("…", "").strip()
            assert title in offered(window, title)[:3]
    keys = {act.text: act.keys for act in aside if act.keys}
    assert all(window.actions_table.actions[text].shortcuts() for text in keys)


@pytest.mark.parametrize(("former", "present"), FORMER_ACTIONS.items())
def test_actions_are_found_by_their_former_names_too(window, former, present):
    window.editor.select((1, 2))
    title = present.replace("…", "").strip()
    assert present in window.actions_table.actions
    for typed in (former.replace("…", "").strip(), title):
        assert title in offered(window, typed)[:3]


@pytest.mark.nightly
def test_it_has_ninety_entries_at_most(window, rest):
    window.library.open_source(("helix-a",))
    rest(window)
    assert 70 < len(entries(window)) <= 90


def test_waveforms_have_entries_where_there_are_some(window):
    assert not any("sonograms" in text for text in entries(window))
    waves = np.random.default_rng(0).normal(size=(8, 300))
    show_data(window, MultiView({"east": waves}), 1)
    assert sum("sonograms" in text for text in entries(window)) == 2
    window.document.undo()
    assert not any("sonograms" in text for text in entries(window))


@pytest.mark.parametrize(
    ("typed", "page"),
    {"Spectrum": "spectrum", "Tune": "tune", "Bandwidth": "tune", "Sweep": "tune", "Agreement": "agreement",
     "Is it real?": "validate", "Views": "views", "Diagnostics": "diagnostics", "Compare": "agreement",
     "Validate": "validate", "Inside": "diagnostics"}.items(),
)  # fmt: skip
def test_every_tab_that_there_was_and_every_place_is_found_by_its_name(window, typed, page):
    title = next(kind.title for kind in PAGES if kind.id == page)
    assert f"Page: {title}" in offered(window, typed)[:8]


@pytest.mark.parametrize("typed", ["History", "Tasks"])
def test_what_opens_over_the_window_is_found_by_its_name(window, typed):
    assert typed in offered(window, typed)[:3]
