"""A sweep on other processes and machines: whole paths go there, cells come back one by one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.sweep_path import Resample, SweepPath, Swept
from mvexplorer.compute.sweeping import SweepRun
from mvexplorer.errors import MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mvexplorer.compute.scheduler import Job
    from mvexplorer.compute.sweeping import SweepLine
    from mvexplorer.state.controller import Controller
    from mvexplorer.state.elsewhere import Away

    Arrived = Callable[[SweepLine, int, Swept | MVExplorerError], None]


def sweep_run(controller: Controller, lines: Sequence[SweepLine], arrived: Arrived, workers: int) -> SweepRun:
    """A sweep where the user wants it; `workers` is how many of its cells are computed at a time on this computer."""
    if controller.elsewhere.workers is None:
        return SweepRun(controller.scheduler, lines, arrived, workers=workers)
    return SweepElsewhere(controller, lines, arrived, workers)


class SweepElsewhere(SweepRun):
    """One sweep on the workers that the user chose. What is left when these are lost is computed here.

    Parameters
    ----------
    controller : Controller
    lines, arrived, workers
        As `SweepRun` takes them.
    """

    def __init__(self, controller: Controller, lines: Sequence[SweepLine], arrived: Arrived, workers: int) -> None:
        super().__init__(controller.scheduler, lines, arrived, workers=workers)
        self._left = {(progress.line, place): progress for progress, place in self._waiting}
        self._lines = list(dict.fromkeys(line for line, _ in self._left))
        elsewhere, jobs = controller.elsewhere, [_path(line) for line in self._lines]
        self._away: Away | None = elsewhere.run(
            f"{self._slots[0]}:elsewhere", self._title, jobs, self._came, self._go_on_here, piece=self._piece
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
        line = self._lines[number]
        self._take(line, _places(line)[piece[0]], piece[1])

    def _came(self, number: int, found: Any) -> None:
        """Take the cells of a path that did not come by themselves, or why there are none."""
        line = self._lines[number]
        places = _places(line)
        cells = (found,) * len(places) if isinstance(found, MVExplorerError) else found
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


def _path(line: SweepLine) -> Job:
    """All cells of a line; of a random part the whole data travels, which is there already."""
    whole = line.whole or line
    asked = tuple(whole.requests[place] for place in _places(line))
    path = SweepPath(asked, whole.hidden, alone=True)
    return Resample(path, line.resample) if line.resample else path
