"""Widgets that only Python holds are destroyed on the main thread, whoever allocates."""

from __future__ import annotations

import gc
import threading

import pytest
from PySide6.QtCore import QObject
from windows import PATIENCE_MS

from mvexplorer.ui.runtime.gc_main_thread import Collector, keep_to_main_thread


class Knot(QObject):
    """An object in a cycle with itself, that tells in which thread it goes."""

    def __init__(self, told: list[threading.Thread]) -> None:
        super().__init__()
        self.me = self
        self.told = told

    def __del__(self) -> None:
        self.told.append(threading.current_thread())


def test_there_is_one_collector(app):
    assert keep_to_main_thread(app) is keep_to_main_thread(app)
    assert len(app.findChildren(Collector)) == 1


@pytest.mark.nightly
def test_workers_destroy_nothing(app, qtbot):
    keep_to_main_thread(app)
    told: list[threading.Thread] = []
    for _ in range(50):
        Knot(told)
    allocate = threading.Thread(target=lambda: [[[]] for _ in range(200_000)])
    allocate.start()
    allocate.join()
    assert told == []
    gc.collect()
    assert set(told) == {threading.main_thread()}


def test_garbage_goes_all_the_same(app, qtbot):
    collector = Collector(app)
    told: list[threading.Thread] = []
    for _ in range(2000):
        Knot(told)
    qtbot.waitUntil(lambda: len(told) == 2000, timeout=PATIENCE_MS)
    assert set(told) == {threading.main_thread()}
    collector.stop()
    collector.setParent(None)
    gc.disable()


@pytest.mark.nightly
def test_what_the_window_is_made_of_is_looked_at_once(app):
    collector = Collector(app)
    stays, told = [object()], []
    Knot(told)
    collector.freeze_startup_objects()
    assert len(told) == 1
    assert gc.is_tracked(stays)
    assert gc.get_freeze_count() > 10_000
    assert not any(o is stays for o in gc.get_objects())
    Knot(told)
    gc.collect()
    assert len(told) == 2
    gc.unfreeze()
    collector.stop()
    collector.setParent(None)
    gc.disable()
