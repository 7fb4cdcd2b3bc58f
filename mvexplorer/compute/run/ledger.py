"""Divides the memory: running jobs get what they are estimated to need, results kept for later get the rest.

A job begins when its estimate fits beside those of the jobs that run; unused results are evicted. Otherwise it
waits, without a thread, and is woken when others end. A cancelled job holds its memory until it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import RLock
from typing import Protocol

from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.task import DEFAULT_MEMORY, Task

Wake = Callable[[], None]

OVERTAKEN = 8
"""Later jobs that may begin before a waiting one; then no more may."""


class Keeper(Protocol):
    """Keeps results for later, as long as there is room."""

    def shrink(self, room: float) -> None:
        """Evict results that no running job uses, until such results take at most `room` bytes."""


class KeepsNothing:
    """Default for the keeper: there is no cache to shrink."""

    def shrink(self, room: float) -> None:
        """Do nothing."""


@dataclass(eq=False)
class Claim:
    """The memory reserved for one running job.

    Of its `cost` in bytes, `shared` are for results that the cache may already hold. Until the job computes a large
    result itself (`computes`), no room is made for `shared`. `used` holds the keys of results it has read or made.
    """

    cost: float
    shared: float
    used: set[Hashable] = field(default_factory=set)
    computes: bool = False

    @property
    def reserved(self) -> float:
        """Bytes that unused results must leave free."""
        return self.cost if self.computes else self.cost - self.shared


@dataclass(eq=False)
class _Waiter:
    cost: float
    wake: Wake
    woken: bool = False
    overtaken: int = 0


class Ledger:
    """Divides `limit` bytes between running jobs and results kept for later. Safe from any thread."""

    def __init__(self, limit: float = DEFAULT_MEMORY) -> None:
        self.lock = RLock()
        """The keeper uses it for its changes too, so that both agree."""
        self.keeper: Keeper = KeepsNothing()
        self._limit = limit
        self._claims: dict[Task, Claim] = {}
        self._waiting: dict[Hashable, _Waiter] = {}

    @property
    def limit(self) -> float:
        """Bytes for everything together."""
        return self._limit

    def set_limit(self, limit: float) -> None:
        """Change the limit. The cache shrinks at once; running jobs go on."""
        with self.lock:
            self._limit = limit
            self.keeper.shrink(self.room)
            woken = self._fitting()
        _call(woken)

    @property
    def room(self) -> float:
        """Bytes that unused results may take."""
        with self.lock:
            return self._limit - sum(claim.reserved for claim in self._claims.values())

    @property
    def claimed(self) -> float:
        """Bytes that the running jobs need."""
        with self.lock:
            return sum(claim.cost for claim in self._claims.values())

    def used(self) -> set[Hashable]:
        """Keys of the results that running jobs use; the jobs' claims include their bytes."""
        with self.lock:
            return set().union(*(claim.used for claim in self._claims.values()))

    def claim_of(self, task: Task) -> Claim | None:
        """The memory reserved for a running job, if any."""
        return self._claims.get(task)

    # A job's life ----------------------------------------------------------------------------------------------

    def begin(self, place: Hashable, task: Task, cost: Estimate, wake: Wake) -> bool:
        """True if the job may begin now. If not, its place waits, and `wake` is called to try again.

        A place keeps its turn when another job replaces the one in it.
        """
        with self.lock:
            size = min(cost.bytes + cost.beside, self._limit)
            if not self._may_begin(place, size):
                waiter = self._waiting.setdefault(place, _Waiter(size, wake))
                waiter.cost, waiter.woken = size, False
                return False
            small = self._small(size)
            for earlier in () if small else self._before(place):
                earlier.overtaken += 1
            self._waiting.pop(place, None)
            self._claims[task] = Claim(0.0, 0.0) if small else Claim(size, cost.shared)
            self.keeper.shrink(self.room)
            return True

    def computes(self, task: Task) -> None:
        """The job makes a large result: evict unused results to make room for its whole cost."""
        claim = self._claims.get(task)
        if claim is not None and not claim.computes:
            with self.lock:
                claim.computes = True
                self.keeper.shrink(self.room)

    def end(self, task: Task) -> None:
        """The job has ended: free its memory."""
        with self.lock:
            if self._claims.pop(task, None) is None:
                return
            self.keeper.shrink(self.room)
            woken = self._fitting()
        _call(woken)

    def nudge(self, place: Hashable) -> bool:
        """Wake a waiting place; True where it has not been woken already."""
        with self.lock:
            waiter = self._waiting.get(place)
            if waiter is None or waiter.woken:
                return False
            waiter.woken = True
            return True

    def withdraw(self, place: Hashable) -> bool:
        """Remove a waiting place; True where a job waited there and had not been woken."""
        with self.lock:
            waiter = self._waiting.pop(place, None)
            woken = self._fitting()
        _call(woken)
        return waiter is not None and not waiter.woken

    # Whose turn it is --------------------------------------------------------------------------------------------

    def _small(self, cost: float) -> bool:
        small_part = 100  # a handful of jobs of 1/100 each exceed the limit by a few per cent
        return cost * small_part <= self._limit

    def _may_begin(self, place: Hashable, cost: float) -> bool:
        if self._small(cost):
            return True
        if any(earlier.overtaken >= OVERTAKEN for earlier in self._before(place)):
            return False
        claimed = self.claimed
        return claimed == 0.0 or claimed + cost <= self._limit

    def _before(self, place: Hashable) -> list[_Waiter]:
        """The waiters before `place`, in their order."""
        waiters = []
        for other, waiter in self._waiting.items():
            if other == place:
                break
            waiters.append(waiter)
        return waiters

    def _fitting(self) -> list[Wake]:
        """The waiters to wake, in order: as many as fit together, and those that can never fit, to be refused."""
        wakes, claimed = [], self.claimed
        for waiter in self._waiting.values():
            if claimed == 0.0 or claimed + waiter.cost <= self._limit:
                claimed += waiter.cost
            elif waiter.cost <= self._limit:
                if waiter.overtaken >= OVERTAKEN:
                    break
                continue
            if not waiter.woken:
                waiter.woken = True
                wakes.append(waiter.wake)
        return wakes


def _call(wakes: list[Wake]) -> None:
    for wake in wakes:
        wake()
