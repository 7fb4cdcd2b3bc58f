"""Row blocks on several threads: everything is done once, errors arrive, nobody waits for busy helpers."""

from __future__ import annotations

import gc
import tracemalloc
from threading import Barrier, Event, Thread, get_ident

import numpy as np
import pytest

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.core.task import Cancelled, Task


@pytest.fixture(params=[1, 2, 4])
def pool(request):
    pool = BlockExecutor(request.param)
    yield pool
    pool.shutdown()


@pytest.mark.parametrize("n", [0, 1, 7, 100, 256, 1000])
def test_each_row_is_handled_exactly_once(pool, n):
    seen = np.zeros(n, dtype=int)

    def work(rows):
        assert rows.stop <= n
        seen[rows] += 1

    Task(run_all=pool.run_all).map_blocks(n, 100, work)
    assert (seen == 1).all()


def test_without_threads_the_rows_come_in_order():
    starts = []
    Task().map_blocks(25, 10, lambda rows: starts.append((rows.start, rows.stop)))
    assert starts == [(0, 10), (10, 20), (20, 25)]


def test_every_thread_begins_with_what_is_asked():
    begun: list[int] = []
    pool = BlockExecutor(2, lambda: begun.append(get_ident()))
    ran: list[int] = []
    barrier = Barrier(2)
    pool.run_all([lambda: (barrier.wait(), ran.append(get_ident())) for _ in range(2)])
    pool.shutdown()
    assert begun == [id for id in ran if id != get_ident()]
    assert len(begun) == 1


def test_an_error_in_a_block_reaches_the_caller_and_the_pool_lives_on(pool):
    def fails(rows):
        if rows.start == 300:
            raise ValueError("here")

    task = Task(run_all=pool.run_all)
    with pytest.raises(ValueError, match="here"):
        task.map_blocks(1000, 100, fails)
    done = []
    task.map_blocks(200, 100, done.append)
    assert len(done) == 2


def test_a_cancelled_task_begins_no_further_block(pool):
    task, begun = Task(run_all=pool.run_all), []

    def work(rows):
        begun.append(rows)
        task.cancel()

    with pytest.raises(Cancelled):
        task.map_blocks(10_000, 1, work)
    assert len(begun) <= 4  # one per thread at most


def test_a_computation_gets_on_where_all_helpers_are_busy():
    pool, hold, busy = BlockExecutor(2), Event(), Event()

    def occupy():
        busy.set()
        assert hold.wait(10.0)

    other = Thread(target=lambda: pool.run_all([occupy, occupy]))
    other.start()
    assert busy.wait(10.0)
    done = []
    Task(run_all=pool.run_all).map_blocks(5, 1, done.append)
    assert len(done) == 5
    hold.set()
    other.join()
    pool.shutdown()


def test_what_is_stopped_leaves_no_arrays_behind():
    """What stops a fill must not keep what was filled, neither by its traceback nor in a busy helper's queue."""
    pool, n = BlockExecutor(2), 1 << 20
    busy, free = Event(), Event()
    pool._pool.submit(lambda: (busy.set(), free.wait(20.0)))
    assert busy.wait(20.0)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]

        def fill():
            out = np.zeros(n)
            task = Task(run_all=pool.run_all)

            def some(rows):
                out[rows] = 1.0
                task.cancel()

            task.map_blocks(n, 1 << 10, some)

        with pytest.raises(Cancelled) as caught:
            fill()
        del caught
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        gc.enable()
        free.set()
        pool.shutdown()
    assert left < n
