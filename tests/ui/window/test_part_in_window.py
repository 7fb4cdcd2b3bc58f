"""A part of the samples in a window: it says what it is a part of, keeps its colours, and is saved with its data."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from gestures import CONTROL, KEY, canvas
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.private import handed_over_folder
from mvexplorer.state.bench import remote_window
from mvexplorer.state.session.part import TakePartJob, part_words
from mvexplorer.state.session.settings import last_session_path

pytestmark = pytest.mark.panels(3)


def many_classes():
    """Twelve classes, so that colours come again in another form."""
    return small_data().replace(labels=np.array([f"k{i}" for i in range(12)]).repeat(4))


@pytest.fixture
def opened(window, qtbot, rest):
    """Opens samples of the window's data in it, as a window of their own has them."""

    def open_part(rows, origin="lasso in Multi-view"):
        state, data = window.document.state, window.document.data
        words = part_words(rows, data, "two rings", origin)
        part, session = TakePartJob(state, data, tuple(rows), words).run(StageCache(), Task())
        path = Path(remote_window._handed_over(part, session)["session"])
        window.library.open_session(path)
        qtbot.waitUntil(lambda: window.document.data.n_samples == len(rows), timeout=PATIENCE_MS)
        window.library.session_path = None
        window.document.mark_saved()
        rest(window)
        return words

    yield open_part
    window.library.session_path = None


def looks(window, rows):
    """Colour and form of samples in the first panel."""
    look = canvas(window).cloud.look
    forms = np.zeros(len(look.colours), int) if look.markers is None else look.markers
    return look.colours[rows].tolist(), forms[rows].tolist()


def class_colours(window):
    """The legend's colour of two classes."""
    legend = window.points.legend
    return {name: legend.classes.color(legend.names.index(name)).name() for name in ("k3", "k11")}


def test_its_classes_keep_their_colours_and_forms(window, rest, opened):
    show_fresh(window, many_classes(), 3)
    rest(window)
    rows = [*range(12, 24), *range(44, 48)]  # classes 3, 4, 5 and the last
    whole, keys = looks(window, rows), class_colours(window)
    opened(rows)
    assert looks(window, list(range(16))) == whole
    assert class_colours(window) == keys
    window.editor.colour_by("column:batch")
    rest(window)
    assert len(window.points.legend.names) == 2


@pytest.mark.nightly
def test_its_title_says_what_it_is_a_part_of_and_it_is_saved_with_its_data(
    window, qtbot, opened, monkeypatch, tmp_path
):
    words = opened(range(20))
    assert words == "20 of 48 samples of two rings: lasso in Multi-view"
    assert words in window.windowTitle()
    asked = []

    def answer(parent, title, start, kinds, *more):
        asked.append((title, start))
        return str(tmp_path / "mine"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    qtbot.waitUntil(lambda: window.library.session_path is not None, timeout=PATIENCE_MS)
    assert [(title, Path(start).name) for title, start in asked] == [("Save with data", "session.mvx")]
    assert window.document.state.source == (str((tmp_path / "mine.mvx").resolve()),)
    assert not [text for text in window.banners.texts() if "no file" in text]
    assert words in window.windowTitle()


def test_data_that_work_in_progress_needs_stays_in_its_folder(tmp_path):
    folder = handed_over_folder()
    folder.mkdir(parents=True)
    for i in range(6):
        path = folder / f"from-python-{i}.mvx"
        path.write_bytes(b"")
        os.utime(path, (i, i))
    last_session_path().with_name("last-3.mvx.json").write_text(
        '{"state": {"source": ["./from-python/from-python-0.mvx"]}}'
    )
    remote_window._next_file()
    left = {path.name for path in folder.iterdir()}
    assert left == {f"from-python-{i}.mvx" for i in (0, 4, 5)}
