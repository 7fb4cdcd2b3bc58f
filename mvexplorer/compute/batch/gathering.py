"""Waits for the answers to jobs, on the thread that asks for them."""

from __future__ import annotations

import warnings
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from mvexplorer.errors import MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mvexplorer.compute.remote.remote import Handle, Workers
    from mvexplorer.compute.run.scheduler import Job
    from mvexplorer.engine.core.task import Task


def gather(workers: Workers, jobs: Sequence[Job], hear: Callable[[Job, Any], None], task: Task) -> None:
    """Have each job's answer handled as it comes, in any order; the first error is raised, and ends the others.

    A lost cluster is told by a warning: the rest was computed here. Cancelled where the task is stopped meanwhile.
    """

    def came(number: int, answer: Any) -> None:
        if isinstance(answer, MVExplorerError):
            raise answer
        hear(jobs[number], answer)

    def lost(sentence: str) -> None:
        warnings.warn(sentence, UserWarning, stacklevel=4)

    def begin(box: Inbox) -> Handle:
        return workers.run(jobs, box.here(came), say=box.here(lost), on_end=box.end)

    wait_for(Inbox(), begin, meanwhile=task.checkpoint)


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

    def next(self, meanwhile: Callable[[], None]) -> Callable[[], None] | None:
        """The next call, None where nothing more comes."""
        while True:
            meanwhile()
            with suppress(Empty):
                return self.calls.get(timeout=0.1)


def wait_for(
    box: Inbox,
    begin: Callable[[Inbox], Handle],
    after: Callable[[], None] = lambda: None,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Make the calls of a run on this thread until it has ended; `after` each, and `meanwhile` ten times a second."""
    handle = begin(box)
    try:
        while (call := box.next(meanwhile)) is not None:
            call()
            after()
    finally:
        handle.cancel()
        patience = 5.0  # seconds in which what was broken off may end
        handle.wait(patience)
    if handle.failed is not None:
        raise handle.failed
