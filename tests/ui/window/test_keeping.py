"""Nothing that was done in a window is lost: to time, to the disk, to another window, or to a strange file name."""

import errno
import json
import os
import sys
import threading

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from windows import PATIENCE_MS

from mvexplorer import writing
from mvexplorer.state.document import commands
from mvexplorer.state.session import session
from mvexplorer.state.session.settings import last_session_path, read_settings
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window import main_window

pytestmark = pytest.mark.panels(3)


@pytest.fixture
def make(app, make_window, rest, tmp_path):
    """Makes windows that keep what they show, with small data from a file."""
    path = tmp_path / "data.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(24, 3)), delimiter=",", header="a,b,c", comments="")

    def make(session=None):
        window = make_window((900, 640), keep=True)
        if session is None:
            window.library.open_source((str(path),))
        else:
            window.library.open_session(session)
        rest(window)
        while len(window.document.state.panels) > 1:
            commands.close_panel(window.document, window.document.state.panels[-1].id)
        rest(window)
        return window

    return make


def eta_of(path):
    return json.loads(path.read_text("utf-8"))["state"]["params"]["eta"]


def set_eta(window, value):
    commands.set_param(window.document, "eta", value, interactive=True)


def dismiss_all(window):
    for banner in window.banners._shown():
        banner.dismiss()


# In time ----------------------------------------------------------------------------------------------------------


def told(window):
    """The messages, without the one about the files that were opened."""
    return [text for text in window.banners.texts() if not text.startswith("Opened ")]


def test_every_edit_is_kept_as_soon_as_the_hand_rests(make, rest):
    window = make()
    for value in (0.25, 0.5, 0.75):  # much closer together than the two seconds
        set_eta(window, value)
        rest(window)
        assert eta_of(last_session_path()) == value


def test_an_endless_drag_is_kept_while_it_goes_on(make, qtbot, monkeypatch):
    monkeypatch.setattr(main_window, "AUTOSAVE_SECONDS", 0.4)
    window = make()
    made = []

    def edit():
        made.append(len(made) % 1000 / 1000)
        set_eta(window, made[-1])

    drag = QTimer(interval=3)
    drag.timeout.connect(edit)
    drag.start()
    # Twice something made during the drag: not only what came before it.
    for _ in range(2):
        start = len(made)
        qtbot.waitUntil(lambda s=start: eta_of(last_session_path()) in made[s + 1 :], timeout=PATIENCE_MS)
        assert window._rest.isActive()
    drag.stop()


def test_the_promise_holds_whatever_the_hand_does(make):
    window = make()
    set_eta(window, 0.1)
    due = window.autosave._due
    assert due.isActive()
    assert due.interval() <= 1000  # the other half belongs to the disk
    begun = due.timerId()
    set_eta(window, 0.2)
    assert due.timerId() == begun  # the next edit does not put it off


def test_keeping_happens_off_the_main_thread_one_at_a_time_and_the_latest_wins(make, qtbot, rest, monkeypatch):
    window, threads, started, go = make(), [], threading.Event(), threading.Event()
    save = session.save_session

    def slow(path, state, *more, **options):
        threads.append((threading.current_thread(), state.params["eta"]))
        started.set()
        assert go.wait(PATIENCE_MS / 1000)
        return save(path, state, *more, **options)

    monkeypatch.setattr(session, "save_session", slow)
    for value in (0.1, 0.2, 0.3, 0.4):
        set_eta(window, value)
        window.autosave.keep()
        assert started.wait(PATIENCE_MS / 1000)
    go.set()
    rest(window)
    assert [eta for _, eta in threads] == [0.1, 0.4]
    assert threading.main_thread() not in [thread for thread, _ in threads]
    assert eta_of(last_session_path()) == 0.4


def test_nothing_is_written_where_nothing_changed(make, rest):
    window = make()
    before = last_session_path().stat().st_mtime_ns
    window.autosave.keep()
    window.editor.end_drag()
    rest(window)
    assert last_session_path().stat().st_mtime_ns == before


def test_closing_keeps_the_last_edit(make, monkeypatch):
    window = make()
    monkeypatch.setattr(dialogs, "choose", lambda *_: 1)
    set_eta(window, 0.625)
    window.close()
    assert eta_of(last_session_path()) == 0.625


def test_a_full_disk_is_told_once_and_passes(make, rest, qtbot, monkeypatch):
    window = make()
    real = os.fsync

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing.os, "fsync", full)
    before = last_session_path().read_bytes()
    set_eta(window, 0.1)
    rest(window)
    assert ["the disk is full. Free some space" in text for text in told(window)] == [True]
    dismiss_all(window)
    set_eta(window, 0.2)
    rest(window)
    assert window.banners.texts() == []
    assert window.autosave._due.isActive()  # it is tried again by itself
    assert last_session_path().read_bytes() == before
    assert not [p for p in last_session_path().parent.iterdir() if p.name.startswith(".mvx")]
    monkeypatch.setattr(writing.os, "fsync", real)
    set_eta(window, 0.3)
    rest(window)
    assert eta_of(last_session_path()) == 0.3


