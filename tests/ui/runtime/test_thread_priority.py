"""Workers run below the window's priority, all of them alike."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import get_native_id

import pytest

from mvexplorer.ui.runtime.bridge import NICENESS, lower_thread_priority


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux only")
def test_a_worker_that_a_worker_started_is_no_slower():
    def start_another() -> tuple[int, int]:
        with ThreadPoolExecutor(1, initializer=lower_thread_priority) as rows:
            return niceness(), rows.submit(niceness).result()

    own = os.getpriority(os.PRIO_PROCESS, os.getpid())
    with ThreadPoolExecutor(1, initializer=lower_thread_priority) as workers:
        assert workers.submit(start_another).result() == (own + NICENESS, own + NICENESS)
