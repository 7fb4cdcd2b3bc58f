"""Memory over a long drag: the cache stays within its limit, and the process does not grow."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from inline import Inline, circle_data, opened

from mvexplorer.compute.cache import StageCache
from mvexplorer.state import commands
from mvexplorer.state.controller import Controller

STATM = Path("/proc/self/statm")
LIMIT = 24 << 20
"""Eighteen kernels of 400 samples."""
WAIT = 60.0


def resident():
    return int(STATM.read_text().split()[1])


def test_five_hundred_moves_stay_within_the_limit_and_do_not_grow():
    document, cache = opened(circle_data(400)), StageCache(LIMIT)
    for panel in ("p2", "p3", "p4", "p5"):
        commands.close_panel(document, panel)
    controller = Controller(document, cache=cache)
    controller.refresh()
    most, after = 0, {}
    for move, epsilon in enumerate(np.geomspace(0.05, 1.5, 500), start=1):
        commands.set_epsilon(document, "v1", float(epsilon), interactive=True)
        assert controller.wait_idle(WAIT)
        most = max(most, cache.bytes)
        if move in (100, 500) and STATM.exists():
            gc.collect()
            after[move] = resident()
    assert 0.5 * LIMIT < most <= LIMIT
    assert all(controller.result(p.id).status == "ready" for p in document.state.panels)
    assert controller.result("p6").result.embedding.epsilon[0] == pytest.approx(1.5)
    if after:
        assert after[500] < 1.1 * after[100]
    assert len(document._undo) <= 5
    controller.shutdown()


def test_a_lower_limit_holds_at_once():
    document, cache = opened(), StageCache()
    controller = Controller(document, executor=Inline(), background=Inline(), cache=cache)
    controller.refresh()
    assert cache.bytes > 100_000
    cache.limit = 100_000
    assert cache.bytes <= 100_000
    commands.set_epsilon(document, "v1", 0.3)
    assert cache.bytes <= 100_000
    assert controller.result("p6").status == "ready"
    controller.shutdown()


@pytest.mark.skipif(not STATM.exists(), reason="only Linux tells a process what it holds")
def test_superseded_work_gives_back_before_the_next_begins():
    """Six panels on all pairs, switched to landmarks in the middle and back: the process stays within the limit."""
    program, limit = Path(__file__).parent / "switching.py", 600
    given = ["6000", "20", str(limit), "0.4", "2", "landmarks-200"]
    said = subprocess.run([sys.executable, str(program), *given], capture_output=True, text=True, check=True).stdout
    grown, *statuses = said.split()
    assert statuses == ["ready"]
    assert 0.3 * limit < int(grown) / 2**20 < 1.1 * limit
