"""Answers of jobs, gathered in their order wherever and whenever these end."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass

import pytest

from mvexplorer.compute.batch.gathering import gather
from mvexplorer.compute.remote.remote import Threads, Where, Workers
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.errors import ComputeError


@dataclass(frozen=True)
class Number(Job):
    """A job that answers by its number, or with an error."""

    number: int
    fails: bool = False

    def run(self, cache, task):
        if self.fails:
            raise ComputeError(f"Number {self.number} failed.", "Leave it out.")
        return self.number


class Backwards(Workers):
    """Workers that take all jobs at once, and end them in the other order."""

    title, threads = "backwards", 100

    def __init__(self, count):
        self.count, self.begun = count, []

    def begin(self, run, number, job):
        self.begun.append((number, job))
        if len(self.begun) == self.count:
            for each, ended in reversed(self.begun):
                run.ended(self, each, ended.run(None, Task()))

    def answer(self, run, number, ended):
        return ended

    def stop(self, run):
        pass

    def where(self):
        return Where(self.title, True, ())

    def close(self):
        pass


def test_answers_come_in_the_order_of_the_jobs():
    jobs = [Number(n) for n in range(7)]
    assert list(gather(Backwards(7), jobs, Task())) == list(range(7))
    with Threads(3) as workers:
        assert list(gather(workers, jobs, Task())) == list(range(7))


def test_the_first_error_ends_the_others():
    with Threads(2) as workers, pytest.raises(ComputeError, match=r"Number 3 failed\. Leave it out\."):
        list(gather(workers, [Number(n, fails=n == 3) for n in range(500)], Task()))


def test_a_task_that_is_stopped_ends_them_though_no_answer_comes():
    task = Task()
    threading.Timer(0.1, task.cancel).start()
    with closing(gather(Backwards(2), [Number(0)], task)) as answers, pytest.raises(Cancelled):
        next(answers)


def test_a_fault_of_who_hands_out_jobs_is_raised():
    workers = Backwards(1)
    workers.begin = lambda run, number, job: 1 / 0
    with pytest.raises(ZeroDivisionError):
        list(gather(workers, [Number(0)], Task()))


def test_workers_that_end_before_all_is_computed_are_told():
    workers = Backwards(1)
    workers.begin = lambda run, number, job: run.cancel()  # somebody closed them meanwhile
    sentence = r"^The workers ended before all was computed\. Start again\.$"
    with pytest.raises(ComputeError, match=sentence):
        list(gather(workers, [Number(0)], Task()))
