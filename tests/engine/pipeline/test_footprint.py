"""Memory: what methods are said to need and do need, and what is left when they have ended or were stopped."""

import gc
import subprocess
import sys
import tracemalloc
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from peak import measurable

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method, methods

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "bench_memory.py"
IDS = [method.id for method in methods() if not method.shows_given]
OFTEN = ("single", "multiview", "alternating", "jade", "kernel-cca")
"""Methods of which one diagonalises one kernel, one a product of many, and so on; the others are measured at night."""
REST = tuple(id for id in IDS if id not in OFTEN)
SAMPLES = 2000
JUDGED = 50
"""MiB below which an estimate need not be right."""
WITHIN = 1.5
NOISE = 12
"""MiB by which a peak differs from run to run under load."""


@cache
def peaks(ids):
    """(measured, told) in MiB, by method: each with its defaults, in a process of its own."""
    command = [sys.executable, str(PROGRAM), *ids, "--usual", "--samples", str(SAMPLES)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.rsplit(maxsplit=3) for line in said.replace("!!", "").splitlines() if ":" in line]
    return {row[0].split(":")[0]: (float(row[1]), float(row[2])) for row in rows if len(row) == 4}


@pytest.mark.skipif(not measurable(), reason="only Linux tells a process its peak")
@pytest.mark.parametrize(
    ("id", "ids"),
    [*((id, OFTEN) for id in OFTEN), *(pytest.param(id, REST, marks=pytest.mark.nightly) for id in REST)],
    ids=[*OFTEN, *REST],
)
def test_a_method_takes_what_it_is_said_to_take(id, ids):
    measured, told = peaks(ids)[id]
    if max(measured, told) >= JUDGED:
        assert told / WITHIN - NOISE <= measured <= WITHIN * told + NOISE


def data_for(id, n=200):
    rng = np.random.default_rng(0)
    ring = rng.standard_normal((n, 3))
    return MultiView([ring + 0.1 * rng.standard_normal((n, 3)) for _ in range(max(2, get_method(id).min_views))])


class Counted(Task):
    """Is cancelled at a checkpoint told by its number."""

    def __init__(self, pool, stop=0):
        super().__init__(run_all=pool.run_all)
        self.count, self.stop = 0, stop

    def checkpoint(self):
        self.count += 1
        if self.count == self.stop:
            self.cancel()
        super().checkpoint()


@pytest.fixture
def pool():
    pool = BlockExecutor(2)
    yield pool
    pool.shutdown()


@pytest.mark.parametrize("id", [*OFTEN, *(pytest.param(id, marks=pytest.mark.nightly) for id in REST)])
def test_nothing_large_is_left_by_what_was_stopped(id, pool):
    """Without a collection of garbage, which in the window is seldom: no cycle may hold a matrix."""
    data = data_for(id)
    whole = Counted(pool)
    embed(data, id, epsilon=1.0, task=whole)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for share in (0.2, 0.8):
            with pytest.raises(Cancelled):
                embed(data, id, epsilon=1.0, task=Counted(pool, max(1, int(share * whole.count))))
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        gc.enable()
    assert left < 0.2 * 8 * data.n_samples**2


def reachable(root):
    """All objects that `root` keeps alive, the memory of views of arrays included."""
    found, todo = {}, [root]
    while todo:
        thing = todo.pop()
        if id(thing) in found or isinstance(thing, type | ModuleType):
            continue
        found[id(thing)] = thing
        if isinstance(thing, np.ndarray):
            todo.append(thing.base)
        elif callable(thing) and hasattr(thing, "__closure__"):  # not the module that it is from
            todo += [cell.cell_contents for cell in thing.__closure__ or ()]
        else:
            todo += gc.get_referents(thing)
    return found.values()


@pytest.mark.parametrize("id", IDS)
def test_no_matrix_hangs_on_a_result(id):
    """Results stay with panels, and with requests that start from them."""
    data = data_for(id)
    embedding = embed(data, id, epsilon=1.0)
    sizes = [thing.nbytes for thing in reachable(embedding) if isinstance(thing, np.ndarray)]
    assert sizes
    assert max(sizes) < 0.5 * 8 * data.n_samples**2
