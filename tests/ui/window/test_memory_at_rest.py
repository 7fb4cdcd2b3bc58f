"""Freed memory goes back to the system while nobody works, and not during a drag."""

from __future__ import annotations

import pytest
from doubles import FunctionJob
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS

from mvexplorer.compute.jobs import jobs
from mvexplorer.ui.window import memory_at_rest


@pytest.fixture
def size(monkeypatch) -> list[int]:
    """The process's resident bytes, as the test says; giving back halves them."""
    sizes = [400_000_000]
    monkeypatch.setattr(memory_at_rest, "resident", lambda _: sizes[-1])
    monkeypatch.setattr(jobs, "give_back", lambda: sizes.append(sizes[-1] // 2))
    return sizes


@pytest.fixture
def quick(window, monkeypatch):
    """A window that waits only for a moment, with nothing given back yet."""
    monkeypatch.setattr(window.memory, "_left", 0)
    window.memory._soon.setInterval(50)
    yield window
    window.memory._soon.setInterval(memory_at_rest.AFTER_MS)


def work(window, qtbot):
    """A task, and the time after it."""
    window.controller.background.submit("test", FunctionJob(lambda task: None), lambda outcome: None)
    qtbot.waitUntil(lambda: window.memory.waits, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not window.memory.waits and window.at_rest(), timeout=PATIENCE_MS)


def test_memory_is_given_back_after_work_where_that_is_worth_it(quick, qtbot, size):
    work(quick, qtbot)
    qtbot.waitUntil(lambda: size == [400_000_000, 200_000_000] and quick.memory._left == 200_000_000)
    work(quick, qtbot)
    assert len(size) == 2, "it has hardly grown since"
    size.append(300_000_000)
    work(quick, qtbot)
    qtbot.waitUntil(lambda: size[-1] == 150_000_000)


def test_nothing_is_given_back_while_a_hand_drags(quick, qtbot, size, monkeypatch):
    monkeypatch.setattr(QApplication, "mouseButtons", staticmethod(lambda: Qt.MouseButton.LeftButton))
    quick.controller.background.submit("test", FunctionJob(lambda task: None), lambda outcome: None)
    qtbot.waitUntil(lambda: quick.memory.waits, timeout=PATIENCE_MS)
    with qtbot.waitSignal(quick.memory._soon.timeout):
        pass
    assert quick.memory.waits, "it asks again later"
    assert size == [400_000_000]
    monkeypatch.undo()
    qtbot.waitUntil(lambda: not quick.memory.waits and quick.at_rest(), timeout=PATIENCE_MS)


def test_a_closed_window_gives_nothing_back(make_window, qtbot):
    window = make_window()
    qtbot.waitUntil(window.at_rest, timeout=PATIENCE_MS)
    window.discard()
    assert not window.memory.waits
