"""A file of the data that another program changes while it is open: one message, and a button that opens it again."""

import os
import re
import sys

import numpy as np
import pytest
from windows import PATIENCE_MS

from mvexplorer.engine.core.maps import is_map
from mvexplorer.io.base import mapping

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be changed there")
CHANGED = "“large.npy” was changed by another program. Open it again."


def write(path, n=60, shift=0.0):
    np.save(path, np.random.default_rng(0).normal(size=(n, 4)) + shift)


@pytest.fixture
def opened(window, qtbot, rest, tmp_path, monkeypatch):
    """A window with a table that stays in its file, and a small one."""
    monkeypatch.setattr(mapping, "MAP_FROM", 60 * 4 * 8)
    write(tmp_path / "large.npy")
    np.save(tmp_path / "small.npy", np.random.default_rng(1).normal(size=(60, 2)))
    window.library.open_files((str(tmp_path / "large.npy"), str(tmp_path / "small.npy")))
    qtbot.waitUntil(lambda: window.document.data.n_samples == 60, timeout=PATIENCE_MS)
    rest(window)
    assert is_map(window.document.data.Xs[0])
    return window


def change(path, **how):
    """Save a file as other programs do; its time of change is another one however coarse the clock is."""
    write(path, **how)
    os.utime(path, ns=(5, 5))


def drawn(window):
    """The pictures on screen, by panel."""
    points = {id: result.drawing.points for id, result in window.controller.results.items()}
    return {id: Y.copy() for id, Y in points.items() if Y is not None}


def told(window):
    return [text for text in window.banners.texts() if "changed by another program" in text]


def open_again(window, qtbot, rest):
    former = window.document.data
    [banner] = [b for b in window.banners._shown() if CHANGED in b.text]
    assert [button.text() for button in banner.buttons] == ["Open again"]
    banner.buttons[0].click()
    qtbot.waitUntil(lambda: window.document.data is not former, timeout=PATIENCE_MS)
    rest(window)


def test_a_changed_file_is_told_once_and_opened_again(opened, qtbot, rest, tmp_path):
    window = opened
    window.editor.set_epsilon("small", 3.5)
    window.editor.set_preprocess("small", "centre")
    rest(window)
    before = drawn(window)
    assert before
    change(tmp_path / "large.npy", shift=1.0)
    assert not told(window)
    window.editor.set_epsilon("large", 2.5)
    rest(window)
    assert told(window) == [CHANGED]
    for id, points in drawn(window).items():
        np.testing.assert_array_equal(points, before[id])
    open_again(window, qtbot, rest)
    assert not told(window)
    assert all(found.status == "ready" for found in window.controller.results.values())
    np.testing.assert_array_equal(window.document.data.Xs[0], np.load(tmp_path / "large.npy"))
    views = {view.name: view for view in window.document.state.views}
    assert (views["small"].epsilon, views["large"].epsilon) == (3.5, 2.5)
    assert window.document.data.preprocess == ("none", "centre")


@pytest.mark.nightly
def test_selections_and_the_session_stay_where_samples_are_the_same(opened, qtbot, rest, tmp_path):
    window = opened
    window.editor.select((1, 2, 3))
    assert window.library.write(tmp_path / "work.mvx.json")
    change(tmp_path / "large.npy", shift=1.0)
    window.editor.set_epsilon("large", 2.5)
    rest(window)
    open_again(window, qtbot, rest)
    assert window.document.state.selection == (1, 2, 3)
    assert window.library.session_path == tmp_path / "work.mvx.json"
    assert window.document.dirty, "the session was saved with other numbers"


@pytest.mark.nightly
def test_a_file_of_other_samples_is_opened_as_it_is(opened, qtbot, rest, tmp_path):
    window = opened
    window.editor.select((1, 59))
    change(tmp_path / "large.npy", n=50)
    np.save(tmp_path / "small.npy", np.random.default_rng(1).normal(size=(50, 2)))
    window.editor.set_epsilon("large", 2.5)
    rest(window)
    open_again(window, qtbot, rest)
    assert window.document.data.n_samples == 50
    assert window.document.state.selection == ()
    assert window.document.state.view("large").epsilon == 2.5


@pytest.mark.nightly
def test_a_colouring_by_a_feature_of_a_changed_file_is_told(opened, rest, tmp_path):
    change(tmp_path / "large.npy", shift=1.0)
    opened.editor.colour_by("feature:large:1")
    rest(opened)
    assert told(opened) == [CHANGED]


def test_a_file_that_cannot_be_opened_again_is_a_sentence(opened, qtbot, rest, tmp_path):
    change(tmp_path / "large.npy", shift=1.0)
    opened.editor.set_epsilon("large", 2.5)
    rest(opened)
    (tmp_path / "large.npy").write_bytes(b"no table")
    [banner] = [b for b in opened.banners._shown() if CHANGED in b.text]
    banner.buttons[0].click()
    qtbot.waitUntil(lambda: any(re.search("large.npy", text) for text in opened.banners.texts()), timeout=PATIENCE_MS)
    assert opened.document.data.n_samples == 60
