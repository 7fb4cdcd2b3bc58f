"""The cells of a sweep as a batch: here one by one, each from its neighbours; on other workers in whole paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mvexplorer.compute.batch.sweep_path import Resample, SweepPath, Swept, starts_near
from mvexplorer.compute.batch.sweeping import SweepLine
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.batch import Batch, BatchStep

Cell = Swept | MVExplorerError
Arrived = Callable[[SweepLine, int, Cell], None]


@dataclass(eq=False)
class _Progress:
    """A line under way: here one of its cells is computed at a time, and the next ones start from those known."""

    line: SweepLine
    left: int
    known: dict[int, Swept] = field(default_factory=dict)
    busy: bool = False


class SweepBatch(Batch):
    """One sweep: all lines go forward together, from coarse to fine; those of the first resampling end first.

    `arrived` is called with a line, the place of a value, and its cell or the error that it ended with. Answers can be
    drawn if it is `drawn`: these are much to send, so that each is a job of its own, which any worker may take.
    """

    def __init__(self, lines: Sequence[SweepLine], arrived: Arrived, *, slot: str, drawn: bool = False) -> None:
        self.slot = slot
        self._arrived, self._drawn = arrived, drawn
        self._waiting = deque(_in_order(lines))
        self._sent: dict[tuple[SweepLine, int], _Progress] = {}
        self._begun, self.total = 0, len(self._waiting)
        self._stopped = False

    @property
    def title(self) -> str:
        """That of its slot."""
        return self.slot.capitalize()

    @property
    def running(self) -> bool:
        """True if cells are still to come."""
        return not self._stopped and self.done < self.total

    def drop(self) -> None:
        """Compute nothing more."""
        self._stopped = True
        self._waiting.clear()
        self._sent.clear()

    # On this computer ---------------------------------------------------------------------------------------

    def next(self) -> BatchStep | None:
        """Begin the first cell that waits for no other cell of its line."""
        for i, (progress, place) in enumerate(self._waiting):
            if not progress.busy:
                del self._waiting[i]
                return self._begin(progress, place)
        return None

    def _begin(self, progress: _Progress, place: int) -> BatchStep:
        line = progress.line
        progress.busy, self._begun = True, self._begun + 1
        start = starts_near(place, len(line.requests), progress.known)
        job = SweepPath(
            (replace(line.requests[place], start=start),),
            line.hidden,
            whole=not line.resample,
            drawn=self._drawn,
            views=line.views,
            metrics=line.metrics,
            stability=line.stability,
        )
        title = f"{self.title} {self._begun} of {self.total}: {line.title}"
        return BatchStep(job, title, lambda answer: self._ended(progress, place, answer))

    def _ended(self, progress: _Progress, place: int, answer: tuple[Cell] | MVExplorerError) -> None:
        cell = answer if isinstance(answer, MVExplorerError) else answer[0]
        progress.busy = False
        if isinstance(cell, Swept):
            progress.known[place] = cell
            cell = replace(cell, start=None)
        self._take(progress, place, cell)

    def _take(self, progress: _Progress, place: int, cell: Cell) -> None:
        progress.left, self.done = progress.left - 1, self.done + 1
        if not progress.left:
            progress.known.clear()
        self._arrived(progress.line, place, cell)

    # On other workers ---------------------------------------------------------------------------------------

    def rest(self) -> list[BatchStep]:
        """Begin all cells that wait: those of a line in one job, unless they are drawn."""
        waiting = [(progress, place) for progress, place in self._waiting]
        self._waiting.clear()
        parts: dict[Any, tuple[_Progress, list[int]]] = {}
        for progress, place in waiting:
            self._sent[progress.line, place] = progress
            parts.setdefault((progress, place) if self._drawn else progress, (progress, []))[1].append(place)
        self._begun += len(waiting)
        return [self._path(progress.line, sorted(places)) for progress, places in parts.values()]

    def _path(self, line: SweepLine, places: Sequence[int]) -> BatchStep:
        """Some cells of a line; a random part is sent as the whole data, which workers have already."""
        whole = line.whole or line
        requests = tuple(whole.requests[place] for place in places)
        path = SweepPath(
            requests,
            whole.hidden,
            drawn=self._drawn,
            alone=True,
            views=whole.views,
            metrics=whole.metrics,
            stability=whole.stability,
        )

        def take(answer: tuple[Cell, ...] | MVExplorerError) -> None:
            cells = (answer,) * len(places) if isinstance(answer, MVExplorerError) else answer
            for piece in enumerate(cells):
                hear(piece)

        def hear(piece: tuple[int, Cell]) -> None:
            place = places[piece[0]]
            progress = self._sent.pop((line, place), None)
            if progress is not None:  # it comes again if its path began again
                self._take(progress, place, piece[1])

        return BatchStep(Resample(path, line.resample) if line.resample else path, line.title, take, hear)

    def take_back(self, steps: Sequence[BatchStep]) -> None:
        """Begin the cells anew that did not come."""
        self._waiting = deque((progress, place) for (_, place), progress in self._sent.items())
        self._begun -= len(self._waiting)
        self._sent = {}


def _in_order(lines: Sequence[SweepLine]) -> list[tuple[_Progress, int]]:
    """All cells in the order in which they begin; equal ones only once. Lines at one ε share its kernels."""
    cells: list[tuple[_Progress, int]] = []
    for resample in sorted({line.resample for line in lines}):
        each = [_Progress(line, len(set(line.firsts))) for line in lines if line.resample == resample]
        begun = list[tuple[int, _Progress, int]]()
        for progress in each:
            line = progress.line
            places = ((line.turns[place] if line.turns else n, place) for n, place in enumerate(line.order))
            begun += [(turn, progress, place) for turn, place in places if line.firsts[place] == place]
        cells += [(progress, place) for _, progress, place in sorted(begun, key=lambda cell: cell[0])]
    return cells