def test_a_home_that_is_a_file_is_told_and_the_window_works(home, make, rest):
    home.write_text("")
    window = make()
    texts = told(window)
    assert ["preferences" in text for text in texts] == [False, True]
    assert texts[0].startswith("Work in progress is not kept: the session cannot be saved to")
    dismiss_all(window)
    window.workbench.change_settings(animate=True)
    window.workbench.change_settings(animate=False)
    set_eta(window, 0.3)
    rest(window)
    assert window.banners.texts() == []
    assert window.controller.result(window.document.state.panels[0].id).status == "ready"


# Two windows --------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_two_windows_keep_their_work_side_by_side(make, make_window, rest):
    one, two = make(), make()
    for window, value in ((one, 0.1), (two, 0.2), (one, 0.3)):
        set_eta(window, value)
        rest(window)
    found = {eta_of(p) for p in last_session_path().parent.glob("last*.mvx.json")}
    assert found == {0.3, 0.2}
    third = make_window((900, 640), keep=True)
    (tile,) = third.start.work.tiles  # on the same data: the other is behind it
    assert [button.text() for button in tile.corner] == ["", "1 earlier ▾"]


def saved_in_two(make, tmp_path):
    path = tmp_path / "work.mvx.json"
    one = make()
    one.library.session_path = path
    assert one.library.save()
    two = make(path)
    two.document.mark_saved()
    return one, two, path


def look(window):
    """The window becomes the active one."""
    window.activateWindow()
    QApplication.processEvents()
    window.library.look_at_file()


def notices(window):
    return [b for b in window.banners._shown() if "The session work" in b.text]


def test_a_session_changed_by_another_window_is_told_and_not_replaced(make, rest, tmp_path):
    one, two, path = saved_in_two(make, tmp_path)
    set_eta(two, 0.75)
    assert two.library.save()
    look(one)
    look(one)
    assert [b.text for b in notices(one)] == [
        "The session work.mvx.json was changed by another window or program since it was opened or saved here. "
        "Save yours under another name to have both."
    ]
    assert [b.text() for b in notices(one)[0].buttons] == ["Open what is there", "Replace it by mine"]
    set_eta(one, 0.25)
    assert not one.library.save()
    assert len(notices(one)) == 1
    assert eta_of(path) == 0.75
    notices(one)[0].buttons[1].click()
    assert eta_of(path) == 0.25
    assert not notices(one)
    assert not one.document.dirty
    look(two)
    assert len(notices(two)) == 1
    notices(two)[0].buttons[0].click()
    rest(two)
    assert two.document.state.params["eta"] == 0.25
    assert not notices(two)


@pytest.mark.nightly
def test_the_notice_comes_when_the_window_becomes_active(make, make_window, qtbot, tmp_path):
    one, two, path = saved_in_two(make, tmp_path)
    two.activateWindow()
    qtbot.waitUntil(two.isActiveWindow, timeout=PATIENCE_MS)
    path.write_bytes(path.read_bytes() + b"\n")
    one.activateWindow()
    qtbot.waitUntil(lambda: len(notices(one)) == 1, timeout=PATIENCE_MS)
    path.write_bytes(path.read_bytes()[:-1])
    look(one)
    assert not notices(one)


@pytest.mark.nightly
def test_closing_saves_under_another_name_where_another_window_saved(make, tmp_path, monkeypatch):
    one, two, path = saved_in_two(make, tmp_path)
    set_eta(two, 0.75)
    assert two.library.save()
    set_eta(one, 0.25)
    monkeypatch.setattr(dialogs, "choose", lambda *_: 0)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine.mvx.json"), ""))
    one.close()
    assert (eta_of(path), eta_of(tmp_path / "mine.mvx.json")) == (0.75, 0.25)


@pytest.mark.nightly
def test_a_session_that_was_deleted_is_told_and_saved_again(make, tmp_path):
    one, _, path = saved_in_two(make, tmp_path)
    path.unlink()
    look(one)
    assert [b.text for b in notices(one)] == [
        "The session work.mvx.json is no longer where it was: what you see is only in this window."
    ]
    notices(one)[0].button.click()
    assert path.is_file()
    path.unlink()
    assert one.library.save()
    assert path.is_file()
    look(one)
    assert not notices(one)


# Names --------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize(
    "name",
    [
        b"\xff\xfe-data.csv",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in (b'a\n"b".csv', b"n" * 246 + b".csv")),
    ],
)
def test_a_file_of_any_name_is_kept_saved_and_opened_again(make, make_window, rest, tmp_path, monkeypatch, name):
    source = os.fsdecode(os.path.join(os.fsencode(tmp_path), name))
    window = make()
    os.rename(tmp_path / "data.csv", source)
    window.library.open_source((source,))
    rest(window)
    set_eta(window, 0.5)
    rest(window)
    assert eta_of(last_session_path()) == 0.5
    assert "\n" not in window.windowTitle()
    if name.startswith(b"\xff"):
        assert "\\xff\\xfe-data.csv" in window.windowTitle()
        assert window.document.data.view_names == ("\\xff\\xfe-data",)
    session = tmp_path / os.fsdecode(b"\xfe\n.mvx.json")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(session), ""))
    assert window.library.save_as()
    window.close()
    assert read_settings()[0].recent[:2] == ((str(session),), (source,))
    again = make_window((900, 640), keep=True)
    again.library.continue_last()
    rest(again)
    assert again.document.state.source == (source,)
    again.library.open_files(read_settings()[0].recent[0])
    rest(again)
    assert again.library.session_path == session
    assert again.document.state.params["eta"] == 0.5
    assert again.banners.texts() == []
