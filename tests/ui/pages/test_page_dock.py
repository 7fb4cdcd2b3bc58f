"""The dock below the panels stands still while its pages change."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QSplitter
from windows import show_data, small_data

from mvexplorer.ui.pages import table
from mvexplorer.ui.pages.dock import HEIGHT


def top(window) -> int:
    return window.bottom.mapTo(window, window.bottom.rect().topLeft()).y()


@pytest.mark.parametrize("size", [pytest.param((1440, 900), marks=pytest.mark.nightly), (1280, 720)], ids=str)
@pytest.mark.parametrize("first", [pytest.param("spectrum", marks=pytest.mark.nightly), "tune"])
def test_the_tabs_stand_still_whichever_page_is_opened_first(make_window, app, rest, first, size):
    window = make_window(size)
    show_data(window, small_data(), 3)
    rest(window)
    places = []
    for id in (first, *window.bottom.pages):
        page = window.bottom.show_page(id)
        app.processEvents()
        places.append(top(window))
        assert window.bottom.stack.height() >= page.sizeHint().height()
    assert len(set(places)) == 1


def test_the_height_that_the_user_chose_stays(make_window, app, rest):
    window = make_window()
    show_data(window, small_data(), 3)
    rest(window)
    splitter = window.bottom.parentWidget()
    assert isinstance(splitter, QSplitter)
    assert window.bottom.height() == HEIGHT
    splitter.moveSplitter(400, 1)  # as a hand on the edge does
    app.processEvents()
    chosen = top(window)
    for id in window.bottom.pages:
        window.bottom.show_page(id)
        app.processEvents()
        assert top(window) == chosen
    window.bottom.fold(True)
    app.processEvents()
    assert top(window) > chosen
    window.bottom.show_page("sweep")
    app.processEvents()
    assert top(window) == chosen


def test_data_is_shown_in_many_turns_of_the_event_loop(make_window, app, rest):
    """A page a turn, what stands around the panels, and the panels."""
    window = make_window()
    steps = window.docks.steps()
    assert len(steps) == len(table.PAGES) + 2
    window.bottom.prepare()
    assert len(window.docks.steps()) == len(steps) - 1
    show_data(window, small_data(), 3)
    rest(window)
    assert len(window.docks.steps()) == 2
    assert list(window.bottom.pages) == [page.id for page in table.PAGES]


def test_what_has_become_a_part_of_a_page_is_found_by_its_former_name(make_window, rest):
    window = make_window()
    show_data(window, small_data(), 3)
    rest(window)
    page = window.bottom.show_page("bandwidth")
    rest(window)
    page.hide_plot("sweep")
    assert window.bottom.show_page("sweep") is page is window.bottom.pages["tune"]
    assert page.sweep.isVisible()
