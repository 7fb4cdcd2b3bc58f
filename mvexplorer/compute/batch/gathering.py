"""Waits for the answers to jobs, on the thread that asks for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from mvexplorer.compute.remote.remote import Handle, Workers
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError, MVExplorerError

PATIENCE = 5.0
"""Seconds in which what was broken off may end."""


def gather(workers: Workers, jobs: Sequence[Job], task: Task) -> Generator[Any, None, None]:
    """Yield the jobs' answers in their order, each once it and those before it are there.

    The first error that comes is raised, and ends the others. A lost cluster is told by a warning: the rest was
    computed here. Cancelled where the task is stopped meanwhile.
    """
    came: SimpleQueue[tuple[int, Any] | str | None] = SimpleQueue()
    run = workers.run(jobs, lambda *numbered: came.put(numbered), say=came.put, on_end=lambda: came.put(None))
    early: dict[int, Any] = {}
    try:
        for number in range(len(jobs)):
            while number not in early:
                early.update(_next(came, run, task))
            yield early.pop(number)
    finally:
        run.cancel()
        run.wait(PATIENCE)


def _next(came: SimpleQueue[tuple[int, Any] | str | None], run: Handle, task: Task) -> dict[int, Any]:
    """Wait for the next answer, by its number; none where something else was to be told."""
    task.checkpoint()
    try:
        found = came.get(timeout=0.1)
    except Empty:
        return {}
    if found is None:
        raise run.failed or ComputeError("The workers ended before all was computed.", "Start again.")
    if isinstance(found, str):
        warnings.warn(found, UserWarning, stacklevel=4)
        return {}
    if isinstance(found[1], MVExplorerError):
        raise found[1]
    return dict([found])


class Inbox:
    """Calls from other threads, to be made on this one: so Ctrl+C ends it at once."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def here(self, call: Callable[..., None]) -> Callable[..., None]:
        """A function that may be called from any thread and has `call` called on this one."""
        return lambda *about: self.calls.put(lambda: call(*about))

    def end(self) -> None:
        """Nothing more comes; from any thread."""
        self.calls.put(None)


def wait_for(box: Inbox, begin: Callable[[Inbox], Handle], after: Callable[[], None]) -> None:
    """Make the calls of a run on this thread until it has ended; `after` is called after each."""
    handle = begin(box)
    try:
        while (call := box.calls.get()) is not None:
            call()
            after()
    finally:
        handle.cancel()
        handle.wait(PATIENCE)
    if handle.failed is not None:
        raise handle.failed
