"""Memory handed out again: never while anybody still looks at it, always once nobody does."""

import numpy as np
import pytest

from mvexplorer.compute.buffers import Buffers
from mvexplorer.compute.cache import MOST_FLEETING, StageCache
from mvexplorer.engine.stages import FLEETING
from mvexplorer.engine.task import Task


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


def test_free_memory_of_another_size_is_given_back():
    buffers = Buffers()
    small = buffers.empty((10,), np.float64)
    large = buffers.empty((1000,), np.float64)
    assert buffers.nbytes == 8080
    del small
    again = buffers.empty((500,), np.float64)
    assert buffers.nbytes == 8000 + 4000
    del large, again
    buffers.empty((1,), np.float64)
    assert buffers.nbytes == 8


def test_of_a_drags_kernels_the_last_few_are_kept_and_their_memory_goes_round():
    cache = StageCache()
    memo, places = cache.memo(Task()), set()
    for step in range(100):
        places.add(address(memo((FLEETING, "kernel", step), lambda: cache.buffers.empty((64, 64), np.float32))))
    assert len(cache) == MOST_FLEETING
    assert (FLEETING, "kernel", 99) in cache
    assert (FLEETING, "kernel", 0) not in cache
    assert cache.bytes == MOST_FLEETING * 64 * 64 * 4
    assert len(places) <= MOST_FLEETING + 2
