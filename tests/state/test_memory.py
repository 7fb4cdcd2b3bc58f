"""Memory over a long drag: the cache stays within its limit, and the process does not grow."""

import gc
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from inline import Inline, circle_data, opened

from mvexplorer.compute.cache import StageCache
from mvexplorer.state import commands
from mvexplorer.state.controller import Controller

STATM = Path("/proc/self/statm")
LIMITS = {400: 12 << 20, 5000: 512 << 20}
"""By the number of samples: nine kernels of 400; of 5,000 the distances, two kernels, and drafts of parts."""
WAIT = 600.0
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
LIBRARIES = ("scipy.sparse.linalg", "sklearn.cluster", "sklearn.metrics", "sklearn.neighbors", "polars")
"""What a program loads besides in its first minute."""


def resident():
    return int(STATM.read_text().split()[1]) * PAGE


@pytest.mark.parametrize("samples", [400, pytest.param(5000, marks=pytest.mark.nightly)])
def test_five_hundred_moves_stay_within_the_limit_and_do_not_grow(samples):
    limit = LIMITS[samples]
    for library in LIBRARIES:
        import_module(library)
    before = resident() if STATM.exists() else 0
    document, cache = opened(circle_data(samples)), StageCache(limit)
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
    assert 0.5 * limit < most <= limit
    assert all(controller.result(p.id).status == "ready" for p in document.state.panels)
    assert controller.result("p6").result.embedding.epsilon[0] == pytest.approx(1.5)
    if after:
        assert after[500] < 1.1 * after[100]
        # Of few samples the interpreter's own objects are more.
        assert after[500] - before < 1.1 * limit or samples < 1000
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
