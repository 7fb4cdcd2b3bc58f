"""A large file on its way into the window: how far it is read, and a way to stop."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.engine.core.task import Cancelled
from mvexplorer.state.bench import library
from mvexplorer.ui.window.start import reading_line

ASKED, STOPPED = Event(), Event()


@dataclass(frozen=True)
class SlowJob:
    """Reads a quarter, then waits to be stopped."""

    source: tuple[str, ...]
    reading: object

    def run(self, cache, task):
        task.progress(0.25)
        ASKED.set()
        while not task.cancelled:
            STOPPED.wait(0.01)
        STOPPED.set()
        raise Cancelled


@pytest.fixture
def slow(monkeypatch):
    ASKED.clear()
    STOPPED.clear()
    monkeypatch.setattr(library, "OpenJob", SlowJob)
    monkeypatch.setattr(reading_line, "AFTER_MS", 50)


def test_reading_a_large_file_shows_how_far_it_is_and_can_be_stopped(slow, make_window, qtbot):
    window = make_window()
    start = window.start
    assert start is not None
    window.library.open_files(("huge.csv",))
    assert window.start is None
    line = window.reading
    qtbot.waitUntil(lambda: line.isVisible() and line.bar.value() == 25, timeout=PATIENCE_MS)
    assert line.bar.maximum() == 100
    QTest.mouseClick(line.stop, Qt.MouseButton.LeftButton)
    assert STOPPED.wait(PATIENCE_MS / 1000)
    qtbot.waitUntil(lambda: not line.isVisible(), timeout=PATIENCE_MS)
    assert window.start is not None  # as before
    assert window.banners.texts() == []


def test_what_is_read_at_once_shows_no_line(window, rest, tmp_path, qtbot):
    path = tmp_path / "small.csv"
    path.write_text("u,v\n" + "\n".join(f"{i},{i * i % 7}" for i in range(20)))
    seen = []
    window.controller.tasks_changed.connect(seen_line := lambda: seen.append(window.reading.isVisible()))
    window.library.open_files((str(path),))
    qtbot.waitUntil(lambda: window.document.data.n_samples == 20, timeout=PATIENCE_MS)
    rest(window)
    window.controller.tasks_changed.disconnect(seen_line)
    assert seen
    assert not window.reading.isVisible()
    assert window.controller.reading.idle
