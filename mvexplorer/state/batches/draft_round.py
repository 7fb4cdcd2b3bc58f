"""Drafts of all small pictures at one step of a drag: the next step waits until they are drawn, and skips others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mvexplorer.compute.jobs.jobs import EmbedJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.batch import Batch, BatchStep

Place = tuple[int, int]
"""Row and column of a picture."""


class DraftRound(Batch):
    """One step of a drag: `drafted` is called with the place of each picture, and its draft or error."""

    def __init__(
        self,
        requests: Mapping[Place, Request],
        drafted: Callable[[Place, Result | MVExplorerError], None],
        *,
        slot: str,
    ) -> None:
        self.slot = slot
        self.total = len(requests)
        self._waiting = list(requests.items())
        self._sent: dict[int, tuple[Place, Request]] = {}
        self._drafted, self._dropped = drafted, False

    @property
    def title(self) -> str:
        """The name of its row in the list of tasks."""
        return f"{self.slot.capitalize()}, drafts"

    @property
    def running(self) -> bool:
        """Whether drafts are still to come."""
        return not self._dropped and self.done < self.total

    def next(self) -> BatchStep | None:
        """Begin the next picture."""
        return self._begin(*self._waiting.pop(0)) if self._waiting else None

    def rest(self) -> list[BatchStep]:
        """Begin all pictures that wait."""
        waiting, self._waiting = self._waiting, []
        return [self._begin(*each) for each in waiting]

    def take_back(self, steps: Sequence[BatchStep]) -> None:
        """Begin these anew."""
        self._waiting = [self._sent[id(step)] for step in steps]

    def drop(self) -> None:
        """Draft nothing more."""
        self._waiting, self._dropped = [], True
        self._sent.clear()

    def _begin(self, place: Place, request: Request) -> BatchStep:
        def take(answer: Result | MVExplorerError) -> None:
            self.done += 1
            self._drafted(place, answer)

        step = BatchStep(EmbedJob(request), self.title, take)
        self._sent[id(step)] = place, request
        return step
