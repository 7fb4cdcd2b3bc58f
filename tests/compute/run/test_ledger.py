"""Memory divided between running jobs and what is kept: who begins, who waits, who gives way."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from doubles import FunctionJob

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.ledger import OVERTAKEN, Ledger
from mvexplorer.compute.run.scheduler import Job, Scheduler
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey
from mvexplorer.errors import ComputeError

WAIT = 20.0
"""Seconds after which a test that hangs fails."""
LIMIT = 1000.0


class HeldJob(Job):
    """Says when it has begun, and ends when told to; a stubborn one does not notice that it was cancelled."""

    def __init__(self, stubborn=False):
        self.stubborn = stubborn
        self.begun, self.go_on = threading.Event(), threading.Event()

    def run(self, cache, task):
        self.begun.set()
        while not self.go_on.wait(0.001):
            if not self.stubborn:
                task.checkpoint()
        return self


@pytest.fixture
def ledger():
    return Ledger(LIMIT)


@pytest.fixture
def schedulers(ledger):
    with ThreadPoolExecutor(2) as first, ThreadPoolExecutor(1) as second:
        cache = StageCache(ledger=ledger)
        both = Scheduler(first, cache=cache), Scheduler(second, cache=cache)
        yield both
        for scheduler in both:
            scheduler.shutdown()


def submit(scheduler, slot, need, job=None, done=lambda outcome: None):
    job = job or HeldJob()
    scheduler.submit(slot, job, done, title=f"Job {slot}", cost=Estimate(need))
    return job


def held_up(scheduler):
    return {p.slot for p in scheduler.tasks() if p.held_up}


def settled(scheduler):
    """Everything submitted so far has begun or been put to wait: the executor has come to what is submitted now."""
    submit(scheduler, "last", 1.0).go_on.set()
    while any(p.slot == "last" for p in scheduler.tasks()):
        pass


def test_a_job_waits_for_memory_without_a_thread_and_begins_when_there_is_some(schedulers, ledger):
    scheduler, _ = schedulers
    first, second = submit(scheduler, "a", 700), submit(scheduler, "b", 600)
    assert first.begun.wait(WAIT)
    settled(scheduler)
    assert held_up(scheduler) == {"b"}
    assert ledger.claimed == 700
    # Two threads, one of which runs `a`: others that fit get the other one.
    third = submit(scheduler, "c", 200)
    assert third.begun.wait(WAIT)
    first.go_on.set()
    assert second.begun.wait(WAIT)
    assert held_up(scheduler) == set()
    for job in (second, third):
        job.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert ledger.claimed == 0


def test_schedulers_share_one_limit(schedulers):
    front, back = schedulers
    first = submit(front, "a", 700)
    assert first.begun.wait(WAIT)
    second = submit(back, "b", 600)
    settled(back)
    assert not second.begun.is_set()
    first.go_on.set()
    assert second.begun.wait(WAIT)
    second.go_on.set()


def test_a_superseded_job_holds_its_memory_until_it_has_ended(schedulers):
    scheduler, _ = schedulers
    old = submit(scheduler, "a", 700, HeldJob(stubborn=True))
    assert old.begun.wait(WAIT)
    scheduler.cancel("a")
    new = submit(scheduler, "b", 700)
    settled(scheduler)
    assert held_up(scheduler) == {"b"}
    assert not new.begun.is_set()
    old.go_on.set()
    assert new.begun.wait(WAIT)
    new.go_on.set()


def test_what_replaces_a_waiting_job_may_begin_at_once(schedulers):
    """The latest request wins: the one that waited is never begun, and a smaller one need not wait for its memory."""
    scheduler, _ = schedulers
    running = submit(scheduler, "a", 700)
    assert running.begun.wait(WAIT)
    large = submit(scheduler, "b", 900)
    settled(scheduler)
    small = submit(scheduler, "b", 200)
    assert small.begun.wait(WAIT)
    assert not large.begun.is_set()
    for job in (small, running):
        job.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert not large.begun.is_set()


def test_a_cancelled_waiting_job_is_gone(schedulers):
    scheduler, _ = schedulers
    running = submit(scheduler, "a", 700)
    assert running.begun.wait(WAIT)
    waiting = submit(scheduler, "b", 900)
    settled(scheduler)
    scheduler.cancel("b")
    assert [p.slot for p in scheduler.tasks()] == ["a"]
    running.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert not waiting.begun.is_set()
    again = submit(scheduler, "b", 900)
    assert again.begun.wait(WAIT)
    again.go_on.set()


def test_more_than_there_is_at_all_is_refused_with_the_number(schedulers):
    scheduler, _ = schedulers
    outcomes = []
    job = submit(scheduler, "a", 3 << 30, done=outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert not job.begun.is_set()
    assert isinstance(outcomes[0].error, ComputeError)
    assert outcomes[0].error.message.startswith("Job a needs 3 GB of ")
    assert outcomes[0].error.hint == "Allow more memory, or keep fewer samples."


def test_a_waiting_job_is_refused_when_the_limit_falls_below_it(schedulers, ledger):
    scheduler, _ = schedulers
    running, outcomes = submit(scheduler, "a", 700), []
    assert running.begun.wait(WAIT)
    submit(scheduler, "b", 900, done=outcomes.append)
    settled(scheduler)
    ledger.set_limit(800)
    running.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert isinstance(outcomes[0].error, ComputeError)


def test_shutdown_while_a_job_waits(ledger):
    with ThreadPoolExecutor(1) as executor:
        scheduler = Scheduler(executor, cache=StageCache(ledger=ledger))
        running = submit(scheduler, "a", 700)
        assert running.begun.wait(WAIT)
        submit(scheduler, "b", 900)
        scheduler.shutdown(WAIT)
        assert scheduler.idle


def begins(ledger, place, need):
    task = Task()
    return task if ledger.begin(place, task, Estimate(need), lambda: None) else None


def test_a_large_job_gets_its_turn_however_many_smaller_ones_come(ledger):
    """Smaller ones that fit beside what runs may pass it, but only so often."""
    woken = []
    first = begins(ledger, "first", 300)
    large = Task()
    assert not ledger.begin("large", large, Estimate(900), lambda: woken.append("large"))
    passed, running = 0, first
    for i in range(10 * OVERTAKEN):
        following = begins(ledger, f"small {i}", 300)
        ledger.end(running)
        if following is None:
            break
        passed, running = passed + 1, following
    assert passed == OVERTAKEN
    assert woken == ["large"]
    assert ledger.begin("large", large, Estimate(900), lambda: None)


def test_those_that_wait_are_woken_in_their_turn_as_many_as_fit(ledger):
    woken = []
    running = begins(ledger, "running", 900)
    for name, need in (("a", 500), ("b", 600), ("c", 400)):
        assert not ledger.begin(name, Task(), Estimate(need), lambda name=name: woken.append(name))
    ledger.end(running)
    assert woken == ["a", "c"]


def test_tiny_jobs_never_wait(ledger):
    assert begins(ledger, "all", LIMIT)
    assert begins(ledger, "tiny", LIMIT / 100)
    assert ledger.claimed == LIMIT


def test_many_jobs_of_all_sizes_all_end_and_never_exceed_the_limit(ledger):
    rng, most, ended, lock = np.random.default_rng(0), [0.0], [], threading.Lock()

    def job(task):
        with lock:
            most[0] = max(most[0], ledger.claimed)
        return True

    with ThreadPoolExecutor(4) as executor, ThreadPoolExecutor(1) as other:
        cache = StageCache(ledger=ledger)
        both = Scheduler(executor, cache=cache), Scheduler(other, cache=cache)
        for i, need in enumerate(rng.uniform(20, LIMIT, 300)):
            both[i % 2].submit(f"{i}", FunctionJob(job), ended.append, cost=Estimate(float(need)))
        assert all(scheduler.wait_idle(WAIT) for scheduler in both)
    assert len(ended) == 300
    assert 0 < most[0] <= LIMIT


# --- what is kept ---


def array(size):
    return np.zeros(int(size), dtype=np.uint8)


def cached(limit=1000):
    cache = StageCache(limit, Ledger(limit))
    return cache, cache.ledger


def test_what_nobody_uses_gives_way_to_a_job_that_computes(schedulers):
    cache, ledger = cached()
    cache.memo(Task())(StageKey("kernel", 1), lambda: array(600))
    task = begins(ledger, "a", 700)
    remember = cache.memo(task)
    remember(StageKey("kernel", 2), lambda: array(700))
    assert StageKey("kernel", 1) not in cache
    assert cache.bytes + ledger.claimed - 700 <= 1000
    ledger.end(task)
    assert StageKey("kernel", 2) in cache


def test_what_a_job_finds_need_not_give_way_to_it():
    """A kernel known already is part of what the job was estimated to need, not beside it."""
    cache, ledger = cached()
    cache.memo(Task())(StageKey("kernel", 1), lambda: array(700))
    task = Task()
    assert ledger.begin("a", task, Estimate(800, shared=700), lambda: None)
    remember = cache.memo(task)
    remember(StageKey("kernel", 1), lambda: pytest.fail("computed twice"))
    remember(StageKey("vectors", 1), lambda: array(100))
    assert StageKey("kernel", 1) in cache
    ledger.end(task)


def test_what_a_running_job_made_is_not_taken_away_from_it():
    cache, ledger = cached()
    task = begins(ledger, "a", 900)
    remember = cache.memo(task)
    for i in range(3):
        remember(StageKey("distances", i), lambda: array(300))
    assert all(StageKey("distances", i) in cache for i in range(3))
    ledger.end(task)


def test_spare_buffers_give_way_first():
    cache, ledger = cached()
    cache.memo(Task())(StageKey("kernel", 1), lambda: array(300))
    cache.buffers.empty((600,), np.uint8)
    assert cache.buffers.spare == 600
    task = begins(ledger, "a", 650)
    assert cache.buffers.spare == 0
    assert StageKey("kernel", 1) in cache
    ledger.end(task)


def test_what_is_left_can_be_asked_while_jobs_come_and_go(ledger):
    """Workers ask for the room that is left, at any moment, without holding the lock."""
    faults = []
    over = threading.Event()

    def ask():
        try:
            while not over.is_set():
                assert ledger.room <= ledger.limit
                ledger.used()
                assert ledger.claimed >= 0.0
        except RuntimeError as error:
            faults.append(error)

    former = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    asking = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in asking:
            thread.start()
        for _ in range(300):
            tasks = [Task() for _ in range(20)]
            for task in tasks:
                ledger.begin(task, task, Estimate(20.0, 0.0), lambda: None)
            for task in tasks:
                ledger.end(task)
    finally:
        over.set()
        for thread in asking:
            thread.join()
        sys.setswitchinterval(former)
    assert not faults
