"""Decides what is computed when: one slot per panel, in which a new job replaces the earlier ones."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, current_thread, main_thread
from time import monotonic, perf_counter
from typing import Any

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.cost import NOTHING, Estimate
from mvexplorer.engine.core.task import Cancelled, RunAll, Task, one_by_one
from mvexplorer.errors import ComputeError, MVExplorerError

log = logging.getLogger(__name__)

Post = Callable[[Callable[[], None]], None]

PATIENCE = 5.0
"""Seconds. During a drag a job that has run for less than this may finish, so that the picture follows the mouse;
one that takes longer is stopped for the next."""
PROGRESS_INTERVAL = 0.05


class Job(ABC):
    """A computation for a worker. Each kind is a frozen dataclass that survives pickle, so that it can run anywhere."""

    home: int | None = None
    """Jobs of the same number share what they compute first: they are quicker in the same process."""

    @abstractmethod
    def run(self, cache: StageCache, task: Task) -> Any:
        """Compute the answer with the cache of the process it runs in; stop when the task says so."""

    @property
    def title(self) -> str:
        """Its name where running jobs are listed."""
        return type(self).__name__

    def cost(self, memory: float) -> Estimate:
        """Its need where it runs, if so many bytes are allowed; by default nothing worth telling."""
        return NOTHING


def user_error(problem: BaseException) -> MVExplorerError:
    """The error for the user of a job that failed; a fault of the program is logged."""
    if isinstance(problem, MVExplorerError):
        return problem
    if isinstance(problem, MemoryError):
        return ComputeError("The computation ran out of memory.", "Use fewer samples or views, or close programs.")
    log.error("a computation failed unexpectedly", exc_info=problem)
    what = f"{problem}" if isinstance(problem, Exception) else f"it was broken off by {type(problem).__name__}"
    return ComputeError(f"The computation failed: {what}.", "Something went wrong in mvexplorer; please report it.")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one job: a value, or an error meant for the user."""

    slot: str
    generation: int
    value: Any = None
    error: MVExplorerError | None = None
    seconds: float = 0.0


@dataclass
class _Work:
    job: Job
    done: Callable[[Outcome], None]
    generation: int
    title: str
    task: Task
    cost: Estimate


@dataclass(eq=False)
class _Slot:
    running: _Work | None = None
    pending: _Work | None = None
    scheduled: bool = False
    held_up: bool = False
    """Whether the pending job waits for memory."""
    fraction: float = 0.0
    accepted: int = 0
    started: float = 0.0


@dataclass(frozen=True)
class Progress:
    """A task as the task list shows it."""

    slot: str
    title: str
    running: bool
    fraction: float
    held_up: bool = False
    """Whether the task waits for memory that other jobs hold."""


def call_directly(closure: Callable[[], None]) -> None:
    """The `post` of a program without an event loop."""
    closure()


