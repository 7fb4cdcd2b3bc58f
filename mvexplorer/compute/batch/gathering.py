"""Waits for the answers to jobs, on the thread that asks for them."""

from __future__ import annotations

import warnings
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from mvexplorer.errors import MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mvexplorer.compute.remote.remote import Handle, Workers
    from mvexplorer.compute.run.scheduler import Job


def gather(workers: Workers, jobs: Iterable[Job], hear: Callable[[Any], None]) -> None:
    """Have each answer handled as it comes, in any order; the first error is raised, and ends the others.

    A lost cluster is told by a warning: the rest was computed here.
    """

    def came(number: int, answer: Any) -> None:
        if isinstance(answer, MVExplorerError):
            raise answer
        hear(answer)

    def lost(sentence: str) -> None:
        warnings.warn(sentence, UserWarning, stacklevel=4)

    wait_for(Inbox(), lambda box: workers.run(jobs, box.here(came), say=box.here(lost), on_end=box.end))


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


def wait_for(box: Inbox, begin: Callable[[Inbox], Handle], after: Callable[[], None] = lambda: None) -> None:
    """Make the calls of a run on this thread until it has ended; `after` is called after each."""
    handle = begin(box)
    try:
        while (call := box.calls.get()) is not None:
            call()
            after()
    finally:
        handle.cancel()
        patience = 5.0  # seconds in which what was broken off may end
        handle.wait(patience)
    if handle.failed is not None:
        raise handle.failed
