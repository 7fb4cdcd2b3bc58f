"""Passes over very many samples as jobs: spans of rows, wherever there are workers."""

from __future__ import annotations

from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.run.scheduler import Job
from mvexplorer.errors import ComputeError, MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mvexplorer.compute.remote.remote import Handle, Workers
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.core.multiview import Array, MultiView
    from mvexplorer.engine.core.task import Task
    from mvexplorer.engine.kernels.block_pass import BlockPass, Sums
    from mvexplorer.engine.pipeline.stages import Stages
    from mvexplorer.engine.pipeline.three_passes import Carry


@dataclass(frozen=True, eq=False)
class SpanJob(Job):
    """One pass over consecutive rows of some views of the data."""

    step: BlockPass
    data: MultiView
    views: tuple[int, ...]
    span: slice

    def run(self, cache: StageCache, task: Task) -> Sums:
        """Sum up block by block; nothing is cached."""
        return self.step.over([self.data.Xs[i] for i in self.views], self.span, lambda _: task.checkpoint())


def on_workers(workers: Workers, stages: Stages) -> Carry:
    """The way that carries out passes over the data of `stages` by workers, until its task is cancelled."""

    def carry(step: BlockPass, tables: Sequence[Array], spans: Sequence[slice]) -> Iterator[Sums]:
        came: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        jobs = (SpanJob(step, stages.data, stages.views, span) for span in spans)
        run = workers.run(jobs, lambda number, answer: came.put((number, answer)))
        early: dict[int, Sums] = {}
        try:
            for number in range(len(spans)):  # sums are added in the order of the rows, whichever came first
                while number not in early:
                    early.update([_next(came, run, stages.task)])
                yield early.pop(number)
        finally:
            run.cancel()

    return carry


def _next(came: SimpleQueue[tuple[int, Any]], run: Handle, task: Task) -> tuple[int, Sums]:
    """The next answer; raises the error that a job ended with, or Cancelled."""
    look = 0.1  # seconds after which a run that is waited for looks whether it is still wanted
    while True:
        task.checkpoint()
        over = not run.running
        try:
            which, answer = came.get(timeout=look)
        except Empty:
            if over:
                raise ComputeError("The workers ended before all samples were read.", "Start again.") from run.failed
            continue
        if isinstance(answer, MVExplorerError):
            raise answer
        return which, answer
