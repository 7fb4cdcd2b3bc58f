"""The seam between jobs and where they run: threads of this process, or the workers of a Dask cluster.

Whoever has jobs sees no difference: answers are the same in any order, and what a lost cluster left is computed here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.compute.run.scheduler import Job, Outcome, Scheduler

Hear = Callable[[int, Any], None]
"""Called with a job's number, and its answer, its error, or a piece of its answer; on a thread of the run."""
Say = Callable[[str], None]

HERE = "this computer"


@dataclass(frozen=True)
class WorkerState:
    """One worker: bytes it takes and may take, and the titles of the jobs that it has."""

    name: str
    threads: int
    memory: int
    limit: int
    running: tuple[str, ...] = ()


@dataclass(frozen=True)
class Where:
    """The place of the work: a title such as “2 processes” or an address; if it is alive; its workers."""

    title: str
    alive: bool
    workers: tuple[WorkerState, ...]


def _ignore(*about: Any) -> None:
    return


class WorkersGone(Exception):
    """The workers cannot be reached any more; its text is the sentence for the user."""


class Workers(ABC):
    """Carries out jobs."""

    title: str
    threads: int
    """Jobs that are carried out at a time."""
    ahead = 1
    """Jobs that each thread is given: more than one, where the next one takes its time to arrive."""
    processes = 1
    """Each has what it computed at hand."""

    def run(
        self,
        jobs: Iterable[Job],
        on_result: Hear,
        on_progress: Hear = _ignore,
        say: Say = _ignore,
        on_end: Callable[[], None] = _ignore,
        *,
        here: bool = True,
    ) -> Handle:
        """Have jobs carried out, each whole in one place.

        Jobs are taken as workers become free: a generator is enough. `on_result` is called once with each job's number
        and its answer, or the `MVExplorerError` that it ended with; `on_progress` with a job's number and each piece
        that it hands over, again where the job had to begin again; `say` with a sentence for the user where the workers
        were lost; `on_end` at last, however the run ended. If `here`, this computer takes over the jobs of lost
        workers; else the run ends, and `say` has said why.
        """
        handle = self.prepare(jobs, on_result, on_progress, say, on_end, here=here)
        handle.start()
        return handle

    def prepare(
        self,
        jobs: Iterable[Job],
        on_result: Hear,
        on_progress: Hear,
        say: Say,
        on_end: Callable[[], None],
        *,
        here: bool,
    ) -> Handle:
        """A run as `run` begins one, which its owner has at hand before it starts it."""
        return Handle(self, iter(jobs), on_result, on_progress, say, on_end, here)

    @abstractmethod
    def begin(self, run: Handle, number: int, job: Job) -> None:
        """Have a job carried out; how it ends goes to `run.ended`. WorkersGone where nobody is there to do so."""

    @abstractmethod
    def answer(self, run: Handle, number: int, ended: Any) -> Any:
        """The answer, or the error, of a job that ended; `AGAIN` where it must begin again. May raise WorkersGone."""

    @abstractmethod
    def stop(self, run: Handle) -> None:
        """Have the jobs of a run end soon."""

    def look(self) -> None:
        """WorkersGone where they are. Called about once a second."""
        return

    def leave(self, run: Handle) -> None:
        """The run has ended."""
        return

    @abstractmethod
    def where(self) -> Where:
        """The place and its workers; it may take a second where other machines are asked."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the workers."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()


AGAIN = object()
"""A job did not end by itself: its worker was lost."""


class Handle:
    """Jobs on their way. A thread of its own gives free workers the next, and tells of each that ends."""

    def __init__(
        self,
        workers: Workers,
        jobs: Iterator[Job],
        on_result: Hear,
        on_progress: Hear,
        say: Say,
        on_end: Callable[[], None],
        here: bool = True,
    ) -> None:
        self.id = uuid4().hex
        self._workers, self._jobs, self._here = workers, enumerate(jobs), here
        self._on_result, self._on_progress, self._say, self._on_end = on_result, on_progress, say, on_end
        self._under_way: dict[int, Job] = {}
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._cancelled, self._over = Event(), Event()
        self.lost = ""
        """Why the rest is computed here, where the workers were lost; a sentence."""
        self.failed: BaseException | None = None
        """The exception of a listener, or of the source of the jobs: nothing is told any more."""

    def start(self) -> None:
        """Begin the first jobs, on a thread of its own."""
        Thread(target=self._go, name="jobs", daemon=True).start()

    @property
    def running(self) -> bool:
        """True if jobs are under way or wait."""
        return not self._over.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until all have ended; False on a time-out."""
        return self._over.wait(timeout)

    def cancel(self) -> None:
        """Stop: nothing more is told, and the workers are free soon. This does not wait."""
        self._cancelled.set()
        self._inbox.put(lambda: None)

    def ended(self, workers: Workers, number: int, how: Any) -> None:
        """Tell the run how a job ended there; from any thread."""
        self._inbox.put(lambda: self._take(workers, number, how))

    def arrived(self, number: int, piece: Any) -> None:
        """Tell the run of a piece of an answer; from any thread."""
        self._inbox.put(lambda: self._on_progress(number, piece))

    def _go(self) -> None:
        try:
            while self._fill() and not self._cancelled.is_set():
                self._next()
        except BaseException as problem:  # noqa: BLE001 - raised by whoever waits
            self.failed = problem
        try:
            if self._under_way:
                self._workers.stop(self)
            self._workers.leave(self)
            if self.lost:
                self._workers.close()
        finally:
            self._over.set()
            self._on_end()

    def _fill(self) -> bool:
        """Give free workers the next jobs; True if there is anything to wait for."""
        while len(self._under_way) < self._workers.threads * self._workers.ahead and not self._cancelled.is_set():
            if (numbered := next(self._jobs, None)) is None:
                break
            self._under_way[numbered[0]] = numbered[1]
            self._begin(*numbered)
        return bool(self._under_way)

    def _begin(self, number: int, job: Job) -> None:
        try:
            self._workers.begin(self, number, job)
        except WorkersGone as why:
            self._go_on_here(why)

    def _next(self) -> None:
        """Handle what happens next. All that is known of the run belongs to this thread."""
        try:
            try:
                happened = self._inbox.get(timeout=1.0)  # then look whether the workers are still there
            except Empty:
                self._workers.look()
                return
            if not self._cancelled.is_set():
                happened()
        except WorkersGone as why:
            self._go_on_here(why)

    def _take(self, workers: Workers, number: int, how: Any) -> None:
        if workers is not self._workers or number not in self._under_way:
            return  # it has begun elsewhere since
        answer = workers.answer(self, number, how)
        if answer is AGAIN:
            self._begin(number, self._under_way[number])
            return
        del self._under_way[number]
        if not self._cancelled.is_set():
            self._on_result(number, answer)

    def _go_on_here(self, why: WorkersGone) -> None:
        """Begin the jobs under way again on threads of this process."""
        self.lost, self._workers = str(why), Threads()
        self._say(self.lost)
        if not self._here:
            self.cancel()
            return
        for number, job in self._under_way.items():
            self._workers.begin(self, number, job)


