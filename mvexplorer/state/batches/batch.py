"""Carries out a window's batches: on the workers that the user chose, else on this computer beside the panels.

Lives on the document's thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from psygnal import Signal

from mvexplorer.compute.run.scheduler import Job, Outcome, Scheduler
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.workplace import Dispatch


def _ignore(piece: Any) -> None:
    return


@dataclass(eq=False)
class BatchStep:
    """One job of a batch: `take` gets its answer or its error, `hear` each piece that it hands over before."""

    job: Job
    title: str
    take: Callable[[Any], None]
    hear: Callable[[Any], None] = _ignore
    wanted: bool = True
    """Whether anybody still waits for it."""


class Batch(ABC):
    """Jobs of one purpose: the order in which they begin here, and what becomes of their answers.

    The slots of its jobs begin with `slot`; `title` is the row of those on other workers in the list of tasks.
    """

    slot: str
    done: int = 0
    total: int = 0

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of that row, while jobs are left."""

    @abstractmethod
    def next(self) -> BatchStep | None:
        """Begin the next step here; None where all that are left wait for others, or there are none."""

    @abstractmethod
    def rest(self) -> list[BatchStep]:
        """Begin all others at once, as steps that wait for nothing: for workers elsewhere."""

    @abstractmethod
    def take_back(self, steps: Sequence[BatchStep]) -> None:
        """Begin these anew, of which no answer came: their workers were lost."""

    @abstractmethod
    def drop(self) -> None:
        """Forget what has not begun."""


@dataclass(eq=False)
class _Sent:
    """Steps that other workers carry out, by their number, and their row in the task list."""

    batch: Batch
    left: dict[int, BatchStep]
    run: Dispatch | None = None


class BatchRunner:
    """Carries out batches of one kind, those that were begun first before the others.

    On this computer `at_a_time` steps are computed at a time, one while panels compute.
    """

    stopped = Signal(object)
    """The user has stopped this batch in the list of tasks."""

    def __init__(self, controller: Controller, scheduler: Scheduler, at_a_time: int) -> None:
        self._controller, self._scheduler, self.at_a_time = controller, scheduler, at_a_time
        self._batches: list[Batch] = []
        self._here: dict[str, tuple[Batch, BatchStep]] = {}
        """The slots of the scheduler that are busy, and with what."""
        self._own: set[str] = set()
        """The slots that were busy at any time; a job that has just ended may still be listed."""
        self._sent: list[_Sent] = []
        self._kept: set[Batch] = set()
        """Batches whose workers were lost, which go on here."""
        self._numbers, self._going = count(1), False
        controller.cancelled.connect(self._cancelled)

    def run(self, batch: Batch) -> None:
        """Begin a batch, or the steps that it has got since it was begun."""
        if batch not in self._batches:
            self._batches.append(batch)
        self._kept.discard(batch)
        self.go_on()

    def stop(self, batch: Batch) -> None:
        """Stop; what has arrived remains."""
        batch.drop()
        self._forget(batch)
        slots, sent = [slot for slot, (each, _) in self._here.items() if each is batch], self._sent
        self._sent = [each for each in sent if each.batch is not batch]
        for slot in slots:
            del self._here[slot]
            self._scheduler.cancel(slot)
        for each in sent:
            if each.batch is batch and each.run is not None:
                each.run.cancel()
        self.go_on()

    def stop_all(self) -> None:
        """Stop all batches; no step of another begins instead."""
        batches = list(self._batches)
        for batch in batches:
            batch.drop()
        for batch in batches:
            self.stop(batch)

    def go_on(self) -> None:
        """Give free workers the next steps."""
        if self._going:  # without workers a step ends before it is given: the loop below goes on
            return
        self._going = True
        try:
            if self._controller.workplace.workers is not None:
                for batch in [each for each in self._batches if each not in self._kept]:
                    self._send(batch)
            while self._free() and (found := self._next()) is not None:
                self._submit(*found)
        finally:
            self._going = False

    def _forget(self, batch: Batch) -> None:
        self._batches = [each for each in self._batches if each is not batch]
        self._kept.discard(batch)

    # On this computer ---------------------------------------------------------------------------------------

    def _free(self) -> bool:
        others = any(task.slot not in self._own for task in self._controller.scheduler.tasks())
        return len(self._here) < (1 if others else self.at_a_time)

    def _next(self) -> tuple[Batch, BatchStep] | None:
        for batch in self._batches:
            if (step := batch.next()) is not None:
                return batch, step
        return None

    def _submit(self, batch: Batch, step: BatchStep) -> None:
        slot = next(
            slot for slot in chain([batch.slot], (f"{batch.slot} {i}" for i in count(2))) if slot not in self._here
        )
        self._here[slot] = mine = batch, step
        self._own.add(slot)

        def ended(outcome: Outcome) -> None:
            if self._here.get(slot) is mine:
                del self._here[slot]
                if step.wanted:
                    step.take(outcome.value if outcome.error is None else outcome.error)
                self._look(batch)
                self.go_on()

        cost = step.job.cost(self._scheduler.memory)
        self._scheduler.submit(slot, step.job, ended, title=step.title, cost=cost)

    def _look(self, batch: Batch) -> None:
        """Forget a batch that has ended."""
        if batch.done >= batch.total:
            self._forget(batch)

    # On other workers ---------------------------------------------------------------------------------------

    def _send(self, batch: Batch) -> None:
        steps = batch.rest()
        if not steps:
            return
        sent = _Sent(batch, dict(enumerate(steps)))

        def came(number: int, answer: Any) -> None:
            step = sent.left.pop(number)
            if step.wanted:
                step.take(answer)
            self._tell(sent)
            self._look(batch)

        def heard(number: int, piece: Any) -> None:
            sent.left[number].hear(piece)
            self._tell(sent)

        def lost() -> None:
            self._sent.remove(sent)
            self._kept.add(batch)
            batch.take_back([step for step in sent.left.values() if step.wanted])
            self.go_on()

        slot = f"{batch.slot}:sent {next(self._numbers)}"
        self._sent.append(sent)
        sent.run = self._controller.workplace.run(slot, batch.title, [s.job for s in steps], came, lost, heard)
        self._tell(sent)

    def _tell(self, sent: _Sent) -> None:
        """Show how far it is; end what nobody waits for any more."""
        if sent not in self._sent or sent.run is None:
            return
        if any(step.wanted for step in sent.left.values()):
            sent.run.tell(sent.batch.done, sent.batch.total)
        else:
            self._sent.remove(sent)
            sent.run.cancel()

    def _cancelled(self, slot: str) -> None:
        """The user stopped one of the rows in the task list."""
        sent = next((each.batch for each in self._sent if each.run is not None and each.run.slot == slot), None)
        batch = self._here[slot][0] if slot in self._here else sent
        if batch is not None:
            self.stop(batch)
            self.stopped.emit(batch)
