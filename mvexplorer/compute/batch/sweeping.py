"""Carries out a sweep on a scheduler: all methods go forward together, from coarse to fine, on as many workers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

from mvexplorer.compute.batch.sweep_path import SweepPath, Swept, coarse_to_fine, resampled_rows, starts_near

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mvexplorer.compute.jobs.request import Request
    from mvexplorer.compute.jobs.runner import Hidden
    from mvexplorer.compute.run.scheduler import Outcome, Scheduler
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.errors import MVExplorerError

SLOT = "sweep"


@dataclass(frozen=True, eq=False)
class SweepLine:
    """One method on the same samples, at each value of an axis in turn: one request a value.

    `title` is its name in the task list; `resample` the number of the random part of the samples, 0 for all of them;
    `hidden` the variable of these samples that is scored.
    """

    title: str
    requests: tuple[Request, ...]
    resample: int = 0
    hidden: Hidden | None = None
    centre: int | None = None
    """The place of the value to begin with, from which it goes outwards; None: from coarse to fine."""
    whole: SweepLine | None = None
    """The same on all samples, where these are a random part."""

    @property
    def order(self) -> list[int]:
        """The places of the values, in the order in which they begin."""
        count, centre = len(self.requests), self.centre
        if centre is None:
            return coarse_to_fine(count)
        return sorted(range(count), key=lambda place: (abs(place - centre), place))

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """For each value the first one that asks for the same: where the axis has no effect that is 0 for all."""
        seen: dict[Request, int] = {}
        return tuple(seen.setdefault(request, place) for place, request in enumerate(self.requests))

    @property
    def flat(self) -> bool:
        """True if one computation is enough for all values."""
        return len(self.firsts) > 1 and not any(self.firsts)

    def resampled(self, resample: int) -> SweepLine:
        """The same on a random part of the samples."""
        data = self.requests[0].data
        kept = resampled_rows(data.n_samples, resample)
        part: MultiView = data.take(kept)
        requests = tuple(request.on(part) for request in self.requests)
        return SweepLine(self.title, requests, resample, self.hidden and self.hidden.take(kept), whole=self)


@dataclass(eq=False)
class _Progress:
    """A line under way: at most one of its cells is computed at a time, and the next ones start from those known."""

    line: SweepLine
    left: int
    known: dict[int, Swept] = field(default_factory=dict)
    busy: bool = False


class SweepRun:
    """One sweep. It lives on the thread to which the scheduler posts outcomes.

    The lines are all of the same length; those of the first resampling are finished first. `arrived` is called with a
    line, the place of a value, and its cell or the error that it ended with. At most `workers` cells are computed at a
    time, one while the scheduler has other work. Classes are scored if it is `labelled`; answers can be drawn if it is
    `drawn`. The names of its slots in the scheduler and in the task list begin with `slot`.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        lines: Sequence[SweepLine],
        arrived: Callable[[SweepLine, int, Swept | MVExplorerError], None],
        *,
        workers: int,
        labelled: bool = True,
        slot: str = SLOT,
        drawn: bool = False,
    ) -> None:
        self._scheduler, self._arrived, self._labelled, self._drawn = scheduler, arrived, labelled, drawn
        self._title = slot.capitalize()
        self._slots = [slot, *(f"{slot} {i}" for i in range(2, workers + 1))]
        self._free = list(reversed(self._slots))
        self._waiting = deque(_in_order(lines))
        self.total, self.done, self.begun = len(self._waiting), 0, 0
        self.stopped = False

    @property
    def running(self) -> bool:
        """True if cells are still to come."""
        return not self.stopped and self.done < self.total

    def owns(self, slot: str) -> bool:
        """True if this is one of its slots in the scheduler."""
        return slot in self._slots

    def stop(self) -> None:
        """Stop; what has arrived remains."""
        self.stopped = True
        self._waiting.clear()
        for slot in self._slots:
            self._scheduler.cancel(slot)

    def go_on(self) -> None:
        """Give free workers the next cells."""
        while self._free and not self.stopped and (cell := self._next()) is not None:
            self._submit(*cell)

    def _next(self) -> tuple[_Progress, int] | None:
        """The first cell that waits for no other cell of its line; one at a time while panels compute."""
        others = any(not self.owns(task.slot) for task in self._scheduler.tasks())
        if others and len(self._free) < len(self._slots):
            return None
        for i, (progress, place) in enumerate(self._waiting):
            if not progress.busy:
                del self._waiting[i]
                return progress, place
        return None

    def _submit(self, progress: _Progress, place: int) -> None:
        line, slot = progress.line, self._free.pop()
        progress.busy, self.begun = True, self.begun + 1
        start = starts_near(place, len(line.requests), progress.known)
        request = replace(line.requests[place], start=start)

        def ended(outcome: Outcome) -> None:
            self._free.append(slot)
            cell = outcome.error if outcome.error is not None else outcome.value[0]
            self._ended(progress, place, cell)

        self._scheduler.submit(
            slot,
            SweepPath((request,), line.hidden, self._labelled, whole=not line.resample, drawn=self._drawn),
            ended,
            title=f"{self._title} {self.begun} of {self.total}: {line.title}",
            cost=request.plan.cost(self._scheduler.memory),
        )

    def _ended(self, progress: _Progress, place: int, cell: Swept | MVExplorerError) -> None:
        progress.busy, progress.left, self.done = False, progress.left - 1, self.done + 1
        if isinstance(cell, Swept):
            progress.known[place] = cell
            cell = replace(cell, start=None)
        if not progress.left:
            progress.known.clear()
        self.go_on()
        self._arrived(progress.line, place, cell)


def _in_order(lines: Sequence[SweepLine]) -> list[tuple[_Progress, int]]:
    """All cells in the order in which they begin; equal ones only once. Lines at one ε share its kernels."""
    cells: list[tuple[_Progress, int]] = []
    for resample in sorted({line.resample for line in lines}):
        each = [_Progress(line, len(set(line.firsts))) for line in lines if line.resample == resample]
        for places in zip_longest(*(progress.line.order for progress in each)):
            begun = ((p, place) for p, place in zip(each, places, strict=True) if place is not None)
            cells += [(p, place) for p, place in begun if p.line.firsts[place] == place]
    return cells