class Scheduler:
    """Runs jobs on any `concurrent.futures.Executor`, at most one per slot.

    `post` hands a closure to the thread that owns the results: through the window's event loop, or by a direct call.
    `on_change` is called through it whenever a job starts, moves or ends, and `on_error` with the error of every job
    that fails, besides who submitted it. `run_all` runs the jobs' row blocks. `renew` makes a new executor, when
    workers of the old one may be inside calls that cannot be stopped. The ledger of the cache divides the memory among
    the jobs of all schedulers that share it.
    """

    def __init__(
        self,
        executor: Executor,
        post: Post = call_directly,
        on_change: Callable[[], None] | None = None,
        run_all: RunAll = one_by_one,
        renew: Callable[[], Executor] | None = None,
        cache: StageCache | None = None,
        on_error: Callable[[MVExplorerError], None] = lambda error: None,
    ) -> None:
        self._executor = executor
        self._renew = renew
        self.post = post
        self._on_change = on_change
        self._on_error = on_error
        self._run_all = run_all
        self._cache = StageCache() if cache is None else cache  # an empty cache is falsy
        self.ledger = self._cache.ledger
        """Divides the memory among jobs and cached results."""
        self._slots: dict[str, _Slot] = {}
        self._abandoned: list[_Slot] = []
        self._condition = Condition()
        self._generation = 0
        self._closed = self._told = False
        self._held_back: list[tuple[str, _Slot]] | None = None

    @property
    def memory(self) -> int:
        """Bytes that all jobs and cached results together may take."""
        return int(self.ledger.limit)

    def submit(
        self,
        slot: str,
        job: Job,
        done: Callable[[Outcome], None],
        *,
        title: str = "",
        interactive: bool = False,
        cost: Estimate = NOTHING,
        hear: Callable[[Any], None] | None = None,
    ) -> int:
        """Put a job into a slot: it replaces the waiting job there and stops the running one.

        A slot is a place such as a panel's id. `done` is called through `post` with the outcome, unless the job was
        replaced or cancelled; `hear` by the worker with each piece of the answer that the job hands over. `title`
        stands in the task list. The job is `interactive` while the user drags: a quick job already running may then
        finish and be shown. It begins once the memory of its cost is free; one that needs more than the limit is
        refused. Returns the job's generation; later jobs have larger ones.
        """
        with self._condition:
            self._generation += 1
            state = self._slots.setdefault(slot, _Slot())
            task = Task(self._progress_reporter(state), run_all=self._run_all, memory=self.memory)
            task.hand_over = hear or task.hand_over
            work = _Work(job, done, self._generation, title, task, cost)
            state.pending = work
            if not interactive:
                state.accepted = work.generation - 1
            if state.running is not None and not (interactive and perf_counter() - state.started < PATIENCE):
                state.running.task.cancel()
            start = (not state.scheduled or self.ledger.nudge(state)) and not self._closed
            state.scheduled = state.scheduled or start
            held_back = self._held_back if start else None
            if held_back is not None:
                held_back.append((slot, state))
        if start and held_back is None:
            self._start(slot, state)
        self._announce()
        return work.generation

    def _start(self, slot: str, state: _Slot) -> None:
        self._executor.submit(self._run_next, slot, state)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let jobs that are submitted meanwhile begin at the end: they would slow down the thread that makes others."""
        if self._held_back is not None:
            yield
            return
        self._held_back = starts = list[tuple[str, _Slot]]()
        try:
            yield
        finally:
            with self._condition:
                self._held_back = None
            for slot, state in starts:
                self._start(slot, state)

    def release(self) -> None:
        """The drag ended: stop every running job that a newer one is waiting to replace."""
        with self._condition:
            for state in self._slots.values():
                if state.running is not None and state.pending is not None:
                    state.running.task.cancel()

    def cancel(self, slot: str) -> None:
        """Stop the running job in `slot` and drop the waiting one; neither is reported."""
        with self._condition:
            state = self._slots.get(slot)
            if state is None:
                return
            idle = state.pending is None and state.running is None
            state.pending = None
            state.accepted = self._generation
            if state.running is not None:
                state.running.task.cancel()
        if idle:
            return
        if self.ledger.withdraw(state):
            with self._condition:
                state.scheduled = state.held_up = False
                self._condition.notify_all()
        self._announce()

    def cancel_all(self) -> None:
        """Cancel every slot."""
        for slot in list(self._slots):
            self.cancel(slot)

    def abandon(self) -> None:
        """Cancel every slot without waiting: jobs submitted next do not queue behind the cancelled ones.

        A worker inside a call that cannot be stopped ends with that call; its result is not reported.
        """
        with self._condition:
            left, self._slots = list(self._slots.values()), {}
            for state in left:
                state.pending, state.accepted = None, self._generation
                if state.running is not None:
                    state.running.task.cancel()
            self._abandoned = [state for state in (*self._abandoned, *left) if state.running is not None]
            former = self._executor
            if self._renew is not None and any(state.scheduled for state in left):
                self._executor = self._renew()
        for state in left:
            self.ledger.withdraw(state)
        if former is not self._executor:
            former.shutdown(wait=False, cancel_futures=True)
        self._announce()

    def tasks(self) -> tuple[Progress, ...]:
        """The running and waiting jobs, for the task list."""
        with self._condition:
            tasks = []
            for name, state in self._slots.items():
                work = state.running if state.running is not None else state.pending
                if work is not None:
                    running, title = state.running is not None, work.task.said or work.title
                    tasks.append(Progress(name, title, running, state.fraction, state.held_up and not running))
            return tuple(tasks)

    @property
    def idle(self) -> bool:
        """True if nothing runs and nothing waits."""
        return not any(s.scheduled for s in self._slots.values())

    def wait_idle(self, timeout: float | None = None) -> bool:
        """Block until nothing runs and nothing waits; False on a time-out."""
        with self._condition:
            return self._condition.wait_for(lambda: self.idle, timeout)

    def shutdown(self, timeout: float = 5.0) -> None:
        """Stop everything and wait for what runs; nothing is reported afterwards."""
        with self._condition:
            self._closed = True
        self.cancel_all()
        with self._condition:
            left = (*self._slots.values(), *self._abandoned)
            self._condition.wait_for(lambda: all(state.running is None for state in left), timeout)
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _run_next(self, slot: str, state: _Slot) -> None:
        with self._condition:
            work = state.pending
            state.held_up = work is not None and not self._may_begin(work, slot, state)
            if not state.held_up:
                state.pending = None
                state.running, state.fraction, state.started = work, 0.0, perf_counter()
        if work is not None:
            self._announce()
        if not state.held_up:
            self._run(work, slot, state)

    def _may_begin(self, work: _Work, slot: str, state: _Slot) -> bool:
        """True if the job may begin: there is memory, or it will be refused. If not, the ledger wakes it later."""
        if work.cost.bytes > self.ledger.limit:  # it will be refused
            self.ledger.withdraw(state)
            return True
        return self.ledger.begin(state, work.task, work.cost, lambda: self._try_again(slot, state))

    def _try_again(self, slot: str, state: _Slot) -> None:
        if not self._closed:
            self._start(slot, state)

    def _run(self, work: _Work | None, slot: str, state: _Slot) -> None:
        try:
            if work is not None:
                self._carry_out(work, slot, state)
        finally:  # a fault in a receiver must not block the slot for good
            if work is not None:
                self.ledger.end(work.task)
            with self._condition:
                state.running = None
                again = state.pending is not None and not self._closed
                state.scheduled = again
                self._condition.notify_all()
            if again:
                self._start(slot, state)
        self._announce()

    def _carry_out(self, work: _Work, slot: str, state: _Slot) -> None:
        start, value, error = perf_counter(), None, None
        try:
            self._check_need(work)
            value = work.job.run(self._cache, work.task)
        except Cancelled:
            return
        except BaseException as problem:
            if not isinstance(problem, Exception) and current_thread() is main_thread():
                raise  # without workers Ctrl+C is meant for the program
            error = user_error(problem)
        seconds = perf_counter() - start
        outcome = Outcome(slot, work.generation, value, error, seconds)
        self.post(lambda: self._deliver(work, state, outcome))

    def _check_need(self, work: _Work) -> None:
        if work.cost.bytes > self.ledger.limit:
            raise ComputeError(
                f"{work.title} {work.cost.describe(self.memory)}: it does not fit.",
                "Allow more memory, or keep fewer samples.",
            )

    def _deliver(self, work: _Work, state: _Slot, outcome: Outcome) -> None:
        with self._condition:
            if self._closed or outcome.generation <= state.accepted:
                return
            state.accepted = outcome.generation
        work.done(outcome)
        if outcome.error is not None:
            self._on_error(outcome.error)

    def _progress_reporter(self, state: _Slot) -> Callable[[float], None]:
        last = 0.0

        def report(fraction: float) -> None:
            nonlocal last
            now = monotonic()
            if now - last >= PROGRESS_INTERVAL:
                last = now
                state.fraction = fraction
                self._announce()

        return report

    def _announce(self) -> None:
        if self._on_change is not None and not (self._closed or self._told):
            self._told = True  # one message on its way is enough: its receiver looks at all slots
            self.post(self._tell_change)

    def _tell_change(self) -> None:
        self._told = False
        if self._on_change is not None and not self._closed:
            self._on_change()