class Threads(Workers):
    """Threads of this process: so many jobs at a time, by default as many as there are processors."""

    title = HERE

    def __init__(self, threads: int | None = None) -> None:
        from threadpoolctl import threadpool_limits

        self.threads = threads or os.cpu_count() or 1
        self._rows = BlockExecutor(self.threads)
        self._scheduler = Scheduler(ThreadPoolExecutor(self.threads, "jobs"), run_all=self._rows.run_all)
        self._free: list[str] = []
        self._slots = count(1)
        # One for each job: small products on several threads wait for each other.
        self._limits = threadpool_limits(1, "blas")

    def begin(self, run: Handle, number: int, job: Job) -> None:
        """Give it to the scheduler, where it waits for memory."""
        slot = self._free.pop() if self._free else f"jobs {next(self._slots)}"

        def done(outcome: Outcome) -> None:
            self._free.append(slot)
            run.ended(self, number, outcome)

        cost = job.cost(self._scheduler.memory)
        self._scheduler.submit(
            slot, job, done, title=job.title, cost=cost, hear=lambda piece: run.arrived(number, piece)
        )

    def answer(self, run: Handle, number: int, ended: Any) -> Any:
        """The value or the error of its outcome."""
        return ended.value if ended.error is None else ended.error

    def stop(self, run: Handle) -> None:
        """Cancel all that runs; they serve one run at a time."""
        self._scheduler.cancel_all()

    def where(self) -> Where:
        """This computer, with the memory that the jobs under way may take."""
        running = tuple(task.title for task in self._scheduler.tasks() if task.running)
        ledger = self._scheduler.ledger
        here = WorkerState(HERE, self.threads, int(ledger.claimed), self._scheduler.memory, running)
        return Where(HERE, True, (here,))

    def close(self) -> None:
        """Stop, and end the threads."""
        self._scheduler.shutdown()
        self._rows.shutdown()
        self._limits.restore_original_limits()
