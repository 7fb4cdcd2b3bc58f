"""The link between a running computation and its caller: stopping, progress, warnings, threads, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, TypeAlias

import numpy as np

from mvexplorer.engine.core.notices import Notice, Told, doubt

Call: TypeAlias = Callable[[], None]
RunAll: TypeAlias = Callable[[Iterable[Call]], None]
"""Carries out independent calls, in any order or at the same time, and returns when all are done."""

DEFAULT_MEMORY = 4 << 30
"""Bytes that a computation may hold in matrices, unless it is given another limit."""


def one_by_one(calls: Iterable[Call]) -> None:
    """Carry out the calls in their order, on this thread."""
    for call in calls:
        call()


class Cancelled(Exception):  # not an error: the answer is no longer wanted
    """Raised by `Task.checkpoint` when nobody waits for the answer any more."""


class Task:
    """One running computation, shared by the thread that computes and the one that waits.

    `warnings.catch_warnings` is process-wide and so wrong in pool threads: warnings go through `warn`.
    """

    def __init__(
        self,
        on_progress: Callable[[float], None] | None = None,
        *,
        run_all: RunAll = one_by_one,
        memory: int = DEFAULT_MEMORY,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._cancelled = Event()
        self._on_progress = on_progress
        self._warnings: dict[str, Notice] = {}
        self._listeners: list[dict[str, Notice]] = []
        self._run_all = run_all
        self.memory = memory
        """Bytes this computation may hold in matrices."""
        self._say = say
        self.said = ""
        """The latest message that `say` was given."""
        self.empty: Callable[[tuple[int, ...], Any], Any] = np.empty
        """Allocates large arrays that are thrown away after a step of a drag; a cache puts its reused buffers here."""
        self.hand_over: Callable[[Any], None] = lambda piece: None
        """Takes a piece of the answer as soon as it is known; who waits for pieces puts a function here."""
        self.passes: Callable[[Any], Any] | None = None
        """Gives the way in which passes over very many samples are carried out, of the `Stages` that need them."""
        self.patient = True
        """Whether an answer is wanted however long it takes, as one is that somebody waits for."""
        self.products = 0
        """Operator applications so far: the unit of work of the eigensolvers."""
        self.affinities = 0
        """Kernel matrices evaluated so far."""

    def beside(self) -> Task:
        """A task for work at the same time as others: it stops with this one, and has its notices for itself."""
        other = Task(run_all=self._run_all, memory=self.memory)
        other._cancelled = self._cancelled
        return other

    @property
    def cancelled(self) -> bool:
        """True if `cancel` was called."""
        return self._cancelled.is_set()

    @property
    def warnings(self) -> Told:
        """Notices so far, as (key, notice), the latest of each key."""
        return tuple(self._warnings.items())

    def cancel(self) -> None:
        """Ask the computation to stop at its next checkpoint; safe from any thread."""
        self._cancelled.set()

    def checkpoint(self) -> None:
        """Raise `Cancelled` if the answer is no longer wanted. Called at least every few milliseconds."""
        if self._cancelled.is_set():
            raise Cancelled

    def progress(self, fraction: float) -> None:
        """Report how much is done, from 0 to 1, and stop here if asked to."""
        self.checkpoint()
        if self._on_progress is not None:
            self._on_progress(min(max(fraction, 0.0), 1.0))

    def say(self, sentence: str) -> None:
        """Say at once what is about to take long, or much room."""
        self.said = sentence
        self._say(sentence)

    def map_blocks(self, n: int, size: int, work: Callable[[slice], None]) -> None:
        """Call `work` on slices of `size` rows that cover range(n), on whatever threads were lent to this task.

        Slices come in any order and at the same time; no slice is begun once the answer is no longer wanted.
        """

        def call(start: int) -> Call:
            def block() -> None:
                self.checkpoint()
                work(slice(start, min(start + size, n)))

            return block

        if n <= size:
            call(0)()
            return
        self._run_all(call(start) for start in range(0, n, size))

    def warn(self, code: str, text: str, *subjects: str) -> None:
        """Attach a warning to the result: a short, stable code, a sentence for the analyst, the views it is about."""
        self.tell(doubt(code, text, subjects))

    def tell(self, notice: Notice) -> None:
        """Attach a notice to the result, in place of a former one with its key."""
        for heard in (self._warnings, *self._listeners):
            heard[notice.key] = notice

    @contextmanager
    def overheard(self) -> Iterator[dict[str, Notice]]:
        """The notices attached meanwhile, to be remembered with a result and repeated where that is reused."""
        self._listeners.append({})
        try:
            yield self._listeners[-1]
        finally:
            self._listeners.pop()
