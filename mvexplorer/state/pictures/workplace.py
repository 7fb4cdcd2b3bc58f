"""Processes and machines to which a window's long work goes once the user has chosen some.

The choice is of this sitting: it is kept nowhere, and nothing but the user's own word makes a connection. Lives on the
document's thread; whatever waits for others does so on a thread of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

from psygnal import Signal

from mvexplorer.compute.remote.remote import Handle, Hear, Where, Workers
from mvexplorer.compute.run.scheduler import Job, Post, Progress, call_directly, user_error
from mvexplorer.errors import MVExplorerError

ENDING = 2.0
"""Seconds in which a run that was stopped may end before its workers are closed."""


class Dispatch:
    """Jobs of one purpose that the workers carry out: one row of the task list."""

    def __init__(
        self, workplace: Workplace, slot: str, title: str, handle: Handle, on_lost: Callable[[], None]
    ) -> None:
        self._workplace, self._title = workplace, title
        self.slot, self.handle, self.on_lost = slot, handle, on_lost
        self.progress = Progress(slot, title, running=True, fraction=0.0)

    def tell(self, done: int, total: int) -> None:
        """Show in the task list how many computations are done."""
        self.progress = Progress(self.slot, f"{self._title}: {done} of {total}", True, done / max(1, total))
        self._workplace.moved()

    def cancel(self) -> None:
        """Stop: no answer comes any more, and the workers are free soon."""
        self._workplace.stop(self)


class Workplace:
    """The workers chosen, and what runs there; to the task list it is one of the schedulers.

    Other threads `post` functions to the document's thread. `moved` is called whenever a row of the task list has
    changed.
    """

    changed = Signal()
    """Another choice, or news of it."""
    lost = Signal(str)
    """The workers are gone, in a sentence; what they had goes on here."""

    def __init__(self, post: Post, moved: Callable[[], None]) -> None:
        self._post, self.moved = post, moved
        self.workers: Workers | None = None
        """None: this computer."""
        self.choice = ""
        """The address as the user wrote it; empty for this computer."""
        self.recent: tuple[str, ...] = ()
        """Addresses that were reached in this sitting, the latest first."""
        self.connecting = ""
        """The address that is being reached."""
        self.asked: tuple[str, str] | None = None
        """The user's text and the address that it names, where that is not safe and nobody has agreed to it yet."""
        self.problem = ""
        """Why there are no workers where some were wanted, in a sentence or two."""
        self.where: Where | None = None
        """The workers' last answer on how they are."""
        self._runs: dict[str, Dispatch] = {}
        self._handles: list[Handle] = []  # also of runs that were stopped: the workers close after all of them
        self._turn, self._looking = 0, False

    # The choice ---------------------------------------------------------------------------------------------

    def choose(self, text: str, *, plain_tcp: bool = False) -> None:
        """Have work go to an address, ``local:N`` or a scheduler file; to this computer where the text is empty.

        Until it is reached, and where it is not, work goes where it went. `plain_tcp` says that an address which is
        neither encrypted nor on this computer is meant.
        """
        self._turn += 1
        turn, self.connecting, self.asked, self.problem = self._turn, text, None, ""
        if text:
            Thread(target=lambda: self._connect(turn, text, plain_tcp), name="connect", daemon=True).start()
        else:
            self._take(None, "")
        self.changed.emit()

    def give_up(self) -> None:
        """Leave the choice as it was before the one that is being reached or asked about."""
        self._turn += 1
        self.connecting, self.asked, self.problem = "", None, ""
        self.changed.emit()

    def _connect(self, turn: int, text: str, plain_tcp: bool) -> None:
        from mvexplorer.compute.remote.remote_address import parse_address
        from mvexplorer.compute.remote.remote_dask import workers_at

        _quieten()
        answer: str | Workers | MVExplorerError
        try:
            address = parse_address(text)
            ask = address.exposed and not plain_tcp
            answer = address.url if ask else workers_at(text, allow_plain_tcp=plain_tcp)
        except Exception as problem:  # noqa: BLE001 - the user is told
            answer = user_error(problem)
        self._post(lambda: self._connected(turn, text, answer))

    def _connected(self, turn: int, text: str, answer: str | Workers | MVExplorerError) -> None:
        if turn != self._turn:  # the user has chosen anew since
            if not isinstance(answer, str | MVExplorerError):
                _let_go(answer, [])
            return
        self.connecting = ""
        if isinstance(answer, MVExplorerError):
            self.problem = str(answer)
        elif isinstance(answer, str):
            self.asked = text, answer
        else:
            kept = 5  # addresses that are offered again
            self.recent = (text, *(other for other in self.recent if other != text))[:kept]
            self._take(answer, text)
        self.changed.emit()

    def _take(self, workers: Workers | None, choice: str) -> None:
        """Use these workers from now on. What runs on the former ones goes on here."""
        former, runs, self._runs = self.workers, list(self._runs.values()), {}
        handles, self._handles = self._handles, []
        self.workers, self.choice, self.where = workers, choice, None
        for run in runs:
            run.handle.cancel()
            run.on_lost()
        if former is not None:
            _let_go(former, handles)
        self.moved()
        self.look()

    def look(self) -> None:
        """Ask the workers how they are; `where` has the answer soon."""
        if self.workers is not None and not self._looking:
            self._looking, workers = True, self.workers
            Thread(target=lambda: self._ask(workers), name="where", daemon=True).start()

    def _ask(self, workers: Workers) -> None:
        from mvexplorer.compute.remote.remote import WorkersGone

        answer: Where | str
        try:
            workers.look()
            answer = workers.where()
        except WorkersGone as why:
            answer = str(why)
        self._post(lambda: self._answered(workers, answer))

    def _answered(self, workers: Workers, answer: Where | str) -> None:
        self._looking = False
        if isinstance(answer, str):
            self._gone(workers, answer)
        elif workers is self.workers:
            self.where = answer
            self.changed.emit()

    def _gone(self, workers: Workers, sentence: str) -> None:
        if workers is self.workers:
            self.problem = sentence
            self._take(None, "")
            self.changed.emit()
            self.lost.emit(sentence)

    # What runs there ----------------------------------------------------------------------------------------

    def run(
        self, slot: str, title: str, jobs: Sequence[Job], came: Hear, on_lost: Callable[[], None], piece: Hear
    ) -> Dispatch:
        """Have jobs carried out by the workers chosen.

        `came` is called with each job's number and its answer, or its error; `piece` with the number and each piece
        that a job hands over; `on_lost` where the workers are gone, or another choice was made: the rest is the
        caller's to compute.
        """
        assert self.workers is not None
        workers = self.workers

        def posted(do: Callable[..., None], *about: Any) -> None:
            self._post(lambda: do(*about) if self._runs.get(slot) is run else None)

        handle = workers.prepare(
            jobs,
            lambda number, value: posted(came, number, value),
            lambda number, value: posted(piece, number, value),
            lambda sentence: self._post(lambda: self._gone(workers, sentence)),
            lambda: posted(self._ended, run),
            here=False,
        )
        run = self._runs[slot] = Dispatch(self, slot, f"{title} on {workers.title}", handle, on_lost)
        self._handles = [*(each for each in self._handles if each.running), handle]
        handle.start()
        self.moved()
        return run

    def _ended(self, run: Dispatch) -> None:
        """Remove the row. Report a fault in what was sent or heard, and let the rest be computed here."""
        del self._runs[run.slot]
        if run.handle.failed is not None:
            self.problem = str(user_error(run.handle.failed))
            run.on_lost()
            self.changed.emit()
        self.moved()

    # As one of the schedulers -------------------------------------------------------------------------------

    def tasks(self) -> tuple[Progress, ...]:
        """The runs, for the task list."""
        return tuple(run.progress for run in self._runs.values())

    @property
    def idle(self) -> bool:
        """Whether nothing runs there."""
        return not self._runs

    def cancel(self, slot: str) -> None:
        """Stop the run in a slot; no answer of it comes any more."""
        if slot in self._runs:
            self.stop(self._runs[slot])

    def stop(self, run: Dispatch) -> None:
        """Stop one run, unless it has ended."""
        if self._runs.get(run.slot) is run:
            del self._runs[run.slot]
            run.handle.cancel()
            self.moved()

    def cancel_all(self) -> None:
        """Stop all that runs."""
        for slot in list(self._runs):
            self.cancel(slot)

    def shutdown(self, timeout: float = 5.0) -> None:
        """Let go of the workers; processes that were started here end."""
        self._turn += 1
        self._post = call_directly  # nobody hears what is still on its way
        former, self.workers = self.workers, None
        self.cancel_all()
        if former is not None:
            _let_go(former, self._handles).join(timeout)


def _quieten() -> None:
    """Keep Dask's log of lost connections to Dask: the window reports them, and takes other records for faults."""
    with suppress(ImportError):
        import distributed  # noqa: F401 - it arranges its log when it is imported

    log = logging.getLogger("distributed")
    log.propagate, log.handlers = False, [logging.NullHandler()]


def _let_go(workers: Workers, handles: Sequence[Handle]) -> Thread:
    """Close workers once their runs have ended, on a thread of its own."""

    def close() -> None:
        for handle in handles:
            handle.wait(ENDING)
        workers.close()

    thread = Thread(target=close, name="close", daemon=True)
    thread.start()
    return thread
