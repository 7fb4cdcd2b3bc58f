"""Starting: the first time, the later times, and what the start page offers."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import KEY, LEFT
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, submenus

from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.state.document import commands
from mvexplorer.state.session.settings import Settings, last_session_path, read_settings
from mvexplorer.ui.app import begin
from mvexplorer.ui.window.start.tile import StartTile


@pytest.mark.nightly
def test_the_first_start_shows_six_methods_on_a_helix(make_window, rest):
    window = make_window(started_before=False)
    begin(window, (), None)
    rest(window)
    state = window.document.state
    assert state.source == ("helix-a",)
    assert window.document.data.n_samples == 600
    shown = [(p.method, p.view) for p in state.panels]
    assert shown == [
        ("single", "view1"), ("single", "view2"), ("kernel-sum", None), ("kernel-product", None), ("de-sa", None),
        ("multiview", None),
    ]  # fmt: skip
    assert state.colour.startswith("latent:")
    assert window.styling.colouring.cyclic
    assert window.banners.texts() == [find_sample("helix-a").look]
    assert "helix" in window.windowTitle().lower()
    assert not window.document.dirty
    window.banners._shown()[0].dismiss()
    assert window.banners.texts() == []
    assert not window.banners.isVisible()
    assert window.settings.started_before


@pytest.mark.nightly
def test_later_starts_show_what_one_can_do(make_window, rest):
    window = make_window()
    begin(window, (), None)
    rest(window)
    assert window.start.isVisible()
    titles = [c.accessibleName() for c in window.start.findChildren(StartTile)]
    assert titles[0].startswith("Open files")
    assert sum("igits" in t for t in titles) >= 1
    assert not window.grid.isVisible()
    assert not window.side.isVisible()


def test_a_sample_is_one_click_from_the_start_page(make_window, rest, qtbot):
    window = make_window()
    choice = next(c for c in window.start.findChildren(StartTile) if "coupled" in c.accessibleName().lower())
    QTest.mouseClick(choice, LEFT)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    assert window.document.state.source == ("coupled-circles",)
    qtbot.waitUntil(window.grid.isVisible, timeout=PATIENCE_MS)
    assert window.start is None


@pytest.mark.nightly
def test_return_opens_the_sample_that_has_the_keys(make_window, rest, qtbot):
    window = make_window()
    rest(window)
    for _ in range(40):
        QTest.keyClick(window.focusWidget() or window, KEY.Key_Tab)
        if "coupled circles" in window.focusWidget().accessibleName().lower():
            break
    choice = window.focusWidget()
    picture = choice.grab().toImage()
    below, beside = picture.height() - 8, range(6, picture.width() - 6)
    assert len({picture.pixel(x, below) for x in beside}) == 1  # no frame in the frame
    QTest.keyClick(choice, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    assert window.document.state.source == ("coupled-circles",)
    rest(window)


@pytest.mark.nightly
def test_a_sample_that_was_looked_at_can_be_continued_but_is_no_own_work(make_window, rest, qtbot):
    first = make_window(keep=True)
    first.library.open_source(("helix-a",))
    qtbot.waitUntil(lambda: first.document.data is not None, timeout=PATIENCE_MS)
    commands.set_param(first.document, "t", 3)
    first.document.mark_saved()
    first.close()
    assert last_session_path().is_file()
    second = make_window(keep=True)
    assert second.start.work.tiles == []
    (seen,) = second.start.seen.tiles
    assert seen.accessibleName().startswith("Seen lately, Helix A: a ring that no single view closes: 6 panels · ")
    QTest.mouseClick(seen, LEFT)
    qtbot.waitUntil(lambda: second.document.data is not None, timeout=PATIENCE_MS)
    assert second.document.state.params["t"] == 3
    assert second.library.session_path is None
    rest(second)


def test_what_was_opened_is_offered_again(make_window, qtbot, tmp_path):
    path = tmp_path / "mine.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(20, 3)), delimiter=",", header="a,b,c", comments="")
    window = make_window(keep=True)
    window.library.open_source((str(path),))
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    kept, problem = read_settings()
    assert kept.recent[0] == (str(path),)
    assert not problem
    window.actions_table.menus["File"].aboutToShow.emit()
    recent = submenus(window.actions_table.menus["File"])["Open recent"]
    assert [a.text() for a in recent.actions()] == ["mine.csv"]
    other = make_window(recent=kept.recent)
    names = [c.accessibleName() for c in other.start.findChildren(StartTile)]
    assert "mine.csv: opened earlier" in names


def test_settings_of_windows_that_leave_no_trace_are_not_kept(make_window, home):
    window = make_window()
    window.workbench.change_settings(theme="dark")
    assert not (home / "settings.json").exists()
    assert read_settings() == (Settings(), "")
