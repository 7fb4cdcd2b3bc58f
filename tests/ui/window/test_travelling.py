"""Sessions that travel, in the window: data that moved is located, and a session takes its data with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QFileDialog, QPushButton
from windows import PATIENCE_MS

from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.ui.widgets.banner import Banner
from mvexplorer.ui.window import opening

pytestmark = pytest.mark.panels(3)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a table and a session about it."""
    folder = tmp_path / "project"
    folder.mkdir()
    random = np.random.default_rng(0)
    np.savez(folder / "d.npz", a=random.normal(size=(24, 3)), b=random.normal(size=(24, 2)), label=["x", "y"] * 12)
    loaded = load_source(str(folder / "d.npz"))
    state = commands.initial_state(loaded.data, loaded.sources, None)
    save_session(folder / "work.mvx.json", state, loaded.data, "1")
    return folder


def button(window, text: str) -> QPushButton:
    """A button beside a message."""
    buttons = [b for banner in window.findChildren(Banner) for b in banner.buttons]
    return next(b for b in buttons if b.text() == text)


def test_a_folder_that_moved_opens(make_window, rest, project, tmp_path):
    window = make_window()
    moved = Path(shutil.move(project, tmp_path / "elsewhere"))
    window.library.open_session(moved / "work.mvx.json")
    rest(window)
    assert window.document.state.source == (str(moved / "d.npz"),)
    assert not window.banners.texts()


@pytest.mark.parametrize("folder", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_data_that_moved_is_located(make_window, rest, project, tmp_path, monkeypatch, folder):
    window = make_window()
    (tmp_path / "found").mkdir()
    moved = Path(shutil.move(project / "d.npz", tmp_path / "found" / "renamed.npz"))
    window.library.open_session(project / "work.mvx.json")
    rest(window)
    assert window.document.data is None
    assert "There is no sample or file called" in window.banners.texts()[0]
    monkeypatch.setattr(opening, "open_folder", lambda *a: str(moved.parent))
    monkeypatch.setattr(opening, "open_file", lambda *a: str(moved))
    button(window, "Locate folder …" if folder else "Locate file …").click()
    rest(window)
    assert window.document.state.source == (str(moved),)
    assert window.banners.texts() == ["The data was found there. Save the session to keep its place."]


def test_data_that_changed_is_told_and_not_taken(make_window, rest, project):
    window = make_window()
    random = np.random.default_rng(1)
    np.savez(project / "d.npz", a=random.normal(size=(24, 3)), b=random.normal(size=(24, 2)), label=["x", "y"] * 12)
    window.library.open_session(project / "work.mvx.json")
    rest(window)
    assert window.document.data is None
    assert "its 24 samples of a, b hold other numbers today" in window.banners.texts()[0]
    button(window, "Open anyway").click()
    rest(window)
    assert window.document.data is not None


@pytest.mark.nightly
def test_save_with_data_is_written_opened_by_a_drop_and_saved_again(
    make_window, rest, qtbot, project, tmp_path, monkeypatch
):
    window = make_window()
    window.library.open_session(project / "work.mvx.json")
    rest(window)
    path = tmp_path / "taken" / "work.mvx"
    path.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path.with_suffix("")), ""))
    window.editor.set_param("t", 3)
    rest(window)
    window.actions_table.actions["Save with data …"].trigger()
    qtbot.waitUntil(lambda: window.library.session_path == path, timeout=PATIENCE_MS)
    rest(window)
    assert window.banners.texts() == ["Saved work.mvx."]
    assert not window.document.dirty
    shutil.rmtree(project)
    other = make_window()
    drop(other, path)
    qtbot.waitUntil(lambda: other.document.data is not None, timeout=PATIENCE_MS)
    # The pictures are there at once, and lie as the computed ones do.
    found = other.controller.result("p3")
    assert found.result is not None
    assert not found.stale
    rest(other)
    assert other.controller.result("p3").status == "ready"
    assert other.windowTitle() == "mvexplorer — work"
    assert other.document.state.params["t"] == 3
    assert other.library.recent[0] == (str(path),)
    other.editor.set_param("t", 4)
    assert other.library.save()
    qtbot.waitUntil(lambda: not other.document.dirty, timeout=PATIENCE_MS)
    rest(other)
    assert open_session(path).state.params["t"] == 4
    assert not any("changed by another" in text for text in other.banners.texts())
    # Work in progress names the file, and needs no copy of the data.
    other.autosave.finish()


def drop(window, path: Path) -> None:
    """Drop a file onto a window."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    window.opening.drop(tuple(url.toLocalFile() for url in mime.urls()))


def test_no_permission_to_write_is_a_sentence(make_window, rest, project, tmp_path, monkeypatch):
    window = make_window()
    window.library.open_session(project / "work.mvx.json")
    rest(window)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "x.mvx"), ""))
    window.actions_table.actions["Save with data …"].trigger()
    rest(window)
    assert "The session cannot be saved to" in window.banners.texts()[0]
    assert window.library.session_path == project / "work.mvx.json"


def test_a_session_is_saved_before_other_data_takes_its_place(make_window, rest, project, tmp_path):
    window = make_window()
    window.library.open_session(project / "work.mvx.json")
    rest(window)
    path = tmp_path / "s.mvx"
    assert window.library.write(path, wait=True)
    window.library.ask_save = lambda what: True
    window.editor.set_param("t", 5)
    assert window.library.may_lose("close")
    assert open_session(path).state.params["t"] == 5
    assert set(open_session(path).pictures) <= {p.id for p in window.document.state.panels}
