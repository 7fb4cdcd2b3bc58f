"""What a computation may do besides compute: stop, tell how far it is, and voice a doubt."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event


class Cancelled(Exception):  # not an error: the answer is no longer wanted
    """Raised by `Task.checkpoint` when nobody waits for the answer any more."""


class Task:
    """One running computation, shared by the thread that computes and the one that waits.

    `warnings.catch_warnings` is process-wide and so wrong in pool threads: doubts go through `warn`.
    """

    def __init__(self, on_progress: Callable[[float], None] | None = None) -> None:
        self._cancelled = Event()
        self._on_progress = on_progress
        self._warnings: dict[str, str] = {}
        self.products = 0
        """Operator applications so far: the unit of work of the eigensolvers."""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Doubts voiced so far, as (code, sentence), one per code."""
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

    def warn(self, code: str, text: str) -> None:
        """Attach a doubt to the result: `code` is short and stable, `text` one sentence for the analyst."""
        self._warnings[code] = text
