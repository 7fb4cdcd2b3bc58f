"""Threads that share the rows of one matrix: BLAS itself is held to one thread, which stalls less under load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from mvexplorer.engine.core.task import Call


class BlockExecutor:
    """Carries out independent calls on a few helper threads and on the calling thread, which works as well.

    Several computations may call at once; if all helpers are busy, each goes on alone.
    """

    def __init__(self, threads: int, begin: Callable[[], None] | None = None) -> None:
        self._helpers = max(0, threads - 1)
        self._pool = ThreadPoolExecutor(max(1, self._helpers), "rows", begin)

    def run_all(self, calls: Iterable[Call]) -> None:
        """Carry out the calls. After an error no further call begins; the error is raised when none runs any more."""
        left = _Calls(calls)
        helpers = [self._pool.submit(left.take_turns) for _ in range(self._helpers)]
        left.take_turns()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        left.finish()

    def shutdown(self) -> None:
        """Stop the helpers: no further call begins."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Calls:
    """An iterator of calls that several threads share.

    It may stay in a busy helper's queue after the calls have ended. By then it refers to nothing: neither to the calls,
    whose arrays may be large, nor to an error, whose traceback refers to these arrays and to the error.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self._lock = Lock()
        self._left: Iterator[Call] | None = iter(calls)
        self._errors: list[BaseException] = []

    def take_turns(self) -> None:
        """Carry out one call after the other, until there are none or one of them fails."""
        while (call := self._next()) is not None:
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                self._errors.append(error)

    def _next(self) -> Call | None:
        with self._lock:
            return None if self._errors or self._left is None else next(self._left, None)

    def finish(self) -> None:
        """Drop all references, and raise the first error."""
        with self._lock:
            self._left = None
        if self._errors:
            try:
                raise self._errors[0]
            finally:
                self._errors = []
