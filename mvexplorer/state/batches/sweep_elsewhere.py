"""A sweep on other processes and machines: whole paths go there, or each picture by itself; cells come one by one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.batch.sweep_path import Resample, SweepPath, Swept
from mvexplorer.compute.batch.sweeping import SLOT, SweepRun
from mvexplorer.errors import MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mvexplorer.compute.batch.sweeping import SweepLine
    from mvexplorer.compute.run.scheduler import Job
    from mvexplorer.state.pictures.controller import Controller
    from mvexplorer.state.pictures.elsewhere import Away

    Arrived = Callable[[SweepLine, int, Swept | MVExplorerError], None]


def sweep_run(
    controller: Controller,
    lines: Sequence[SweepLine],
    arrived: Arrived,
    workers: int,
    *,
    slot: str = SLOT,
    drawn: bool = False,
) -> SweepRun:
    """A sweep where the user wants it; `workers` is how many of its cells are computed at a time on this computer."""
    if controller.elsewhere.workers is None:
        return SweepRun(controller.scheduler, lines, arrived, workers=workers, slot=slot, drawn=drawn)
    return SweepElsewhere(controller, lines, arrived, workers, slot=slot, drawn=drawn)


class SweepElsewhere(SweepRun):
    """One sweep on the workers that the user chose. What is left when these are lost is computed here.

    Pictures to be drawn (`drawn`) are much to send, so that each is a job of its own, which any worker may take.
    """

    def __init__(
        self,
        controller: Controller,
        lines: Sequence[SweepLine],
        arrived: Arrived,
        workers: int,
        *,
        slot: str,
        drawn: bool,
    ) -> None:
        super().__init__(controller.scheduler, lines, arrived, workers=workers, slot=slot, drawn=drawn)
        self._left = {(progress.line, place): progress for progress, place in self._waiting}
        each = [(line, [place]) for line, place in self._left]
        self._parts = each if drawn else [(line, _places(line)) for line in dict.fromkeys(line for line, _ in each)]
        elsewhere, jobs = controller.elsewhere, [_path(*part, drawn=drawn) for part in self._parts]
        self._away: Away | None = elsewhere.run(
            f"{slot}:elsewhere", self._title, jobs, self._came, self._go_on_here, piece=self._piece
        )
        self._away.tell(0, self.total)

    def owns(self, slot: str) -> bool:
        """Whether this is one of its rows in the task list."""
        return super().owns(slot) or (self._away is not None and slot == self._away.slot)

    def stop(self) -> None:
        """Stop; what has arrived remains."""
        if self._away is not None:
            self._away.cancel()
        super().stop()

    def go_on(self) -> None:
        """Give free workers of this computer the next cells, once that is where they are computed."""
        if self._away is None:
            super().go_on()

    def _go_on_here(self) -> None:
        self._away, self.begun = None, self.done
        self._waiting = deque((progress, place) for (_, place), progress in self._left.items())
        self.go_on()

    def _piece(self, number: int, piece: tuple[int, Swept | MVExplorerError]) -> None:
        line, places = self._parts[number]
        self._take(line, places[piece[0]], piece[1])

    def _came(self, number: int, answer: Any) -> None:
        """Take the cells of a path that did not come by themselves, or why there are none."""
        line, places = self._parts[number]
        cells = (answer,) * len(places) if isinstance(answer, MVExplorerError) else answer
        for place, cell in zip(places, cells, strict=True):
            self._take(line, place, cell)

    def _take(self, line: SweepLine, place: int, cell: Swept | MVExplorerError) -> None:
        progress = self._left.pop((line, place), None)
        if progress is None:  # its path began again
            return
        progress.left, self.done = progress.left - 1, self.done + 1
        if self._away is not None:
            self._away.tell(self.done, self.total)
        self._arrived(line, place, cell)


def _places(line: SweepLine) -> list[int]:
    """The places of the values that are computed, in order."""
    return sorted(set(line.firsts))


def _path(line: SweepLine, places: Sequence[int], *, drawn: bool) -> Job:
    """Make the job of some cells of a line; a random part is sent as the whole data, which workers have already."""
    whole = line.whole or line
    requests = tuple(whole.requests[place] for place in places)
    path = SweepPath(requests, whole.hidden, drawn=drawn, alone=True)
    return Resample(path, line.resample) if line.resample else path
