"""Memory handed out again: never while anybody still looks at it, always once nobody does."""

import numpy as np
import pytest

from mvexplorer.compute.run.buffers import MOST_FREE, Buffers
from mvexplorer.compute.run.cache import LATEST, StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_is_used_again_once_nobody_holds_it():
    buffers = Buffers()
    first = buffers.empty((100, 50), np.float32)
    assert (first.shape, first.dtype) == ((100, 50), np.float32)
    place = address(first)
    del first
    assert address(buffers.empty((50, 100), np.float32)) == place
    assert buffers.nbytes == 20_000


@pytest.mark.parametrize("kept", [
    lambda a: a, lambda a: a[3:7], lambda a: a.T, lambda a: a.ravel()[::2], lambda a: np.asarray(a).view(np.uint8),
    lambda a: memoryview(a), lambda a: (a[0], None),
])  # fmt: skip
def test_whatever_still_looks_at_it_keeps_it(kept):
    buffers = Buffers()
    array = buffers.empty((40, 10), np.float32)
    array[:] = 7.0
    place, held = address(array), kept(array)
    del array
    other = buffers.empty((40, 10), np.float32)
    assert address(other) != place
    other[:] = 1.0
    del held, other
    assert place in {address(buffers.empty((40, 10), np.float32)) for _ in range(3)}


def test_several_at_once_do_not_overlap():
    buffers = Buffers()
    arrays = [buffers.empty((30,), np.float64) for _ in range(5)]
    for number, array in enumerate(arrays):
        array[:] = number
    assert [set(array) for array in arrays] == [{0.0}, {1.0}, {2.0}, {3.0}, {4.0}]


def test_a_little_free_memory_of_other_sizes_is_kept_until_it_is_given_back():
    buffers = Buffers()
    for size in range(1, 20):
        buffers.empty((size,), np.float64)
    assert buffers.nbytes == 8 * sum(range(19 - MOST_FREE, 20))
    held = buffers.empty((19,), np.float64)
    buffers.release()
    assert buffers.nbytes == held.nbytes


def test_of_a_drags_kernels_the_latest_are_kept_and_their_memory_goes_round():
    cache = StageCache()
    memo, places = cache.memo(Task()), set()
    for step in range(100):
        memo(StageKey("decomposition", step), lambda: np.zeros(3))
        for view in "ab":
            for precision in ("float32", "float64"):
                key = StageKey("kernel", view, precision, (step,))
                places.add(address(memo(key, lambda k=precision: cache.buffers.empty((64, 64), k))))
    for view in "ab":
        for precision in ("float32", "float64"):
            kept = [step for step in range(100) if StageKey("kernel", view, precision, (step,)) in cache]
            assert kept == list(range(100 - LATEST, 100))
    assert all(StageKey("decomposition", step) in cache for step in range(100))
    assert cache.bytes == 2 * LATEST * 64 * 64 * (4 + 8) + 100 * 24
    assert len(places) <= 4 * (LATEST + 2)
