"""Threads that share the rows of one matrix: BLAS itself is held to one thread, which stalls less under load."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from mvexplorer.engine.task import Call


class RowPool:
    """Carries out independent calls on a few threads and on the one that asks, which never only waits.

    Any number of computations may ask at once: each gets on by itself where all helpers are busy elsewhere.
    """

    def __init__(self, threads: int, begin: Callable[[], None] | None = None) -> None:
        self._helpers = max(0, threads - 1)
        self._pool = ThreadPoolExecutor(max(1, self._helpers), "rows", begin)

    def run_all(self, calls: Iterable[Call]) -> None:
        """Carry out the calls; the first error is raised once nothing runs any more, and the rest is not begun."""
        lock, left = Lock(), iter(calls)
        errors: list[BaseException] = []

        def take_turns() -> None:
            while not errors:
                with lock:
                    call = next(left, None)
                if call is None:
                    return
                try:
                    call()
                except BaseException as error:
                    errors.append(error)

        helpers = [self._pool.submit(take_turns) for _ in range(self._helpers)]
        take_turns()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        if errors:
            raise errors[0]

    def shutdown(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
